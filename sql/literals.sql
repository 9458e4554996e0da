-- Array literals without a type
SET quote_all_identifiers = off;

-- A literal that nothing else gives a type is an integer[].
SELECT gpu_prefix_sum('{1,2,NULL}'), gpu_prefix_sum('{1,2}', true),
	   gpu_prefix_sum('{1,2}', exclusive => true);
SELECT gpu_scan('{3,1,4}', 'max'), gpu_scan('{3,1,4}', '+', true),
	   gpu_reduce('{3,1,4}', '+'), gpu_delta('{3,4,8}'), gpu_delta('{3,4,8}', 2);
SELECT gpu_compact('{1,0,2}'), gpu_compact('{1,0,2}', '{t,f,NULL}'),
	   gpu_compact('{1,0,2}', ARRAY[true,false,true]);
SELECT gpu_compact('{1,0,2}', '>', 1), gpu_compact('{1,0,2}', '>', '1'),
	   gpu_positions('{1,0,2}', '>', 1), gpu_positions('{1,0,2}', '>', '1'),
	   gpu_positions('{t,f}');
SELECT gpu_compact('{1,0,2}', 'between', 1, 2), gpu_compact('{1,0,2}', 'between', '1', '2'),
	   gpu_positions('{1,0,2}', 'between', '1', 2),
	   gpu_positions('{1,0,2}', 'between', '0', '1');
SELECT gpu_compact_nulls('{1,NULL,0}'), gpu_compact('{1,NULL,0}', 'is not null'),
	   gpu_compact('{1,NULL}', 'is null'), gpu_positions('{1,NULL}', 'is null');
SELECT gpu_compact_in('{1,0,2}', '{1,2}'), gpu_compact_in('{1,0,2}', '{1}', true),
	   gpu_compact_in('{1,0,2}', ARRAY[1]);
SELECT gpu_radix_sort('{3,NULL,1}'), gpu_radix_sort('{3,NULL,1}', true),
	   gpu_radix_sort('{3,NULL,1}', true, false), gpu_argsort('{3,1}'),
	   gpu_radix_sort('{3,NULL,1}', nulls_first => true);
SELECT gpu_take('{5,6,7}', '{3,1}'), gpu_take('{5,6,7}', ARRAY[2]),
	   gpu_fill('{5,NULL}'), gpu_fill('{NULL,5}', backward => true);
SELECT gpu_window('{1,2,3}', '+', 1), gpu_window('{1,2,3}', 'max', 0, 1),
	   gpu_window_avg('{1,2,3}', 1);
SELECT gpu_downsample('{5,9,1,4}', 2), gpu_downsample('{5,9,1,4}', 3, 'lttb'),
	   gpu_rank('{5,9,5}'), gpu_rank('{5,9,5}', 'first'),
	   gpu_rank('{5,9,5}', method => 'min');
SELECT gpu_distinct('{2,1,2}'), gpu_distinct('{2,1,2}', true), gpu_mode('{2,1,2}');
SELECT * FROM gpu_distinct_counts('{2,1,2}'), gpu_run_lengths('{2,2,1}'),
	   gpu_top_k('{3,9,4}', 2);
SELECT * FROM gpu_stats('{1,2,NULL}');
SELECT gpu_percentile_cont('{1,2}', 0.5), gpu_percentile_cont('{1,2}', '{0,0.5}'),
	   gpu_percentile_cont('{1,2}', ARRAY[0,0.5]), gpu_percentile_disc('{1,2}', 0.5),
	   gpu_percentile_disc('{1,2}', '{0,0.5}'), gpu_percentile_disc('{1,2}', ARRAY[0,0.5]);
SELECT gpu_histogram('{1,2,3}', '{2}'), gpu_histogram('{1,2,3}', 0, 4, 2),
	   gpu_bucket('{1,2,3}', '{2}');
SELECT gpu_union('{1,2}', '{2,3}'), gpu_intersect('{1,2}', '{2,3}'),
	   gpu_except('{1,2}', '{2,3}'), gpu_intersect_count('{1,2}', '{2,3}'),
	   gpu_union('{1,2}', ARRAY[2,3]);
