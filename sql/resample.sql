-- gpu_resample: a series of numbers, summarized in bins of equal width
\getenv srcdir PG_ABS_SRCDIR \set ECHO none \i :srcdir/sql/calls.psql
SET datestyle = ISO;
SET timezone = 'Asia/Kolkata';

SELECT * FROM gpu_resample('{2026-01-01 00:05,2026-01-01 00:55,2026-01-01 01:00,2026-01-01 03:59:59.999999}'::timestamp[],
						   '{4,2,7,-1}'::integer[], '1 hour') \gx
SELECT * FROM gpu_resample('{1,2,3,10,11,29,30}'::integer[], '{1,NaN,-0,0,5,-Infinity,2}'::double precision[], 10) \gx

-- The origin: bins of times begin at midnight of UTC, or of no time zone.
COPY messages FROM stdin;
at, count FROM gpu_resample('{2026-01-01 03:00+05:30,2026-01-01 05:29+05:30,2026-01-01 05:30+05:30}'::timestamptz[], '{1,2,3}'::smallint[], '1 day')
at, count FROM gpu_resample('{2026-01-01 03:00+05:30,2026-01-01 05:29+05:30,2026-01-01 05:30+05:30}'::timestamptz[], '{1,2,3}'::smallint[], '1 day', '2026-01-01 00:00+05:30')
at, count FROM gpu_resample('{1999-12-31 23:00,1999-12-31 23:59,2000-01-01}'::timestamp[], '{1,2,3}'::bigint[], interval '2 hours', '2030-01-01 01:00')
at, count FROM gpu_resample('{-11,-10,-1,0,9}'::bigint[], '{1,2,3,4,5}'::real[], 10)
at, count FROM gpu_resample('{-11,-10,-1,0,9}'::bigint[], '{1,2,3,4,5}'::real[], stride => 10, origin => -3)
at, count FROM gpu_resample('{-7,3,13}'::integer[], '{1,2,3}'::real[], 10, 2147483647)
\.

-- NULLs count for nothing, wherever they are.
SELECT * FROM gpu_resample('{NULL,1,NULL,5,11,NULL,25,26,NULL}'::integer[], '{1,2,3,NULL,NULL,6,NULL,8,9}'::integer[], 10);
SELECT * FROM gpu_resample('{NULL,1}'::integer[], '{1,NULL}'::integer[], 10);
COPY messages FROM stdin;
gpu_resample('{}'::integer[], '{}'::real[], 10), gpu_resample('{}'::timestamp[], '{}'::real[], '1 hour')
gpu_resample('[3:4]={1,2}'::integer[], '[0:1]={3,4}'::integer[], 10)
-- Every type of numbers, with extremes.
r.*, pg_typeof(r.first), pg_typeof(r.avg) FROM gpu_resample('{1,2,11}'::bigint[], '{32767,-32768,7}'::smallint[], 10) AS r
r.*, pg_typeof(r.first) FROM gpu_resample('{1,2,11}'::bigint[], '{2147483647,2147483647,-2147483648}'::integer[], 10) AS r
r.*, pg_typeof(r.first) FROM gpu_resample('{1,2,11,12}'::bigint[], '{9223372036854775807,9223372036854775805,-9223372036854775808,-1}'::bigint[], 10) AS r
r.*, pg_typeof(r.first) FROM gpu_resample('{1,2,11,12,21,22}'::bigint[], '{3e38,3e38,-0,-0,NaN,1}'::real[], 10) AS r
r.* FROM gpu_resample('{1,2,11,12}'::bigint[], '{1e308,Infinity,Infinity,-Infinity}'::double precision[], 10) AS r
pg_typeof(at), at, count FROM gpu_resample('{9223372036854775800,9223372036854775807}'::bigint[], '{1,2}'::integer[], 9223372036854775807)
-- Infinite times are bins of their own.
at, count FROM gpu_resample('{-infinity,-infinity,4713-01-01 00:00:00 BC,294276-12-31 23:59:59.999999,infinity,infinity}'::timestamp[], '{1,2,3,4,5,6}'::integer[], '30 days')
at, count FROM gpu_resample('{-infinity,infinity}'::timestamptz[], '{1,2}'::integer[], '1 microsecond')
\.

