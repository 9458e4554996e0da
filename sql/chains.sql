-- Chains: calls that are arguments of calls become one call
\getenv srcdir PG_ABS_SRCDIR \set ECHO none \i :srcdir/sql/calls.psql
SET gpucompact.cpu_threads = 1;

CREATE TABLE runs (id integer, a integer[], f double precision[]);
INSERT INTO runs VALUES
	(1, '{5,0,-3,NULL,8,0}', '{1.5,-0,NaN,-3}'), (2, NULL, NULL),
	(3, '{}', '{}'), (4, '[5:7]={1,2,4}', '[0:1]={1,2}'),
	(5, '{2147483647,-2}', '{1e308,1e308}');

SELECT pg_temp.plan($$SELECT gpu_reduce(gpu_compact(gpu_delta(a), '>', 0), 'max') FROM runs$$);
SELECT id, gpu_reduce(gpu_compact(gpu_delta(a), '>', 0), 'max') FROM runs WHERE id < 5 ORDER BY id;

-- All functions over arrays of numbers or bytes join, but these.
SELECT member FROM members
WHERE prokind = 'f' AND prosupport = 0 AND
	'internal'::regtype <> ALL (proargtypes) AND
	EXISTS (SELECT FROM unnest(proargtypes) AS t
			WHERE t IN (SELECT oid FROM pg_type WHERE typcategory = 'A' OR
						typname IN ('bytea', 'anyarray', 'anycompatiblearray')))
ORDER BY member;
SELECT pg_temp.plan($$SELECT gpu_reduce(gpu_where(gpu_compare(a, '>', 0), gpu_delta(a), 7), 'max') FROM runs$$);
SELECT id, gpu_where(gpu_compare(a, '>', 0), gpu_delta(a), 7), gpu_where(gpu_compare(a, '>', 0), a, gpu_map(a, 'abs'))
FROM runs WHERE id < 5 ORDER BY id;

-- A call alone stays as it is.
SELECT pg_temp.plan('SELECT gpu_reduce(a, ''max'') FROM runs');

-- The last call's NULL and the lower bound of each step are those of the calls.
SELECT id, gpu_radix_sort(gpu_delta(a), false, NULL), gpu_delta(gpu_scan(a, 'max')) FROM runs WHERE id < 5 ORDER BY id;

-- Both arguments may be calls, and a chain in a chain is one chain.
SELECT pg_temp.plan($$SELECT gpu_union(gpu_delta(a), gpu_compact(gpu_scan(a, '+'), '>', 1)) FROM runs$$);
SELECT id, gpu_union(gpu_delta(a), gpu_compact(gpu_scan(a, '+'), '>', 1)) FROM runs WHERE id < 5 ORDER BY id;

-- Casts between arrays of numbers are steps; other casts are not.
SELECT pg_temp.plan('SELECT gpu_percentile_cont(gpu_delta(gpu_compact(a)::bigint[])::real[], 0.5) FROM runs');
SELECT id, gpu_percentile_cont(gpu_delta(gpu_compact(a)::bigint[])::real[], 0.5) FROM runs ORDER BY id;
SELECT pg_temp.plan('SELECT gpu_distinct(gpu_delta(a)::text[]::integer[]) FROM runs');
SELECT gpu_reduce(gpu_prefix_sum(a)::smallint[], 'max') FROM runs WHERE id = 5;

