-- gpu_range_window: frames around each x of a series, by the distance of x
\getenv srcdir PG_ABS_SRCDIR \set ECHO none \i :srcdir/sql/calls.psql
SET DateStyle = ISO;
SET TimeZone = 'UTC';

COPY messages FROM stdin;
gpu_range_window('{1,2,4,7,8}'::integer[], '{1,2,3,4,5}'::integer[], '+', 2)
gpu_range_window('{1,2,4,7,8}'::integer[], '{1,2,3,4,5}'::integer[], 'sum', 2, 1)
gpu_range_window('{1,2,4,7,8}'::integer[], '{5,1,4,2,3}'::integer[], 'min', 2)
gpu_range_window('{1,2,4,7,8}'::integer[], '{5,1,4,2,3}'::integer[], 'max', 0, 3)
gpu_range_window('{1,2,4,7,8}'::integer[], '{5,1,4,2,3}'::integer[], 'count', 2)
gpu_range_window('{1,2,4,7,8}'::integer[], '{5,1,4,2,3}'::integer[], 'first', 2)
gpu_range_window('{1,2,4,7,8}'::integer[], '{5,1,4,2,3}'::integer[], 'last', 2, 1)
gpu_range_window_avg('{1,2,4,7,8}'::integer[], '{1,2,3,4,5}'::integer[], 2)
-- Peers are in the frame, before and after an element.
gpu_range_window('{1,1,1,2,2}'::integer[], '{1,2,4,8,16}'::integer[], '+', 0)
gpu_range_window('{1,1,1,2,2}'::integer[], '{1,2,4,8,16}'::integer[], '+', 1)
gpu_range_window('{1,1,1,2,2}'::integer[], '{1,2,4,8,16}'::integer[], 'last', 0)
gpu_range_window('{1,1,1,2,2}'::integer[], '{1,2,4,8,16}'::integer[], 'first', 0, 1)
-- Places of their own: the last value, unless it is too old.
gpu_range_window('{10,20,30}'::integer[], '{1,2,3}'::integer[], 'last', 5, at => '{9,10,14,16,20,31,36}'::integer[])
gpu_range_window('{10,20,30}'::integer[], '{1,2,3}'::integer[], '+', 10, 10, '{0,5,20,20,41}'::integer[])
gpu_range_window('{10,20,30}'::integer[], '{1,2,3}'::integer[], 'count', 10, at => '{0,NULL,20,NULL}'::integer[])
gpu_range_window_avg('{10,20,30}'::integer[], '{1,2,3}'::integer[], 10, at => ARRAY[NULL,5,20,25])
gpu_range_window('{10,20,30}'::integer[], '{1,2,3}'::integer[], 'last', 5, at => NULL)
-- A value that is NULL is left out; a frame without a value gives NULL.  NULL in at: NULL.
gpu_range_window('{1,2,3,9,10}'::integer[], '{1,NULL,3,NULL,5}'::integer[], '+', 1)
gpu_range_window('{1,2,3,9,10}'::integer[], '{1,NULL,3,NULL,5}'::integer[], 'count', 0)
gpu_range_window('{1,2,3,9,10}'::integer[], '{1,NULL,3,NULL,5}'::integer[], 'last', 1)
gpu_range_window('{1,2,3,9,10}'::integer[], '{1,NULL,3,NULL,5}'::integer[], 'first', 8)
gpu_range_window_avg('{1,2,3,9,10}'::integer[], '{1,NULL,3,NULL,5}'::integer[], 0)
gpu_range_window('{1,2}'::integer[], '{NULL,1}'::integer[], 'max', 1, at => '{NULL,NULL}'::integer[])
-- With places, an x without a value need not be in order.
gpu_range_window('{1,9,3}'::integer[], '{1,NULL,3}'::integer[], '+', 1, at => '{2,9}'::integer[])
gpu_range_window('{1,9,3}'::integer[], '{1,NULL,3}'::integer[], 'count', 1, at => '{2,9}'::integer[])
pg_column_size(gpu_range_window('{1,3}'::integer[], '{1,3}'::integer[], 'max', 1)) AS without_bitmap
pg_column_size(gpu_range_window('{1,3}'::integer[], '{1,3}'::integer[], 'max', 1, at => ARRAY[1,3])) AS with_places
\.

