-- gpu_fill: the last value before each NULL, or the next one, in its place
\getenv srcdir PG_ABS_SRCDIR \set ECHO none \i :srcdir/sql/calls.psql

COPY messages FROM stdin;
gpu_fill('{NULL,3,NULL,NULL,5,NULL}'::integer[]), gpu_fill('{NULL,3,NULL,NULL,5,NULL}'::integer[], true)
gpu_fill('{1,NULL}'::integer[], backward => false)
\.

-- At most some NULLs of each run: the first ones, or, backward, the last ones.
SELECT n, gpu_fill(a, max_nulls => n), gpu_fill(a, true, n)
FROM (VALUES ('{NULL,NULL,3,NULL,NULL,NULL,5,NULL,7,NULL,NULL}'::integer[])) AS r (a),
	 unnest('{0,1,2,3,2147483647}'::integer[]) AS n ORDER BY n;
COPY messages FROM stdin;
pg_column_size(gpu_fill('{1,NULL,3}'::integer[], max_nulls => 1)) = pg_column_size('{1,1,3}'::integer[]) AS same
gpu_fill('{1}'::integer[], max_nulls => -1)
-- An array without NULLs in the result has no bitmap of them.
pg_column_size(gpu_fill('{1,NULL,3}'::integer[])) = pg_column_size('{1,1,3}'::integer[]) AS same
\.

-- A stored array, which comes by pieces, answers as one in memory: runs of NULLs
-- have whole pieces, begin and end where values are read, or have one element.
\set ECHO none
CREATE TABLE stored (kind text, a integer[], x float8[]);
ALTER TABLE stored ALTER a SET STORAGE EXTERNAL, ALTER x SET STORAGE EXTERNAL;
INSERT INTO stored
SELECT kind, a, gpu_map(a::float8[], '/', 2)
FROM unnest('{whole pieces,first value,last value,first slice,first values,tail,seldom,often}'::text[]) AS kind,
	 LATERAL (SELECT ARRAY(SELECT CASE WHEN CASE kind
									WHEN 'whole pieces' THEN i / 66000 % 2 = 1
									WHEN 'first value' THEN i > 1
									WHEN 'last value' THEN i < 133000
									WHEN 'first slice' THEN i > 4000
									WHEN 'first values' THEN i BETWEEN 101 AND 131100
									WHEN 'tail' THEN i > 50000
									WHEN 'seldom' THEN i % 1000 = 0
									WHEN 'often' THEN hashint4(i) % 2 = 0 END
								THEN NULL ELSE hashint4(i) / 4 END
						   FROM generate_series(1, 133000) AS i) AS a OFFSET 0) AS arrays;
SELECT kind FROM stored, trim_array(a, 0) AS b, trim_array(x, 0) AS y
WHERE gpu_fill(a) IS DISTINCT FROM gpu_fill(b) OR gpu_fill(a, true) IS DISTINCT FROM gpu_fill(b, true) OR
	  gpu_fill(x) IS DISTINCT FROM gpu_fill(y) OR gpu_fill(x, true) IS DISTINCT FROM gpu_fill(y, true) OR
	  gpu_delta(a) IS DISTINCT FROM gpu_delta(b) OR gpu_prefix_sum(x) IS DISTINCT FROM gpu_prefix_sum(y) OR
	  gpu_window(x, 'max', 3, 3) IS DISTINCT FROM gpu_window(y, 'max', 3, 3) OR
	  gpu_zip(a, '-', a) IS DISTINCT FROM gpu_zip(b, '-', b) OR gpu_dot(a, a) IS DISTINCT FROM gpu_dot(b, b);
-- And so does a packed one.
ALTER TABLE stored ADD p gpu_packed, ADD q gpu_packed;
ALTER TABLE stored ALTER p SET STORAGE EXTERNAL, ALTER q SET STORAGE EXTERNAL;
UPDATE stored SET p = gpu_pack(a), q = gpu_pack(x);
SELECT kind FROM stored
WHERE gpu_fill(p::integer[]) IS DISTINCT FROM gpu_fill(a) OR gpu_fill(q::float8[], true) IS DISTINCT FROM gpu_fill(x, true) OR
	  gpu_delta(p::integer[]) IS DISTINCT FROM gpu_delta(a) OR gpu_prefix_sum(q::float8[]) IS DISTINCT FROM gpu_prefix_sum(x) OR
	  gpu_window(q::float8[], 'max', 3, 3) IS DISTINCT FROM gpu_window(x, 'max', 3, 3) OR
	  gpu_zip(p::integer[], '-', a) IS DISTINCT FROM gpu_zip(a, '-', a);
-- At most n NULLs in a row: where the last value is not farther.
SELECT kind, n
FROM (VALUES ('first values', 70000), ('often', 1)) AS v (kind, n) JOIN stored USING (kind),
	 LATERAL (SELECT array_agg(CASE WHEN number <= n + 1 THEN value END ORDER BY i)
			  FROM (SELECT i, row_number() OVER w, first_value(v) OVER w
					FROM (SELECT v, i, count(v) OVER (ORDER BY i) FROM unnest(a) WITH ORDINALITY AS u (v, i)) AS s (v, i, values)
					WINDOW w AS (PARTITION BY values ORDER BY i)) AS t (i, number, value)) AS plain (filled)
WHERE gpu_fill(a, false, n) IS DISTINCT FROM filled OR gpu_fill(p::integer[], false, n) IS DISTINCT FROM filled OR
	  gpu_fill(q::float8[], true, n) IS DISTINCT FROM gpu_fill(trim_array(x, 0), true, n);
DROP TABLE stored;
\set ECHO all

-- 0A000: a vector.
COPY sqlstates FROM stdin;
gpu_fill('1 2'::int2vector)
\.
