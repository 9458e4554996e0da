-- Errors: each one's SQLSTATE, and the session goes on
\pset format unaligned \pset tuples_only on \pset null NULL
SET quote_all_identifiers = off;
\set VERBOSITY sqlstate

-- 42883: no function for these types, or this number of arguments.
SELECT gpu_prefix_sum('{a}'::text[]);
SELECT gpu_compact(1);
SELECT gpu_compact(ARRAY[1], ARRAY[1]);
SELECT gpu_compact(ARRAY[1], '{t}', '{t}', '{t}', '{t}');
SELECT gpu_positions(ARRAY[1]);
SELECT gpu_prefix_sum();
SELECT gpu_radix_sort(ARRAY[1], true, true, true);
SELECT gpu_radix_sort(ARRAY[1], ascending => true);
SELECT gpu_sort_by_key(ARRAY[1]);
SELECT gpu_run_lengths(1);
SELECT gpu_stats('{2024-02-29}'::date[]);

-- 42804, 42725: a literal has no type, if it is alone or the other array may have
-- another type.
SELECT gpu_sort_by_key('{1}', ARRAY[1]);
SELECT gpu_group('{1}', ARRAY[1], '+');
SELECT gpu_max_agg('{1}');
SELECT gpu_sum_agg('{1}');

-- 22P02: text that is not what it is to be; 22003: no integer.
SELECT gpu_compact('{a}'::integer[]);
SELECT gpu_compact('1,2'::integer[]);
SELECT gpu_compact('{3000000000}'::integer[]);
SELECT gpu_compact(ARRAY[1], '=', 'a');
SELECT gpu_compact(ARRAY[1], '{maybe}');
SELECT gpu_radix_sort(ARRAY[1], 'perhaps');

-- 42804: types that are not compared with each other.
SELECT gpu_compact(ARRAY[1], '=', 'a'::text);
SELECT gpu_compact(ARRAY[1], '=', true);
SELECT gpu_compact(ARRAY[1], 'between', 1.5, 'a'::text);
SELECT gpu_compact(ARRAY[1], '=', '1'::oid);
SELECT gpu_compact('{1}'::money[], '=', 1);
SELECT gpu_positions('{t}'::boolean[], '=', 1);
SELECT gpu_compact(ARRAY[1], '=', VARIADIC ARRAY[1]);
SELECT gpu_cache_load(1);
SELECT gpu_cache_load('a');
SELECT gpu_positions('{2024-02-29}'::date[], '=', timestamp '2024-02-29');
SELECT gpu_positions('{2024-02-29}'::timestamptz[], '=', date '2024-02-29');

-- 42804: nor is each type one of fractions.
SELECT gpu_percentile_cont(ARRAY[1], true);
SELECT gpu_percentile_disc(ARRAY[1], date '2024-02-29');

-- 0A000: only numbers can be added.
SELECT gpu_prefix_sum('{1}'::numeric[]);
SELECT gpu_scan('{1}'::numeric[], '+');
SELECT gpu_scan('{t}'::boolean[], '|');
SELECT gpu_reduce('{2024-02-29}'::date[], '+');
SELECT gpu_window('{12:00}'::time[], '+', 1);
SELECT gpu_delta('{1}'::money[]);

-- 42725: several functions for the type; 0A000: vectors, whose subscripts have to
-- begin with 0.
SELECT gpu_prefix_sum('1 2'::int2vector);
SELECT gpu_scan('1 2'::int2vector, '+');
SELECT gpu_compact('0 0'::oidvector);
SELECT gpu_compact('0 0'::oidvector, '>', 0);
SELECT gpu_radix_sort('2 1'::int2vector);
SELECT gpu_sort_by_key('2 1'::oidvector, ARRAY[1,2]);

-- What they say of types.
\set VERBOSITY default
SELECT gpu_prefix_sum('{1}'::numeric[]);
SELECT gpu_radix_sort(ARRAY[2.5,1.5]);
SELECT gpu_scan(ARRAY[2.5,1.5], '+');
SELECT gpu_min_agg(ARRAY[2.5,1.5]);
SELECT gpu_from_bytes('', NULL::numeric[]);
SELECT gpu_sort_by_key(ARRAY[1,2], ARRAY[2.5,1.5]);
SELECT gpu_sort_by_key(ARRAY[1,2], '{a,b}'::text[]);
SELECT gpu_sort_by_key('{a,b}'::varchar[], ARRAY[1,2]);
SELECT gpu_distinct('{1 s}'::interval[]);
SELECT gpu_argsort('{}'::point[]);
SELECT gpu_take('{}'::uuid[], ARRAY[1]);
SELECT gpu_reduce('{2024-02-29}'::date[], '+');
SELECT gpu_scan('1 2'::int2vector, '+');
SELECT gpu_positions('{2024-02-29}'::timestamptz[], '=', date '2024-02-29');
\set VERBOSITY sqlstate

