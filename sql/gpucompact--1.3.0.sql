/* sql/gpucompact--1.3.0.sql: what CREATE EXTENSION gpucompact runs */

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION gpucompact" to load this file. \quit

-- First row types, the planner's support and the type gpu_packed, which functions
-- need.  Then the functions, in the order of the README's table.  What no query needs to call
-- begins with gpucompact_, so that \df gpu_* shows what users call; it stands
-- before the first that needs it.  A paragraph has all forms of a function, or an
-- aggregate and its parts.


--
-- Rows that functions return
--

-- A row type is not polymorphic.  So functions of arrays of any type, such as
-- gpu_top_k, return a record instead.
CREATE TYPE gpu_smallint_stats AS (count bigint, nulls bigint, sum bigint, min smallint, max smallint,
	avg numeric, variance numeric, stddev numeric);
COMMENT ON TYPE gpu_smallint_stats IS 'statistics of an array';
CREATE TYPE gpu_integer_stats AS (count bigint, nulls bigint, sum bigint, min integer, max integer,
	avg numeric, variance numeric, stddev numeric);
COMMENT ON TYPE gpu_integer_stats IS 'statistics of an array';
CREATE TYPE gpu_bigint_stats AS (count bigint, nulls bigint, sum numeric, min bigint, max bigint,
	avg numeric, variance numeric, stddev numeric);
COMMENT ON TYPE gpu_bigint_stats IS 'statistics of an array';
CREATE TYPE gpu_real_stats AS (count bigint, nulls bigint, sum real, min real, max real,
	avg double precision, variance double precision, stddev double precision);
COMMENT ON TYPE gpu_real_stats IS 'statistics of an array';
CREATE TYPE gpu_double_precision_stats AS (count bigint, nulls bigint, sum double precision, min double precision, max double precision,
	avg double precision, variance double precision, stddev double precision);
COMMENT ON TYPE gpu_double_precision_stats IS 'statistics of an array';

CREATE TYPE gpu_regression AS (count bigint, corr double precision, covar_samp double precision,
	slope double precision, intercept double precision, r2 double precision);
COMMENT ON TYPE gpu_regression IS 'statistics of the pairs of two arrays';

CREATE TYPE gpu_packed_properties AS (element_type regtype, elements bigint, nulls bigint, bytes bigint,
	bits_per_element double precision, blocks jsonb, decimal_blocks bigint, minimum text, maximum text);
COMMENT ON TYPE gpu_packed_properties IS 'properties of a packed array';

CREATE TYPE gpu_utf8_error AS (byte_offset integer, length integer);
COMMENT ON TYPE gpu_utf8_error IS 'maximal subpart of bytes that is not UTF-8';


--
-- Chains
--

-- Nested calls become one call: the planner puts together the functions that have
-- this support function.  It also removes the collation of their calls, as
-- postgres_fdw sends no call to other servers whose collation comes from a literal.
CREATE FUNCTION gpucompact_chain_support(internal) RETURNS internal
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_chain_support(internal) IS 'planner support: makes one call from a chain of calls';

CREATE FUNCTION gpucompact_chain("like" anyelement, program text, VARIADIC leaves "any") RETURNS anyelement
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_chain(anyelement, text, "any") IS
'runs a chain of calls that the planner made: the calls of the program over the leaves $1, $2 ...';

-- Chains whose last call returns a row.  The arguments before the program are the
-- types of that call's arrays.
CREATE FUNCTION gpucompact_chain_stats("like" smallint[], program text,
	VARIADIC leaves "any") RETURNS gpu_smallint_stats
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpucompact_chain';
COMMENT ON FUNCTION gpucompact_chain_stats(smallint[], text, "any") IS
'a chain of calls that ends in gpu_stats, in the planner''s form';
CREATE FUNCTION gpucompact_chain_stats("like" integer[], program text, VARIADIC leaves "any") RETURNS gpu_integer_stats
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpucompact_chain';
COMMENT ON FUNCTION gpucompact_chain_stats(integer[], text, "any") IS
'a chain of calls that ends in gpu_stats, in the planner''s form';
CREATE FUNCTION gpucompact_chain_stats("like" bigint[], program text, VARIADIC leaves "any") RETURNS gpu_bigint_stats
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpucompact_chain';
COMMENT ON FUNCTION gpucompact_chain_stats(bigint[], text, "any") IS
'a chain of calls that ends in gpu_stats, in the planner''s form';
CREATE FUNCTION gpucompact_chain_stats("like" real[], program text, VARIADIC leaves "any") RETURNS gpu_real_stats
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpucompact_chain';
COMMENT ON FUNCTION gpucompact_chain_stats(real[], text, "any") IS
'a chain of calls that ends in gpu_stats, in the planner''s form';
CREATE FUNCTION gpucompact_chain_stats("like" double precision[], program text,
	VARIADIC leaves "any") RETURNS gpu_double_precision_stats
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpucompact_chain';
COMMENT ON FUNCTION gpucompact_chain_stats(double precision[], text, "any") IS
'a chain of calls that ends in gpu_stats, in the planner''s form';

CREATE FUNCTION gpucompact_chain_top_k("like" anyarray, program text, VARIADIC leaves "any", OUT "values" anyarray,
	OUT positions integer[])
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpucompact_chain';
COMMENT ON FUNCTION gpucompact_chain_top_k(anyarray, text, "any") IS
'a chain of calls that ends in gpu_top_k, in the planner''s form';

CREATE FUNCTION gpucompact_chain_distinct_counts("like" anyarray, program text, VARIADIC leaves "any",
	OUT "values" anyarray, OUT counts integer[])
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpucompact_chain';
COMMENT ON FUNCTION gpucompact_chain_distinct_counts(anyarray, text, "any") IS
'a chain of calls that ends in gpu_distinct_counts, in the planner''s form';

CREATE FUNCTION gpucompact_chain_run_lengths("like" anyarray, program text, VARIADIC leaves "any",
	OUT "values" anyarray, OUT lengths integer[])
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpucompact_chain';
COMMENT ON FUNCTION gpucompact_chain_run_lengths(anyarray, text, "any") IS
'a chain of calls that ends in gpu_run_lengths, in the planner''s form';

CREATE FUNCTION gpucompact_chain_downsample_points("like" anyarray, program text, VARIADIC leaves "any",
	OUT positions integer[], OUT "values" anyarray)
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpucompact_chain';
COMMENT ON FUNCTION gpucompact_chain_downsample_points(anyarray, text, "any") IS
'a chain of calls that ends in gpu_downsample_points, in the planner''s form';

CREATE FUNCTION gpucompact_chain_group(like_keys anyarray, "like" anycompatiblearray, program text,
	VARIADIC leaves "any", OUT keys anyarray, OUT "values" anycompatiblearray)
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpucompact_chain';
COMMENT ON FUNCTION gpucompact_chain_group(anyarray, anycompatiblearray, text, "any") IS
'a chain of calls that ends in gpu_group, in the planner''s form';

CREATE FUNCTION gpucompact_chain_group_avg(like_keys anyarray, "like" anycompatiblearray, program text,
	VARIADIC leaves "any", OUT keys anyarray, OUT avg double precision[])
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpucompact_chain';
COMMENT ON FUNCTION gpucompact_chain_group_avg(anyarray, anycompatiblearray, text, "any") IS
'a chain of calls that ends in gpu_group_avg, in the planner''s form';

CREATE FUNCTION gpucompact_chain_group_count(like_keys anyarray, "like" anycompatiblearray, program text,
	VARIADIC leaves "any", OUT keys anyarray, OUT count bigint[])
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpucompact_chain';
COMMENT ON FUNCTION gpucompact_chain_group_count(anyarray, anycompatiblearray, text, "any") IS
'a chain of calls that ends in gpu_group_count, in the planner''s form';

CREATE FUNCTION gpucompact_chain_resample(like_at timestamp[], "like" anyarray, program text, VARIADIC leaves "any",
	OUT at timestamp[], OUT count bigint[], OUT first anyarray, OUT min anyarray, OUT max anyarray, OUT last anyarray,
	OUT avg double precision[])
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpucompact_chain';
COMMENT ON FUNCTION gpucompact_chain_resample(timestamp[], anyarray, text, "any") IS
'a chain of calls that ends in gpu_resample, in the planner''s form';
CREATE FUNCTION gpucompact_chain_resample(like_at timestamptz[], "like" anyarray, program text, VARIADIC leaves "any",
	OUT at timestamptz[], OUT count bigint[], OUT first anyarray, OUT min anyarray, OUT max anyarray, OUT last anyarray,
	OUT avg double precision[])
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpucompact_chain';
COMMENT ON FUNCTION gpucompact_chain_resample(timestamptz[], anyarray, text, "any") IS
'a chain of calls that ends in gpu_resample, in the planner''s form';
CREATE FUNCTION gpucompact_chain_resample(like_at integer[], "like" anyarray, program text, VARIADIC leaves "any",
	OUT at integer[], OUT count bigint[], OUT first anyarray, OUT min anyarray, OUT max anyarray, OUT last anyarray,
	OUT avg double precision[])
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpucompact_chain';
COMMENT ON FUNCTION gpucompact_chain_resample(integer[], anyarray, text, "any") IS
'a chain of calls that ends in gpu_resample, in the planner''s form';
CREATE FUNCTION gpucompact_chain_resample(like_at bigint[], "like" anyarray, program text, VARIADIC leaves "any",
	OUT at bigint[], OUT count bigint[], OUT first anyarray, OUT min anyarray, OUT max anyarray, OUT last anyarray,
	OUT avg double precision[])
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpucompact_chain';
COMMENT ON FUNCTION gpucompact_chain_resample(bigint[], anyarray, text, "any") IS
'a chain of calls that ends in gpu_resample, in the planner''s form';

CREATE FUNCTION gpucompact_chain_regr(like_y anyarray, "like" anycompatiblearray, program text,
	VARIADIC leaves "any") RETURNS gpu_regression
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpucompact_chain';
COMMENT ON FUNCTION gpucompact_chain_regr(anyarray, anycompatiblearray, text, "any") IS
'a chain of calls that ends in gpu_regr, in the planner''s form';


--
-- The type gpu_packed
--

CREATE TYPE gpu_packed;

CREATE FUNCTION gpucompact_packed_in(cstring, oid, integer) RETURNS gpu_packed
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_packed_in(cstring, oid, integer) IS 'input of the type gpu_packed';
CREATE FUNCTION gpucompact_packed_out(gpu_packed) RETURNS cstring
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_packed_out(gpu_packed) IS 'output of the type gpu_packed';
CREATE FUNCTION gpucompact_packed_recv(internal, oid, integer) RETURNS gpu_packed
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_packed_recv(internal, oid, integer) IS 'binary input of the type gpu_packed';
CREATE FUNCTION gpucompact_packed_send(gpu_packed) RETURNS bytea
LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'byteasend';
COMMENT ON FUNCTION gpucompact_packed_send(gpu_packed) IS 'binary output of the type gpu_packed';
CREATE FUNCTION gpucompact_packed_typmod_in(cstring[]) RETURNS integer
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_packed_typmod_in(cstring[]) IS 'input of the modifier of gpu_packed';
CREATE FUNCTION gpucompact_packed_typmod_out(integer) RETURNS cstring
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_packed_typmod_out(integer) IS 'output of the modifier of gpu_packed';

-- The category is that of anyarray: for an argument without a type, the parser then
-- decides between an array and a packed one by the other arguments.
CREATE TYPE gpu_packed (
	INPUT = gpucompact_packed_in, OUTPUT = gpucompact_packed_out,
	RECEIVE = gpucompact_packed_recv, SEND = gpucompact_packed_send,
	TYPMOD_IN = gpucompact_packed_typmod_in, TYPMOD_OUT = gpucompact_packed_typmod_out,
	INTERNALLENGTH = VARIABLE, ALIGNMENT = double, STORAGE = external, CATEGORY = 'P'
);
COMMENT ON TYPE gpu_packed IS 'one-dimensional array, compressed';

CREATE FUNCTION gpucompact_packed_check(p gpu_packed, typmod integer, explicit boolean) RETURNS gpu_packed
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_packed_check(gpu_packed, integer, boolean) IS
'checks the type of the elements of a packed array';

CREATE CAST (gpu_packed AS gpu_packed) WITH FUNCTION gpucompact_packed_check(gpu_packed, integer, boolean) AS IMPLICIT;

CREATE FUNCTION gpucompact_packed_eq(gpu_packed, gpu_packed) RETURNS boolean
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_packed_eq(gpu_packed, gpu_packed) IS 'whether two packed arrays hold equal arrays';
CREATE FUNCTION gpucompact_packed_ne(gpu_packed, gpu_packed) RETURNS boolean
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_packed_ne(gpu_packed, gpu_packed) IS 'whether two packed arrays hold different arrays';
CREATE FUNCTION gpucompact_packed_lt(gpu_packed, gpu_packed) RETURNS boolean
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_packed_lt(gpu_packed, gpu_packed) IS
'whether the array in the first packed array is less than the array in the second';
CREATE FUNCTION gpucompact_packed_le(gpu_packed, gpu_packed) RETURNS boolean
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_packed_le(gpu_packed, gpu_packed) IS
'whether the array in the first packed array is less than or equal to the array in the second';
CREATE FUNCTION gpucompact_packed_ge(gpu_packed, gpu_packed) RETURNS boolean
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_packed_ge(gpu_packed, gpu_packed) IS
'whether the array in the first packed array is greater than or equal to the array in the second';
CREATE FUNCTION gpucompact_packed_gt(gpu_packed, gpu_packed) RETURNS boolean
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_packed_gt(gpu_packed, gpu_packed) IS
'whether the array in the first packed array is greater than the array in the second';
CREATE FUNCTION gpucompact_packed_cmp(gpu_packed, gpu_packed) RETURNS integer
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_packed_cmp(gpu_packed, gpu_packed) IS
'less-equal-greater comparison of the arrays in two packed arrays';
CREATE FUNCTION gpucompact_packed_hash(gpu_packed) RETURNS integer
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_packed_hash(gpu_packed) IS 'hash of the array in a packed array';
CREATE FUNCTION gpucompact_packed_hash_extended(gpu_packed, bigint) RETURNS bigint
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_packed_hash_extended(gpu_packed, bigint) IS 'hash of the array in a packed array';

