-- Errors that no function's script has, and that the session goes on after one
\getenv srcdir PG_ABS_SRCDIR \set ECHO none \i :srcdir/sql/calls.psql

COPY sqlstates FROM stdin;
-- 42883: no function for these types, or this number of arguments.
gpu_prefix_sum('{a}'::text[])
gpu_compact(1)
gpu_compact(ARRAY[1], ARRAY[1])
gpu_positions(ARRAY[1])
gpu_prefix_sum()
gpu_radix_sort(ARRAY[1], true, true, true)
gpu_radix_sort(ARRAY[1], ascending => true)
gpu_sort_by_key(ARRAY[1])
gpu_run_lengths(1)
gpu_stats('{2024-02-29}'::date[])
-- 42804, 42725: a literal has no type, if it is alone or the other array may have
-- another type.
gpu_sort_by_key('{1}', ARRAY[1])
gpu_group('{1}', ARRAY[1], '+')
gpu_max_agg('{1}')
gpu_sum_agg('{1}')
-- 22P02: text that is not what it is to be; 22003: no integer.
gpu_compact('{a}'::integer[])
gpu_compact('1,2'::integer[])
gpu_compact('{3000000000}'::integer[])
gpu_compact(ARRAY[1], '=', 'a')
gpu_compact(ARRAY[1], '{maybe}')
gpu_radix_sort(ARRAY[1], 'perhaps')
-- 42804: values of types that there are not for it.
gpu_compact(ARRAY[1], 'between', 1.5, 'a'::text)
gpu_compact(ARRAY[1], '=', true)
gpu_compact('{1}'::money[], '=', 1)
gpu_compact(ARRAY[1], '=', VARIADIC ARRAY[1])
gpu_cache_load('a')
gpu_percentile_disc(ARRAY[1], date '2024-02-29')
-- 42725: several functions for the type; 0A000: vectors, whose subscripts have to
-- begin with 0.
gpu_prefix_sum('1 2'::int2vector)
gpu_compact('0 0'::oidvector)
gpu_compact('0 0'::oidvector, '>', 0)
gpu_radix_sort('2 1'::int2vector)
gpu_sort_by_key('2 1'::oidvector, ARRAY[1,2])
-- 22023: too many masks.
gpu_compact(ARRAY[1], '{t}', '{t}', '{t}', '{t}')
\.

-- What they say of types.
COPY messages FROM stdin;
gpu_prefix_sum('{1}'::numeric[])
gpu_radix_sort(ARRAY[2.5,1.5])
gpu_scan(ARRAY[2.5,1.5], '+')
gpu_min_agg(ARRAY[2.5,1.5])
gpu_from_bytes('', NULL::numeric[])
gpu_sort_by_key(ARRAY[1,2], ARRAY[2.5,1.5])
gpu_sort_by_key(ARRAY[1,2], '{a,b}'::text[])
gpu_sort_by_key('{a,b}'::varchar[], ARRAY[1,2])
gpu_compact('{a}'::text[], '<', 'b')
gpu_compact('{1}'::numeric[], '{t}')
gpu_positions('{1}'::numeric[], '<', 2)
gpu_pad('{a}'::text[], 1)
gpu_downsample_points('{2024-02-29}'::date[], 2)
gpu_distinct('{1 s}'::interval[])
gpu_distinct_counts('{a}'::text[])
gpu_run_lengths(ARRAY['ok','ok','fault'])
gpu_argsort('{}'::point[])
gpu_take('{}'::uuid[], ARRAY[1])
gpu_window('{12:00}'::time[], '+', 1)
gpu_delta('{1}'::money[])
gpu_cache_load(1)
gpu_scan('1 2'::int2vector, '+')
-- A column of pg_stats is of type anyarray, which does not say that of the elements.
gpu_from_bytes('', (SELECT histogram_bounds FROM pg_stats LIMIT 0))
gpu_unpack('integer:{1}', (SELECT histogram_bounds FROM pg_stats LIMIT 0))
gpu_array_agg(s, (SELECT histogram_bounds FROM pg_stats LIMIT 0)) FROM (SELECT gpu_values_state(1) AS s) AS states
-- What they say of names that are in use elsewhere; two of these are accepted.
gpu_scan(ARRAY[1,2], 'sum'), gpu_reduce(ARRAY[1,2], 'sum'), gpu_window(ARRAY[1,2], 'sum', 1)
(gpu_group(ARRAY[1,1], ARRAY[1,2], 'sum')).values, gpu_compact(ARRAY[1,2], '!=', 1)
gpu_scan(ARRAY[1], 'mean')
gpu_scan(ARRAY[1], 'cumsum')
gpu_scan(ARRAY[1], 'MAX')
gpu_reduce(ARRAY[1], '')
gpu_reduce(ARRAY[1], 'avg')
gpu_reduce(ARRAY[1], 'count')
gpu_reduce(ARRAY[1], 'stddev')
gpu_reduce(ARRAY[1], 'median')
gpu_reduce(ARRAY[1], 'mode')
gpu_reduce(ARRAY[1], 'product')
gpu_reduce(ARRAY[1], 'SUM')
gpu_reduce('{t}'::boolean[], 'bool_or')
gpu_reduce(ARRAY[1], 'rank')
gpu_reduce(ARRAY[1], '^')
gpu_window(ARRAY[1], 'avg', 1)
gpu_window(ARRAY[1], 'median', 1)
gpu_window(ARRAY[1], 'greatest', 1)
gpu_window(ARRAY[1], 'product', 1)
gpu_group(ARRAY[1], ARRAY[1], 'average')
gpu_group(ARRAY[1], ARRAY[1], 'median')
gpu_group(ARRAY[1], ARRAY[1], 'bit_xor')
gpu_compact(ARRAY[1], '~', 1)
gpu_positions(ARRAY[1], '==', 1)
gpu_compact(ARRAY[1], 'gt', 1)
gpu_compare(ARRAY[1], 'not_equal', 1)
gpu_positions(ARRAY[1], '+', 1, 2)
gpu_positions(ARRAY[1], '+')
gpu_rank(ARRAY[1], 'dense_rank')
gpu_rank(ARRAY[1], 'rank')
gpu_rank(ARRAY[1], 'row_number')
gpu_rank(ARRAY[1], 'average')
gpu_downsample(ARRAY[1], 3, 'LTTB')
gpu_utf8_decode('\\x41'::bytea, 'strict')
gpu_utf8_repair('\\x41'::bytea, 'Ignore')
\.