-- 0A000: types whose elements are not of a fixed size; and dates have no zero.
SELECT gpu_compact('{a}'::text[]);
SELECT gpu_compact('{a}'::text[], '<', 'b');
SELECT gpu_compact('{1}'::numeric[], '{t}');
SELECT gpu_positions('{1}'::numeric[], '<', 2);
SELECT gpu_radix_sort('{a}'::text[]);
SELECT gpu_argsort('{}'::point[]);
SELECT gpu_sort_by_key(ARRAY[1], '{a}'::text[]);
SELECT gpu_pad('{a}'::text[], 1);
SELECT gpu_downsample_points('{2024-02-29}'::date[], 2);
SELECT gpu_sort_by_key('{a}'::text[], ARRAY[1]);
SELECT gpu_distinct('{1 s}'::interval[]);
SELECT gpu_distinct_counts('{a}'::text[]);
SELECT gpu_run_lengths('{a}'::text[]);
SELECT gpu_compact('{2024-02-29}'::date[]);

-- 0A000: more than one dimension.
SELECT gpu_compact(ARRAY[[1,2],[3,4]]);
SELECT gpu_compact(ARRAY[[1,2],[3,4]], '>', 1);
SELECT gpu_compact(ARRAY[[1,2]], '{t,t}');
SELECT gpu_compact(ARRAY[1,2], '{{t,t}}');
SELECT gpu_positions(ARRAY[[1,2],[3,4]], '>', 1);
SELECT gpu_positions('{{t,t}}');
SELECT gpu_radix_sort(ARRAY[[1,2],[3,4]]);
SELECT gpu_radix_sort(ARRAY[[1,2],[3,4]], true, true);
SELECT gpu_argsort(ARRAY[[1,2],[3,4]]);
SELECT gpu_sort_by_key(ARRAY[[1,2]], ARRAY[1,2]);
SELECT gpu_sort_by_key(ARRAY[1,2], ARRAY[[1,2]]);
SELECT gpu_distinct(ARRAY[[1,2],[3,4]]);
SELECT gpu_distinct_counts(ARRAY[[1,2],[3,4]]);
SELECT gpu_run_lengths(ARRAY[[1,2],[3,4]]);

-- 22023: operators that there are not; 0A000: not for floats.
SELECT gpu_scan(ARRAY[1], '-');
SELECT gpu_reduce(ARRAY[1], '');
SELECT gpu_compact(ARRAY[1], '~', 1);
SELECT gpu_compact(ARRAY[1], 'between', 1);
SELECT gpu_positions(ARRAY[1], '+', 1);
SELECT gpu_positions(ARRAY[1], '+', 1, 2);
SELECT gpu_positions(ARRAY[1], '+');
SELECT gpu_scan(ARRAY[1.5::real], '&');
SELECT gpu_reduce(ARRAY[1.5::float8], '|');

-- What they say of names that are in use elsewhere; two of these are accepted.
\set VERBOSITY default
SELECT gpu_scan(ARRAY[1,2], 'sum'), gpu_reduce(ARRAY[1,2], 'sum'), gpu_window(ARRAY[1,2], 'sum', 1),
	   (gpu_group(ARRAY[1,1], ARRAY[1,2], 'sum')).values, gpu_compact(ARRAY[1,2], '!=', 1);
