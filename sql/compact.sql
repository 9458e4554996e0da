-- gpu_compact and gpu_positions: some of the elements of an array
\getenv srcdir PG_ABS_SRCDIR \set ECHO none \i :srcdir/sql/calls.psql

-- gpu_compact(a): those that are neither zero nor NULL

-- What is left keeps its order, and is counted from 1.  A NULL is not known to be
-- something other than zero: WHERE drops it too.
SELECT a, gpu_compact(a)
FROM (VALUES ('{0,3,0,0,-1,4,0}'::integer[]), ('{}'), (NULL), ('{1,NULL,0,2,NULL}'), ('[0:3]={1,0,2,0}')) AS v (a);
COPY messages FROM stdin;
gpu_compact(array_fill(0, ARRAY[100000])), pg_typeof(gpu_compact('{1}'::integer[]))
-- Zero is what equals 0 in the type of the elements.
gpu_compact('{0,-0,1e-45,NaN,-Infinity}'::real[]), gpu_compact(ARRAY['a', '', NULL, 'b']::"char"[])
-- No date and no time is zero.
gpu_compact('{2000-01-01}'::date[])
\.

-- gpu_compact(a, op, value): the elements for which a comparison is true
SELECT op, gpu_compact('{3,1,NULL,2,-5,2}'::integer[], op, 2) AS elements,
	   gpu_positions('{3,1,NULL,2,-5,2}'::integer[], op, 2) AS positions
FROM unnest('{=,<>,<,<=,>,>=}'::text[]) AS op;
COPY messages FROM stdin;
gpu_compact(a => ARRAY[1, 2, 3], op => '>', value => 1), gpu_positions(a => ARRAY[1, 2, 3], op => '>', value => 1)
gpu_compact('{1,2}'::integer[], '>', 2), gpu_positions('{1,2}'::integer[], '>', 2)
\.

-- A literal is of the type of the elements.  Numbers are compared with numbers of any
-- type, as the operators of the two types compare them.
COPY messages FROM stdin;
gpu_compact('{2024-02-29,-infinity,NULL,infinity}'::date[], '<', '2024-03-01')
gpu_compact(ARRAY[1,2], '>', 1.5), gpu_compact('{0.1,0.2}'::real[], '=', 0.1), gpu_compact('{0.1,0.2}'::real[], '=', 0.1::real)
gpu_compact('{16777216,16777217}'::integer[], '=', 16777216::real)
gpu_compact('{9007199254740992,9007199254740993}'::bigint[], '=', 9007199254740992::double precision)
gpu_positions('{1,NaN,2}'::double precision[], '>', 1e300::numeric), gpu_compact('{1,2}'::integer[], '>', NULL::numeric)
-- Other types take what is cast to them implicitly.
gpu_compact('{1,2}'::oid[], '>', 1) AS oid
gpu_compact('{2024-02-29 00:00,2024-02-29 12:00}'::timestamp[], '>', date '2024-02-29') AS timestamp
-- A literal is an array of the value's type.
gpu_compact('{1,0,2}', '>', 1), gpu_positions('{0.5,2}', '<', 1.0::real)
\.

-- No array or no operator, no result; but a comparison with NULL is not true.
SELECT op, gpu_compact('{1,2,NULL}'::integer[], op, NULL), gpu_positions('{1,2,NULL}'::integer[], op, NULL)
FROM unnest('{=,<>,<,<=,>,>=,NULL}'::text[]) AS op;
COPY messages FROM stdin;
gpu_compact(NULL::integer[], '>', 1), gpu_positions(NULL::integer[], '>', 1)
-- Operators that there are not.
gpu_compact('{1}'::integer[], '', 1)
gpu_compact('{1}'::integer[], ' = ', NULL)
-- Positions are counted from 1, whatever the lower bound.
gpu_positions('[7:9]={5,NULL,5}'::integer[], '=', 5), gpu_positions('[-7:-5]={f,t,t}'::boolean[])
-- gpu_compact(a, mask): the elements, NULLs among them, where the mask is true
gpu_compact('{1,2,3,4}'::integer[], '{t,f,NULL,t}') AS elements, gpu_positions('{t,f,NULL,t}') AS positions
gpu_compact('{1,NULL,3,NULL}'::integer[], '{t,t,f,f}'), gpu_compact('{1,NULL,3,NULL}'::integer[], '{f,t,NULL,t}')
gpu_compact(NULL::integer[], '{t}'), gpu_compact('{1}'::integer[], NULL::boolean[]), gpu_positions(NULL)
\.

