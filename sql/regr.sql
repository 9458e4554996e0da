-- gpu_regr: core's regression aggregates over the pairs of two arrays
\getenv srcdir PG_ABS_SRCDIR \set ECHO none \i :srcdir/sql/calls.psql

SELECT * FROM gpu_regr('{3,5,NULL,9}'::integer[], '{1,2,3,4}'::integer[]);
SELECT * FROM gpu_regr('{3,5,8,9}'::real[], '{1,2,3,4}'::bigint[]) \gx
SELECT * FROM gpu_regr(ARRAY[3,5,8,9], ARRAY[1,2,3,4]);

-- What core's aggregates return.
CREATE FUNCTION core_regr(y anyarray, x anycompatiblearray, OUT count bigint, OUT corr float8, OUT covar_samp float8,
						  OUT slope float8, OUT intercept float8, OUT r2 float8) LANGUAGE sql AS $$
	SELECT regr_count(b, a), corr(b, a), covar_samp(b, a), regr_slope(b, a), regr_intercept(b, a), regr_r2(b, a)
	FROM unnest(y, x) AS u (b, a)
$$;
SELECT * FROM core_regr('{3,5,8,9}'::real[], '{1,2,3,4}'::bigint[]);

-- No array; no pair, one pair, two; equal numbers.
SELECT n, gpu_regr(y, x), core_regr(y, x)
FROM (VALUES (1, '{}'::float8[], '{}'::float8[]), (2, '{NULL,1}', '{1,NULL}'), (3, '{7}', '{5}'), (4, '{7,8}', '{5,7}'),
			 (5, '{7,7}', '{5,7}'), (6, '{7,8}', '{5,5}'), (7, '{7,7}', '{5,5}'), (8, '{1,2,NULL,4}', '{2,4,6,8}'))
	 AS v (n, y, x)
ORDER BY n;

-- Of equal numbers whose sums have rounding errors, too, the variance is zero.
SELECT * FROM gpu_regr(ARRAY(SELECT i FROM generate_series(1, 1000) AS i), array_fill(0.1::float8, ARRAY[1000]));
SELECT * FROM gpu_regr(array_fill(0.1::real, ARRAY[100000]), ARRAY(SELECT i FROM generate_series(1, 100000) AS i));

-- Infinities and NaNs.
SELECT n, gpu_regr(y, x)::text = core_regr(y, x)::text AS as_core, gpu_regr(y, x)
FROM (VALUES (1, '{NaN,1,2}'::float8[], '{1,2,3}'::float8[]), (2, '{1,2,3}', '{1,NaN,2}'), (3, '{1,2,3}', '{1,Infinity,2}'),
			 (4, '{Infinity,2,3}', '{1,1,2}'), (5, '{1,1,1}', '{Infinity,1,2}'), (6, '{Infinity,1,2}', '{1,1,1}'),
			 (7, '{Infinity}', '{1}'), (8, '{1}', '{NaN}'), (9, '{Infinity,Infinity}', '{-Infinity,-Infinity}'),
			 (10, '{Infinity,-Infinity}', '{1,2}'), (11, '{NaN,NaN}', '{1,1}'))
	 AS v (n, y, x)
ORDER BY n;

-- Its results differ from core's by no more than rounding errors do.
\set ECHO none
CREATE FUNCTION near(a float8, b float8) RETURNS boolean LANGUAGE sql AS
	'SELECT a IS NOT DISTINCT FROM b OR abs(a - b) <= 1e-11 * greatest(abs(a), abs(b), 10)';
SELECT setseed(0.5) \g /dev/null
CREATE TABLE arrays AS
SELECT id, array_agg(CASE WHEN random() < 0.95 THEN x * id + random() END) AS y, array_agg(CASE WHEN random() < 0.95 THEN x END) AS x
FROM generate_series(1, 40) AS id, LATERAL (SELECT random() * 100 + 3 AS x FROM generate_series(1, 2 + id * id * 10)) AS numbers
GROUP BY id;
CREATE VIEW compared AS
SELECT id, type, g.count = c.count AS count, near(g.corr, c.corr) AS corr, near(g.covar_samp, c.covar_samp) AS covar_samp,
	   near(g.slope, c.slope) AS slope, near(g.intercept, c.intercept) AS intercept, near(g.r2, c.r2) AS r2
FROM (SELECT id, 'float8' AS type, y, x FROM arrays UNION ALL
	  SELECT id, 'real', y::real[]::float8[], x::real[]::float8[] FROM arrays) AS a,
	 gpu_regr(y, x) AS g, core_regr(y, x) AS c;
\set ECHO all
SELECT type, count(*) AS arrays, bool_and(count) AS count, bool_and(corr) AS corr, bool_and(covar_samp) AS covar_samp,
	   bool_and(slope) AS slope, bool_and(intercept) AS intercept, bool_and(r2) AS r2
