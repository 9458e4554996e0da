/* sql/gpucompact--1.0--1.1.sql: what version 1.1 adds */

-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION gpucompact UPDATE TO '1.1'" to load this file. \quit

-- scan

CREATE FUNCTION gpu_delta(a anyarray, lag integer)
RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpu_delta_lag'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_delta(anyarray, integer) IS
'what each number of an array is more than the one "lag" before; the first ones stay';

-- observability

CREATE FUNCTION gpu_processes(OUT gpu integer,
							  OUT pid integer,
							  OUT state text,
							  OUT since timestamp with time zone,
							  OUT lanes integer,
							  OUT lanes_leased integer,
							  OUT calls_waiting integer,
							  OUT calls bigint,
							  OUT bytes_in bigint,
							  OUT bytes_out bigint,
							  OUT gpu_memory bigint,
							  OUT host_memory bigint,
							  OUT failures integer,
							  OUT last_failure text)
RETURNS SETOF record
AS 'MODULE_PATHNAME'
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED COST 1000 ROWS 1;

COMMENT ON FUNCTION gpu_processes() IS
'the processes that serve GPUs to all sessions, and what they do';