-- Times: an interval, or a literal without a type.
SELECT gpu_range_window(x, '{1,2,4,8}'::integer[], '+', interval '5 minutes'), gpu_range_window(x, '{1,2,4,8}'::integer[], '+', '5 minutes'),
	   gpu_range_window(x, '{1,2,4,8}'::integer[], '+', 'PT4M59S', following => '0'), gpu_range_window(x, '{1,2,4,8}'::integer[], '+', '0', '1 day'),
	   gpu_range_window(x, '{1,2,4,8}'::integer[], 'last', '10 min', at => '{2026-11-01 10:04,2026-11-01 11:00}'::timestamp[])
FROM (VALUES ('{2026-11-01 10:00,2026-11-01 10:05,2026-11-01 10:06,2026-11-02 10:05}'::timestamp[])) AS v (x);
COPY messages FROM stdin;
gpu_range_window('{2026-10-24 12:00+00,2026-10-25 12:00+00}'::timestamptz[], '{1,2}'::integer[], 'count', interval '1 day')
gpu_range_window('{2026-11-01,2026-11-02,2026-11-05}'::date[], '{1,2,4}'::integer[], '+', interval '1 day')
gpu_range_window('{2026-11-01,2026-11-02,2026-11-05}'::date[], '{1,2,4}'::integer[], '+', '47 hours', '3 days')
gpu_range_window('{2026-11-01,2026-11-02,2026-11-05}'::date[], '{1,2,4}'::integer[], '+', 3, 1)
gpu_range_window('{2026-11-01,2026-11-02,2026-11-05}'::date[], '{1,2,4}'::integer[], 'first', 0, at => '{2026-11-03,2026-11-05}'::date[])
-- Infinite times are near each other alone, and no finite time reaches them.
gpu_range_window('{-infinity,-infinity,2026-11-01,infinity}'::timestamp[], '{1,2,4,8}'::integer[], '+', '1 day')
gpu_range_window('{-infinity,4714-11-24 BC,2026-11-01,294276-12-31,infinity}'::timestamp[], '{1,2,4,8,16}'::integer[], '+', interval '2000000000 days', '2000000000 days')
gpu_range_window('{-infinity,4714-11-24 BC,5874897-12-31,infinity}'::date[], '{1,2,4,8}'::integer[], '+', 9223372036854775807, interval '2000000000 days')
-- Integers: no bound overflows.
gpu_range_window('{-32768,0,32767}'::smallint[], '{1,2,4}'::integer[], '+', 40000, 32767)
gpu_range_window('{-9223372036854775808,0,9223372036854775807}'::bigint[], '{1,2,4}'::integer[], '+', 9223372036854775807, 1)
gpu_range_window('{-9223372036854775808,0,9223372036854775807}'::bigint[], '{1,2,4}'::integer[], '+', 0::smallint, 9223372036854775807)
gpu_range_window('{1,2,3}'::integer[], '{1,2,4}'::integer[], '+', '1', '1')
-- Floats, as core has them: NaN comes last, and is near NaN alone.
gpu_range_window('{-Infinity,-1,0.5,1,Infinity,NaN,NaN}'::float8[], '{1,2,4,8,16,32,64}'::integer[], '+', 0.5, 0.5)
gpu_range_window('{-Infinity,-1,0.5,1,Infinity,NaN,NaN}'::float8[], '{1,2,4,8,16,32,64}'::integer[], '+', 'Infinity')
gpu_range_window('{-Infinity,-1,0.5,1,Infinity,NaN,NaN}'::float8[], '{1,2,4,8,16,32,64}'::integer[], '+', 1e308, 'Infinity'::real)
gpu_range_window('{-0,0}'::real[], '{1,2}'::integer[], '+', 0::numeric)
gpu_range_window('{0.1,0.2,0.3}'::real[], '{1,2,4}'::integer[], '+', 0.1)
\.
SELECT array_agg(s ORDER BY x) = gpu_range_window('{-Infinity,-1,0.5,1,Infinity,NaN,NaN}'::float8[], '{1,2,4,8,16,32,64}'::integer[], '+', 1e308, 'Infinity') AS same
FROM (SELECT x, sum(a) OVER (ORDER BY x RANGE BETWEEN 1e308 PRECEDING AND 'Infinity' FOLLOWING)::integer AS s
	  FROM unnest('{-Infinity,-1,0.5,1,Infinity,NaN,NaN}'::float8[], '{1,2,4,8,16,32,64}'::integer[]) AS u (x, a)) AS t;
