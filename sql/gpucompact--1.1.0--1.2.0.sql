/* sql/gpucompact--1.1.0--1.2.0.sql: what version 1.2.0 adds */

-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION gpucompact UPDATE TO '1.2.0'" to load this file. \quit

-- names: what no query needs to call begins with gpucompact_, so that \df gpu_*
-- shows what users call.  And one text for each kind of overload.

ALTER FUNCTION gpu_avg_agg_step(internal, anyarray) RENAME TO gpucompact_avg_agg_step;
ALTER FUNCTION gpu_concat_agg_result(internal, anyarray) RENAME TO gpucompact_concat_agg_result;
ALTER FUNCTION gpu_concat_agg_step(internal, anyarray) RENAME TO gpucompact_concat_agg_step;
ALTER FUNCTION gpu_distinct_agg_combine(internal, internal) RENAME TO gpucompact_distinct_agg_combine;
ALTER FUNCTION gpu_distinct_agg_deserialize(bytea, internal) RENAME TO gpucompact_distinct_agg_deserialize;
ALTER FUNCTION gpu_distinct_agg_result(internal, anyarray) RENAME TO gpucompact_distinct_agg_result;
ALTER FUNCTION gpu_distinct_agg_serialize(internal) RENAME TO gpucompact_distinct_agg_serialize;
ALTER FUNCTION gpu_distinct_agg_step(internal, anyarray) RENAME TO gpucompact_distinct_agg_step;
ALTER FUNCTION gpu_max_agg_step(internal, anyarray) RENAME TO gpucompact_max_agg_step;
ALTER FUNCTION gpu_min_agg_step(internal, anyarray) RENAME TO gpucompact_min_agg_step;
ALTER FUNCTION gpu_rows_combine(internal, internal) RENAME TO gpucompact_rows_combine;
ALTER FUNCTION gpu_rows_deserialize(bytea, internal) RENAME TO gpucompact_rows_deserialize;
ALTER FUNCTION gpu_rows_result(internal, anyarray) RENAME TO gpucompact_rows_result;
ALTER FUNCTION gpu_rows_result_bigint(internal) RENAME TO gpucompact_rows_result_bigint;
ALTER FUNCTION gpu_rows_result_float8(internal) RENAME TO gpucompact_rows_result_float8;
ALTER FUNCTION gpu_rows_serialize(internal) RENAME TO gpucompact_rows_serialize;
ALTER FUNCTION gpu_sum_agg_step(internal, anyarray) RENAME TO gpucompact_sum_agg_step;

COMMENT ON FUNCTION gpu_histogram(numeric[], numeric, numeric, integer) IS
'not supported for this type; raises an error that says what to do';
COMMENT ON FUNCTION gpu_histogram(int2vector, numeric, numeric, integer) IS
'not supported for this type; raises an error that says what to do';
COMMENT ON FUNCTION gpu_prefix_sum(numeric[], boolean) IS
'not supported for this type; raises an error that says what to do';
COMMENT ON FUNCTION gpu_prefix_sum(int2vector, boolean) IS
'not supported for this type; raises an error that says what to do';
COMMENT ON FUNCTION gpu_stats(numeric[]) IS
'not supported for this type; raises an error that says what to do';
COMMENT ON FUNCTION gpu_stats(int2vector) IS
'not supported for this type; raises an error that says what to do';

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
'not supported for this type; raises an error that says what to do';

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
'the same for an array literal without a type, which is taken as integer[]';

CREATE FUNCTION gpu_group(keys unknown, a unknown, op unknown,
	OUT keys integer[], OUT "values" integer[])
AS 'MODULE_PATHNAME', 'gpu_literal_pair'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_group(unknown, unknown, unknown) IS
'the same for an array literal without a type, which is taken as integer[]';

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
							  OUT error text,
							  OUT chain text)
RETURNS SETOF record
AS 'MODULE_PATHNAME'
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED COST 10 ROWS 1;

COMMENT ON FUNCTION gpu_last_call() IS
'how the last call in this session ran: on which engine and why, how its array came in, the bytes and the milliseconds of each part, the SQLSTATE of the error that it ended with, and the calls of the chain that it ended; no row before the first call';

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

-- chains: calls that are the arguments of calls become one call.  The planner
-- puts together the functions that have this support function.

CREATE FUNCTION gpucompact_chain_support(internal)
RETURNS internal
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gpucompact_chain_support(internal) IS
'planner support: makes one call of a chain of calls';

CREATE FUNCTION gpucompact_chain("like" anyelement, program text, VARIADIC leaves "any")
RETURNS anyelement
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support;

COMMENT ON FUNCTION gpucompact_chain(anyelement, text, "any") IS
'a chain of calls in the planner''s form: the calls of the program in turn, over the leaves $1, $2 ...';

-- Chains whose last call returns a row.  The arguments before the program are
-- the types of that call's arrays.

CREATE FUNCTION gpucompact_chain_stats("like" smallint[], program text,
	VARIADIC leaves "any",
	OUT count bigint, OUT nulls bigint, OUT sum bigint,
	OUT min smallint, OUT max smallint, OUT avg numeric,
	OUT variance numeric, OUT stddev numeric)
AS 'MODULE_PATHNAME', 'gpucompact_chain'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support;

COMMENT ON FUNCTION gpucompact_chain_stats(smallint[], text, "any") IS
'a chain of calls that ends in gpu_stats, in the planner''s form';

CREATE FUNCTION gpucompact_chain_stats("like" integer[], program text,
	VARIADIC leaves "any",
	OUT count bigint, OUT nulls bigint, OUT sum bigint,
	OUT min integer, OUT max integer, OUT avg numeric,
	OUT variance numeric, OUT stddev numeric)
AS 'MODULE_PATHNAME', 'gpucompact_chain'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support;

COMMENT ON FUNCTION gpucompact_chain_stats(integer[], text, "any") IS
'a chain of calls that ends in gpu_stats, in the planner''s form';

CREATE FUNCTION gpucompact_chain_stats("like" bigint[], program text,
	VARIADIC leaves "any",
	OUT count bigint, OUT nulls bigint, OUT sum numeric,
	OUT min bigint, OUT max bigint, OUT avg numeric,
	OUT variance numeric, OUT stddev numeric)
AS 'MODULE_PATHNAME', 'gpucompact_chain'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support;

COMMENT ON FUNCTION gpucompact_chain_stats(bigint[], text, "any") IS
'a chain of calls that ends in gpu_stats, in the planner''s form';

CREATE FUNCTION gpucompact_chain_stats("like" real[], program text,
	VARIADIC leaves "any",
	OUT count bigint, OUT nulls bigint, OUT sum real,
	OUT min real, OUT max real, OUT avg double precision,
	OUT variance double precision, OUT stddev double precision)
AS 'MODULE_PATHNAME', 'gpucompact_chain'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support;

COMMENT ON FUNCTION gpucompact_chain_stats(real[], text, "any") IS
'a chain of calls that ends in gpu_stats, in the planner''s form';

CREATE FUNCTION gpucompact_chain_stats("like" double precision[], program text,
	VARIADIC leaves "any",
	OUT count bigint, OUT nulls bigint, OUT sum double precision,
	OUT min double precision, OUT max double precision, OUT avg double precision,
	OUT variance double precision, OUT stddev double precision)
AS 'MODULE_PATHNAME', 'gpucompact_chain'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support;

COMMENT ON FUNCTION gpucompact_chain_stats(double precision[], text, "any") IS
'a chain of calls that ends in gpu_stats, in the planner''s form';

CREATE FUNCTION gpucompact_chain_top_k("like" anyarray, program text,
	VARIADIC leaves "any",
	OUT "values" anyarray, OUT positions integer[])
AS 'MODULE_PATHNAME', 'gpucompact_chain'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support;

COMMENT ON FUNCTION gpucompact_chain_top_k(anyarray, text, "any") IS
'a chain of calls that ends in gpu_top_k, in the planner''s form';

CREATE FUNCTION gpucompact_chain_distinct_counts("like" anyarray, program text,
	VARIADIC leaves "any",
	OUT "values" anyarray, OUT counts integer[])
AS 'MODULE_PATHNAME', 'gpucompact_chain'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support;

COMMENT ON FUNCTION gpucompact_chain_distinct_counts(anyarray, text, "any") IS
'a chain of calls that ends in gpu_distinct_counts, in the planner''s form';

CREATE FUNCTION gpucompact_chain_run_lengths("like" anyarray, program text,
	VARIADIC leaves "any",
	OUT "values" anyarray, OUT lengths integer[])
AS 'MODULE_PATHNAME', 'gpucompact_chain'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support;

COMMENT ON FUNCTION gpucompact_chain_run_lengths(anyarray, text, "any") IS
'a chain of calls that ends in gpu_run_lengths, in the planner''s form';

CREATE FUNCTION gpucompact_chain_downsample_points("like" anyarray, program text,
	VARIADIC leaves "any",
	OUT positions integer[], OUT "values" anyarray)
AS 'MODULE_PATHNAME', 'gpucompact_chain'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support;

COMMENT ON FUNCTION gpucompact_chain_downsample_points(anyarray, text, "any") IS
'a chain of calls that ends in gpu_downsample_points, in the planner''s form';

CREATE FUNCTION gpucompact_chain_group(like_keys anyarray, "like" anycompatiblearray, program text,
	VARIADIC leaves "any",
	OUT keys anyarray, OUT "values" anycompatiblearray)
AS 'MODULE_PATHNAME', 'gpucompact_chain'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support;

COMMENT ON FUNCTION gpucompact_chain_group(anyarray, anycompatiblearray, text, "any") IS
'a chain of calls that ends in gpu_group, in the planner''s form';

CREATE FUNCTION gpucompact_chain_regr(like_y anyarray, "like" anycompatiblearray, program text,
	VARIADIC leaves "any",
	OUT count bigint, OUT corr double precision,
	OUT covar_samp double precision, OUT slope double precision,
	OUT intercept double precision, OUT r2 double precision)
AS 'MODULE_PATHNAME', 'gpucompact_chain'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support;

COMMENT ON FUNCTION gpucompact_chain_regr(anyarray, anycompatiblearray, text, "any") IS
'a chain of calls that ends in gpu_regr, in the planner''s form';