SELECT gpu_to_bytes('{1,2}'), gpu_pad('{1,2}', 3);
SELECT * FROM gpu_downsample_points('{5,9,1,4}', 2),
	   gpu_downsample_points('{5,9,1,4}', 3, 'lttb') AS l;
SELECT pg_typeof(gpu_radix_sort('{1}')), pg_typeof(gpu_prefix_sum('{1}')),
	   pg_typeof(gpu_reduce('{1}', '+'));
SELECT gpu_reduce(gpu_compact(gpu_radix_sort('{3,0,1}')), '+');
SELECT gpu_radix_sort(NULL) IS NULL AS null, gpu_reduce('{}', '+') IS NULL AS none,
	   gpu_compact('[5:6]={1,0}'), gpu_radix_sort(E'{"1", 2\n}');

-- Two literals are, too, where the arrays may be of two types.
SELECT gpu_sort_by_key('{1,2,3}', '{3,NULL,1}'), gpu_sort_by_key('{1,2,3}', '{3,NULL,1}', true),
	   gpu_sort_by_key('{1,2,3}', keys => '{3,NULL,1}', nulls_first => true),
	   gpu_sort_by_key(NULL, '{1}') IS NULL AS is_null;
SELECT * FROM gpu_group('{3,1,3}', '{10,20,30}', '+'),
	   gpu_group(keys => '{3,1,3}', a => '{10,NULL,30}', op => 'count') AS c (k, n);

-- Wherever expressions are.
CREATE VIEW literals AS
SELECT gpu_radix_sort('{2,1}') AS sorted, gpu_scan('{3,1}', E'm\x61x') AS scanned;
SELECT * FROM literals;
DROP VIEW literals;
CREATE TABLE runs (kind integer DEFAULT gpu_reduce('{1,2}', '+'))
PARTITION BY LIST (kind);
CREATE TABLE runs_3 PARTITION OF runs FOR VALUES IN (gpu_reduce('{1,2}', '+'));
CREATE INDEX ON runs (kind) WHERE kind = gpu_reduce('{1,2}', '+');
INSERT INTO runs DEFAULT VALUES RETURNING tableoid::regclass, kind;
SELECT gpu_take('{5,6,7}', ARRAY[kind]), gpu_compact('{5,6,7}', '>', kind) FROM runs;
DROP TABLE runs;
DO $$
DECLARE
	sorted integer[];
BEGIN
	sorted := gpu_radix_sort('{3,1}');
	RAISE NOTICE '%', sorted;
END $$;

-- What is no array of integers is an error, which says what to write.
SELECT gpu_radix_sort('{0.5}');
SELECT gpu_radix_sort('{3000000000}');
SELECT gpu_radix_sort('{0.5,-1}'::real[]);

SELECT gpu_sort_by_key('{1,2}', '{0.5,0.1}');
SELECT gpu_group('{a,b}', '{1,2}', '+');
SELECT gpu_percentile_cont('{1,2}', '0.5');
SELECT gpu_percentile_disc('{1,2}', 'half');
SELECT gpu_percentile_cont('{0.5}', '{0.5}');

-- Another error is that of the function.
\set VERBOSITY sqlstate
SELECT gpu_radix_sort('3,1');
SELECT gpu_reduce('{1}', 'avg');
SELECT gpu_reduce('{2147483647,1}', '+');
SELECT gpu_compact('{1,2}', '{t}');
SELECT gpu_compact('{1,2}', 'between', 1.5, 2);
\set VERBOSITY default

-- 42P18: a parameter is not a literal.  42883: nor is a text.
\set VERBOSITY sqlstate
PREPARE sorted AS SELECT gpu_radix_sort($1);
SELECT gpu_radix_sort('{1}'::text);
SELECT gpu_radix_sort(kind) FROM (SELECT '{1}' AS kind) AS r;
PREPARE sorted AS SELECT gpu_radix_sort($1::integer[]);
EXECUTE sorted('{2,1}');
DEALLOCATE sorted;

-- Nor does a literal take part where another argument gives it a type.
SELECT gpu_union('{0.5}', ARRAY[1.5::real]), gpu_compact('{0.5,1}', '>', 0.6::real);
\set VERBOSITY default
