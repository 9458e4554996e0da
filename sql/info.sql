-- gpu_devices, gpu_processes and gpu_last_call: what there is, and what happened
\getenv srcdir PG_ABS_SRCDIR \set ECHO none \i :srcdir/sql/calls.psql
SELECT set_config(name, 'off', false) AS "off" FROM pg_settings
WHERE name IN ('force_parallel_mode', 'debug_parallel_query') \gset

-- Before the first call of a session, there is no last call.
SELECT * FROM gpu_last_call();

-- What they return.
COPY messages FROM stdin;
pg_get_function_arguments('gpu_devices()'::regprocedure)
pg_get_function_arguments('gpu_processes()'::regprocedure)
pg_get_function_arguments('gpu_last_call()'::regprocedure)
pg_get_function_arguments('gpu_stat()'::regprocedure)
-- There is a row for each GPU; or there is one row, without a GPU, and it says
-- why.
count(*) > 0 AS some, bool_and(status <> '') AS all_with_status, bool_and(index IS NOT NULL) OR count(*) = 1 AS all_gpus_or_one_row FROM gpu_devices()
\.
SELECT * FROM gpu_devices()
WHERE num_nulls(index, name, compute_capability, memory_total, driver_version,
				runtime_version) NOT IN (0, 6);
SELECT * FROM gpu_devices()
WHERE index < 0 OR name = '' OR memory_total <= 0 OR memory_free < 0 OR
	  memory_free > memory_total OR
	  compute_capability !~ '^[0-9]+\.[0-9]+$' OR
	  driver_version !~ '^[0-9]+\.[0-9]+$' OR
	  runtime_version !~ '^[0-9]+\.[0-9]+$';

-- There is a row for each GPU that a process has ever been started for.
SELECT * FROM gpu_processes()
WHERE state NOT IN ('opening the GPU', 'serving', 'waiting to be started again',
					'no such GPU', 'ended') OR
	  gpu < 0 OR since > now() OR failures < 0 OR
	  lanes_leased NOT BETWEEN 0 AND lanes OR calls_waiting < 0 OR
	  num_nulls(lanes, lanes_leased, calls_waiting, calls, bytes_in, bytes_out,
				gpu_memory, host_memory, cache_limit, cache_bytes,
				cache_hits, cache_misses_new, cache_misses_changed,
				cache_misses_expired, cache_misses_evicted) NOT IN (0, 15);

-- To look for GPUs is not a call.
COPY messages FROM stdin;
count(*) FROM gpu_last_call()
-- A call's function, elements, and bytes: those of the arrays in memory.
cardinality(gpu_prefix_sum(array_fill(1, ARRAY[1000])))
function, elements, bytes_in, bytes_out FROM gpu_last_call()
gpu_compact('[0:5]={1,0,NULL,0,NULL,2}'::integer[])
function, elements, bytes_in, bytes_out FROM gpu_last_call()
gpu_reduce(array_fill(1, ARRAY[1000]), '+')
function, elements, bytes_in, bytes_out FROM gpu_last_call()
gpu_radix_sort('{3,2,1}'::integer[], true)
function, elements, bytes_in, bytes_out FROM gpu_last_call()
-- The bytes are what pg_column_size says of a value that is in memory.
bytes_in = pg_column_size('{3,2,1}'::integer[]) AS in_same, bytes_out = pg_column_size('{3,2,1}'::integer[]) AS out_same FROM gpu_last_call()
-- Where two arrays go in, these are the elements of the first, and the bytes of
-- both; a row of two has the bytes of the row.
gpu_compact(ARRAY[1,2,3], '{t,f,t}')
function, elements, bytes_in, bytes_out FROM gpu_last_call()
gpu_run_lengths(ARRAY[7,7,8])
function, elements, bytes_in, bytes_out FROM gpu_last_call()
\.

-- It shows the last of several calls, also in the same transaction.
BEGIN;
SELECT gpu_compact('{0,1}'::integer[]), gpu_prefix_sum('{1,2,3,4}'::integer[]);
SELECT function, elements FROM gpu_last_call();
COMMIT;

-- The engine, and the reason why it was chosen.
COPY messages FROM stdin;
engine IN ('cpu', 'cuda') AS engine, reason LIKE engine || ': _%' AS reason FROM gpu_last_call()
-- Each array of an aggregate is a call.
gpu_sum_agg(a) FROM (VALUES (ARRAY[1,2]), (ARRAY[3,4])) AS r (a)
function, elements, bytes_out FROM gpu_last_call()
gpu_concat_agg(a) FROM (VALUES (ARRAY[1]), (ARRAY[3,4])) AS r (a)
function, elements FROM gpu_last_call()
-- An array without a value needs no engine.
gpu_compact('{}'::integer[])
function, engine, reason, elements FROM gpu_last_call()
gpu_radix_sort('{NULL,NULL}'::integer[])
function, engine, reason, elements FROM gpu_last_call()
-- The milliseconds: no part took longer than all, and none less than nothing.
cardinality(gpu_radix_sort(array_agg(hashint4(i)))) FROM generate_series(1, 100000) AS i
\.
SELECT total_ms > 0 AS some_time, least(detoast_ms, upload_ms, kernel_ms, download_ms, result_ms) >= 0
	   AS no_less_than_nothing, greatest(detoast_ms, upload_ms, kernel_ms, download_ms,
				result_ms) <= total_ms AS no_more_than_all,
	   total_ms < 1000 * 60 * 60 AS milliseconds
