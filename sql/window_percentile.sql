-- gpu_window_percentile_cont and gpu_window_percentile_disc: percentiles of frames
\getenv srcdir PG_ABS_SRCDIR \set ECHO none \i :srcdir/sql/calls.psql

COPY messages FROM stdin;
gpu_window_percentile_cont('{5,1,4,2,3}'::integer[], 0.5, 2)
gpu_window_percentile_disc('{5,1,4,2,3}'::integer[], 0.5, 2)
gpu_window_percentile_cont('{5,1,4,2,3}'::integer[], 0.25, 1, 1)
gpu_window_percentile_disc('{5,1,4,2,3}'::integer[], fraction => 1, preceding => 0, following => 2)
-- NULLs are left out; a frame without values is NULL.
gpu_window_percentile_cont('{1,NULL,3,NULL,NULL,NULL,7}'::integer[], 0.5, 1)
-- Frames as wide as the array, and wider.
gpu_window_percentile_disc('{3,1,2}'::integer[], 0.5, 2147483647)
gpu_window_percentile_disc('{3,1,2}'::integer[], 0.5, 0, 2147483647)
gpu_window_percentile_cont('{3,1,2}'::integer[], 0.5, 2147483647, 2147483647)
gpu_window_percentile_cont('{3,1,2}'::integer[], 0.5, 0)
-- -0 stays what it is.
gpu_window_percentile_disc('{-0,-0,0}'::float8[], 0, 0), gpu_window_percentile_cont('{-0,-0}'::real[], 0.5, 1)
-- Numbers are converted before they are interpolated.
gpu_window_percentile_cont('{9223372036854775807,9223372036854775806,-9223372036854775808}'::bigint[], 0.5, 1)
\.

-- Around the sizes of spans, pieces and wide frames: some frames of each.
CREATE TEMP TABLE long AS
SELECT n, ARRAY(SELECT CASE WHEN i % 7 = 3 THEN NULL ELSE hashint4(i) END FROM generate_series(1, n) AS i) AS sparse,
	   ARRAY(SELECT (hashint4(i) % 5000)::float8 FROM generate_series(1, n) AS i) AS dense
FROM unnest('{4095,4096,4097,16383,16385,65536,70001,262145}'::integer[]) AS n;
SELECT count(*) AS frames,
	   count(*) FILTER (WHERE sparse_got[i] IS DISTINCT FROM gpu_percentile_disc(sparse[i - p:i + 1], 0.3)) AS wrong,
	   count(*) FILTER (WHERE dense_got[i] IS DISTINCT FROM gpu_percentile_cont(dense[i - p:i + 1], 0.7)) AS wrong
FROM long, unnest('{20,1000,16382,16383,2147483000}'::integer[]) AS p,
	 LATERAL (SELECT gpu_window_percentile_disc(sparse, 0.3, p, 1) AS sparse_got,
					 gpu_window_percentile_cont(dense, 0.7, p, 1) AS dense_got OFFSET 0) AS got,
	 LATERAL (SELECT DISTINCT least(greatest(k, 1), n) AS i
			  FROM (SELECT round(n / 17.0 * j)::integer AS k FROM generate_series(0, 17, CASE WHEN n < 100000 THEN 1 ELSE 8 END) AS j
					UNION ALL SELECT p + d FROM generate_series(-2, 2) AS d WHERE p < n) AS k) AS chosen;

-- -0 comes before 0 in frames of each width, whatever their order in the array.
SELECT p, f, count(*) FILTER (WHERE disc[i]::text = '-0') AS minus, count(*) FILTER (WHERE disc[i]::text = '0') AS plus
FROM (SELECT array_agg((CASE WHEN hashint4(i) % 2 = 0 THEN '-0' ELSE '0' END)::float8 ORDER BY i) AS a
	  FROM generate_series(1, 70000) AS i) AS zeros, unnest('{100,16382,16383,16384,30000}'::integer[]) AS p,
	 unnest('{0.25,0.75}'::float8[]) AS f,
	 LATERAL (SELECT gpu_window_percentile_disc(a, f, p, 1) AS disc OFFSET 0) AS got,
	 generate_series(35001, 35100) AS i
GROUP BY p, f ORDER BY p, f;

-- Behind other calls.
SELECT gpu_reduce(gpu_window_percentile_cont(gpu_delta(dense), 0.5, 10), 'max') AS chain,
	   gpu_reduce(gpu_window_percentile_disc(gpu_pack(dense)::float8[], 0.5, 10), 'max') AS packed
FROM long WHERE n = 70001;

-- 22003: no fraction; 22013: a frame whose ends are on the other side.
COPY messages FROM stdin;
gpu_window_percentile_cont('{1}'::integer[], 1.5, 1)
gpu_window_percentile_disc('{1}'::integer[], 'NaN', 1)
gpu_window_percentile_disc('{}'::integer[], -1, 1)
gpu_window_percentile_cont('{1}'::integer[], 0.5, -1)
gpu_window_percentile_disc('{1}'::integer[], 0.5, 0, -1)
-- 0A000: elements that are no numbers.
gpu_window_percentile_cont('{2024-02-29}'::date[], 0.5, 1)
\.