SELECT gpu_scan(ARRAY[1], 'mean');
SELECT gpu_scan(ARRAY[1], 'cumsum');
SELECT gpu_scan(ARRAY[1], 'MAX');
SELECT gpu_reduce(ARRAY[1], 'avg');
SELECT gpu_reduce(ARRAY[1], 'stddev');
SELECT gpu_reduce(ARRAY[1], 'median');
SELECT gpu_reduce(ARRAY[1], 'mode');
SELECT gpu_reduce(ARRAY[1], 'product');
SELECT gpu_reduce(ARRAY[1], 'SUM');
SELECT gpu_reduce(ARRAY[1], 'rank');
SELECT gpu_window(ARRAY[1], 'avg', 1);
SELECT gpu_window(ARRAY[1], 'greatest', 1);
SELECT gpu_window(ARRAY[1], 'product', 1);
SELECT gpu_group(ARRAY[1], ARRAY[1], 'average');
SELECT gpu_group(ARRAY[1], ARRAY[1], 'bit_xor');
SELECT gpu_positions(ARRAY[1], '==', 1);
SELECT gpu_rank(ARRAY[1], 'dense_rank');
SELECT gpu_rank(ARRAY[1], 'rank');
SELECT gpu_rank(ARRAY[1], 'row_number');
SELECT gpu_rank(ARRAY[1], 'average');
SELECT gpu_downsample(ARRAY[1], 3, 'LTTB');
SELECT gpu_utf8_decode('\x41'::bytea, 'strict');
SELECT gpu_utf8_repair('\x41'::bytea, 'Ignore');
\set VERBOSITY sqlstate

-- 2202E: arrays that go together differ in length.
SELECT gpu_compact(ARRAY[1,2], '{t}');
SELECT gpu_sort_by_key(ARRAY[1,2], ARRAY[1,2,3]);

-- 22003: a result is not in the range of its type.
SELECT gpu_prefix_sum('{9223372036854775807,1}'::bigint[]);
SELECT gpu_prefix_sum('{3e38,3e38}'::real[]);
SELECT gpu_scan('{32767,1}'::smallint[], '+');
SELECT gpu_scan('{1e-200,1e-200}'::float8[], '*');
SELECT gpu_reduce('{65536,65536}'::integer[], '*');
SELECT gpu_delta('{1,-2147483648}'::integer[]);
SELECT gpu_delta('{-1e308,1e308}'::float8[]);

-- What they say of ranges.
\set VERBOSITY default
SELECT gpu_scan('{32767,1}'::smallint[], '+');
SELECT gpu_reduce('{2147483647,1}'::integer[], '+');
SELECT gpu_reduce('{9223372036854775807,1}'::bigint[], '+');
\set VERBOSITY sqlstate

-- 54000: the result would not fit into an array.
SELECT gpu_prefix_sum(array_fill(1, ARRAY[134217725]));
SELECT gpu_prefix_sum(array_fill(1, ARRAY[134217725]), true);

-- Bytes that are no array, as a damaged table may hold.  (To make them, we take
-- varchar(text, typmod, explicit), which returns what it gets if there is no
-- typmod, and integers whose little end comes first: the dimensions, the offset
-- of the data or 0, the type, the lengths, the lower bounds, a bitmap of NULLs,
-- the data.)
CREATE FUNCTION as_array(bytea, integer DEFAULT -1, boolean DEFAULT true)
RETURNS integer[] LANGUAGE internal IMMUTABLE STRICT AS 'varchar';
CREATE FUNCTION as_array(VARIADIC integer[]) RETURNS integer[] LANGUAGE sql
AS $$
	SELECT as_array(string_agg(substring(b FROM 4 FOR 1) ||
							   substring(b FROM 3 FOR 1) ||
							   substring(b FROM 2 FOR 1) ||
							   substring(b FROM 1 FOR 1), '' ORDER BY i))
	FROM unnest($1) WITH ORDINALITY AS u (x, i), int4send(x) AS b
$$;
SELECT as_array(1, 0, 23, 2, 5, 7, 8) AS array,
	   as_array(1, 32, 23, 2, 1, 1, 0, 7) AS with_null;
SELECT gpu_compact(as_array(1, 0, 23, 2, 5, 7, 8)) AS array,
	   gpu_radix_sort(as_array(1, 32, 23, 2, 1, 1, 0, 7)) AS with_null,
	   gpu_delta(as_array(1, 32, 23, 2, 1, 3, 0, 7, 8)) AS with_full_bitmap;

-- No header, or not all of it.
SELECT gpu_compact(as_array(''::bytea));
SELECT gpu_compact(as_array('\x0100000000'::bytea));
SELECT gpu_delta(as_array(1, 0, 23));
SELECT gpu_delta(as_array(1, 0, 23, 2));
SELECT gpu_delta(as_array(6, 0, 23, 1, 1, 1, 1, 1, 1, 1, 1, 1));

