
# Calls that compute: scans, windows, buckets, groups, statistics, pairs, and
# aggregates over rows.

package Calls::Numbers;

use strict;
use warnings;

# Scans and reductions by an operator: the operator, the array, the aggregate that it
# equals, and what an exclusive scan starts with.
my @scans = map {
	my ($op, $of, $aggregate, $start, @more) = @$_;

	[ "gpu_scan($of, '$op')", each => "$aggregate(x) OVER (ORDER BY i)", of => $of, shaped => 1, @more ],
	[ "gpu_scan($of, '$op', true)", each => "coalesce($aggregate(x) {before}, $start)", of => $of,
	  shaped => 1, @more ],
	[ "gpu_reduce($of, '$op')", one => $of eq 'a' ? "$aggregate(x)" : "$aggregate(x ORDER BY i)",
	  of => $of, shaped => 1, @more ]
} (
	[ '+', 's', 'total', '0::{type}', types => 'number', fails => 'integer' ],
	[ '*', 'p', 'product', '1::{type}', types => 'number', fails => 'integer' ],
	[ '&', 'a', 'bit_and', '-1::{type}', types => 'integer', own => 1 ],
	[ '|', 'a', 'bit_or', '0::{type}', types => 'integer', own => 1 ],
	[ '#', 'a', 'bit_xor', '0::{type}', types => 'integer', own => 1 ],
	[ '{extreme}', 'a', '{EXTREME}', 'NULL', equal => 'float', long => 1 ]);

# Groups: the arrays, the operator, and the aggregate of the values that it equals.
my @groups = map {
	my ($of, $op, $aggregate, @more) = @$_;

	[ "(SELECT values FROM gpu_group($of, '$op'))", list => "$aggregate | GROUP BY x ORDER BY x",
	  of => $of, @more ]
} (
	[ 'a, b', '+', 'sum(y)::integer' ],
	[ 'a, b', 'max', 'max(y)' ],
	[ 'a, b', 'count', 'count(y)::integer' ],
	[ 'b, a', '{extreme}', '{EXTREME}(y)', equal => 'any' ],
	[ 'a, a', 'max', '{GREATEST}(y)', equal => 'any' ],
	[ 'b, s', '+', 'total(y ORDER BY i)', types => 'number', fails => 'integer' ],
	[ 'b, p', '*', 'product(y ORDER BY i)', types => 'number', fails => 'integer' ],
	[ 'b, a', 'count', 'count(y)::{type}', types => 'number', own => 1 ],
	[ 'b, a', '&', 'bit_and(y)', types => 'integer', own => 1 ],
	[ 'b, a', '|', 'bit_or(y)', types => 'integer', own => 1 ],
	[ 'a, s', '#', 'bit_xor(y)', types => 'integer' ],
	map { [ "$_->[0], a", $_->[1], "(array_agg(y ORDER BY i$_->[2]) FILTER (WHERE y IS NOT NULL))[1]" ] }
	  [ 'b', 'first', '' ], [ 'b', 'last', ' DESC' ], [ 'mask', 'last', ' DESC' ]);

# A series, summarized in bins: the values, and the aggregate that each column equals;
# and times.
my $bin = 'floor((y + 3)::numeric / {stride})';
my @resampled = map {
	my ($column, $of, $aggregate, @more) = @$_;

	[ "(SELECT $column FROM gpu_resample({sorted}, $of, {stride}, -3))",
	  list => "$aggregate | WHERE x IS NOT NULL AND y IS NOT NULL GROUP BY $bin ORDER BY $bin",
	  of => "$of, {sorted}", types => 'number', @more ]
} (
	[ 'at', '{in_range}', "($bin * {stride} - 3)::bigint" ],
	[ 'count', '{in_range}', 'count(x)' ],
	[ 'first', '{in_range}', '(array_agg(x ORDER BY i))[1]' ],
	[ 'last', '{in_range}', '(array_agg(x ORDER BY i DESC))[1]' ],
	[ 'min', '{in_range}', 'min(x)', equal => 'float' ],
	[ 'max', '{in_range}', 'max(x)', equal => 'float' ],
	[ 'avg', 's', '{mean}', equal => 'any' ]);
my $binned = q(date_bin('{period}', x, '2000-01-01 12:30+00'));

