-- The settings: gpucompact.engine, gpucompact.algorithm,
-- gpucompact.cpu_threads and gpucompact.kept_memory, for everyone, and
-- gpucompact.device, gpucompact.device_memory_limit,
-- gpucompact.max_kept_memory, gpucompact.kept_memory_timeout,
-- gpucompact.log_min_duration and gpucompact.cpu, for the superuser, and those
-- of the GPU processes, for the whole server
\pset format unaligned \pset tuples_only on \pset null NULL

-- They are known once the library is loaded, by the first call at the latest.
SELECT gpu_compact('{}'::integer[]);
SELECT name, vartype, unit, context, boot_val, min_val, max_val, enumvals
FROM pg_settings
WHERE name IN ('gpucompact.engine', 'gpucompact.algorithm',
			   'gpucompact.cpu_threads', 'gpucompact.kept_memory')
ORDER BY name;
SELECT name, vartype, unit, context, boot_val, min_val, max_val
FROM pg_settings
WHERE name IN ('gpucompact.device', 'gpucompact.device_memory_limit',
			   'gpucompact.max_kept_memory', 'gpucompact.kept_memory_timeout',
			   'gpucompact.log_min_duration')
ORDER BY name;
SELECT name, vartype, unit, context, boot_val, min_val, max_val
FROM pg_settings
WHERE name LIKE 'gpucompact.gpu%'
ORDER BY name;

