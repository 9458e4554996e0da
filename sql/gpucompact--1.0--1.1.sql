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

-- percentiles

CREATE FUNCTION gpu_percentile_cont(a anyarray, fraction double precision)
RETURNS double precision
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_percentile_cont(anyarray, double precision) IS
'the percentile of an array of numbers at a fraction, interpolated between elements';

CREATE FUNCTION gpu_percentile_cont(a anyarray, fractions double precision[])
RETURNS double precision[]
AS 'MODULE_PATHNAME', 'gpu_percentile_cont_list'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_percentile_cont(anyarray, double precision[]) IS
'the percentiles of an array of numbers at fractions, interpolated between elements';

CREATE FUNCTION gpu_percentile_disc(a anyarray, fraction double precision)
RETURNS anyelement
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_percentile_disc(anyarray, double precision) IS
'the first element of an array, in order, whose position reaches a fraction';

CREATE FUNCTION gpu_percentile_disc(a anyarray, fractions double precision[])
RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpu_percentile_disc_list'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_percentile_disc(anyarray, double precision[]) IS
'the first elements of an array, in order, whose positions reach fractions';

-- the greatest elements

CREATE FUNCTION gpu_top_k(a anyarray, k integer, descending boolean DEFAULT true,
	OUT "values" anyarray, OUT positions integer[])
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_top_k(anyarray, integer, boolean) IS
'the "k" greatest elements of an array, or the least, and their positions';

-- equal elements

CREATE FUNCTION gpu_mode(a anyarray)
RETURNS anyelement
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_mode(anyarray) IS
'the most frequent element of an array';

-- ranks

CREATE FUNCTION gpu_rank(a anyarray, method text DEFAULT 'dense')
RETURNS integer[]
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_rank(anyarray, text) IS
'the rank of each element of an array among all: "dense", "min" or "first"';
