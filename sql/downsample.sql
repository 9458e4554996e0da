-- gpu_downsample and gpu_downsample_points: the elements that a line chart needs
\getenv srcdir PG_ABS_SRCDIR \set ECHO none \i :srcdir/sql/calls.psql

COPY messages FROM stdin;
gpu_downsample('{5,9,1,4,4,8,2,7,3,6}'::integer[], 4)
gpu_downsample('{5,9,1,4,4,8,2,7,3,6}'::integer[], n => 4, method => 'lttb')
-- Of equal elements the first is taken.
gpu_downsample('{0,1,1,0,1,0,0}'::integer[], 2), gpu_downsample('{3,3,3,3,3,3,3,3}'::integer[], 4)
gpu_downsample('{3,3,3,3,3,3,3,3}'::integer[], 4, 'lttb')
-- minmax: two positions of each of n / 2 buckets, and the first and the last.
gpu_downsample('{3,1,5,4,2,6}'::integer[], 2), gpu_downsample('{3,1,5,4,2,6}'::integer[], 3)
gpu_downsample('{4,1,6,3,7,2,5}'::integer[], 4)
-- lttb: n positions.
gpu_downsample('{1,2,3,9,3,2,1}'::integer[], 3, 'lttb')
gpu_downsample('{1,2,3,9,3,2,1}'::integer[], 4, 'lttb')
gpu_downsample('{1,2,3,9,3,2,1}'::integer[], 6, 'lttb')
-- No more elements than n: all.
gpu_downsample('{3,1,2}'::integer[], 3), gpu_downsample('{3,1,2}'::integer[], 3, 'lttb')
gpu_downsample('{3,1,2}'::integer[], 2147483647), gpu_downsample('{3}'::integer[], 2147483647, 'lttb')
-- NULLs are passed over: they have no position, and are no elements of n.
gpu_downsample('{NULL,3,NULL,1,2,NULL}'::integer[], 3)
gpu_downsample('{NULL,3,NULL,1,2,NULL}'::integer[], 3, 'lttb'), gpu_downsample('{NULL,NULL}'::integer[], 2)
-- NaN is the greatest element, and makes the largest triangle; -0 equals 0.
gpu_downsample('{1,Infinity,NaN,-Infinity,NaN,2}'::float8[], 2)
gpu_downsample('{1,Infinity,NaN,-Infinity,NaN,2}'::real[], 3, 'lttb')
gpu_downsample('{1,-0,0,-0,1}'::float8[], 2), gpu_downsample('{1,0,-0,1}'::real[], 2)
gpu_downsample('{1,5,Infinity,3,2}'::float8[], 3, 'lttb')
gpu_downsample('{0,1,1e308,1e308,-1e308,3,4,5}'::float8[], 4, 'lttb')
-- Extremes.
gpu_downsample('{0,9223372036854775807,-9223372036854775808,9223372036854775807,0}'::bigint[], 2)
-- The x of a series: buckets of minmax have the same width in x, and triangles have
-- their corners there.
gpu_downsample('{0,1,2,3,4,5,6,7,8,100}'::integer[], '{5,9,1,4,4,8,2,7,3,6}'::integer[], 4)
gpu_downsample('{0,1,2,3,4,5,6,7,8,9}'::integer[], '{5,9,1,4,4,8,2,7,3,6}'::integer[], 4) = gpu_downsample('{5,9,1,4,4,8,2,7,3,6}'::integer[], 4) AS even
gpu_downsample('{0,1,2,3,4,5,6,7,8,9}'::smallint[], '{5,9,1,4,4,8,2,7,3,6}'::real[], 4, 'lttb')
gpu_downsample('{0,1,2,3,4,5,6,70,80,900}'::float8[], '{5,9,1,4,4,8,2,7,3,6}'::bigint[], 4, method => 'lttb')
-- Equal x, x of all types, and NULLs, whose x is left out.
gpu_downsample('{7,7,7,7}'::bigint[], '{2,1,3,2}'::integer[], 2)
gpu_downsample('{7,7,7,7}'::bigint[], '{2,1,3,2}'::integer[], 3, 'lttb')
gpu_downsample('{-Infinity,1,2,Infinity}'::real[], '{2,1,3,2}'::integer[], 2)
gpu_downsample('{1,2,3,NaN}'::float8[], '{2,1,3,2}'::integer[], 3, 'lttb')
\.
SELECT gpu_downsample(d, v, 4), gpu_downsample(d::timestamp[], v, 4), gpu_downsample(d::timestamptz[], v, 4),
	   gpu_downsample(d, v, 4, 'lttb') = gpu_downsample(d::timestamp[], v, 4, 'lttb') AS lttb
FROM (SELECT '{2024-02-28,2024-02-29,2024-03-01,2024-03-02,2025-01-01}'::date[], '{1,NULL,5,2,3}'::real[]) AS t (d, v);
SELECT gpu_downsample('{}'::date[], '{}'::real[], 2), gpu_downsample('{1,2}'::integer[], '{NULL,NULL}'::real[], 2),
	   gpu_downsample('{1,2,3}'::integer[], '{3,NULL,1}'::real[], 2), gpu_downsample(NULL::date[], '{}'::real[], 2) IS NULL AS is_null;