CREATE OPERATOR = (
	LEFTARG = gpu_packed, RIGHTARG = gpu_packed, FUNCTION = gpucompact_packed_eq,
	COMMUTATOR = =, NEGATOR = <>, RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES
);
COMMENT ON OPERATOR = (gpu_packed, gpu_packed) IS 'equal';
CREATE OPERATOR <> (
	LEFTARG = gpu_packed, RIGHTARG = gpu_packed, FUNCTION = gpucompact_packed_ne,
	COMMUTATOR = <>, NEGATOR = =, RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (gpu_packed, gpu_packed) IS 'not equal';
CREATE OPERATOR < (
	LEFTARG = gpu_packed, RIGHTARG = gpu_packed, FUNCTION = gpucompact_packed_lt,
	COMMUTATOR = >, NEGATOR = >=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR < (gpu_packed, gpu_packed) IS 'less than';
CREATE OPERATOR <= (
	LEFTARG = gpu_packed, RIGHTARG = gpu_packed, FUNCTION = gpucompact_packed_le,
	COMMUTATOR = >=, NEGATOR = >, RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <= (gpu_packed, gpu_packed) IS 'less than or equal';
CREATE OPERATOR >= (
	LEFTARG = gpu_packed, RIGHTARG = gpu_packed, FUNCTION = gpucompact_packed_ge,
	COMMUTATOR = <=, NEGATOR = <, RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >= (gpu_packed, gpu_packed) IS 'greater than or equal';
CREATE OPERATOR > (
	LEFTARG = gpu_packed, RIGHTARG = gpu_packed, FUNCTION = gpucompact_packed_gt,
	COMMUTATOR = <, NEGATOR = <=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR > (gpu_packed, gpu_packed) IS 'greater than';

-- Without a function that says that equal values have equal bytes: 0 equals -0.
CREATE OPERATOR CLASS gpu_packed_ops
DEFAULT FOR TYPE gpu_packed USING btree AS
	OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
	FUNCTION 1 gpucompact_packed_cmp(gpu_packed, gpu_packed);
CREATE OPERATOR CLASS gpu_packed_ops
DEFAULT FOR TYPE gpu_packed USING hash AS
	OPERATOR 1 =,
	FUNCTION 1 gpucompact_packed_hash(gpu_packed),
	FUNCTION 2 gpucompact_packed_hash_extended(gpu_packed, bigint);


--
-- The type gpu_state
--

CREATE TYPE gpu_state;

CREATE FUNCTION gpucompact_state_in(cstring) RETURNS gpu_state
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_state_in(cstring) IS 'input of the type gpu_state';
CREATE FUNCTION gpucompact_state_out(gpu_state) RETURNS cstring
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_state_out(gpu_state) IS 'output of the type gpu_state';
CREATE FUNCTION gpucompact_state_recv(internal) RETURNS gpu_state
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_state_recv(internal) IS 'binary input of the type gpu_state';
CREATE FUNCTION gpucompact_state_send(gpu_state) RETURNS bytea
LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'byteasend';
COMMENT ON FUNCTION gpucompact_state_send(gpu_state) IS 'binary output of the type gpu_state';

CREATE TYPE gpu_state (
	INPUT = gpucompact_state_in, OUTPUT = gpucompact_state_out,
	RECEIVE = gpucompact_state_recv, SEND = gpucompact_state_send,
	INTERNALLENGTH = VARIABLE, STORAGE = external
);
COMMENT ON TYPE gpu_state IS 'partial aggregate that can be stored, sent and merged';


--
-- Running results
--

-- For each type of numbers, with the type of its sums.
CREATE FUNCTION gpu_prefix_sum(a smallint[], exclusive boolean DEFAULT false) RETURNS bigint[]
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_prefix_sum(smallint[], boolean) IS
'running sums of an array; an exclusive sum leaves out its own element';
CREATE FUNCTION gpu_prefix_sum(a integer[], exclusive boolean DEFAULT false) RETURNS bigint[]
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_prefix_sum(integer[], boolean) IS
'running sums of an array; an exclusive sum leaves out its own element';
CREATE FUNCTION gpu_prefix_sum(a bigint[], exclusive boolean DEFAULT false) RETURNS bigint[]
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_prefix_sum(bigint[], boolean) IS
'running sums of an array; an exclusive sum leaves out its own element';
CREATE FUNCTION gpu_prefix_sum(a real[], exclusive boolean DEFAULT false) RETURNS real[]
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_prefix_sum(real[], boolean) IS
'running sums of an array; an exclusive sum leaves out its own element';
CREATE FUNCTION gpu_prefix_sum(a double precision[], exclusive boolean DEFAULT false) RETURNS double precision[]
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_prefix_sum(double precision[], boolean) IS
'running sums of an array; an exclusive sum leaves out its own element';

-- A numeric[], as ARRAY[0.5,1.5] is, would match several of these: its error says
-- to which type to cast it.
CREATE FUNCTION gpu_prefix_sum(a numeric[], exclusive boolean DEFAULT false) RETURNS numeric[]
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_prefix_sum(numeric[], boolean) IS
'not supported for this type; raises an error that says what to do';

CREATE FUNCTION gpu_scan(a anyarray, op text, exclusive boolean DEFAULT false) RETURNS anyarray
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_scan(anyarray, text, boolean) IS
'running results of an operator over an array: + * min max & | #';

CREATE FUNCTION gpu_delta(a anyarray) RETURNS anyarray
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_delta(anyarray) IS
'difference of each number of an array from the number before it; the first result is NULL';
CREATE FUNCTION gpu_delta(a anyarray, lag integer, keep boolean DEFAULT false) RETURNS anyarray
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpu_delta_lag';
COMMENT ON FUNCTION gpu_delta(anyarray, integer, boolean) IS
'difference of each number of an array from the number "lag" positions before it; the first "lag" results are NULL, or the numbers themselves if "keep" is true';

-- The differences of dates and times are of another type than these.
CREATE FUNCTION gpu_delta(a timestamp[], lag integer DEFAULT 1) RETURNS bigint[]
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpu_delta_times';
COMMENT ON FUNCTION gpu_delta(timestamp[], integer) IS
'microseconds from the timestamp "lag" positions before to each timestamp of an array; the first "lag" results are NULL';
CREATE FUNCTION gpu_delta(a timestamptz[], lag integer DEFAULT 1) RETURNS bigint[]
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpu_delta_times';
COMMENT ON FUNCTION gpu_delta(timestamptz[], integer) IS
'microseconds from the timestamp "lag" positions before to each timestamp of an array; the first "lag" results are NULL';
CREATE FUNCTION gpu_delta(a date[], lag integer DEFAULT 1) RETURNS integer[]
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpu_delta_times';
COMMENT ON FUNCTION gpu_delta(date[], integer) IS
'days from the date "lag" positions before to each date of an array; the first "lag" results are NULL';
CREATE FUNCTION gpu_delta(a time[], lag integer DEFAULT 1) RETURNS bigint[]
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpu_delta_times';
COMMENT ON FUNCTION gpu_delta(time[], integer) IS
'microseconds from the time "lag" positions before to each time of an array; the first "lag" results are NULL';

CREATE FUNCTION gpu_window(a anyarray, op text, preceding integer, following integer DEFAULT 0) RETURNS anyarray
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_window(anyarray, text, integer, integer) IS
'sum, minimum or maximum (+ min max) over a frame around each element of an array';

CREATE FUNCTION gpu_window_avg(a anyarray, preceding integer, following integer DEFAULT 0) RETURNS double precision[]
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_window_avg(anyarray, integer, integer) IS
'average over a frame around each element of an array';

CREATE FUNCTION gpu_window_percentile_cont(a anyarray, fraction double precision, preceding integer,
	following integer DEFAULT 0) RETURNS double precision[]
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_window_percentile_cont(anyarray, double precision, integer, integer) IS
'continuous percentile over a frame around each element of an array';

CREATE FUNCTION gpu_window_percentile_disc(a anyarray, fraction double precision, preceding integer,
	following integer DEFAULT 0) RETURNS anyarray
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_window_percentile_disc(anyarray, double precision, integer, integer) IS
'discrete percentile over a frame around each element of an array';

CREATE FUNCTION gpu_range_window(x anycompatiblearray, a anyarray, op text, preceding "any",
	following "any" DEFAULT NULL, at "any" DEFAULT NULL) RETURNS anyarray
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_range_window(anycompatiblearray, anyarray, text, "any", "any", "any") IS
'aggregate (+ min max count first last) over a frame of x around each x of a series, or around each x of "at"';

CREATE FUNCTION gpu_range_window_avg(x anycompatiblearray, a anyarray, preceding "any", following "any" DEFAULT NULL,
	at "any" DEFAULT NULL) RETURNS double precision[]
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_range_window_avg(anycompatiblearray, anyarray, "any", "any", "any") IS
'average over a frame of x around each x of a series, or around each x of "at"';


--
-- Filter, select
--

CREATE FUNCTION gpu_compact(a anyarray) RETURNS anyarray
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_compact(anyarray) IS 'the elements of an array that are neither zero nor NULL, in their order';

-- A value of the elements' type, or one that takes it, as a literal does, goes to
-- the function with "text".  One of another type goes to the function with
-- "varchar", which is less preferred, and is compared as the operator of that name
-- compares the two types.  So do two values, the bounds of "between".
CREATE FUNCTION gpu_compact(a anyarray, op text, value anyelement) RETURNS anyarray
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpu_compact_where';
COMMENT ON FUNCTION gpu_compact(anyarray, text, anyelement) IS
'the elements of an array that are = <> < <= > >= a value, in their order';
CREATE FUNCTION gpu_compact(a anyarray, op varchar, VARIADIC "values" "any") RETURNS anyarray
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpu_compact_where';
COMMENT ON FUNCTION gpu_compact(anyarray, varchar, "any") IS
'the elements of an array that are = <> < <= > >= a value, or between two values, in their order';
CREATE FUNCTION gpu_compact(a anyarray, mask boolean[]) RETURNS anyarray
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpu_compact_masked';
COMMENT ON FUNCTION gpu_compact(anyarray, boolean[]) IS 'the elements of an array where a mask is true, in their order';
CREATE FUNCTION gpu_compact(a anyarray, op text, low anyelement, high anyelement) RETURNS anyarray
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpu_compact_where';
COMMENT ON FUNCTION gpu_compact(anyarray, text, anyelement, anyelement) IS
'the elements of an array that are between two values, in their order';

-- The parser prefers "text" for a literal, also for one that is a mask, and takes
-- an untyped parameter for a text.  So the function reads masks, too.
CREATE FUNCTION gpu_compact(a anyarray, op text) RETURNS anyarray
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpu_compact_by_text';
COMMENT ON FUNCTION gpu_compact(anyarray, text) IS
'the elements of an array that are NULL, or not NULL, in their order';

CREATE FUNCTION gpu_compact_nulls(a anyarray) RETURNS anyarray
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_compact_nulls(anyarray) IS 'the elements of an array that are not NULL, in their order';

CREATE FUNCTION gpu_compact_in(a anycompatiblearray, b anycompatiblearray,
	negate boolean DEFAULT false) RETURNS anycompatiblearray
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_compact_in(anycompatiblearray, anycompatiblearray, boolean) IS
'the elements of an array that another array contains, or does not contain, in their order';

-- The values are as those of gpu_compact.
CREATE FUNCTION gpu_positions(a anyarray, op text, value anyelement) RETURNS integer[]
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpu_positions_where';
COMMENT ON FUNCTION gpu_positions(anyarray, text, anyelement) IS
'positions, from 1, of the elements that are = <> < <= > >= a value';
CREATE FUNCTION gpu_positions(a anyarray, op varchar, VARIADIC "values" "any") RETURNS integer[]
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpu_positions_where';
COMMENT ON FUNCTION gpu_positions(anyarray, varchar, "any") IS
'positions, from 1, of the elements that are = <> < <= > >= a value, or between two values';
CREATE FUNCTION gpu_positions(mask boolean[]) RETURNS integer[]
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpu_positions_masked';
COMMENT ON FUNCTION gpu_positions(boolean[]) IS 'positions, from 1, where a mask is true';
CREATE FUNCTION gpu_positions(a anyarray, op text, low anyelement, high anyelement) RETURNS integer[]
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpu_positions_where';
COMMENT ON FUNCTION gpu_positions(anyarray, text, anyelement, anyelement) IS
'positions, from 1, of the elements that are between two values';
CREATE FUNCTION gpu_positions(a anyarray, op text) RETURNS integer[]
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpu_positions_where';
COMMENT ON FUNCTION gpu_positions(anyarray, text) IS 'positions, from 1, of the elements that are NULL, or not NULL';

-- Of the elements of a packed array, the type is known when the call runs.
CREATE FUNCTION gpu_positions(p gpu_packed, op varchar, VARIADIC "values" "any") RETURNS integer[]
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpu_positions_where';
COMMENT ON FUNCTION gpu_positions(gpu_packed, varchar, "any") IS
'positions, from 1, of the elements of a packed array that are = <> < <= > >= a value, or between two values';

CREATE FUNCTION gpu_take(a anyarray, positions integer[]) RETURNS anyarray
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_take(anyarray, integer[]) IS 'the elements of an array at the given positions, counted from 1';

CREATE FUNCTION gpu_slice(a anyarray, first integer, last integer) RETURNS anyarray
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_slice(anyarray, integer, integer) IS 'the elements of an array from one position to another';
CREATE FUNCTION gpu_slice(p gpu_packed, first integer, last integer, "like" anyarray) RETURNS anyarray
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpu_slice_packed';
COMMENT ON FUNCTION gpu_slice(gpu_packed, integer, integer, anyarray) IS
'the elements of a packed array from one position to another';


--
-- Sort
--

CREATE FUNCTION gpu_radix_sort(a anyarray, descending boolean DEFAULT false, nulls_first boolean DEFAULT NULL)
RETURNS anyarray LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_radix_sort(anyarray, boolean, boolean) IS
'sorted array; NULLs come last, or first if descending, unless "nulls_first" is given';

CREATE FUNCTION gpu_argsort(a anyarray, descending boolean DEFAULT false, nulls_first boolean DEFAULT NULL)
RETURNS integer[] LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_argsort(anyarray, boolean, boolean) IS
'positions, from 1, of the elements of an array in sorted order';

CREATE FUNCTION gpu_sort_by_key(a anyarray, keys anycompatiblearray, descending boolean DEFAULT false,
	nulls_first boolean DEFAULT NULL) RETURNS anyarray
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_sort_by_key(anyarray, anycompatiblearray, boolean, boolean) IS
'array sorted by the keys in another array, one key for each element';

CREATE FUNCTION gpu_rank(a anyarray, method text DEFAULT 'dense') RETURNS integer[]
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_rank(anyarray, text) IS
'rank of each element of an array; equal elements by method "dense", "min", "max" or "first"';

CREATE FUNCTION gpu_rank_avg(a anyarray) RETURNS double precision[]
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_rank_avg(anyarray) IS
'rank of each element of an array; equal elements have the average of their ranks';

CREATE FUNCTION gpu_top_k(a anyarray, k integer, descending boolean DEFAULT true, OUT "values" anyarray,
	OUT positions integer[])
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_top_k(anyarray, integer, boolean) IS
'the "k" greatest elements of an array, or the "k" least, and their positions';

CREATE FUNCTION gpu_distinct(a anyarray, in_order boolean DEFAULT false) RETURNS anyarray
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_distinct(anyarray, boolean) IS
'the distinct elements of an array, sorted, or in the order of their first positions';

CREATE FUNCTION gpu_distinct_counts(a anyarray, OUT "values" anyarray, OUT counts integer[])
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_distinct_counts(anyarray) IS
'the distinct elements of an array, sorted, and how often each occurs';

CREATE FUNCTION gpu_run_lengths(a anyarray, OUT "values" anyarray, OUT lengths integer[])
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_run_lengths(anyarray) IS
'the runs of equal elements of an array: the element and the length of each run';

CREATE FUNCTION gpu_mode(a anyarray) RETURNS anyelement
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_mode(anyarray) IS 'the most frequent element of an array';


--
-- Sets
--

CREATE FUNCTION gpu_union(a anycompatiblearray, b anycompatiblearray) RETURNS anycompatiblearray
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_union(anycompatiblearray, anycompatiblearray) IS 'the distinct elements of two arrays, sorted';

CREATE FUNCTION gpu_intersect(a anycompatiblearray, b anycompatiblearray) RETURNS anycompatiblearray
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_intersect(anycompatiblearray, anycompatiblearray) IS
'the distinct elements that two arrays have in common, sorted';

CREATE FUNCTION gpu_except(a anycompatiblearray, b anycompatiblearray) RETURNS anycompatiblearray
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_except(anycompatiblearray, anycompatiblearray) IS
'the distinct elements of an array that another array does not contain, sorted';

CREATE FUNCTION gpu_intersect_count(a anycompatiblearray, b anycompatiblearray) RETURNS integer
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_intersect_count(anycompatiblearray, anycompatiblearray) IS
'number of distinct elements that two arrays have in common';

CREATE FUNCTION gpu_overlaps(a anycompatiblearray, b anycompatiblearray) RETURNS boolean
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_overlaps(anycompatiblearray, anycompatiblearray) IS
'whether two arrays have an element in common';

CREATE FUNCTION gpu_contains(a anycompatiblearray, b anycompatiblearray) RETURNS boolean
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_contains(anycompatiblearray, anycompatiblearray) IS
'whether an array contains all elements of another array';


--
-- Summaries
--

CREATE FUNCTION gpu_reduce(a anyarray, op text) RETURNS anyelement
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_reduce(anyarray, text) IS
'result of an operator over the elements of an array: + * min max & | #';

-- Sums and averages have the types of core's aggregates; of floats, those of the
-- last form.
CREATE FUNCTION gpu_sum(a smallint[]) RETURNS bigint
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_sum(smallint[]) IS 'the sum of the elements of an array';
CREATE FUNCTION gpu_sum(a integer[]) RETURNS bigint
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_sum(integer[]) IS 'the sum of the elements of an array';
CREATE FUNCTION gpu_sum(a bigint[]) RETURNS numeric
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpu_sum_numeric';
COMMENT ON FUNCTION gpu_sum(bigint[]) IS 'the sum of the elements of an array';
CREATE FUNCTION gpu_sum(a anyarray) RETURNS anyelement
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_sum(anyarray) IS 'the sum of the elements of an array';

CREATE FUNCTION gpu_avg(a smallint[]) RETURNS numeric
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_avg(smallint[]) IS 'the average of the elements of an array';
CREATE FUNCTION gpu_avg(a integer[]) RETURNS numeric
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_avg(integer[]) IS 'the average of the elements of an array';
CREATE FUNCTION gpu_avg(a bigint[]) RETURNS numeric
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_avg(bigint[]) IS 'the average of the elements of an array';
CREATE FUNCTION gpu_avg(a anyarray) RETURNS double precision
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpu_avg_float';
COMMENT ON FUNCTION gpu_avg(anyarray) IS 'the average of the elements of an array';

CREATE FUNCTION gpu_min(a anyarray) RETURNS anyelement
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_min(anyarray) IS 'the least element of an array';

CREATE FUNCTION gpu_max(a anyarray) RETURNS anyelement
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_max(anyarray) IS 'the greatest element of an array';

CREATE FUNCTION gpu_median(a anyarray) RETURNS double precision
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_median(anyarray) IS
'median of an array of numbers, interpolated between the two elements in the middle';

CREATE FUNCTION gpu_count(a anyarray) RETURNS bigint
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_count(anyarray) IS 'number of elements of an array that are not NULL';
CREATE FUNCTION gpu_count(p gpu_packed) RETURNS bigint
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpu_count_packed';
COMMENT ON FUNCTION gpu_count(gpu_packed) IS 'number of elements of a packed array that are not NULL';

-- For each type of numbers, with the types that core's aggregates have for it.
CREATE FUNCTION gpu_stats(a smallint[]) RETURNS gpu_smallint_stats
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_stats(smallint[]) IS
'count, NULLs, sum, minimum, maximum, average, variance and standard deviation of an array';
CREATE FUNCTION gpu_stats(a integer[]) RETURNS gpu_integer_stats
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_stats(integer[]) IS
'count, NULLs, sum, minimum, maximum, average, variance and standard deviation of an array';
CREATE FUNCTION gpu_stats(a bigint[]) RETURNS gpu_bigint_stats
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_stats(bigint[]) IS
'count, NULLs, sum, minimum, maximum, average, variance and standard deviation of an array';
CREATE FUNCTION gpu_stats(a real[]) RETURNS gpu_real_stats
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_stats(real[]) IS
'count, NULLs, sum, minimum, maximum, average, variance and standard deviation of an array';
CREATE FUNCTION gpu_stats(a double precision[]) RETURNS gpu_double_precision_stats
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_stats(double precision[]) IS
'count, NULLs, sum, minimum, maximum, average, variance and standard deviation of an array';

-- The elements of a packed array are of any of these types.
CREATE FUNCTION gpu_stats(p gpu_packed) RETURNS gpu_double_precision_stats
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_stats(gpu_packed) IS
'count, NULLs, sum, minimum, maximum, average, variance and standard deviation of a packed array';

-- As for gpu_prefix_sum.
CREATE FUNCTION gpu_stats(a numeric[]) RETURNS gpu_bigint_stats
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_stats(numeric[]) IS 'not supported for this type; raises an error that says what to do';

CREATE FUNCTION gpu_percentile_cont(a anyarray, fraction double precision) RETURNS double precision
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_percentile_cont(anyarray, double precision) IS 'continuous percentile of an array of numbers';
CREATE FUNCTION gpu_percentile_cont(a anyarray, fractions double precision[]) RETURNS double precision[]
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpu_percentile_cont_list';
COMMENT ON FUNCTION gpu_percentile_cont(anyarray, double precision[]) IS
'continuous percentiles of an array of numbers, one for each fraction';
CREATE FUNCTION gpu_percentile_cont(p gpu_packed, fraction double precision) RETURNS double precision
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_percentile_cont(gpu_packed, double precision) IS
'continuous percentile of a packed array of numbers';

-- A fraction may be a text, too.  As "text", the argument would also take literals
-- and parameters without a type, which are arrays of fractions.
CREATE FUNCTION gpu_percentile_cont(a anyarray, fraction anycompatiblenonarray) RETURNS double precision
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpu_percentile_cont_text';
COMMENT ON FUNCTION gpu_percentile_cont(anyarray, anycompatiblenonarray) IS
'continuous percentile of an array; the fraction is of type text';
CREATE FUNCTION gpu_percentile_cont(a anyarray, counts bigint[], fraction double precision) RETURNS double precision
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpu_percentile_cont_counted';
COMMENT ON FUNCTION gpu_percentile_cont(anyarray, bigint[], double precision) IS
'continuous percentile of elements with counts: each element counts as often as "counts" gives';

CREATE FUNCTION gpu_percentile_disc(a anyarray, fraction double precision) RETURNS anyelement
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_percentile_disc(anyarray, double precision) IS
'discrete percentile of an array: the first element in sorted order whose position reaches the fraction';
CREATE FUNCTION gpu_percentile_disc(a anyarray, fractions double precision[]) RETURNS anyarray
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpu_percentile_disc_list';
COMMENT ON FUNCTION gpu_percentile_disc(anyarray, double precision[]) IS
'discrete percentiles of an array, one for each fraction';

-- As for gpu_percentile_cont.
CREATE FUNCTION gpu_percentile_disc(a anyarray, fraction anycompatiblenonarray) RETURNS anyelement
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpu_percentile_disc_text';
COMMENT ON FUNCTION gpu_percentile_disc(anyarray, anycompatiblenonarray) IS
'discrete percentile of an array; the fraction is of type text';
CREATE FUNCTION gpu_percentile_disc(a anyarray, counts bigint[], fraction double precision) RETURNS anyelement
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpu_percentile_disc_counted';
COMMENT ON FUNCTION gpu_percentile_disc(anyarray, bigint[], double precision) IS
'discrete percentile of elements with counts: each element counts as often as "counts" gives';

CREATE FUNCTION gpu_histogram(a anycompatiblearray, thresholds anycompatiblearray) RETURNS integer[]
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_histogram(anycompatiblearray, anycompatiblearray) IS
'number of elements below, between and above the thresholds';

-- With even buckets, for each type of numbers.  The bounds are those of core's
-- width_bucket.
CREATE FUNCTION gpu_histogram(a smallint[], low numeric, high numeric, buckets integer) RETURNS integer[]
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpu_histogram_even';
COMMENT ON FUNCTION gpu_histogram(smallint[], numeric, numeric, integer) IS
'number of elements below, in each of equal buckets between, and above two bounds';
CREATE FUNCTION gpu_histogram(a integer[], low numeric, high numeric, buckets integer) RETURNS integer[]
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpu_histogram_even';
COMMENT ON FUNCTION gpu_histogram(integer[], numeric, numeric, integer) IS
'number of elements below, in each of equal buckets between, and above two bounds';
CREATE FUNCTION gpu_histogram(a bigint[], low numeric, high numeric, buckets integer) RETURNS integer[]
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpu_histogram_even';
COMMENT ON FUNCTION gpu_histogram(bigint[], numeric, numeric, integer) IS
'number of elements below, in each of equal buckets between, and above two bounds';
CREATE FUNCTION gpu_histogram(a real[], low double precision, high double precision, buckets integer) RETURNS integer[]
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpu_histogram_even';
COMMENT ON FUNCTION gpu_histogram(real[], double precision, double precision, integer) IS
'number of elements below, in each of equal buckets between, and above two bounds';
CREATE FUNCTION gpu_histogram(a double precision[], low double precision, high double precision,
	buckets integer) RETURNS integer[]
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpu_histogram_even';
COMMENT ON FUNCTION gpu_histogram(double precision[], double precision, double precision, integer) IS
'number of elements below, in each of equal buckets between, and above two bounds';
CREATE FUNCTION gpu_histogram(p gpu_packed, low double precision, high double precision,
	buckets integer) RETURNS integer[]
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpu_histogram_even';
COMMENT ON FUNCTION gpu_histogram(gpu_packed, double precision, double precision, integer) IS
'number of elements of a packed array below, in each of equal buckets between, and above two bounds';

-- As for gpu_prefix_sum.
CREATE FUNCTION gpu_histogram(a numeric[], low numeric, high numeric, buckets integer) RETURNS integer[]
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'gpu_histogram_even';
COMMENT ON FUNCTION gpu_histogram(numeric[], numeric, numeric, integer) IS
'not supported for this type; raises an error that says what to do';

CREATE FUNCTION gpu_bucket(a anycompatiblearray, thresholds anycompatiblearray) RETURNS integer[]
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_bucket(anycompatiblearray, anycompatiblearray) IS
'bucket of each element of an array: the number of thresholds that are not greater';

CREATE FUNCTION gpu_group(keys anyarray, a anycompatiblearray, op text, OUT keys anyarray,
	OUT "values" anycompatiblearray)
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_group(anyarray, anycompatiblearray, text) IS
'the distinct keys, and for each key an aggregate of its elements: + * min max & | # count first last';

CREATE FUNCTION gpu_group_avg(keys anyarray, a anycompatiblearray, OUT keys anyarray, OUT avg double precision[])
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_group_avg(anyarray, anycompatiblearray) IS
'the distinct keys, and for each key the average of its elements';

CREATE FUNCTION gpu_group_count(keys anyarray, a anycompatiblearray, OUT keys anyarray, OUT count bigint[])
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_group_count(anyarray, anycompatiblearray) IS
'the distinct keys, and for each key the number of its elements that are not NULL';

-- For integers, it has the type of sum(x * y), where x is cast to a type in which
-- no product overflows.
CREATE FUNCTION gpu_dot(a smallint[], b smallint[]) RETURNS bigint
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_dot(smallint[], smallint[]) IS 'the sum of the products of the elements of two arrays';
CREATE FUNCTION gpu_dot(a integer[], b integer[]) RETURNS numeric
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_dot(integer[], integer[]) IS 'the sum of the products of the elements of two arrays';
CREATE FUNCTION gpu_dot(a bigint[], b bigint[]) RETURNS numeric
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_dot(bigint[], bigint[]) IS 'the sum of the products of the elements of two arrays';
CREATE FUNCTION gpu_dot(a real[], b real[]) RETURNS real
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_dot(real[], real[]) IS 'the sum of the products of the elements of two arrays';
CREATE FUNCTION gpu_dot(a double precision[], b double precision[]) RETURNS double precision
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_dot(double precision[], double precision[]) IS
'the sum of the products of the elements of two arrays';

-- As for gpu_prefix_sum.
CREATE FUNCTION gpu_dot(a numeric[], b numeric[]) RETURNS numeric
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_dot(numeric[], numeric[]) IS
'not supported for this type; raises an error that says what to do';

CREATE FUNCTION gpu_regr(y anyarray, x anycompatiblearray) RETURNS gpu_regression
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_regr(anyarray, anycompatiblearray) IS
'count, correlation, covariance and least-squares line of pairs of elements; y comes before x';


--
-- Each element
--

-- The parser prefers "text" for the operator, as for gpu_compact.  A value is no
-- array, so that it is clear which argument is one.
CREATE FUNCTION gpu_map(a anyarray, op text, value anynonarray) RETURNS anyarray
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpu_map_value';
COMMENT ON FUNCTION gpu_map(anyarray, text, anynonarray) IS
'operator (+ - * / % least greatest) applied to each element of an array and a value';
CREATE FUNCTION gpu_map(a anyarray, op varchar, value "any") RETURNS anyarray
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpu_map_value';
COMMENT ON FUNCTION gpu_map(anyarray, varchar, "any") IS
'operator (+ - * / % least greatest) applied to each element of an array and a value';
CREATE FUNCTION gpu_map(value anynonarray, op text, a anyarray) RETURNS anyarray
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpu_map_value_first';
COMMENT ON FUNCTION gpu_map(anynonarray, text, anyarray) IS
'operator (+ - * / % least greatest) applied to a value and each element of an array';
CREATE FUNCTION gpu_map(value "any", op varchar, a anyarray) RETURNS anyarray
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpu_map_value_first';
COMMENT ON FUNCTION gpu_map("any", varchar, anyarray) IS
'operator (+ - * / % least greatest) applied to a value and each element of an array';
CREATE FUNCTION gpu_map(a anyarray, fn text) RETURNS anyarray
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpu_map_function';
COMMENT ON FUNCTION gpu_map(anyarray, text) IS
'function (abs - sign floor ceil round trunc sqrt) applied to each element of an array';

-- As for gpu_resample.
CREATE FUNCTION gpu_date_bin(a timestamp[], stride interval, origin timestamp DEFAULT '2000-01-01') RETURNS timestamp[]
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_date_bin(timestamp[], interval, timestamp) IS 'start of the bin of each element of an array';
CREATE FUNCTION gpu_date_bin(a timestamptz[], stride interval,
	origin timestamptz DEFAULT '2000-01-01 00:00:00+00') RETURNS timestamptz[]
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_date_bin(timestamptz[], interval, timestamptz) IS
'start of the bin of each element of an array';
CREATE FUNCTION gpu_date_bin(a integer[], stride integer, origin integer DEFAULT 0) RETURNS integer[]
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_date_bin(integer[], integer, integer) IS 'start of the bin of each element of an array';
CREATE FUNCTION gpu_date_bin(a bigint[], stride bigint, origin bigint DEFAULT 0) RETURNS bigint[]
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_date_bin(bigint[], bigint, bigint) IS 'start of the bin of each element of an array';

CREATE FUNCTION gpu_zip(a anyarray, op text, b anyarray) RETURNS anyarray
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_zip(anyarray, text, anyarray) IS
'operator (+ - * / % least greatest and or) applied to the elements of two arrays';

-- Arrays of two types are cast to one, as for core's operator.  Where the types are
-- equal, the parser prefers "text"; a "name" is less likely to be passed than a
-- "varchar".
CREATE FUNCTION gpu_zip(a anycompatiblearray, op name, b anycompatiblearray) RETURNS anycompatiblearray
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpu_zip_compatible';
COMMENT ON FUNCTION gpu_zip(anycompatiblearray, name, anycompatiblearray) IS
'operator (+ - * / % least greatest and or) applied to the elements of two arrays';

-- The values are as those of gpu_compact.
CREATE FUNCTION gpu_compare(a anyarray, op text, value anyelement) RETURNS boolean[]
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_compare(anyarray, text, anyelement) IS
'whether each element of an array is = <> < <= > >= a value';
CREATE FUNCTION gpu_compare(a anyarray, op varchar, VARIADIC "values" "any") RETURNS boolean[]
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_compare(anyarray, varchar, "any") IS
'whether each element of an array is = <> < <= > >= a value, or between two values';
CREATE FUNCTION gpu_compare(a anyarray, op text, low anyelement, high anyelement) RETURNS boolean[]
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_compare(anyarray, text, anyelement, anyelement) IS
'whether each element of an array is between two values';
CREATE FUNCTION gpu_compare(a anyarray, op text) RETURNS boolean[]
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_compare(anyarray, text) IS 'whether each element of an array is NULL, or not NULL';

-- Only the mask of the first form has the type of masks.  So the parser prefers
-- that form if the last argument is a literal.
CREATE FUNCTION gpu_where(mask boolean[], a anycompatiblearray, value anycompatiblenonarray) RETURNS anycompatiblearray
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpu_where_value';
COMMENT ON FUNCTION gpu_where(boolean[], anycompatiblearray, anycompatiblenonarray) IS
'the elements of an array where a mask is true, and a value elsewhere';
CREATE FUNCTION gpu_where(mask "any", a anycompatiblearray, b anycompatiblearray) RETURNS anycompatiblearray
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_where("any", anycompatiblearray, anycompatiblearray) IS
'the elements of an array where a mask is true, and the elements of another array elsewhere';

CREATE FUNCTION gpu_fill(a anyarray, backward boolean DEFAULT false,
	max_nulls integer DEFAULT 2147483647) RETURNS anyarray
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_fill(anyarray, boolean, integer) IS
'array whose NULLs are replaced by the last value before, or the next value; at most "max_nulls" in a row';

-- The widest gap is of the type of a difference of x, which the parser does not
-- know.
CREATE FUNCTION gpu_interpolate(x anycompatiblearray, y anyarray, at anycompatiblearray,
	max_gap "any" DEFAULT NULL) RETURNS double precision[]
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_interpolate(anycompatiblearray, anyarray, anycompatiblearray, "any") IS
'linear interpolation between the points of a series, at each x of "at"';

CREATE FUNCTION gpu_pad(a anyarray, n integer) RETURNS anyarray
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_pad(anyarray, integer) IS 'array filled with NULLs at its end, up to length "n"';


--
-- Charts
--

-- For each type of times, so that a stride without a type has one.
CREATE FUNCTION gpu_resample(at timestamp[], a anyarray, stride interval, origin timestamp DEFAULT '2000-01-01',
	OUT at timestamp[], OUT count bigint[], OUT first anyarray, OUT min anyarray, OUT max anyarray, OUT last anyarray,
	OUT avg double precision[])
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_resample(timestamp[], anyarray, interval, timestamp) IS
'summary of a series in bins of equal width: count, first, min, max, last, avg';
CREATE FUNCTION gpu_resample(at timestamptz[], a anyarray, stride interval,
	origin timestamptz DEFAULT '2000-01-01 00:00:00+00', OUT at timestamptz[], OUT count bigint[], OUT first anyarray,
	OUT min anyarray, OUT max anyarray, OUT last anyarray, OUT avg double precision[])
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_resample(timestamptz[], anyarray, interval, timestamptz) IS
'summary of a series in bins of equal width: count, first, min, max, last, avg';
CREATE FUNCTION gpu_resample(at integer[], a anyarray, stride integer, origin integer DEFAULT 0, OUT at integer[],
	OUT count bigint[], OUT first anyarray, OUT min anyarray, OUT max anyarray, OUT last anyarray,
	OUT avg double precision[])
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_resample(integer[], anyarray, integer, integer) IS
'summary of a series in bins of equal width: count, first, min, max, last, avg';
CREATE FUNCTION gpu_resample(at bigint[], a anyarray, stride bigint, origin bigint DEFAULT 0, OUT at bigint[],
	OUT count bigint[], OUT first anyarray, OUT min anyarray, OUT max anyarray, OUT last anyarray,
	OUT avg double precision[])
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_resample(bigint[], anyarray, bigint, bigint) IS
'summary of a series in bins of equal width: count, first, min, max, last, avg';

CREATE FUNCTION gpu_downsample(a anyarray, n integer, method text DEFAULT 'minmax') RETURNS integer[]
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_downsample(anyarray, integer, text) IS
'positions of about "n" elements of an array that keep the look of its line chart (minmax lttb)';
CREATE FUNCTION gpu_downsample(x anycompatiblearray, a anyarray, n integer,
	method text DEFAULT 'minmax') RETURNS integer[]
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_downsample(anycompatiblearray, anyarray, integer, text) IS
'positions of about "n" points of a series with its own x that keep the look of its line chart (minmax lttb)';

CREATE FUNCTION gpu_downsample_points(a anyarray, n integer, method text DEFAULT 'minmax', OUT positions integer[],
	OUT "values" anyarray)
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_downsample_points(anyarray, integer, text) IS
'about "n" elements of an array that keep the look of its line chart, with their positions (minmax lttb)';


--
-- Aggregates of arrays
--

-- SSPACE is what the planner counts for each group: 8 kB, as for array_agg.  Where it
-- is -1, the planner counts the same, but knows that a state grows with the rows.
CREATE FUNCTION gpucompact_sum_agg_step(internal, a anyarray) RETURNS internal
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_sum_agg_step(internal, anyarray) IS 'part of an aggregate';
CREATE FUNCTION gpucompact_min_agg_step(internal, a anyarray) RETURNS internal
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_min_agg_step(internal, anyarray) IS 'part of an aggregate';
CREATE FUNCTION gpucompact_max_agg_step(internal, a anyarray) RETURNS internal
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_max_agg_step(internal, anyarray) IS 'part of an aggregate';
CREATE FUNCTION gpucompact_avg_agg_step(internal, a anyarray) RETURNS internal
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_avg_agg_step(internal, anyarray) IS 'part of an aggregate';
CREATE FUNCTION gpucompact_rows_combine(internal, internal) RETURNS internal
LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_rows_combine(internal, internal) IS 'part of an aggregate';
CREATE FUNCTION gpucompact_rows_serialize(internal) RETURNS bytea
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_rows_serialize(internal) IS 'part of an aggregate';
CREATE FUNCTION gpucompact_rows_deserialize(bytea, internal) RETURNS internal
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_rows_deserialize(bytea, internal) IS 'part of an aggregate';
CREATE FUNCTION gpucompact_rows_result(internal, a anyarray) RETURNS anyarray
LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_rows_result(internal, anyarray) IS 'part of an aggregate';
CREATE FUNCTION gpucompact_rows_result_bigint(internal) RETURNS bigint[]
LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'gpucompact_rows_result';
COMMENT ON FUNCTION gpucompact_rows_result_bigint(internal) IS 'part of an aggregate';
CREATE FUNCTION gpucompact_rows_result_float8(internal) RETURNS double precision[]
LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'gpucompact_rows_result';
COMMENT ON FUNCTION gpucompact_rows_result_float8(internal) IS 'part of an aggregate';

-- The sums of smallint and integer are wider than the elements.  Those of all other
-- types are of the type itself.
CREATE AGGREGATE gpu_sum_agg(a smallint[]) (
	SFUNC = gpucompact_sum_agg_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpucompact_rows_result_bigint, COMBINEFUNC = gpucompact_rows_combine,
	SERIALFUNC = gpucompact_rows_serialize, DESERIALFUNC = gpucompact_rows_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpu_sum_agg(smallint[]) IS 'the sums of arrays, position by position';
CREATE AGGREGATE gpu_sum_agg(a integer[]) (
	SFUNC = gpucompact_sum_agg_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpucompact_rows_result_bigint, COMBINEFUNC = gpucompact_rows_combine,
	SERIALFUNC = gpucompact_rows_serialize, DESERIALFUNC = gpucompact_rows_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpu_sum_agg(integer[]) IS 'the sums of arrays, position by position';
CREATE AGGREGATE gpu_sum_agg(a anyarray) (
	SFUNC = gpucompact_sum_agg_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpucompact_rows_result, FINALFUNC_EXTRA, COMBINEFUNC = gpucompact_rows_combine,
	SERIALFUNC = gpucompact_rows_serialize, DESERIALFUNC = gpucompact_rows_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpu_sum_agg(anyarray) IS 'the sums of arrays, position by position';

CREATE AGGREGATE gpu_min_agg(a anyarray) (
	SFUNC = gpucompact_min_agg_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpucompact_rows_result, FINALFUNC_EXTRA, COMBINEFUNC = gpucompact_rows_combine,
	SERIALFUNC = gpucompact_rows_serialize, DESERIALFUNC = gpucompact_rows_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpu_min_agg(anyarray) IS 'the minimums of arrays, position by position';

CREATE AGGREGATE gpu_max_agg(a anyarray) (
	SFUNC = gpucompact_max_agg_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpucompact_rows_result, FINALFUNC_EXTRA, COMBINEFUNC = gpucompact_rows_combine,
	SERIALFUNC = gpucompact_rows_serialize, DESERIALFUNC = gpucompact_rows_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpu_max_agg(anyarray) IS 'the maximums of arrays, position by position';

CREATE AGGREGATE gpu_avg_agg(a anyarray) (
	SFUNC = gpucompact_avg_agg_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpucompact_rows_result_float8, COMBINEFUNC = gpucompact_rows_combine,
	SERIALFUNC = gpucompact_rows_serialize, DESERIALFUNC = gpucompact_rows_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpu_avg_agg(anyarray) IS 'the averages of arrays, position by position';

CREATE FUNCTION gpucompact_stddev_agg_step(internal, a anyarray) RETURNS internal
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_stddev_agg_step(internal, anyarray) IS 'part of an aggregate';
CREATE AGGREGATE gpu_stddev_agg(a anyarray) (
	SFUNC = gpucompact_stddev_agg_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpucompact_rows_result_float8, COMBINEFUNC = gpucompact_rows_combine,
	SERIALFUNC = gpucompact_rows_serialize, DESERIALFUNC = gpucompact_rows_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpu_stddev_agg(anyarray) IS 'the standard deviations of arrays, position by position';

CREATE FUNCTION gpucompact_count_agg_step(internal, a anyarray) RETURNS internal
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_count_agg_step(internal, anyarray) IS 'part of an aggregate';
CREATE AGGREGATE gpu_count_agg(a anyarray) (
	SFUNC = gpucompact_count_agg_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpucompact_rows_result_bigint, COMBINEFUNC = gpucompact_rows_combine,
	SERIALFUNC = gpucompact_rows_serialize, DESERIALFUNC = gpucompact_rows_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpu_count_agg(anyarray) IS 'number of elements of arrays that are not NULL, position by position';

CREATE FUNCTION gpucompact_concat_agg_step(internal, a anyarray) RETURNS internal
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_concat_agg_step(internal, anyarray) IS 'part of an aggregate';
CREATE FUNCTION gpucompact_concat_agg_result(internal, a anyarray) RETURNS anyarray
LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'gpucompact_array_agg_result';
COMMENT ON FUNCTION gpucompact_concat_agg_result(internal, anyarray) IS 'part of an aggregate';
CREATE AGGREGATE gpu_concat_agg(a anyarray) (
	SFUNC = gpucompact_concat_agg_step, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpucompact_concat_agg_result, FINALFUNC_EXTRA, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpu_concat_agg(anyarray) IS 'concatenation of arrays of any lengths';

CREATE FUNCTION gpucompact_gather_combine(internal, internal) RETURNS internal
LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_gather_combine(internal, internal) IS 'part of an aggregate';
CREATE FUNCTION gpucompact_gather_serialize(internal) RETURNS bytea
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_gather_serialize(internal) IS 'part of an aggregate';
CREATE FUNCTION gpucompact_gather_deserialize(bytea, internal) RETURNS internal
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_gather_deserialize(bytea, internal) IS 'part of an aggregate';

-- Percentiles by position.
CREATE FUNCTION gpucompact_percentile_cont_agg_step(internal, a anyarray, fraction double precision) RETURNS internal
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'gpucompact_percentile_rows_agg_step';
COMMENT ON FUNCTION gpucompact_percentile_cont_agg_step(internal, anyarray, double precision) IS 'part of an aggregate';
CREATE FUNCTION gpucompact_median_agg_step(internal, a anyarray) RETURNS internal
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'gpucompact_percentile_rows_agg_step';
COMMENT ON FUNCTION gpucompact_median_agg_step(internal, anyarray) IS 'part of an aggregate';
CREATE FUNCTION gpucompact_percentile_rows_agg_result(internal) RETURNS double precision[]
LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_percentile_rows_agg_result(internal) IS 'part of an aggregate';
CREATE AGGREGATE gpu_percentile_cont_agg(a anyarray, fraction double precision) (
	SFUNC = gpucompact_percentile_cont_agg_step, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpucompact_percentile_rows_agg_result, COMBINEFUNC = gpucompact_gather_combine,
	SERIALFUNC = gpucompact_gather_serialize, DESERIALFUNC = gpucompact_gather_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpu_percentile_cont_agg(anyarray, double precision) IS
'continuous percentiles of arrays, position by position';

CREATE AGGREGATE gpu_median_agg(a anyarray) (
	SFUNC = gpucompact_median_agg_step, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpucompact_percentile_rows_agg_result, COMBINEFUNC = gpucompact_gather_combine,
	SERIALFUNC = gpucompact_gather_serialize, DESERIALFUNC = gpucompact_gather_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpu_median_agg(anyarray) IS 'medians of arrays, position by position';

CREATE FUNCTION gpucompact_distinct_agg_step(internal, a anyarray) RETURNS internal
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_distinct_agg_step(internal, anyarray) IS 'part of an aggregate';
CREATE FUNCTION gpucompact_distinct_agg_result(internal, a anyarray) RETURNS anyarray
LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_distinct_agg_result(internal, anyarray) IS 'part of an aggregate';
CREATE AGGREGATE gpu_distinct_agg(a anyarray) (
	SFUNC = gpucompact_distinct_agg_step, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpucompact_distinct_agg_result, FINALFUNC_EXTRA, COMBINEFUNC = gpucompact_gather_combine,
	SERIALFUNC = gpucompact_gather_serialize, DESERIALFUNC = gpucompact_gather_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpu_distinct_agg(anyarray) IS 'the distinct elements of arrays, sorted, NULL last';


--
-- Aggregates of rows
--

CREATE FUNCTION gpucompact_array_agg_step(internal, x anynonarray) RETURNS internal
LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_array_agg_step(internal, anynonarray) IS 'part of an aggregate';
CREATE FUNCTION gpucompact_array_agg_result(internal, x anynonarray) RETURNS anyarray
LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_array_agg_result(internal, anynonarray) IS 'part of an aggregate';
CREATE FUNCTION gpucompact_array_agg_step(internal, x anynonarray, key anycompatiblenonarray) RETURNS internal
LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'gpucompact_array_agg_by_key_step';
COMMENT ON FUNCTION gpucompact_array_agg_step(internal, anynonarray, anycompatiblenonarray) IS 'part of an aggregate';
CREATE FUNCTION gpucompact_array_agg_result(internal, x anynonarray, key anycompatiblenonarray) RETURNS anyarray
LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_array_agg_result(internal, anynonarray, anycompatiblenonarray) IS 'part of an aggregate';
CREATE AGGREGATE gpu_array_agg(x anynonarray) (
	SFUNC = gpucompact_array_agg_step, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpucompact_array_agg_result, FINALFUNC_EXTRA, COMBINEFUNC = gpucompact_gather_combine,
	SERIALFUNC = gpucompact_gather_serialize, DESERIALFUNC = gpucompact_gather_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpu_array_agg(anynonarray) IS 'the values of rows as an array, including NULLs';
CREATE AGGREGATE gpu_array_agg(x anynonarray, key anycompatiblenonarray) (
	SFUNC = gpucompact_array_agg_step, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpucompact_array_agg_result, FINALFUNC_EXTRA, COMBINEFUNC = gpucompact_gather_combine,
	SERIALFUNC = gpucompact_gather_serialize, DESERIALFUNC = gpucompact_gather_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpu_array_agg(anynonarray, anycompatiblenonarray) IS
'the values of rows as an array in the order of keys';

CREATE FUNCTION gpucompact_pack_agg_result(internal, x anynonarray) RETURNS gpu_packed
LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_pack_agg_result(internal, anynonarray) IS 'part of an aggregate';
CREATE FUNCTION gpucompact_pack_agg_result(internal, x anynonarray, key anycompatiblenonarray) RETURNS gpu_packed
LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_pack_agg_result(internal, anynonarray, anycompatiblenonarray) IS 'part of an aggregate';
CREATE AGGREGATE gpu_pack_agg(x anynonarray) (
	SFUNC = gpucompact_array_agg_step, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpucompact_pack_agg_result, FINALFUNC_EXTRA, COMBINEFUNC = gpucompact_gather_combine,
	SERIALFUNC = gpucompact_gather_serialize, DESERIALFUNC = gpucompact_gather_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpu_pack_agg(anynonarray) IS 'the values of rows as a packed array, including NULLs';
CREATE AGGREGATE gpu_pack_agg(x anynonarray, key anycompatiblenonarray) (
	SFUNC = gpucompact_array_agg_step, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpucompact_pack_agg_result, FINALFUNC_EXTRA, COMBINEFUNC = gpucompact_gather_combine,
	SERIALFUNC = gpucompact_gather_serialize, DESERIALFUNC = gpucompact_gather_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpu_pack_agg(anynonarray, anycompatiblenonarray) IS
'the values of rows as a packed array in the order of keys';

CREATE FUNCTION gpucompact_percentile_agg_step(internal, x anynonarray, fraction double precision) RETURNS internal
LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_percentile_agg_step(internal, anynonarray, double precision) IS 'part of an aggregate';
CREATE FUNCTION gpucompact_percentile_cont_agg_result(internal, x anynonarray, fraction double precision)
RETURNS double precision LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_percentile_cont_agg_result(internal, anynonarray, double precision) IS
'part of an aggregate';
CREATE FUNCTION gpucompact_percentile_agg_step(internal, x anynonarray, fractions double precision[]) RETURNS internal
LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_percentile_agg_step(internal, anynonarray, double precision[]) IS 'part of an aggregate';
CREATE FUNCTION gpucompact_percentile_cont_agg_result(internal, x anynonarray,
	fractions double precision[]) RETURNS double precision[]
LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'gpucompact_percentile_cont_agg_result';
COMMENT ON FUNCTION gpucompact_percentile_cont_agg_result(internal, anynonarray, double precision[]) IS
'part of an aggregate';
CREATE AGGREGATE gpu_percentile_cont_agg(x anynonarray, fraction double precision) (
	SFUNC = gpucompact_percentile_agg_step, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpucompact_percentile_cont_agg_result, FINALFUNC_EXTRA, COMBINEFUNC = gpucompact_gather_combine,
	SERIALFUNC = gpucompact_gather_serialize, DESERIALFUNC = gpucompact_gather_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpu_percentile_cont_agg(anynonarray, double precision) IS
'continuous percentile of the values of rows';
CREATE AGGREGATE gpu_percentile_cont_agg(x anynonarray, fractions double precision[]) (
	SFUNC = gpucompact_percentile_agg_step, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpucompact_percentile_cont_agg_result, FINALFUNC_EXTRA, COMBINEFUNC = gpucompact_gather_combine,
	SERIALFUNC = gpucompact_gather_serialize, DESERIALFUNC = gpucompact_gather_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpu_percentile_cont_agg(anynonarray, double precision[]) IS
'continuous percentiles of the values of rows, one for each fraction';

CREATE FUNCTION gpucompact_percentile_disc_agg_result(internal, x anynonarray, fraction double precision)
RETURNS anynonarray LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_percentile_disc_agg_result(internal, anynonarray, double precision) IS
'part of an aggregate';
CREATE FUNCTION gpucompact_percentile_disc_agg_result(internal, x anynonarray, fractions double precision[])
RETURNS anyarray LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'gpucompact_percentile_disc_agg_result';
COMMENT ON FUNCTION gpucompact_percentile_disc_agg_result(internal, anynonarray, double precision[]) IS
'part of an aggregate';
CREATE AGGREGATE gpu_percentile_disc_agg(x anynonarray, fraction double precision) (
	SFUNC = gpucompact_percentile_agg_step, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpucompact_percentile_disc_agg_result, FINALFUNC_EXTRA, COMBINEFUNC = gpucompact_gather_combine,
	SERIALFUNC = gpucompact_gather_serialize, DESERIALFUNC = gpucompact_gather_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpu_percentile_disc_agg(anynonarray, double precision) IS
'discrete percentile of the values of rows';
CREATE AGGREGATE gpu_percentile_disc_agg(x anynonarray, fractions double precision[]) (
	SFUNC = gpucompact_percentile_agg_step, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpucompact_percentile_disc_agg_result, FINALFUNC_EXTRA, COMBINEFUNC = gpucompact_gather_combine,
	SERIALFUNC = gpucompact_gather_serialize, DESERIALFUNC = gpucompact_gather_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpu_percentile_disc_agg(anynonarray, double precision[]) IS
'discrete percentiles of the values of rows, one for each fraction';

CREATE FUNCTION gpucompact_median_agg_result(internal) RETURNS double precision
LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'gpucompact_percentile_cont_agg_result';
COMMENT ON FUNCTION gpucompact_median_agg_result(internal) IS 'part of an aggregate';
CREATE AGGREGATE gpu_median_agg(x anynonarray) (
	SFUNC = gpucompact_array_agg_step, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpucompact_median_agg_result, COMBINEFUNC = gpucompact_gather_combine,
	SERIALFUNC = gpucompact_gather_serialize, DESERIALFUNC = gpucompact_gather_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpu_median_agg(anynonarray) IS
'median of the values of rows, interpolated between the two values in the middle';

CREATE FUNCTION gpucompact_mode_agg_result(internal, x anynonarray) RETURNS anynonarray
LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_mode_agg_result(internal, anynonarray) IS 'part of an aggregate';
CREATE AGGREGATE gpu_mode_agg(x anynonarray) (
	SFUNC = gpucompact_array_agg_step, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpucompact_mode_agg_result, FINALFUNC_EXTRA, COMBINEFUNC = gpucompact_gather_combine,
	SERIALFUNC = gpucompact_gather_serialize, DESERIALFUNC = gpucompact_gather_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpu_mode_agg(anynonarray) IS 'most frequent value of rows, the least of several';

CREATE FUNCTION gpucompact_count_distinct_step(internal, x anynonarray) RETURNS internal
LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_count_distinct_step(internal, anynonarray) IS 'part of an aggregate';
CREATE FUNCTION gpucompact_count_distinct_result(internal) RETURNS bigint
LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_count_distinct_result(internal) IS 'part of an aggregate';
CREATE AGGREGATE gpu_count_distinct(x anynonarray) (
	SFUNC = gpucompact_count_distinct_step, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpucompact_count_distinct_result, COMBINEFUNC = gpucompact_gather_combine,
	SERIALFUNC = gpucompact_gather_serialize, DESERIALFUNC = gpucompact_gather_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpu_count_distinct(anynonarray) IS 'number of distinct values of rows';

-- An aggregate has no OUT parameters, and a row type is not polymorphic.  So each
-- type of elements has a row type and an aggregate of its own.
CREATE TYPE gpu_smallint_counts AS ("values" smallint[], counts integer[]);
COMMENT ON TYPE gpu_smallint_counts IS 'distinct values of rows and how often each occurs';
CREATE FUNCTION gpucompact_distinct_counts_agg_result(internal, x smallint) RETURNS gpu_smallint_counts
LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_distinct_counts_agg_result(internal, smallint) IS 'part of an aggregate';
CREATE AGGREGATE gpu_distinct_counts_agg(x smallint) (
	SFUNC = gpucompact_array_agg_step, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpucompact_distinct_counts_agg_result, FINALFUNC_EXTRA, COMBINEFUNC = gpucompact_gather_combine,
	SERIALFUNC = gpucompact_gather_serialize, DESERIALFUNC = gpucompact_gather_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpu_distinct_counts_agg(smallint) IS
'the distinct values of rows, sorted, NULL last, and how often each occurs';

CREATE TYPE gpu_integer_counts AS ("values" integer[], counts integer[]);
COMMENT ON TYPE gpu_integer_counts IS 'distinct values of rows and how often each occurs';
CREATE FUNCTION gpucompact_distinct_counts_agg_result(internal, x integer) RETURNS gpu_integer_counts
LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_distinct_counts_agg_result(internal, integer) IS 'part of an aggregate';
CREATE AGGREGATE gpu_distinct_counts_agg(x integer) (
	SFUNC = gpucompact_array_agg_step, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpucompact_distinct_counts_agg_result, FINALFUNC_EXTRA, COMBINEFUNC = gpucompact_gather_combine,
	SERIALFUNC = gpucompact_gather_serialize, DESERIALFUNC = gpucompact_gather_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpu_distinct_counts_agg(integer) IS
'the distinct values of rows, sorted, NULL last, and how often each occurs';

CREATE TYPE gpu_bigint_counts AS ("values" bigint[], counts integer[]);
COMMENT ON TYPE gpu_bigint_counts IS 'distinct values of rows and how often each occurs';
CREATE FUNCTION gpucompact_distinct_counts_agg_result(internal, x bigint) RETURNS gpu_bigint_counts
LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_distinct_counts_agg_result(internal, bigint) IS 'part of an aggregate';
CREATE AGGREGATE gpu_distinct_counts_agg(x bigint) (
	SFUNC = gpucompact_array_agg_step, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpucompact_distinct_counts_agg_result, FINALFUNC_EXTRA, COMBINEFUNC = gpucompact_gather_combine,
	SERIALFUNC = gpucompact_gather_serialize, DESERIALFUNC = gpucompact_gather_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpu_distinct_counts_agg(bigint) IS
'the distinct values of rows, sorted, NULL last, and how often each occurs';

CREATE TYPE gpu_real_counts AS ("values" real[], counts integer[]);
COMMENT ON TYPE gpu_real_counts IS 'distinct values of rows and how often each occurs';
CREATE FUNCTION gpucompact_distinct_counts_agg_result(internal, x real) RETURNS gpu_real_counts
LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_distinct_counts_agg_result(internal, real) IS 'part of an aggregate';
CREATE AGGREGATE gpu_distinct_counts_agg(x real) (
	SFUNC = gpucompact_array_agg_step, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpucompact_distinct_counts_agg_result, FINALFUNC_EXTRA, COMBINEFUNC = gpucompact_gather_combine,
	SERIALFUNC = gpucompact_gather_serialize, DESERIALFUNC = gpucompact_gather_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpu_distinct_counts_agg(real) IS
'the distinct values of rows, sorted, NULL last, and how often each occurs';

CREATE TYPE gpu_double_precision_counts AS ("values" double precision[], counts integer[]);
COMMENT ON TYPE gpu_double_precision_counts IS 'distinct values of rows and how often each occurs';
CREATE FUNCTION gpucompact_distinct_counts_agg_result(internal, x double precision) RETURNS gpu_double_precision_counts
LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_distinct_counts_agg_result(internal, double precision) IS 'part of an aggregate';
CREATE AGGREGATE gpu_distinct_counts_agg(x double precision) (
	SFUNC = gpucompact_array_agg_step, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpucompact_distinct_counts_agg_result, FINALFUNC_EXTRA, COMBINEFUNC = gpucompact_gather_combine,
	SERIALFUNC = gpucompact_gather_serialize, DESERIALFUNC = gpucompact_gather_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpu_distinct_counts_agg(double precision) IS
'the distinct values of rows, sorted, NULL last, and how often each occurs';

CREATE TYPE gpu_date_counts AS ("values" date[], counts integer[]);
COMMENT ON TYPE gpu_date_counts IS 'distinct values of rows and how often each occurs';
CREATE FUNCTION gpucompact_distinct_counts_agg_result(internal, x date) RETURNS gpu_date_counts
LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_distinct_counts_agg_result(internal, date) IS 'part of an aggregate';
CREATE AGGREGATE gpu_distinct_counts_agg(x date) (
	SFUNC = gpucompact_array_agg_step, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpucompact_distinct_counts_agg_result, FINALFUNC_EXTRA, COMBINEFUNC = gpucompact_gather_combine,
	SERIALFUNC = gpucompact_gather_serialize, DESERIALFUNC = gpucompact_gather_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpu_distinct_counts_agg(date) IS
'the distinct values of rows, sorted, NULL last, and how often each occurs';

CREATE TYPE gpu_time_counts AS ("values" time[], counts integer[]);
COMMENT ON TYPE gpu_time_counts IS 'distinct values of rows and how often each occurs';
CREATE FUNCTION gpucompact_distinct_counts_agg_result(internal, x time) RETURNS gpu_time_counts
LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_distinct_counts_agg_result(internal, time) IS 'part of an aggregate';
CREATE AGGREGATE gpu_distinct_counts_agg(x time) (
	SFUNC = gpucompact_array_agg_step, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpucompact_distinct_counts_agg_result, FINALFUNC_EXTRA, COMBINEFUNC = gpucompact_gather_combine,
	SERIALFUNC = gpucompact_gather_serialize, DESERIALFUNC = gpucompact_gather_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpu_distinct_counts_agg(time) IS
'the distinct values of rows, sorted, NULL last, and how often each occurs';

CREATE TYPE gpu_timestamp_counts AS ("values" timestamp[], counts integer[]);
COMMENT ON TYPE gpu_timestamp_counts IS 'distinct values of rows and how often each occurs';
CREATE FUNCTION gpucompact_distinct_counts_agg_result(internal, x timestamp) RETURNS gpu_timestamp_counts
LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_distinct_counts_agg_result(internal, timestamp) IS 'part of an aggregate';
CREATE AGGREGATE gpu_distinct_counts_agg(x timestamp) (
	SFUNC = gpucompact_array_agg_step, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpucompact_distinct_counts_agg_result, FINALFUNC_EXTRA, COMBINEFUNC = gpucompact_gather_combine,
	SERIALFUNC = gpucompact_gather_serialize, DESERIALFUNC = gpucompact_gather_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpu_distinct_counts_agg(timestamp) IS
'the distinct values of rows, sorted, NULL last, and how often each occurs';

CREATE TYPE gpu_timestamptz_counts AS ("values" timestamptz[], counts integer[]);
COMMENT ON TYPE gpu_timestamptz_counts IS 'distinct values of rows and how often each occurs';
CREATE FUNCTION gpucompact_distinct_counts_agg_result(internal, x timestamptz) RETURNS gpu_timestamptz_counts
LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_distinct_counts_agg_result(internal, timestamptz) IS 'part of an aggregate';
CREATE AGGREGATE gpu_distinct_counts_agg(x timestamptz) (
	SFUNC = gpucompact_array_agg_step, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpucompact_distinct_counts_agg_result, FINALFUNC_EXTRA, COMBINEFUNC = gpucompact_gather_combine,
	SERIALFUNC = gpucompact_gather_serialize, DESERIALFUNC = gpucompact_gather_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpu_distinct_counts_agg(timestamptz) IS
'the distinct values of rows, sorted, NULL last, and how often each occurs';

CREATE TYPE gpu_oid_counts AS ("values" oid[], counts integer[]);
COMMENT ON TYPE gpu_oid_counts IS 'distinct values of rows and how often each occurs';
CREATE FUNCTION gpucompact_distinct_counts_agg_result(internal, x oid) RETURNS gpu_oid_counts
LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_distinct_counts_agg_result(internal, oid) IS 'part of an aggregate';
CREATE AGGREGATE gpu_distinct_counts_agg(x oid) (
	SFUNC = gpucompact_array_agg_step, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpucompact_distinct_counts_agg_result, FINALFUNC_EXTRA, COMBINEFUNC = gpucompact_gather_combine,
	SERIALFUNC = gpucompact_gather_serialize, DESERIALFUNC = gpucompact_gather_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpu_distinct_counts_agg(oid) IS
'the distinct values of rows, sorted, NULL last, and how often each occurs';

CREATE TYPE gpu_money_counts AS ("values" money[], counts integer[]);
COMMENT ON TYPE gpu_money_counts IS 'distinct values of rows and how often each occurs';
CREATE FUNCTION gpucompact_distinct_counts_agg_result(internal, x money) RETURNS gpu_money_counts
LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_distinct_counts_agg_result(internal, money) IS 'part of an aggregate';
CREATE AGGREGATE gpu_distinct_counts_agg(x money) (
	SFUNC = gpucompact_array_agg_step, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpucompact_distinct_counts_agg_result, FINALFUNC_EXTRA, COMBINEFUNC = gpucompact_gather_combine,
	SERIALFUNC = gpucompact_gather_serialize, DESERIALFUNC = gpucompact_gather_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpu_distinct_counts_agg(money) IS
'the distinct values of rows, sorted, NULL last, and how often each occurs';

CREATE TYPE gpu_boolean_counts AS ("values" boolean[], counts integer[]);
COMMENT ON TYPE gpu_boolean_counts IS 'distinct values of rows and how often each occurs';
CREATE FUNCTION gpucompact_distinct_counts_agg_result(internal, x boolean) RETURNS gpu_boolean_counts
LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_distinct_counts_agg_result(internal, boolean) IS 'part of an aggregate';
CREATE AGGREGATE gpu_distinct_counts_agg(x boolean) (
	SFUNC = gpucompact_array_agg_step, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpucompact_distinct_counts_agg_result, FINALFUNC_EXTRA, COMBINEFUNC = gpucompact_gather_combine,
	SERIALFUNC = gpucompact_gather_serialize, DESERIALFUNC = gpucompact_gather_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpu_distinct_counts_agg(boolean) IS
'the distinct values of rows, sorted, NULL last, and how often each occurs';

CREATE TYPE gpu_char_counts AS ("values" "char"[], counts integer[]);
COMMENT ON TYPE gpu_char_counts IS 'distinct values of rows and how often each occurs';
CREATE FUNCTION gpucompact_distinct_counts_agg_result(internal, x "char") RETURNS gpu_char_counts
LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_distinct_counts_agg_result(internal, "char") IS 'part of an aggregate';
CREATE AGGREGATE gpu_distinct_counts_agg(x "char") (
	SFUNC = gpucompact_array_agg_step, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpucompact_distinct_counts_agg_result, FINALFUNC_EXTRA, COMBINEFUNC = gpucompact_gather_combine,
	SERIALFUNC = gpucompact_gather_serialize, DESERIALFUNC = gpucompact_gather_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpu_distinct_counts_agg("char") IS
'the distinct values of rows, sorted, NULL last, and how often each occurs';

-- Without this, numeric would be cast to double precision.
CREATE AGGREGATE gpu_distinct_counts_agg(x numeric) (
	SFUNC = gpucompact_array_agg_step, STYPE = internal,
	FINALFUNC = gpucompact_median_agg_result, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpu_distinct_counts_agg(numeric) IS
'not supported for this type; raises an error that says what to do';

CREATE FUNCTION gpucompact_top_k_agg_step(internal, x anynonarray, k integer) RETURNS internal
LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_top_k_agg_step(internal, anynonarray, integer) IS 'part of an aggregate';
CREATE FUNCTION gpucompact_top_k_agg_step(internal, x anynonarray, k integer, payload anycompatiblenonarray)
RETURNS internal LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_top_k_agg_step(internal, anynonarray, integer, anycompatiblenonarray) IS
'part of an aggregate';
CREATE FUNCTION gpucompact_top_k_agg_combine(internal, internal) RETURNS internal
LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_top_k_agg_combine(internal, internal) IS 'part of an aggregate';
CREATE FUNCTION gpucompact_top_k_agg_serialize(internal) RETURNS bytea
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_top_k_agg_serialize(internal) IS 'part of an aggregate';
CREATE FUNCTION gpucompact_top_k_agg_result(internal, x anynonarray, k integer) RETURNS anyarray
LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_top_k_agg_result(internal, anynonarray, integer) IS 'part of an aggregate';
CREATE AGGREGATE gpu_top_k_agg(x anynonarray, k integer) (
	SFUNC = gpucompact_top_k_agg_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpucompact_top_k_agg_result, FINALFUNC_EXTRA, COMBINEFUNC = gpucompact_top_k_agg_combine,
	SERIALFUNC = gpucompact_top_k_agg_serialize, DESERIALFUNC = gpucompact_rows_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpu_top_k_agg(anynonarray, integer) IS 'the k greatest values of rows';

CREATE FUNCTION gpucompact_top_k_agg_result(internal, x anynonarray, k integer, payload anycompatiblenonarray)
RETURNS anycompatiblearray LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_top_k_agg_result(internal, anynonarray, integer, anycompatiblenonarray) IS
'part of an aggregate';
CREATE AGGREGATE gpu_top_k_agg(x anynonarray, k integer, payload anycompatiblenonarray) (
	SFUNC = gpucompact_top_k_agg_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpucompact_top_k_agg_result, FINALFUNC_EXTRA, COMBINEFUNC = gpucompact_top_k_agg_combine,
	SERIALFUNC = gpucompact_top_k_agg_serialize, DESERIALFUNC = gpucompact_rows_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpu_top_k_agg(anynonarray, integer, anycompatiblenonarray) IS
'the payloads of the k greatest values of rows, the least payload of equal values first';

CREATE FUNCTION gpucompact_histogram_agg_combine(internal, internal) RETURNS internal
LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_histogram_agg_combine(internal, internal) IS 'part of an aggregate';
CREATE FUNCTION gpucompact_histogram_agg_serialize(internal) RETURNS bytea
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_histogram_agg_serialize(internal) IS 'part of an aggregate';
CREATE FUNCTION gpucompact_histogram_agg_result(internal) RETURNS bigint[]
LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_histogram_agg_result(internal) IS 'part of an aggregate';
CREATE FUNCTION gpucompact_histogram_agg_step(internal, x smallint, low numeric, high numeric, buckets integer)
RETURNS internal LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_histogram_agg_step(internal, smallint, numeric, numeric, integer) IS
'part of an aggregate';
CREATE AGGREGATE gpu_histogram_agg(x smallint, low numeric, high numeric, buckets integer) (
	SFUNC = gpucompact_histogram_agg_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpucompact_histogram_agg_result, COMBINEFUNC = gpucompact_histogram_agg_combine,
	SERIALFUNC = gpucompact_histogram_agg_serialize, DESERIALFUNC = gpucompact_rows_deserialize,
	PARALLEL = SAFE);
COMMENT ON AGGREGATE gpu_histogram_agg(smallint, numeric, numeric, integer) IS
'number of values of rows in each bucket of width_bucket(x, low, high, buckets)';

CREATE FUNCTION gpucompact_histogram_agg_step(internal, x integer, low numeric, high numeric, buckets integer)
RETURNS internal LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_histogram_agg_step(internal, integer, numeric, numeric, integer) IS
'part of an aggregate';
CREATE AGGREGATE gpu_histogram_agg(x integer, low numeric, high numeric, buckets integer) (
	SFUNC = gpucompact_histogram_agg_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpucompact_histogram_agg_result, COMBINEFUNC = gpucompact_histogram_agg_combine,
	SERIALFUNC = gpucompact_histogram_agg_serialize, DESERIALFUNC = gpucompact_rows_deserialize,
	PARALLEL = SAFE);
COMMENT ON AGGREGATE gpu_histogram_agg(integer, numeric, numeric, integer) IS
'number of values of rows in each bucket of width_bucket(x, low, high, buckets)';

CREATE FUNCTION gpucompact_histogram_agg_step(internal, x bigint, low numeric, high numeric, buckets integer)
RETURNS internal LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_histogram_agg_step(internal, bigint, numeric, numeric, integer) IS
'part of an aggregate';
CREATE AGGREGATE gpu_histogram_agg(x bigint, low numeric, high numeric, buckets integer) (
	SFUNC = gpucompact_histogram_agg_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpucompact_histogram_agg_result, COMBINEFUNC = gpucompact_histogram_agg_combine,
	SERIALFUNC = gpucompact_histogram_agg_serialize, DESERIALFUNC = gpucompact_rows_deserialize,
	PARALLEL = SAFE);
COMMENT ON AGGREGATE gpu_histogram_agg(bigint, numeric, numeric, integer) IS
'number of values of rows in each bucket of width_bucket(x, low, high, buckets)';

CREATE FUNCTION gpucompact_histogram_agg_step(internal, x real, low double precision, high double precision,
	buckets integer) RETURNS internal
LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_histogram_agg_step(internal, real, double precision, double precision, integer) IS
'part of an aggregate';
CREATE AGGREGATE gpu_histogram_agg(x real, low double precision, high double precision, buckets integer) (
	SFUNC = gpucompact_histogram_agg_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpucompact_histogram_agg_result, COMBINEFUNC = gpucompact_histogram_agg_combine,
	SERIALFUNC = gpucompact_histogram_agg_serialize, DESERIALFUNC = gpucompact_rows_deserialize,
	PARALLEL = SAFE);
COMMENT ON AGGREGATE gpu_histogram_agg(real, double precision, double precision, integer) IS
'number of values of rows in each bucket of width_bucket(x, low, high, buckets)';

CREATE FUNCTION gpucompact_histogram_agg_step(internal, x double precision, low double precision, high double precision,
	buckets integer) RETURNS internal
LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_histogram_agg_step(internal, double precision, double precision, double precision, integer) IS
'part of an aggregate';
CREATE AGGREGATE gpu_histogram_agg(x double precision, low double precision, high double precision, buckets integer) (
	SFUNC = gpucompact_histogram_agg_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpucompact_histogram_agg_result, COMBINEFUNC = gpucompact_histogram_agg_combine,
	SERIALFUNC = gpucompact_histogram_agg_serialize, DESERIALFUNC = gpucompact_rows_deserialize,
	PARALLEL = SAFE);
COMMENT ON AGGREGATE gpu_histogram_agg(double precision, double precision, double precision, integer) IS
'number of values of rows in each bucket of width_bucket(x, low, high, buckets)';

-- As for gpu_distinct_counts_agg.
CREATE FUNCTION gpucompact_histogram_agg_step(internal, x numeric, low numeric, high numeric, buckets integer)
RETURNS internal LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_histogram_agg_step(internal, numeric, numeric, numeric, integer) IS
'part of an aggregate';
CREATE AGGREGATE gpu_histogram_agg(x numeric, low numeric, high numeric, buckets integer) (
	SFUNC = gpucompact_histogram_agg_step, STYPE = internal,
	FINALFUNC = gpucompact_histogram_agg_result, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpu_histogram_agg(numeric, numeric, numeric, integer) IS
'not supported for this type; raises an error that says what to do';


--
-- States of aggregates
--

-- Steps and results are those of the aggregates of rows where these have the same
-- values.  The names of the steps say what they take.
CREATE FUNCTION gpucompact_values_state_result(internal) RETURNS gpu_state
LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_values_state_result(internal) IS 'part of an aggregate';
CREATE FUNCTION gpucompact_values_of_state_step(internal, s gpu_state) RETURNS internal
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_values_of_state_step(internal, gpu_state) IS 'part of an aggregate';
CREATE FUNCTION gpucompact_distinct_of_state_step(internal, s gpu_state) RETURNS internal
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_distinct_of_state_step(internal, gpu_state) IS 'part of an aggregate';
CREATE AGGREGATE gpu_values_state(x anynonarray) (
	SFUNC = gpucompact_array_agg_step, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpucompact_values_state_result, COMBINEFUNC = gpucompact_gather_combine,
	SERIALFUNC = gpucompact_gather_serialize, DESERIALFUNC = gpucompact_gather_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpu_values_state(anynonarray) IS 'partial aggregate of the values of rows';
CREATE AGGREGATE gpu_values_state(s gpu_state) (
	SFUNC = gpucompact_values_of_state_step, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpucompact_values_state_result, COMBINEFUNC = gpucompact_gather_combine,
	SERIALFUNC = gpucompact_gather_serialize, DESERIALFUNC = gpucompact_gather_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpu_values_state(gpu_state) IS 'merges partial aggregates';

CREATE AGGREGATE gpu_distinct_state(x anynonarray) (
	SFUNC = gpucompact_count_distinct_step, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpucompact_values_state_result, COMBINEFUNC = gpucompact_gather_combine,
	SERIALFUNC = gpucompact_gather_serialize, DESERIALFUNC = gpucompact_gather_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpu_distinct_state(anynonarray) IS 'partial aggregate of the distinct values of rows';
CREATE AGGREGATE gpu_distinct_state(s gpu_state) (
	SFUNC = gpucompact_distinct_of_state_step, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpucompact_values_state_result, COMBINEFUNC = gpucompact_gather_combine,
	SERIALFUNC = gpucompact_gather_serialize, DESERIALFUNC = gpucompact_gather_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpu_distinct_state(gpu_state) IS 'merges partial aggregates';

CREATE AGGREGATE gpu_median_agg(s gpu_state) (
	SFUNC = gpucompact_values_of_state_step, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpucompact_median_agg_result, COMBINEFUNC = gpucompact_gather_combine,
	SERIALFUNC = gpucompact_gather_serialize, DESERIALFUNC = gpucompact_gather_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpu_median_agg(gpu_state) IS 'median of the values of partial aggregates';

CREATE FUNCTION gpucompact_percentile_of_state_step(internal, s gpu_state, fraction double precision) RETURNS internal
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_percentile_of_state_step(internal, gpu_state, double precision) IS
'part of an aggregate';
CREATE FUNCTION gpucompact_percentile_cont_agg_result(internal, s gpu_state, fraction double precision)
RETURNS double precision LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_percentile_cont_agg_result(internal, gpu_state, double precision) IS
'part of an aggregate';
CREATE AGGREGATE gpu_percentile_cont_agg(s gpu_state, fraction double precision) (
	SFUNC = gpucompact_percentile_of_state_step, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpucompact_percentile_cont_agg_result, FINALFUNC_EXTRA, COMBINEFUNC = gpucompact_gather_combine,
	SERIALFUNC = gpucompact_gather_serialize, DESERIALFUNC = gpucompact_gather_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpu_percentile_cont_agg(gpu_state, double precision) IS
'continuous percentile of the values of partial aggregates';

CREATE FUNCTION gpucompact_percentile_of_state_step(internal, s gpu_state,
	fractions double precision[]) RETURNS internal
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_percentile_of_state_step(internal, gpu_state, double precision[]) IS
'part of an aggregate';
CREATE FUNCTION gpucompact_percentile_cont_agg_result(internal, s gpu_state,
	fractions double precision[]) RETURNS double precision[]
LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'gpucompact_percentile_cont_agg_result';
COMMENT ON FUNCTION gpucompact_percentile_cont_agg_result(internal, gpu_state, double precision[]) IS
'part of an aggregate';
CREATE AGGREGATE gpu_percentile_cont_agg(s gpu_state, fractions double precision[]) (
	SFUNC = gpucompact_percentile_of_state_step, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpucompact_percentile_cont_agg_result, FINALFUNC_EXTRA, COMBINEFUNC = gpucompact_gather_combine,
	SERIALFUNC = gpucompact_gather_serialize, DESERIALFUNC = gpucompact_gather_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpu_percentile_cont_agg(gpu_state, double precision[]) IS
'continuous percentiles of the values of partial aggregates, one for each fraction';

CREATE AGGREGATE gpu_count_distinct(s gpu_state) (
	SFUNC = gpucompact_distinct_of_state_step, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpucompact_count_distinct_result, COMBINEFUNC = gpucompact_gather_combine,
	SERIALFUNC = gpucompact_gather_serialize, DESERIALFUNC = gpucompact_gather_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpu_count_distinct(gpu_state) IS 'number of distinct values of partial aggregates';

CREATE FUNCTION gpucompact_array_of_state_step(internal, s gpu_state, "like" anyarray) RETURNS internal
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_array_of_state_step(internal, gpu_state, anyarray) IS 'part of an aggregate';
CREATE FUNCTION gpucompact_array_agg_result(internal, s gpu_state, "like" anyarray) RETURNS anyarray
LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_array_agg_result(internal, gpu_state, anyarray) IS 'part of an aggregate';
CREATE AGGREGATE gpu_array_agg(s gpu_state, "like" anyarray) (
	SFUNC = gpucompact_array_of_state_step, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpucompact_array_agg_result, FINALFUNC_EXTRA, COMBINEFUNC = gpucompact_gather_combine,
	SERIALFUNC = gpucompact_gather_serialize, DESERIALFUNC = gpucompact_gather_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpu_array_agg(gpu_state, anyarray) IS
'the values of partial aggregates as an array of the type of "like"';

CREATE FUNCTION gpucompact_pack_agg_result(internal, s gpu_state) RETURNS gpu_packed
LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_pack_agg_result(internal, gpu_state) IS 'part of an aggregate';
CREATE AGGREGATE gpu_pack_agg(s gpu_state) (
	SFUNC = gpucompact_values_of_state_step, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpucompact_pack_agg_result, FINALFUNC_EXTRA, COMBINEFUNC = gpucompact_gather_combine,
	SERIALFUNC = gpucompact_gather_serialize, DESERIALFUNC = gpucompact_gather_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpu_pack_agg(gpu_state) IS 'the values of partial aggregates as a packed array';

CREATE FUNCTION gpucompact_rows_state_result(internal) RETURNS gpu_state
LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_rows_state_result(internal) IS 'part of an aggregate';
CREATE FUNCTION gpucompact_avg_of_state_step(internal, s gpu_state) RETURNS internal
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_avg_of_state_step(internal, gpu_state) IS 'part of an aggregate';
CREATE AGGREGATE gpu_avg_state(a anyarray) (
	SFUNC = gpucompact_avg_agg_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpucompact_rows_state_result, COMBINEFUNC = gpucompact_rows_combine,
	SERIALFUNC = gpucompact_rows_serialize, DESERIALFUNC = gpucompact_rows_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpu_avg_state(anyarray) IS 'partial aggregate of arrays for their averages, position by position';
CREATE AGGREGATE gpu_avg_state(s gpu_state) (
	SFUNC = gpucompact_avg_of_state_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpucompact_rows_state_result, COMBINEFUNC = gpucompact_rows_combine,
	SERIALFUNC = gpucompact_rows_serialize, DESERIALFUNC = gpucompact_rows_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpu_avg_state(gpu_state) IS 'merges partial aggregates';

CREATE AGGREGATE gpu_avg_agg(s gpu_state) (
	SFUNC = gpucompact_avg_of_state_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpucompact_rows_result_float8, COMBINEFUNC = gpucompact_rows_combine,
	SERIALFUNC = gpucompact_rows_serialize, DESERIALFUNC = gpucompact_rows_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpu_avg_agg(gpu_state) IS 'averages of partial aggregates, position by position';

CREATE FUNCTION gpucompact_stddev_of_state_step(internal, s gpu_state) RETURNS internal
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_stddev_of_state_step(internal, gpu_state) IS 'part of an aggregate';
CREATE AGGREGATE gpu_stddev_state(a anyarray) (
	SFUNC = gpucompact_stddev_agg_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpucompact_rows_state_result, COMBINEFUNC = gpucompact_rows_combine,
	SERIALFUNC = gpucompact_rows_serialize, DESERIALFUNC = gpucompact_rows_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpu_stddev_state(anyarray) IS
'partial aggregate of arrays for their standard deviations, position by position';
CREATE AGGREGATE gpu_stddev_state(s gpu_state) (
	SFUNC = gpucompact_stddev_of_state_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpucompact_rows_state_result, COMBINEFUNC = gpucompact_rows_combine,
	SERIALFUNC = gpucompact_rows_serialize, DESERIALFUNC = gpucompact_rows_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpu_stddev_state(gpu_state) IS 'merges partial aggregates';

CREATE AGGREGATE gpu_stddev_agg(s gpu_state) (
	SFUNC = gpucompact_stddev_of_state_step, STYPE = internal, SSPACE = 8192,
	FINALFUNC = gpucompact_rows_result_float8, COMBINEFUNC = gpucompact_rows_combine,
	SERIALFUNC = gpucompact_rows_serialize, DESERIALFUNC = gpucompact_rows_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpu_stddev_agg(gpu_state) IS 'standard deviations of partial aggregates, position by position';


--
-- Packed arrays, bytes
--

CREATE FUNCTION gpu_pack(a anyarray) RETURNS gpu_packed
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_pack(anyarray) IS 'compresses an array to type gpu_packed';

CREATE FUNCTION gpu_unpack(p gpu_packed, "like" anyarray) RETURNS anyarray
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_unpack(gpu_packed, anyarray) IS 'the array that a packed array holds';

CREATE FUNCTION gpu_packed_info(p gpu_packed) RETURNS gpu_packed_properties
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_packed_info(gpu_packed) IS 'properties of a packed array: elements, bytes, blocks';

-- A cast has no argument that says the type of its result.  So each has a function
-- of its own.
CREATE FUNCTION gpucompact_unpack_int2(p gpu_packed) RETURNS smallint[]
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpu_unpack';
COMMENT ON FUNCTION gpucompact_unpack_int2(gpu_packed) IS 'the array that a packed array holds';
CREATE CAST (smallint[] AS gpu_packed) WITH FUNCTION gpu_pack(anyarray) AS ASSIGNMENT;
CREATE CAST (gpu_packed AS smallint[]) WITH FUNCTION gpucompact_unpack_int2(gpu_packed);

CREATE FUNCTION gpucompact_unpack_int4(p gpu_packed) RETURNS integer[]
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpu_unpack';
COMMENT ON FUNCTION gpucompact_unpack_int4(gpu_packed) IS 'the array that a packed array holds';
CREATE CAST (integer[] AS gpu_packed) WITH FUNCTION gpu_pack(anyarray) AS ASSIGNMENT;
CREATE CAST (gpu_packed AS integer[]) WITH FUNCTION gpucompact_unpack_int4(gpu_packed);

CREATE FUNCTION gpucompact_unpack_int8(p gpu_packed) RETURNS bigint[]
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpu_unpack';
COMMENT ON FUNCTION gpucompact_unpack_int8(gpu_packed) IS 'the array that a packed array holds';
CREATE CAST (bigint[] AS gpu_packed) WITH FUNCTION gpu_pack(anyarray) AS ASSIGNMENT;
CREATE CAST (gpu_packed AS bigint[]) WITH FUNCTION gpucompact_unpack_int8(gpu_packed);

CREATE FUNCTION gpucompact_unpack_float4(p gpu_packed) RETURNS real[]
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpu_unpack';
COMMENT ON FUNCTION gpucompact_unpack_float4(gpu_packed) IS 'the array that a packed array holds';
CREATE CAST (real[] AS gpu_packed) WITH FUNCTION gpu_pack(anyarray) AS ASSIGNMENT;
CREATE CAST (gpu_packed AS real[]) WITH FUNCTION gpucompact_unpack_float4(gpu_packed);

CREATE FUNCTION gpucompact_unpack_float8(p gpu_packed) RETURNS double precision[]
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpu_unpack';
COMMENT ON FUNCTION gpucompact_unpack_float8(gpu_packed) IS 'the array that a packed array holds';
CREATE CAST (double precision[] AS gpu_packed) WITH FUNCTION gpu_pack(anyarray) AS ASSIGNMENT;
CREATE CAST (gpu_packed AS double precision[]) WITH FUNCTION gpucompact_unpack_float8(gpu_packed);

CREATE FUNCTION gpucompact_unpack_date(p gpu_packed) RETURNS date[]
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpu_unpack';
COMMENT ON FUNCTION gpucompact_unpack_date(gpu_packed) IS 'the array that a packed array holds';
CREATE CAST (date[] AS gpu_packed) WITH FUNCTION gpu_pack(anyarray) AS ASSIGNMENT;
CREATE CAST (gpu_packed AS date[]) WITH FUNCTION gpucompact_unpack_date(gpu_packed);

CREATE FUNCTION gpucompact_unpack_time(p gpu_packed) RETURNS time[]
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpu_unpack';
COMMENT ON FUNCTION gpucompact_unpack_time(gpu_packed) IS 'the array that a packed array holds';
CREATE CAST (time[] AS gpu_packed) WITH FUNCTION gpu_pack(anyarray) AS ASSIGNMENT;
CREATE CAST (gpu_packed AS time[]) WITH FUNCTION gpucompact_unpack_time(gpu_packed);

CREATE FUNCTION gpucompact_unpack_timestamp(p gpu_packed) RETURNS timestamp[]
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpu_unpack';
COMMENT ON FUNCTION gpucompact_unpack_timestamp(gpu_packed) IS 'the array that a packed array holds';
CREATE CAST (timestamp[] AS gpu_packed) WITH FUNCTION gpu_pack(anyarray) AS ASSIGNMENT;
CREATE CAST (gpu_packed AS timestamp[]) WITH FUNCTION gpucompact_unpack_timestamp(gpu_packed);

CREATE FUNCTION gpucompact_unpack_timestamptz(p gpu_packed) RETURNS timestamptz[]
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpu_unpack';
COMMENT ON FUNCTION gpucompact_unpack_timestamptz(gpu_packed) IS 'the array that a packed array holds';
CREATE CAST (timestamptz[] AS gpu_packed) WITH FUNCTION gpu_pack(anyarray) AS ASSIGNMENT;
CREATE CAST (gpu_packed AS timestamptz[]) WITH FUNCTION gpucompact_unpack_timestamptz(gpu_packed);

CREATE FUNCTION gpucompact_unpack_oid(p gpu_packed) RETURNS oid[]
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpu_unpack';
COMMENT ON FUNCTION gpucompact_unpack_oid(gpu_packed) IS 'the array that a packed array holds';
CREATE CAST (oid[] AS gpu_packed) WITH FUNCTION gpu_pack(anyarray) AS ASSIGNMENT;
CREATE CAST (gpu_packed AS oid[]) WITH FUNCTION gpucompact_unpack_oid(gpu_packed);

CREATE FUNCTION gpucompact_unpack_money(p gpu_packed) RETURNS money[]
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpu_unpack';
COMMENT ON FUNCTION gpucompact_unpack_money(gpu_packed) IS 'the array that a packed array holds';
CREATE CAST (money[] AS gpu_packed) WITH FUNCTION gpu_pack(anyarray) AS ASSIGNMENT;
CREATE CAST (gpu_packed AS money[]) WITH FUNCTION gpucompact_unpack_money(gpu_packed);

CREATE FUNCTION gpucompact_unpack_bool(p gpu_packed) RETURNS boolean[]
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpu_unpack';
COMMENT ON FUNCTION gpucompact_unpack_bool(gpu_packed) IS 'the array that a packed array holds';
CREATE CAST (boolean[] AS gpu_packed) WITH FUNCTION gpu_pack(anyarray) AS ASSIGNMENT;
CREATE CAST (gpu_packed AS boolean[]) WITH FUNCTION gpucompact_unpack_bool(gpu_packed);

CREATE FUNCTION gpucompact_unpack_char(p gpu_packed) RETURNS "char"[]
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpu_unpack';
COMMENT ON FUNCTION gpucompact_unpack_char(gpu_packed) IS 'the array that a packed array holds';
CREATE CAST ("char"[] AS gpu_packed) WITH FUNCTION gpu_pack(anyarray) AS ASSIGNMENT;
CREATE CAST (gpu_packed AS "char"[]) WITH FUNCTION gpucompact_unpack_char(gpu_packed);

CREATE FUNCTION gpu_to_bytes(a anyarray) RETURNS bytea
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_to_bytes(anyarray) IS 'the elements of an array of numbers or booleans as bytes, little-endian';

CREATE FUNCTION gpu_from_bytes(bytes bytea, "like" anyarray) RETURNS anyarray
LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_from_bytes(bytea, anyarray) IS
'array of the type of "like" whose elements are the given bytes, little-endian';


--
-- UTF-8
--

CREATE FUNCTION gpu_utf8_decode(bytes bytea, on_error text DEFAULT 'error') RETURNS integer[]
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_utf8_decode(bytea, text) IS
'code points of UTF-8 bytes; on_error is what to do with invalid bytes: error, replace, skip';
CREATE FUNCTION gpu_utf8_decode(string text, on_error text DEFAULT 'error') RETURNS integer[]
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME', 'gpu_utf8_decode_text';
COMMENT ON FUNCTION gpu_utf8_decode(text, text) IS 'code points of a text';

CREATE FUNCTION gpu_utf8_encode(code_points integer[], on_error text DEFAULT 'error') RETURNS bytea
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_utf8_encode(integer[], text) IS
'UTF-8 bytes of code points; on_error is what to do with invalid code points: error, replace, skip';

CREATE FUNCTION gpu_utf8_is_valid(bytes bytea) RETURNS boolean
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_utf8_is_valid(bytea) IS
'whether bytes are valid UTF-8; byte 0 is valid as U+0000, though no text can hold it';

CREATE FUNCTION gpu_utf8_errors(bytes bytea) RETURNS SETOF gpu_utf8_error
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 10 AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_utf8_errors(bytea) IS 'offset, from 0, and length of each maximal subpart that is not UTF-8';

CREATE FUNCTION gpu_utf8_repair(bytes bytea, on_error text DEFAULT 'replace') RETURNS text
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 SUPPORT gpucompact_chain_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_utf8_repair(bytea, text) IS
'text of UTF-8 bytes; invalid bytes are replaced by U+FFFD, or skipped';


--
-- Diagnostics
--

CREATE FUNCTION gpu_last_call(OUT function text, OUT engine text, OUT reason text, OUT source text, OUT elements bigint,
	OUT bytes_in bigint, OUT bytes_out bigint, OUT total_ms double precision, OUT detoast_ms double precision,
	OUT upload_ms double precision, OUT kernel_ms double precision, OUT download_ms double precision,
	OUT result_ms double precision, OUT error text, OUT chain text) RETURNS SETOF record
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED COST 10 ROWS 1 AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_last_call() IS
'how the last call of this session ran: engine and reason, source of the array, bytes and milliseconds of each part, SQLSTATE of its error, and the calls of its chain; no row before the first call';

CREATE FUNCTION gpu_devices(OUT index integer, OUT name text, OUT compute_capability text, OUT memory_total bigint,
	OUT memory_free bigint, OUT driver_version text, OUT runtime_version text, OUT status text) RETURNS SETOF record
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED COST 1000 ROWS 1 AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_devices() IS 'the GPUs of this server, or one row whose status says why there is none';

CREATE FUNCTION gpu_processes(OUT gpu integer, OUT pid integer, OUT state text, OUT since timestamp with time zone,
	OUT lanes integer, OUT lanes_leased integer, OUT calls_waiting integer, OUT calls bigint, OUT bytes_in bigint,
	OUT bytes_out bigint, OUT gpu_memory bigint, OUT host_memory bigint, OUT cache_limit bigint, OUT cache_bytes bigint,
	OUT cache_hits bigint, OUT cache_misses_new bigint, OUT cache_misses_changed bigint,
	OUT cache_misses_expired bigint, OUT cache_misses_evicted bigint, OUT failures integer,
	OUT last_failure text) RETURNS SETOF record
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED COST 1000 ROWS 1 AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_processes() IS 'the GPU processes that serve all sessions, and what each is doing';

CREATE FUNCTION gpu_cache(OUT gpu integer, OUT database oid, OUT toast_relation oid, OUT bytes bigint, OUT hits bigint,
	OUT last_use timestamp with time zone) RETURNS SETOF record
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED COST 1000 ROWS 100 AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_cache() IS 'the stored values in the caches of GPUs';
REVOKE EXECUTE ON FUNCTION gpu_cache() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gpu_cache() TO pg_monitor;

CREATE FUNCTION gpu_cache_load(value "any") RETURNS bigint
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED COST 1000 AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_cache_load("any") IS
'loads a stored array, bytea or text into the cache of a GPU; returns the bytes cached';

CREATE FUNCTION gpu_cache_clear() RETURNS void
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED COST 1000 AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_cache_clear() IS 'clears the caches of GPUs';
REVOKE EXECUTE ON FUNCTION gpu_cache_clear() FROM PUBLIC;

CREATE FUNCTION gpu_stat(OUT function text, OUT engine text, OUT reason text, OUT calls bigint, OUT elements bigint,
	OUT bytes_in bigint, OUT bytes_out bigint, OUT timed_calls bigint, OUT total_ms double precision,
	OUT since timestamp with time zone, OUT failed_calls bigint) RETURNS SETOF record
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED ROWS 100 AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_stat() IS 'the calls of all sessions, by function, engine and reason';

CREATE VIEW gpu_stat AS SELECT * FROM gpu_stat();
COMMENT ON VIEW gpu_stat IS 'the calls of all sessions, by function, engine and reason';
GRANT SELECT ON gpu_stat TO PUBLIC;

CREATE FUNCTION gpu_stat_reset() RETURNS void
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpu_stat_reset() IS 'resets the counts of gpu_stat';
REVOKE EXECUTE ON FUNCTION gpu_stat_reset() FROM PUBLIC;

CREATE FUNCTION gpucompact_benchmark(n integer DEFAULT 16777216, OUT operation text, OUT algorithm text,
	OUT elements integer, OUT engine text, OUT kernel_ms double precision, OUT elements_per_s double precision,
	OUT of_copy double precision, OUT correct boolean) RETURNS SETOF record
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED COST 1000000 ROWS 36 AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION gpucompact_benchmark(integer) IS
'time of each algorithm for a scan, a compaction and a sort of n and of n - 3 integers, as a fraction of a copy''s bandwidth on the same engine, and whether its result equals the sequential algorithm''s';