-- What is kept has no bitmap that it does not need.
SELECT pg_column_size(gpu_compact(a, mask)) AS bytes
FROM (VALUES ('{1,NULL,3}'::integer[], '{t,f,t}'::boolean[]),
			 ('{1,NULL,3}', '{t,t,f}'), ('{1,NULL,3}', '{f,t,f}')) AS v (a, mask);

-- A mask is as long as the array.
COPY messages FROM stdin;
gpu_compact('{1,2,3}'::integer[], '{t,t}')
gpu_compact('{}'::integer[], '{t}')
-- gpu_compact_nulls(a): those that are not NULL
gpu_compact_nulls('{0,3,NULL,0,NULL,-1}'::integer[]), gpu_compact_nulls('{NULL,0}'::integer[])
\.

-- No bitmap is left, of an array without NULLs neither.
SELECT pg_column_size(gpu_compact_nulls(a)) AS bytes, gpu_compact_nulls(a)
FROM (VALUES ('{1,NULL,3}'::integer[]), ((ARRAY[1,3,NULL])[1:2]), ('{1,3}')) AS v (a);

-- What is stored comes back as it is, if it has no NULLs, and can be stored again.
CREATE TABLE runs (id integer, samples integer[], kept integer[] GENERATED ALWAYS AS (gpu_compact_nulls(samples)) STORED);
ALTER TABLE runs ALTER samples SET STORAGE EXTERNAL;
INSERT INTO runs
SELECT id, ARRAY(SELECT nullif(i % 50, id) FROM generate_series(1, 20000) AS i)
FROM unnest('{0,60,50}'::integer[]) AS id;
CREATE TABLE copies AS SELECT id, gpu_compact_nulls(samples) AS samples FROM runs;
UPDATE runs SET id = id + 1, samples = gpu_compact_nulls(samples) WHERE id = 60;
SELECT runs.id, cardinality(kept), kept = array_remove(runs.samples, NULL) AS same, copies.samples = kept AS copied
FROM runs LEFT JOIN copies ON copies.id = runs.id - runs.id % 2 ORDER BY 1;
DROP TABLE runs;
SELECT id, cardinality(samples), gpu_reduce(samples, '+') FROM copies ORDER BY id;
DROP TABLE copies;
DO $$
DECLARE
	a integer[] := '{1,NULL,2}';
BEGIN
	a[4] := 3;
	a := gpu_compact_nulls(a);
	a := gpu_compact_nulls(a);
	a[4] := NULL;
	RAISE NOTICE '% %', a, gpu_compact_nulls(a);
END $$;

COPY messages FROM stdin;
-- gpu_compact(a, 'between', low, high): the elements for which BETWEEN is true
gpu_compact('{3,1,NULL,2,-5,2}'::integer[], 'between', 1, 2) AS elements
gpu_positions('{3,1,NULL,2,-5,2}'::integer[], 'between', 1, 2) AS positions
gpu_compact(a => ARRAY[1, 2, 3], op => 'between', low => 2, high => 3)
gpu_positions(a => ARRAY[1, 2, 3], op => 'between', low => 2, high => 3)
\.
SELECT gpu_compact(NULL::integer[], 'between', 1, 2), gpu_positions(NULL::integer[], 'between', 1, 2), gpu_compact('{1}'::integer[], NULL, 1, 2), gpu_positions('{1}'::integer[], NULL, 1, 2);

-- Each bound has its type.
SELECT gpu_compact('{1,2,3,4}'::integer[], 'between', 1.5, 3.5) AS numeric,
	   gpu_compact('{1,2,3,4}'::integer[], 'between', 2, 3.5) AS mixed,
	   gpu_compact('{1,2,3,4}'::integer[], 'between', 2.5, 4::smallint) AS mixed,
	   gpu_compact('{1,2,3,4}'::integer[], 'between', '2', '3') AS literals,
	   gpu_compact('{1,2,3,4}'::integer[], 'between', '2', 3) AS literal,
	   gpu_compact('{1,2,3,4}'::integer[], 'between', -1e100, 2.5) AS less,
	   gpu_compact('{1,2,3,4}'::integer[], 'between', 1e100, '-Infinity'::real) AS "none",
	   gpu_compact('{1,2,3,4}'::integer[], 'between', 2.5, NULL) AS unknown;