-- minmax as plain SQL has it: over gaps, steps and equal x, of numbers and of times, with
-- NULLs, and longer than a block.  No row is to come.
\set ECHO none
CREATE FUNCTION extremes(a anyarray, n integer, at float8[]) RETURNS integer[] LANGUAGE sql AS $$
	WITH p AS (SELECT i, v, x - first_value(x) OVER w AS x, last_value(x) OVER w - first_value(x) OVER w AS w
			   FROM unnest(a, at) WITH ORDINALITY AS u (v, x, i) WHERE v IS NOT NULL
			   WINDOW w AS (ORDER BY i ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)),
		b AS (SELECT i, v, CASE WHEN w > 0 THEN least(floor(x / w * (n / 2)), n / 2 - 1) END AS b FROM p),
		c AS (SELECT i, row_number() OVER (PARTITION BY b ORDER BY v, i) AS least,
					 row_number() OVER (PARTITION BY b ORDER BY v DESC, i) AS greatest,
					 row_number() OVER (ORDER BY i) AS place, count(*) OVER () AS count FROM b)
	SELECT ARRAY(SELECT i::integer FROM c WHERE 1 IN (least, greatest, place) OR place = count ORDER BY i)
$$;
CREATE TEMP TABLE irregular AS
	SELECT name, array_agg(at ORDER BY i) AS at,
		   array_agg(CASE WHEN name <> 'steps' OR i % 11 > 0 THEN sin(i / 300.0) * 1000 + hashint4(i) % 90 END ORDER BY i) AS v
	FROM (SELECT name, i, CASE name WHEN 'gaps' THEN i + 7000 * (i / 5000)
									WHEN 'steps' THEN i / 40 * 3.7
									WHEN 'bursts' THEN sqrt(i) * 13.3
									WHEN 'equal' THEN -4 END::float8 AS at
		  FROM unnest('{gaps,steps,bursts,equal}'::text[]) AS name, generate_series(1, 17000) AS i) AS p
	GROUP BY name;
SELECT name, n FROM irregular, unnest('{6,600}'::integer[]) AS n
WHERE gpu_downsample(at, v, n) <> extremes(v, n, at) OR
	  CASE n WHEN 600 THEN
	  gpu_downsample(at::real[], v, n) <> extremes(v, n, at::real[]::float8[]) OR
	  gpu_downsample(ARRAY(SELECT to_timestamp(t) FROM unnest(at::bigint[]) AS t), v, n) <> extremes(v, n, at::bigint[]::float8[]) END;
SELECT name FROM irregular
WHERE gpu_downsample(gpu_pack(at)::float8[], gpu_pack(v::float8[])::float8[], 600) <> extremes(v, 600, at);
DROP FUNCTION extremes;
DROP TABLE irregular;
\set ECHO all

-- gpu_downsample_points has the values, too.
SELECT * FROM gpu_downsample_points('{5,9,1,4,NULL,4,8,2,7,3,6}'::integer[], 4) \gx
SELECT * FROM gpu_downsample_points('{5,9,1,4,NULL,4,8,2,7,3,6}'::real[], n => 4, method => 'lttb');
SELECT * FROM gpu_downsample_points('[-5:-1]={1,Infinity,NaN,NULL,2}'::float8[], 2),
	   gpu_downsample_points('{NULL,7,NULL}'::smallint[], 3, 'lttb') AS l, gpu_downsample_points('{NULL}'::bigint[], 2) AS n;
-- So many points by lttb are chosen on the CPU, whatever engine and algorithm are set.
SET gpucompact.engine = cuda;
SELECT cardinality(gpu_downsample(array_agg(i % 7), 8195, 'lttb')) FROM generate_series(1, 20000) AS i;
SELECT function, engine = 'cpu' AS on_cpu FROM gpu_last_call();
SET gpucompact.algorithm = single_pass;
SELECT cardinality(gpu_downsample(array_agg(i % 7), 8195, 'lttb')) FROM generate_series(1, 20000) AS i;
RESET gpucompact.algorithm;
RESET gpucompact.engine;

-- 22023: too small an n, and no such method.
COPY messages FROM stdin;
gpu_downsample('{1,2,3,4}'::integer[], 1)
gpu_downsample('{}'::integer[], -2147483648)
gpu_downsample('{1,2,3,4}'::integer[], 2, 'lttb')
gpu_downsample_points('{1,2,3,4}'::integer[], 1)
gpu_downsample_points('{1,2,3,4}'::integer[], 2, 'lttb')
gpu_downsample_points('{1,2,3,4}'::integer[], 2, 'average')
-- 22004, 22023 and 2202E: x with a NULL, not in order, and of another length.
gpu_downsample('{1,NULL,3}'::integer[], '{1,2,3}'::integer[], 2)
gpu_downsample('{1,3,2}'::integer[], '{1,2,3}'::integer[], 2)
gpu_downsample('{3,NaN,3}'::float8[], '{1,2,3}'::integer[], 3, 'lttb')
gpu_downsample('{1,2}'::integer[], '{1,2,3}'::integer[], 2)
gpu_downsample('{1,2}'::integer[], '{1,2}'::integer[], 1)
-- 0A000: elements that are no numbers; of several arrays, the error names the one.
gpu_downsample('{2024-02-29}'::date[], 2)
gpu_downsample('{t}'::boolean[], 3, 'lttb')
gpu_downsample('1 2'::int2vector, 2)
gpu_downsample('{10:00}'::time[], '{1}'::integer[], 2)
gpu_downsample('{1}'::integer[], '{2024-02-29}'::date[], 2)
\.
