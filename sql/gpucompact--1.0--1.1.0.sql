/* sql/gpucompact--1.0--1.1.0.sql: what version 1.1.0 adds */

-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION gpucompact UPDATE TO '1.1.0'" to load this file. \quit

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

CREATE FUNCTION gpu_distinct(a anyarray, in_order boolean)
RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpu_distinct_in_order'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_distinct(anyarray, boolean) IS
'the different elements of an array, sorted, or in the order in which they come first';

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

-- statistics: gpu_stats is there for each type of numbers, with the types that
-- core's aggregates have for it, and for two more, as gpu_prefix_sum is.

CREATE FUNCTION gpu_stats(a smallint[],
						  OUT count bigint, OUT nulls bigint,
						  OUT sum bigint, OUT min smallint, OUT max smallint,
						  OUT avg numeric, OUT variance numeric,
						  OUT stddev numeric)
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_stats(smallint[]) IS
'number, NULLs, sum, minimum, maximum, average, variance and standard deviation of an array';

CREATE FUNCTION gpu_stats(a integer[],
						  OUT count bigint, OUT nulls bigint,
						  OUT sum bigint, OUT min integer, OUT max integer,
						  OUT avg numeric, OUT variance numeric,
						  OUT stddev numeric)
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_stats(integer[]) IS
'number, NULLs, sum, minimum, maximum, average, variance and standard deviation of an array';

CREATE FUNCTION gpu_stats(a bigint[],
						  OUT count bigint, OUT nulls bigint,
						  OUT sum numeric, OUT min bigint, OUT max bigint,
						  OUT avg numeric, OUT variance numeric,
						  OUT stddev numeric)
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_stats(bigint[]) IS
'number, NULLs, sum, minimum, maximum, average, variance and standard deviation of an array';

CREATE FUNCTION gpu_stats(a real[],
						  OUT count bigint, OUT nulls bigint,
						  OUT sum real, OUT min real, OUT max real,
						  OUT avg double precision, OUT variance double precision,
						  OUT stddev double precision)
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_stats(real[]) IS
'number, NULLs, sum, minimum, maximum, average, variance and standard deviation of an array';

CREATE FUNCTION gpu_stats(a double precision[],
						  OUT count bigint, OUT nulls bigint,
						  OUT sum double precision, OUT min double precision, OUT max double precision,
						  OUT avg double precision, OUT variance double precision,
						  OUT stddev double precision)
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_stats(double precision[]) IS
'number, NULLs, sum, minimum, maximum, average, variance and standard deviation of an array';

CREATE FUNCTION gpu_stats(a numeric[],
						  OUT count bigint, OUT nulls bigint,
						  OUT sum numeric, OUT min numeric, OUT max numeric,
						  OUT avg numeric, OUT variance numeric,
						  OUT stddev numeric)
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_stats(numeric[]) IS
'not supported for this type; raises an error that names the types that are';

CREATE FUNCTION gpu_stats(a int2vector,
						  OUT count bigint, OUT nulls bigint,
						  OUT sum bigint, OUT min smallint, OUT max smallint,
						  OUT avg numeric, OUT variance numeric,
						  OUT stddev numeric)
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_stats(int2vector) IS
'not supported for this type; raises an error that names the types that are';

CREATE FUNCTION gpu_histogram(a anyarray, thresholds anyarray)
RETURNS integer[]
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_histogram(anyarray, anyarray) IS
'how many elements of an array are between each two thresholds, below and above';

-- With even buckets, for each type of numbers; the bounds are those of core's
-- width_bucket.

CREATE FUNCTION gpu_histogram(a smallint[], low numeric, high numeric,
							  buckets integer)
RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpu_histogram_even'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_histogram(smallint[], numeric, numeric, integer) IS
'how many elements of an array are in each of some even buckets, below and above';

CREATE FUNCTION gpu_histogram(a integer[], low numeric, high numeric,
							  buckets integer)
RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpu_histogram_even'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_histogram(integer[], numeric, numeric, integer) IS
'how many elements of an array are in each of some even buckets, below and above';

CREATE FUNCTION gpu_histogram(a bigint[], low numeric, high numeric,
							  buckets integer)
RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpu_histogram_even'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_histogram(bigint[], numeric, numeric, integer) IS
'how many elements of an array are in each of some even buckets, below and above';

CREATE FUNCTION gpu_histogram(a real[], low double precision, high double precision,
							  buckets integer)
RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpu_histogram_even'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_histogram(real[], double precision, double precision, integer) IS
'how many elements of an array are in each of some even buckets, below and above';

CREATE FUNCTION gpu_histogram(a double precision[], low double precision, high double precision,
							  buckets integer)
RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpu_histogram_even'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_histogram(double precision[], double precision, double precision, integer) IS
'how many elements of an array are in each of some even buckets, below and above';

CREATE FUNCTION gpu_histogram(a numeric[], low numeric, high numeric,
							  buckets integer)
RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpu_histogram_even'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_histogram(numeric[], numeric, numeric, integer) IS
'not supported for this type; raises an error that names the types that are';

CREATE FUNCTION gpu_histogram(a int2vector, low numeric, high numeric,
							  buckets integer)
RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpu_histogram_even'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_histogram(int2vector, numeric, numeric, integer) IS
'not supported for this type; raises an error that names the types that are';

CREATE FUNCTION gpu_bucket(a anyarray, thresholds anyarray)
RETURNS integer[]
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_bucket(anyarray, anyarray) IS
'how many thresholds are no greater than each element of an array';

-- positions

CREATE FUNCTION gpu_take(a anyarray, positions integer[])
RETURNS anyarray
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_take(anyarray, integer[]) IS
'the elements of an array at positions, counted from 1';

-- neighbours

CREATE FUNCTION gpu_fill(a anyarray, backward boolean DEFAULT false)
RETURNS anyarray
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_fill(anyarray, boolean) IS
'an array with the last value before each NULL, or the next one, in its place';

CREATE FUNCTION gpu_window(a anyarray, op text, preceding integer,
						   following integer DEFAULT 0)
RETURNS anyarray
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_window(anyarray, text, integer, integer) IS
'the sum, least or greatest (+ min max) of the elements around each element of an array';

CREATE FUNCTION gpu_window_avg(a anyarray, preceding integer,
							   following integer DEFAULT 0)
RETURNS double precision[]
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_window_avg(anyarray, integer, integer) IS
'the average of the elements around each element of an array';

CREATE FUNCTION gpu_downsample(a anyarray, n integer,
							   method text DEFAULT 'minmax')
RETURNS integer[]
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_downsample(anyarray, integer, text) IS
'the positions of about n elements of an array whose line chart looks like that of all (minmax lttb)';

-- sets

CREATE FUNCTION gpu_union(a anyarray, b anyarray)
RETURNS anyarray
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_union(anyarray, anyarray) IS
'the different elements of two arrays, in order';

CREATE FUNCTION gpu_intersect(a anyarray, b anyarray)
RETURNS anyarray
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_intersect(anyarray, anyarray) IS
'the different elements that two arrays have in common, in order';

CREATE FUNCTION gpu_except(a anyarray, b anyarray)
RETURNS anyarray
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_except(anyarray, anyarray) IS
'the different elements of an array that another one has not, in order';

CREATE FUNCTION gpu_intersect_count(a anyarray, b anyarray)
RETURNS integer
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_intersect_count(anyarray, anyarray) IS
'how many different elements two arrays have in common';

CREATE FUNCTION gpu_compact_in(a anyarray, b anyarray, negate boolean DEFAULT false)
RETURNS anyarray
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_compact_in(anyarray, anyarray, boolean) IS
'the elements of an array that another one has, or has not, in their order';

-- groups

CREATE FUNCTION gpu_group(keys anyarray, a anycompatiblearray, op text,
	OUT keys anyarray, OUT "values" anycompatiblearray)
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_group(anyarray, anycompatiblearray, text) IS
'the different keys, and for each the numbers beside it combined: + * min max & | # count';

-- over rows

CREATE FUNCTION gpu_sum_agg_step(internal, a anyarray)
RETURNS internal
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_sum_agg_step(internal, anyarray) IS
'part of an aggregate';

CREATE FUNCTION gpu_min_agg_step(internal, a anyarray)
RETURNS internal
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_min_agg_step(internal, anyarray) IS
'part of an aggregate';

CREATE FUNCTION gpu_max_agg_step(internal, a anyarray)
RETURNS internal
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_max_agg_step(internal, anyarray) IS
'part of an aggregate';

CREATE FUNCTION gpu_avg_agg_step(internal, a anyarray)
RETURNS internal
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_avg_agg_step(internal, anyarray) IS
'part of an aggregate';

