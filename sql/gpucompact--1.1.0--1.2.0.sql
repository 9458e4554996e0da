/* sql/gpucompact--1.1.0--1.2.0.sql: what version 1.2.0 adds */

-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION gpucompact UPDATE TO '1.2.0'" to load this file. \quit

-- selection

-- extremes, dates and times

-- Differences of dates and times are of another type than these.

CREATE FUNCTION gpu_delta(a timestamp[])
RETURNS bigint[]
AS 'MODULE_PATHNAME', 'gpu_delta_times'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_delta(timestamp[]) IS
'how many microseconds each timestamp of an array is after the one before; NULL for the first';

CREATE FUNCTION gpu_delta(a timestamp[], lag integer)
RETURNS bigint[]
AS 'MODULE_PATHNAME', 'gpu_delta_times'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_delta(timestamp[], integer) IS
'how many microseconds each timestamp of an array is after the one "lag" before; NULL for the first ones';

CREATE FUNCTION gpu_delta(a timestamptz[])
RETURNS bigint[]
AS 'MODULE_PATHNAME', 'gpu_delta_times'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_delta(timestamptz[]) IS
'how many microseconds each timestamp of an array is after the one before; NULL for the first';

CREATE FUNCTION gpu_delta(a timestamptz[], lag integer)
RETURNS bigint[]
AS 'MODULE_PATHNAME', 'gpu_delta_times'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_delta(timestamptz[], integer) IS
'how many microseconds each timestamp of an array is after the one "lag" before; NULL for the first ones';

CREATE FUNCTION gpu_delta(a date[])
RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpu_delta_times'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_delta(date[]) IS
'how many days each date of an array is after the one before; NULL for the first';

CREATE FUNCTION gpu_delta(a date[], lag integer)
RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpu_delta_times'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_delta(date[], integer) IS
'how many days each date of an array is after the one "lag" before; NULL for the first ones';

CREATE FUNCTION gpu_delta(a time[])
RETURNS bigint[]
AS 'MODULE_PATHNAME', 'gpu_delta_times'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_delta(time[]) IS
'how many microseconds each time of an array is after the one before; NULL for the first';

CREATE FUNCTION gpu_delta(a time[], lag integer)
RETURNS bigint[]
AS 'MODULE_PATHNAME', 'gpu_delta_times'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_delta(time[], integer) IS
'how many microseconds each time of an array is after the one "lag" before; NULL for the first ones';

CREATE FUNCTION gpu_stats(a anyarray,
						  OUT count bigint, OUT nulls bigint,
						  OUT sum numeric, OUT min anyelement, OUT max anyelement,
						  OUT avg numeric, OUT variance numeric,
						  OUT stddev numeric)
AS 'MODULE_PATHNAME', 'gpu_stats_other'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_stats(anyarray) IS
'not supported for other types; raises an error that names the functions that are';

-- percentiles, aggregates, charts

-- observation
