-- gpu_union, gpu_intersect, gpu_except and gpu_intersect_count: arrays as sets
\getenv srcdir PG_ABS_SRCDIR \set ECHO none \i :srcdir/sql/calls.psql

COPY messages FROM stdin;
gpu_union('{3,1,3}'::integer[], '{2,3}'), gpu_intersect('{3,1,3}'::integer[], '{2,3}')
gpu_except('{3,1,3}'::integer[], '{2,3}'), gpu_intersect_count('{3,1,3}'::integer[], '{2,3}')
-- The same of arrays in order.
gpu_union('{1,1,3}'::integer[], '{2,3,3,4}'), gpu_intersect('{1,1,3}'::integer[], '{2,3,3,4}')
gpu_except('{1,1,3}'::integer[], '{2,3,3,4}'), gpu_intersect_count('{1,1,3}'::integer[], '{2,3,3,4}')
-- NULL is equal to NULL, and comes last.
gpu_intersect('{NULL,2,1}'::integer[], '{1,NULL,NULL}'), gpu_intersect('{NULL,1}'::integer[], '{1}')
-- No array, and no elements.
gpu_union('{}'::integer[], '{}'), gpu_union('{}'::integer[], '{2,1,2}'), gpu_union('{1,2,2}'::integer[], '{}')
gpu_intersect('{}'::integer[], '{1}'), gpu_intersect('{1}'::integer[], '{}')
gpu_except('{}'::integer[], '{1}'), gpu_except('{2,1,2}'::integer[], '{}')
\.

-- Arrays of two types are cast to one, as by UNION; so are the arrays of gpu_bucket,
-- gpu_histogram and gpu_compact_in.
\set ECHO none
CREATE FUNCTION answer(query text) RETURNS text LANGUAGE sql AS
$$ SELECT regexp_replace(pg_temp.outcome(substr(query, 8), false), '^: (42883|42804|42846)$', 'no such call') $$;
CREATE TABLE pairs AS
SELECT format('%L::%s[]', a, t) AS a, format('%L::%s[]', b, u) AS b, t, u
FROM (VALUES ('smallint', '{3,NULL,1,2,2}'), ('integer', '{70000,3,-70001}'),
	  ('bigint', '{3,9007199254740993,2}'), ('real', '{0.1,2.5,3,NaN}'),
	  ('double precision', '{NULL,0.1,2.5,3}'), ('oid', '{3,7}'), ('date', '{2026-11-02,infinity}'),
	  ('timestamp', '{2026-11-01 12:00,2026-11-02}'), ('timestamptz', '{2026-11-01,2026-11-02}'),
	  ('time', '{12:00}'), ('boolean', '{t,f}')) AS v (t, a),
	 (VALUES ('smallint', '{5,2,3}'), ('integer', '{3,70000}'), ('bigint', '{3,9007199254740993}'),
	  ('real', '{-1.5,2.5,3}'), ('double precision', '{0.1,3}'), ('oid', '{3,70000}'),
	  ('date', '{-infinity,2026-11-01,2026-11-02}'), ('timestamp', '{2026-11-02,2026-11-02 01:00}'),
	  ('timestamptz', '{2026-11-02,infinity}'), ('time', '{12:00,13:00}'), ('boolean', '{f}')) AS w (u, b);
\set ECHO all
SELECT count(*) FILTER (WHERE answer(ours) <> 'no such call') AS answers,
	   string_agg(format('%s: %s, not %s', ours, answer(ours), answer(plain)), E'\n')
	   FILTER (WHERE answer(ours) IS DISTINCT FROM answer(plain)) AS different
FROM pairs,
	 LATERAL (SELECT format('SELECT pg_typeof(r) || r::text FROM gpu_%s(%s, %s) AS r', lower(op), a, b) AS ours,
					 format('SELECT pg_typeof(r) || r::text FROM (SELECT ARRAY(SELECT unnest(%s) %s SELECT unnest(%s)
							 ORDER BY 1) AS r) AS s', a, op, b) AS plain
			  FROM unnest('{UNION,INTERSECT,EXCEPT}'::text[]) AS op
			  UNION ALL
			  SELECT format('SELECT gpu_intersect_count(%s, %s)', a, b),
					 format('SELECT cardinality(ARRAY(SELECT unnest(%s) INTERSECT SELECT unnest(%s)))', a, b)
			  UNION ALL
			  SELECT format('SELECT gpu_bucket(%s, gpu_radix_sort(%s))', a, b),
					 format('SELECT ARRAY(SELECT width_bucket(x, gpu_radix_sort(%2$s)) FROM unnest(%1$s)
							 WITH ORDINALITY AS u (x, i) ORDER BY i)', a, b)
			  UNION ALL
			  SELECT format('SELECT gpu_reduce(gpu_histogram(%s, gpu_radix_sort(%s)), ''+'')', a, b),
					 format('SELECT count(width_bucket(x, gpu_radix_sort(%2$s))) FROM unnest(%1$s) AS x', a, b)
			  UNION ALL
			  SELECT format('SELECT cardinality(gpu_compact_in(%s, %s))', a, b),
					 format('SELECT count(*) FROM unnest(%s) AS x WHERE x = ANY (%s)', a, b)) AS calls;
-- But integers and reals become reals, where core compares as double precision.
SELECT gpu_compact_in('{1,16777217}'::integer[], '{1,16777216}'::real[]) AS ours,
	   ARRAY(SELECT x FROM unnest('{1,16777217}'::integer[]) AS x WHERE x = ANY ('{1,16777216}'::real[])) AS plain;
DROP TABLE pairs;
SELECT gpu_intersect_count('1 2'::int2vector, '1 2'::int2vector), gpu_union('2 1'::oidvector, '{3}');
DROP FUNCTION answer;

-- 42883: arrays of two types, if neither is cast to the other.
COPY sqlstates FROM stdin;
gpu_union('{1}'::integer[], '{t}'::boolean[])
\.