CREATE FUNCTION gpu_rows_combine(internal, internal)
RETURNS internal
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gpu_rows_combine(internal, internal) IS
'part of an aggregate';

CREATE FUNCTION gpu_rows_serialize(internal)
RETURNS bytea
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gpu_rows_serialize(internal) IS
'part of an aggregate';

CREATE FUNCTION gpu_rows_deserialize(bytea, internal)
RETURNS internal
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gpu_rows_deserialize(bytea, internal) IS
'part of an aggregate';

CREATE FUNCTION gpu_rows_result(internal, a anyarray)
RETURNS anyarray
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gpu_rows_result(internal, anyarray) IS
'part of an aggregate';

CREATE FUNCTION gpu_rows_result_bigint(internal)
RETURNS bigint[]
AS 'MODULE_PATHNAME', 'gpu_rows_result'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gpu_rows_result_bigint(internal) IS
'part of an aggregate';

CREATE FUNCTION gpu_rows_result_float8(internal)
RETURNS double precision[]
AS 'MODULE_PATHNAME', 'gpu_rows_result'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gpu_rows_result_float8(internal) IS
'part of an aggregate';

-- The sums of smallint and integer are wider than the elements; of all other
-- types they are of the type itself.

CREATE AGGREGATE gpu_sum_agg(a smallint[]) (
	SFUNC = gpu_sum_agg_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpu_rows_result_bigint,
	COMBINEFUNC = gpu_rows_combine,
	SERIALFUNC = gpu_rows_serialize, DESERIALFUNC = gpu_rows_deserialize,
	PARALLEL = SAFE
);

COMMENT ON AGGREGATE gpu_sum_agg(smallint[]) IS
'the sums of arrays, position by position';

CREATE AGGREGATE gpu_sum_agg(a integer[]) (
	SFUNC = gpu_sum_agg_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpu_rows_result_bigint,
	COMBINEFUNC = gpu_rows_combine,
	SERIALFUNC = gpu_rows_serialize, DESERIALFUNC = gpu_rows_deserialize,
	PARALLEL = SAFE
);

COMMENT ON AGGREGATE gpu_sum_agg(integer[]) IS
'the sums of arrays, position by position';

CREATE AGGREGATE gpu_sum_agg(a anyarray) (
	SFUNC = gpu_sum_agg_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpu_rows_result, FINALFUNC_EXTRA,
	COMBINEFUNC = gpu_rows_combine,
	SERIALFUNC = gpu_rows_serialize, DESERIALFUNC = gpu_rows_deserialize,
	PARALLEL = SAFE
);

COMMENT ON AGGREGATE gpu_sum_agg(anyarray) IS
'the sums of arrays, position by position';

CREATE AGGREGATE gpu_min_agg(a anyarray) (
	SFUNC = gpu_min_agg_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpu_rows_result, FINALFUNC_EXTRA,
	COMBINEFUNC = gpu_rows_combine,
	SERIALFUNC = gpu_rows_serialize, DESERIALFUNC = gpu_rows_deserialize,
	PARALLEL = SAFE
);

COMMENT ON AGGREGATE gpu_min_agg(anyarray) IS
'the least elements of arrays, position by position';

CREATE AGGREGATE gpu_max_agg(a anyarray) (
	SFUNC = gpu_max_agg_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpu_rows_result, FINALFUNC_EXTRA,
	COMBINEFUNC = gpu_rows_combine,
	SERIALFUNC = gpu_rows_serialize, DESERIALFUNC = gpu_rows_deserialize,
	PARALLEL = SAFE
);

COMMENT ON AGGREGATE gpu_max_agg(anyarray) IS
'the greatest elements of arrays, position by position';

CREATE AGGREGATE gpu_avg_agg(a anyarray) (
	SFUNC = gpu_avg_agg_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpu_rows_result_float8,
	COMBINEFUNC = gpu_rows_combine,
	SERIALFUNC = gpu_rows_serialize, DESERIALFUNC = gpu_rows_deserialize,
	PARALLEL = SAFE
);

COMMENT ON AGGREGATE gpu_avg_agg(anyarray) IS
'the averages of arrays, position by position';

-- collecting

CREATE FUNCTION gpu_concat_agg_step(internal, a anyarray)
RETURNS internal
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_concat_agg_step(internal, anyarray) IS
'part of an aggregate';

CREATE FUNCTION gpu_concat_agg_result(internal, a anyarray)
RETURNS anyarray
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gpu_concat_agg_result(internal, anyarray) IS
'part of an aggregate';