ALTER FUNCTION gpu_argsort(anyarray, boolean, boolean) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_bucket(anyarray, anyarray) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_compact(anyarray) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_compact(anyarray, boolean[]) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_compact(anyarray, text) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_compact(anyarray, text, anyelement) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_compact(anyarray, text, anyelement, anyelement) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_compact(anyarray, varchar, "any") SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_compact(anyarray, varchar, "any", "any") SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_compact_in(anyarray, anyarray, boolean) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_compact_nulls(anyarray) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_delta(anyarray) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_delta(anyarray, integer) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_delta(date[]) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_delta(date[], integer) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_delta(time[]) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_delta(time[], integer) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_delta(timestamp[]) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_delta(timestamp[], integer) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_delta(timestamptz[]) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_delta(timestamptz[], integer) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_distinct(anyarray) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_distinct(anyarray, boolean) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_distinct_counts(anyarray) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_downsample(anyarray, integer, text) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_downsample_points(anyarray, integer, text) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_except(anyarray, anyarray) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_fill(anyarray, boolean) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_from_bytes(bytea, anyarray) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_group(anyarray, anycompatiblearray, text) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_histogram(anyarray, anyarray) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_histogram(bigint[], numeric, numeric, integer) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_histogram(double precision[], double precision, double precision, integer) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_histogram(integer[], numeric, numeric, integer) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_histogram(real[], double precision, double precision, integer) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_histogram(smallint[], numeric, numeric, integer) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_intersect(anyarray, anyarray) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_intersect_count(anyarray, anyarray) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_mode(anyarray) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_pad(anyarray, integer) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_percentile_cont(anyarray, anycompatiblenonarray) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_percentile_cont(anyarray, double precision) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_percentile_cont(anyarray, double precision[]) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_percentile_disc(anyarray, anycompatiblenonarray) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_percentile_disc(anyarray, double precision) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_percentile_disc(anyarray, double precision[]) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_positions(anyarray, text) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_positions(anyarray, text, anyelement) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_positions(anyarray, text, anyelement, anyelement) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_positions(anyarray, varchar, "any") SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_positions(anyarray, varchar, "any", "any") SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_positions(boolean[]) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_prefix_sum(bigint[], boolean) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_prefix_sum(double precision[], boolean) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_prefix_sum(integer[], boolean) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_prefix_sum(real[], boolean) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_prefix_sum(smallint[], boolean) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_radix_sort(anyarray, boolean, boolean) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_rank(anyarray, text) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_reduce(anyarray, text) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_run_lengths(anyarray) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_scan(anyarray, text, boolean) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_sort_by_key(anyarray, anycompatiblearray, boolean, boolean) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_stats(bigint[]) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_stats(double precision[]) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_stats(integer[]) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_stats(real[]) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_stats(smallint[]) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_take(anyarray, integer[]) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_to_bytes(anyarray) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_top_k(anyarray, integer, boolean) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_union(anyarray, anyarray) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_utf8_decode(bytea, text) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_utf8_decode(text, text) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_utf8_encode(integer[], text) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_utf8_is_valid(bytea) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_utf8_repair(bytea, text) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_window(anyarray, text, integer, integer) SUPPORT gpucompact_chain_support;
ALTER FUNCTION gpu_window_avg(anyarray, integer, integer) SUPPORT gpucompact_chain_support;

DROP FUNCTION gpu_ignores_collation(internal);

-- elements, one by one

-- The values of a comparison are as those of gpu_compact.

CREATE FUNCTION gpu_compare(a anyarray, op text, value anyelement)
RETURNS boolean[]
AS 'MODULE_PATHNAME', 'gpu_compare'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support;

COMMENT ON FUNCTION gpu_compare(anyarray, text, anyelement) IS
'whether each element of an array is = <> < <= > >= a value';

CREATE FUNCTION gpu_compare(a anyarray, op varchar, value "any")
RETURNS boolean[]
AS 'MODULE_PATHNAME', 'gpu_compare'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support;

COMMENT ON FUNCTION gpu_compare(anyarray, varchar, "any") IS
'whether each element of an array is = <> < <= > >= a value';

CREATE FUNCTION gpu_compare(a anyarray, op text, low anyelement, high anyelement)
RETURNS boolean[]
AS 'MODULE_PATHNAME', 'gpu_compare'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support;

COMMENT ON FUNCTION gpu_compare(anyarray, text, anyelement, anyelement) IS
'whether each element of an array is between two values';

CREATE FUNCTION gpu_compare(a anyarray, op varchar, low "any", high "any")
RETURNS boolean[]
AS 'MODULE_PATHNAME', 'gpu_compare'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support;

COMMENT ON FUNCTION gpu_compare(anyarray, varchar, "any", "any") IS
'whether each element of an array is between two values';

CREATE FUNCTION gpu_compare(a anyarray, op text)
RETURNS boolean[]
AS 'MODULE_PATHNAME', 'gpu_compare'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support;

COMMENT ON FUNCTION gpu_compare(anyarray, text) IS
'whether each element of an array is NULL, or is not';

CREATE FUNCTION gpu_compare(a unknown, op unknown)
RETURNS boolean[]
AS 'MODULE_PATHNAME', 'gpu_literal'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_compare(unknown, unknown) IS
'the same for an array literal without a type, which is taken as integer[]';

CREATE FUNCTION gpu_compare(a unknown, op unknown, value unknown)
RETURNS boolean[]
AS 'MODULE_PATHNAME', 'gpu_literal'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_compare(unknown, unknown, unknown) IS
'the same for an array literal without a type, which is taken as integer[]';

CREATE FUNCTION gpu_compare(a unknown, op unknown, low unknown, high unknown)
RETURNS boolean[]
AS 'MODULE_PATHNAME', 'gpu_literal'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_compare(unknown, unknown, unknown, unknown) IS
'the same for an array literal without a type, which is taken as integer[]';

-- The parser prefers "text" for the operator, as for gpu_compact; and a value is
-- no array, so that it is clear which argument is one.

CREATE FUNCTION gpu_map(a anyarray, op text, value anynonarray)
RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpu_map_value'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support;

COMMENT ON FUNCTION gpu_map(anyarray, text, anynonarray) IS
'each element of an array, combined with a value by an operator (+ - * / % least greatest)';

CREATE FUNCTION gpu_map(a anyarray, op varchar, value "any")
RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpu_map_value'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support;

COMMENT ON FUNCTION gpu_map(anyarray, varchar, "any") IS
'each element of an array, combined with a value by an operator (+ - * / % least greatest)';

CREATE FUNCTION gpu_map(value anynonarray, op text, a anyarray)
RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpu_map_value_first'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support;

COMMENT ON FUNCTION gpu_map(anynonarray, text, anyarray) IS
'a value, combined with each element of an array by an operator (+ - * / % least greatest)';

CREATE FUNCTION gpu_map(value "any", op varchar, a anyarray)
RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpu_map_value_first'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support;

COMMENT ON FUNCTION gpu_map("any", varchar, anyarray) IS
'a value, combined with each element of an array by an operator (+ - * / % least greatest)';

CREATE FUNCTION gpu_map(a anyarray, fn text)
RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpu_map_function'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support;

COMMENT ON FUNCTION gpu_map(anyarray, text) IS
'a function of each element of an array (abs - sign floor ceil round trunc sqrt)';

CREATE FUNCTION gpu_map(a unknown, op unknown, value unknown)
RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpu_literal'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_map(unknown, unknown, unknown) IS
'the same for an array literal without a type, which is taken as integer[]';

CREATE FUNCTION gpu_map(a unknown, fn unknown)
RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpu_literal'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_map(unknown, unknown) IS
'the same for an array literal without a type, which is taken as integer[]';

CREATE FUNCTION gpu_zip(a anyarray, op text, b anyarray)
RETURNS anyarray
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support;

COMMENT ON FUNCTION gpu_zip(anyarray, text, anyarray) IS
'the elements of two arrays, combined by an operator (+ - * / % least greatest and or)';

CREATE FUNCTION gpu_zip(a unknown, op unknown, b unknown)
RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpu_literal'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_zip(unknown, unknown, unknown) IS
'the same for an array literal without a type, which is taken as integer[]';

-- Only the mask of the first form is of a type that is exactly that of a mask.
-- So the parser prefers that form if the last argument is a literal.

CREATE FUNCTION gpu_where(mask boolean[], a anycompatiblearray, value anycompatiblenonarray)
RETURNS anycompatiblearray
AS 'MODULE_PATHNAME', 'gpu_where_value'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support;

COMMENT ON FUNCTION gpu_where(boolean[], anycompatiblearray, anycompatiblenonarray) IS
'each element of an array where a mask is true, and else a value';

CREATE FUNCTION gpu_where(mask "any", a anycompatiblearray, b anycompatiblearray)
RETURNS anycompatiblearray
AS 'MODULE_PATHNAME', 'gpu_where'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support;

COMMENT ON FUNCTION gpu_where("any", anycompatiblearray, anycompatiblearray) IS
'each element of an array where a mask is true, and else that of another array';

CREATE FUNCTION gpu_where(mask unknown, a unknown, value unknown)
RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpu_literal_where'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_where(unknown, unknown, unknown) IS
'the same for an array literal without a type, which is taken as integer[]';

CREATE FUNCTION gpu_where(mask boolean[], a unknown, value unknown)
RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpu_literal_where'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_where(boolean[], unknown, unknown) IS
'the same for an array literal without a type, which is taken as integer[]';

-- The widest gap is of the type of a difference of x, which the parser does not
-- know.

CREATE FUNCTION gpu_interpolate(x anycompatiblearray, y anyarray, at anycompatiblearray,
								max_gap "any" DEFAULT NULL)
RETURNS double precision[]
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support;

COMMENT ON FUNCTION gpu_interpolate(anycompatiblearray, anyarray, anycompatiblearray, "any") IS
'linear interpolation between the points of a series, at other places';

CREATE FUNCTION gpu_interpolate(x unknown, y unknown, at unknown, max_gap unknown DEFAULT NULL)
RETURNS double precision[]
AS 'MODULE_PATHNAME', 'gpu_literal_pair'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_interpolate(unknown, unknown, unknown, unknown) IS
'the same for an array literal without a type, which is taken as integer[]';

CREATE FUNCTION gpu_slice(a anyarray, first integer, last integer)
RETURNS anyarray
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support;

COMMENT ON FUNCTION gpu_slice(anyarray, integer, integer) IS
'the elements of an array from one position to another';

