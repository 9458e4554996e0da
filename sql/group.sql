-- gpu_group, gpu_group_avg, gpu_group_count: the elements of an array combined by keys
\getenv srcdir PG_ABS_SRCDIR \set ECHO none \i :srcdir/sql/calls.psql

SELECT * FROM gpu_group('{3,1,3,1,2}'::integer[], '{1,2,3,4,5}'::integer[], '+') \gx

-- Equal keys are one, as -0 and 0 are.
SELECT * FROM gpu_group('{NaN,-0,0,NaN}'::double precision[], '{1,2,3,4}'::integer[], '+');

-- NULL is a key, and the last one; NULL elements are skipped.
SELECT op, g.* FROM unnest('{+,*,min,max,&,|,#,count,first,last}'::text[]) WITH ORDINALITY AS o (op, i),
	gpu_group('{NULL,2,NULL,2,1,NULL}'::integer[], '{5,NULL,6,7,NULL,NULL}'::integer[], op) AS g
ORDER BY o.i;
-- The least and the greatest, the first and the last: of elements of every type.
SET datestyle = ISO;
SELECT * FROM gpu_group('{2,1,2,NULL}'::integer[], '{2024-02-28,-infinity,2024-02-29,infinity}'::date[], 'min');
SELECT * FROM gpu_group('{2,1,2,3}'::integer[], '{t,f,f,NULL}'::boolean[], 'first');

-- Averages: in double precision, rounded once, also where a sum is in range of no
-- integer.
SELECT * FROM gpu_group_avg('{3,1,3,1,2}'::integer[], '{1,2,3,5,NULL}'::smallint[]) \gx
SELECT * FROM gpu_group_avg('{NULL,1,NULL,1,1}'::integer[], '{2147483647,NULL,2147483646,7,-8}'::integer[]);
SELECT keys, avg, avg = ARRAY[9223372036854775806.5, -4611686018427387904.5, 9223372036854775807]::double precision[] AS same
FROM gpu_group_avg('{1,1,2,2,NULL,NULL}'::integer[], '{9223372036854775807,9223372036854775806,-1,-9223372036854775808,9223372036854775807,9223372036854775807}'::bigint[]);
SELECT avg = '{9007199254740993,-9007199254740995}' AS nearest FROM gpu_group_avg('{1,2}'::integer[], '{9007199254740993,-9007199254740995}'::bigint[]);
SELECT * FROM gpu_group_avg('{1,1,2,3,4,4}'::integer[], '{3e38,3e38,-0,NaN,infinity,-infinity}'::real[]);

-- 'count' has the type of the elements; gpu_group_count counts those of every type.
SELECT * FROM gpu_group_count('{2,1,2,1,3}'::integer[], '{2024-02-28,-infinity,2024-02-29,NULL,NULL}'::date[]) \gx
SELECT * FROM gpu_group_count('{NULL,NaN,NULL,-0,0}'::real[], '{t,f,NULL,t,NULL}'::boolean[]);
COPY messages FROM stdin;
pg_typeof(keys), pg_typeof(count) FROM gpu_group_count('{1}'::oid[], '{1}'::real[])
gpu_group_count(array_fill(1, ARRAY[40000]), array_fill(1::smallint, ARRAY[40000]))
\.

-- A row can be stored, and read again.
CREATE TYPE of_two AS (keys smallint[], "values" double precision[]);
CREATE TABLE rows AS
SELECT i, ROW(g.keys, g.values)::of_two AS r, gpu_group(k, v, '+')::text AS t
FROM generate_series(0, 9) AS i,
	 LATERAL (SELECT array_agg(n::smallint) AS k, array_agg(n::double precision) AS v
			  FROM generate_series(1, i) AS n WHERE i > 0) AS a, gpu_group(k, v, '+') AS g;
SELECT count(*), bool_and((r).keys::float8[] = (r).values AND r::text = t) AS same FROM rows;
DROP TABLE rows;
DROP TYPE of_two;

-- Sums of floats are those of gpu_reduce over the elements of a key, with -0 in
-- place of NULL; for any number of threads.
\set ECHO none
CREATE TABLE runs AS
SELECT ARRAY(SELECT CASE WHEN i % 50 > 0 OR keys > 30 THEN hashint4(i) % keys END FROM generate_series(1, 40000) AS i) AS k,
	   ARRAY(SELECT hashint4(i + 2) * 0.1::double precision FROM generate_series(1, 40000) AS i) AS f,
	   ARRAY(SELECT CASE WHEN i % 9 > 0 THEN (hashint4(i + 2) * 0.1)::real END FROM generate_series(1, 40000) AS i) AS r
FROM unnest('{1,2,30,5000}'::integer[]) AS keys;
CREATE TABLE reductions AS
SELECT k, f, r,
	   ARRAY(SELECT gpu_reduce(array_agg(y ORDER BY i), '+')
			 FROM unnest(k, f) WITH ORDINALITY AS u (x, y, i) GROUP BY x ORDER BY x) AS of_f,
	   ARRAY(SELECT CASE WHEN count(y) > 0 THEN gpu_reduce(array_agg(coalesce(y, '-0') ORDER BY i), '+') END
			 FROM unnest(k, r) WITH ORDINALITY AS u (x, y, i) GROUP BY x ORDER BY x) AS of_r
FROM runs;
CREATE FUNCTION sums_are_reductions() RETURNS boolean LANGUAGE sql AS $$
	SELECT bool_and(record_image_eq(ROW(g.values), ROW(of_f)) AND record_image_eq(ROW(h.values), ROW(of_r)))
	FROM reductions, gpu_group(k, f, '+') AS g, gpu_group(k, r, '+') AS h $$;
\set ECHO all
SELECT sums_are_reductions();
SET gpucompact.cpu_threads = 4;
SELECT sums_are_reductions();
SET gpucompact.cpu_threads = 1;
SELECT sums_are_reductions();
RESET gpucompact.cpu_threads;
DROP FUNCTION sums_are_reductions;
DROP TABLE runs, reductions;

-- 22003: a result, or one on the way to it, is out of range.
COPY messages FROM stdin;
* FROM gpu_group('{1,2,1}'::integer[], '{32767,5,1}'::smallint[], '+')
* FROM gpu_group('{1,2,1,1}'::integer[], '{2147483647,5,1,-1}'::integer[], '+')
* FROM gpu_group('{1,1}'::integer[], '{1e-30,1e-30}'::real[], '*')
gpu_group_avg('{1,1}'::integer[], '{1e308,1e308}'::double precision[])
gpu_group(array_fill(1, ARRAY[40000]), array_fill(1::smallint, ARRAY[40000]), 'count')
-- 2202E: lengths that differ.
gpu_group('{1}'::integer[], '{1,2}'::integer[], '+')
gpu_group_avg('{1}'::integer[], '{1,2}'::integer[])
gpu_group_count('{1}'::integer[], '{1,2}'::integer[])
-- 0A000: elements for which there is no such operator.
gpu_group('{1}'::integer[], '{2024-02-29}'::date[], '+')
gpu_group('{1}'::integer[], '{2024-02-29}'::date[], 'count')
gpu_group_avg('{1}'::integer[], '{2024-02-29}'::date[])
\.

-- 0A000: bits of floats.  (sql/domains.sql has domains.)
COPY sqlstates FROM stdin;
gpu_group('{1}'::integer[], '{1}'::real[], '&')
\.
