-- gpu_sum, gpu_avg, gpu_min, gpu_max, gpu_median and gpu_count: core's aggregates
-- over the elements of an array
\getenv srcdir PG_ABS_SRCDIR \set ECHO none \i :srcdir/sql/calls.psql
SET datestyle = ISO;
SET extra_float_digits = 1;
SET lc_monetary = 'C';

SELECT gpu_sum(a), gpu_avg(a), gpu_min(a), gpu_max(a), gpu_median(a), gpu_count(a)
FROM (VALUES ('{4,1,NULL,3,2}'::integer[])) AS r (a);

-- No array, no elements, and no values.
SELECT gpu_sum(a), gpu_avg(a), gpu_min(a), gpu_max(a), gpu_median(a), gpu_count(a)
FROM (VALUES (NULL::integer[]), ('{}'), ('{NULL,NULL}'), ('{7}')) AS r (a);
SELECT gpu_sum(a), gpu_avg(a), gpu_min(a), gpu_max(a), gpu_median(a), gpu_count(a)
FROM (VALUES (NULL::real[]), ('{}'), ('{NULL,NULL}'), ('{-0}')) AS r (a);

-- Sums of integers are always in range: of two integers, and of many more.
SELECT gpu_sum('{32767,32767}'::smallint[]), gpu_sum('{-32768,-32768}'::smallint[]),
	   gpu_sum('{2147483647,2147483647}'::integer[]), gpu_sum('{-2147483648,-2147483648}'::integer[]),
	   gpu_sum('{9223372036854775807,9223372036854775807}'::bigint[]),
	   gpu_sum('{-9223372036854775808,-9223372036854775808}'::bigint[]);
SELECT n, gpu_sum(array_fill(32767::smallint, ARRAY[n])) = n * 32767::bigint AS int2,
	   gpu_sum(array_fill((-2147483648)::integer, ARRAY[n])) = n * -2147483648::bigint AS int4,
	   gpu_sum(array_fill(9223372036854775807, ARRAY[n])) = n * 9223372036854775807::numeric AS int8,
	   gpu_avg(array_fill(-9223372036854775808, ARRAY[n])) AS avg, gpu_count(array_fill(1, ARRAY[n]) || NULL) = n AS count
FROM unnest('{4095,4096,4097,65535,65536,65537,262144,262145}'::integer[]) AS n;
-- Of a filter in a chain, the elements are counted, and no array is made.
SELECT gpu_count(gpu_compact(a, '>', 1)), gpu_count(gpu_compact(a)), gpu_count(gpu_compact(a, 'is null'))
FROM (SELECT array_agg(nullif(i % 5, 4) ORDER BY i) AS a FROM generate_series(1, 200000) AS i) AS r;

-- The same as core's, of numbers of any size.
SELECT setseed(0.5) \g /dev/null
CREATE TEMPORARY TABLE short AS
SELECT array_agg(CASE WHEN random() < 0.1 THEN 9223372036854775807
					  WHEN random() < 0.1 THEN -9223372036854775808
					  WHEN random() < 0.9 THEN ((random() - 0.5) * 10 ^ (id % 19))::bigint END) AS a
FROM generate_series(1, 5000) AS id, generate_series(1, 1 + id % 13)
GROUP BY id;
SELECT count(*) AS arrays,
	   count(*) FILTER (WHERE ROW(gpu_sum(a), gpu_avg(a), gpu_min(a), gpu_max(a), gpu_median(a), gpu_count(a))::text
							  <> (SELECT ROW(sum(x), avg(x), min(x), max(x), percentile_cont(0.5) WITHIN GROUP (ORDER BY x),
											 count(x))::text FROM unnest(a) AS x)) AS different
FROM short;
-- Floats: sums are those of gpu_reduce, and averages those of gpu_stats.
SELECT gpu_sum(a) = gpu_reduce(a, '+'), gpu_avg(a) = (gpu_stats(a)).avg, gpu_sum(a::real[]) = gpu_reduce(a::real[], '+'),
	   gpu_avg(a::real[]) = (gpu_stats(a::real[])).avg
FROM (SELECT array_agg(nullif(hashint4(i), 7) / 3.0::float8 ORDER BY i) AS a FROM generate_series(1, 70000) AS i) AS r;
SELECT gpu_sum(a), gpu_avg(a), gpu_min(a), gpu_max(a), gpu_median(a), gpu_count(a)
FROM (VALUES ('{1,NaN,-Infinity}'::float8[]), ('{NaN,NULL}'), ('{Infinity,-Infinity}'), ('{0,-0}'), ('{1e150,-1e150}')) AS r (a);

-- A real's sum may leave its range where the average does not.
SELECT gpu_avg('{3e38,3e38}'::real[]), gpu_avg(array_fill('-3e38'::real, ARRAY[300000]));

