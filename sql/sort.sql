-- gpu_radix_sort, gpu_argsort and gpu_sort_by_key: an array in order
\getenv srcdir PG_ABS_SRCDIR \set ECHO none \i :srcdir/sql/calls.psql

-- gpu_radix_sort: its elements in order

-- NULLs come last, or first when descending, as in ORDER BY, unless nulls_first says
-- where.  There are as many elements as before, counted from where they were.
SELECT a, gpu_radix_sort(a) AS ascending, gpu_radix_sort(a, true) AS descending,
	   gpu_radix_sort(a, false, true) AS nulls_first, gpu_radix_sort(a, true, false) AS nulls_last
FROM (VALUES ('{3,1,4,1,5,9,2,6}'::integer[]), ('{}'), (NULL), ('{3,NULL,1,NULL,2}'), ('[-7:-4]={4,NULL,6,5}')) AS v (a);
SELECT gpu_radix_sort(a, descending => false), gpu_radix_sort(a, nulls_first => true), gpu_radix_sort(a, false, false),
	   gpu_radix_sort(a, true, true), gpu_radix_sort(a, false, NULL), gpu_radix_sort(a, true, NULL),
	   gpu_radix_sort(a, NULL), gpu_radix_sort(a, NULL, true), pg_typeof(gpu_radix_sort(a))
FROM (VALUES ('{3,NULL,1,NULL,2}'::integer[])) AS v (a);

-- Arrays as they come in queries.
CREATE TABLE runs (id integer PRIMARY KEY, samples integer[]);
INSERT INTO runs VALUES (1, '{3,2,1}'), (2, '{}'), (3, NULL), (4, '{NULL,7}');
INSERT INTO runs SELECT 5, array_agg(i * 17 % 100003 ORDER BY i) FROM generate_series(1, 100000) AS i;
SELECT id, gpu_radix_sort(samples, id % 2 = 1) FROM runs WHERE id < 5 ORDER BY id;
COPY messages FROM stdin;
id, cardinality(sorted), sorted[:5] AS begin, sorted[99996:] AS end FROM runs, gpu_radix_sort(samples) AS sorted WHERE id = 5
gpu_radix_sort(samples[2:]) FROM runs WHERE id = 1
gpu_radix_sort(array_agg(id), true) FROM runs
gpu_radix_sort(gpu_radix_sort(samples), true) FROM runs WHERE id = 1
\.

-- The functions are immutable: an index, a generated column and a constant
-- may rest on them.
ALTER TABLE runs ADD sorted integer[] GENERATED ALWAYS AS (gpu_radix_sort(samples)) STORED;
CREATE INDEX ON runs (gpu_radix_sort(samples[1:2]));
UPDATE runs SET samples = samples || 0 WHERE id < 5;
SELECT id, samples, sorted FROM runs WHERE id < 5 ORDER BY id;
PREPARE sort_constant AS SELECT gpu_radix_sort('{2,1}'::integer[]);
EXECUTE sort_constant;
EXECUTE sort_constant;
DEALLOCATE sort_constant;
DROP TABLE runs;

-- All types that have an order.
COPY messages FROM stdin;
gpu_radix_sort(a), gpu_radix_sort(a, true) AS descending FROM (VALUES ('{NaN,1,-Infinity,NULL,Infinity,0.5,-1,1e-45}'::real[])) AS v (a)
-- gpu_argsort: where the elements are, in the order that they sort in
gpu_argsort('{30,10,20}'::integer[]), gpu_argsort('{30,10,20}'::integer[], descending => true)
-- Equal ones keep their order, also when descending.
gpu_argsort('{2,1,2,1,2}'::integer[]), gpu_argsort('{2,1,2,1,2}'::integer[], true)
gpu_argsort(ARRAY[float8 'NaN', 1, -float8 'NaN', float8 'NaN'])
-- So do NULLs, which come last, or first when descending, unless nulls_first
-- says where.
gpu_argsort('{NULL,2,NULL,1}'::integer[]), gpu_argsort('{NULL,2,NULL,1}'::integer[], true)
gpu_argsort(NULL::integer[]) IS NULL AND gpu_argsort('{1}'::integer[], NULL) IS NULL AND gpu_argsort('{1}'::integer[], false, NULL) IS NOT NULL
-- It sorts another array in the same order, too.
ARRAY(SELECT names[i] FROM unnest(gpu_argsort(scores, true)) AS i) AS names FROM (VALUES ('{ann,bob,cyd}'::text[], '{7,9,8}'::integer[])) AS v (names, scores)
-- gpu_sort_by_key: elements in the order of their keys
gpu_sort_by_key('{1,2,3,4}'::integer[], '{40,10,30,20}'::bigint[])
gpu_sort_by_key(a => '{1,2,3,4}'::integer[], keys => '{40,10,30,20}'::integer[], descending => true)
\.

-- Elements with equal keys keep their order; NULL keys come as in ORDER BY.
SELECT gpu_sort_by_key(a, keys) AS ascending, gpu_sort_by_key(a, keys, true) AS descending,
	   gpu_sort_by_key(a, keys, nulls_first => true) AS nulls_first, gpu_sort_by_key(a, keys, true, false) AS nulls_last
FROM (VALUES ('{1,2,3,4,5,6}'::integer[], '{1.5,NULL,0.5,1.5,NULL,0.5}'::real[]))
	 AS v (a, keys);

-- Of elements of any size, however the NULL keys lie among several pieces: here
-- and there, in long stretches, at the end, or everywhere.
\set ECHO none
SELECT name, descending, nulls_first
FROM (SELECT name, array_agg(i ORDER BY i) AS a,
			 array_agg(i::bigint ORDER BY i) AS b, array_agg(k ORDER BY i) AS keys
	  FROM generate_series(1, 150000) AS i,
		   LATERAL (VALUES ('here and there', NULLIF(hashint4(i) % 3, 0)),
						   ('stretches', CASE WHEN i / 40000 % 2 = 0 THEN hashint4(i) END),
						   ('end', CASE WHEN i <= 70000 THEN hashint4(i) END),
						   ('everywhere', NULL)) AS v (name, k)
	  GROUP BY name) AS arrays,
	 (VALUES (false), (true)) AS d (descending),
	 (VALUES (false), (true)) AS n (nulls_first)
WHERE gpu_sort_by_key(a, keys, descending, nulls_first)::bigint[] IS DISTINCT FROM
	  gpu_sort_by_key(b, keys, descending, nulls_first) OR
	  gpu_sort_by_key(b, keys, descending, nulls_first)::integer[] IS DISTINCT FROM
	  gpu_argsort(keys, descending, nulls_first)
ORDER BY name, descending, nulls_first;
\set ECHO all

-- Elements may be NULL, and of any type that is supported.
SELECT gpu_sort_by_key('{1,NULL,3,NULL}'::integer[], '{4,3,2,1}'::integer[]), gpu_sort_by_key('{1,2}'::integer[], '{NULL,NULL}'::integer[]),
	   gpu_sort_by_key('[0:2]={1,2,3}'::integer[], '[7:9]={3,2,1}'::integer[]), gpu_sort_by_key('{1}'::integer[], '{1}'::integer[], NULL);
-- There is a key for each element.
COPY messages FROM stdin;
gpu_sort_by_key('{1,2}'::integer[], '{1}'::integer[])
\.
