
# A call of each function, for tests of what is promised of all functions; and the
# table of arrays that the calls are made on.

package Calls;

use strict;
use warnings;

use Exporter qw(import);

our @EXPORT = qw(calls cpu_alone load_runs);

# A call of each function on the columns of a row of "runs", in a hash: its
# name for tests, and the call.
sub calls
{
	return (
		'argsort' => 'gpu_argsort(samples)',
		'avg_agg' => '(SELECT gpu_avg_agg(s) FROM (VALUES (samples), (points)) AS r (s))',
		'bucket' => q(gpu_bucket(samples, '{-1000000000,0,0,7,2000000000}')),
		'compact' => 'gpu_compact(samples)',
		'compact_by_mask' => 'gpu_compact(samples, mask)',
		'compact_by_members' => 'gpu_compact_in(samples, points)',
		'compact_between' => q(gpu_compact(samples, 'between', -7, 1000000000)),
		'compact_nulls' => 'gpu_compact_nulls(samples)',
		'compact_by_value' => q(gpu_compact(samples, '>', 0)),
		'compare' => q(gpu_compare(samples, '>', 0)),
		'compare_between' => q(gpu_compare(samples, 'between', -7, 1000000000)),
		'compare_arrays' => q(gpu_compare(samples, '>', points)),
		'compare_by_null' => q(gpu_compare(samples, 'is null')),
		'concat_agg' =>
		  '(SELECT gpu_concat_agg(s ORDER BY n) FROM (VALUES (1, samples), (2, NULL)) AS r (n, s))',
		'delta' => 'gpu_delta(points)',
		'distinct' => 'gpu_distinct(samples)',
		'distinct_in_order' => 'gpu_distinct(samples, true)',
		'distinct_agg' => '(SELECT gpu_distinct_agg(s) FROM (VALUES (samples)) AS r (s))',
		'distinct_counts' => '(gpu_distinct_counts(samples)).counts',
		'dot' => 'gpu_dot(samples, points)',
		'downsample' => 'gpu_downsample(samples, 1000)',
		'downsample_points' => 'gpu_downsample_points(samples, 1000)::text',
		'downsample_lttb' => q(gpu_downsample(samples, 1000, 'lttb')),
		'from_bytes' => 'gpu_from_bytes(gpu_to_bytes(points), NULL::integer[])',
		'group' => q((SELECT keys || values FROM gpu_group(samples, points, 'max'))),
		'fill' => 'gpu_fill(samples)',
		'histogram' => 'gpu_histogram(samples, -2147483648, 2147483647, 2000)',
		'histogram_by_thresholds' => q(gpu_histogram(samples, '{-7,0,7}')),
		'interpolate' => 'gpu_interpolate(gpu_radix_sort(points), points, samples)',
		'map' => q(gpu_map(samples, 'greatest', -7)),
		'map_function' => q(gpu_map(points, '-')),
		'max_agg' => '(SELECT gpu_max_agg(s) FROM (VALUES (samples), (points)) AS r (s))',
		'min_agg' => '(SELECT gpu_min_agg(s) FROM (VALUES (samples), (points)) AS r (s))',
		'mode' => 'gpu_mode(samples)',
		'pack' => 'gpu_unpack(gpu_pack(samples), samples)',
		'pack_chain' => q(gpu_reduce(gpu_unpack(gpu_pack(samples), samples), '#')),
		'packed_slice' => 'gpu_slice(gpu_pack(samples), 2, 70000, samples)',
		'pad' => '(gpu_pad(samples, 134217727))[1:100000]',
		'percentile_cont' => 'gpu_percentile_cont(samples, 0.3)',
		'percentile_disc' =>
		  q(gpu_percentile_disc(samples, '{0.1,0.5,0.9}'::double precision[])),
		'positions' => q(gpu_positions(samples, '>', 0)),
		'positions_between' => q(gpu_positions(samples, 'between', -7, 1000000000)),
		'positions_by_null' => q(gpu_positions(samples, 'is null')),
		'positions_by_mask' => 'gpu_positions(mask)',
		'prefix_sum' => 'gpu_prefix_sum(samples)',
		'radix_sort' => 'gpu_radix_sort(samples)',
		'set_except' => 'gpu_except(samples, points)',
		'set_intersect' => 'gpu_intersect(samples, points)',
		'set_intersect_count' => 'gpu_intersect_count(samples, points)',
		'set_union' => 'gpu_union(samples, points)',
		'rank' => 'gpu_rank(samples)',
		'reduce' => q(gpu_reduce(samples, 'max')),
		'regr' => 'gpu_regr(samples, points)::text',
		'run_lengths' => '(gpu_run_lengths(samples)).lengths',
		'scan' => q(gpu_scan(samples, '#')),
		'sort_by_key' => 'gpu_sort_by_key(points, samples)',
		'slice' => 'gpu_slice(samples, 2, 2147483647)',
		'stats' => 'gpu_stats(samples)::text',
		'sum_agg' => '(SELECT gpu_sum_agg(s) FROM (VALUES (samples), (points)) AS r (s))',
		'take' => 'gpu_take(samples, points)',
		'to_bytes' => 'gpu_to_bytes(points)',
		'top_k' => '(gpu_top_k(samples, 100)).positions',
		'utf8_decode' => q(gpu_utf8_decode(bytes, 'replace')),
		'utf8_encode' => q(gpu_utf8_encode(points, 'skip')),
		'utf8_errors' =>
		  '(SELECT array_agg(byte_offset * 8::bigint + length) FROM gpu_utf8_errors(bytes))',
		'utf8_is_valid' => 'gpu_utf8_is_valid(bytes)',
		'utf8_repair' => 'gpu_utf8_repair(bytes)',
		'where' => 'gpu_where(mask, samples, points)',
		'where_value' => 'gpu_where(mask, samples, 7)',
		'window' => q(gpu_window(samples, 'min', 5000, 1)),
		'window_avg' => 'gpu_window_avg(samples, 0, 100)',
		'zip' => q(gpu_zip(samples, 'least', points)));
}

