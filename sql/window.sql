-- gpu_window and gpu_window_avg: frames that slide over an array
\pset format unaligned \pset tuples_only on \pset null NULL
SET quote_all_identifiers = off;

SELECT gpu_window('{1,2,3,4,5}'::integer[], '+', 2);
SELECT gpu_window('{5,1,4,2,3}'::integer[], 'min', 1, 1),
	   gpu_window('{5,1,4,2,3}'::integer[], 'max', preceding => 0, following => 2);
SELECT gpu_window_avg('{1,2,3,5}'::integer[], 1), gpu_window_avg('{1,2,3,5}'::real[], 1, 1);

-- The type is that of the elements.
SELECT pg_typeof(gpu_window('{1}'::smallint[], '+', 1)), pg_typeof(gpu_window('{1}'::real[], '+', 1)),
	   pg_typeof(gpu_window_avg('{1}'::bigint[], 1));

-- NULLs are skipped; a frame without values is NULL.
SELECT gpu_window('{1,NULL,3,NULL,NULL,NULL,7}'::integer[], '+', 1),
	   gpu_window('{NULL,NULL,3,NULL,NULL,NULL,7,NULL,NULL}'::integer[], 'min', 1),
	   gpu_window('{NULL,NULL,3,NULL,NULL,NULL,7,NULL,NULL}'::float8[], 'max', 0, 1);
SELECT gpu_window('{NULL,1,NULL,NULL}'::bigint[], 'max', 2147483647),
	   gpu_window('{NULL,NULL}'::integer[], '+', 1, 1), gpu_window('{NULL,1}'::real[], 'min', 0);
SELECT gpu_window_avg('{1,NULL,4,NULL,NULL,NULL,8}'::integer[], 1, 1),
	   gpu_window_avg('{NULL,NULL}'::real[], 1), gpu_window_avg('{NULL,2,4}'::smallint[], 2147483647, 2147483647);

-- NULL, and nothing.
SELECT gpu_window(NULL::integer[], '+', 1) IS NULL AS is_null,
	   gpu_window('{1}'::integer[], NULL, 1) IS NULL AS is_null,
	   gpu_window('{1}'::integer[], '+', NULL) IS NULL AS is_null,
	   gpu_window_avg('{1}'::integer[], 1, NULL) IS NULL AS is_null;
SELECT gpu_window('{}'::integer[], '+', 1), gpu_window_avg('{}'::integer[], 1);

-- The lower bound stays.
SELECT gpu_window('[0:2]={1,2,3}'::integer[], '+', 1), gpu_window_avg('[-1:0]={1,2}'::bigint[], 1);

-- Frames as wide as the array, and wider.
SELECT gpu_window('{1,2,3}'::integer[], '+', 2147483647),
	   gpu_window('{1,2,3}'::integer[], '+', 0, 2147483647),
	   gpu_window('{1,2,3}'::integer[], 'min', 2147483647, 2147483647),
	   gpu_window('{1,2,3}'::integer[], '+', 0);

-- Infinities and NaN are values, and are gone when the frame has left them.
SELECT gpu_window('{1,Infinity,2,3,-Infinity,4,NaN,5,6}'::float8[], '+', 1),
	   gpu_window('{1,Infinity,-Infinity,3,4}'::real[], '+', 1);
SELECT gpu_window('{1,NaN,2,-Infinity,3}'::float8[], 'min', 1),
	   gpu_window('{1,NaN,2,-Infinity,3}'::float8[], 'max', 1),
	   gpu_window('{-0,0}'::real[], 'min', 1), gpu_window('{-0,-0}'::real[], '+', 1);
SELECT gpu_window_avg('{1,Infinity,2,3,-Infinity,4,NaN,5}'::real[], 1);

-- No trace of large elements stays either.
SELECT gpu_window('{1e30,1,2,3,4}'::float8[], '+', 1), gpu_window('{1e300,1,2,3,4}'::float8[], '+', 1);