CREATE FUNCTION gpu_slice(a unknown, first integer, last integer)
RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpu_literal'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_slice(unknown, integer, integer) IS
'the same for an array literal without a type, which is taken as integer[]';

-- sums over the pairs of two arrays

-- gpu_dot of integers has the type of sum(x * y), where x is cast to a type in
-- which no product overflows.

CREATE FUNCTION gpu_dot(a smallint[], b smallint[])
RETURNS bigint
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support;

COMMENT ON FUNCTION gpu_dot(smallint[], smallint[]) IS
'the sum of the products of the elements of two arrays';

CREATE FUNCTION gpu_dot(a integer[], b integer[])
RETURNS numeric
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support;

COMMENT ON FUNCTION gpu_dot(integer[], integer[]) IS
'the sum of the products of the elements of two arrays';

CREATE FUNCTION gpu_dot(a bigint[], b bigint[])
RETURNS numeric
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support;

COMMENT ON FUNCTION gpu_dot(bigint[], bigint[]) IS
'the sum of the products of the elements of two arrays';

CREATE FUNCTION gpu_dot(a real[], b real[])
RETURNS real
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support;

COMMENT ON FUNCTION gpu_dot(real[], real[]) IS
'the sum of the products of the elements of two arrays';

CREATE FUNCTION gpu_dot(a double precision[], b double precision[])
RETURNS double precision
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support;

COMMENT ON FUNCTION gpu_dot(double precision[], double precision[]) IS
'the sum of the products of the elements of two arrays';

CREATE FUNCTION gpu_dot(a anyarray, b anyarray)
RETURNS numeric
AS 'MODULE_PATHNAME', 'gpu_dot_other'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_dot(anyarray, anyarray) IS
'not supported for this type; raises an error that says what to do';

CREATE FUNCTION gpu_dot(a numeric[], b numeric[])
RETURNS numeric
AS 'MODULE_PATHNAME', 'gpu_dot_other'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_dot(numeric[], numeric[]) IS
'not supported for this type; raises an error that says what to do';

CREATE FUNCTION gpu_dot(a int2vector, b int2vector)
RETURNS numeric
AS 'MODULE_PATHNAME', 'gpu_dot_other'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_dot(int2vector, int2vector) IS
'not supported for this type; raises an error that says what to do';

CREATE FUNCTION gpu_dot(a unknown, b unknown)
RETURNS numeric
AS 'MODULE_PATHNAME', 'gpu_literal_pair'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_dot(unknown, unknown) IS
'the same for an array literal without a type, which is taken as integer[]';

CREATE FUNCTION gpu_regr(y anyarray, x anycompatiblearray,
	OUT count bigint, OUT corr double precision,
	OUT covar_samp double precision, OUT slope double precision,
	OUT intercept double precision, OUT r2 double precision)
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support;

COMMENT ON FUNCTION gpu_regr(anyarray, anycompatiblearray) IS
'number, correlation, covariance, and the line of least squares of pairs, y before x';

CREATE FUNCTION gpu_regr(y unknown, x unknown,
	OUT count bigint, OUT corr double precision,
	OUT covar_samp double precision, OUT slope double precision,
	OUT intercept double precision, OUT r2 double precision)
AS 'MODULE_PATHNAME', 'gpu_literal_pair'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_regr(unknown, unknown) IS
'the same for an array literal without a type, which is taken as integer[]';
-- packed arrays

CREATE TYPE gpu_packed;

CREATE FUNCTION gpucompact_packed_in(cstring, oid, integer)
RETURNS gpu_packed
AS 'MODULE_PATHNAME'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpucompact_packed_in(cstring, oid, integer) IS
'input of the type gpu_packed';

CREATE FUNCTION gpucompact_packed_out(gpu_packed)
RETURNS cstring
AS 'MODULE_PATHNAME'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpucompact_packed_out(gpu_packed) IS
'output of the type gpu_packed';

CREATE FUNCTION gpucompact_packed_recv(internal, oid, integer)
RETURNS gpu_packed
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpucompact_packed_recv(internal, oid, integer) IS
'binary input of the type gpu_packed';

CREATE FUNCTION gpucompact_packed_send(gpu_packed)
RETURNS bytea
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpucompact_packed_send(gpu_packed) IS
'binary output of the type gpu_packed';

CREATE FUNCTION gpucompact_packed_typmod_in(cstring[])
RETURNS integer
AS 'MODULE_PATHNAME'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpucompact_packed_typmod_in(cstring[]) IS
'input of the modifier of gpu_packed';

CREATE FUNCTION gpucompact_packed_typmod_out(integer)
RETURNS cstring
AS 'MODULE_PATHNAME'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpucompact_packed_typmod_out(integer) IS
'output of the modifier of gpu_packed';

CREATE TYPE gpu_packed (
	INPUT = gpucompact_packed_in, OUTPUT = gpucompact_packed_out,
	RECEIVE = gpucompact_packed_recv, SEND = gpucompact_packed_send,
	TYPMOD_IN = gpucompact_packed_typmod_in, TYPMOD_OUT = gpucompact_packed_typmod_out,
	INTERNALLENGTH = VARIABLE, ALIGNMENT = double, STORAGE = external
);

COMMENT ON TYPE gpu_packed IS
'an array of one dimension, in a fraction of its bytes';

CREATE FUNCTION gpucompact_packed_check(p gpu_packed, typmod integer, explicit boolean)
RETURNS gpu_packed
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpucompact_packed_check(gpu_packed, integer, boolean) IS
'checks the type of the elements of a packed array';

CREATE CAST (gpu_packed AS gpu_packed)
WITH FUNCTION gpucompact_packed_check(gpu_packed, integer, boolean) AS IMPLICIT;

CREATE FUNCTION gpucompact_packed_eq(gpu_packed, gpu_packed)
RETURNS boolean
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpucompact_packed_eq(gpu_packed, gpu_packed) IS
'whether two packed arrays are those of equal arrays';

CREATE FUNCTION gpucompact_packed_ne(gpu_packed, gpu_packed)
RETURNS boolean
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpucompact_packed_ne(gpu_packed, gpu_packed) IS
'whether two packed arrays are those of different arrays';

CREATE FUNCTION gpucompact_packed_hash(gpu_packed)
RETURNS integer
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpucompact_packed_hash(gpu_packed) IS
'hash of the array of a packed array';

CREATE FUNCTION gpucompact_packed_hash_extended(gpu_packed, bigint)
RETURNS bigint
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpucompact_packed_hash_extended(gpu_packed, bigint) IS
'hash of the array of a packed array';

CREATE OPERATOR = (
	LEFTARG = gpu_packed, RIGHTARG = gpu_packed, FUNCTION = gpucompact_packed_eq,
	COMMUTATOR = =, NEGATOR = <>, RESTRICT = eqsel, JOIN = eqjoinsel, HASHES
);

COMMENT ON OPERATOR = (gpu_packed, gpu_packed) IS
'equal';

CREATE OPERATOR <> (
	LEFTARG = gpu_packed, RIGHTARG = gpu_packed, FUNCTION = gpucompact_packed_ne,
	COMMUTATOR = <>, NEGATOR = =, RESTRICT = neqsel, JOIN = neqjoinsel
);

COMMENT ON OPERATOR <> (gpu_packed, gpu_packed) IS
'not equal';

CREATE OPERATOR CLASS gpu_packed_ops
DEFAULT FOR TYPE gpu_packed USING hash AS
	OPERATOR 1 =,
	FUNCTION 1 gpucompact_packed_hash(gpu_packed),
	FUNCTION 2 gpucompact_packed_hash_extended(gpu_packed, bigint);

CREATE FUNCTION gpu_pack(a anyarray)
RETURNS gpu_packed
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support;

COMMENT ON FUNCTION gpu_pack(anyarray) IS
'an array in a fraction of its bytes';

CREATE FUNCTION gpu_pack(a unknown)
RETURNS gpu_packed
AS 'MODULE_PATHNAME', 'gpu_literal'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_pack(unknown) IS
'the same for an array literal without a type, which is taken as integer[]';

CREATE FUNCTION gpu_unpack(p gpu_packed, "like" anyarray)
RETURNS anyarray
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support;

COMMENT ON FUNCTION gpu_unpack(gpu_packed, anyarray) IS
'the array that a packed array was made of';

CREATE FUNCTION gpu_slice(p gpu_packed, first integer, last integer, "like" anyarray)
RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpu_slice_packed'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support;

COMMENT ON FUNCTION gpu_slice(gpu_packed, integer, integer, anyarray) IS
'the elements of a packed array from one position to another';

CREATE FUNCTION gpu_packed_info(p gpu_packed,
								OUT element_type regtype,
								OUT elements bigint, OUT nulls bigint,
								OUT bytes bigint,
								OUT bits_per_element double precision,
								OUT blocks jsonb, OUT decimal_blocks bigint,
								OUT minimum text, OUT maximum text)
RETURNS record
AS 'MODULE_PATHNAME'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_packed_info(gpu_packed) IS
'what a packed array is made of: its elements, bytes and blocks';

-- Casts, for which the type of the result has to be known by the name.

CREATE FUNCTION gpucompact_unpack_int2(p gpu_packed)
RETURNS smallint[]
AS 'MODULE_PATHNAME', 'gpucompact_unpack_as'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support;

COMMENT ON FUNCTION gpucompact_unpack_int2(gpu_packed) IS
'the array that a packed array was made of';

CREATE CAST (smallint[] AS gpu_packed) WITH FUNCTION gpu_pack(anyarray);
CREATE CAST (gpu_packed AS smallint[]) WITH FUNCTION gpucompact_unpack_int2(gpu_packed);

CREATE FUNCTION gpucompact_unpack_int4(p gpu_packed)
RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpucompact_unpack_as'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support;

COMMENT ON FUNCTION gpucompact_unpack_int4(gpu_packed) IS
'the array that a packed array was made of';

CREATE CAST (integer[] AS gpu_packed) WITH FUNCTION gpu_pack(anyarray);
CREATE CAST (gpu_packed AS integer[]) WITH FUNCTION gpucompact_unpack_int4(gpu_packed);

CREATE FUNCTION gpucompact_unpack_int8(p gpu_packed)
RETURNS bigint[]
AS 'MODULE_PATHNAME', 'gpucompact_unpack_as'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support;

COMMENT ON FUNCTION gpucompact_unpack_int8(gpu_packed) IS
'the array that a packed array was made of';