-- Rows as results, in FROM and elsewhere.
SELECT pg_temp.plan('SELECT r.id, s.* FROM runs AS r, gpu_stats(gpu_window_avg(r.a, 1)) AS s');
SELECT r.id, s.count, s.min, s.avg FROM runs AS r, gpu_stats(gpu_window_avg(r.a, 1)) AS s WHERE id < 5 ORDER BY r.id;
SELECT r.id, t.* FROM runs AS r, gpu_top_k(gpu_delta(a), 2) AS t WHERE id < 5 ORDER BY id;
SELECT r.id, d.* FROM runs AS r, gpu_distinct_counts(gpu_compact(a)) AS d ORDER BY id;
SELECT r.id, l.* FROM runs AS r, gpu_run_lengths(gpu_fill(a)) AS l ORDER BY id;
SELECT r.id, p.* FROM runs AS r, gpu_downsample_points(gpu_compact_nulls(a), 2) AS p ORDER BY id;
SELECT r.id, g.* FROM runs AS r, gpu_group(gpu_scan(a, 'max'), gpu_scan(f, 'min'), 'max') AS g
WHERE id IN (2, 3) ORDER BY id;
COPY messages FROM stdin;
(gpu_stats(gpu_compact(a))).max, gpu_top_k(gpu_compact(f::real[]), 1) FROM runs WHERE id = 4
pg_temp.plan('SELECT (gpu_group(gpu_scan(a, ''max''), gpu_scan(f, ''min''), ''max'')).keys FROM runs')
-- Bytes and texts.
gpu_utf8_repair(gpu_utf8_encode(gpu_compact(a, '>', 64))), gpu_from_bytes(gpu_to_bytes(gpu_compact(a)), NULL::integer[]) FROM (VALUES ('{71,0,80}'::integer[])) AS v (a)
-- An error is that of the step, and a step whose result is not used raises it, too.
gpu_reduce(gpu_compact(gpu_delta(a), '>', 0), 'max') FROM runs WHERE id = 5
gpu_compact(gpu_scan(a, '*'), '<', 0) FROM runs WHERE id = 5
gpu_reduce(gpu_scan(f, '+'), 'min') FROM runs WHERE id = 5
gpu_distinct(gpu_delta('{{1,2},{3,4}}'::integer[])) FROM runs WHERE id = 4
gpu_distinct(gpu_delta(array_fill(id, ARRAY[2,2]))) FROM runs WHERE id = 4
\.

-- So does one whose elements the next call does not look at.
CREATE TABLE long_runs AS SELECT array_agg(i) AS a, NULL::text AS op FROM generate_series(1, 100000) AS i;
COPY messages FROM stdin;
gpu_compact(gpu_map(a, '/', 0), 'is null') FROM long_runs
gpu_reduce(gpu_delta(gpu_map(a, '*', 1000000)), op) FROM long_runs
-- A call may return its argument.
gpu_reduce(gpu_map(gpu_map(a, '+', 1), 'round')::bigint[], '+'), gpu_reduce(gpu_map(gpu_map(a, '+', 1), 'round'), 'max') FROM long_runs
\.

-- Long arrays are cast in blocks: NULLs, the lower bound and errors stay.
CREATE TABLE nulls AS
SELECT ('[3:150002]=' || array_agg(CASE WHEN i % 10 <> 3 THEN i END)::text)::integer[] AS a
FROM generate_series(1, 150000) AS i;
SELECT pg_temp.plan('SELECT gpu_map(gpu_map(a, ''*'', 2)::float8[], ''/'', 3) FROM nulls');
SELECT array_dims(chain), record_image_eq(ROW(chain), ROW(calls)) AS equal
FROM (SELECT gpu_map(gpu_map(a, '*', 2)::float8[], '/', 3) AS chain,
			 gpu_map(b::float8[], '/', 3) AS calls
	  FROM (SELECT a, gpu_map(a, '*', 2) AS b FROM nulls OFFSET 0) AS s OFFSET 0) AS t;
COPY messages FROM stdin;
gpu_reduce(gpu_map(a, '/', 5)::smallint[], 'max') FROM nulls
gpu_reduce(gpu_map(a, '/', 4)::smallint[], 'max') FROM nulls
-- An argument that may fail, or is volatile, is not evaluated before a call
-- that stands before it.
pg_temp.plan('SELECT gpu_percentile_cont(gpu_delta(a), 1 / id::float8) FROM runs')
pg_temp.plan('SELECT gpu_percentile_cont(gpu_delta(a), random()) FROM runs')
pg_temp.plan('SELECT gpu_percentile_cont(gpu_delta(array_append(a, 1)), 0.5) FROM runs')
gpu_percentile_cont(gpu_delta(a), 1 / (id - 5)) FROM runs WHERE id = 5
\.