-- Dimensions that cannot be.
SELECT gpu_compact(as_array(7, 0, 23, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 9));
SELECT gpu_compact(as_array(-1, 0, 23, 1, 1, 9));
SELECT gpu_compact(as_array(1, 0, 23, -1, 1, 9));
SELECT gpu_compact(as_array(1, 0, 23, 2147483647, 1, 9));
SELECT gpu_delta(as_array(2, 0, 23, 65536, 65536, 1, 1, 9));

-- Types that cannot be, or are not that of the argument.
SELECT gpu_compact(as_array(1, 0, 0, 1, 1, 9));
SELECT gpu_compact(as_array(1, 0, -1, 1, 1, 9));
SELECT gpu_compact(as_array(1, 0, 25, 1, 1, 9));
SELECT gpu_compact(as_array(1, 0, 20, 1, 1, 9));
SELECT gpu_prefix_sum(as_array(1, 0, 16, 4, 1, 0));
SELECT gpu_scan(as_array(1, 0, 26, 1, 1, 9), 'max');
SELECT gpu_delta(as_array(1, 0, 16, 4, 1, 0));

-- Less data, or less of a bitmap, than there are elements.
SELECT gpu_run_lengths(as_array(1, 0, 23, 2, 1, 9));
SELECT gpu_argsort(as_array(1, 0, 23, 1, 1));
SELECT gpu_delta(as_array(1, 32, 23, 2, 1, 3, 0, 9));
SELECT gpu_compact(as_array(1, 32, 23, 100, 1, -1, -1));
SELECT gpu_prefix_sum(as_array(1, 32, 23, 1000, 1, 0, 0, 9));

-- Data that would begin in the header, past the end, or between two words.
SELECT gpu_delta(as_array(1, 8, 23, 2, 1, 3, 0, 9));
SELECT gpu_delta(as_array(1, -8, 23, 2, 1, 3, 0, 9, 9));
SELECT gpu_delta(as_array(1, 4096, 23, 2, 1, 3, 0, 9, 9));
SELECT gpu_delta(as_array(1, 33, 23, 2, 1, 3, 0, 9, 9, 9));
SELECT gpu_sort_by_key(ARRAY[1,2], as_array(1, 24, 23, 2, 1, 3));
DROP FUNCTION as_array(bytea, integer, boolean), as_array(integer[]);

-- An error in the middle of a query leaves no trace.
CREATE TABLE runs (id integer, samples integer[]);
ALTER TABLE runs ALTER samples SET STORAGE EXTERNAL;
INSERT INTO runs
SELECT id, array_agg(hashint4(i)) FROM generate_series(1, 10) AS id,
	   generate_series(1, 20000) AS i
GROUP BY id;
INSERT INTO runs SELECT 11, array_agg(ARRAY[i, -i])
FROM generate_series(1, 10000) AS i;
SELECT sum(cardinality(gpu_radix_sort(samples))) FROM runs;
SELECT sum(cardinality(gpu_radix_sort(samples))) FROM runs WHERE id < 11;
SELECT sum(cardinality(gpu_prefix_sum(samples))) FROM runs;

-- In a transaction it is undone up to a savepoint, and PL/pgSQL can handle it.
BEGIN;
SAVEPOINT before;
SELECT gpu_compact(samples) FROM runs WHERE id = 11;
SELECT gpu_compact('{0,1}'::integer[]);
ROLLBACK TO before;
SELECT gpu_compact('{0,1}'::integer[]);
COMMIT;
CREATE FUNCTION failing_runs() RETURNS SETOF integer LANGUAGE plpgsql AS $$
DECLARE
	run runs;
BEGIN
	FOR run IN SELECT * FROM runs ORDER BY id LOOP
		BEGIN
			PERFORM gpu_compact(run.samples);
			PERFORM gpu_compact(samples) FROM runs WHERE id = 12 - run.id;
		EXCEPTION WHEN feature_not_supported THEN
			RETURN NEXT run.id;
		END;
	END LOOP;
END $$;
SELECT failing_runs();

-- The session goes on.
SELECT gpu_prefix_sum(ARRAY[1,2,3]), gpu_compact(ARRAY[0,1,2]),
	   gpu_radix_sort(ARRAY[3,1,2]);

DROP FUNCTION failing_runs;
DROP TABLE runs;
