-- gpu_delta: what each element of an array is more than the one before
\getenv srcdir PG_ABS_SRCDIR \set ECHO none \i :srcdir/sql/calls.psql

-- The first has none before it: NULL.  To a NULL, or from one, there is no
-- difference.  The shape is kept; an array with more dimensions is taken row by row.
SELECT a, gpu_delta(a), gpu_delta(a, 2)
FROM (VALUES ('{3,1,4,1,5,9}'::bigint[]), ('{42}'), ('{}'), (NULL), ('{1,NULL,5,7,NULL,NULL,8}'), ('[0:2]={1,2,4}'),
			 ('[0:1][-2:0]={{1,2,4},{NULL,16,32}}')) AS v (a);
SELECT gpu_scan(gpu_delta('{3,1,4,1,5}'::integer[]), '+'), gpu_scan(gpu_delta('{3,1,4,1,5}'::integer[], 1, keep => true), '+'), gpu_delta('{7,-7,0}'::smallint[]), gpu_delta('{0.5,2,2}'::real[]),
	   gpu_delta('{0.5,-2,2}'::double precision[]), gpu_delta('{NULL}'::real[]),
	   pg_typeof(gpu_delta('{1}'::smallint[])), pg_typeof(gpu_delta('{1}'::double precision[]));

-- A result takes no more room than it needs.
SELECT pg_column_size(gpu_delta(a)) AS bytes
FROM (VALUES ('{1,2,3}'::integer[]), ('{1,NULL,3}'), ('{1,2,NULL}'),
			 ('{NULL,NULL}')) AS v (a);

-- "keep" keeps the first elements, so that the running sums of the result are the
-- array; NULLs are NULL all the same.
SELECT a, gpu_delta(a, 1, true), gpu_delta(a, 2, keep => true), gpu_delta(a, 99, true)
FROM (VALUES ('{3,1,4,1,5,9}'::bigint[]), ('{}'), (NULL), ('{1,NULL,5,7,NULL,NULL,8}'), ('{{1,2},{4,8}}')) AS v (a);
COPY messages FROM stdin;
gpu_delta('{0,-2147483648}'::integer[], 1, true)
gpu_delta('{-2147483648,NULL,0,1}'::integer[], 1, true), gpu_delta('{NULL,-2147483648,NULL,2147483647}'::integer[], 1, true)
-- Differences of differences: a NULL more.
gpu_delta(gpu_delta('{1,4,9,16,25}'::integer[])), gpu_delta(gpu_delta('{1,4,9,16,25}'::integer[], 3), 2)
gpu_delta(gpu_delta('{1,4,9,16,25}'::integer[], 3), 2, true), gpu_delta('{NULL,NULL,4,9,16}'::integer[])
\.

-- Up to the last element, and around it.
SELECT k, gpu_delta('{5,7,11,13}'::integer[], k), gpu_delta('{5,7,11,13}'::real[], k, true)
FROM unnest('{1,2,3,4,5}'::integer[]) AS k;

-- A difference has to be of the type of the elements.
COPY messages FROM stdin;
gpu_delta('{-32768,1}'::smallint[])
gpu_delta('{1,-2147483648}'::integer[])
-- Elements that are not adjacent have no difference that could be out of range.
gpu_delta('{-32768,NULL,32767}'::smallint[])
gpu_delta('{3e38,NULL,-3e38}'::real[])
gpu_delta('{-2147483648,NULL,1,NULL,2147483647,-1}'::integer[])
-- Infinity and NaN are values.
gpu_delta('{Infinity,1,-Infinity,-Infinity,NaN,1}'::real[])
gpu_delta('{1,Infinity,NULL,Infinity,-Infinity}'::double precision[])
-- The element that is taken away may be one farther before.
gpu_delta('{3,1,4}'::integer[], 1), gpu_delta('{3,1,4}'::smallint[], 3)
gpu_delta('{3,1,4}'::bigint[], 2147483647), gpu_delta('{}'::real[], 2)
gpu_delta('[0:1][-2:0]={{1,2,4},{NULL,16,32}}'::bigint[], 3)
gpu_delta('{1,Infinity,NaN,Infinity,-Infinity}'::double precision[], 2)
gpu_delta('{-9223372036854775808,-1,0,0,NULL,9223372036854775807}'::bigint[], 4)
gpu_delta('{1}'::integer[], 0)
\.
-- As core, whatever the lag is, and wherever NULLs are: no row is to come.
\set ECHO none
SELECT n, kind, k
FROM unnest('{1,9,64,65,4097}'::integer[]) AS n, unnest('{nulls,many nulls,bytes}'::text[]) AS kind,
	 unnest('{1,2,7,8,9,63,64,65,4096}'::integer[]) AS k,
	 LATERAL (SELECT array_agg(CASE WHEN CASE kind WHEN 'nulls' THEN i % 7 IN (1, 2) WHEN 'many nulls' THEN i % 3 <> 0
										 ELSE i % 16 > 7 END THEN NULL ELSE hashint4(i) / 2 END ORDER BY i) AS a
			  FROM generate_series(1, n) AS i) AS arrays
WHERE gpu_delta(a, k) IS DISTINCT FROM
	  ARRAY(SELECT x - lag(x, k) OVER (ORDER BY i) FROM unnest(a) WITH ORDINALITY AS u (x, i) ORDER BY i) OR
	  gpu_delta(a, k, true) IS DISTINCT FROM
	  ARRAY(SELECT CASE WHEN i <= k THEN x ELSE x - lag(x, k) OVER (ORDER BY i) END
			FROM unnest(a) WITH ORDINALITY AS u (x, i) ORDER BY i);

