/* sql/gpucompact--1.1.0--1.2.0.sql: what version 1.2.0 adds */

-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION gpucompact UPDATE TO '1.2.0'" to load this file. \quit

-- selection

CREATE FUNCTION gpu_compact_nulls(a anyarray)
RETURNS anyarray
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_compact_nulls(anyarray) IS
'the elements of an array that are not NULL, in their order';

CREATE FUNCTION gpu_compact_nulls(a unknown)
RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpu_literal'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_compact_nulls(unknown) IS
'the same for an array literal without a type, which is taken as integer[]';

-- extremes, dates and times

-- percentiles, aggregates, charts

-- observation
