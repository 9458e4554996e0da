-- gpu_prefix_sum, gpu_scan and gpu_reduce: an operator over an array
\getenv srcdir PG_ABS_SRCDIR \set ECHO none \i :srcdir/sql/calls.psql

-- gpu_prefix_sum: the running sums of an array

-- Inclusive, the sum of the elements up to each one; exclusive, of those before it.
-- At a NULL the sum stays what it was; before the first value there is none, but
-- an exclusive sum of nothing is 0.  The shape is kept, and rows follow each other.
SELECT a, gpu_prefix_sum(a), gpu_prefix_sum(a, true)
FROM (VALUES ('{3,1,4,1,5}'::integer[]), ('{}'), (NULL), ('{1,NULL,2,NULL}'), ('{NULL,NULL,1,NULL,2}'),
			 ('[-5:-3]={1,NULL,3}'), ('{{1,2},{3,4}}'), ('{2147483647,2147483647,-2147483648}')) AS v (a);
COPY messages FROM stdin;
gpu_prefix_sum(ARRAY[3, 1], exclusive => false), gpu_prefix_sum('{3,1}'::integer[], exclusive => true)
-- No array is long enough for its integers to add up to more than a bigint.
sums[100000] AS last, sums[100000] = 100000 * 2147483647::bigint AS right FROM gpu_prefix_sum(array_fill(2147483647, ARRAY[100000])) AS sums
sums[100000] AS last, sums[100000] = 100000 * -2147483648::bigint AS right FROM gpu_prefix_sum(array_fill(-2147483648, ARRAY[100000])) AS sums
\.

-- Arrays as they come in queries: of a column, an aggregate, a slice, an
-- element-wise assignment.
CREATE TABLE runs (id integer PRIMARY KEY, samples integer[]);
INSERT INTO runs VALUES (1, '{1,2,3}'), (2, '{}'), (3, NULL), (4, '{NULL,7}'), (5, array_fill(1, ARRAY[100000]));
SELECT id, gpu_prefix_sum(samples) FROM runs WHERE id < 5 ORDER BY id;
COPY messages FROM stdin;
id, cardinality(sums), sums[1] AS first, sums[99999:] AS end FROM runs, gpu_prefix_sum(samples) AS sums WHERE id = 5
gpu_prefix_sum(samples[2:]) FROM runs WHERE id = 1
gpu_prefix_sum(array_agg(id ORDER BY id)) FROM runs
\.
UPDATE runs SET samples[5] = 9 WHERE id = 1;
SELECT samples, gpu_prefix_sum(samples) FROM runs WHERE id = 1;
UPDATE runs SET samples[4] = 4 WHERE id = 1;
SELECT samples, gpu_prefix_sum(samples) FROM runs WHERE id = 1;
DROP TABLE runs;

-- The sums of integers are of type bigint; those of floats, of their own.
COPY messages FROM stdin;
gpu_prefix_sum('{32767,NULL,32767}'::smallint[]), pg_typeof(gpu_prefix_sum('{1}'::smallint[]))
gpu_prefix_sum('{0.5,NULL,-2}'::real[]), pg_typeof(gpu_prefix_sum('{1}'::real[])) AS type
gpu_prefix_sum('{0.5,NULL,-2}'::double precision[], true) AS sums
-- As with sum(), a sum that is no bigint is an error, and so is one of finite
-- floats that is not finite.
gpu_prefix_sum('{9223372036854775807,1,-1}'::bigint[])
gpu_prefix_sum('{3e38,3e38}'::real[])
-- An exclusive scan needs no sum of all.
gpu_prefix_sum('{9223372036854775807,1}'::bigint[], true)
-- Infinity and NaN are values.
gpu_prefix_sum('{1,Infinity,1,-Infinity,1}'::real[])
gpu_prefix_sum('{-Infinity,3e38,3e38}'::real[])
-- -0 is the sum of -0 alone, whether or not there are NULLs.
gpu_prefix_sum('{-0,-0,0,-0}'::real[])
gpu_prefix_sum('{-0,NULL,-0,NULL}'::double precision[])
\.

