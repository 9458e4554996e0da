-- gpu_map: each element of an array, combined with a value, or a function of it
\getenv srcdir PG_ABS_SRCDIR \set ECHO none \i :srcdir/sql/calls.psql

COPY messages FROM stdin;
gpu_map('{1,NULL,-7}'::integer[], '+', 2), gpu_map('{1,NULL,-7}'::integer[], '-', 2)
gpu_map('{1,NULL,-7}'::integer[], '*', 2), gpu_map('{1,NULL,-7}'::integer[], '/', 2)
gpu_map('{1,NULL,-7}'::integer[], '%', 2)
gpu_map(2, '-', '{1,NULL,-7}'::integer[]), gpu_map(20, '/', '{1,NULL,-7}'::integer[])
gpu_map(20, '%', '{1,NULL,-7}'::integer[])
gpu_map('{1,NULL,-7}'::integer[], 'least', 0), gpu_map('{1,NULL,-7}'::integer[], 'greatest', 0)
gpu_map(0, 'least', '{1,NULL,-7}'::integer[])
gpu_map('{1.5,-2.5,NULL}'::real[], '*', 2), gpu_map('{1.5,-2.5}'::double precision[], '/', 0.5)
gpu_map(1, '-', '{1.5,-2.5}'::double precision[])
\.
SELECT pg_column_size(gpu_map(a, '+', 1)) AS kept, pg_column_size(gpu_map(a, 'least', 1)) AS filled
FROM (VALUES ('{1,2,3}'::integer[]), ('{1,NULL,3}'), ('{NULL,NULL}')) AS v (a);

-- Integers do not wrap.
COPY messages FROM stdin;
gpu_map('{1,32767}'::smallint[], '+', 1)
gpu_map('{-32768,7}'::smallint[], '%', -1), gpu_map('{-2147483648,7}'::integer[], '%', -1)
gpu_map('{-32768,32767}'::smallint[], '/', 2), gpu_map('{-2147483648,2147483647}'::integer[], '/', 3)
gpu_map(-2147483648, '/', '{1,-2,2147483647}'::integer[])
-- Nothing is divided by zero, but NULL.
gpu_map('{1}'::integer[], '/', 0)
gpu_map('{NaN}'::double precision[], '/', 0), gpu_map(1, '/', '{NULL}'::integer[])
-- The first element with an error raises it.
gpu_map(-2147483648, '/', '{1,-1,0}'::integer[])
gpu_map(-2147483648, '/', '{1,0,-1}'::integer[])
gpu_map(a || '{2147483647}', '+', 1) FROM (SELECT array_agg(i) AS a FROM generate_series(1, 100000) AS i) AS v
gpu_map(1, '/', a || '{0}') FROM (SELECT array_agg(CASE WHEN i % 3 > 0 THEN i END) AS a FROM generate_series(1, 100000) AS i) AS v
-- Floats have core's rules.
gpu_map('{1e-30}'::real[], '*', 1e-30)
gpu_map('{Infinity,-Infinity,NaN,0,-0}'::double precision[], '+', 'Infinity')
gpu_map('{Infinity,-Infinity,NaN,0,-0}'::double precision[], '*', 0)
gpu_map('{Infinity,-Infinity,NaN,0,-0}'::double precision[], '/', 'Infinity')
gpu_map('{Infinity,-Infinity,NaN,0,-0,NULL}'::real[], 'least', 0)
gpu_map('{Infinity,-Infinity,NaN,0,-0,NULL}'::real[], 'greatest', 'NaN')
gpu_map('{0.1,0.7}'::real[], '+', 0.2), gpu_map('{0.1,0.7}'::real[], '*', 0.2::real)
gpu_map('{16777216}'::real[], '+', 1)
\.

-- Functions.
SELECT fn, gpu_map('{2.5,-2.5,0.5,-0.5,-0,0,NaN,Infinity,-Infinity,NULL}'::double precision[], fn),
	   gpu_map('{2.5,-2.5,0.5,-0.5,-0,0,NaN,Infinity,-Infinity,NULL}'::real[], fn)
FROM unnest('{abs,-,sign,floor,ceil,round,trunc}'::text[]) WITH ORDINALITY AS f (fn, n) ORDER BY n;
COPY messages FROM stdin;
gpu_map('{4,2,0,-0,NaN,Infinity,NULL}'::double precision[], 'sqrt')
gpu_map('{4,-1}'::double precision[], 'sqrt')
-- Values of other types of numbers, as long as they are elements.
gpu_map('{1}'::smallint[], '+', 2::bigint), gpu_map('{1}'::bigint[], '+', 2::smallint)
gpu_map('{1}'::real[], '+', 2.5), gpu_map('{1}'::integer[], '+', '2'), gpu_map('2', '+', '{1}'::integer[])
gpu_map('{1}'::double precision[], '+', 2::real)
gpu_map('{1}'::smallint[], '+', 32768)
gpu_map('{1}'::integer[], '+', true)
\.
SELECT gpu_map('{1}'::integer[], '+', 'a');

-- Other elements.
COPY messages FROM stdin;
gpu_map('{t}'::boolean[], 'least', true)
gpu_map('{2026-11-01}'::date[], '+', 1)
\.
CREATE DOMAIN small AS integer CHECK (VALUE < 10);
COPY messages FROM stdin;
gpu_map('{1}'::small[], '+', 1)
gpu_map('{1}'::integer[], '+', 1::small)
\.
DROP DOMAIN small;

-- Other operators and functions.
COPY messages FROM stdin;
gpu_map('{1}'::integer[], '^', 1)
gpu_map('{1}'::integer[], 'min', 1)
gpu_map('{1}'::integer[], '>', 1)
gpu_map('{1}'::integer[], 'ln')
gpu_map('{1}'::integer[], 'ceiling')
-- Literals without a type, and a value between two bounds.
gpu_map('{1,NULL,3}', '+', 1), gpu_map(ARRAY[1,NULL,3], '+', '1'), gpu_map(10, '-', '{1,NULL,3}')
gpu_map(gpu_map('{-5,5,15,25}', 'greatest', 0), 'least', 20)
\.
