-- gpu_overlaps and gpu_contains: whether an array has elements of another one
\getenv srcdir PG_ABS_SRCDIR \set ECHO none \i :srcdir/sql/calls.psql

COPY messages FROM stdin;
gpu_overlaps('{3,1,3}'::integer[], '{2,3}'), gpu_overlaps('{3,1,3}'::integer[], '{2,4}')
gpu_contains('{3,1,3}'::integer[], '{3,3,1}'), gpu_contains('{3,1,3}'::integer[], '{2,3}')
-- A NULL is in no array, so that no array has all elements of one with a NULL.
gpu_overlaps('{NULL,1}'::integer[], '{NULL}'), gpu_overlaps('{NULL,1}'::integer[], '{NULL,1}')
gpu_overlaps('{NULL}'::integer[], '{NULL}')
gpu_contains('{NULL,1}'::integer[], '{NULL}'), gpu_contains('{NULL,1}'::integer[], '{1}')
gpu_contains('{NULL,1}'::integer[], '{1,NULL}'), gpu_contains('{}'::integer[], '{NULL}')
-- No array, and no elements: all arrays have all elements of an empty one.
gpu_overlaps('{}'::integer[], '{}'), gpu_overlaps('{}'::integer[], '{1}'), gpu_overlaps('{1}'::integer[], '{}')
gpu_contains('{}'::integer[], '{}'), gpu_contains('{}'::integer[], '{1}'), gpu_contains('{1}'::integer[], '{}')
gpu_contains('{NULL}'::integer[], '{}')
-- Arrays of several dimensions, of other lower bounds, and of types that have one in common.
gpu_overlaps('{{1,2},{3,4}}'::integer[], '{{4}}'), gpu_contains('[7:8]={1,2}'::integer[], '{{2},{1}}')
gpu_overlaps('{1,2}'::integer[], '{2}'::smallint[]), gpu_contains('{1,2}'::smallint[], '{2,3000000000}'::bigint[])
gpu_contains('{1,2}'::integer[], '{2}'::float8[]), gpu_contains('1 2'::int2vector, '{2}')
gpu_overlaps('{1}'::integer[], '{1.5}'::float8[])
\.
CREATE DOMAIN percent AS integer CHECK (VALUE BETWEEN 0 AND 100);
SELECT gpu_overlaps('{60,70}'::percent[], '{70}'::percent[]), gpu_contains('{60,70}'::percent[], '{70,71}'::integer[]);
DROP DOMAIN percent;

-- Of long ones, what is looked for at any place: among the elements that are tried first, behind
-- them, and last; stored, compressed, in memory, and packed.
CREATE TABLE long (n integer, stored integer[], compressed integer[]);
ALTER TABLE long ALTER stored SET STORAGE EXTERNAL;
INSERT INTO long SELECT n, a, a
FROM unnest('{1,4095,4096,4097,65535,65536,65537,300000,1048577}'::integer[]) AS n,
	 LATERAL (SELECT array_agg(nullif(i * 2 % 2097151, 0)) AS a FROM generate_series(1, n) AS i) AS r;
SELECT count(*), bool_and(gpu_overlaps(stored, ARRAY[-1,stored[at]])) AS o, bool_and(gpu_overlaps(ARRAY[-1,stored[at]], stored || 5)) AS o,
	   bool_or(gpu_overlaps(compressed, ARRAY[-1])) AS none, bool_and(gpu_contains(stored, ARRAY[stored[at],stored[1]])) AS c,
	   bool_or(gpu_contains(compressed, ARRAY[stored[at],-1])) AS none, bool_and(gpu_contains(stored || NULL, ARRAY[stored[at]])) AS c,
	   bool_and(gpu_contains(gpu_pack(stored)::integer[], ARRAY[stored[at]])) AS c
FROM long, LATERAL (SELECT DISTINCT least(at, n) AS at FROM unnest('{1,4096,4097,65537,2000000}'::integer[]) AS at) AS places;
SELECT v.n, w.n, gpu_overlaps(v.stored, w.stored) AS o, gpu_overlaps(gpu_map(v.stored, '+', 1), w.compressed) AS none,
	   gpu_contains(v.stored, w.stored) AS c, gpu_contains(v.stored, gpu_radix_sort(w.stored || v.stored[1], true)) AS c,
	   gpu_contains(v.stored || NULL, w.stored || -1) AS none
FROM long AS v, long AS w
WHERE v.n IN (4097, 300000) AND w.n IN (1, 4096, 65537, 300000, 1048577) ORDER BY 1, 2;

-- That the first values of an array are there says nothing of the last one.
SELECT gpu_contains('{1}'::integer[], array_fill(1, ARRAY[70000]) || 2), gpu_contains('{1}'::integer[], array_fill(1, ARRAY[70000]));

-- They end chains.
EXPLAIN (VERBOSE, COSTS OFF)
SELECT gpu_overlaps(gpu_compact(stored, '>', 100), '{50,101}'), gpu_contains(gpu_map(stored, '+', 1), gpu_slice(stored, 1, 3)) FROM long;
SELECT bool_or(gpu_overlaps(gpu_compact(stored, '>', 100), '{50,101}')) AS no, bool_and(n = 1 OR gpu_overlaps(gpu_compact(stored, '>', 100), '{50,104}')) AS o,
	   bool_and(gpu_contains(gpu_map(stored, '+', 1), gpu_map(gpu_slice(stored, 1, 9000), '-', -1))) AS c FROM long;
DROP TABLE long;

-- 0A000: types that are not supported.
COPY messages FROM stdin;
gpu_contains('{1,2}'::integer[], ARRAY[1.5])
-- 42883: no type in common.
gpu_overlaps('{1}'::integer[], '{2024-02-29}'::date[])
gpu_contains('{1}'::integer[], 1)
\.
