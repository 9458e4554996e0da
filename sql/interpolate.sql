-- gpu_interpolate: linear interpolation between the points of a series
\getenv srcdir PG_ABS_SRCDIR \set ECHO none \i :srcdir/sql/calls.psql
SET DateStyle = ISO;

COPY messages FROM stdin;
gpu_interpolate('{1,3,7}'::integer[], '{10,20,0}'::integer[], '{0,1,2,3,4,5,6,7,8}'::integer[])
gpu_interpolate(x => '{1,3,7}'::integer[], y => '{10,20,0}'::integer[], at => '{2,4}')
gpu_interpolate(ARRAY[1,3,7], ARRAY[10,20,0], '{2,4}', NULL), gpu_interpolate(ARRAY[1,3,7], ARRAY[10,20,0], '{2,4}', '3')
-- x and at are brought to one type; y is of any type of numbers; the result is
-- of double precision.
gpu_interpolate('{1,3,7}'::integer[], '{10,20,0}'::smallint[], '{1.5,6.5}'::double precision[])
gpu_interpolate('{1,3,7}'::bigint[], '{10,20,0}'::bigint[], '{2,4}'::integer[])
gpu_interpolate('{1,3,7}'::smallint[], '{0.1,0.7,1e30}'::real[], '{2,3,4}'::smallint[])
gpu_interpolate('{1,3,7}'::real[], '{10,20,0}'::double precision[], '{1.1,3}'::real[])
\.

-- The formula: a quotient of exact differences, a product and a sum.
SELECT gpu_interpolate(ARRAY[x1, x2], ARRAY[y1, y2], ARRAY[at]) = ARRAY[y1 + (y2 - y1) * ((at - x1) / (x2 - x1))] AS same
FROM (VALUES (0.1::float8, 0.7::float8, 0.3::float8, 1.3::float8, 2.9::float8), (-1e300, 1e-300, 0, 1e17, 1e17 + 16), (1, 3, 2, 0.1, 0.1))
	 AS v (x1, x2, at, y1, y2);
COPY messages FROM stdin;
gpu_interpolate('{-9223372036854775808,9223372036854775807}'::bigint[], '{0,1}'::integer[], '{-1,0,9223372036854775806}'::bigint[])
gpu_interpolate('{9223372036854775800,9223372036854775804}'::bigint[], '{0,1}'::integer[], '{9223372036854775801}'::bigint[])
-- A flat series stays flat, and an x has exactly its y.
gpu_interpolate('{0,0.3}'::float8[], '{0.1,0.1}'::float8[], '{0.1,0.2,0.3}'::float8[])
-- Of equal x, the last one counts, on either side.
gpu_interpolate('{1,1,3,3,3,4}'::integer[], '{1,2,3,4,5,6}'::integer[], '{0,1,2,3,4}'::integer[])
gpu_interpolate('{2,2,2}'::integer[], '{1,2,NULL}'::integer[], '{1,2,3}'::integer[])
-- NULL in y: where it is needed.  NULL in at: NULL.
gpu_interpolate('{1,3,5,7}'::integer[], '{1,NULL,5,7}'::integer[], '{1,2,3,4,5,6,7}'::integer[])
gpu_interpolate('{1,3}'::integer[], '{1,3}'::integer[], '{NULL,2,NULL,1}'::integer[])
gpu_interpolate('{1}'::integer[], '{NULL}'::integer[], '{1}'::integer[])
pg_column_size(gpu_interpolate('{1,3}'::integer[], '{1,3}'::integer[], '{1,2}'::integer[])) AS without_bitmap
\.

