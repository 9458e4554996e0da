-- gpu_compact_in: the elements of an array that another one has, or has not
\getenv srcdir PG_ABS_SRCDIR \set ECHO none \i :srcdir/sql/calls.psql

COPY messages FROM stdin;
gpu_compact_in('{5,1,7,5,2}'::integer[], '{7,5,9}')
gpu_compact_in('{5,1,7,5,2}'::integer[], '{7,5,9}', negate => true)
pg_typeof(gpu_compact_in('{1}'::smallint[], '{1}')), gpu_compact_in(ARRAY[1,3,70000], '{3,5}'::smallint[])
-- SQL's NULLs: one is equal to nothing, and with one, nothing is known to be
-- different from all.
gpu_compact_in('{5,NULL,1}'::integer[], '{5,NULL}'), gpu_compact_in('{5,NULL,1}'::integer[], '{5}', true)
gpu_compact_in('{5,NULL,1}'::integer[], '{5,NULL}', true), gpu_compact_in('{5,NULL,1}'::integer[], '{NULL}')
gpu_compact_in('{5,NULL,1}'::integer[], '{NULL}', true), gpu_compact_in('{NULL}'::integer[], '{5}', true)
-- But all are different from nothing, and NULL is, too.
gpu_compact_in('{5,NULL,1}'::integer[], '{}'), gpu_compact_in('[7:9]={5,NULL,1}'::integer[], '{}', true)
gpu_compact_in('{5,1}'::integer[], '{}', true)
-- No array, and no elements.
gpu_compact_in('{}'::integer[], '{1}'), gpu_compact_in('{}'::integer[], '{}', true)
gpu_compact_in('{}'::integer[], '{NULL}', true)
-- Elements of every type.
gpu_compact_in('{-32768,0,32767}'::smallint[], '{32767,-32768}')
gpu_compact_in('{9223372036854775807,-9223372036854775808}'::bigint[], '{-9223372036854775808}', true)
gpu_compact_in('{t,f,t}'::boolean[], '{t}'), gpu_compact_in('{b,a}'::"char"[], '{a}')
gpu_compact_in('{4294967295,0}'::oid[], '{4294967295}'), gpu_compact_in('{1.25,-3}'::money[], '{-3,1}')
gpu_compact_in('{infinity,-infinity}'::date[], '{infinity}')
-- NaN is equal to NaN, and -0 to 0.
gpu_compact_in('{NaN,-0,0,1}'::float8[], '{0,NaN}'), gpu_compact_in('{NaN,-0,0,1}'::real[], '{-0}', true)
-- The result counts from 1.
gpu_compact_in('[7:9]={1,2,3}'::integer[], '[0:1]={3,1}')
\.

-- The same as SQL's, of many and of few elements, wide and narrow.
CREATE TEMPORARY TABLE arrays AS
SELECT n, width,
	   array_agg(CASE WHEN i % 10 > 0 THEN hashint4(i) % width END ORDER BY i) AS a,
	   array_agg(hashint4(i + n) % width ORDER BY i) AS b
FROM unnest(ARRAY[5, 1000, 100000]) AS n, unnest(ARRAY[300, 2000000000]) AS width,
	 generate_series(1, n) AS i
GROUP BY n, width;
SELECT count(*),
	   bool_and(gpu_compact_in(v.a, w.b) =
				ARRAY(SELECT x FROM unnest(v.a) WITH ORDINALITY AS u (x, i)
					  WHERE x IN (SELECT unnest(w.b)) ORDER BY i)) AS members,
	   bool_and(gpu_compact_in(v.a, w.b, true) =
				ARRAY(SELECT x FROM unnest(v.a) WITH ORDINALITY AS u (x, i)
					  WHERE x NOT IN (SELECT unnest(w.b)) ORDER BY i)) AS others
FROM arrays AS v, arrays AS w;

-- 0A000: several dimensions, and types that are not supported; 42883: arrays of two
-- types, if neither is cast to the other.
\set VERBOSITY sqlstate
SELECT gpu_compact_in('{{1}}'::integer[], '{1}');
SELECT gpu_compact_in('{1}'::integer[], '{{1}}');
SELECT gpu_compact_in('{a}'::text[], '{b}');
SELECT gpu_compact_in('{1}'::integer[], '{t}'::boolean[]);