-- Grouping keys stay as they are, and are NULL where a grouping set lacks them.
SELECT gpu_reduce(gpu_delta(a), 'max'), grouping(gpu_delta(a)), count(*)
FROM runs WHERE id < 5 GROUP BY ROLLUP (gpu_delta(a)) ORDER BY 2, 1;
SELECT gpu_reduce(gpu_delta(a), 'max'), count(*)
FROM runs WHERE id < 5 GROUP BY GROUPING SETS ((gpu_delta(a)), (id)) ORDER BY 1, 2;
SELECT gpu_reduce(gpu_delta(a), 'max'), count(*)
FROM runs WHERE id < 5 GROUP BY gpu_delta(a) HAVING gpu_reduce(gpu_delta(a), 'max') > 3;
SELECT gpu_to_bytes(gpu_compact(z, '>=', -0.0)), count(*)
FROM (VALUES ('{0}'::float8[]), ('{-0}')) AS v (z) GROUP BY gpu_compact(z, '>=', -0.0);
SELECT DISTINCT gpu_reduce(gpu_delta(a), 'max'), gpu_delta(a) FROM runs WHERE id < 5 ORDER BY gpu_delta(a);
SELECT id, gpu_reduce(gpu_delta(a), 'max'), rank() OVER (ORDER BY gpu_delta(a)) FROM runs WHERE id < 5 ORDER BY id;
SELECT max(gpu_reduce(gpu_delta(a), 'max')) FROM runs WHERE id < 5;

-- Views, SQL functions, CTEs, PL/pgSQL.
CREATE VIEW rises AS SELECT id, gpu_compact(gpu_delta(a), '>', 0) AS rise FROM runs;
SELECT pg_temp.plan('SELECT gpu_reduce(rise, ''max'') FROM rises');
CREATE FUNCTION rise(a integer[]) RETURNS integer[] LANGUAGE sql IMMUTABLE
AS $$SELECT gpu_compact(gpu_delta(a), '>', 0)$$;
SELECT pg_temp.plan('SELECT gpu_reduce(rise(a), ''max'') FROM runs');
SELECT pg_temp.plan('WITH r AS (SELECT rise(a) AS x FROM runs) SELECT gpu_reduce(x, ''max'') FROM r');
SELECT pg_temp.plan('WITH r AS MATERIALIZED (SELECT rise(a) AS x FROM runs) SELECT gpu_reduce(x, ''max'') FROM r');
DO $$
DECLARE
	x integer[] := '{1,5,2,9}';
	largest integer;
BEGIN
	FOR i IN 1 .. 8 LOOP
		largest := gpu_reduce(gpu_compact(gpu_delta(x), '>', i - 1), 'max');
	END LOOP;
	RAISE NOTICE '%', largest;
END $$;

-- Indexes, checks and generated columns.
CREATE INDEX runs_gpu_rise ON runs ((gpu_reduce(gpu_compact(gpu_delta(a)), 'max'))) WHERE id < 5;
SET enable_seqscan = off;
SELECT pg_temp.plan('SELECT id FROM runs WHERE gpu_reduce(gpu_compact(gpu_delta(a)), ''max'') = 8 AND id < 5');
RESET enable_seqscan;
CREATE TABLE checked (a integer[] CHECK (gpu_reduce(gpu_delta(a), 'max') < 10),
	rises integer[] GENERATED ALWAYS AS (gpu_compact(gpu_delta(a), '>', 0)) STORED);
INSERT INTO checked VALUES ('{1,2,4}'), (NULL);
INSERT INTO checked VALUES ('{1,20}');
SELECT * FROM checked;