CREATE CAST (bigint[] AS gpu_packed) WITH FUNCTION gpu_pack(anyarray);
CREATE CAST (gpu_packed AS bigint[]) WITH FUNCTION gpucompact_unpack_int8(gpu_packed);

CREATE FUNCTION gpucompact_unpack_float4(p gpu_packed)
RETURNS real[]
AS 'MODULE_PATHNAME', 'gpucompact_unpack_as'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support;

COMMENT ON FUNCTION gpucompact_unpack_float4(gpu_packed) IS
'the array that a packed array was made of';

CREATE CAST (real[] AS gpu_packed) WITH FUNCTION gpu_pack(anyarray);
CREATE CAST (gpu_packed AS real[]) WITH FUNCTION gpucompact_unpack_float4(gpu_packed);

CREATE FUNCTION gpucompact_unpack_float8(p gpu_packed)
RETURNS double precision[]
AS 'MODULE_PATHNAME', 'gpucompact_unpack_as'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support;

COMMENT ON FUNCTION gpucompact_unpack_float8(gpu_packed) IS
'the array that a packed array was made of';

CREATE CAST (double precision[] AS gpu_packed) WITH FUNCTION gpu_pack(anyarray);
CREATE CAST (gpu_packed AS double precision[]) WITH FUNCTION gpucompact_unpack_float8(gpu_packed);

CREATE FUNCTION gpucompact_unpack_bool(p gpu_packed)
RETURNS boolean[]
AS 'MODULE_PATHNAME', 'gpucompact_unpack_as'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support;

COMMENT ON FUNCTION gpucompact_unpack_bool(gpu_packed) IS
'the array that a packed array was made of';

CREATE CAST (boolean[] AS gpu_packed) WITH FUNCTION gpu_pack(anyarray);
CREATE CAST (gpu_packed AS boolean[]) WITH FUNCTION gpucompact_unpack_bool(gpu_packed);

CREATE FUNCTION gpucompact_unpack_char(p gpu_packed)
RETURNS "char"[]
AS 'MODULE_PATHNAME', 'gpucompact_unpack_as'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support;

COMMENT ON FUNCTION gpucompact_unpack_char(gpu_packed) IS
'the array that a packed array was made of';

CREATE CAST ("char"[] AS gpu_packed) WITH FUNCTION gpu_pack(anyarray);
CREATE CAST (gpu_packed AS "char"[]) WITH FUNCTION gpucompact_unpack_char(gpu_packed);

CREATE FUNCTION gpucompact_unpack_oid(p gpu_packed)
RETURNS oid[]
AS 'MODULE_PATHNAME', 'gpucompact_unpack_as'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support;

COMMENT ON FUNCTION gpucompact_unpack_oid(gpu_packed) IS
'the array that a packed array was made of';

CREATE CAST (oid[] AS gpu_packed) WITH FUNCTION gpu_pack(anyarray);
CREATE CAST (gpu_packed AS oid[]) WITH FUNCTION gpucompact_unpack_oid(gpu_packed);

CREATE FUNCTION gpucompact_unpack_money(p gpu_packed)
RETURNS money[]
AS 'MODULE_PATHNAME', 'gpucompact_unpack_as'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support;

COMMENT ON FUNCTION gpucompact_unpack_money(gpu_packed) IS
'the array that a packed array was made of';

CREATE CAST (money[] AS gpu_packed) WITH FUNCTION gpu_pack(anyarray);
CREATE CAST (gpu_packed AS money[]) WITH FUNCTION gpucompact_unpack_money(gpu_packed);

CREATE FUNCTION gpucompact_unpack_date(p gpu_packed)
RETURNS date[]
AS 'MODULE_PATHNAME', 'gpucompact_unpack_as'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support;

COMMENT ON FUNCTION gpucompact_unpack_date(gpu_packed) IS
'the array that a packed array was made of';

CREATE CAST (date[] AS gpu_packed) WITH FUNCTION gpu_pack(anyarray);
CREATE CAST (gpu_packed AS date[]) WITH FUNCTION gpucompact_unpack_date(gpu_packed);

CREATE FUNCTION gpucompact_unpack_time(p gpu_packed)
RETURNS time[]
AS 'MODULE_PATHNAME', 'gpucompact_unpack_as'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support;

COMMENT ON FUNCTION gpucompact_unpack_time(gpu_packed) IS
'the array that a packed array was made of';

CREATE CAST (time[] AS gpu_packed) WITH FUNCTION gpu_pack(anyarray);
CREATE CAST (gpu_packed AS time[]) WITH FUNCTION gpucompact_unpack_time(gpu_packed);

CREATE FUNCTION gpucompact_unpack_timestamp(p gpu_packed)
RETURNS timestamp[]
AS 'MODULE_PATHNAME', 'gpucompact_unpack_as'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support;

COMMENT ON FUNCTION gpucompact_unpack_timestamp(gpu_packed) IS
'the array that a packed array was made of';

CREATE CAST (timestamp[] AS gpu_packed) WITH FUNCTION gpu_pack(anyarray);
CREATE CAST (gpu_packed AS timestamp[]) WITH FUNCTION gpucompact_unpack_timestamp(gpu_packed);

CREATE FUNCTION gpucompact_unpack_timestamptz(p gpu_packed)
RETURNS timestamptz[]
AS 'MODULE_PATHNAME', 'gpucompact_unpack_as'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support;

COMMENT ON FUNCTION gpucompact_unpack_timestamptz(gpu_packed) IS
'the array that a packed array was made of';

CREATE CAST (timestamptz[] AS gpu_packed) WITH FUNCTION gpu_pack(anyarray);
CREATE CAST (gpu_packed AS timestamptz[]) WITH FUNCTION gpucompact_unpack_timestamptz(gpu_packed);

-- Aggregates over the values of rows.  The planner counts 8 kB for each group,
-- as for array_agg.

CREATE FUNCTION gpucompact_gather_combine(internal, internal)
RETURNS internal
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gpucompact_gather_combine(internal, internal) IS
'part of an aggregate';

CREATE FUNCTION gpucompact_gather_serialize(internal)
RETURNS bytea
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gpucompact_gather_serialize(internal) IS
'part of an aggregate';

CREATE FUNCTION gpucompact_gather_deserialize(bytea, internal)
RETURNS internal
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gpucompact_gather_deserialize(bytea, internal) IS
'part of an aggregate';

CREATE FUNCTION gpucompact_array_agg_step(internal, x anynonarray)
RETURNS internal
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gpucompact_array_agg_step(internal, anynonarray) IS
'part of an aggregate';

CREATE FUNCTION gpucompact_array_agg_result(internal, x anynonarray)
RETURNS anyarray
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gpucompact_array_agg_result(internal, anynonarray) IS
'part of an aggregate';

CREATE AGGREGATE gpu_array_agg(x anynonarray) (
	SFUNC = gpucompact_array_agg_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpucompact_array_agg_result, FINALFUNC_EXTRA,
	COMBINEFUNC = gpucompact_gather_combine,
	SERIALFUNC = gpucompact_gather_serialize,
	DESERIALFUNC = gpucompact_gather_deserialize,
	PARALLEL = SAFE
);

COMMENT ON AGGREGATE gpu_array_agg(anynonarray) IS
'the values of rows as an array, NULLs among them';

CREATE FUNCTION gpucompact_array_agg_step(internal, x anynonarray, key anycompatiblenonarray)
RETURNS internal
AS 'MODULE_PATHNAME', 'gpucompact_array_agg_by_key_step'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gpucompact_array_agg_step(internal, anynonarray, anycompatiblenonarray) IS
'part of an aggregate';

CREATE FUNCTION gpucompact_array_agg_result(internal, x anynonarray, key anycompatiblenonarray)
RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpucompact_array_agg_by_key_result'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gpucompact_array_agg_result(internal, anynonarray, anycompatiblenonarray) IS
'part of an aggregate';

CREATE AGGREGATE gpu_array_agg(x anynonarray, key anycompatiblenonarray) (
	SFUNC = gpucompact_array_agg_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpucompact_array_agg_result, FINALFUNC_EXTRA,
	COMBINEFUNC = gpucompact_gather_combine,
	SERIALFUNC = gpucompact_gather_serialize,
	DESERIALFUNC = gpucompact_gather_deserialize,
	PARALLEL = SAFE
);

COMMENT ON AGGREGATE gpu_array_agg(anynonarray, anycompatiblenonarray) IS
'the values of rows as an array in the order of keys';

CREATE FUNCTION gpucompact_pack_agg_result(internal, x anynonarray)
RETURNS gpu_packed
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gpucompact_pack_agg_result(internal, anynonarray) IS
'part of an aggregate';

CREATE AGGREGATE gpu_pack_agg(x anynonarray) (
	SFUNC = gpucompact_array_agg_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpucompact_pack_agg_result, FINALFUNC_EXTRA,
	COMBINEFUNC = gpucompact_gather_combine,
	SERIALFUNC = gpucompact_gather_serialize,
	DESERIALFUNC = gpucompact_gather_deserialize,
	PARALLEL = SAFE
);

COMMENT ON AGGREGATE gpu_pack_agg(anynonarray) IS
'the values of rows as a packed array, NULLs among them';

CREATE FUNCTION gpucompact_pack_agg_result(internal, x anynonarray, key anycompatiblenonarray)
RETURNS gpu_packed
AS 'MODULE_PATHNAME', 'gpucompact_pack_agg_by_key_result'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gpucompact_pack_agg_result(internal, anynonarray, anycompatiblenonarray) IS
'part of an aggregate';

CREATE AGGREGATE gpu_pack_agg(x anynonarray, key anycompatiblenonarray) (
	SFUNC = gpucompact_array_agg_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpucompact_pack_agg_result, FINALFUNC_EXTRA,
	COMBINEFUNC = gpucompact_gather_combine,
	SERIALFUNC = gpucompact_gather_serialize,
	DESERIALFUNC = gpucompact_gather_deserialize,
	PARALLEL = SAFE
);

COMMENT ON AGGREGATE gpu_pack_agg(anynonarray, anycompatiblenonarray) IS
'the values of rows as a packed array in the order of keys';

CREATE FUNCTION gpucompact_percentile_cont_agg_step(internal, x anynonarray, fraction double precision)
RETURNS internal
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gpucompact_percentile_cont_agg_step(internal, anynonarray, double precision) IS
'part of an aggregate';