# The calls that no GPU ever serves.
sub cpu_alone
{
	return qw(avg_agg compare_by_null concat_agg from_bytes max_agg min_agg pack packed_slice
	  pad positions_by_null slice sum_agg to_bytes);
}

# Makes the table "runs", for the calls: arrays of a given length, stored out
# of line, and with them a few that are stored in other ways.  In the table
# "answers" is what the CPU engine answers, in a column for each call; to compress
# that would take longer than to compute it.
sub load_runs
{
	my ($node, $count, %calls) = @_;
	%calls = calls() unless %calls;
	my @names = sort keys %calls;
	my $answers = 'SELECT id, '
	  . join(', ', map { "$calls{$_} AS $_" } @names) . ' FROM runs';

	$node->safe_psql(
		'postgres', qq(
		CREATE TABLE runs (id integer, samples integer[], mask boolean[],
						   points integer[], bytes bytea);
		ALTER TABLE runs
			ALTER samples SET STORAGE EXTERNAL, ALTER mask SET STORAGE EXTERNAL,
			ALTER points SET STORAGE EXTERNAL, ALTER bytes SET STORAGE EXTERNAL;
		INSERT INTO runs
		SELECT id,
			   array_agg(CASE WHEN i % 7 = 3 THEN 0
							  WHEN i % 100 < id THEN NULL
							  ELSE hashint4(i) END ORDER BY i),
			   array_agg(i % 3 = 0 ORDER BY i),
			   array_agg(hashint4(i) % 1200000 ORDER BY i),
			   decode(repeat('61c3a9e282acf09f9880ff', n / 2), 'hex')
		FROM unnest(ARRAY[$count, 5, 20000]) WITH ORDINALITY AS u (n, id),
			 generate_series(1, n) AS i
		GROUP BY id, n;
		ALTER TABLE runs
			ALTER samples SET STORAGE EXTENDED, ALTER mask SET STORAGE EXTENDED,
			ALTER points SET STORAGE EXTENDED, ALTER bytes SET STORAGE EXTENDED;
		INSERT INTO runs
		SELECT 4, array_fill(7, ARRAY[20000]), array_fill(true, ARRAY[20000]),
			   array_fill(7, ARRAY[20000]), convert_to(repeat('a', 20000), 'UTF8');
		SET gpucompact.engine = cpu;
		CREATE TABLE answers AS $answers WITH NO DATA;
		DO \$\$
		DECLARE
			name text;
		BEGIN
			FOR name IN SELECT attname FROM pg_attribute
				WHERE attrelid = 'answers'::regclass AND attnum > 0 AND attstorage = 'x' LOOP
				EXECUTE format('ALTER TABLE answers ALTER %I SET STORAGE EXTERNAL', name);
			END LOOP;
		END \$\$;
		INSERT INTO answers $answers;));
	return;
}

1;