-- Prepared statements, with custom and generic plans.
SET plan_cache_mode = force_generic_plan;
PREPARE above (integer) AS
SELECT id, gpu_reduce(gpu_compact(gpu_delta(a), '>', $1), 'min') FROM runs WHERE id < 5 ORDER BY id;
EXECUTE above (1);
EXECUTE above (3);

-- Who may not call a function in the chain, may not call the chain.
CREATE ROLE regress_chains;
GRANT SELECT ON runs TO regress_chains;
SET ROLE regress_chains;
EXECUTE above (1);
RESET ROLE;
REVOKE EXECUTE ON FUNCTION gpu_delta(anyarray) FROM PUBLIC;
SET ROLE regress_chains;
EXECUTE above (1);
SELECT pg_temp.plan('SELECT gpu_reduce(gpu_delta(a), ''max'') FROM runs');
SELECT gpucompact_chain(NULL::integer, 'gpu_reduce(gpu_delta($1), $2)', a, 'max'::text) FROM runs;
RESET ROLE;
EXECUTE above (1);
GRANT EXECUTE ON FUNCTION gpu_delta(anyarray) TO PUBLIC;
RESET plan_cache_mode;

-- Who may not use the functions' schema, may use a view that calls them.
CREATE TEMPORARY VIEW peaks AS SELECT id, gpu_reduce(gpu_delta(a), 'max') FROM runs WHERE id < 5 ORDER BY id;
GRANT SELECT ON peaks TO regress_chains;
REVOKE USAGE ON SCHEMA public FROM PUBLIC;
SET ROLE regress_chains;
TABLE peaks;
RESET ROLE;
GRANT USAGE ON SCHEMA public TO PUBLIC;
DROP VIEW peaks;

-- A function that has been altered does not join.
ALTER FUNCTION gpu_delta(anyarray) VOLATILE;
SELECT pg_temp.plan('SELECT gpu_reduce(gpu_delta(a), ''max'') FROM runs');
ALTER FUNCTION gpu_delta(anyarray) IMMUTABLE;
ALTER FUNCTION gpu_delta(anyarray) SET gpucompact.cpu_threads = 1;
SELECT pg_temp.plan('SELECT gpu_reduce(gpu_delta(a), ''max'') FROM runs');
SELECT gpu_reduce(gpu_delta(a), 'max') FROM runs WHERE id = 1;
ALTER FUNCTION gpu_delta(anyarray) RESET ALL;