CREATE FUNCTION gpucompact_percentile_cont_agg_result(internal, x anynonarray, fraction double precision)
RETURNS double precision
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gpucompact_percentile_cont_agg_result(internal, anynonarray, double precision) IS
'part of an aggregate';

CREATE AGGREGATE gpu_percentile_cont_agg(x anynonarray, fraction double precision) (
	SFUNC = gpucompact_percentile_cont_agg_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpucompact_percentile_cont_agg_result, FINALFUNC_EXTRA,
	COMBINEFUNC = gpucompact_gather_combine,
	SERIALFUNC = gpucompact_gather_serialize,
	DESERIALFUNC = gpucompact_gather_deserialize,
	PARALLEL = SAFE
);

COMMENT ON AGGREGATE gpu_percentile_cont_agg(anynonarray, double precision) IS
'the percentile of the values of rows, interpolated';

CREATE FUNCTION gpucompact_percentile_cont_agg_step(internal, x anynonarray, fractions double precision[])
RETURNS internal
AS 'MODULE_PATHNAME', 'gpucompact_percentile_cont_list_agg_step'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gpucompact_percentile_cont_agg_step(internal, anynonarray, double precision[]) IS
'part of an aggregate';

CREATE FUNCTION gpucompact_percentile_cont_agg_result(internal, x anynonarray, fractions double precision[])
RETURNS double precision[]
AS 'MODULE_PATHNAME', 'gpucompact_percentile_cont_list_agg_result'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gpucompact_percentile_cont_agg_result(internal, anynonarray, double precision[]) IS
'part of an aggregate';

CREATE AGGREGATE gpu_percentile_cont_agg(x anynonarray, fractions double precision[]) (
	SFUNC = gpucompact_percentile_cont_agg_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpucompact_percentile_cont_agg_result, FINALFUNC_EXTRA,
	COMBINEFUNC = gpucompact_gather_combine,
	SERIALFUNC = gpucompact_gather_serialize,
	DESERIALFUNC = gpucompact_gather_deserialize,
	PARALLEL = SAFE
);

COMMENT ON AGGREGATE gpu_percentile_cont_agg(anynonarray, double precision[]) IS
'several percentiles of the values of rows, interpolated';

CREATE FUNCTION gpucompact_percentile_disc_agg_step(internal, x anynonarray, fraction double precision)
RETURNS internal
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gpucompact_percentile_disc_agg_step(internal, anynonarray, double precision) IS
'part of an aggregate';

CREATE FUNCTION gpucompact_percentile_disc_agg_result(internal, x anynonarray, fraction double precision)
RETURNS anynonarray
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gpucompact_percentile_disc_agg_result(internal, anynonarray, double precision) IS
'part of an aggregate';

CREATE AGGREGATE gpu_percentile_disc_agg(x anynonarray, fraction double precision) (
	SFUNC = gpucompact_percentile_disc_agg_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpucompact_percentile_disc_agg_result, FINALFUNC_EXTRA,
	COMBINEFUNC = gpucompact_gather_combine,
	SERIALFUNC = gpucompact_gather_serialize,
	DESERIALFUNC = gpucompact_gather_deserialize,
	PARALLEL = SAFE
);

COMMENT ON AGGREGATE gpu_percentile_disc_agg(anynonarray, double precision) IS
'the percentile of the values of rows, one of the values';

CREATE FUNCTION gpucompact_percentile_disc_agg_step(internal, x anynonarray, fractions double precision[])
RETURNS internal
AS 'MODULE_PATHNAME', 'gpucompact_percentile_disc_list_agg_step'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gpucompact_percentile_disc_agg_step(internal, anynonarray, double precision[]) IS
'part of an aggregate';

CREATE FUNCTION gpucompact_percentile_disc_agg_result(internal, x anynonarray, fractions double precision[])
RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpucompact_percentile_disc_list_agg_result'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gpucompact_percentile_disc_agg_result(internal, anynonarray, double precision[]) IS
'part of an aggregate';

CREATE AGGREGATE gpu_percentile_disc_agg(x anynonarray, fractions double precision[]) (
	SFUNC = gpucompact_percentile_disc_agg_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpucompact_percentile_disc_agg_result, FINALFUNC_EXTRA,
	COMBINEFUNC = gpucompact_gather_combine,
	SERIALFUNC = gpucompact_gather_serialize,
	DESERIALFUNC = gpucompact_gather_deserialize,
	PARALLEL = SAFE
);

COMMENT ON AGGREGATE gpu_percentile_disc_agg(anynonarray, double precision[]) IS
'several percentiles of the values of rows, each one of the values';

CREATE FUNCTION gpucompact_numbers_step(internal, x anynonarray)
RETURNS internal
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gpucompact_numbers_step(internal, anynonarray) IS
'part of an aggregate';

CREATE FUNCTION gpucompact_values_step(internal, x anynonarray)
RETURNS internal
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gpucompact_values_step(internal, anynonarray) IS
'part of an aggregate';

CREATE FUNCTION gpucompact_count_distinct_step(internal, x anynonarray)
RETURNS internal
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gpucompact_count_distinct_step(internal, anynonarray) IS
'part of an aggregate';

CREATE FUNCTION gpucompact_median_agg_result(internal)
RETURNS double precision
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gpucompact_median_agg_result(internal) IS
'part of an aggregate';

CREATE FUNCTION gpucompact_mode_agg_result(internal, x anynonarray)
RETURNS anynonarray
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gpucompact_mode_agg_result(internal, anynonarray) IS
'part of an aggregate';

CREATE FUNCTION gpucompact_count_distinct_result(internal)
RETURNS bigint
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gpucompact_count_distinct_result(internal) IS
'part of an aggregate';

CREATE AGGREGATE gpu_median_agg(x anynonarray) (
	SFUNC = gpucompact_numbers_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpucompact_median_agg_result,
	COMBINEFUNC = gpucompact_gather_combine,
	SERIALFUNC = gpucompact_gather_serialize,
	DESERIALFUNC = gpucompact_gather_deserialize,
	PARALLEL = SAFE
);

COMMENT ON AGGREGATE gpu_median_agg(anynonarray) IS
'the median of the values of rows, interpolated';

CREATE AGGREGATE gpu_mode_agg(x anynonarray) (
	SFUNC = gpucompact_values_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpucompact_mode_agg_result, FINALFUNC_EXTRA,
	COMBINEFUNC = gpucompact_gather_combine,
	SERIALFUNC = gpucompact_gather_serialize,
	DESERIALFUNC = gpucompact_gather_deserialize,
	PARALLEL = SAFE
);

COMMENT ON AGGREGATE gpu_mode_agg(anynonarray) IS
'the most frequent value of rows, the least of several';

CREATE AGGREGATE gpu_count_distinct(x anynonarray) (
	SFUNC = gpucompact_count_distinct_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpucompact_count_distinct_result,
	COMBINEFUNC = gpucompact_gather_combine,
	SERIALFUNC = gpucompact_gather_serialize,
	DESERIALFUNC = gpucompact_gather_deserialize,
	PARALLEL = SAFE
);

COMMENT ON AGGREGATE gpu_count_distinct(anynonarray) IS
'how many different values rows have';

CREATE FUNCTION gpucompact_histogram_agg_combine(internal, internal)
RETURNS internal
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gpucompact_histogram_agg_combine(internal, internal) IS
'part of an aggregate';

CREATE FUNCTION gpucompact_histogram_agg_serialize(internal)
RETURNS bytea
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gpucompact_histogram_agg_serialize(internal) IS
'part of an aggregate';

CREATE FUNCTION gpucompact_histogram_agg_deserialize(bytea, internal)
RETURNS internal
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gpucompact_histogram_agg_deserialize(bytea, internal) IS
'part of an aggregate';

CREATE FUNCTION gpucompact_histogram_agg_result(internal)
RETURNS bigint[]
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gpucompact_histogram_agg_result(internal) IS
'part of an aggregate';

CREATE FUNCTION gpucompact_histogram_agg_step(internal, x smallint, low numeric, high numeric, buckets integer)
RETURNS internal
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gpucompact_histogram_agg_step(internal, smallint, numeric, numeric, integer) IS
'part of an aggregate';

CREATE AGGREGATE gpu_histogram_agg(x smallint, low numeric, high numeric, buckets integer) (
	SFUNC = gpucompact_histogram_agg_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpucompact_histogram_agg_result,
	COMBINEFUNC = gpucompact_histogram_agg_combine,
	SERIALFUNC = gpucompact_histogram_agg_serialize,
	DESERIALFUNC = gpucompact_histogram_agg_deserialize,
	PARALLEL = SAFE
);

COMMENT ON AGGREGATE gpu_histogram_agg(smallint, numeric, numeric, integer) IS
'how many values of rows are in each of the buckets of width_bucket(x, low, high, buckets)';

CREATE FUNCTION gpucompact_histogram_agg_step(internal, x integer, low numeric, high numeric, buckets integer)
RETURNS internal
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gpucompact_histogram_agg_step(internal, integer, numeric, numeric, integer) IS
'part of an aggregate';

CREATE AGGREGATE gpu_histogram_agg(x integer, low numeric, high numeric, buckets integer) (
	SFUNC = gpucompact_histogram_agg_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpucompact_histogram_agg_result,
	COMBINEFUNC = gpucompact_histogram_agg_combine,
	SERIALFUNC = gpucompact_histogram_agg_serialize,
	DESERIALFUNC = gpucompact_histogram_agg_deserialize,
	PARALLEL = SAFE
);

COMMENT ON AGGREGATE gpu_histogram_agg(integer, numeric, numeric, integer) IS
'how many values of rows are in each of the buckets of width_bucket(x, low, high, buckets)';

CREATE FUNCTION gpucompact_histogram_agg_step(internal, x bigint, low numeric, high numeric, buckets integer)
RETURNS internal
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gpucompact_histogram_agg_step(internal, bigint, numeric, numeric, integer) IS
'part of an aggregate';

CREATE AGGREGATE gpu_histogram_agg(x bigint, low numeric, high numeric, buckets integer) (
	SFUNC = gpucompact_histogram_agg_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpucompact_histogram_agg_result,
	COMBINEFUNC = gpucompact_histogram_agg_combine,
	SERIALFUNC = gpucompact_histogram_agg_serialize,
	DESERIALFUNC = gpucompact_histogram_agg_deserialize,
	PARALLEL = SAFE
);