-- gpu_scan: running results of an operator, in the type of the elements
SELECT op, gpu_scan('{6,3,NULL,-1,5}'::integer[], op) AS inclusive,
	   gpu_scan('{6,3,NULL,-1,5}'::integer[], op, exclusive => true) AS exclusive
FROM unnest('{+,*,min,max,&,|,#}'::text[]) AS op;

-- Before the first value there is none.  An exclusive scan starts with what
-- the operator makes of nothing: for the least and the greatest, NULL.
SELECT op, gpu_scan('{NULL,NULL,6,NULL,3}'::smallint[], op) AS inclusive,
	   gpu_scan('{NULL,NULL,6,NULL,3}'::smallint[], op, true) AS exclusive
FROM unnest('{+,*,min,max,&,|,#}'::text[]) AS op;
-- Of floats NaN is the greatest, and -0 is 0.
COPY messages FROM stdin;
gpu_scan('{Infinity,NaN,1}'::real[], 'max'), gpu_scan('{NaN,Infinity,1,-Infinity}'::double precision[], 'min')
gpu_scan('{0,-0}'::real[], 'min') = '{0,0}' AS zeros
-- A result has to be of the type of the elements.
gpu_scan('{32767,1}'::smallint[], '+')
gpu_scan('{1e-30,1e-30}'::real[], '*')
gpu_scan('{32767,1}'::smallint[], '+', exclusive => true)
gpu_scan('{2147483647,NULL,-2147483647,-1,2147483647}'::integer[], '+')
gpu_scan(array_fill(1, ARRAY[9999]) || 2147483647, '+')
-- Operators that there are not, or not for floats.
gpu_scan('{1}'::integer[], '-')
gpu_scan('{1}'::real[], '&')
gpu_scan('{}'::double precision[], '|')
gpu_reduce('{1}'::real[], '#')
\.

-- gpu_reduce: what a scan ends with, or NULL if there is no value
SELECT op, gpu_reduce('{6,3,NULL,-1,5}'::integer[], op) AS integer,
	   gpu_reduce('{NULL,6,3,NULL}'::smallint[], op) AS smallint, gpu_reduce('{7}'::bigint[], op) AS bigint,
	   gpu_reduce('{NULL,NULL}'::bigint[], op) AS of_nulls, gpu_reduce('{}'::integer[], op) AS of_none
FROM unnest('{+,*,min,max,&,|,#}'::text[]) AS op;
COPY messages FROM stdin;
gpu_reduce('{9223372036854775807,1}'::bigint[], '+')
gpu_reduce('{3e38,3e38,-3e38}'::real[], '+')
gpu_reduce('{-0,NULL,-0}'::real[], '+')
\.

-- The least and the greatest are there for every type that has an order, in
-- which -infinity is the first and infinity the last.
SET datestyle = ISO;
COPY messages FROM stdin;
gpu_scan('{2024-02-29,NULL,infinity,2024-02-28,-infinity}'::date[], 'min')
gpu_reduce('{12:00,24:00,00:00:00.000001}'::time[], 'min'), gpu_reduce('{4294967295,NULL}'::oid[], 'min')
gpu_reduce('{t,t}'::boolean[], 'min') AS "all", gpu_reduce('{f,f,NULL}'::boolean[], 'max') AS "any"
\.

-- A tile's last segment is added to what precedes the tile, so that no partial
-- sum is out of range.
SELECT n, gpu_reduce(a, '+') AS sum, (gpu_prefix_sum(a))[n] AS last
FROM unnest('{4161,4200,8192,12288}'::integer[]) AS n,
	 LATERAL (SELECT array_agg(CASE i WHEN 1 THEN -1.5e308 WHEN 4097 THEN 1e308 WHEN n THEN 1e308
							   ELSE 0 END::float8 ORDER BY i) AS a
			  FROM generate_series(1, n) AS i) AS r;

-- The other operators are for numbers.
COPY messages FROM stdin;
gpu_scan('{t}'::boolean[], '|')
gpu_reduce('{2024-02-29}'::date[], '+')
gpu_scan('{1}'::oid[], '*')
\.