CREATE FUNCTION gpu_distinct_agg_step(internal, a anyarray)
RETURNS internal
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_distinct_agg_step(internal, anyarray) IS
'part of an aggregate';

CREATE FUNCTION gpu_distinct_agg_combine(internal, internal)
RETURNS internal
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gpu_distinct_agg_combine(internal, internal) IS
'part of an aggregate';

CREATE FUNCTION gpu_distinct_agg_serialize(internal)
RETURNS bytea
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gpu_distinct_agg_serialize(internal) IS
'part of an aggregate';

CREATE FUNCTION gpu_distinct_agg_deserialize(bytea, internal)
RETURNS internal
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gpu_distinct_agg_deserialize(bytea, internal) IS
'part of an aggregate';

CREATE FUNCTION gpu_distinct_agg_result(internal, a anyarray)
RETURNS anyarray
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION gpu_distinct_agg_result(internal, anyarray) IS
'part of an aggregate';

CREATE AGGREGATE gpu_concat_agg(a anyarray) (
	SFUNC = gpu_concat_agg_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpu_concat_agg_result, FINALFUNC_EXTRA,
	PARALLEL = SAFE
);

COMMENT ON AGGREGATE gpu_concat_agg(anyarray) IS
'arrays of any lengths, end to end';

CREATE AGGREGATE gpu_distinct_agg(a anyarray) (
	SFUNC = gpu_distinct_agg_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpu_distinct_agg_result, FINALFUNC_EXTRA,
	COMBINEFUNC = gpu_distinct_agg_combine,
	SERIALFUNC = gpu_distinct_agg_serialize,
	DESERIALFUNC = gpu_distinct_agg_deserialize,
	PARALLEL = SAFE
);

COMMENT ON AGGREGATE gpu_distinct_agg(anyarray) IS
'the different elements of arrays, in order, and NULL last';

-- bytes

CREATE FUNCTION gpu_to_bytes(a anyarray)
RETURNS bytea
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_to_bytes(anyarray) IS
'the elements of an array of numbers or booleans as bytes, little-endian';

CREATE FUNCTION gpu_from_bytes(bytes bytea, "like" anyarray)
RETURNS anyarray
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_from_bytes(bytea, anyarray) IS
'the array, of the type of "like", whose elements are these bytes, little-endian';

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
							  OUT cache_limit bigint,
							  OUT cache_bytes bigint,
							  OUT cache_hits bigint,
							  OUT cache_misses_new bigint,
							  OUT cache_misses_changed bigint,
							  OUT cache_misses_expired bigint,
							  OUT cache_misses_evicted bigint,
							  OUT failures integer,
							  OUT last_failure text)
RETURNS SETOF record
AS 'MODULE_PATHNAME'
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED COST 1000 ROWS 1;

COMMENT ON FUNCTION gpu_processes() IS
'the processes that serve GPUs to all sessions, and what they do';

CREATE FUNCTION gpu_cache(OUT gpu integer,
						  OUT database oid,
						  OUT toast_relation oid,
						  OUT bytes bigint,
						  OUT hits bigint,
						  OUT last_use timestamp with time zone)
RETURNS SETOF record
AS 'MODULE_PATHNAME'
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED COST 1000 ROWS 100;

COMMENT ON FUNCTION gpu_cache() IS
'the stored values that GPUs keep for later calls';

REVOKE EXECUTE ON FUNCTION gpu_cache() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gpu_cache() TO pg_monitor;

CREATE FUNCTION gpu_cache_clear()
RETURNS void
AS 'MODULE_PATHNAME'
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED COST 1000;

COMMENT ON FUNCTION gpu_cache_clear() IS
'has GPUs give up the stored values that they keep';

REVOKE EXECUTE ON FUNCTION gpu_cache_clear() FROM PUBLIC;

CREATE FUNCTION gpu_cache_load(a anyarray)
RETURNS bigint
AS 'MODULE_PATHNAME'
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED COST 1000;

COMMENT ON FUNCTION gpu_cache_load(anyarray) IS
'has a GPU keep a stored array for later calls; the bytes that it keeps';

CREATE FUNCTION gpu_cache_load(bytes bytea)
RETURNS bigint
AS 'MODULE_PATHNAME', 'gpu_cache_load_bytes'
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED COST 1000;

