-- gpu_stats: the results of core's aggregates over an array
\getenv srcdir PG_ABS_SRCDIR \set ECHO none \i :srcdir/sql/calls.psql

SELECT * FROM gpu_stats('{1,2,NULL,4}'::integer[]) \gx
SELECT * FROM gpu_stats('{1.5,NULL,2.5,NaN}'::real[]);

-- The types are those of the aggregates.
COPY messages FROM stdin;
pg_typeof(sum), pg_typeof(min), pg_typeof(max), pg_typeof(avg), pg_typeof(variance), pg_typeof(stddev) FROM gpu_stats('{1}'::smallint[])
pg_typeof(sum), pg_typeof(min), pg_typeof(max), pg_typeof(avg), pg_typeof(variance), pg_typeof(stddev) FROM gpu_stats('{1}'::bigint[])
pg_typeof(sum), pg_typeof(min), pg_typeof(max), pg_typeof(avg), pg_typeof(variance), pg_typeof(stddev) FROM gpu_stats('{1}'::real[])
-- No array, nothing; of no value only the counts are known, and of one there is
-- no variance.
gpu_stats('{}'::integer[]), gpu_stats('{}'::float8[])
gpu_stats('{NULL,NULL}'::bigint[]), gpu_stats('{NULL}'::real[])
gpu_stats('{7}'::integer[]), gpu_stats('{7}'::float8[])
-- The elements of several dimensions.
gpu_stats('{{1,2},{3,NULL}}'::integer[]), gpu_stats('{{1,2},{3,NULL}}'::float8[])
-- Equal values have no variance.
gpu_stats('{5,5,5}'::integer[]), gpu_stats('{5,5,5}'::float8[])
-- Sums of integers are exact, however large.
gpu_stats('{32767,32767,-32768}'::smallint[])
gpu_stats('{2147483647,2147483647,-2147483648}'::integer[])
\.
SELECT * FROM gpu_stats('{9223372036854775807,9223372036854775807,5}'::bigint[]);
SELECT * FROM gpu_stats('{-9223372036854775808,-9223372036854775808,5}'::bigint[]);
COPY messages FROM stdin;
sum, avg, variance, stddev FROM gpu_stats(array_fill(-9223372036854775808, ARRAY[300000]))
sum, avg, variance, stddev FROM gpu_stats(array_fill(9223372036854775807, ARRAY[300000]) || 0::bigint)
-- The standard deviation has as many digits as core's, rounded once: more digits
-- of these end in a 5 that is rounded up.
stddev FROM gpu_stats('{-1,-207,-384,437,495,98}'::integer[])
stddev(x) FROM unnest('{-1,-207,-384,437,495,98}'::integer[]) AS x
\.

-- A row has a type with a name, also at the end of a chain: a table and a view can
-- have a column of it, as those of other functions whose columns have one type.
CREATE TABLE daily AS
SELECT gpu_stats(a::smallint[]) AS int2, gpu_stats(gpu_map(a, '*', 2)) AS int4, gpu_stats(gpu_map(a, '*', 2)::bigint[]) AS int8,
	   gpu_stats(a::real[]) AS float4, gpu_stats(gpu_map(a::float8[], '*', 2)) AS float8, gpu_stats(NULL::integer[]) AS empty,
	   gpu_regr(gpu_map(a, '*', 2), a) AS regr, gpu_packed_info(gpu_pack(a)) AS info, gpu_utf8_errors('\xff') AS errors
FROM (VALUES ('{1,2,4}'::integer[])) AS r (a);
CREATE VIEW days AS SELECT (int4).max, int4, (errors).*, int4 = int2::text::gpu_integer_stats AS same FROM daily;
SELECT attname, atttypid::regtype FROM pg_attribute WHERE attrelid = 'daily'::regclass AND attnum > 0 ORDER BY attnum;
SELECT * FROM days;
SELECT (int8).sum, (regr).slope, (info).elements, empty IS NULL FROM daily;
DROP VIEW days;
DROP TABLE daily;

