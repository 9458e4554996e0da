/* sql/gpucompact--1.0.sql: what CREATE EXTENSION gpucompact runs */

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION gpucompact" to load this file. \quit

-- scan: gpu_prefix_sum is there for each type of numbers, with the type of its
-- sums.  For two types that match several of these, it raises an error that
-- names the types that are supported.

CREATE FUNCTION gpu_prefix_sum(a smallint[], exclusive boolean DEFAULT false)
RETURNS bigint[]
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_prefix_sum(smallint[], boolean) IS
'running sums of an array; exclusive ones leave the element itself out';

CREATE FUNCTION gpu_prefix_sum(a integer[], exclusive boolean DEFAULT false)
RETURNS bigint[]
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_prefix_sum(integer[], boolean) IS
'running sums of an array; exclusive ones leave the element itself out';

CREATE FUNCTION gpu_prefix_sum(a bigint[], exclusive boolean DEFAULT false)
RETURNS bigint[]
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_prefix_sum(bigint[], boolean) IS
'running sums of an array; exclusive ones leave the element itself out';

CREATE FUNCTION gpu_prefix_sum(a real[], exclusive boolean DEFAULT false)
RETURNS real[]
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_prefix_sum(real[], boolean) IS
'running sums of an array; exclusive ones leave the element itself out';

CREATE FUNCTION gpu_prefix_sum(a double precision[],
							   exclusive boolean DEFAULT false)
RETURNS double precision[]
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_prefix_sum(double precision[], boolean) IS
'running sums of an array; exclusive ones leave the element itself out';

CREATE FUNCTION gpu_prefix_sum(a numeric[], exclusive boolean DEFAULT false)
RETURNS numeric[]
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_prefix_sum(numeric[], boolean) IS
'not supported for this type; raises an error that names the types that are';

CREATE FUNCTION gpu_prefix_sum(a int2vector, exclusive boolean DEFAULT false)
RETURNS bigint[]
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_prefix_sum(int2vector, boolean) IS
'not supported for this type; raises an error that names the types that are';

CREATE FUNCTION gpu_scan(a anyarray, op text, exclusive boolean DEFAULT false)
RETURNS anyarray
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_scan(anyarray, text, boolean) IS
'running results of an operator over an array of numbers: + * min max & | #';

CREATE FUNCTION gpu_reduce(a anyarray, op text)
RETURNS anyelement
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_reduce(anyarray, text) IS
'the result of an operator over an array of numbers: + * min max & | #';

CREATE FUNCTION gpu_delta(a anyarray)
RETURNS anyarray
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_delta(anyarray) IS
'the first number of an array, and then what each one is more than the one before';

-- compact

CREATE FUNCTION gpu_compact(a anyarray)
RETURNS anyarray
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_compact(anyarray) IS
'the elements of an array that are neither zero nor NULL, in their order';

-- A value of the elements' type, or one that takes it, as a literal does, goes
-- to the function with "text".  One of another type goes to the function with
-- "varchar", which is less preferred, and is compared as the operator of that
-- name compares the two types.

CREATE FUNCTION gpu_compact(a anyarray, op text, value anyelement)
RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpu_compact_where'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_compact(anyarray, text, anyelement) IS
'the elements of an array that are = <> < <= > >= a value, in their order';

CREATE FUNCTION gpu_compact(a anyarray, op varchar, value "any")
RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpu_compact_where'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_compact(anyarray, varchar, "any") IS
'the elements of an array that are = <> < <= > >= a value, in their order';

CREATE FUNCTION gpu_compact(a anyarray, mask boolean[])
RETURNS anyarray
AS 'MODULE_PATHNAME', 'gpu_compact_masked'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_compact(anyarray, boolean[]) IS
'the elements of an array beside which a mask is true, in their order';

CREATE FUNCTION gpu_positions(a anyarray, op text, value anyelement)
RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpu_positions_where'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_positions(anyarray, text, anyelement) IS
'where in an array the elements are that are = <> < <= > >= a value, from 1 on';

CREATE FUNCTION gpu_positions(a anyarray, op varchar, value "any")
RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpu_positions_where'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_positions(anyarray, varchar, "any") IS
'where in an array the elements are that are = <> < <= > >= a value, from 1 on';

CREATE FUNCTION gpu_positions(mask boolean[])
RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpu_positions_masked'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_positions(boolean[]) IS
'where a mask is true, from 1 on';

-- sort

CREATE FUNCTION gpu_radix_sort(a anyarray,
							   descending boolean DEFAULT false,
							   nulls_first boolean DEFAULT NULL)