-- Gaps.
SELECT gap, gpu_interpolate('{1,3,7}'::integer[], '{10,20,0}'::integer[], '{1,2,3,4,7}'::integer[], gap)
FROM unnest('{NULL,-1,0,1.99,2,3.5,4,Infinity,NaN}'::double precision[]) AS gap;
COPY messages FROM stdin;
gpu_interpolate('{1,3,7}'::integer[], '{10,20,0}'::integer[], '{2,4}'::integer[], max_gap => 3)
gpu_interpolate('{1,3,7}'::integer[], '{10,20,0}'::integer[], '{2,4}'::integer[], 3.5)
gpu_interpolate('{1,3,7}'::integer[], '{10,20,0}'::integer[], '{2,4}'::integer[], 3::bigint)
gpu_interpolate('{1,3,7}'::real[], '{10,20,0}'::integer[], '{2,4}'::real[], '3')
-- Dates, times, and others that have differences.
gpu_interpolate('{2026-11-01 10:00,2026-11-01 11:00,2026-11-01 14:00}'::timestamp[], '{1,2,5}'::integer[], '{2026-11-01 10:15,2026-11-01 12:00}')
gpu_interpolate('{2026-11-01 10:00,2026-11-01 11:00,2026-11-01 14:00}'::timestamp[], '{1,2,5}'::integer[], '{2026-11-01 10:15,2026-11-01 12:00}', interval '1 hour')
gpu_interpolate('{2026-11-01 10:00+00,2026-11-01 11:00+00}'::timestamptz[], '{1,2}'::integer[], '{2026-11-01 10:15+00}', max_gap => interval '59 minutes')
gpu_interpolate('{2026-11-01 10:00+00,2026-11-01 11:00+00}'::timestamptz[], '{1,2}'::integer[], '{2026-11-01 10:15+00}', interval '1 day' - interval '23 hours')
gpu_interpolate('{2026-11-01 10:00+00,2026-11-01 11:00+00}'::timestamptz[], '{1,2}'::integer[], '{2026-11-01 10:15+00}', '59 minutes')
gpu_interpolate('{10:00,11:00}'::time[], '{1,2}'::integer[], '{10:15}', max_gap => '1:00')
gpu_interpolate('{2026-11-01,2026-12-01}'::timestamp[], '{1,2}'::integer[], '{2026-11-02}', interval '1 month')
gpu_interpolate('{2026-11-01,2026-12-02}'::timestamp[], '{1,2}'::integer[], '{2026-11-02}', interval '1 month')
gpu_interpolate('{2026-11-01,2026-11-03,2026-11-30}'::date[], '{1,2,5}'::integer[], '{2026-11-02,2026-11-05}'::date[])
gpu_interpolate('{2026-11-01,2026-11-03,2026-11-30}'::date[], '{1,2,5}'::integer[], '{2026-11-02,2026-11-05}'::date[], 2)
gpu_interpolate('{2026-11-01,2026-11-03}'::date[], '{1,2}'::integer[], '{2026-11-01 12:00}'::timestamp[])
gpu_interpolate('{10:00,11:00}'::time[], '{1,2}'::integer[], '{10:30}'::time[], interval '1 hour')
gpu_interpolate('{-1.00,3.00}'::money[], '{0,2}'::integer[], '{1.00}'::money[], 4.00::money)
\.
CREATE DOMAIN tiny AS integer CHECK (VALUE < 10);
SELECT gpu_interpolate('{1,3}'::tiny[], '{1,3}'::tiny[], '{2}'::tiny[]), gpu_interpolate('{1,3}'::tiny[], '{1,3}'::tiny[], '{2}'::integer[]);
DROP DOMAIN tiny;

