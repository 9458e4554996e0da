-- gpu_dot: the sum of the products of two arrays' elements
\getenv srcdir PG_ABS_SRCDIR \set ECHO none \i :srcdir/sql/calls.psql

COPY messages FROM stdin;
gpu_dot('{1,2,3}'::integer[], '{4,5,6}'), gpu_dot('{1.5,2,-3}'::real[], '{2,0.5,1}')
gpu_dot('{1.5,2,-3}'::double precision[], '{2,0.5,1}'), gpu_dot('{1,2}', ARRAY[3,4])
-- The type is that in which a sum of integers is exact.
pg_typeof(gpu_dot('{1}'::smallint[], '{1}')), pg_typeof(gpu_dot('{1}'::integer[], '{1}'))
pg_typeof(gpu_dot('{1}'::bigint[], '{1}')), pg_typeof(gpu_dot('{1}'::real[], '{1}'))
pg_typeof(gpu_dot('{1}'::double precision[], '{1}'))
-- No array, no pair, one pair; a pair with a NULL is left out.
gpu_dot('{}'::smallint[], '{}') IS NULL AS no_element
gpu_dot('{NULL,1}'::integer[], '{2,NULL}') IS NULL AS no_pair
gpu_dot('{-7}'::bigint[], '{7}'), gpu_dot('{1,NULL,3,4}'::integer[], '{5,6,NULL,8}')
gpu_dot('{NULL,1.5,3}'::real[], '{Infinity,2,NULL}'), gpu_dot('{NULL,1,2}'::double precision[], '{1,2,3}')
gpu_dot('{1,2,3}'::double precision[], '{4,5,NULL}')
-- Sums of integers are exact, however large.
gpu_dot(a, a), gpu_dot(a, b) FROM (VALUES (array_fill((-32768)::smallint, ARRAY[300000]), array_fill(32767::smallint, ARRAY[300000]))) AS v (a, b)
gpu_dot(a, a), gpu_dot(a, b) FROM (VALUES (array_fill(-2147483648, ARRAY[300000]), array_fill(2147483647, ARRAY[300000]))) AS v (a, b)
gpu_dot(a, a), gpu_dot(a, b) FROM (VALUES (array_fill(-9223372036854775808, ARRAY[300000]), array_fill(9223372036854775807, ARRAY[300000]))) AS v (a, b)
gpu_dot('{9223372036854775807,-9223372036854775808}'::bigint[], '{-9223372036854775808,-9223372036854775807}')
-- Products of real are rounded to real, and so are the sums.
gpu_dot('{0.1}'::real[], '{0.1}') = 0.1::real * 0.1::real AS product
gpu_dot('{16777216,1,1}'::real[], '{1,1,1}') AS sum
\.
SELECT gpu_dot(a, b) = gpu_reduce(gpu_zip(a, '*', b), '+') AS float8,
	   gpu_dot(a::real[], b::real[]) = gpu_reduce(gpu_zip(a::real[], '*', b::real[]), '+') AS float4
FROM (SELECT array_agg(random() - 0.3) AS a, array_agg(random() * 1000) AS b FROM generate_series(1, 100000)) AS arrays;

-- The order counts pairs without a NULL alone; of large arrays, too.
SELECT gpu_dot(a, b) = gpu_dot(gpu_take(a, p), gpu_take(b, p)) AS same
FROM unnest('{20000,300000}'::integer[]) AS n,
	 LATERAL (SELECT array_agg(CASE WHEN random() < 0.8 THEN random() END) AS a, array_agg(CASE WHEN random() < 0.8 THEN random() END) AS b
			  FROM generate_series(1, n)) AS arrays,
	 LATERAL (SELECT array_agg(i::integer ORDER BY i) FROM unnest(a, b) WITH ORDINALITY AS u (x, y, i) WHERE x * y IS NOT NULL) AS pairs (p);

-- Infinities, NaNs and zeros.
COPY messages FROM stdin;
gpu_dot('{1,Infinity}'::real[], '{1,2}'), gpu_dot('{Infinity,-Infinity}'::float8[], '{1,1}')
gpu_dot('{Infinity}'::float8[], '{0}'), gpu_dot('{NaN,1}'::real[], '{0,1}'), gpu_dot('{-0}'::float8[], '{1}')
gpu_dot('{0,-0}'::float8[], '{1,1}')
-- 22003: products and sums of floats, in their own type.
gpu_dot('{3e38}'::real[], '{2}')
gpu_dot('{1e-30}'::real[], '{1e-30}')
gpu_dot('{1e308,1e308}'::double precision[], '{1,1}')
gpu_dot('{NULL,1}'::double precision[], '{1e308,NULL}') IS NULL AS null_pairs
gpu_dot('{3e38,3e38}'::float8[], '{3e38,3e38}') AS wider
-- Any lower bound; stored in any way.
gpu_dot('[0:1]={1,2}'::integer[], '[5:6]={10,20}')
\.
CREATE TABLE stored (a double precision[], b double precision[], a_plain double precision[], b_nulls double precision[]);
ALTER TABLE stored ALTER a SET STORAGE EXTERNAL, ALTER b_nulls SET STORAGE EXTERNAL;
INSERT INTO stored
SELECT array_agg(i % 1000), array_agg(i % 77), array_agg(i % 1000), array_agg(nullif(i % 77, 5))
FROM generate_series(1, 300000) AS i;
SELECT gpu_dot(a, b) = sum AS stored, gpu_dot(a_plain, b) = sum AS compressed, gpu_dot(a || '{}', b || '{}') = sum AS in_memory,
	   gpu_dot(a, b_nulls) = sum_nulls AS nulls, gpu_dot(b_nulls, a) = sum_nulls AS nulls_first, gpu_dot(b_nulls, b_nulls) AS square
FROM stored, LATERAL (SELECT sum(x * y), sum(x * z) FROM unnest(a, b, b_nulls) AS u (x, y, z)) AS core (sum, sum_nulls);
DROP TABLE stored;

-- It ends a chain.
CREATE TABLE runs (a integer[], b integer[]);
INSERT INTO runs VALUES ('{1,2,4,8}', '{1,10,100,1000}');
EXPLAIN (VERBOSE, COSTS OFF) SELECT gpu_dot(gpu_delta(a), gpu_map(b, '+', 1)) FROM runs;
SELECT gpu_dot(gpu_delta(a), gpu_map(b, '+', 1)), gpu_dot(gpu_delta(a)::real[], b::real[]) FROM runs;
DROP TABLE runs;

-- 2202E: other lengths; 0A000: elements that are no numbers.
COPY messages FROM stdin;
gpu_dot('{1,2}'::integer[], '{1}')
gpu_dot(ARRAY[1.5], ARRAY[2.5])
gpu_dot('{2024-02-29}'::date[], '{2024-02-29}')
-- 42725: a vector or a domain may be that of any number.
gpu_dot('1 2'::int2vector, '1 2')
CREATE DOMAIN percent AS integer CHECK (VALUE BETWEEN 0 AND 100)
gpu_dot('{60,70}'::percent[], '{60,70}'::percent[])
\.
DROP DOMAIN percent;
