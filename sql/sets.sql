-- gpu_union, gpu_intersect, gpu_except and gpu_intersect_count: arrays as sets
\getenv srcdir PG_ABS_SRCDIR \set ECHO none \i :srcdir/sql/calls.psql

COPY messages FROM stdin;
gpu_union('{3,1,3}'::integer[], '{2,3}'), gpu_intersect('{3,1,3}'::integer[], '{2,3}')
gpu_except('{3,1,3}'::integer[], '{2,3}'), gpu_intersect_count('{3,1,3}'::integer[], '{2,3}')
pg_typeof(gpu_union('{1}'::smallint[], '{2}')), pg_typeof(gpu_intersect_count('{1}'::smallint[], '{2}'))
-- The same of arrays in order.
gpu_union('{1,1,3}'::integer[], '{2,3,3,4}'), gpu_intersect('{1,1,3}'::integer[], '{2,3,3,4}')
gpu_except('{1,1,3}'::integer[], '{2,3,3,4}'), gpu_intersect_count('{1,1,3}'::integer[], '{2,3,3,4}')
-- NULL is equal to NULL, and comes last.
gpu_union('{NULL,2,NULL}'::integer[], '{1}'), gpu_union('{1}'::integer[], '{NULL}')
gpu_union('{NULL,1}'::integer[], '{NULL,1}')
gpu_intersect('{NULL,2,1}'::integer[], '{1,NULL,NULL}'), gpu_intersect('{NULL,1}'::integer[], '{1}')
gpu_intersect('{NULL}'::integer[], '{NULL}')
gpu_except('{NULL,2,1}'::integer[], '{1,NULL}'), gpu_except('{NULL,2,1}'::integer[], '{1}')
gpu_except('{NULL}'::integer[], '{1}'), gpu_except('{1}'::integer[], '{NULL}')
gpu_intersect_count('{NULL,2,1}'::integer[], '{1,NULL,NULL}')
gpu_intersect_count('{NULL,1}'::integer[], '{1}'), gpu_intersect_count('{NULL}'::integer[], '{NULL}')
-- No array, and no elements.
gpu_union('{}'::integer[], '{}'), gpu_union('{}'::integer[], '{2,1,2}'), gpu_union('{1,2,2}'::integer[], '{}')
gpu_intersect('{}'::integer[], '{1}'), gpu_intersect('{1}'::integer[], '{}')
gpu_intersect_count('{}'::integer[], '{}')
gpu_except('{}'::integer[], '{1}'), gpu_except('{2,1,2}'::integer[], '{}')
gpu_except('{1}'::integer[], '{1}')
-- Elements of every type.
gpu_union('{-1,32767}'::smallint[], '{-32768,-1}')
gpu_intersect('{9223372036854775807,-9223372036854775808}'::bigint[], '{-9223372036854775808}')
gpu_except('{t,f}'::boolean[], '{f}'), gpu_union('{b,a}'::"char"[], '{c,a}')
gpu_union('{4294967295}'::oid[], '{1,4294967295}'), gpu_intersect('{1.25,-3}'::money[], '{-3,1}')
gpu_union('{2024-02-29,infinity}'::date[], '{-infinity,2024-02-29}')
gpu_except('{24:00,00:00}'::time[], '{00:00}')
-- NaN is greatest, and equal to NaN; -0 is equal to 0.
gpu_union('{NaN,-Infinity,1.5}'::float8[], '{Infinity,NaN}'), gpu_intersect('{NaN,1,0}'::float8[], '{-0,NaN}')
gpu_except('{0,NaN,2}'::real[], '{-0,NaN}'), gpu_intersect_count('{-0,NaN,2}'::real[], '{0,NaN}')
-- The result counts from 1.
gpu_union('[7:8]={2,1}'::integer[], '[0:0]={3}'), gpu_union('[7:8]={1,2}'::integer[], '{}')
gpu_except('[7:8]={1,2}'::integer[], '[3:3]={1}')
\.

-- The same as SQL's, of arrays in order and not, of lengths that are close and
-- far apart, with runs of equal elements, and with one that is out of its place.
CREATE TEMPORARY TABLE arrays AS
SELECT n, kind,
	   array_agg(CASE kind WHEN 'sorted' THEN i * 3 WHEN 'runs' THEN i / 1000
						   WHEN 'late' THEN i % (n - 10) WHEN 'equal' THEN 7
						   WHEN 'nulls' THEN nullif(hashint4(i) % 5000, 0)
						   ELSE hashint4(i) % 50000 END ORDER BY i) AS a
FROM unnest(ARRAY[15, 1000, 9000]) AS n,
	 unnest('{sorted,runs,late,equal,nulls,random}'::text[]) AS kind,
	 generate_series(1, n) AS i
GROUP BY n, kind;
SELECT count(*),
	   bool_and(gpu_union(v.a, w.a) =
				ARRAY(SELECT unnest(v.a) UNION SELECT unnest(w.a) ORDER BY 1)) AS "union",
	   bool_and(gpu_intersect(v.a, w.a) =
				ARRAY(SELECT unnest(v.a) INTERSECT SELECT unnest(w.a) ORDER BY 1)) AS "intersect",
	   bool_and(gpu_except(v.a, w.a) =
				ARRAY(SELECT unnest(v.a) EXCEPT SELECT unnest(w.a) ORDER BY 1)) AS "except",
	   bool_and(gpu_intersect_count(v.a, w.a) =
				cardinality(gpu_intersect(v.a, w.a))) AS intersect_count
FROM arrays AS v, arrays AS w;

-- Arrays of two types are cast to one, as by UNION; so are the arrays of gpu_bucket,
-- gpu_histogram and gpu_compact_in.
CREATE FUNCTION answer(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE query INTO result;
	RETURN result;
EXCEPTION WHEN undefined_function OR datatype_mismatch OR cannot_coerce THEN
	RETURN 'no such call';
WHEN numeric_value_out_of_range THEN
	RETURN SQLSTATE;
END $$;
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

-- 0A000: several dimensions, and types that are not supported; 42883: arrays of two
-- types, if neither is cast to the other.
\set VERBOSITY sqlstate
SELECT gpu_union('{{1}}'::integer[], '{1}');
SELECT gpu_intersect('{1}'::integer[], '{{1}}');
SELECT gpu_except('{a}'::text[], '{b}');
SELECT gpu_union('{1}'::integer[], '{t}'::boolean[]);
