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