FROM gpu_last_call();

-- A call that fails is the last one, too, with its SQLSTATE.  So is one whose
-- error was caught, and one with an argument that was refused; errors of
-- others are none of its own.
COPY sqlstates FROM stdin;
gpu_reduce('{2147483647,1}'::integer[], '+')
function, engine IS NOT NULL AS chosen, elements, bytes_out, error FROM gpu_last_call()
cardinality(gpu_prefix_sum('{1,2,3,4}'::integer[])) / 0
function, elements, bytes_out, error FROM gpu_last_call()
gpu_reduce('{1,2}'::integer[], 'median')
function, engine, reason, elements, error FROM gpu_last_call()
\.
\set VERBOSITY terse
DO $$
BEGIN
	PERFORM gpu_to_bytes('{1,NULL}'::integer[]);
EXCEPTION WHEN null_value_not_allowed THEN
	RAISE NOTICE 'caught: %',
		(SELECT function || ', ' || error FROM gpu_last_call());
END $$;
COPY sqlstates FROM stdin;
function, error FROM gpu_last_call()
gpu_sum_agg(a) FROM (VALUES (ARRAY[1,2]), (ARRAY[3])) AS r (a)
function, elements, error FROM gpu_last_call()
-- Bytes that are gone over again, as there was no room for what they make, are
-- counted once.
octet_length(gpu_utf8_repair(decode(repeat('ff', 5000), 'hex')))
elements, bytes_in, bytes_out FROM gpu_last_call()
\.

-- How the array came in depends on how it was stored: by pages or slices of a
-- TOAST table where it lies as it is, and whole where it is compressed.
\set ECHO none
CREATE TABLE runs (kind text, samples integer[] COMPRESSION pglz);
ALTER TABLE runs ALTER samples SET STORAGE EXTERNAL;
INSERT INTO runs SELECT 'external', array_agg(hashint4(i)) FROM generate_series(1, 100000) AS i;
INSERT INTO runs SELECT 'external, of one piece', array_agg(hashint4(i)) FROM generate_series(1, 2000) AS i;
INSERT INTO runs SELECT 'inline', array_agg(i) FROM generate_series(1, 100) AS i;
INSERT INTO runs SELECT 'inline, short header', '{3,2,1}';
ALTER TABLE runs ALTER samples SET STORAGE EXTENDED;
INSERT INTO runs SELECT 'compressed', array_agg(i / 100) FROM generate_series(1, 100000) AS i;
INSERT INTO runs SELECT 'compressed inline', array_fill(1, ARRAY[10000]);

-- (Its argument is the call.)
CREATE FUNCTION source_of(called integer[]) RETURNS text
LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT source FROM gpu_last_call()); END $$;
\set ECHO all
SELECT kind, source_of(gpu_radix_sort(samples)) FROM runs ORDER BY kind COLLATE "C";
CREATE TEMPORARY TABLE passing AS SELECT samples FROM runs WHERE kind = 'external';
SELECT source_of(gpu_radix_sort(samples)) FROM passing;
SELECT source_of(gpu_radix_sort(array_agg(i))) FROM generate_series(1, 1000) AS i;

-- A variable of PL/pgSQL is an expanded array, which is put together for the
-- call if its elements were set one by one.
\set VERBOSITY default
DO $$
DECLARE
	a integer[] := '{3,2,1}';
	sorted integer[];
BEGIN
	sorted := gpu_radix_sort(a);
	RAISE NOTICE '%: %', sorted, (SELECT source FROM gpu_last_call());
	a[2] := 4;
	sorted := gpu_radix_sort(a);
	RAISE NOTICE '%: %', sorted, (SELECT source FROM gpu_last_call());
END $$;

-- What a function makes of its array does not depend on any of that: it is
-- IMMUTABLE and PARALLEL SAFE.  These are the others.
SELECT member, provolatile, proparallel FROM members WHERE NOT (provolatile = 'i' AND proparallel = 's') ORDER BY member;

-- None that has a text depends on a collation, and the planner knows that.
SELECT member FROM members
WHERE provolatile = 'i' AND prosupport = 0 AND
	  ('text'::regtype = ANY (proargtypes) OR 'varchar'::regtype = ANY (proargtypes));
CREATE INDEX runs_max ON runs (gpu_reduce(samples, 'max'));
SET enable_seqscan = off;
SET enable_bitmapscan = off;
EXPLAIN (COSTS off) SELECT kind FROM runs WHERE gpu_reduce(samples, 'max') = 3;
RESET enable_seqscan;
RESET enable_bitmapscan;

-- \df gpu_* lists at most 150 functions besides the aggregates, and none of literals
-- without a type.
SELECT count(*) <= 150 AS few, count(*) FILTER (WHERE 'unknown'::regtype = ANY (proargtypes)) AS of_literals
FROM members WHERE prokind = 'f' AND proname ~ '^gpu_';

-- A NULL in the place of any argument makes NULL, but for these.
SELECT member FROM members WHERE NOT proisstrict AND prokind = 'f' AND proname ~ '^gpu_' ORDER BY member;

-- Every function says what it is for.
SELECT member FROM members WHERE obj_description(oid, 'pg_proc') IS NULL;

DROP TABLE runs;
DROP FUNCTION source_of;
