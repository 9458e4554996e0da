-- gpu_distinct, gpu_distinct_counts and gpu_run_lengths: of equal elements, one
\getenv srcdir PG_ABS_SRCDIR \set ECHO none \i :srcdir/sql/calls.psql

-- gpu_distinct: the different elements, in order
COPY sqlstates FROM stdin;
gpu_distinct('{3,1,3,1,2}'::integer[])
-- NULLs are equal to each other, and come last.
gpu_distinct('{NULL,2,NULL,1,2}'::integer[]), gpu_distinct('{NULL,NULL}'::integer[])
-- in_order: each where it is first, NULL among them
gpu_distinct('{3,1,3,NULL,2,1,NULL}'::integer[], in_order => true)
gpu_distinct('{3,1,3,NULL,2,1,NULL}'::integer[], false), gpu_distinct('{NULL,NULL}'::integer[], true)
\.

-- gpu_distinct_counts: these, and how often each is there
SELECT * FROM gpu_distinct_counts('{3,1,3,1,2}'::integer[]) \gx
SELECT * FROM gpu_distinct_counts('{NULL,2,NULL,1,2,NULL}'::integer[]);
SELECT x, n FROM gpu_distinct_counts('{b,a,b}'::"char"[]) AS d, unnest(d.values, d.counts) AS u (x, n);

-- gpu_run_lengths: each stretch of equal elements, and how long it is
SELECT * FROM gpu_run_lengths('{3,3,1,1,1,3}'::integer[]) \gx
COPY messages FROM stdin;
-- NULLs are a run, too, and end the one before.
* FROM gpu_run_lengths('{3,NULL,NULL,3,3,1,NULL}'::integer[])
\.

-- The row is one like any other, whatever the length of its arrays.
WITH kept AS MATERIALIZED (
	SELECT n, array_agg(i % 2 = 0 ORDER BY i) AS a,
		   gpu_run_lengths(array_agg(i % 2 = 0 ORDER BY i)) AS runs
	FROM unnest('{1,2,3,4,5,6,7,8,9,100,1001,30001}'::integer[]) AS n,
		 generate_series(1, n) AS i
	GROUP BY n
)
SELECT count(*), bool_and(runs *= ROW(a, array_fill(1, ARRAY[n]))) AS like_any,
	   bool_and((runs).values = a AND cardinality((runs).lengths) = n) AS right
FROM kept;

COPY messages FROM stdin;
-- gpu_mode: the element that is there most often, and of several the least
gpu_mode('{3,1,3,2}'::integer[]), gpu_mode('{3,1,3,1,2}'::integer[]), gpu_mode('{5}'::bigint[])
-- NULLs are ignored; where there is no value, there is no mode.
gpu_mode('{NULL,NULL,3}'::integer[]), gpu_mode('{NULL}'::integer[]) IS NULL, gpu_mode('{}'::integer[]) IS NULL
\.

-- NaNs of both signs are one value, also where the tasks of a sort divide them.
SELECT gpu_mode(array_agg(x)), gpu_count_distinct(x)
FROM (SELECT CASE WHEN i <= 3500 THEN 1.5 WHEN i <= 522288 THEN i * 0.1::double precision
				  WHEN i <= 525288 THEN 'NaN' ELSE -'NaN'::double precision END
	  FROM generate_series(1, 526288) AS i) AS v (x);