-- Averages of integers are exact before they are rounded, to the nearest double
-- precision number, the even one of two.
SELECT gpu_window_avg('{1,1,1,1,1,1,1,2,2}'::smallint[], 8);
SELECT gpu_window_avg('{9007199254740993,9007199254740993,9007199254740993}'::bigint[], 2);
SELECT gpu_window_avg('{9007199254740993,9007199254740995,-9007199254740993,-9007199254740995,9007199254740993}'::bigint[], 0);
SELECT gpu_window_avg('{9007199254740993,NULL,9007199254740994,NULL,9007199254740993,NULL,NULL,NULL}'::bigint[], 2, 2);
SELECT kind, p, f
FROM (SELECT kind, ARRAY(SELECT CASE WHEN kind = 'nulls' AND i % 5 < 2 THEN NULL
									 WHEN kind = 'close' THEN 9007199254740993 + i % 4
									 ELSE hashint8extended(i, 0) END
						 FROM generate_series(1, 5000) AS i) AS a
	  FROM unnest('{all,close,nulls}'::text[]) AS kind) AS arrays,
	 (VALUES (0, 0), (2, 0), (6, 6), (15, 9), (0, 99), (1500, 0), (2147483647, 0)) AS frames (p, f)
WHERE gpu_window_avg(a, p, f) IS DISTINCT FROM
	  ARRAY(SELECT ((sum(x) OVER w)::numeric(200, 100) / count(x) OVER w)::float8 FROM unnest(a) WITH ORDINALITY AS u (x, i)
			WINDOW w AS (ORDER BY i ROWS BETWEEN p PRECEDING AND f FOLLOWING) ORDER BY i);

-- 22003: exactly where the sum of a frame is out of range.
SELECT gpu_window('{32767,1}'::smallint[], '+', 0), gpu_window('{32767,-1,1}'::smallint[], '+', 1, 1),
	   gpu_window('{2147483647,-2147483648,2147483647}'::integer[], '+', 1),
	   gpu_window('{9223372036854775807,-9223372036854775808,1}'::bigint[], '+', 2);
SELECT gpu_window('{9223372036854775807,1,-2}'::bigint[], '+', 2, 2);
SELECT gpu_window('{32767,1}'::smallint[], '+', 1);
SELECT gpu_window('{0,-2147483648,-1}'::integer[], '+', 1);
SELECT gpu_window('{9223372036854775807,1}'::bigint[], '+', 1);
SELECT gpu_window('{9223372036854775807,9223372036854775807,1,1}'::bigint[], '+', 3);
SELECT gpu_window('{3e38,3e38}'::real[], '+', 1);
SELECT gpu_window('{1e308,1e308}'::float8[], '+', 1);
SELECT gpu_window_avg('{1e308,1e308}'::float8[], 1);
SELECT gpu_window_avg('{3e38,3e38}'::real[], 1) = '{3e38,3e38}'::real[]::float8[] AS same,
	   gpu_window_avg('{9223372036854775807,9223372036854775807}'::bigint[], 1);

-- 22013: a frame whose ends are on the other side; 22023: no such operator.
SELECT gpu_window('{1}'::integer[], '+', -1);
SELECT gpu_window('{1}'::integer[], '+', 0, -1);
SELECT gpu_window_avg('{1}'::integer[], 0, -2147483648);
SELECT gpu_window('{1}'::integer[], '*', 1);

-- The same as core, whatever the length and the width, and wherever the NULLs:
-- no row is to come.
CREATE TABLE edges AS
SELECT n, kind,
	   ARRAY(SELECT CASE WHEN kind = 'nulls' AND i % 7 IN (1, 2) THEN NULL
						 WHEN kind = 'runs' AND i / 90 % 3 = 1 THEN NULL
						 WHEN kind = 'ends' AND (i < n / 3 OR i > n - n / 3) THEN NULL
						 ELSE hashint4(i) % 1000 END
			 FROM generate_series(1, n) AS i) AS a
FROM unnest('{1,2,16,17,33,64,1023,1025,2100}'::integer[]) AS n,
	 unnest('{values,nulls,runs,ends}'::text[]) AS kind
WHERE n < 2000 OR kind IN ('nulls', 'ends');
CREATE FUNCTION slid(a anyarray, preceding integer, following integer,
					 OUT sum integer[], OUT min integer[], OUT max integer[], OUT avg float8[])
LANGUAGE sql PARALLEL SAFE AS $$
	SELECT array_agg(s ORDER BY i), array_agg(l ORDER BY i), array_agg(g ORDER BY i),
		   array_agg(m ORDER BY i)
	FROM (SELECT i, sum(x) OVER w AS s, min(x) OVER w AS l, max(x) OVER w AS g,
				 (sum(x) OVER w)::float8 / count(x) OVER w AS m	-- avg() adds up each frame anew
		  FROM unnest(a) WITH ORDINALITY AS u (x, i)
		  WINDOW w AS (ORDER BY i ROWS BETWEEN preceding PRECEDING AND following FOLLOWING))
		 AS slid
