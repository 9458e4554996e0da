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
\.

-- Infinite times are bins of their own.
SELECT at, count FROM gpu_resample('{-infinity,-infinity,4713-01-01 00:00:00 BC,294276-12-31 23:59:59.999999,infinity,infinity}'::timestamp[],
								   '{1,2,3,4,5,6}'::integer[], '30 days');
SELECT at, count FROM gpu_resample('{-infinity,infinity}'::timestamptz[], '{1,2}'::integer[], '1 microsecond');

-- As plain SQL, for arrays of any length, however often the pieces of an array cut
-- its bins, and for any number of threads.
CREATE TABLE series AS
SELECT n, array_agg(CASE WHEN n % 5 > 0 OR i % 7 > 0 THEN i * i / 3000 END ORDER BY i) AS at,
	   array_agg(CASE WHEN n % 3 > 0 OR i % 11 > 0 THEN hashint8(i) END ORDER BY i) AS v,
	   array_agg((hashint8(i) % 100000)::double precision / 64 ORDER BY i) AS f
FROM unnest('{1,2,3,64,4095,4096,4097,8195,65535,65536,65537,100000}'::integer[]) AS n, generate_series(1, n::bigint) AS i GROUP BY n;
CREATE TABLE plain AS
SELECT n, stride, ints.*, floats.*
FROM series, unnest('{1,100,100000,10000000}'::bigint[]) AS stride,
	-- Of i and x in one number, the least has the first x.  Sums and quotients are exact.
	LATERAL (SELECT coalesce(array_agg(b ORDER BY b), '{}') AS at, coalesce(array_agg(n ORDER BY b), '{}') AS count,
					coalesce(array_agg(((ends[1] & 4294967295) - 2147483648)::integer ORDER BY b), '{}') AS first,
					coalesce(array_agg(least ORDER BY b), '{}') AS least, coalesce(array_agg(greatest ORDER BY b), '{}') AS greatest,
					coalesce(array_agg(((ends[2] & 4294967295) - 2147483648)::integer ORDER BY b), '{}') AS last,
					coalesce(array_agg(mean ORDER BY b), '{}') AS mean
			 FROM (SELECT (t + 10 * stride - 5) / stride * stride - 10 * stride + 5 AS b, count(x) AS n,
						  ARRAY[min(i << 32 | x + 2147483648), max(i << 32 | x + 2147483648)] AS ends,
						  min(x) AS least, max(x) AS greatest, sum(x)::double precision / count(x) AS mean
				   FROM unnest(series.at, v) WITH ORDINALITY AS u (t, x, i)
				   WHERE t IS NOT NULL AND x IS NOT NULL GROUP BY 1) AS bins) AS ints,
	LATERAL (SELECT array_agg(n ORDER BY b) AS fcount, array_agg(mean ORDER BY b) AS fmean
			 FROM (SELECT (t + 10 * stride - 5) / stride AS b, count(x) AS n, avg(x) AS mean
				   FROM unnest(series.at, f) AS u (t, x) WHERE t IS NOT NULL GROUP BY 1) AS bins) AS floats;
CREATE FUNCTION differing(width bigint) RETURNS bigint LANGUAGE sql AS $$
	SELECT count(*) FROM series JOIN plain USING (n), gpu_resample(series.at, v, stride, 5) AS r, gpu_resample(series.at, f, stride, 5) AS s
	WHERE stride = width AND
		(ROW(r.*) IS DISTINCT FROM ROW(plain.at::bigint[], plain.count, plain.first, plain.least, plain.greatest, plain.last, plain.mean) OR
		 s.count IS DISTINCT FROM fcount OR s.avg IS DISTINCT FROM fmean) $$;
SELECT differing(1), differing(100), differing(100000), differing(10000000);
SET gpucompact.cpu_threads = 1;
SELECT differing(100), differing(10000000);
RESET gpucompact.cpu_threads;
SET gpucompact.engine = cpu;
SET gpucompact.algorithm = parallel;
SET gpucompact.cpu_threads = 4;
SELECT differing(100), differing(100000);
RESET gpucompact.cpu_threads;
RESET gpucompact.algorithm;
RESET gpucompact.engine;
DROP FUNCTION differing;
DROP TABLE plain;

-- In chains, with packed arrays.
EXPLAIN (VERBOSE, COSTS OFF)
SELECT gpu_resample(gpu_prefix_sum(at), gpu_map(v, '-'), 10) FROM series;
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

-- 22023: an array in another order, wherever it descends.
SELECT gpu_resample('{1,3,2}'::integer[], '{1,2,3}'::real[], 10);
SELECT gpu_resample('{2026-01-02,2026-01-01}'::timestamp[], '{1,2}'::real[], '1 hour');
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
gpu_resample('{{1}}'::integer[], '{1}'::real[], 10)
gpu_resample('{1}'::integer[], '{{1}}'::real[], 10)
\.