-- Domains.
CREATE DOMAIN readings AS integer[];
COPY messages FROM stdin;
gpu_reduce(gpu_delta('{1,4}'::readings), 'max')
pg_temp.plan('SELECT gpu_reduce(gpu_delta(a::readings), ''max'') FROM runs')
gpu_reduce(gpu_delta(a::readings), 'max') FROM runs WHERE id = 4
-- The function is for the planner, and refuses all else.
gpucompact_chain(NULL::integer, 'gpu_reduce($1, $2)', a, 'max'::text) FROM runs WHERE id = 4
gpucompact_chain(NULL::integer, 'gpu_reduce($1, $2', a, 'max'::text) FROM runs WHERE id = 4
gpucompact_chain(NULL::integer, 'gpu_reduce($1, $3)', a, 'max'::text) FROM runs WHERE id = 4
gpucompact_chain(NULL::integer, 'gpu_reduce($1, $2) LIMIT 1', a, 'max'::text) FROM runs WHERE id = 4
gpucompact_chain(NULL::integer, 'gpu_reduce($1, $2), $1', a, 'max'::text) FROM runs WHERE id = 4
gpucompact_chain(NULL::integer, 'gpu_reduce(DISTINCT $1, $2)', a, 'max'::text) FROM runs WHERE id = 4
gpucompact_chain(NULL::integer, 'public.gpu_reduce($1, $2)', a, 'max'::text) FROM runs WHERE id = 4
gpucompact_chain(NULL::integer, 'gpu_reduce($0, $2)', a, 'max'::text) FROM runs WHERE id = 4
gpucompact_chain(NULL::integer, 'gpu_reduce($1::integer[], $2)', a, 'max'::text) FROM runs WHERE id = 4
gpucompact_chain(NULL::integer, '', a) FROM runs WHERE id = 4
gpucompact_chain(NULL::integer, '$1', a) FROM runs WHERE id = 4
gpucompact_chain(NULL::integer, 'gpu_reduce(gpu_delta($1)::date[], $2)', a, 'max'::text) FROM runs WHERE id = 4
gpucompact_chain(NULL::bigint, 'gpu_reduce(gpu_compact_nulls($1)::bigint[], $2)', '{2026-01-01}'::date[], 'max'::text)
gpucompact_chain(NULL::integer, 'gpu_reduce(' || repeat('$1,', 100) || '$1)', a) FROM runs WHERE id = 4
gpucompact_chain(NULL::integer, 'pg_sleep($1)', id::float8) FROM runs WHERE id = 4
gpucompact_chain(NULL::integer, 'gpu_last_call()', id) FROM runs WHERE id = 4
gpucompact_chain(NULL::integer, 'gpu_reduce(gpu_delta($1), $1)', a) FROM runs WHERE id = 4
gpucompact_chain(NULL::integer[], 'gpu_utf8_decode($1)', 'abc'::bytea)
gpucompact_chain(NULL::bigint, 'gpu_reduce($1, $2)', a, 'max'::text) FROM runs WHERE id = 4
gpucompact_chain(NULL::integer[], 'gpu_delta($1)::smallint[]', a) FROM runs WHERE id = 4
gpucompact_chain(NULL::integer[], 'gpu_delta(gpu_compact($1, $2, $3))', a, '>', '0') FROM runs WHERE id = 4
gpucompact_chain(NULL::integer, a::text, a) FROM runs WHERE id = 4
gpucompact_chain(NULL::integer, NULL, a) FROM runs WHERE id = 4
gpucompact_chain(NULL::integer, 'gpu_reduce($1, $2)', VARIADIC ARRAY[1,2])
gpucompact_chain_top_k(NULL::integer[], 'gpu_stats(gpu_delta($1))', a) FROM runs WHERE id = 4
\.

-- A variable is no constant: its value may be another one in the next call.
DO $$
DECLARE
	program text := 'gpu_reduce($1, $2)';
BEGIN
	RAISE INFO '%', gpucompact_chain(NULL::integer, program, '{1,2}'::integer[], 'max'::text);
END $$;

-- An exclusive scan leaves out the last element, which frames before it need.
SELECT n, gpu_prefix_sum(gpu_window(gpu_delta(a), '+', 3, 7), true) = gpu_prefix_sum(frames, true) AS same
FROM (SELECT n, a, gpu_window(rises, '+', 3, 7) AS frames
	  FROM (SELECT n, a, gpu_delta(a) AS rises
			FROM (SELECT n, array_agg(i % 7919 ORDER BY i) AS a
				  FROM unnest('{9,4097,32769,100000}'::integer[]) AS n, generate_series(1, n) AS i
				  GROUP BY n) AS arrays OFFSET 0) AS arrays OFFSET 0) AS arrays ORDER BY n;

-- An error in the last element is raised all the same.
COPY messages FROM stdin;
gpu_count(gpu_scan(gpu_map(array_agg(CASE WHEN i = 100000 THEN 2147483647 ELSE i END ORDER BY i), '*', 2), 'max', true)) FROM generate_series(1, 100000) AS i
\.

-- What a step has allocated is freed, even if its result is the last argument of a
-- function that takes any number of them.
SELECT max(bytes) < 1000000 AS freed
FROM (SELECT gpu_count(gpu_compact(a, 'between'::varchar, 0, gpu_intersect_count(gpu_delta(a), a))) AS n,
			 CASE WHEN i = 5000 THEN (SELECT sum(total_bytes) FROM pg_backend_memory_contexts
									  WHERE name = 'gpucompact chain step' AND i > 0) END AS bytes
	  FROM (SELECT i, ARRAY[i, 2, 3] AS a FROM generate_series(1, 5000) AS i OFFSET 0) AS arrays OFFSET 0) AS steps