-- 0A000: an array of a type that no function takes, and one of several dimensions, in any
-- argument of any function.  A call has one such argument, and others that fit: of some
-- words, one does.  No row is to come of these.
\set ECHO none
CREATE FUNCTION pg_temp.outcome_with(function name, types oidvector, element text, at bigint DEFAULT 0, given text DEFAULT '')
RETURNS text LANGUAGE sql AS $$
	SELECT outcome
	FROM (SELECT format('%I(%s)', function, string_agg(CASE
				WHEN i = at THEN given
				WHEN type IN ('anyarray', 'anycompatiblearray') THEN format('''{1,2}''::%s[]', element)
				WHEN type ~ '^any' THEN format('''1''::%s', element)
				WHEN type ~ '^timestamp.*\[\]$' THEN format('''{2026-11-01,2026-11-02}''::%s', type)
				WHEN type ~ '\[\]$' THEN format('''{1,0}''::%s', type)
				WHEN type ~ '^timestamp' THEN format('''2026-11-01''::%s', type)
				WHEN type IN ('text', 'character varying', 'name') THEN 'word::' || type
				WHEN type = 'double precision' THEN '0.5::double precision'
				WHEN type = 'boolean' THEN 'true'
				WHEN type = 'bytea' THEN '''1234''::bytea'
				WHEN type = 'interval' THEN '''1 hour''::interval'
				WHEN type = 'gpu_packed' THEN '''integer:{1,2}''::gpu_packed'
				ELSE format('''2''::%s', type) END, ', ' ORDER BY i))
		  FROM unnest(types) WITH ORDINALITY AS u (t, i), format_type(t, NULL) AS type) AS c (call),
		 unnest(CASE WHEN call LIKE '%word::%' THEN '{+,=,between,is null,abs,dense,minmax,skip}'::text[] ELSE '{+}' END) AS word,
		 pg_temp.outcome(replace(call, 'word::', quote_literal(word) || '::'), false) AS outcome
	ORDER BY outcome = ': 22023', outcome LIMIT 1
$$;
\set ECHO all
SELECT member, element, outcome
FROM members, unnest('{text,numeric}'::text[]) AS element, pg_temp.outcome_with(proname, proargtypes, element) AS outcome
WHERE member ~ '^gpu_.*\many(compatible)?array\M' AND member !~ 'gpu_(packed|state)' AND outcome NOT IN (': 0A000', ': 42725');
-- Some take several dimensions.
SELECT outcome, string_agg(DISTINCT format('%s %s', proname, i), ' ' ORDER BY format('%s %s', proname, i)) AS arguments
FROM members, unnest(proargtypes) WITH ORDINALITY AS u (t, i), format_type(t, NULL) AS type,
	 LATERAL (SELECT CASE WHEN type ~ '^any' THEN '{{1},{2}}' WHEN type ~ '^(date|timestamp)' THEN '{{2026-11-01},{2026-11-02}}'
						  WHEN type ~ '^time' THEN '{{10:00},{11:00}}' ELSE '{{1},{0}}' END AS shaped) AS s,
	 regexp_replace(pg_temp.outcome_with(proname, proargtypes, 'integer', i, format('%L::%s', shaped, CASE WHEN type ~ '^any' THEN 'integer[]' ELSE type END)),
					'^ = .*', 'taken') AS outcome
WHERE member ~ '^gpu_' AND member !~ 'gpu_state|numeric\[' AND type ~ '^any(compatible)?array$|\[\]$' AND outcome NOT IN (': 0A000', ': 42725')
GROUP BY outcome;

-- An error in the middle of a query leaves no trace.
CREATE TABLE runs (id integer, samples integer[]);
ALTER TABLE runs ALTER samples SET STORAGE EXTERNAL;
INSERT INTO runs SELECT id, array_agg(hashint4(i)) FROM generate_series(1, 10) AS id, generate_series(1, 20000) AS i GROUP BY id;
INSERT INTO runs SELECT 11, array_agg(ARRAY[i, -i]) FROM generate_series(1, 10000) AS i;
\set VERBOSITY sqlstate
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
\set ECHO none
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
\set ECHO all
SELECT failing_runs();

-- The session goes on.
SELECT gpu_prefix_sum(ARRAY[1,2,3]), gpu_compact(ARRAY[0,1,2]), gpu_radix_sort(ARRAY[3,1,2]);
DROP FUNCTION failing_runs;
DROP TABLE runs;