-- Several dimensions, lower bounds, and domains.
SELECT gpu_sum(a), gpu_avg(a), gpu_min(a), gpu_max(a), gpu_count(a)
FROM (VALUES ('{{1,2},{NULL,4}}'::integer[]), ('[-3:-1]={1,2,4}')) AS r (a);
SELECT gpu_sum('{{1,2},{NULL,4}}'::bigint[]), (gpu_stats('{{1,2},{NULL,4}}'::bigint[])).sum, gpu_median('[7:8]={1,2}'::integer[]);
CREATE DOMAIN percent AS real CHECK (VALUE BETWEEN 0 AND 100);
SELECT gpu_max('{60,70}'::percent[]), pg_typeof(gpu_max('{60,70}'::percent[])), gpu_avg('{60,70}'::percent[]),
	   gpu_median('{60,70}'::percent[]), gpu_count('{60,70}'::percent[]);

-- A column of the type anyarray itself.
CREATE TABLE numbers AS SELECT i FROM generate_series(1, 1000) AS i;
ANALYZE numbers;
SELECT gpu_avg(histogram_bounds), gpu_median(histogram_bounds), gpu_count(histogram_bounds)
FROM pg_stats WHERE tablename = 'numbers';
DROP TABLE numbers;

-- They end chains, and their arguments are evaluated once.
CREATE TEMPORARY SEQUENCE calls;
CREATE FUNCTION once(a integer[]) RETURNS integer[] LANGUAGE plpgsql AS $$ BEGIN PERFORM nextval('calls'); RETURN a; END $$;
COPY messages FROM stdin;
gpu_sum(once(a)), gpu_avg(once(a)), gpu_min(once(a)), gpu_max(once(a)), gpu_median(once(a)), gpu_count(once(a)) FROM (VALUES ('{4,1,NULL,3,2}'::integer[])) AS r (a)
last_value FROM calls
\.
DROP FUNCTION once;
CREATE TABLE long AS SELECT array_agg(nullif(hashint4(i) % 1000, 0) ORDER BY i) AS a FROM generate_series(1, 300000) AS i;
EXPLAIN (VERBOSE, COSTS OFF) SELECT gpu_sum(gpu_compact(a, '>', 0)), gpu_count(gpu_compact(a, '>', 0)) FROM long;
SELECT gpu_sum(gpu_compact(a, '>', 0)) = sum, gpu_avg(gpu_compact(a, '>', 0)) = avg, gpu_min(gpu_compact(a, '>', 0)) = min,
	   gpu_max(gpu_compact(a, '>', 0)) = max, gpu_median(gpu_compact(a, '>', 0)) = median,
	   gpu_count(gpu_compact(a, '>', 0)) = count, gpu_count(gpu_compact_nulls(a)) = count + below
FROM long, LATERAL (SELECT sum(x) FILTER (WHERE x > 0), avg(x) FILTER (WHERE x > 0), min(x) FILTER (WHERE x > 0),
						   max(x) FILTER (WHERE x > 0), count(*) FILTER (WHERE x > 0), count(*) FILTER (WHERE x < 0) AS below,
						   percentile_cont(0.5) WITHIN GROUP (ORDER BY x) FILTER (WHERE x > 0) AS median
					FROM unnest(a) AS x) AS core;
SELECT gpu_count(gpu_pack(a)::integer[]), gpu_max(gpu_pack(a)::integer[]), gpu_sum(gpu_pack(a)::integer[]) = gpu_sum(a) FROM long;
DROP TABLE long;

-- What an error says.
COPY messages FROM stdin;
gpu_sum(ARRAY[0.5, 1.5])
gpu_avg(ARRAY[0.5, 1.5])
gpu_sum('{2026-11-02}'::date[])
gpu_median('{2026-11-02}'::date[])
gpu_sum('{60,70}'::percent[])
\.

-- 22003: a sum of floats that leaves the range of its type.
COPY sqlstates FROM stdin;
gpu_sum('{3e38,3e38}'::real[])
gpu_sum(array_fill(0::float8, ARRAY[70000]) || '{1e308,1e308}'::float8[])
gpu_avg('{1e308,1e308}'::float8[])
-- 0A000: elements that are no numbers, and a vector.
gpu_avg('{t}'::boolean[])
gpu_max('1 2'::int2vector)
-- 42725 and 42804: a literal without a type; 42725: several functions for the type.
gpu_sum('{1,2}')
gpu_max('{1,2}')
\.
DROP DOMAIN percent;
CREATE DOMAIN percent AS integer CHECK (VALUE BETWEEN 0 AND 100);
\set VERBOSITY sqlstate
SELECT gpu_sum('{60,70}'::percent[]);
SELECT gpu_avg('1 2'::int2vector);
DROP DOMAIN percent;