RETURNS anyarray
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_radix_sort(anyarray, boolean, boolean) IS
'sorts an array; NULLs come last, or first when descending, unless nulls_first says where';

CREATE FUNCTION gpu_argsort(a anyarray,
							descending boolean DEFAULT false,
							nulls_first boolean DEFAULT NULL)
RETURNS integer[]
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_argsort(anyarray, boolean, boolean) IS
'where the elements of an array are, from 1 on, in the order that they sort in';

CREATE FUNCTION gpu_sort_by_key(a anyarray, keys anycompatiblearray,
								descending boolean DEFAULT false,
								nulls_first boolean DEFAULT NULL)
RETURNS anyarray
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_sort_by_key(anyarray, anycompatiblearray, boolean, boolean) IS
'sorts an array by the keys that stand beside its elements in another one';

-- runs

CREATE FUNCTION gpu_distinct(a anyarray)
RETURNS anyarray
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_distinct(anyarray) IS
'the different elements of an array, in order';

CREATE FUNCTION gpu_distinct_counts(a anyarray,
									OUT "values" anyarray,
									OUT counts integer[])
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_distinct_counts(anyarray) IS
'the different elements of an array, in order, and how often each is there';

CREATE FUNCTION gpu_run_lengths(a anyarray,
								OUT "values" anyarray,
								OUT lengths integer[])
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_run_lengths(anyarray) IS
'the runs of equal elements of an array: one of each, and how long it is';

-- info

CREATE FUNCTION gpu_devices(OUT index integer,
							OUT name text,
							OUT compute_capability text,
							OUT memory_total bigint,
							OUT memory_free bigint,
							OUT driver_version text,
							OUT runtime_version text,
							OUT status text)
RETURNS SETOF record
AS 'MODULE_PATHNAME'
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED COST 1000 ROWS 1;

COMMENT ON FUNCTION gpu_devices() IS
'the GPUs of this server, or one row whose status says why there is none';

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
							  OUT result_ms double precision)
RETURNS SETOF record
AS 'MODULE_PATHNAME'
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED COST 10 ROWS 1;

COMMENT ON FUNCTION gpu_last_call() IS
'how the last call in this session ran: on which engine and why, how its array came in, the bytes and the milliseconds of each part; no row before the first call';

CREATE FUNCTION gpucompact_benchmark(n integer DEFAULT 16777216,
									 OUT operation text,
									 OUT algorithm text,
									 OUT elements integer,
									 OUT engine text,
									 OUT kernel_ms double precision,
									 OUT elements_per_s double precision,
									 OUT of_copy double precision,
									 OUT correct boolean)
RETURNS SETOF record
AS 'MODULE_PATHNAME'
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED COST 1000000 ROWS 36;

COMMENT ON FUNCTION gpucompact_benchmark(integer) IS
'each algorithm''s time for a scan, a compaction and a sort of n and of n - 3 integers; the fraction of a plain copy''s bandwidth on the same engine; and whether the result is that of the sequential algorithm';

-- utf8

CREATE FUNCTION gpu_utf8_decode(bytes bytea, on_error text DEFAULT 'error')
RETURNS integer[]
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_utf8_decode(bytea, text) IS
'the code points of bytes of UTF-8; on_error says what becomes of invalid ones: error, replace, skip';

CREATE FUNCTION gpu_utf8_decode(string text, on_error text DEFAULT 'error')
RETURNS integer[]
AS 'MODULE_PATHNAME', 'gpu_utf8_decode_text'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_utf8_decode(text, text) IS
'the code points of a text';

CREATE FUNCTION gpu_utf8_encode(code_points integer[],
								on_error text DEFAULT 'error')
RETURNS bytea
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_utf8_encode(integer[], text) IS
'code points as bytes of UTF-8; on_error says what becomes of invalid ones: error, replace, skip';

CREATE FUNCTION gpu_utf8_repair(bytes bytea, on_error text DEFAULT 'replace')
RETURNS text
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_utf8_repair(bytea, text) IS
'bytes of UTF-8 as a text, with U+FFFD for what is invalid, or without that';

CREATE FUNCTION gpu_utf8_is_valid(bytes bytea)
RETURNS boolean
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION gpu_utf8_is_valid(bytea) IS
'are all bytes those of code points, as UTF-8?  The byte 0 is U+0000, though no text can hold it';

CREATE FUNCTION gpu_utf8_errors(bytes bytea,
								OUT byte_offset integer,
								OUT length integer)
RETURNS SETOF record
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 10;

COMMENT ON FUNCTION gpu_utf8_errors(bytea) IS
'where bytes are not UTF-8: for each maximal subpart its offset, from 0 on, and its length';