SELECT gpu_range_window('{1,2,3,4}'::integer[], '{1,NaN,3,4}'::real[], '+', 1), gpu_range_window('{1,2,3,4}'::integer[], '{1,Infinity,-Infinity,4}'::float8[], '+', 1),
	   gpu_range_window('{1,2,3,4}'::integer[], '{1,NaN,3,4}'::real[], 'max', 1), gpu_range_window('{1,2,3,4}'::integer[], '{1,NaN,3,4}'::real[], 'min', 1),
	   gpu_range_window_avg('{1,2,3,4}'::integer[], '{1,NaN,3,4}'::real[], 1), gpu_range_window('{1,2,3}'::integer[], '{1e308,-1e308,1e308}'::float8[], '+', 1);

CREATE DOMAIN moment AS timestamp;
SELECT gpu_range_window('{2026-11-01,2026-11-02}'::moment[], '{1,2}'::integer[], '+', '1 day');
DROP DOMAIN moment;

-- No array, no element, one element; the lower bound is that of the values, or of at.
COPY messages FROM stdin;
gpu_range_window(NULL::integer[], '{1}'::integer[], '+', 1) IS NULL AS x
gpu_range_window('{1}'::integer[], NULL::integer[], '+', 1) IS NULL AS a
gpu_range_window('{1}'::integer[], '{1}'::integer[], NULL, 1) IS NULL AS op
gpu_range_window('{1}'::integer[], '{1}'::integer[], '+', NULL) IS NULL AS preceding
gpu_range_window_avg('{1}'::integer[], '{1}'::integer[], NULL) IS NULL AS avg
gpu_range_window('{}'::integer[], '{}'::integer[], '+', 1)
gpu_range_window('{}'::integer[], '{}'::integer[], 'first', 1, at => '{1,NULL,2}'::integer[])
gpu_range_window('{1}'::integer[], '{1}'::integer[], '+', 1, at => '{}'::integer[])
gpu_range_window('[0:1]={1,2}'::integer[], '[5:6]={1,2}'::integer[], '+', 1)
gpu_range_window('{1,2}'::integer[], '{1,2}'::integer[], '+', 1, at => '[0:1]={1,9}'::integer[])
-- Errors.
gpu_range_window('{1,2}'::integer[], '{1}'::integer[], '+', 1)
gpu_range_window('{1,NULL}'::integer[], '{1,2}'::integer[], '+', 1)
gpu_range_window('{1,3,2}'::integer[], '{1,2,3}'::integer[], '+', 1)
gpu_range_window('{1,3,2}'::integer[], '{1,NULL,3}'::integer[], '+', 1)
gpu_range_window('{NaN,1}'::float8[], '{1,2}'::integer[], '+', 1)
gpu_range_window('{1,3,2}'::integer[], '{1,2,3}'::integer[], '+', 1, at => '{1}'::integer[])
gpu_range_window('{1,3}'::integer[], '{1,2}'::integer[], '+', 1, at => '{2,NULL,1}'::integer[])
gpu_range_window('{1,3}'::integer[], '{1,2}'::integer[], '+', -1)
gpu_range_window('{1,3}'::integer[], '{1,2}'::integer[], '+', 1, -1)
gpu_range_window('{1,3}'::float8[], '{1,2}'::integer[], '+', -0.5)
gpu_range_window('{1,3}'::float8[], '{1,2}'::integer[], '+', 'NaN')
gpu_range_window('{2026-11-01}'::timestamp[], '{1}'::integer[], '+', interval '1 day -25 hours')
gpu_range_window('{2026-11-01}'::timestamp[], '{1}'::integer[], '+', '0', ' -1 day +25 hours')
gpu_range_window('{2026-11-01}'::timestamp[], '{1}'::integer[], '+', interval '1 month')
gpu_range_window('{2026-11-01}'::timestamp[], '{1}'::integer[], '+', 60)
gpu_range_window('{2026-11-01}'::timestamp[], '{1}'::integer[], '+', 'a while')
gpu_range_window('{2026-11-01}'::date[], '{1}'::integer[], '+', 1.5)
gpu_range_window('{1,3}'::integer[], '{1,2}'::integer[], '+', 1.5)
gpu_range_window('{1,3}'::integer[], '{1,2}'::integer[], '+', '1.5')
gpu_range_window('{1,3}'::integer[], '{1,2}'::integer[], '+', interval '1 day')
gpu_range_window('{1,3}'::real[], '{1,2}'::integer[], '+', true)
gpu_range_window('{1,3}'::integer[], '{1,2}'::integer[], '+', 1, '{2}'::integer[])
gpu_range_window('{t}'::boolean[], '{1}'::integer[], '+', 1)
gpu_range_window('{10:00}'::time[], '{1}'::integer[], '+', interval '1 hour')
gpu_range_window('{1,2}'::integer[], '{1,2}'::integer[], 'avg', 1)
gpu_range_window('{1,2}'::integer[], '{1,2}'::integer[], '*', 1)
gpu_range_window('{1,2}'::integer[], '{t,f}'::boolean[], '+', 1)
gpu_range_window('{1,2}'::integer[], '{2026-11-01,2026-11-02}'::date[], 'count', 1)
gpu_range_window_avg('{1,2}'::integer[], '{t,f}'::boolean[], 1)
gpu_range_window('{1,2}'::integer[], '{1,2}'::integer[], '+', 1, at => '{{1}}'::integer[])
gpu_range_window('{1,2}'::integer[], '{1,2}'::integer[], '+', 1, at => '{1}')
gpu_range_window('{1,2}'::integer[], '{1,2}'::integer[], '+', 1, at => '{1}'::bigint[])
gpu_range_window('{1,2}'::integer[], '{1,2}'::integer[], '+', 1, at => gpu_pack(ARRAY[1]))
gpu_range_window('{2026-11-01}'::date[], '{1}'::integer[], '+', 1, at => '{2026-11-01}'::timestamp[])
gpu_range_window('{1,2}'::integer[], '{1,2}'::integer[], '+', 1, at => 2)
gpu_range_window('{1,2}'::integer[], '{2147483647,1}'::integer[], '+', 1)
gpu_range_window('{1,2}'::integer[], '{9223372036854775807,1}'::bigint[], '+', 1)
gpu_range_window('{1,2}'::integer[], '{1e308,1e308}'::float8[], '+', 1)
-- No piece of x descends, nor any chunk of the places.
gpu_range_window(array_agg(i % 65536), array_agg(i), 'last', 5, at => '{7}'::integer[]) FROM generate_series(0, 100000) AS i
gpu_range_window(array_agg(i % 65536), array_agg(i), 'last', 5) FROM generate_series(0, 100000) AS i
gpu_range_window(array_agg(0), array_agg(1::smallint), 'count', 0) FROM generate_series(1, 32768)
-- Sums that do not fit into a bigint on the way, and an overflow of the last frame alone.
gpu_range_window('{1,2,3}'::integer[], '{9223372036854775807,1,-9223372036854775808}'::bigint[], '+', 2, 2)
gpu_range_window_avg('{1,2,3}'::integer[], '{9223372036854775807,9223372036854775807,9223372036854775805}'::bigint[], 9)
gpu_range_window(array_agg(i), array_agg(CASE WHEN i > 299998 THEN 2147483647 ELSE 0 END), '+', 1) FROM generate_series(1, 300000) AS i
\.
