-- gpu_window and gpu_window_avg: frames that slide over an array
\getenv srcdir PG_ABS_SRCDIR \set ECHO none \i :srcdir/sql/calls.psql

COPY messages FROM stdin;
gpu_window('{1,2,3,4,5}'::integer[], '+', 2)
gpu_window('{5,1,4,2,3}'::integer[], 'min', 1, 1)
gpu_window('{5,1,4,2,3}'::integer[], 'max', preceding => 0, following => 2)
gpu_window_avg('{1,2,3,5}'::integer[], 1), gpu_window_avg('{1,2,3,5}'::real[], 1, 1)
-- NULLs are skipped; a frame without values is NULL.
gpu_window('{1,NULL,3,NULL,NULL,NULL,7}'::integer[], '+', 1)
gpu_window_avg('{1,NULL,4,NULL,NULL,NULL,8}'::integer[], 1, 1), gpu_window_avg('{NULL,NULL}'::real[], 1)
gpu_window_avg('{NULL,2,4}'::smallint[], 2147483647, 2147483647)
-- Frames as wide as the array, and wider.
gpu_window('{1,2,3}'::integer[], '+', 2147483647), gpu_window('{1,2,3}'::integer[], '+', 0, 2147483647)
gpu_window('{1,2,3}'::integer[], 'min', 2147483647, 2147483647), gpu_window('{1,2,3}'::integer[], '+', 0)
-- Infinities and NaN are values, and are gone when the frame has left them.
gpu_window('{1,Infinity,2,3,-Infinity,4,NaN,5,6}'::float8[], '+', 1)
gpu_window('{1,Infinity,-Infinity,3,4}'::real[], '+', 1)
gpu_window('{1,NaN,2,-Infinity,3}'::float8[], 'min', 1)
gpu_window('{1,NaN,2,-Infinity,3}'::float8[], 'max', 1), gpu_window('{-0,0}'::real[], 'min', 1)
gpu_window('{-0,-0}'::real[], '+', 1)
gpu_window_avg('{1,Infinity,2,3,-Infinity,4,NaN,5}'::real[], 1)
-- No trace of large elements stays either.
gpu_window('{1e30,1,2,3,4}'::float8[], '+', 1), gpu_window('{1e300,1,2,3,4}'::float8[], '+', 1)
-- Averages of integers are exact before they are rounded, to the nearest double
-- precision number, the even one of two.
gpu_window_avg('{1,1,1,1,1,1,1,2,2}'::smallint[], 8)
gpu_window_avg('{9007199254740993,9007199254740993,9007199254740993}'::bigint[], 2)
gpu_window_avg('{9007199254740993,9007199254740995,-9007199254740993,-9007199254740995,9007199254740993}'::bigint[], 0)
gpu_window_avg('{9007199254740993,NULL,9007199254740994,NULL,9007199254740993,NULL,NULL,NULL}'::bigint[], 2, 2)
-- 22003: exactly where the sum of a frame is out of range.
gpu_window('{32767,1}'::smallint[], '+', 0), gpu_window('{32767,-1,1}'::smallint[], '+', 1, 1)
gpu_window('{9223372036854775807,-9223372036854775808,1}'::bigint[], '+', 2)
gpu_window('{9223372036854775807,1,-2}'::bigint[], '+', 2, 2)
gpu_window('{32767,1}'::smallint[], '+', 1)
gpu_window('{9223372036854775807,9223372036854775807,1,1}'::bigint[], '+', 3)
gpu_window('{3e38,3e38}'::real[], '+', 1)
gpu_window_avg('{1e308,1e308}'::float8[], 1)
gpu_window_avg('{3e38,3e38}'::real[], 1) = '{3e38,3e38}'::real[]::float8[] AS same
gpu_window_avg('{9223372036854775807,9223372036854775807}'::bigint[], 1)
-- 22013: a frame whose ends are on the other side; 22023: no such operator.
gpu_window('{1}'::integer[], '+', -1)
gpu_window('{1}'::integer[], '+', 0, -1)
gpu_window_avg('{1}'::integer[], 0, -2147483648)
gpu_window('{1}'::integer[], '*', 1)
\.

-- 0A000: elements that are no numbers, and a vector.
COPY sqlstates FROM stdin;
gpu_window_avg('{t}'::boolean[], 1)
gpu_window('1 2'::int2vector, '+', 1)
\.