push @resampled, map {
	[ "(SELECT $_->[0] FROM gpu_resample({times}, b, '{period}', '2000-01-01 12:30+00'))",
	  list => "$_->[1] | WHERE y IS NOT NULL AND x IS NOT NULL GROUP BY $binned ORDER BY $binned",
	  of => '{TIMES}, b', types => 'timestamp', own => 1 ]
} [ 'at', $binned ], [ 'count', 'count(y)' ], [ 'max', 'max(y)' ];

# The first of the least, and of the greatest, values of each bucket of positions.
my $extremes = 'ARRAY(SELECT i::integer
	FROM (SELECT i, count(*) OVER () AS count,
				 row_number() OVER (ORDER BY i) AS place,
				 row_number() OVER (PARTITION BY b ORDER BY x, i) AS least,
				 row_number() OVER (PARTITION BY b ORDER BY x DESC, i) AS greatest
		  FROM (SELECT x, i, (i * ({kept} / 2) - 1) / (SELECT cardinality(a)) AS b
				FROM unnest(a) WITH ORDINALITY AS u (x, i) WHERE x IS NOT NULL) AS cut) AS numbered
	WHERE count <= {kept} OR place IN (1, count) OR least = 1 OR greatest = 1 ORDER BY i)';
my $at_points = 'ARRAY(SELECT x FROM unnest(%s) AS position
	JOIN unnest(%s) WITH ORDINALITY AS u (x, i) ON i = position ORDER BY i)';

# Rounding errors depend on an order.  After the factor, no digit that is rounded away
# is a 5 before zeros.
my $rounded = 'ROW(%s, ' . join(', ', ('round((%s * 0.7345918273)::numeric, 9)') x 5) . ')::text';
my @moments = qw(count corr covar_samp slope intercept r2);
my @aggregates = map { "$_(x, y)" } qw(regr_count corr covar_samp regr_slope regr_intercept regr_r2);

# A few rows of the same length, of any length, and of numbers.
my $same = '(VALUES (1, a), (2, gpu_radix_sort(a)), (3, NULL),
					(4, gpu_radix_sort(a, true))) AS r (n, v)';
my $any = '(VALUES (1, a), (2, gpu_distinct(a)), (3, NULL), (4, a)) AS r (n, v)';
my $numbers = '(VALUES (1, s), (2, p), (3, NULL), (4, s)) AS r (n, v)';
my $by_place = 'unnest(v) WITH ORDINALITY AS u (x, i) GROUP BY i ORDER BY i';

# Percentiles of frames, which cannot be window functions.
my $percentiles = 'moved(ARRAY(SELECT (SELECT PERCENTILE{PERCENTILE_FRAME}
		FROM unnest(a) WITH ORDINALITY AS u (x, i)) AS framed ORDER BY i), a)';

# Two elements at each x; and the values in order.
my ($pairs, $pairs_of_s) = map {
	"ARRAY(SELECT (i / 2)::integer FROM generate_series(1, cardinality($_)) AS i)"
} 'a', 's';
my $values = 'gpu_radix_sort(gpu_compact_nulls(a))';