COMMENT ON FUNCTION gpu_cache_load(bytea) IS
'has a GPU keep a stored bytea for later calls; the bytes that it keeps';

CREATE FUNCTION gpu_cache_load(a text)
RETURNS bigint
AS 'MODULE_PATHNAME', 'gpu_cache_load_bytes'
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED COST 1000;

COMMENT ON FUNCTION gpu_cache_load(text) IS
'has a GPU keep a stored text for later calls; the bytes that it keeps';

-- calls of all sessions

CREATE FUNCTION gpu_stat(OUT function text,
						 OUT engine text,
						 OUT reason text,
						 OUT calls bigint,
						 OUT elements bigint,
						 OUT bytes_in bigint,
						 OUT bytes_out bigint,
						 OUT timed_calls bigint,
						 OUT total_ms double precision,
						 OUT since timestamp with time zone)
RETURNS SETOF record
AS 'MODULE_PATHNAME'
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED ROWS 100;

COMMENT ON FUNCTION gpu_stat() IS
'the calls of all sessions, by function, engine and reason';

CREATE VIEW gpu_stat AS SELECT * FROM gpu_stat();

COMMENT ON VIEW gpu_stat IS
'the calls of all sessions, by function, engine and reason';

GRANT SELECT ON gpu_stat TO PUBLIC;

CREATE FUNCTION gpu_stat_reset()
RETURNS void
AS 'MODULE_PATHNAME'
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;

COMMENT ON FUNCTION gpu_stat_reset() IS
'has gpu_stat count calls anew';

REVOKE EXECUTE ON FUNCTION gpu_stat_reset() FROM PUBLIC;

-- Array literals without a type are taken as integer[].  In each of these,
-- "unknown" is a literal, and nothing else.

CREATE FUNCTION gpu_prefix_sum(a unknown, exclusive boolean DEFAULT false)
RETURNS bigint[]
AS 'MODULE_PATHNAME', 'gpu_literal'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_prefix_sum(unknown, boolean) IS
'the same for an array literal without a type, which is taken as integer[]';

CREATE FUNCTION gpu_scan(a unknown, op unknown, exclusive boolean DEFAULT false)
RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpu_literal'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_scan(unknown, unknown, boolean) IS
'the same for an array literal without a type, which is taken as integer[]';

CREATE FUNCTION gpu_reduce(a unknown, op unknown)
RETURNS integer
AS 'MODULE_PATHNAME', 'gpu_literal'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_reduce(unknown, unknown) IS
'the same for an array literal without a type, which is taken as integer[]';

CREATE FUNCTION gpu_delta(a unknown)
RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpu_literal'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_delta(unknown) IS
'the same for an array literal without a type, which is taken as integer[]';

CREATE FUNCTION gpu_delta(a unknown, lag integer)
RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpu_literal'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_delta(unknown, integer) IS
'the same for an array literal without a type, which is taken as integer[]';

CREATE FUNCTION gpu_compact(a unknown)
RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpu_literal'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_compact(unknown) IS
'the same for an array literal without a type, which is taken as integer[]';

CREATE FUNCTION gpu_compact(a unknown, mask unknown)
RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpu_literal'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_compact(unknown, unknown) IS
'the same for an array literal without a type, which is taken as integer[]';

CREATE FUNCTION gpu_compact(a unknown, mask boolean[])
RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpu_literal'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_compact(unknown, boolean[]) IS
'the same for an array literal without a type, which is taken as integer[]';

CREATE FUNCTION gpu_compact(a unknown, op unknown, value unknown)
RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpu_literal'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_compact(unknown, unknown, unknown) IS
'the same for an array literal without a type, which is taken as integer[]';

CREATE FUNCTION gpu_positions(a unknown, op unknown, value unknown)
RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpu_literal'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_positions(unknown, unknown, unknown) IS
'the same for an array literal without a type, which is taken as integer[]';

CREATE FUNCTION gpu_compact_in(a unknown, b unknown, negate boolean DEFAULT false)
RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpu_literal'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_compact_in(unknown, unknown, boolean) IS
'the same for an array literal without a type, which is taken as integer[]';

CREATE FUNCTION gpu_radix_sort(a unknown, descending boolean DEFAULT false,
	nulls_first boolean DEFAULT NULL)
RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpu_literal'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_radix_sort(unknown, boolean, boolean) IS
'the same for an array literal without a type, which is taken as integer[]';