-- A type that was altered is refused: nobody would fill its other columns.
BEGIN;
ALTER TYPE gpu_integer_stats ADD ATTRIBUTE more text;
ALTER TYPE gpu_integer_counts ADD ATTRIBUTE more text;
ALTER TYPE gpu_regression ADD ATTRIBUTE more text;
ALTER TYPE gpu_packed_properties ADD ATTRIBUTE more text;
ALTER TYPE gpu_utf8_error ADD ATTRIBUTE more text;
COPY messages FROM stdin;
gpu_stats('{1,2}'::integer[])
gpu_stats(gpu_map('{1,2}'::integer[], '*', 2))
gpu_distinct_counts_agg(i) FROM generate_series(1, 3) AS i
gpu_regr('{1,2}'::integer[], '{1,2}'::integer[])
gpu_packed_info(gpu_pack('{1,2}'::integer[]))
gpu_utf8_errors('\\xff')
\.
ROLLBACK;
-- So is one whose columns are of other types.
BEGIN;
ALTER TYPE gpu_integer_stats ALTER ATTRIBUTE count TYPE text;
ALTER TYPE gpu_integer_counts ALTER ATTRIBUTE counts TYPE integer;
ALTER TYPE gpu_regression ALTER ATTRIBUTE r2 TYPE numeric;
ALTER TYPE gpu_packed_properties ALTER ATTRIBUTE bits_per_element TYPE text;
ALTER TYPE gpu_utf8_error ALTER ATTRIBUTE length TYPE text;
COPY messages FROM stdin;
gpu_stats('{1,2}'::integer[])
gpu_distinct_counts_agg(i) FROM generate_series(1, 3) AS i
gpu_regr('{1,2}'::integer[], '{1,2}'::integer[])
gpu_packed_info(gpu_pack('{1,2}'::integer[]))
gpu_utf8_errors('\\xff')
\.
ROLLBACK;

-- That is what core's aggregates are, for numbers of any size.
\set ECHO none
CREATE FUNCTION core_stats(a anyarray) RETURNS text LANGUAGE sql PARALLEL SAFE AS $$
	SELECT ROW(count(x), count(*) - count(x), sum(x), min(x), max(x), avg(x),
			   variance(x), stddev(x))::text
	FROM unnest(a) AS x
$$;
SELECT setseed(0.5) \g /dev/null
CREATE TABLE short AS
SELECT array_agg(CASE WHEN random() < 0.1 THEN 9223372036854775807
					  WHEN random() < 0.1 THEN -9223372036854775808
					  ELSE ((random() - 0.5) * 10 ^ (id % 19))::bigint END) AS a
FROM generate_series(1, 5000) AS id, generate_series(1, 1 + id % 13)
GROUP BY id;
\set ECHO all
COPY messages FROM stdin;
count(*) AS arrays, count(*) FILTER (WHERE gpu_stats(a)::text <> core_stats(a)) AS different FROM short
\.
DROP TABLE short;

-- Sums of floats are those of gpu_reduce; averages and variances differ from core's
-- by no more than rounding errors do.
SELECT s.sum = gpu_reduce(a, '+') AS sum, s.min = gpu_reduce(a, 'min') AS min, s.max = gpu_reduce(a, 'max') AS max,
	   abs(s.avg - core.avg) < 1e-13 AS avg, abs(s.variance / core.variance - 1) < 1e-13 AS variance,
	   abs(s.stddev / core.stddev - 1) < 1e-13 AS stddev
FROM (SELECT array_agg(random()) AS a FROM generate_series(1, 100000)) AS arrays,
	 gpu_stats(a) AS s,
	 LATERAL (SELECT avg(x), variance(x), stddev(x) FROM unnest(a) AS x) AS core;
-- Numbers that are large compared with their differences lose no digits of these.
COPY sqlstates FROM stdin;
avg, variance, stddev FROM gpu_stats(ARRAY(SELECT 1e12::float8 + i % 2 FROM generate_series(1, 10000) AS i))
-- Infinities, NaNs and zeros.
gpu_stats('{1,Infinity,2}'::float8[]), gpu_stats('{Infinity,-Infinity}'::float8[])
gpu_stats('{NaN,-Infinity}'::real[]), gpu_stats('{NaN}'::float8[])
gpu_stats('{-0}'::float8[]), gpu_stats('{0,-0}'::real[])
-- 22003: a sum of floats that overflows, in their own type; or one of squares.
gpu_stats('{3e38,3e38}'::real[])
gpu_stats('{1e308,1e308}'::float8[])
gpu_stats('{1e200,-1e200}'::float8[])
variance FROM gpu_stats('{3e38,-3e38}'::real[])
-- 0A000: numeric; 42725: several functions for the type.
gpu_stats('{1}'::numeric[])
gpu_stats('1 2'::int2vector)
\.
DROP FUNCTION core_stats;
