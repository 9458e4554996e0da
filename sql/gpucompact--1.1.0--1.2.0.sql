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

-- The bounds are as the value of a comparison: "text" takes those of the
-- elements' type, and "varchar" others.

CREATE FUNCTION gpu_compact(a anyarray, op text, low anyelement, high anyelement)
RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpu_compact_where'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_compact(anyarray, text, anyelement, anyelement) IS
'the elements of an array that are between two values, in their order';

CREATE FUNCTION gpu_compact(a anyarray, op varchar, low "any", high "any")
RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpu_compact_where'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_compact(anyarray, varchar, "any", "any") IS
'the elements of an array that are between two values, in their order';

CREATE FUNCTION gpu_compact(a unknown, op unknown, low unknown, high unknown)
RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpu_literal'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_compact(unknown, unknown, unknown, unknown) IS
'the same for an array literal without a type, which is taken as integer[]';

CREATE FUNCTION gpu_positions(a anyarray, op text, low anyelement, high anyelement)
RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpu_positions_where'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_positions(anyarray, text, anyelement, anyelement) IS
'where in an array the elements are that are between two values, from 1 on';

CREATE FUNCTION gpu_positions(a anyarray, op varchar, low "any", high "any")
RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpu_positions_where'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_positions(anyarray, varchar, "any", "any") IS
'where in an array the elements are that are between two values, from 1 on';

CREATE FUNCTION gpu_positions(a unknown, op unknown, low unknown, high unknown)
RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpu_literal'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_positions(unknown, unknown, unknown, unknown) IS
'the same for an array literal without a type, which is taken as integer[]';

-- The parser prefers "text" for a literal, also for one that is a mask, and
-- takes an untyped parameter for a text.  So the function reads masks, too.

CREATE FUNCTION gpu_compact(a anyarray, op text)
RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpu_compact_by_text'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_compact(anyarray, text) IS
'the elements of an array that are NULL, or that are not, in their order';

CREATE FUNCTION gpu_positions(a anyarray, op text)
RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpu_positions_where'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_positions(anyarray, text) IS
'where in an array the elements are that are NULL, or that are not, from 1 on';

CREATE FUNCTION gpu_positions(a unknown, op unknown)
RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpu_literal'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_positions(unknown, unknown) IS
'the same for an array literal without a type, which is taken as integer[]';

ALTER FUNCTION gpu_compact(anyarray, text) SUPPORT gpu_ignores_collation;
ALTER FUNCTION gpu_compact(anyarray, text, anyelement, anyelement) SUPPORT gpu_ignores_collation;
ALTER FUNCTION gpu_compact(anyarray, varchar, "any", "any") SUPPORT gpu_ignores_collation;
ALTER FUNCTION gpu_positions(anyarray, text) SUPPORT gpu_ignores_collation;
ALTER FUNCTION gpu_positions(anyarray, text, anyelement, anyelement) SUPPORT gpu_ignores_collation;
ALTER FUNCTION gpu_positions(anyarray, varchar, "any", "any") SUPPORT gpu_ignores_collation;

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
