-- gpu_take: the elements of an array at positions
\getenv srcdir PG_ABS_SRCDIR \set ECHO none \i :srcdir/sql/calls.psql

COPY messages FROM stdin;
gpu_take('{10,20,30}'::integer[], '{3,1,1}')
gpu_take('{10,20,30}'::integer[], positions => '{2}')
pg_typeof(gpu_take('{1}'::smallint[], '{1}'))
-- A position that is NULL or not there, and one of a NULL, make a NULL.
gpu_take('{10,20,NULL,40}'::integer[], '{4,1,NULL,3,0,5,-7,2147483647,-2147483648}')
gpu_take('{}'::integer[], '{1,NULL}'), gpu_take('{NULL}'::integer[], '{1}')
-- No array, and no positions.
gpu_take('{1}'::integer[], '{}'), gpu_take('{NULL}'::integer[], '{}')
-- The result has the lower bound of the positions; that of the array does not matter.
gpu_take('[7:9]={1,2,3}'::integer[], '[0:1]={3,1}')
gpu_take('[7:9]={1,2,3}'::integer[], '[0:2]={3,NULL,7}')
\.

-- As subscripts, the bits of NULLs, of some words, at some positions: no row is to come.
SELECT n, m
FROM generate_series(1, 70) AS n, unnest('{1,7,8,15,16,17,40}'::integer[]) AS m,
	 LATERAL (SELECT ARRAY(SELECT CASE WHEN (i * 7 + n) % 3 > 0 THEN i END
						   FROM generate_series(1, n) AS i) AS a,
					 ARRAY(SELECT i * 13 % (n + 2) FROM generate_series(1, m) AS i) AS p) AS arrays
WHERE gpu_take(a, p) IS DISTINCT FROM
	  ARRAY(SELECT a[q] FROM unnest(p) WITH ORDINALITY AS u (q, j) ORDER BY j);

-- 0A000: a vector; 42883: other positions.
COPY sqlstates FROM stdin;
gpu_take('1 2'::int2vector, '{1}')
gpu_take('{1}'::integer[], '{1}'::bigint[])
\.