$$;
SELECT kind, n, p, f
FROM edges,
	 (VALUES (0, 0), (1, 0), (0, 1), (7, 7), (14, 0), (15, 0), (0, 15), (8, 8), (31, 0), (20, 30),
			 (99, 0), (0, 127), (128, 0), (500, 700), (1023, 0), (0, 1024), (2047, 0),
			 (2147483647, 0), (3, 2147483647)) AS frames (p, f),
	 slid(a, p, f) AS core
WHERE gpu_window(a, '+', p, f) IS DISTINCT FROM core.sum OR
	  gpu_window(a, 'min', p, f) IS DISTINCT FROM core.min OR
	  gpu_window(a, 'max', p, f) IS DISTINCT FROM core.max OR
	  gpu_window_avg(a, p, f) IS DISTINCT FROM core.avg OR
	  gpu_window(a::smallint[]::float8[], '+', p, f)::integer[] IS DISTINCT FROM core.sum OR
	  gpu_window(a::real[], 'min', p, f)::integer[] IS DISTINCT FROM core.min OR
	  gpu_window(a::bigint[], '+', p, f)::integer[] IS DISTINCT FROM core.sum OR
	  gpu_window_avg(a::bigint[], p, f) IS DISTINCT FROM core.avg
ORDER BY kind, n, p, f;
DROP FUNCTION slid;
DROP TABLE edges;

-- The least and the greatest are there for every type that has an order.
SET datestyle = ISO;
SELECT gpu_window('{2024-02-28,NULL,NULL,infinity,2024-02-29}'::date[], 'min', 1) AS min,
	   gpu_window('{2024-02-28,NULL,NULL,-infinity,2024-02-29}'::date[], 'max', 0, 1) AS max;
SELECT gpu_window('{t,f,t,t,NULL}'::boolean[], 'min', 1) AS min, gpu_window('{f,f,t,f,f}'::boolean[], 'max', 1) AS max,
	   gpu_window('{4294967295,NULL,0}'::oid[], 'min', 1, 1) AS min, gpu_window('{b,a,c}'::"char"[], 'max', 1) AS max;
SELECT gpu_window('{12:00,13:00,11:00}'::time[], 'max', 1) AS time, gpu_window('{2,1,3}'::money[], 'min', 1)::numeric[] AS money;
SELECT n, p, f
FROM unnest('{1,64,65,1025,2100,9000}'::integer[]) AS n,
	 (VALUES (0, 0), (7, 7), (15, 0), (20, 30), (2047, 0), (2147483647, 0)) AS frames (p, f),
	 LATERAL (SELECT array_agg((x + 2147483648)::oid ORDER BY i) AS o, array_agg(x % 20 > 0 ORDER BY i) AS b,
					 array_agg(timestamptz '2000-01-01' + x * interval '1 s' ORDER BY i) AS z,
					 array_agg(x::bigint + 2147483648 ORDER BY i) AS i8, array_agg((x % 20 > 0)::integer ORDER BY i) AS i4,
					 array_agg(x ORDER BY i) AS a
			  FROM (SELECT i, CASE WHEN i % 9 > 3 THEN hashint4(i) END AS x FROM generate_series(1, n) AS i) AS elements) AS arrays
WHERE gpu_window(o, 'min', p, f)::bigint[] IS DISTINCT FROM gpu_window(i8, 'min', p, f) OR
	  gpu_window(o, 'max', p, f)::bigint[] IS DISTINCT FROM gpu_window(i8, 'max', p, f) OR
	  gpu_window(b, 'min', p, f)::integer[] IS DISTINCT FROM gpu_window(i4, 'min', p, f) OR
	  gpu_window(b, 'max', p, f)::integer[] IS DISTINCT FROM gpu_window(i4, 'max', p, f) OR
	  gpu_window(z, 'max', p, f) IS DISTINCT FROM
	  ARRAY(SELECT timestamptz '2000-01-01' + x * interval '1 s'
			FROM unnest(gpu_window(a, 'max', p, f)) WITH ORDINALITY AS u (x, i) ORDER BY i);

-- 0A000: several dimensions, and types that are not supported.
SELECT gpu_window('{2024-02-29}'::date[], '+', 1);
\set VERBOSITY sqlstate
SELECT gpu_window('{{1,2}}'::integer[], '+', 1);
SELECT gpu_window_avg('{{1,2}}'::integer[], 1);
SELECT gpu_window_avg('{t}'::boolean[], 1);
SELECT gpu_window('1 2'::int2vector, '+', 1);
SELECT gpu_window('{1}'::numeric[], '+', 1);