-- Floats: NaN is the greatest x; infinities as the formula has them.
COPY messages FROM stdin;
gpu_interpolate('{1,3,NaN,NaN}'::float8[], '{1,3,5,6}'::integer[], '{2,3,4,Infinity,NaN}'::float8[])
gpu_interpolate('{1,3,NaN}'::float8[], '{1,3,5}'::integer[], '{2,4}'::float8[], 'Infinity')
gpu_interpolate('{1,3}'::float8[], '{1,3}'::integer[], '{NaN}'::float8[])
gpu_interpolate('{-Infinity,1,Infinity}'::float8[], '{1,3,5}'::integer[], '{-Infinity,0,1,2,Infinity}'::float8[])
gpu_interpolate('{-0,1}'::float8[], '{1,3}'::integer[], '{0,-0}'::float8[])
gpu_interpolate('{1,3,5,7}'::integer[], '{1,Infinity,-Infinity,NaN}'::float8[], '{1,2,3,4,5,6,7}'::integer[])
-- No array, no element, no point; one point.
gpu_interpolate('{1,2}'::integer[], '{1,2}'::integer[], '{}')
gpu_interpolate('{}'::integer[], '{}'::integer[], '{1,NULL}')
gpu_interpolate('{5}'::integer[], '{7}'::integer[], '{4,5,6}')
-- The lower bound is that of the places.
gpu_interpolate('[5:6]={1,3}'::integer[], '[-1:0]={1,3}'::integer[], '[0:1]={1,2}'::integer[])
gpu_interpolate('{1,3}'::integer[], '{1,3}'::integer[], '[0:1]={2,4}'::integer[])
-- Errors.
gpu_interpolate('{1,3}'::integer[], '{1}'::integer[], '{2}')
gpu_interpolate('{1,NULL}'::integer[], '{1,2}'::integer[], '{2}')
gpu_interpolate('{1,3,2}'::integer[], '{1,2,3}'::integer[], '{}')
gpu_interpolate('{NaN,1}'::float8[], '{1,2}'::integer[], '{2}')
gpu_interpolate('{2026-11-02,2026-11-01}'::date[], '{1,2}'::integer[], '{2026-11-02}')
gpu_interpolate('{2026-11-02,infinity}'::date[], '{1,2}'::integer[], '{2026-11-02}')
gpu_interpolate('{-infinity,2026-11-02}'::timestamp[], '{1,2}'::integer[], '{2026-11-02}')
gpu_interpolate('{2026-11-01,2026-11-03}'::timestamp[], '{1,2}'::integer[], '{-infinity,2026-11-02,infinity}')
gpu_interpolate('{1,2}'::integer[], '{t,f}'::boolean[], '{2}')
gpu_interpolate('{2026-11-01,2026-11-03}'::timestamp[], '{1,2}'::integer[], '{2026-11-02}', ' -1 hour')
gpu_interpolate('{2026-11-01,2026-11-03}'::timestamp[], '{1,2}'::integer[], '{2026-11-02}', 'an hour')
gpu_interpolate('{2026-11-01,2026-11-03}'::timestamp[], '{1,2}'::integer[], '{2026-11-02}', 3600)
gpu_interpolate('{2026-11-01,2026-11-03}'::date[], '{1,2}'::integer[], '{2026-11-02}', interval '2 days')
gpu_interpolate('{1,2}'::integer[], '{1,2}'::integer[], '{2}', true)
-- 22003, where core's operators raise it.
gpu_interpolate('{1,3}'::integer[], '{-1e308,1e308}'::float8[], '{2}')
gpu_interpolate('{1,3}'::integer[], '{-1e308,1e308}'::float8[], '{1,3,NULL}')
gpu_interpolate('{-1e308,1e308}'::float8[], '{1,2}'::integer[], '{0}')
gpu_interpolate('{0,1e308}'::float8[], '{1,2}'::integer[], '{1e-300}')
gpu_interpolate('{0,10}'::integer[], '{0,5e-324}'::float8[], '{1}')
-- In a chain, wherever it stands.
gpu_reduce(gpu_interpolate(gpu_prefix_sum(a), gpu_map(a, '*', 2), gpu_map(gpu_prefix_sum(a), '+', 1)), '+') FROM (VALUES ('{1,2,3}'::integer[])) AS v (a)
\.

-- Points whose first values are not at hand without reading: those of a long series
-- that is packed, or that has a bitmap without a NULL.
CREATE TABLE series (x double precision[], packed gpu_packed);
ALTER TABLE series ALTER x SET STORAGE EXTERNAL;
INSERT INTO series SELECT array_agg(nullif(i, 3) ORDER BY i), gpu_pack_agg(i::double precision, i) FROM generate_series(1, 300000) AS i;
UPDATE series SET x[3] = 3;
COPY messages FROM stdin;
gpu_interpolate(x, x, '{1.5,NULL,300000,0}') AS plain, gpu_interpolate(packed::double precision[], packed::double precision[], '{1.5,NULL,300000,0}') AS packed FROM series
\.
DROP TABLE series;