WHERE n >= 0;

-- Rows whose elements a filter leaves out before the NULLs of gpu_delta.  No row is to
-- come.
SELECT n
FROM unnest('{100,1,2,3,4,5,6,50}'::integer[]) AS n,
	 LATERAL (SELECT array_agg(i % 5 ORDER BY i) AS a FROM generate_series(1, n) AS i) AS arrays
WHERE gpu_prefix_sum(gpu_delta(gpu_map(gpu_compact(a, '>', 0), '+', 1), 3)) IS DISTINCT FROM
	  gpu_prefix_sum(ARRAY(SELECT x - lag(x, 3) OVER (ORDER BY i)
						   FROM unnest(a) WITH ORDINALITY AS u (x, i) WHERE x > 0 ORDER BY i));

-- A bound that is NULL leaves NULLs among the results, which do not wait then.
SELECT n, gpu_count(gpu_compare(a, 'between', NULL, 10))
FROM (SELECT n, array_agg(i) AS a
	  FROM unnest('{20,30,300000}'::integer[]) AS n, generate_series(1, n) AS i
	  GROUP BY n) AS arrays ORDER BY n;

-- A step with a NULL may make no call.  The call before the chain is no step of it.
SELECT gpu_median(a), gpu_compact(a, '>', gpu_reduce(b, 'max'))
FROM (SELECT ARRAY[1,2] AS a, NULL::integer[] AS b OFFSET 0) AS arrays;
SELECT function, chain FROM gpu_last_call();

-- A chain of 40 calls: 32 of them are shown.
SELECT gpucompact_chain(NULL::integer[], repeat('gpu_compact_nulls(', 40) || '$1' || repeat(')', 40), a)
FROM (SELECT ARRAY[1] AS a OFFSET 0) AS arrays;
SELECT function, cardinality(string_to_array(chain, '), ')) AS shown FROM gpu_last_call();

-- Casts of others, of more elements than a block's: a result that is NULL, and elements
-- of six bytes, which take eight.
CREATE FUNCTION number_of(boolean) RETURNS bigint LANGUAGE sql IMMUTABLE
AS 'SELECT CASE WHEN $1 THEN 1 END';
CREATE FUNCTION number_of(macaddr) RETURNS bigint LANGUAGE sql IMMUTABLE
AS $$ SELECT CASE WHEN $1 > '08:00:2b:01:02:03' THEN 1 ELSE 0 END $$;
CREATE CAST (boolean AS bigint) WITH FUNCTION number_of(boolean) AS IMPLICIT;
CREATE CAST (macaddr AS bigint) WITH FUNCTION number_of(macaddr) AS IMPLICIT;
SELECT gpucompact_chain(NULL::bigint, 'gpu_reduce(gpu_prefix_sum($1, $2), $3)',
						array_agg(i > 35000 ORDER BY i), false, 'max'::text) AS booleans,
	   gpucompact_chain(NULL::bigint, 'gpu_reduce(gpu_prefix_sum($1, $2), $3)',
						array_agg(CASE WHEN i > 35000 THEN macaddr '08:00:2b:01:02:04'
									   ELSE '08:00:2b:01:02:03' END ORDER BY i),
						false, 'max'::text) AS addresses
FROM generate_series(1, 70000) AS i;
DROP CAST (boolean AS bigint);
DROP CAST (macaddr AS bigint);
DROP FUNCTION number_of(boolean), number_of(macaddr);

DROP TABLE runs, long_runs, nulls, checked CASCADE;
DROP ROLE regress_chains;
DROP DOMAIN readings;
DROP FUNCTION rise;

-- The rights of the functions are those of before for other scripts.
DROP EXTENSION gpucompact;
CREATE EXTENSION gpucompact;