-- The same at borders of pieces, without NULLs, with leading ones, and with a block
-- of them; and of floats and of timestamps.
CREATE TEMP TABLE borders AS
SELECT n, nulls, ARRAY(SELECT CASE WHEN i BETWEEN nulls[1] AND nulls[2] THEN NULL ELSE hashint4(i) / 2 END
					   FROM generate_series(1, n) AS i) AS a
FROM unnest('{4097,65536,262145}'::integer[]) AS n,
	 (VALUES (NULL::integer[]), ('{1,1}'), ('{1,5000}'), ('{2000,6100}')) AS v (nulls);
SELECT n, nulls, k
FROM borders JOIN unnest(ARRAY[1,4096,n-1,n]) AS k ON n < 100000 OR nulls IS NULL OR k = 4096,
	 LATERAL (SELECT array_fill(NULL::integer, ARRAY[k]) || ARRAY(SELECT x - y FROM unnest(a[k+1:], a[:n-k]) AS u (x, y)) AS d OFFSET 0) AS plain
WHERE gpu_delta(a, k) IS DISTINCT FROM d OR gpu_delta(gpu_map(a::float8[], '/', 8), k) IS DISTINCT FROM gpu_map(d::float8[], '/', 8) OR
	  gpu_delta(a::bigint[], k) IS DISTINCT FROM d::bigint[];
SELECT n, nulls FROM borders
WHERE gpu_delta(ARRAY(SELECT timestamp '2026-11-01' + x * interval '1 microsecond' FROM unnest(a) AS x), 7)
	  IS DISTINCT FROM gpu_delta(a, 7)::bigint[] AND n < 100000;
\set ECHO all

-- An overflow of the last element.
COPY messages FROM stdin;
gpu_delta(array_fill(1, ARRAY[70000]) || '{-2147483648}'::integer[], 3)
gpu_reduce(gpu_delta(array_fill(1, ARRAY[70000]) || '{-2147483648}'::integer[]), 'max')
cardinality(gpu_delta('{-2147483648}'::integer[] || array_fill(0, ARRAY[70000]), 70000))
(gpu_delta('{-2147483647}'::integer[] || array_fill(0, ARRAY[70000]), 70000))[70001]
\.

-- Of dates the differences are days, and of times and timestamps microseconds.
-- The first has none before it.
SELECT gpu_delta('{2024-02-28,2024-03-01,NULL,2024-03-02,2024-03-01}'::date[]) AS date,
	   pg_typeof(gpu_delta('{2024-02-28}'::date[])) AS type
UNION ALL
SELECT gpu_delta('[0:1]={2024-02-28,2024-03-01}'::date[]), pg_typeof(gpu_delta('{2024-02-28}'::date[], 1));
COPY messages FROM stdin;
gpu_delta('{12:00,24:00,NULL,00:00,00:00:00.000001}'::time[]) AS time, pg_typeof(gpu_delta('{12:00}'::time[])) AS type
gpu_delta('{2024-02-28 12:00,2024-02-29,1024-01-01}'::timestamp[]) AS timestamp
gpu_delta('{2024-02-28 12:00+02,2024-02-28 12:00+00}'::timestamptz[]) AS timestamptz
pg_typeof(gpu_delta('{now}'::timestamp[])) AS type, pg_typeof(gpu_delta('{now}'::timestamptz[])) AS type
gpu_delta('{2024-02-28,2024-03-01,2024-03-04,NULL,2024-03-14}'::date[], 2) AS days
gpu_delta('{12:00,13:00,14:00}'::time[], 2) AS time, gpu_delta('{now,now}'::timestamptz[], 2) AS none
gpu_delta('{now}'::timestamp[], 2147483647) AS none
-- 22008: as in core, infinity has no difference to anything; but NULL has none
-- to infinity.
gpu_delta('{2024-02-28,infinity}'::date[])
gpu_delta('{NULL,2024-02-28,-infinity}'::timestamptz[])
gpu_delta('{2024-02-28,2024-02-29,infinity,2024-03-01}'::timestamptz[], 2)
gpu_delta(array_fill(date '2024-02-28', ARRAY[70000]) || date 'infinity')
gpu_delta('{infinity}'::date[]), gpu_delta('{infinity,NULL,-infinity}'::timestamp[])
gpu_delta('{infinity,2024-02-28,NULL,2024-02-29}'::timestamptz[], 2)
-- 22003: timestamps may be farther apart than a bigint has microseconds; dates
-- are not.
gpu_delta('{4713-01-01 BC,294276-12-31}'::timestamp[])
gpu_delta('{294276-12-31,4713-01-01 BC}'::timestamptz[])
gpu_delta('{294276-12-31,NULL,4713-01-01 BC}'::timestamptz[])
gpu_delta('{4713-01-01 BC,5874897-12-31,4713-01-01 BC}'::date[])
gpu_delta('{now}'::timestamp[], 0)
-- A domain over an array type is that type; of a domain over the elements' type,
-- a cast says which.
gpu_delta(ARRAY[1,3]), gpu_delta(a => ARRAY[1,3], lag => 1)
\.
CREATE DOMAIN days AS date[];
CREATE DOMAIN day AS date;
SELECT gpu_delta('{2024-02-28,2024-03-01}'::days);
SELECT gpu_delta('{2024-02-28,2024-03-01}'::day[]::date[]);
\set VERBOSITY terse
SELECT gpu_delta('{2024-02-28,2024-03-01}'::day[]);
DROP DOMAIN days, day;