FROM compared GROUP BY type ORDER BY type;

-- Numbers of each type are those numbers in double precision.
SELECT count(*) AS arrays,
	   bool_and(gpu_regr(y::smallint[], x::bigint[]) = gpu_regr(y::smallint[]::float8[], x::bigint[]::float8[])) AS smallint_bigint,
	   bool_and(gpu_regr(y::integer[], x::smallint[]) = gpu_regr(y::integer[]::float8[], x::smallint[]::float8[])) AS integer_smallint,
	   bool_and(gpu_regr(y::bigint[], x::real[]) = gpu_regr(y::bigint[]::float8[], x::real[]::float8[])) AS bigint_real,
	   bool_and(gpu_regr(y::real[], x::integer[]) = gpu_regr(y::real[]::float8[], x::integer[]::float8[])) AS real_integer
FROM arrays;
SELECT gpu_regr('{9007199254740993,9007199254740995,9007199254740997}'::bigint[], '{1,2,3}'::integer[]) =
	   gpu_regr('{9007199254740992,9007199254740996,9007199254740996}'::float8[], '{1,2,3}'::integer[]) AS rounded;

-- The sums are those of gpu_stats.
SELECT count(*) AS arrays, count(*) FILTER (WHERE r.covar_samp IS DISTINCT FROM s.variance) AS different
FROM arrays, gpu_regr(x, x) AS r, gpu_stats(x) AS s;
DROP VIEW compared;
DROP TABLE arrays;

-- Numbers that are large compared with their differences lose no digits of these.
SELECT count, round(corr::numeric, 6) AS corr, round(covar_samp::numeric, 6) AS covar_samp, round(slope::numeric, 6) AS slope
FROM (SELECT ARRAY(SELECT 1e12::float8 + 2 * (i % 3) FROM generate_series(1, 9999) AS i) AS y,
			 ARRAY(SELECT 1e11::float8 + i % 3 FROM generate_series(1, 9999) AS i) AS x) AS a, gpu_regr(y, x) AS r;

-- Any lower bound; stored in any way.
SELECT * FROM gpu_regr('[0:2]={1,3,5}'::integer[], '[5:7]={1,2,3}'::integer[]);
CREATE TABLE stored (y real[], x bigint[], y_plain real[], x_nulls bigint[]);
ALTER TABLE stored ALTER y SET STORAGE EXTERNAL, ALTER x SET STORAGE EXTERNAL, ALTER x_nulls SET STORAGE EXTERNAL;
INSERT INTO stored
SELECT array_agg(i % 1000), array_agg(i % 77), array_agg(i % 1000), array_agg(nullif(i % 77, 5))
FROM generate_series(1, 200000) AS i;
SELECT gpu_regr(y_plain, x) = r AS compressed, gpu_regr(y || '{}', x || '{}') = r AS in_memory,
	   gpu_regr(y, x_nulls) = gpu_regr(y_plain || '{}', x_nulls || '{}') AS nulls, (r).count, (gpu_regr(y, x_nulls)).count AS count_nulls
FROM stored, LATERAL (SELECT gpu_regr(y, x) AS r) AS s;
DROP TABLE stored;

-- It ends a chain.
CREATE TABLE runs (y integer[], x real[]);
INSERT INTO runs VALUES ('{3,5,9,9}', '{1,2,3,4}');
EXPLAIN (VERBOSE, COSTS OFF) SELECT r.* FROM runs, gpu_regr(gpu_delta(y), gpu_map(x, '*', 2)) AS r;
SELECT r.* FROM runs, gpu_regr(gpu_delta(y), gpu_map(x, '*', 2)) AS r;
SELECT r.* FROM runs, gpu_regr(gpu_delta(y)::float8[], x) AS r;
DROP TABLE runs;

-- 22003: a sum that overflows, or one of squares.
COPY messages FROM stdin;
gpu_regr('{1e308,1e308}'::float8[], '{1,2}'::float8[])
gpu_regr('{1,2}'::float8[], '{1e200,-1e200}'::float8[])
gpu_regr('{NULL,1}'::float8[], '{1e308,1e308}'::float8[]) AS null_pair
gpu_regr('{3e38,-3e38}'::real[], '{1,2}'::real[]) AS real
-- 2202E: other lengths; 0A000: elements that are no numbers.
gpu_regr('{1,2}'::integer[], '{1}'::real[])
gpu_regr('{2024-02-29}'::date[], '{1}'::integer[])
gpu_regr('1 2'::int2vector, '{1,2}'::integer[])
-- A domain counts as its type: no result is of the domain.
CREATE DOMAIN percent AS integer CHECK (VALUE BETWEEN 0 AND 100)
gpu_regr('{60,70}'::percent[], '{1,2}'::integer[])
\.
DROP DOMAIN percent;
DROP FUNCTION core_regr, near;