CREATE FUNCTION gpu_argsort(a unknown, descending boolean DEFAULT false,
	nulls_first boolean DEFAULT NULL)
RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpu_literal'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_argsort(unknown, boolean, boolean) IS
'the same for an array literal without a type, which is taken as integer[]';

CREATE FUNCTION gpu_take(a unknown, positions unknown)
RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpu_literal'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_take(unknown, unknown) IS
'the same for an array literal without a type, which is taken as integer[]';

CREATE FUNCTION gpu_take(a unknown, positions integer[])
RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpu_literal'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_take(unknown, integer[]) IS
'the same for an array literal without a type, which is taken as integer[]';

CREATE FUNCTION gpu_fill(a unknown, backward boolean DEFAULT false)
RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpu_literal'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_fill(unknown, boolean) IS
'the same for an array literal without a type, which is taken as integer[]';

CREATE FUNCTION gpu_window(a unknown, op unknown, preceding integer,
	following integer DEFAULT 0)
RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpu_literal'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_window(unknown, unknown, integer, integer) IS
'the same for an array literal without a type, which is taken as integer[]';

CREATE FUNCTION gpu_window_avg(a unknown, preceding integer, following integer DEFAULT 0)
RETURNS double precision[]
AS 'MODULE_PATHNAME', 'gpu_literal'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_window_avg(unknown, integer, integer) IS
'the same for an array literal without a type, which is taken as integer[]';

CREATE FUNCTION gpu_downsample(a unknown, n integer, method unknown DEFAULT 'minmax')
RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpu_literal'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_downsample(unknown, integer, unknown) IS
'the same for an array literal without a type, which is taken as integer[]';

CREATE FUNCTION gpu_distinct(a unknown)
RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpu_literal'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_distinct(unknown) IS
'the same for an array literal without a type, which is taken as integer[]';

CREATE FUNCTION gpu_distinct(a unknown, in_order boolean)
RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpu_literal'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_distinct(unknown, boolean) IS
'the same for an array literal without a type, which is taken as integer[]';

CREATE FUNCTION gpu_distinct_counts(a unknown,
	OUT "values" integer[], OUT counts integer[])
AS 'MODULE_PATHNAME', 'gpu_literal'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_distinct_counts(unknown) IS
'the same for an array literal without a type, which is taken as integer[]';

CREATE FUNCTION gpu_run_lengths(a unknown,
	OUT "values" integer[], OUT lengths integer[])
AS 'MODULE_PATHNAME', 'gpu_literal'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_run_lengths(unknown) IS
'the same for an array literal without a type, which is taken as integer[]';

CREATE FUNCTION gpu_mode(a unknown)
RETURNS integer
AS 'MODULE_PATHNAME', 'gpu_literal'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_mode(unknown) IS
'the same for an array literal without a type, which is taken as integer[]';

CREATE FUNCTION gpu_rank(a unknown, method unknown DEFAULT 'dense')
RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpu_literal'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_rank(unknown, unknown) IS
'the same for an array literal without a type, which is taken as integer[]';

CREATE FUNCTION gpu_top_k(a unknown, k integer, descending boolean DEFAULT true,
	OUT "values" integer[], OUT positions integer[])
AS 'MODULE_PATHNAME', 'gpu_literal'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_top_k(unknown, integer, boolean) IS
'the same for an array literal without a type, which is taken as integer[]';

CREATE FUNCTION gpu_percentile_cont(a unknown, fraction numeric)
RETURNS double precision
AS 'MODULE_PATHNAME', 'gpu_literal'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_percentile_cont(unknown, numeric) IS
'the same for an array literal without a type, which is taken as integer[]';

CREATE FUNCTION gpu_percentile_cont(a unknown, fractions unknown)
RETURNS double precision[]
AS 'MODULE_PATHNAME', 'gpu_literal'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_percentile_cont(unknown, unknown) IS
'the same for an array literal without a type, which is taken as integer[]';

CREATE FUNCTION gpu_percentile_cont(a unknown, fractions numeric[])
RETURNS double precision[]
AS 'MODULE_PATHNAME', 'gpu_literal'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_percentile_cont(unknown, numeric[]) IS
'the same for an array literal without a type, which is taken as integer[]';

CREATE FUNCTION gpu_percentile_disc(a unknown, fraction numeric)
RETURNS integer
AS 'MODULE_PATHNAME', 'gpu_literal'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_percentile_disc(unknown, numeric) IS
'the same for an array literal without a type, which is taken as integer[]';