CREATE TABLE series AS
SELECT n, array_agg(i * i / 3000 ORDER BY i) AS at, array_agg(hashint8(i) ORDER BY i) AS v
FROM unnest('{1,64,4097,65537}'::integer[]) AS n, generate_series(1, n::bigint) AS i GROUP BY n;

-- In chains, with packed arrays.
EXPLAIN (VERBOSE, COSTS OFF) SELECT gpu_resample(gpu_prefix_sum(at), gpu_map(v, '-'), 10) FROM series;
SELECT count(*) FROM series,
	gpu_resample(gpu_pack(series.at)::bigint[], gpu_pack(v)::integer[], 100) AS r, gpu_resample(series.at, v, 100) AS s WHERE r = s;
DROP TABLE series;

-- A row can be stored, and read again.
CREATE TYPE resampled AS (at integer[], count bigint[], first smallint[], min smallint[], max smallint[], last smallint[], avg double precision[]);
CREATE TABLE rows AS
SELECT ROW(r.*)::resampled AS r, r::text AS t FROM gpu_resample('{1,2,11}'::integer[], '{1,2,3}'::smallint[], 10) AS r;
SELECT (r).*, r::text = t AS same FROM rows;
DROP TABLE rows;
DROP TYPE resampled;

-- The first and the last element are as far apart as can be.
SELECT gpu_resample('{-9223372036854775808,-2,-1,1,2,9223372036854775807}'::bigint[], '{1,2,3,4,5,6}'::integer[], 1) \gx
SELECT gpu_resample('{-infinity,2000-01-01,2000-01-02,2000-01-03,2000-01-04,infinity}'::timestamp[], '{1,2,3,4,5,6}'::integer[], '1 us') \gx

-- It descends only where the other array has a NULL, which hides how far apart all are.
SELECT cardinality((r).at), (r).last[500] FROM (
	SELECT gpu_resample(array_agg(i % 1000 ORDER BY i), array_agg(CASE WHEN i < 900 THEN i END ORDER BY i), 1) AS r
	FROM generate_series(0, 1010) AS i) AS s;

-- 22023: an array in another order, wherever it descends.
COPY messages FROM stdin;
gpu_resample('{1,3,2}'::integer[], '{1,2,3}'::real[], 10)
gpu_resample('{2026-01-02,2026-01-01}'::timestamp[], '{1,2}'::real[], '1 hour')
\.
\set VERBOSITY sqlstate
SELECT gpu_resample(array_agg(CASE WHEN i = 65537 THEN 0 ELSE i END ORDER BY i), array_agg(i ORDER BY i), 10) FROM generate_series(1, 100000) AS i;

-- 22008 and 22003: a bin that begins out of range; an average of floats.
\set VERBOSITY default
COPY messages FROM stdin;
gpu_resample('{4714-11-24 00:00:00 BC}'::timestamp[], '{1}'::real[], '7 days')
gpu_resample('{-2147483647,1}'::integer[], '{1,2}'::real[], 10, 1)
gpu_resample('{-9223372036854775807}'::bigint[], '{1}'::real[], 10)
gpu_resample('{1,2,11}'::integer[], '{1e308,1e308,1}'::double precision[], 10)
gpu_resample('{1,2,11}'::integer[], '{1e308,1e308,1}'::double precision[], 2)
-- Strides and origins that core refuses, too; 22023 for numbers.
gpu_resample('{}'::timestamp[], '{}'::real[], '1 month')
gpu_resample('{}'::timestamp[], '{}'::real[], '0')
gpu_resample('{}'::timestamptz[], '{}'::real[], '-1 hour')
gpu_resample('{}'::timestamp[], '{}'::real[], '2000000000 days')
gpu_resample('{}'::timestamp[], '{}'::real[], '1 hour', 'infinity')
gpu_resample('{}'::integer[], '{}'::real[], 0)
-- 2202E: lengths that differ; 0A000: elements that are no numbers, several dimensions.
gpu_resample('{1,2}'::integer[], '{1}'::real[], 10)
gpu_resample('{1}'::integer[], '{t}'::boolean[], 10)
\.