COMMENT ON AGGREGATE gpu_histogram_agg(bigint, numeric, numeric, integer) IS
'how many values of rows are in each of the buckets of width_bucket(x, low, high, buckets)';

CREATE FUNCTION gpucompact_histogram_agg_step(internal, x real, low double precision, high double precision, buckets integer)
RETURNS internal
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gpucompact_histogram_agg_step(internal, real, double precision, double precision, integer) IS
'part of an aggregate';

CREATE AGGREGATE gpu_histogram_agg(x real, low double precision, high double precision, buckets integer) (
	SFUNC = gpucompact_histogram_agg_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpucompact_histogram_agg_result,
	COMBINEFUNC = gpucompact_histogram_agg_combine,
	SERIALFUNC = gpucompact_histogram_agg_serialize,
	DESERIALFUNC = gpucompact_histogram_agg_deserialize,
	PARALLEL = SAFE
);

COMMENT ON AGGREGATE gpu_histogram_agg(real, double precision, double precision, integer) IS
'how many values of rows are in each of the buckets of width_bucket(x, low, high, buckets)';

CREATE FUNCTION gpucompact_histogram_agg_step(internal, x double precision, low double precision, high double precision, buckets integer)
RETURNS internal
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gpucompact_histogram_agg_step(internal, double precision, double precision, double precision, integer) IS
'part of an aggregate';

CREATE AGGREGATE gpu_histogram_agg(x double precision, low double precision, high double precision, buckets integer) (
	SFUNC = gpucompact_histogram_agg_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpucompact_histogram_agg_result,
	COMBINEFUNC = gpucompact_histogram_agg_combine,
	SERIALFUNC = gpucompact_histogram_agg_serialize,
	DESERIALFUNC = gpucompact_histogram_agg_deserialize,
	PARALLEL = SAFE
);

COMMENT ON AGGREGATE gpu_histogram_agg(double precision, double precision, double precision, integer) IS
'how many values of rows are in each of the buckets of width_bucket(x, low, high, buckets)';

-- Without these, numeric would be cast to double precision.

CREATE FUNCTION gpucompact_histogram_agg_step(internal, x numeric, low numeric, high numeric, buckets integer)
RETURNS internal
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gpucompact_histogram_agg_step(internal, numeric, numeric, numeric, integer) IS
'part of an aggregate';

CREATE AGGREGATE gpu_histogram_agg(x numeric, low numeric, high numeric, buckets integer) (
	SFUNC = gpucompact_histogram_agg_step, STYPE = internal,
	FINALFUNC = gpucompact_histogram_agg_result,
	PARALLEL = SAFE
);

COMMENT ON AGGREGATE gpu_histogram_agg(numeric, numeric, numeric, integer) IS
'not supported for this type; raises an error that says what to do';

CREATE AGGREGATE gpu_distinct_counts_agg(x numeric) (
	SFUNC = gpucompact_array_agg_step, STYPE = internal,
	FINALFUNC = gpucompact_median_agg_result,
	PARALLEL = SAFE
);

COMMENT ON AGGREGATE gpu_distinct_counts_agg(numeric) IS
'not supported for this type; raises an error that says what to do';

CREATE FUNCTION gpucompact_top_k_agg_step(internal, x anynonarray, k integer, payload bigint)
RETURNS internal
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gpucompact_top_k_agg_step(internal, anynonarray, integer, bigint) IS
'part of an aggregate';

CREATE FUNCTION gpucompact_top_k_agg_combine(internal, internal)
RETURNS internal
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gpucompact_top_k_agg_combine(internal, internal) IS
'part of an aggregate';

CREATE FUNCTION gpucompact_top_k_agg_serialize(internal)
RETURNS bytea
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gpucompact_top_k_agg_serialize(internal) IS
'part of an aggregate';

CREATE FUNCTION gpucompact_top_k_agg_deserialize(bytea, internal)
RETURNS internal
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gpucompact_top_k_agg_deserialize(bytea, internal) IS
'part of an aggregate';

CREATE AGGREGATE gpu_top_k_agg(x numeric, k integer, payload bigint) (
	SFUNC = gpucompact_top_k_agg_step, STYPE = internal,
	FINALFUNC = gpucompact_median_agg_result,
	PARALLEL = SAFE
);

COMMENT ON AGGREGATE gpu_top_k_agg(numeric, integer, bigint) IS
'not supported for this type; raises an error that says what to do';

-- An aggregate has no OUT parameters, and a row type is not polymorphic.  So
-- each type of elements has row types and aggregates of its own.

CREATE TYPE gpu_smallint_counts AS ("values" smallint[], counts integer[]);

COMMENT ON TYPE gpu_smallint_counts IS
'distinct values of rows and how often each occurs';

CREATE FUNCTION gpucompact_distinct_counts_agg_result(internal, x smallint)
RETURNS gpu_smallint_counts
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gpucompact_distinct_counts_agg_result(internal, smallint) IS
'part of an aggregate';

CREATE AGGREGATE gpu_distinct_counts_agg(x smallint) (
	SFUNC = gpucompact_array_agg_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpucompact_distinct_counts_agg_result, FINALFUNC_EXTRA,
	COMBINEFUNC = gpucompact_gather_combine,
	SERIALFUNC = gpucompact_gather_serialize,
	DESERIALFUNC = gpucompact_gather_deserialize,
	PARALLEL = SAFE
);

COMMENT ON AGGREGATE gpu_distinct_counts_agg(smallint) IS
'the distinct values of rows, in order and NULL last, and how often each occurs';

CREATE TYPE gpu_smallint_top AS ("values" smallint[], payloads bigint[]);

COMMENT ON TYPE gpu_smallint_top IS
'the greatest values of rows and their payloads';

CREATE FUNCTION gpucompact_top_k_agg_result(internal, x smallint, k integer, payload bigint)
RETURNS gpu_smallint_top
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gpucompact_top_k_agg_result(internal, smallint, integer, bigint) IS
'part of an aggregate';

CREATE AGGREGATE gpu_top_k_agg(x smallint, k integer, payload bigint) (
	SFUNC = gpucompact_top_k_agg_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpucompact_top_k_agg_result, FINALFUNC_EXTRA,
	COMBINEFUNC = gpucompact_top_k_agg_combine,
	SERIALFUNC = gpucompact_top_k_agg_serialize,
	DESERIALFUNC = gpucompact_top_k_agg_deserialize,
	PARALLEL = SAFE
);

COMMENT ON AGGREGATE gpu_top_k_agg(smallint, integer, bigint) IS
'the k greatest values of rows and their payloads, the least payload of equal values first';

CREATE TYPE gpu_integer_counts AS ("values" integer[], counts integer[]);

COMMENT ON TYPE gpu_integer_counts IS
'distinct values of rows and how often each occurs';

CREATE FUNCTION gpucompact_distinct_counts_agg_result(internal, x integer)
RETURNS gpu_integer_counts
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gpucompact_distinct_counts_agg_result(internal, integer) IS
'part of an aggregate';

CREATE AGGREGATE gpu_distinct_counts_agg(x integer) (
	SFUNC = gpucompact_array_agg_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpucompact_distinct_counts_agg_result, FINALFUNC_EXTRA,
	COMBINEFUNC = gpucompact_gather_combine,
	SERIALFUNC = gpucompact_gather_serialize,
	DESERIALFUNC = gpucompact_gather_deserialize,
	PARALLEL = SAFE
);

COMMENT ON AGGREGATE gpu_distinct_counts_agg(integer) IS
'the distinct values of rows, in order and NULL last, and how often each occurs';

CREATE TYPE gpu_integer_top AS ("values" integer[], payloads bigint[]);

COMMENT ON TYPE gpu_integer_top IS
'the greatest values of rows and their payloads';

CREATE FUNCTION gpucompact_top_k_agg_result(internal, x integer, k integer, payload bigint)
RETURNS gpu_integer_top
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gpucompact_top_k_agg_result(internal, integer, integer, bigint) IS
'part of an aggregate';

CREATE AGGREGATE gpu_top_k_agg(x integer, k integer, payload bigint) (
	SFUNC = gpucompact_top_k_agg_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpucompact_top_k_agg_result, FINALFUNC_EXTRA,
	COMBINEFUNC = gpucompact_top_k_agg_combine,
	SERIALFUNC = gpucompact_top_k_agg_serialize,
	DESERIALFUNC = gpucompact_top_k_agg_deserialize,
	PARALLEL = SAFE
);

COMMENT ON AGGREGATE gpu_top_k_agg(integer, integer, bigint) IS
'the k greatest values of rows and their payloads, the least payload of equal values first';

CREATE TYPE gpu_bigint_counts AS ("values" bigint[], counts integer[]);

COMMENT ON TYPE gpu_bigint_counts IS
'distinct values of rows and how often each occurs';

CREATE FUNCTION gpucompact_distinct_counts_agg_result(internal, x bigint)
RETURNS gpu_bigint_counts
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gpucompact_distinct_counts_agg_result(internal, bigint) IS
'part of an aggregate';

CREATE AGGREGATE gpu_distinct_counts_agg(x bigint) (
	SFUNC = gpucompact_array_agg_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpucompact_distinct_counts_agg_result, FINALFUNC_EXTRA,
	COMBINEFUNC = gpucompact_gather_combine,
	SERIALFUNC = gpucompact_gather_serialize,
	DESERIALFUNC = gpucompact_gather_deserialize,
	PARALLEL = SAFE
);

COMMENT ON AGGREGATE gpu_distinct_counts_agg(bigint) IS
'the distinct values of rows, in order and NULL last, and how often each occurs';

CREATE TYPE gpu_bigint_top AS ("values" bigint[], payloads bigint[]);

COMMENT ON TYPE gpu_bigint_top IS
'the greatest values of rows and their payloads';

CREATE FUNCTION gpucompact_top_k_agg_result(internal, x bigint, k integer, payload bigint)
RETURNS gpu_bigint_top
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gpucompact_top_k_agg_result(internal, bigint, integer, bigint) IS
'part of an aggregate';

CREATE AGGREGATE gpu_top_k_agg(x bigint, k integer, payload bigint) (
	SFUNC = gpucompact_top_k_agg_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpucompact_top_k_agg_result, FINALFUNC_EXTRA,
	COMBINEFUNC = gpucompact_top_k_agg_combine,
	SERIALFUNC = gpucompact_top_k_agg_serialize,
	DESERIALFUNC = gpucompact_top_k_agg_deserialize,
	PARALLEL = SAFE
);