SELECT gpu_positions('{2024-02-29 00:00,2024-03-01 12:00,infinity}'::timestamp[], 'between', date '2024-03-01', date '2024-03-02');
-- A date may be after all timestamps but infinity.
SELECT op, gpu_positions('{-infinity,294276-12-31,infinity}'::timestamp[], op, date '294277-01-01') AS positions
FROM unnest('{<,<=,=,<>,>=,>}'::text[]) AS op;

-- gpu_compact(a, 'is null') and the like: by whether they are NULL
SELECT op, gpu_compact('{3,NULL,0,NULL}'::integer[], op) AS elements,
	   gpu_positions('{3,NULL,0,NULL}'::integer[], op) AS positions
FROM unnest('{is null,is not null}'::text[]) AS op;
COPY messages FROM stdin;
gpu_compact(ARRAY[1], NULL::text) IS NULL AND gpu_positions(ARRAY[1], NULL) IS NULL
\.

-- Whether a literal is an operator or a mask follows from how it begins.
SELECT gpu_compact(ARRAY[1,2], '{t,f}'), gpu_compact(ARRAY[1,2], E' \n{t,f}'),
	   gpu_compact(ARRAY[1,2], '[0:1]={t,f}'), gpu_compact(ARRAY[1,2], '{f,t}'::varchar),
	   gpu_compact(ARRAY[1,NULL], mask => '{f,t}'), gpu_compact(ARRAY[1,NULL], op => 'is null'),
	   gpu_compact('{}'::integer[], '{}');
PREPARE compact AS SELECT gpu_compact($1::integer[], $2);
EXECUTE compact('{1,NULL,3}', '{t,f,t}');
EXECUTE compact('{1,NULL,3}', ARRAY[false,true,true]);
EXECUTE compact('{1,NULL,3}', 'is null');
DEALLOCATE compact;
PREPARE compact AS SELECT gpu_compact($1::integer[], $2::boolean[]);
EXECUTE compact('{1,NULL,3}', '{t,f,t}');
DEALLOCATE compact;
PREPARE compact AS SELECT gpu_compact($1::integer[], $2, $3), gpu_positions($1::integer[], 'between', $3, $4);
EXECUTE compact('{1,NULL,3}', '>=', 3, 4);
DEALLOCATE compact;

-- SQL's other names are the operators, too; and what is none says what to write.
COPY messages FROM stdin;
gpu_compact('{1,NULL,3}'::integer[], '!=', 1), gpu_positions('{1,NULL,3}'::integer[], '!=', 1)
gpu_compact(ARRAY[1], 'between', 1)
gpu_positions(ARRAY[1], 'between', 1)
gpu_positions(ARRAY[1], 'between')
gpu_compact(ARRAY[1], '>', 1, 2)
gpu_positions(ARRAY[1], '!=', 1, 2)
gpu_compact(ARRAY[1], 'not between', 1, 2)
gpu_compact(ARRAY[1], 'BETWEEN', 1, 2)
gpu_positions(ARRAY[1], 'is null', 1)
gpu_compact(ARRAY[1], '=')
gpu_compact(ARRAY[1], 't,f')
gpu_positions(ARRAY[1], 'is', NULL)
gpu_positions(ARRAY[1], 'IS NOT NULL')
gpu_compact(ARRAY[1], 'in', 1)
gpu_compact(ARRAY[1], 'NOT IN', 1)
\.

-- 42804: a cast of others' does not run.
CREATE TYPE digit AS ENUM ('one', 'two');
CREATE FUNCTION digit_value(digit) RETURNS integer LANGUAGE sql IMMUTABLE AS $$ SELECT gpu_count(enum_range(NULL, $1)::text[]::"char"[]) $$;
CREATE CAST (digit AS integer) WITH FUNCTION digit_value(digit) AS IMPLICIT;
COPY messages FROM stdin;
gpu_compact(ARRAY[1,2], '=', 'two'::digit)
gpu_map(ARRAY[1,2], '+', 'two'::digit)
gpu_map(ARRAY[1,2], '+', 'two'::digit::integer)
\.
DROP CAST (digit AS integer);
DROP FUNCTION digit_value;
DROP TYPE digit;
