/* sql/gpucompact--1.1.0--1.2.0.sql: what version 1.2.0 adds */

-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION gpucompact UPDATE TO '1.2.0'" to load this file. \quit

-- selection

-- extremes, dates and times

-- percentiles, aggregates, charts

-- observation

DROP FUNCTION gpu_last_call();

CREATE FUNCTION gpu_last_call(OUT function text,
							  OUT engine text,
							  OUT reason text,
							  OUT source text,
							  OUT elements bigint,
							  OUT bytes_in bigint,
							  OUT bytes_out bigint,
							  OUT total_ms double precision,
							  OUT detoast_ms double precision,
							  OUT upload_ms double precision,
							  OUT kernel_ms double precision,
							  OUT download_ms double precision,
							  OUT result_ms double precision,
							  OUT error text)
RETURNS SETOF record
AS 'MODULE_PATHNAME'
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED COST 10 ROWS 1;

COMMENT ON FUNCTION gpu_last_call() IS
'how the last call in this session ran: on which engine and why, how its array came in, the bytes and the milliseconds of each part, and the SQLSTATE of the error that it ended with; no row before the first call';

-- The function that the view uses makes room for one of more columns, so that
-- the view, and what uses it, can stay.
ALTER FUNCTION gpu_stat() RENAME TO gpu_stat_1_1;

CREATE FUNCTION gpu_stat(OUT function text,
						 OUT engine text,
						 OUT reason text,
						 OUT calls bigint,
						 OUT elements bigint,
						 OUT bytes_in bigint,
						 OUT bytes_out bigint,
						 OUT timed_calls bigint,
						 OUT total_ms double precision,
						 OUT since timestamp with time zone,
						 OUT failed_calls bigint)
RETURNS SETOF record
AS 'MODULE_PATHNAME'
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED ROWS 100;

COMMENT ON FUNCTION gpu_stat() IS
'the calls of all sessions, by function, engine and reason';

CREATE OR REPLACE VIEW gpu_stat AS SELECT * FROM gpu_stat();

DROP FUNCTION gpu_stat_1_1();
