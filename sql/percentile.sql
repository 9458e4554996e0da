-- gpu_percentile_cont and gpu_percentile_disc: elements by their rank
\pset format unaligned \pset tuples_only on \pset null NULL
SET quote_all_identifiers = off;

-- Of one fraction, or of several, in any order.
SELECT gpu_percentile_cont('{4,1,3,2}'::integer[], 0.5),
	   gpu_percentile_disc('{4,1,3,2}'::integer[], 0.5);
SELECT gpu_percentile_cont('{4,1,3,2}'::integer[], ARRAY[1,0.5,0,0.1]),
	   gpu_percentile_disc('{4,1,3,2}'::integer[], ARRAY[1,0.5,0,0.1]);
SELECT gpu_percentile_cont('{42}'::bigint[], 0.7),
	   gpu_percentile_disc('{42}'::bigint[], 0.7);
SELECT pg_typeof(gpu_percentile_cont('{1}'::smallint[], 0.5)) AS cont,
	   pg_typeof(gpu_percentile_disc('{1}'::smallint[], 0.5)) AS disc,
	   pg_typeof(gpu_percentile_disc('{1}'::smallint[], ARRAY[0.5])) AS list;
SELECT gpu_percentile_disc('{2024-02-29,2023-12-31,2024-01-01}'::date[], 0.5),
	   gpu_percentile_disc('{f,t,t}'::boolean[], ARRAY[0.1,0.9]);

-- NULL elements are ignored; where there is no value, there is no percentile.
SELECT gpu_percentile_cont('{4,NULL,1,NULL,3,2}'::integer[], 0.5),
	   gpu_percentile_disc('{NULL,4,1,NULL,3,2}'::integer[], ARRAY[0.5]);
SELECT gpu_percentile_cont(a, 0.5) IS NULL AS cont,
	   gpu_percentile_disc(a, 0.5) IS NULL AS disc,
	   gpu_percentile_cont(a, ARRAY[0.5]) IS NULL AS cont_list,
	   gpu_percentile_disc(a, ARRAY[0.5]) IS NULL AS disc_list
FROM (VALUES ('{}'::integer[]), ('{NULL,NULL}'), (NULL)) AS v (a);

-- The result has the shape of the fractions, and NULL where one of them is.
SELECT gpu_percentile_cont('{1,2,3}'::real[], '[0:1][5:6]={{0,NULL},{0.25,1}}'::float8[]),
	   gpu_percentile_disc('{1,2,3}'::real[], '[0:1][5:6]={{0,NULL},{0.25,1}}'::float8[]);
SELECT gpu_percentile_cont('{1,2}'::integer[], '{}'::float8[]),
	   gpu_percentile_disc('{1,2}'::integer[], '{NULL}'::float8[]),
	   gpu_percentile_cont('{1,2}'::integer[], NULL::float8) IS NULL AS is_null,
	   gpu_percentile_disc('{1,2}'::integer[], NULL::float8[]) IS NULL AS is_null;

-- A fraction may be a text, of any type of strings.
SELECT gpu_percentile_cont('{4,1,3,2}'::integer[], '0.5'::text),
	   gpu_percentile_disc('{4,1,3,2}'::integer[], '0.5'::varchar),
	   gpu_percentile_disc('{2024-02-29,2023-12-31}'::date[], ' 1 '::char(5)),
	   gpu_percentile_cont('{4,1,3,2}'::integer[], '1e-1'::name);
SELECT pg_typeof(gpu_percentile_cont('{1}'::real[], '1'::text)) AS cont,
	   pg_typeof(gpu_percentile_disc('{1}'::real[], '1'::text)) AS disc,
	   gpu_percentile_cont('{1}'::real[], NULL::text) IS NULL AS is_null,
	   gpu_percentile_disc(NULL::real[], '1'::text) IS NULL AS is_null;
SELECT gpu_percentile_cont(a, f::text) = gpu_percentile_cont(a, f) AS cont,
	   gpu_percentile_disc(a, f::text) = gpu_percentile_disc(a, f) AS disc
FROM (VALUES (ARRAY[4,1,3,2], 0.1::float8), ('{7,9}', 1e-300)) AS v (a, f);
SELECT gpu_percentile_cont('{1}'::integer[], '2'::text);
SELECT gpu_percentile_cont('{1}'::integer[], 'half'::text);
SELECT gpu_percentile_disc('{1}'::integer[], '{0.5,0.9}'::text);
SELECT gpu_percentile_disc('{1}'::integer[], '1e999'::text);

-- A literal without a type, and a parameter, is an array of fractions, as it
-- was before.  The parser finds so before it looks at the literal.
SELECT gpu_percentile_cont('{4,1,3,2}'::integer[], '{0.5,1}'),
	   gpu_percentile_disc('{4,1,3,2}'::real[], '{0.5,1}');
PREPARE percentiles AS
SELECT gpu_percentile_cont('{4,1,3,2}'::float8[], $1), gpu_percentile_disc($2::bigint[], $3);
SELECT parameter_types FROM pg_prepared_statements WHERE name = 'percentiles';
EXECUTE percentiles('{0.5}', '{4,1,3,2}', '{0,1}');
DEALLOCATE percentiles;
SELECT gpu_percentile_cont('{4,1,3,2}'::integer[], '0.5');

-- Nothing else is a fraction.
SELECT gpu_percentile_cont('{1}'::integer[], true);
SELECT gpu_percentile_disc('{1}'::integer[], interval '1 day');
\set VERBOSITY sqlstate
SELECT gpu_percentile_disc('{2024-02-29}'::date[], '{0.5}');
SELECT gpu_percentile_disc('{1}'::integer[], '1'::money);
SELECT gpu_percentile_disc('{1}'::integer[], ARRAY['1']);
\set VERBOSITY default

-- A fraction is one of 0 to 1.
SELECT gpu_percentile_cont('{1}'::integer[], 1.5);
SELECT gpu_percentile_disc('{}'::integer[], -0.1);
SELECT gpu_percentile_cont('{1}'::integer[], 'NaN'::float8);
SELECT gpu_percentile_disc('{1}'::integer[], ARRAY[0.5,2]);

-- NaN is greater than infinity.  What is between two elements is reckoned in
-- double precision.
SELECT gpu_percentile_disc('{NaN,1,-Infinity,Infinity}'::float8[],
						   ARRAY[0.1,0.5,0.75,1]),
	   gpu_percentile_cont('{NaN,1,-Infinity,Infinity}'::float8[],
						   ARRAY[0,0.4,0.5,1]);
SELECT gpu_percentile_cont('{9007199254740993}'::bigint[], 0.5) = 9007199254740992
	   AS rounded,
	   gpu_percentile_disc('{9007199254740993}'::bigint[], 0.5);

-- It takes numbers to have something between them; and one dimension.
SELECT gpu_percentile_cont('{2024-02-29}'::date[], 0.5);
SELECT gpu_percentile_cont('{{1,2}}'::integer[], 0.5);
SELECT gpu_percentile_disc('{{1,2}}'::integer[], ARRAY[0.5]);