COMMENT ON AGGREGATE gpu_top_k_agg(bigint, integer, bigint) IS
'the k greatest values of rows and their payloads, the least payload of equal values first';

CREATE TYPE gpu_real_counts AS ("values" real[], counts integer[]);

COMMENT ON TYPE gpu_real_counts IS
'distinct values of rows and how often each occurs';

CREATE FUNCTION gpucompact_distinct_counts_agg_result(internal, x real)
RETURNS gpu_real_counts
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gpucompact_distinct_counts_agg_result(internal, real) IS
'part of an aggregate';

CREATE AGGREGATE gpu_distinct_counts_agg(x real) (
	SFUNC = gpucompact_array_agg_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpucompact_distinct_counts_agg_result, FINALFUNC_EXTRA,
	COMBINEFUNC = gpucompact_gather_combine,
	SERIALFUNC = gpucompact_gather_serialize,
	DESERIALFUNC = gpucompact_gather_deserialize,
	PARALLEL = SAFE
);

COMMENT ON AGGREGATE gpu_distinct_counts_agg(real) IS
'the distinct values of rows, in order and NULL last, and how often each occurs';

CREATE TYPE gpu_real_top AS ("values" real[], payloads bigint[]);

COMMENT ON TYPE gpu_real_top IS
'the greatest values of rows and their payloads';

CREATE FUNCTION gpucompact_top_k_agg_result(internal, x real, k integer, payload bigint)
RETURNS gpu_real_top
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gpucompact_top_k_agg_result(internal, real, integer, bigint) IS
'part of an aggregate';

CREATE AGGREGATE gpu_top_k_agg(x real, k integer, payload bigint) (
	SFUNC = gpucompact_top_k_agg_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpucompact_top_k_agg_result, FINALFUNC_EXTRA,
	COMBINEFUNC = gpucompact_top_k_agg_combine,
	SERIALFUNC = gpucompact_top_k_agg_serialize,
	DESERIALFUNC = gpucompact_top_k_agg_deserialize,
	PARALLEL = SAFE
);

COMMENT ON AGGREGATE gpu_top_k_agg(real, integer, bigint) IS
'the k greatest values of rows and their payloads, the least payload of equal values first';

CREATE TYPE gpu_double_precision_counts AS ("values" double precision[], counts integer[]);

COMMENT ON TYPE gpu_double_precision_counts IS
'distinct values of rows and how often each occurs';

CREATE FUNCTION gpucompact_distinct_counts_agg_result(internal, x double precision)
RETURNS gpu_double_precision_counts
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gpucompact_distinct_counts_agg_result(internal, double precision) IS
'part of an aggregate';

CREATE AGGREGATE gpu_distinct_counts_agg(x double precision) (
	SFUNC = gpucompact_array_agg_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpucompact_distinct_counts_agg_result, FINALFUNC_EXTRA,
	COMBINEFUNC = gpucompact_gather_combine,
	SERIALFUNC = gpucompact_gather_serialize,
	DESERIALFUNC = gpucompact_gather_deserialize,
	PARALLEL = SAFE
);

COMMENT ON AGGREGATE gpu_distinct_counts_agg(double precision) IS
'the distinct values of rows, in order and NULL last, and how often each occurs';

CREATE TYPE gpu_double_precision_top AS ("values" double precision[], payloads bigint[]);

COMMENT ON TYPE gpu_double_precision_top IS
'the greatest values of rows and their payloads';

CREATE FUNCTION gpucompact_top_k_agg_result(internal, x double precision, k integer, payload bigint)
RETURNS gpu_double_precision_top
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gpucompact_top_k_agg_result(internal, double precision, integer, bigint) IS
'part of an aggregate';

CREATE AGGREGATE gpu_top_k_agg(x double precision, k integer, payload bigint) (
	SFUNC = gpucompact_top_k_agg_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpucompact_top_k_agg_result, FINALFUNC_EXTRA,
	COMBINEFUNC = gpucompact_top_k_agg_combine,
	SERIALFUNC = gpucompact_top_k_agg_serialize,
	DESERIALFUNC = gpucompact_top_k_agg_deserialize,
	PARALLEL = SAFE
);

COMMENT ON AGGREGATE gpu_top_k_agg(double precision, integer, bigint) IS
'the k greatest values of rows and their payloads, the least payload of equal values first';

CREATE TYPE gpu_date_counts AS ("values" date[], counts integer[]);

COMMENT ON TYPE gpu_date_counts IS
'distinct values of rows and how often each occurs';

CREATE FUNCTION gpucompact_distinct_counts_agg_result(internal, x date)
RETURNS gpu_date_counts
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gpucompact_distinct_counts_agg_result(internal, date) IS
'part of an aggregate';

CREATE AGGREGATE gpu_distinct_counts_agg(x date) (
	SFUNC = gpucompact_array_agg_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpucompact_distinct_counts_agg_result, FINALFUNC_EXTRA,
	COMBINEFUNC = gpucompact_gather_combine,
	SERIALFUNC = gpucompact_gather_serialize,
	DESERIALFUNC = gpucompact_gather_deserialize,
	PARALLEL = SAFE
);

COMMENT ON AGGREGATE gpu_distinct_counts_agg(date) IS
'the distinct values of rows, in order and NULL last, and how often each occurs';

CREATE TYPE gpu_date_top AS ("values" date[], payloads bigint[]);

COMMENT ON TYPE gpu_date_top IS
'the greatest values of rows and their payloads';

CREATE FUNCTION gpucompact_top_k_agg_result(internal, x date, k integer, payload bigint)
RETURNS gpu_date_top
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gpucompact_top_k_agg_result(internal, date, integer, bigint) IS
'part of an aggregate';

CREATE AGGREGATE gpu_top_k_agg(x date, k integer, payload bigint) (
	SFUNC = gpucompact_top_k_agg_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpucompact_top_k_agg_result, FINALFUNC_EXTRA,
	COMBINEFUNC = gpucompact_top_k_agg_combine,
	SERIALFUNC = gpucompact_top_k_agg_serialize,
	DESERIALFUNC = gpucompact_top_k_agg_deserialize,
	PARALLEL = SAFE
);

COMMENT ON AGGREGATE gpu_top_k_agg(date, integer, bigint) IS
'the k greatest values of rows and their payloads, the least payload of equal values first';

CREATE TYPE gpu_time_counts AS ("values" time[], counts integer[]);

COMMENT ON TYPE gpu_time_counts IS
'distinct values of rows and how often each occurs';

CREATE FUNCTION gpucompact_distinct_counts_agg_result(internal, x time)
RETURNS gpu_time_counts
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gpucompact_distinct_counts_agg_result(internal, time) IS
'part of an aggregate';

CREATE AGGREGATE gpu_distinct_counts_agg(x time) (
	SFUNC = gpucompact_array_agg_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpucompact_distinct_counts_agg_result, FINALFUNC_EXTRA,
	COMBINEFUNC = gpucompact_gather_combine,
	SERIALFUNC = gpucompact_gather_serialize,
	DESERIALFUNC = gpucompact_gather_deserialize,
	PARALLEL = SAFE
);

COMMENT ON AGGREGATE gpu_distinct_counts_agg(time) IS
'the distinct values of rows, in order and NULL last, and how often each occurs';

CREATE TYPE gpu_time_top AS ("values" time[], payloads bigint[]);

COMMENT ON TYPE gpu_time_top IS
'the greatest values of rows and their payloads';

CREATE FUNCTION gpucompact_top_k_agg_result(internal, x time, k integer, payload bigint)
RETURNS gpu_time_top
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gpucompact_top_k_agg_result(internal, time, integer, bigint) IS
'part of an aggregate';

CREATE AGGREGATE gpu_top_k_agg(x time, k integer, payload bigint) (
	SFUNC = gpucompact_top_k_agg_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpucompact_top_k_agg_result, FINALFUNC_EXTRA,
	COMBINEFUNC = gpucompact_top_k_agg_combine,
	SERIALFUNC = gpucompact_top_k_agg_serialize,
	DESERIALFUNC = gpucompact_top_k_agg_deserialize,
	PARALLEL = SAFE
);

COMMENT ON AGGREGATE gpu_top_k_agg(time, integer, bigint) IS
'the k greatest values of rows and their payloads, the least payload of equal values first';

CREATE TYPE gpu_timestamp_counts AS ("values" timestamp[], counts integer[]);

COMMENT ON TYPE gpu_timestamp_counts IS
'distinct values of rows and how often each occurs';

CREATE FUNCTION gpucompact_distinct_counts_agg_result(internal, x timestamp)
RETURNS gpu_timestamp_counts
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gpucompact_distinct_counts_agg_result(internal, timestamp) IS
'part of an aggregate';

CREATE AGGREGATE gpu_distinct_counts_agg(x timestamp) (
	SFUNC = gpucompact_array_agg_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpucompact_distinct_counts_agg_result, FINALFUNC_EXTRA,
	COMBINEFUNC = gpucompact_gather_combine,
	SERIALFUNC = gpucompact_gather_serialize,
	DESERIALFUNC = gpucompact_gather_deserialize,
	PARALLEL = SAFE
);

COMMENT ON AGGREGATE gpu_distinct_counts_agg(timestamp) IS
'the distinct values of rows, in order and NULL last, and how often each occurs';

CREATE TYPE gpu_timestamp_top AS ("values" timestamp[], payloads bigint[]);

COMMENT ON TYPE gpu_timestamp_top IS
'the greatest values of rows and their payloads';

CREATE FUNCTION gpucompact_top_k_agg_result(internal, x timestamp, k integer, payload bigint)
RETURNS gpu_timestamp_top
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gpucompact_top_k_agg_result(internal, timestamp, integer, bigint) IS
'part of an aggregate';

CREATE AGGREGATE gpu_top_k_agg(x timestamp, k integer, payload bigint) (
	SFUNC = gpucompact_top_k_agg_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpucompact_top_k_agg_result, FINALFUNC_EXTRA,
	COMBINEFUNC = gpucompact_top_k_agg_combine,
	SERIALFUNC = gpucompact_top_k_agg_serialize,
	DESERIALFUNC = gpucompact_top_k_agg_deserialize,
	PARALLEL = SAFE
);