-- Each may be set, to what is in its range: other values are refused.
CREATE FUNCTION set_to(name text, value text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN set_config('gpucompact.' || name, value, true);
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE;
END $$;
SELECT name, value, set_to(name, value)
FROM (VALUES ('engine', 'cpu'), ('engine', 'CUDA'), ('engine', 'cpu'), ('engine', 'gpu'), ('engine', 'auto'),
			 ('engine', 'gpus'), ('engine', ''), ('cpu_threads', '64'), ('cpu_threads', '65'), ('cpu_threads', '-1'),
			 ('cpu_threads', 'many'), ('kept_memory', '1GB'), ('kept_memory', '2047MB'), ('kept_memory', '2GB'),
			 ('kept_memory', '-1'), ('max_kept_memory', '1GB'), ('max_kept_memory', '2047MB'), ('max_kept_memory', '2GB'),
			 ('max_kept_memory', '-1'), ('kept_memory_timeout', '90s'), ('kept_memory_timeout', '-1'),
			 ('kept_memory_timeout', '1MB'), ('device', '1'), ('device', '-2'), ('device', '1000000000'),
			 ('device_memory_limit', '4GB'), ('device_memory_limit', '2147483647MB'), ('device_memory_limit', '-1'),
			 ('device_memory_limit', '2048TB'), ('device_memory_limit', 'all'), ('log_min_duration', '-2'),
			 ('log_min_duration', '1 MB')) AS v (name, value);
DROP FUNCTION set_to;

-- For a session, a transaction, or a function.
SET gpucompact.engine = cpu;
\set VERBOSITY sqlstate
SET gpucompact.engine = 'gpus';
SHOW gpucompact.engine;
RESET gpucompact.engine;
SELECT setting = reset_val FROM pg_settings WHERE name = 'gpucompact.engine';
SET gpucompact.cpu_threads = 64;
BEGIN;
SET LOCAL gpucompact.cpu_threads = 1;
SHOW gpucompact.cpu_threads;
COMMIT;
SHOW gpucompact.cpu_threads;
CREATE FUNCTION sort_on_one_thread(a integer[]) RETURNS integer[]
LANGUAGE plpgsql SET gpucompact.cpu_threads = 1 SET gpucompact.engine = cpu
AS $$ BEGIN RETURN gpu_radix_sort(a); END $$;
SELECT sort_on_one_thread('{2,3,1}');
SELECT engine FROM gpu_last_call();
DROP FUNCTION sort_on_one_thread;

-- Which code runs changes no result.  What the processor does not have is an error.
CREATE FUNCTION sorted_by(code text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('gpucompact.cpu', code, true);
	RETURN md5(gpu_radix_sort(ARRAY(SELECT i * 7919 % 1000 FROM generate_series(1, 1000) AS i))::text);
EXCEPTION WHEN invalid_parameter_value THEN
	RETURN CASE WHEN code LIKE 'avx%' THEN sorted_by('plain') ELSE SQLSTATE END;
END $$;
SELECT code, sorted_by(code) = sorted_by('auto') FROM (VALUES ('plain'), ('avx2'), ('avx512'), ('sse')) AS v (code);
SELECT sorted_by('sse');
DROP FUNCTION sorted_by;

-- A setting that there is not is a mistake of its writer's.
SET gpucompact.engin = 'cpu';
SET gpucompact.threads = 1;

-- Which GPU is used, and how much of it, how much memory a session may keep, and
-- which calls are logged, is for the superuser to say, or for whom a superuser
-- allows to.
CREATE ROLE regress_gpucompact_user;
SET ROLE regress_gpucompact_user;
SET gpucompact.engine = auto;
SET gpucompact.cpu_threads = 2;
SET gpucompact.device = 0;
SET gpucompact.device_memory_limit = 0;
SET gpucompact.cpu = plain;
SET gpucompact.max_kept_memory = '1GB';
SET gpucompact.kept_memory_timeout = 0;
SET gpucompact.log_min_duration = 0;
SET gpucompact.kept_memory = '2047MB';	-- has no effect above the limit
RESET gpucompact.kept_memory;
RESET ROLE;
GRANT SET ON PARAMETER gpucompact.device TO regress_gpucompact_user;
SET ROLE regress_gpucompact_user;
SET gpucompact.device = 0;
RESET gpucompact.device;
RESET ROLE;
REVOKE SET ON PARAMETER gpucompact.device FROM regress_gpucompact_user;
DROP ROLE regress_gpucompact_user;

-- A role that is nobody's superuser can choose the CPU, and nothing else that
-- would cost others: also not by way of a function's settings.
CREATE ROLE regress_gpucompact_user;
CREATE SCHEMA regress_gpucompact AUTHORIZATION regress_gpucompact_user;
SET ROLE regress_gpucompact_user;
SET gpucompact.engine = cpu;
SELECT gpu_radix_sort('{2,3,1}'::integer[]);
SELECT engine FROM gpu_last_call();
SELECT count(*) > 0 AS some FROM gpu_devices();
SET gpucompact.algorithm = sequential;
SELECT gpu_compact('{0,3,1}'::integer[]);
RESET gpucompact.algorithm;
CREATE FUNCTION regress_gpucompact.unlimited() RETURNS integer LANGUAGE sql
SET gpucompact.device_memory_limit = 0 AS 'SELECT 1';
ALTER ROLE regress_gpucompact_user SET gpucompact.device = 1;
ALTER SYSTEM SET gpucompact.device = 1;
RESET ROLE;
DROP SCHEMA regress_gpucompact;
DROP ROLE regress_gpucompact_user;

-- The functions are in C, and belong to the extension's owner. They run with their
-- caller's rights and settings, and none is leakproof: an error message may contain a
-- value. Only some roles may call the functions that show or clear what other sessions
-- keep.
SELECT proname AS function, has_function_privilege('public', p.oid, 'EXECUTE') AS by_all,
	   has_function_privilege('pg_monitor', p.oid, 'EXECUTE') AS by_monitors
FROM pg_proc AS p
JOIN pg_depend AS d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid
JOIN pg_extension AS e ON d.refclassid = 'pg_extension'::regclass AND
	 d.refobjid = e.oid
JOIN pg_language AS l ON l.oid = prolang
WHERE extname = 'gpucompact' AND
	  (proleakproof OR prosecdef OR proconfig IS NOT NULL OR
	   proowner <> extowner OR proacl IS NOT NULL OR
	   prokind <> 'a' AND
	   (lanname <> 'c' OR probin <> '$libdir/gpucompact'))
ORDER BY proname COLLATE "C";
