/* sql/gpucompact--1.1.0--1.2.0.sql: what version 1.2.0 adds */

-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION gpucompact UPDATE TO '1.2.0'" to load this file. \quit

-- selection

-- extremes, dates and times

-- percentiles, aggregates, charts

-- A fraction may be a text.  It is declared of a type that a literal without a
-- type cannot be of.

CREATE FUNCTION gpu_percentile_cont(a anyarray, fraction anycompatiblenonarray)
RETURNS double precision
AS 'MODULE_PATHNAME', 'gpu_percentile_cont_text'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpu_ignores_collation;

COMMENT ON FUNCTION gpu_percentile_cont(anyarray, anycompatiblenonarray) IS
'the same for a fraction that is a text';

CREATE FUNCTION gpu_percentile_disc(a anyarray, fraction anycompatiblenonarray)
RETURNS anyelement
AS 'MODULE_PATHNAME', 'gpu_percentile_disc_text'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpu_ignores_collation;

COMMENT ON FUNCTION gpu_percentile_disc(anyarray, anycompatiblenonarray) IS
'the same for a fraction that is a text';

CREATE OR REPLACE FUNCTION gpu_percentile_cont(a unknown, fractions unknown)
RETURNS double precision[]
AS 'MODULE_PATHNAME', 'gpu_literal_percentiles'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

CREATE OR REPLACE FUNCTION gpu_percentile_disc(a unknown, fractions unknown)
RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpu_literal_percentiles'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

CREATE FUNCTION gpu_pad(a anyarray, n integer)
RETURNS anyarray
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_pad(anyarray, integer) IS
'an array with NULLs after its elements, up to the length n';

CREATE FUNCTION gpu_downsample_points(a anyarray, n integer,
									  method text DEFAULT 'minmax',
									  OUT positions integer[],
									  OUT "values" anyarray)
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpu_ignores_collation;

COMMENT ON FUNCTION gpu_downsample_points(anyarray, integer, text) IS
'about n elements of an array whose line chart looks like that of all, with their positions (minmax lttb)';

-- Array literals without a type.

CREATE FUNCTION gpu_pad(a unknown, n integer)
RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpu_literal'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_pad(unknown, integer) IS
'the same for an array literal without a type, which is taken as integer[]';

CREATE FUNCTION gpu_downsample_points(a unknown, n integer,
	method unknown DEFAULT 'minmax',
	OUT positions integer[], OUT "values" integer[])
AS 'MODULE_PATHNAME', 'gpu_literal'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_downsample_points(unknown, integer, unknown) IS
'the same for an array literal without a type, which is taken as integer[]';

CREATE FUNCTION gpu_sort_by_key(a unknown, keys unknown,
	descending boolean DEFAULT false, nulls_first boolean DEFAULT NULL)
RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpu_literal_pair'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_sort_by_key(unknown, unknown, boolean, boolean) IS
'the same for array literals without a type, which are taken as integer[]';

CREATE FUNCTION gpu_group(keys unknown, a unknown, op unknown,
	OUT keys integer[], OUT "values" integer[])
AS 'MODULE_PATHNAME', 'gpu_literal_pair'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_group(unknown, unknown, unknown) IS
'the same for array literals without a type, which are taken as integer[]';

-- observation