COMMENT ON AGGREGATE gpu_top_k_agg(timestamp, integer, bigint) IS
'the k greatest values of rows and their payloads, the least payload of equal values first';

CREATE TYPE gpu_timestamptz_counts AS ("values" timestamptz[], counts integer[]);

COMMENT ON TYPE gpu_timestamptz_counts IS
'distinct values of rows and how often each occurs';

CREATE FUNCTION gpucompact_distinct_counts_agg_result(internal, x timestamptz)
RETURNS gpu_timestamptz_counts
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gpucompact_distinct_counts_agg_result(internal, timestamptz) IS
'part of an aggregate';

CREATE AGGREGATE gpu_distinct_counts_agg(x timestamptz) (
	SFUNC = gpucompact_array_agg_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpucompact_distinct_counts_agg_result, FINALFUNC_EXTRA,
	COMBINEFUNC = gpucompact_gather_combine,
	SERIALFUNC = gpucompact_gather_serialize,
	DESERIALFUNC = gpucompact_gather_deserialize,
	PARALLEL = SAFE
);

COMMENT ON AGGREGATE gpu_distinct_counts_agg(timestamptz) IS
'the distinct values of rows, in order and NULL last, and how often each occurs';

CREATE TYPE gpu_timestamptz_top AS ("values" timestamptz[], payloads bigint[]);

COMMENT ON TYPE gpu_timestamptz_top IS
'the greatest values of rows and their payloads';

CREATE FUNCTION gpucompact_top_k_agg_result(internal, x timestamptz, k integer, payload bigint)
RETURNS gpu_timestamptz_top
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gpucompact_top_k_agg_result(internal, timestamptz, integer, bigint) IS
'part of an aggregate';

CREATE AGGREGATE gpu_top_k_agg(x timestamptz, k integer, payload bigint) (
	SFUNC = gpucompact_top_k_agg_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpucompact_top_k_agg_result, FINALFUNC_EXTRA,
	COMBINEFUNC = gpucompact_top_k_agg_combine,
	SERIALFUNC = gpucompact_top_k_agg_serialize,
	DESERIALFUNC = gpucompact_top_k_agg_deserialize,
	PARALLEL = SAFE
);

COMMENT ON AGGREGATE gpu_top_k_agg(timestamptz, integer, bigint) IS
'the k greatest values of rows and their payloads, the least payload of equal values first';

CREATE TYPE gpu_oid_counts AS ("values" oid[], counts integer[]);

COMMENT ON TYPE gpu_oid_counts IS
'distinct values of rows and how often each occurs';

CREATE FUNCTION gpucompact_distinct_counts_agg_result(internal, x oid)
RETURNS gpu_oid_counts
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gpucompact_distinct_counts_agg_result(internal, oid) IS
'part of an aggregate';

CREATE AGGREGATE gpu_distinct_counts_agg(x oid) (
	SFUNC = gpucompact_array_agg_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpucompact_distinct_counts_agg_result, FINALFUNC_EXTRA,
	COMBINEFUNC = gpucompact_gather_combine,
	SERIALFUNC = gpucompact_gather_serialize,
	DESERIALFUNC = gpucompact_gather_deserialize,
	PARALLEL = SAFE
);

COMMENT ON AGGREGATE gpu_distinct_counts_agg(oid) IS
'the distinct values of rows, in order and NULL last, and how often each occurs';

CREATE TYPE gpu_oid_top AS ("values" oid[], payloads bigint[]);

COMMENT ON TYPE gpu_oid_top IS
'the greatest values of rows and their payloads';

CREATE FUNCTION gpucompact_top_k_agg_result(internal, x oid, k integer, payload bigint)
RETURNS gpu_oid_top
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gpucompact_top_k_agg_result(internal, oid, integer, bigint) IS
'part of an aggregate';

CREATE AGGREGATE gpu_top_k_agg(x oid, k integer, payload bigint) (
	SFUNC = gpucompact_top_k_agg_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpucompact_top_k_agg_result, FINALFUNC_EXTRA,
	COMBINEFUNC = gpucompact_top_k_agg_combine,
	SERIALFUNC = gpucompact_top_k_agg_serialize,
	DESERIALFUNC = gpucompact_top_k_agg_deserialize,
	PARALLEL = SAFE
);

COMMENT ON AGGREGATE gpu_top_k_agg(oid, integer, bigint) IS
'the k greatest values of rows and their payloads, the least payload of equal values first';

CREATE TYPE gpu_money_counts AS ("values" money[], counts integer[]);

COMMENT ON TYPE gpu_money_counts IS
'distinct values of rows and how often each occurs';

CREATE FUNCTION gpucompact_distinct_counts_agg_result(internal, x money)
RETURNS gpu_money_counts
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gpucompact_distinct_counts_agg_result(internal, money) IS
'part of an aggregate';

CREATE AGGREGATE gpu_distinct_counts_agg(x money) (
	SFUNC = gpucompact_array_agg_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpucompact_distinct_counts_agg_result, FINALFUNC_EXTRA,
	COMBINEFUNC = gpucompact_gather_combine,
	SERIALFUNC = gpucompact_gather_serialize,
	DESERIALFUNC = gpucompact_gather_deserialize,
	PARALLEL = SAFE
);

COMMENT ON AGGREGATE gpu_distinct_counts_agg(money) IS
'the distinct values of rows, in order and NULL last, and how often each occurs';

CREATE TYPE gpu_money_top AS ("values" money[], payloads bigint[]);

COMMENT ON TYPE gpu_money_top IS
'the greatest values of rows and their payloads';

CREATE FUNCTION gpucompact_top_k_agg_result(internal, x money, k integer, payload bigint)
RETURNS gpu_money_top
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gpucompact_top_k_agg_result(internal, money, integer, bigint) IS
'part of an aggregate';

CREATE AGGREGATE gpu_top_k_agg(x money, k integer, payload bigint) (
	SFUNC = gpucompact_top_k_agg_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpucompact_top_k_agg_result, FINALFUNC_EXTRA,
	COMBINEFUNC = gpucompact_top_k_agg_combine,
	SERIALFUNC = gpucompact_top_k_agg_serialize,
	DESERIALFUNC = gpucompact_top_k_agg_deserialize,
	PARALLEL = SAFE
);

COMMENT ON AGGREGATE gpu_top_k_agg(money, integer, bigint) IS
'the k greatest values of rows and their payloads, the least payload of equal values first';

CREATE TYPE gpu_boolean_counts AS ("values" boolean[], counts integer[]);

COMMENT ON TYPE gpu_boolean_counts IS
'distinct values of rows and how often each occurs';

CREATE FUNCTION gpucompact_distinct_counts_agg_result(internal, x boolean)
RETURNS gpu_boolean_counts
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gpucompact_distinct_counts_agg_result(internal, boolean) IS
'part of an aggregate';

CREATE AGGREGATE gpu_distinct_counts_agg(x boolean) (
	SFUNC = gpucompact_array_agg_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpucompact_distinct_counts_agg_result, FINALFUNC_EXTRA,
	COMBINEFUNC = gpucompact_gather_combine,
	SERIALFUNC = gpucompact_gather_serialize,
	DESERIALFUNC = gpucompact_gather_deserialize,
	PARALLEL = SAFE
);

COMMENT ON AGGREGATE gpu_distinct_counts_agg(boolean) IS
'the distinct values of rows, in order and NULL last, and how often each occurs';

CREATE TYPE gpu_boolean_top AS ("values" boolean[], payloads bigint[]);

COMMENT ON TYPE gpu_boolean_top IS
'the greatest values of rows and their payloads';

CREATE FUNCTION gpucompact_top_k_agg_result(internal, x boolean, k integer, payload bigint)
RETURNS gpu_boolean_top
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gpucompact_top_k_agg_result(internal, boolean, integer, bigint) IS
'part of an aggregate';

CREATE AGGREGATE gpu_top_k_agg(x boolean, k integer, payload bigint) (
	SFUNC = gpucompact_top_k_agg_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpucompact_top_k_agg_result, FINALFUNC_EXTRA,
	COMBINEFUNC = gpucompact_top_k_agg_combine,
	SERIALFUNC = gpucompact_top_k_agg_serialize,
	DESERIALFUNC = gpucompact_top_k_agg_deserialize,
	PARALLEL = SAFE
);

COMMENT ON AGGREGATE gpu_top_k_agg(boolean, integer, bigint) IS
'the k greatest values of rows and their payloads, the least payload of equal values first';

CREATE TYPE gpu_char_counts AS ("values" "char"[], counts integer[]);

COMMENT ON TYPE gpu_char_counts IS
'distinct values of rows and how often each occurs';

CREATE FUNCTION gpucompact_distinct_counts_agg_result(internal, x "char")
RETURNS gpu_char_counts
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gpucompact_distinct_counts_agg_result(internal, "char") IS
'part of an aggregate';

CREATE AGGREGATE gpu_distinct_counts_agg(x "char") (
	SFUNC = gpucompact_array_agg_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpucompact_distinct_counts_agg_result, FINALFUNC_EXTRA,
	COMBINEFUNC = gpucompact_gather_combine,
	SERIALFUNC = gpucompact_gather_serialize,
	DESERIALFUNC = gpucompact_gather_deserialize,
	PARALLEL = SAFE
);

COMMENT ON AGGREGATE gpu_distinct_counts_agg("char") IS
'the distinct values of rows, in order and NULL last, and how often each occurs';

CREATE TYPE gpu_char_top AS ("values" "char"[], payloads bigint[]);

COMMENT ON TYPE gpu_char_top IS
'the greatest values of rows and their payloads';

CREATE FUNCTION gpucompact_top_k_agg_result(internal, x "char", k integer, payload bigint)
RETURNS gpu_char_top
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gpucompact_top_k_agg_result(internal, "char", integer, bigint) IS
'part of an aggregate';

CREATE AGGREGATE gpu_top_k_agg(x "char", k integer, payload bigint) (
	SFUNC = gpucompact_top_k_agg_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpucompact_top_k_agg_result, FINALFUNC_EXTRA,
	COMBINEFUNC = gpucompact_top_k_agg_combine,
	SERIALFUNC = gpucompact_top_k_agg_serialize,
	DESERIALFUNC = gpucompact_top_k_agg_deserialize,
	PARALLEL = SAFE
);

COMMENT ON AGGREGATE gpu_top_k_agg("char", integer, bigint) IS
'the k greatest values of rows and their payloads, the least payload of equal values first';