CREATE FUNCTION gpu_percentile_disc(a unknown, fractions unknown)
RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpu_literal'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_percentile_disc(unknown, unknown) IS
'the same for an array literal without a type, which is taken as integer[]';

CREATE FUNCTION gpu_percentile_disc(a unknown, fractions numeric[])
RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpu_literal'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_percentile_disc(unknown, numeric[]) IS
'the same for an array literal without a type, which is taken as integer[]';

CREATE FUNCTION gpu_stats(a unknown,
	OUT count bigint, OUT nulls bigint, OUT sum bigint, OUT min integer,
	OUT max integer, OUT avg numeric, OUT variance numeric, OUT stddev numeric)
AS 'MODULE_PATHNAME', 'gpu_literal'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_stats(unknown) IS
'the same for an array literal without a type, which is taken as integer[]';

CREATE FUNCTION gpu_histogram(a unknown, thresholds unknown)
RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpu_literal'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_histogram(unknown, unknown) IS
'the same for an array literal without a type, which is taken as integer[]';

CREATE FUNCTION gpu_histogram(a unknown, low integer, high integer, buckets integer)
RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpu_literal'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_histogram(unknown, integer, integer, integer) IS
'the same for an array literal without a type, which is taken as integer[]';

CREATE FUNCTION gpu_bucket(a unknown, thresholds unknown)
RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpu_literal'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_bucket(unknown, unknown) IS
'the same for an array literal without a type, which is taken as integer[]';

CREATE FUNCTION gpu_union(a unknown, b unknown)
RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpu_literal'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_union(unknown, unknown) IS
'the same for an array literal without a type, which is taken as integer[]';

CREATE FUNCTION gpu_intersect(a unknown, b unknown)
RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpu_literal'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_intersect(unknown, unknown) IS
'the same for an array literal without a type, which is taken as integer[]';

CREATE FUNCTION gpu_except(a unknown, b unknown)
RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpu_literal'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_except(unknown, unknown) IS
'the same for an array literal without a type, which is taken as integer[]';

CREATE FUNCTION gpu_intersect_count(a unknown, b unknown)
RETURNS integer
AS 'MODULE_PATHNAME', 'gpu_literal'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_intersect_count(unknown, unknown) IS
'the same for an array literal without a type, which is taken as integer[]';

CREATE FUNCTION gpu_to_bytes(a unknown)
RETURNS bytea
AS 'MODULE_PATHNAME', 'gpu_literal'
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_to_bytes(unknown) IS
'the same for an array literal without a type, which is taken as integer[]';

-- So that postgres_fdw sends calls with a text to other servers.

CREATE FUNCTION gpu_ignores_collation(internal)
RETURNS internal
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gpu_ignores_collation(internal) IS
'tells the planner that a function does not depend on a collation';

ALTER FUNCTION gpu_scan(anyarray, text, boolean) SUPPORT gpu_ignores_collation;
ALTER FUNCTION gpu_reduce(anyarray, text) SUPPORT gpu_ignores_collation;
ALTER FUNCTION gpu_compact(anyarray, text, anyelement) SUPPORT gpu_ignores_collation;
ALTER FUNCTION gpu_compact(anyarray, varchar, "any") SUPPORT gpu_ignores_collation;
ALTER FUNCTION gpu_positions(anyarray, text, anyelement) SUPPORT gpu_ignores_collation;
ALTER FUNCTION gpu_positions(anyarray, varchar, "any") SUPPORT gpu_ignores_collation;
ALTER FUNCTION gpu_rank(anyarray, text) SUPPORT gpu_ignores_collation;
ALTER FUNCTION gpu_window(anyarray, text, integer, integer) SUPPORT gpu_ignores_collation;
ALTER FUNCTION gpu_downsample(anyarray, integer, text) SUPPORT gpu_ignores_collation;
ALTER FUNCTION gpu_group(anyarray, anycompatiblearray, text) SUPPORT gpu_ignores_collation;
ALTER FUNCTION gpu_utf8_decode(bytea, text) SUPPORT gpu_ignores_collation;
ALTER FUNCTION gpu_utf8_decode(text, text) SUPPORT gpu_ignores_collation;
ALTER FUNCTION gpu_utf8_encode(integer[], text) SUPPORT gpu_ignores_collation;
ALTER FUNCTION gpu_utf8_repair(bytea, text) SUPPORT gpu_ignores_collation;
