-- gpu_percentile_cont and gpu_percentile_disc: elements by their rank
\getenv srcdir PG_ABS_SRCDIR \set ECHO none \i :srcdir/sql/calls.psql

-- Of one fraction, or of several, in any order.
COPY messages FROM stdin;
gpu_percentile_cont('{4,1,3,2}'::integer[], 0.5), gpu_percentile_disc('{4,1,3,2}'::integer[], 0.5)
gpu_percentile_cont('{4,1,3,2}'::integer[], ARRAY[1,0.5,0,0.1])
gpu_percentile_disc('{4,1,3,2}'::integer[], ARRAY[1,0.5,0,0.1])
gpu_percentile_disc('{2024-02-29,2023-12-31,2024-01-01}'::date[], 0.5)
-- NULL elements are ignored; where there is no value, there is no percentile.
gpu_percentile_cont('{4,NULL,1,NULL,3,2}'::integer[], 0.5)
gpu_percentile_disc('{NULL,4,1,NULL,3,2}'::integer[], ARRAY[0.5])
\.
SELECT gpu_percentile_cont(a, 0.5), gpu_percentile_disc(a, 0.5), gpu_percentile_cont(a, ARRAY[0.5]), gpu_percentile_disc(a, ARRAY[0.5])
FROM (VALUES ('{}'::integer[]), ('{NULL,NULL}')) AS v (a);

-- The result has the shape of the fractions, and NULL where one of them is.
COPY messages FROM stdin;
gpu_percentile_cont('{1,2,3}'::real[], '[0:1][5:6]={{0,NULL},{0.25,1}}'::float8[])
gpu_percentile_disc('{1,2,3}'::real[], '[0:1][5:6]={{0,NULL},{0.25,1}}'::float8[])
gpu_percentile_cont('{1,2}'::integer[], '{}'::float8[])
gpu_percentile_disc('{1,2}'::integer[], '{NULL}'::float8[])
-- A fraction may be a text, of any type of strings.
gpu_percentile_cont('{4,1,3,2}'::integer[], '0.5'::text)
gpu_percentile_disc('{4,1,3,2}'::integer[], '0.5'::varchar)
gpu_percentile_disc('{2024-02-29,2023-12-31}'::date[], ' 1 '::char(5))
gpu_percentile_cont('{4,1,3,2}'::integer[], '1e-1'::name)
pg_typeof(gpu_percentile_cont('{1}'::real[], '1'::text)) AS cont
pg_typeof(gpu_percentile_disc('{1}'::real[], '1'::text)) AS disc
\.
SELECT gpu_percentile_cont(a, f::text) = gpu_percentile_cont(a, f) AS cont,
	   gpu_percentile_disc(a, f::text) = gpu_percentile_disc(a, f) AS disc
FROM (VALUES (ARRAY[4,1,3,2], 0.1::float8), ('{7,9}', 1e-300)) AS v (a, f);
COPY messages FROM stdin;
gpu_percentile_cont('{1}'::integer[], '2'::text)
gpu_percentile_cont('{1}'::integer[], 'half'::text)
gpu_percentile_disc('{1}'::integer[], '{0.5,0.9}'::text)
gpu_percentile_disc('{1}'::integer[], '1e999'::text)
-- A literal without a type, and a parameter, is an array of fractions, as it
-- was before.  The parser finds so before it looks at the literal.
gpu_percentile_cont('{4,1,3,2}'::integer[], '{0.5,1}'), gpu_percentile_disc('{4,1,3,2}'::real[], '{0.5,1}')
\.
PREPARE percentiles AS SELECT gpu_percentile_cont('{4,1,3,2}'::float8[], $1), gpu_percentile_disc($2::bigint[], $3);
SELECT parameter_types FROM pg_prepared_statements WHERE name = 'percentiles';
EXECUTE percentiles('{0.5}', '{4,1,3,2}', '{0,1}');
DEALLOCATE percentiles;
COPY messages FROM stdin;
gpu_percentile_cont('{4,1,3,2}'::integer[], '0.5')
-- Nothing else is a fraction.
gpu_percentile_disc('{1}'::integer[], interval '1 day')
\.
\set VERBOSITY sqlstate
SELECT gpu_percentile_disc('{2024-02-29}'::date[], '{0.5}');
SELECT gpu_percentile_disc('{1}'::integer[], '1'::money);
SELECT gpu_percentile_disc('{1}'::integer[], ARRAY['1']);