our @records = (
	@scans,
	[ q(gpu_scan(%s, '{any_operator}', {bool})), chain => '', takes => 'number',
	  run => { scan => q(gpu_scan(samples, '#')) } ],
	[ q(gpu_scan(%s, 'max')), chain => '' ],
	[ q(gpu_reduce(%s, '{any_operator}')), end => 1, takes => 'number',
	  run => { reduce => q(gpu_reduce(samples, 'max')) } ],
	[ q(gpu_reduce(%s, 'max')), end => 1 ],
	[ q(gpu_reduce(%s, 'no operator')), end => 1 ],
	[ q(gpu_reduce(gpu_compact(a, '=', {literal}), 'max')), equal => 'float',
	  one => '{GREATEST}(x) | WHERE x = {literal}' ],
	[ q(gpu_scan(a, '-')), types => 'number', fails => '22023' ],
	[ q(gpu_reduce(a, '&')), types => 'float', fails => '0A000' ],
	[ q(gpu_scan(a, '+')), types => 'no number', fails => '0A000' ],

	# Aggregates of all elements, by their names.
	[ 'gpu_sum(a)', one => 'sum(x)', types => 'integer', own => 1, shaped => 1, long => 1,
	  run => { sum => 'gpu_sum(samples)' } ],
	[ 'gpu_sum(s)', one => 'total(x ORDER BY i)', of => 's', types => 'float', own => 1, shaped => 1 ],
	[ 'gpu_avg(a)', one => 'avg(x)', types => 'integer', own => 1, shaped => 1, long => 1,
	  run => { avg => 'gpu_avg(samples)' } ],
	[ 'gpu_avg(s)', one => 'avg(x)', of => 's', types => 'float', equal => 'any', shaped => 1 ],
	[ 'gpu_{extreme}(a)', one => '{EXTREME}(x)', equal => 'float', shaped => 1, long => 1,
	  run => { min => 'gpu_min(samples)', max => 'gpu_max(samples)' } ],
	[ 'gpu_median(a)', one => 'percentile_cont(0.5) WITHIN GROUP (ORDER BY x)', types => 'number',
	  equal => 'any', run => { median => 'gpu_median(samples)' } ],
	[ 'gpu_count(a)', one => 'count(x)', shaped => 1, long => 1,
	  run => { count => 'gpu_count(samples)' } ],
	[ 'gpu_sum(%s)', end => 1, takes => 'number' ],
	[ 'gpu_avg(%s)', end => 1, takes => 'number' ],
	[ 'gpu_min(%s)', end => 1 ],
	[ 'gpu_max(%s)', end => 1 ],
	[ 'gpu_median(%s)', end => 1, takes => 'number' ],
	[ 'gpu_count(%s)', end => 1 ],
	[ 'gpu_prefix_sum(s)', each => '(sum(x) OVER (ORDER BY i))::{sum}', of => 's', types => 'number',
	  fails => 'integer', shaped => 1, long => 1, run => { prefix_sum => 'gpu_prefix_sum(samples)' } ],
	[ 'gpu_prefix_sum(s, true)', each => 'coalesce((sum(x) {before})::{sum}, 0)', of => 's',
	  types => 'number', shaped => 1, long => 1 ],
	[ 'gpu_prefix_sum(%s, {bool})', chain => 'bigint', takes => 'number' ],

	# Windows.
	[ q(gpu_window(s, '+', {frame})), each => '(sum(x) {FRAME})::{type}', of => 's', types => 'number',
	  fails => 'integer', run => { window => q(gpu_window(samples, 'min', 5000, 1)) } ],
	[ q(gpu_window(a, '{extreme}', {frame})), each => '{EXTREME}(x) {FRAME}', equal => 'float' ],
	[ 'gpu_window_avg(s, {average})', each => '{AVERAGE}', of => 's', types => 'number',
	  equal => 'any', run => { window_avg => 'gpu_window_avg(samples, 0, 100)' } ],
	[ 'gpu_window_avg(a, {average})', each => '{AVERAGE}', types => 'integer', equal => 'any' ],
	[ q(gpu_window(%s, '{window}', {small}, {small})), chain => '', takes => 'number' ],
	[ 'gpu_window_avg(%s, {small})', chain => 'double precision', takes => 'number' ],
	[ 'gpu_window_percentile_cont(a, {percentile_frame})', types => 'number', equal => 'any',
	  plain => $percentiles =~ s/PERCENTILE/percentile_cont/r,
	  run => { window_percentile_cont => 'gpu_window_percentile_cont(samples, 0.3, 20000, 1)' } ],
	[ 'gpu_window_percentile_disc(a, {percentile_frame})', equal => 'float',
	  plain => $percentiles =~ s/PERCENTILE/percentile_disc/r,
	  run => { window_percentile_disc => 'gpu_window_percentile_disc(samples, 0.5, 100)' } ],
	[ 'gpu_window_percentile_cont(%s, {any_fraction}, {small})', chain => 'double precision',
	  takes => 'number' ],
	[ 'gpu_window_percentile_disc(%s, {any_fraction}, {small}, {small})', chain => '' ],

	# Windows by range: two elements at each x, or an x of the elements' type.
	[ "gpu_range_window($pairs_of_s, s, '+', {range})", each => '(sum(x) {RANGE})::{type}', of => 's',
	  types => 'number', fails => 'integer',
	  run => { range_window => q(gpu_range_window(gpu_radix_sort(points), samples, 'min', 5000)) } ],
	[ "gpu_range_window($pairs, a, '{extreme}', {range})", each => '{EXTREME}(x) {RANGE}', equal => 'float' ],
	[ q(gpu_range_window(ARRAY(SELECT generate_series(1, cardinality(a))), a, '{range_end}', 3, 20)),
	  each => '{RANGE_END}' ],
	[ "gpu_range_window($pairs_of_s, s, 'count', {range})", each => '(count(x) {RANGE})::{type}',
	  of => 's', types => 'number', own => 1 ],
	[ "gpu_range_window_avg($pairs_of_s, s, {range_average})", each => '{RANGE_AVERAGE}', of => 's',
	  types => 'number', equal => 'any',
	  run => { range_window_avg => 'gpu_range_window_avg(gpu_radix_sort(points), samples, 0, 100)' } ],
	[ "gpu_range_window($values, $values, 'count', {near})", types => 'number', own => 1,
	  list => '(count(x) OVER (ORDER BY x RANGE BETWEEN {NEAR} FOLLOWING))::{type} | WHERE x IS NOT NULL ORDER BY x' ],
	[ "gpu_range_window($values, $values, 'max', {near}, at => $values)", types => 'number', equal => 'float',
	  list => 'max(x) OVER (ORDER BY x RANGE BETWEEN {NEAR} FOLLOWING) | WHERE x IS NOT NULL ORDER BY x' ],
	[ q(gpu_range_window(gpu_radix_sort(gpu_argsort(%s)), %s, '{window}', {small}, {small})),
	  chain => '', takes => 'number' ],
	[ q(gpu_range_window(gpu_prefix_sum(gpu_rank(%s)), %s, 'last', {small}, at => gpu_radix_sort(gpu_rank(%s)))),
	  chain => '' ],
	[ 'gpu_range_window_avg(gpu_radix_sort(gpu_argsort(%s)), %s, {small})',
	  chain => 'double precision', takes => 'number' ],

	# Buckets: between thresholds in order, some of them equal, and even ones.
	[ 'gpu_bucket(a, {thresholds})', each => 'width_bucket(x, {thresholds})',
	  run => { bucket => q(gpu_bucket(samples, '{-1000000000,0,0,7,2000000000}')) } ],
	[ 'gpu_histogram(a, {thresholds})',
	  plain => '(SELECT ARRAY(SELECT count(x)::integer FROM generate_series(0, cardinality(t)) AS g
				LEFT JOIN unnest(a) AS x ON width_bucket(x, t) = g GROUP BY g ORDER BY g)
				FROM (SELECT {thresholds} AS t) AS selected)',
	  run => { histogram_by_thresholds => q(gpu_histogram(samples, '{-7,0,7}')) } ],
	[ 'gpu_histogram({in_range}, {even})', types => 'number', own => 1,
	  plain => 'ARRAY(SELECT count(x)::integer FROM {EVEN} GROUP BY g ORDER BY g)',
	  run => { histogram => 'gpu_histogram(samples, -2147483648, 2147483647, 2000)' } ],
	[ 'gpu_histogram(%s, -{small}, {small}, 4)', chain => 'integer', takes => 'number' ],
	[ q(gpu_histogram(%s, '{-9,0,9}')), chain => 'integer', takes => 'number' ],
	[ q(gpu_bucket(%s, '{-1,4}')), chain => 'integer', takes => 'number' ],
	[ 'gpu_histogram(%s, -100, {any_number}, {small})', end => 1, takes => 'number' ],

	# Groups.
	[ q((SELECT keys FROM gpu_group(a, b, '+'))), list => 'DISTINCT x | ORDER BY x', equal => 'float',
	  run => { group => q((SELECT keys || values FROM gpu_group(samples, points, 'max'))) } ],
	[ '(SELECT count FROM gpu_group_count(b, a))', list => 'count(y) | GROUP BY x ORDER BY x', of => 'b, a',
	  run => { group_count => '(SELECT count FROM gpu_group_count(samples, points))' } ],
	@groups,
	[ '(SELECT avg FROM gpu_group_avg(b, s))', list => '{mean} | GROUP BY y ORDER BY y', of => 's, b',
	  types => 'number', equal => 'any',
	  run => { group_avg => '(SELECT avg FROM gpu_group_avg(samples, points))' } ],
	[ '(SELECT avg FROM gpu_group_avg(b, a))', list => '{mean} | GROUP BY y ORDER BY y', of => 'a, b',
	  types => 'integer', equal => 'any' ],
	[ 'gpu_group_avg(b, %s)', end => 1, takes => 'number' ],
	[ 'gpu_group_avg(%s, b)', end => 1 ],
	[ 'gpu_group_count(%s, %s)', end => 1 ],
	[ q(gpu_group(%s, %s, 'max')), end => 1 ],
	[ q(gpu_group(%s, b, '{any_operator}')), end => 1 ],
	[ q(gpu_group(b, %s, '{any_operator}')), end => 1, takes => 'number' ],
	[ q(gpu_group(%s, %s, '{end}')), end => 1 ],

	# Statistics; not the variance of floats, whose rounding errors depend on an order.
	# (A zero may be negative.)
	[ '(SELECT t::text FROM gpu_stats(a) AS t)', types => 'integer', own => 1, shaped => 1, long => 1,
	  plain => '(SELECT ROW(count(x), count(*) - count(x), sum(x), min(x), max(x),
							avg(x), variance(x), stddev(x))::text FROM unnest(a) AS x)',
	  run => { stats => 'gpu_stats(samples)::text' } ],
	[ '(SELECT ROW(t.count, t.nulls, t.sum, t.min + 0, t.max + 0, t.avg)::text FROM gpu_stats(s) AS t)',
	  types => 'float', shaped => 1,
	  plain => '(SELECT ROW(count(x), count(*) - count(x), sum(x), min(x) + 0, max(x) + 0,
							avg(x))::text FROM unnest(s) AS x)' ],
	[ 'gpu_stats(%s)', end => 1, takes => 'number' ],
	[ '(gpu_stats(%s)).variance', end => 1, takes => 'number' ],
	[ '(SELECT s FROM gpu_stats(%s) AS s)', end => 1, takes => 'number' ],

	# Series in bins.
	@resampled,
	[ 'gpu_resample(gpu_radix_sort(%s), %s, {stride})', end => 1, takes => 'int4',
	  run => { resample => '(SELECT avg FROM gpu_resample(gpu_radix_sort(points), samples, 1000))' } ],
	[ 'gpu_resample(gpu_prefix_sum(b), %s, {stride})', end => 1, takes => 'number' ],
	[ 'gpu_resample(%s, b, {stride})', end => 1, takes => 'int4' ],

	# A few elements in the place of all.
	[ 'gpu_downsample(a, {kept})', types => 'number', plain => $extremes,
	  run => { downsample => 'gpu_downsample(samples, 1000)' } ],
	[ q(gpu_downsample(s, {triangle}, 'lttb')), types => 'number',
	  plain => 'triangles(s, {triangle})', run => { downsample_lttb => q(gpu_downsample(samples, 1000, 'lttb')) } ],
	[ "gpu_downsample($pairs_of_s, s, {triangle}, 'lttb')", types => 'number',
	  plain => "triangles(s, {triangle}, $pairs_of_s)",
	  run => { downsample_series => q(gpu_downsample(gpu_radix_sort(points), samples, 1000, 'lttb')) } ],
	[ '(SELECT positions FROM gpu_downsample_points(a, {kept}))', types => 'number',
	  plain => $extremes,
	  run => { downsample_points => 'gpu_downsample_points(samples, 1000)::text' } ],
	[ '(SELECT values FROM gpu_downsample_points(a, {kept}))', types => 'number',
	  plain => sprintf($at_points, $extremes, 'a') ],
	[ q((SELECT positions FROM gpu_downsample_points(s, {triangle}, 'lttb'))), types => 'number',
	  plain => 'triangles(s, {triangle})' ],
	[ q((SELECT values FROM gpu_downsample_points(s, {triangle}, 'lttb'))), types => 'number',
	  plain => sprintf($at_points, 'triangles(s, {triangle})', 's') ],
	[ q(gpu_downsample(%s, {points}, '{shape}')), chain => 'integer', takes => 'number' ],
	[ q(gpu_downsample_points(%s, {points}, '{shape}')), end => 1, takes => 'number' ],

	# Sums over the pairs of two arrays.
	[ 'gpu_dot(s, p)', one => 'sum(x{wider} * y)', of => 's, p', types => 'number',
	  run => { dot => 'gpu_dot(samples, points)' } ],
	[ 'gpu_dot(a, {backwards})', one => 'sum(x{wider} * y)', of => 'a, {backwards}',
	  types => 'integer', own => 1 ],
	(map {
		my $of = $_;

		[ '(SELECT ' . sprintf($rounded, map { "r.$_" } @moments) . " FROM gpu_regr($of) AS r)",
		  plain => '(SELECT ' . sprintf($rounded, @aggregates) . " FROM unnest($of) AS u (x, y))",
		  types => 'number', run => { regr => 'gpu_regr(samples, points)::text' } ]
	} 's, p', 'p, s', 's, b'),
	[ 'gpu_dot(%s, %s)', end => 1, takes => 'number' ],
	[ q(gpu_dot(%s, gpu_map(%s, 'abs'))), end => 1, takes => 'number' ],
	[ 'gpu_dot(%s, b)', end => 1, takes => 'int4' ],
	[ 'gpu_regr(%s, %s)', end => 1, takes => 'number' ],
	[ q(gpu_regr(gpu_map(%s, '-'), %s)), end => 1, takes => 'number' ],
	[ 'gpu_regr(%s, b)', end => 1, takes => 'number' ],
	[ 'gpu_regr(b, %s)', end => 1, takes => 'number' ],

	# Aggregates over rows.
	[ "(SELECT gpu_min_agg(v) FROM $same)", equal => 'float',
	  plain => "ARRAY(SELECT (array_agg(x ORDER BY x) FILTER (WHERE x IS NOT NULL))[1]
					  FROM $same, $by_place)",
	  run => { min_agg => '(SELECT gpu_min_agg(s) FROM (VALUES (samples), (points)) AS r (s))' } ],
	[ "(SELECT gpu_max_agg(v) FROM $same)", equal => 'float',
	  plain => "ARRAY(SELECT (array_agg(x ORDER BY x DESC) FILTER (WHERE x IS NOT NULL))[1]
					  FROM $same, $by_place)",
	  run => { max_agg => '(SELECT gpu_max_agg(s) FROM (VALUES (samples), (points)) AS r (s))' } ],
	[ "(SELECT gpu_concat_agg(v ORDER BY n) FROM $any)", equal => 'float',
	  plain => "ARRAY(SELECT x FROM $any, unnest(v) WITH ORDINALITY AS u (x, i) ORDER BY n, i)",
	  run => { concat_agg => '(SELECT gpu_concat_agg(s ORDER BY n)
							   FROM (VALUES (1, samples), (2, NULL)) AS r (n, s))' } ],
	[ "(SELECT gpu_distinct_agg(v ORDER BY n) FROM $any)", equal => 'float',
	  plain => 'ARRAY(SELECT DISTINCT x FROM unnest(a) AS x ORDER BY x)',
	  run => { distinct_agg => '(SELECT gpu_distinct_agg(s) FROM (VALUES (samples)) AS r (s))' } ],
	[ "(SELECT gpu_sum_agg(v ORDER BY n) FROM $numbers)", types => 'number', fails => 'integer',
	  plain => "ARRAY(SELECT {summed}(x ORDER BY n)::{sum} FROM $numbers, $by_place)",
	  run => { sum_agg => '(SELECT gpu_sum_agg(s) FROM (VALUES (samples), (points)) AS r (s))' } ],
	[ "(SELECT gpu_avg_agg(v ORDER BY n) FROM $numbers)", types => 'number', equal => 'any',
	  plain => "ARRAY(SELECT {mean} FROM $numbers, $by_place)",
	  run => { avg_agg => '(SELECT gpu_avg_agg(s) FROM (VALUES (samples), (points)) AS r (s))' } ],
	[ "(SELECT gpu_avg_agg(v) FROM $same)", types => 'integer', equal => 'any',
	  plain => "ARRAY(SELECT {mean} FROM $same, $by_place)" ],
	[ "(SELECT gpu_count_agg(v) FROM $same)", plain => "ARRAY(SELECT count(x) FROM $same, $by_place)",
	  run => { count_agg => '(SELECT gpu_count_agg(s) FROM (VALUES (samples), (points)) AS r (s))' } ],
	[ "(SELECT gpu_stddev_agg(v ORDER BY n) FROM $numbers)", types => 'number', equal => 'any',
	  plain => "ARRAY(SELECT stddev(x ORDER BY n)::float8 FROM $numbers, $by_place)",
	  run => { stddev_agg => '(SELECT gpu_stddev_agg(s) FROM (VALUES (samples), (points)) AS r (s))' } ],
	[ "(SELECT gpu_median_agg(v) FROM $same)", types => 'number', equal => 'any',
	  plain => "ARRAY(SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY x) FROM $same, $by_place)",
	  run => { median_rows_agg => '(SELECT gpu_median_agg(s) FROM (VALUES (samples), (points)) AS r (s))' } ],
	[ "(SELECT gpu_percentile_cont_agg(v, 0.3) FROM $same)", types => 'number', equal => 'any',
	  plain => "ARRAY(SELECT percentile_cont(0.3) WITHIN GROUP (ORDER BY x) FROM $same, $by_place)",
	  run => { percentile_rows_agg => '(SELECT gpu_percentile_cont_agg(s, 0.3)
										FROM (VALUES (samples), (points)) AS r (s))' } ],
	[ '(SELECT gpu_max_agg(x) FROM (VALUES (%s)) AS v (x))', end => 1, takes => 'number' ]);

1;