-- A fraction is one of 0 to 1.
\set VERBOSITY default
COPY messages FROM stdin;
gpu_percentile_cont('{1}'::integer[], 1.5)
gpu_percentile_disc('{}'::integer[], -0.1)
gpu_percentile_cont('{1}'::integer[], 'NaN'::float8)
gpu_percentile_disc('{1}'::integer[], ARRAY[0.5,2])
-- NaN is greater than infinity.  What is between two elements is reckoned in
-- double precision.
gpu_percentile_disc('{NaN,1,-Infinity,Infinity}'::float8[], ARRAY[0.1,0.5,0.75,1])
gpu_percentile_cont('{NaN,1,-Infinity,Infinity}'::float8[], ARRAY[0,0.4,0.5,1])
gpu_percentile_cont('{9007199254740993}'::bigint[], 0.5) = 9007199254740992 AS rounded
gpu_percentile_disc('{9007199254740993}'::bigint[], 0.5)
-- With counts: as if each element were there as often.
gpu_percentile_cont(ARRAY[30,10,20], ARRAY[1,2,1], 0.5)
gpu_percentile_disc(ARRAY[30,10,20], ARRAY[1,2,1], 0.5)
gpu_percentile_disc('[3:4]={2024-02-29,infinity}'::date[], '{3,1}'::smallint[], 1)
gpu_percentile_cont('{1,NULL,3,5}'::real[], '{1,-1,NULL,1}'::bigint[], 0.5)
gpu_percentile_cont(ARRAY[7], ARRAY[1000000000], 0.3)
gpu_percentile_cont('{NaN,1}'::float8[], ARRAY[1,3], 0.7)
gpu_percentile_cont('{}'::integer[], '{}', 0.5) IS NULL
gpu_percentile_disc('{NULL,2}'::integer[], '{5,0}', 0.5) IS NULL
gpu_percentile_disc('{2}'::integer[], '{NULL}', 0.5) IS NULL
\.
SELECT f, gpu_percentile_cont(ARRAY[3,1,2], '{3074457345618258603,6148914691236517203,1}'::bigint[], f), gpu_percentile_disc(ARRAY[3,1,2], '{3074457345618258603,6148914691236517203,1}'::bigint[], f)
FROM unnest('{0,0.3,0.7,1}'::float8[]) AS f;
SELECT gpu_percentile_disc(ARRAY[2,1], '{4611686018427387903,4611686018427387904}'::bigint[], 1), gpu_percentile_cont(ARRAY[2,1], '{9223372036854775807,0}'::bigint[], 1);
SELECT n, f FROM unnest('{1,2,4096,4097,65537}'::integer[]) AS n, unnest('{0,0.001,0.5,0.99,1}'::float8[]) AS f,
	 LATERAL (SELECT array_agg(hashint4(i) % 1000 ORDER BY i) AS a FROM generate_series(1, n) AS i) AS made, gpu_distinct_counts(a) AS d
WHERE gpu_percentile_cont(d.values, d.counts, f) IS DISTINCT FROM gpu_percentile_cont(a, f) OR
	  gpu_percentile_disc(d.values, d.counts, f) IS DISTINCT FROM gpu_percentile_disc(a, f) OR
	  gpu_percentile_disc(a, array_fill(3, ARRAY[n]), f) IS DISTINCT FROM gpu_percentile_disc(a || a || a, f);
COPY messages FROM stdin;
gpu_percentile_cont(ARRAY[1,2], ARRAY[1,-1], 0.5)
gpu_percentile_cont(ARRAY[1,2], ARRAY[1], 0.5)
gpu_percentile_cont(ARRAY[1,2], ARRAY[1,2], 2)
gpu_percentile_disc(ARRAY[1,2], '{9223372036854775807,1}'::bigint[], 0.5)
gpu_percentile_cont('{2024-02-29}'::date[], ARRAY[1], 0.5)
gpu_percentile_disc(ARRAY[1], ARRAY[1.5], 0.5)
\.
