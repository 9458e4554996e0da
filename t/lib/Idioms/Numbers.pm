
# Idioms of calls that compute: scans, windows, buckets, groups, aggregates over rows.

package Idioms::Numbers;

use strict;
use warnings;

use Exporter qw(import);
use Arrays;

our @EXPORT = qw(bucket_calls histogram_calls bucket_idiom sum_calls
  downsample_calls stats_calls pair_calls number_calls extreme_calls time_calls group_calls
  rows_calls bytes_calls window_idiom);

my $elements = 'unnest(a) WITH ORDINALITY AS u (x, i)';

# Plain SQL takes as long as these frames are wide, unless they begin with the
# array.
my @frames = ('0', '1, 1', '3, 20', '0, 100', '2147483647');

# Calls that put elements into buckets, and that make an array longer.
sub bucket_calls
{
	my ($type) = @_;
	my @calls;

	# Thresholds in order, some of them equal.
	my $thresholds = 'ARRAY(SELECT y FROM (SELECT y FROM unnest(a) AS y
					  WHERE y IS NOT NULL LIMIT 30) AS few ORDER BY y)';
	push @calls,
	  [ "gpu_bucket(a, $thresholds)",
		"moved(ARRAY(SELECT width_bucket(x, $thresholds) FROM $elements ORDER BY i), a)",
		0 ],
	  [ "gpu_histogram(a, $thresholds)",
		histogram_idiom('a', 'width_bucket(x, t)', "$thresholds AS t",
			'cardinality(t)'), 0 ];
	push @calls,
	  [ "gpu_pad(a, cardinality(a) + $_)", "ARRAY(SELECT unnest(a)) || array_fill(NULL::$type, ARRAY[$_])", 1 ]
	  foreach 0, 1, 70;
	return @calls;
}

# Calls for how many elements are in each of many buckets.
sub histogram_calls
{
	my ($type) = @_;
	my @calls;

	foreach my $bounds ('-1000.25, 20000, 7', '5, -5, 10', '-3, 3.7, 1000', '1000, -1000, 2',
		'-1.7e308, 1.7e308, 3')
	{
		my $on = is_float($type) ? 's' : 'a';
		my ($buckets) = $bounds =~ /(\d+)$/;

		push @calls,
		  [ "gpu_histogram($on, $bounds)",
			histogram_idiom($on, bucket_idiom('x', $type, $bounds), '1', $buckets + 1), 0 ];
	}
	return @calls;
}

# The even bucket of a number.  Before PostgreSQL 16, core overflows where bounds
# are far apart.
sub bucket_idiom
{
	my ($x, $type, $bounds) = @_;
	my ($low, $high, $buckets) = split(/, /, $bounds);
	my $part = abs($low) > 1e300 ? ' / 2::float8 ^ 40' : '';

	return "width_bucket($x\::numeric, $bounds)" unless is_float($type);
	return "width_bucket($x\::float8$part, $low\::float8$part, $high\::float8$part, $buckets)";
}

# Calls for sums and differences.
sub sum_calls
{
	my ($type) = @_;
	my @calls;

	my $sum = is_float($type) ? $type : 'bigint';
	push @calls,
	  [ 'gpu_prefix_sum(s)', scan_idiom('s', "sum(x)::$sum", ''), 1, 1 ],
	  [ 'gpu_prefix_sum(s, true)', scan_idiom('s', "sum(x)::$sum", "0::$sum"), 1, 1 ],
	  [ 'gpu_delta(s)',
		'moved(ARRAY(SELECT CASE i WHEN 1 THEN x
							ELSE x - lag(x) OVER (ORDER BY i) END
					 FROM unnest(s) WITH ORDINALITY AS u (x, i) ORDER BY i), s)',
		1, 1 ],
	  [ 'gpu_delta(s, 3)',
		'moved(ARRAY(SELECT CASE WHEN i <= 3 THEN x
							ELSE x - lag(x, 3) OVER (ORDER BY i) END
					 FROM unnest(s) WITH ORDINALITY AS u (x, i) ORDER BY i), s)',
		1, 1 ];

	foreach my $frame (@frames)
	{
		push @calls,
		  [ "gpu_window(s, '+', $frame)", window_idiom('s', 'sum', $type, $frame), 1 ],
		  [ "gpu_window_avg(s, $frame)", window_average_idiom('s', $type, $frame), 0 ];
		push @calls, [ "gpu_window_avg(a, $frame)", window_average_idiom('a', $type, $frame), 0 ]
		  unless is_float($type);
	}
	return @calls;
}

# Calls for a few elements in the place of all.
sub downsample_calls
{
	my @calls;

	push @calls, map { [ "gpu_downsample(a, $_)", extremes_idiom($_), 0 ] } 2, 7, 1000;
	push @calls, map {
		my ($on, $arguments, $idiom) = @$_;

		[ "(SELECT d.positions FROM gpu_downsample_points($on, $arguments) AS d)", $idiom, 0 ],
		[ "(SELECT d.values FROM gpu_downsample_points($on, $arguments) AS d)",
		  "ARRAY(SELECT x FROM unnest($idiom) AS position
				 JOIN unnest($on) WITH ORDINALITY AS u (x, i) ON i = position ORDER BY i)", 1 ]
	} [ 'a', '7', extremes_idiom(7) ], [ 's', "20, 'lttb'", 'triangles(s, 20)' ];
	push @calls, map { [ "gpu_downsample(s, $_, 'lttb')", "triangles(s, $_)", 1 ] } 3, 20;
	return @calls;
}

# Calls for statistics.
sub stats_calls
{
	my ($type) = @_;
	my @calls;

	# The statistics; not the variance of floats, whose rounding errors depend on
	# an order.  (A zero may be negative.)
	my $aggregates = 'count(x), count(*) - count(x), sum(x), min(x) + 0, max(x) + 0,
					  avg(x)';
	push @calls,
	  is_float($type) ?
	  [ '(SELECT ROW(t.count, t.nulls, t.sum, t.min + 0, t.max + 0, t.avg)::text
		  FROM gpu_stats(s) AS t)',
		"(SELECT ROW($aggregates)::text FROM unnest(s) AS x)", 0 ] :
	  [ '(SELECT t::text FROM gpu_stats(a) AS t)',
		'(SELECT ROW(count(x), count(*) - count(x), sum(x), min(x), max(x),
					 avg(x), variance(x), stddev(x))::text FROM unnest(a) AS x)', 0 ];
	return @calls;
}

# Calls for sums over the pairs of two arrays.
sub pair_calls
{
	my ($type) = @_;
	my %wider = (
		'smallint' => 'integer',
		'integer' => 'bigint',
		'bigint' => 'numeric');
	my $product = 'x' . (exists $wider{$type} ? "::$wider{$type}" : '') . ' * y';
	my $backwards =
	  'ARRAY(SELECT y FROM unnest(a) WITH ORDINALITY AS v (y, j) ORDER BY j DESC)';
	my @calls = (
		[ 'ARRAY[gpu_dot(s, p)]',
			"ARRAY[(SELECT sum($product) FROM unnest(s, p) AS u (x, y))]", 1 ]);

	# (Not byte for byte: script/fuzz then makes "a" an array of a domain, too,
	# which no function of one type takes.)
	push @calls,
	  [ "ARRAY[gpu_dot(a, $backwards)]",
		"ARRAY[(SELECT sum($product) FROM unnest(a, $backwards) AS u (x, y))]", 0 ]
	  if exists $wider{$type};

	# Rounding errors depend on an order.  After the factor, no digit that is
	# rounded away is a 5 before zeros.
	my $columns = join(', ', '%s',
		map { "round((%s * 0.7345918273)::numeric, 9)" } 1 .. 5);
	my @names = qw(corr covar_samp slope intercept r2);
	my @aggregates = qw(corr covar_samp regr_slope regr_intercept regr_r2);

	push @calls, map {
		my ($y, $x) = @$_;

		[ '(SELECT ROW(' . sprintf($columns, 'r.count', map { "r.$_" } @names) .
			")::text FROM gpu_regr($y, $x) AS r)",
			'(SELECT ROW(' . sprintf($columns, 'regr_count(y, x)',
				map { "$_(y, x)" } @aggregates) . ")::text FROM unnest($y, $x) AS u (y, x))",
			0 ]
	} [ 's', 'p' ], [ 'p', 's' ], [ 's', 'b' ];
	return @calls;
}

# Calls for operators.
sub number_calls
{
	my ($type, $exact) = @_;
	my @calls;

	# The operators: on what, as which aggregate, what an exclusive scan starts
	# with, and whether the bits of the result are given.
	my %operators = (
		'+' => [ 's', 'total', '0', 1 ],
		'*' => [ 'p', 'product', '1', 1 ]);
	%operators = (
		%operators,
		'&' => [ 'a', 'bit_and', '-1', 1 ],
		'|' => [ 'a', 'bit_or', '0', 1 ],
		'#' => [ 'a', 'bit_xor', '0', 1 ]) if $exact;
	foreach my $op (sort keys %operators)
	{
		push @calls, operator_calls($type, $op, @{ $operators{$op} });
	}
	return @calls;
}

# Scans and reductions by an operator.
sub operator_calls
{
	my ($type, $op, $on, $aggregate, $start, $bits) = @_;
	my $inclusive = scan_idiom($on, "$aggregate(x)", '');
	my $exclusive = scan_idiom($on, "$aggregate(x)", "$start\::$type");

	return (
		[ "gpu_scan($on, '$op')", $inclusive, $bits, 1 ],
		[ "gpu_scan($on, '$op', true)", $exclusive, $bits, 1 ],
		[ "ARRAY[gpu_reduce($on, '$op')]",
			"ARRAY[(SELECT $aggregate(x ORDER BY i)
					FROM unnest($on) WITH ORDINALITY AS u (x, i))]", $bits, 1 ]);
}

# Calls for the least and the greatest: of all, of those so far, of a frame.
sub extreme_calls
{
	my ($type, $exact) = @_;
	my ($min, $max, @on) = extremes_of($type);
	my @calls;

	foreach my $extreme ([ 'min', $min ], [ 'max', $max ])
	{
		my ($op, $aggregate) = @$extreme;

		push @calls, operator_calls($type, $op, 'a', $aggregate, 'NULL', $exact),
		  map {
			[ "gpu_window(a, '$op', $_)", window_idiom('a', $aggregate, $type, $_),
				0 ]
		  } @on;
	}
	return @calls;
}

# The aggregates for the extremes of a type, and the frames to try; fewer where
# the aggregates are not core's, which are faster.
sub extremes_of
{
	my ($type) = @_;

	return $type =~ /boolean|"char"/ ? ('lowest', 'highest', @frames[ 0 .. 2 ]) :
	  ('min', 'max', @frames);
}

# Calls for the differences of dates and times, none of which is infinite.
sub time_calls
{
	my ($type) = @_;
	my $finite = $type eq 'time' ? 'a' :
	  "array_replace(array_replace(a, 'infinity', NULL), '-infinity', NULL)";
	my @calls;

	foreach my $lag (1, 3)
	{
		my $difference = "x - lag(x, $lag) OVER (ORDER BY i)";

		$difference = "(extract(epoch FROM $difference) * 1000000)::bigint"
		  if $type ne 'date';
		push @calls,
		  [ $lag == 1 ? "gpu_delta($finite)" : "gpu_delta($finite, $lag)",
			"moved(ARRAY(SELECT $difference
						 FROM unnest($finite) WITH ORDINALITY AS u (x, i)
						 ORDER BY i), a)", 1, 1 ];
	}
	return @calls;
}

# Calls that combine elements by the keys beside them.
sub group_calls
{
	my ($type, $exact) = @_;
	my $group = 'FROM unnest(%s) WITH ORDINALITY AS u (k, x, i) GROUP BY k ORDER BY k';
	my @calls = (
		[ "(SELECT g.keys FROM gpu_group(a, b, '+') AS g)",
			"ARRAY(SELECT DISTINCT x FROM $elements ORDER BY x)", $exact ]);
	my @on = (
		[ 'a, b', '+', 'sum(x)::integer', 1 ],
		[ 'a, b', 'max', 'max(x)', 1 ],
		[ 'a, b', 'count', 'count(x)::integer', 1 ]);

	my ($min, $max) = extremes_of($type);
	push @on,
	  [ 'b, a', 'min', "$min(x)", 0 ],
	  [ 'a, a', 'max', "$max(x)", 0 ];
	push @on,
	  [ 'b, s', '+', 'total(x ORDER BY i)', 1 ],
	  [ 'b, p', '*', 'product(x ORDER BY i)', 1 ],
	  [ 'b, a', 'count', "count(x)::$type", 0 ]
	  if is_number($type);
	push @on,
	  [ 'b, a', '&', 'bit_and(x)', 0 ],
	  [ 'b, a', '|', 'bit_or(x)', 0 ],
	  [ 'a, s', '#', 'bit_xor(x)', 1 ]
	  if is_number($type) && $exact;
	push @calls,
	  [ "(SELECT g.values FROM gpu_group(b, gpu_bucket(a, '{}'), 'count') AS g)",
		'ARRAY(SELECT count(x)::integer ' . sprintf($group, 'b, a') . ')', 1 ];
	foreach my $on (@on)
	{
		my ($arrays, $op, $aggregate, $bits) = @$on;

		push @calls,
		  [ "(SELECT g.values FROM gpu_group($arrays, '$op') AS g)",
			"ARRAY(SELECT $aggregate " . sprintf($group, $arrays) . ')', $bits ];
	}
	return @calls;
}

# Calls of the aggregates over arrays, on a few rows of the same length.
sub rows_calls
{
	my ($type, $exact) = @_;
	my $same = 'VALUES (1, a), (2, gpu_radix_sort(a)), (3, NULL), (4, gpu_radix_sort(a, true))';
	my $any = 'VALUES (1, a), (2, gpu_distinct(a)), (3, NULL), (4, a)';
	my $values = 'WITH ORDINALITY AS u (x, i)';
	my @calls;

	foreach my $op ([ 'min', '' ], [ 'max', 'DESC' ])
	{
		my ($name, $order) = @$op;

		push @calls,
		  [ "(SELECT gpu_${name}_agg(v) FROM ($same) AS r (n, v))",
			"ARRAY(SELECT (array_agg(x ORDER BY x $order)
						   FILTER (WHERE x IS NOT NULL))[1]
				   FROM ($same) AS r (n, v), unnest(v) $values
				   GROUP BY i ORDER BY i)", $exact ];
	}
	push @calls,
	  [ "(SELECT gpu_concat_agg(v ORDER BY n) FROM ($any) AS r (n, v))",
		"ARRAY(SELECT x FROM ($any) AS r (n, v), unnest(v) $values
			   ORDER BY n, i)", $exact ],
	  [ "(SELECT gpu_distinct_agg(v ORDER BY n) FROM ($any) AS r (n, v))",
		"ARRAY(SELECT DISTINCT x FROM unnest(a) AS x ORDER BY x)", $exact ];
	return @calls unless is_number($type);

	my $numbers = 'VALUES (1, s), (2, p), (3, NULL), (4, s)';
	my $from = "FROM ($numbers) AS r (n, v), unnest(v) $values GROUP BY i ORDER BY i";
	my $sum = $exact ? 'sum(x)::bigint' : 'total(x ORDER BY n)';
	push @calls,
	  [ "(SELECT gpu_sum_agg(v ORDER BY n) FROM ($numbers) AS r (n, v))",
		"ARRAY(SELECT $sum $from)", 1 ],
	  [ "(SELECT gpu_avg_agg(v ORDER BY n) FROM ($numbers) AS r (n, v))",
		'ARRAY(SELECT ' . average_idiom($type, '') . " $from)", 0 ];
	push @calls,
	  [ "(SELECT gpu_avg_agg(v) FROM ($same) AS r (n, v))",
		'ARRAY(SELECT ' . average_idiom($type, '') . " FROM ($same) AS r (n, v),
			   unnest(v) $values GROUP BY i ORDER BY i)", 0 ]
	  if $exact;
	return @calls;
}

# Calls that turn the values of an array into bytes, and back.
sub bytes_calls
{
	my ($type) = @_;
	my %send = (
		'smallint' => 'int2send',
		'integer' => 'int4send',
		'bigint' => 'int8send',
		'real' => 'float4send',
		'double precision' => 'float8send',
		'boolean' => 'boolsend');
	my $values = 'unnest(a) WITH ORDINALITY AS u (x, i) WHERE x IS NOT NULL';

	return (
		[ 'gpu_to_bytes(array_remove(a, NULL))',
			"coalesce((SELECT string_agg(reversed($send{$type}(x)), '' ORDER BY i)
					   FROM $values), '')", 1 ],
		[ "gpu_from_bytes(gpu_to_bytes(array_remove(a, NULL)), NULL::$type\[])",
			"ARRAY(SELECT x FROM $values ORDER BY i)", 1 ]);
}

# How many elements of an array are in each bucket, up to the last one; from what
# else is selected.
sub histogram_idiom
{
	my ($on, $bucket, $with, $last) = @_;

	return "(SELECT ARRAY(SELECT count(x)::integer
						  FROM generate_series(0, $last) AS g
						  LEFT JOIN unnest($on) AS x ON $bucket = g
						  GROUP BY g ORDER BY g)
			 FROM (SELECT $with) AS selected)";
}

# A window aggregate over an array; over what comes before each element, if
# there is something to start with.
sub scan_idiom
{
	my ($on, $aggregate, $start) = @_;
	my ($function, $cast) = split(/(?=::)/, $aggregate);
	my $frame = $start eq '' ? '' : 'ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING';

	$cast //= '';
	my $value = "($function OVER (ORDER BY i $frame))$cast";
	$value = "coalesce($value, $start)" if $start ne '';
	return "moved(ARRAY(SELECT $value FROM unnest($on) WITH ORDINALITY AS u (x, i)
						ORDER BY i), $on)";
}

# An average: of integers, with so many digits that they are rounded but once.
sub average_idiom
{
	my ($type, $over) = @_;

	return "avg(x::double precision) $over" if is_float($type);
	return "((sum(x) $over)::numeric(200, 100) / count(x) $over)::double precision";
}

# What is over the frame of each element.
sub frames_idiom
{
	my ($on, $value) = @_;

	return "moved(ARRAY(SELECT $value FROM unnest($on) WITH ORDINALITY AS u (x, i) ORDER BY i), $on)";
}

sub over_frame
{
	my ($frame) = @_;
	my ($preceding, $following) = split(/, /, $frame);

	$following //= 0;
	return "OVER (ORDER BY i ROWS BETWEEN $preceding PRECEDING AND $following FOLLOWING)";
}

# An aggregate over the frame of each element.
sub window_idiom
{
	my ($on, $aggregate, $type, $frame) = @_;

	return frames_idiom($on, "($aggregate(x) " . over_frame($frame) . ")::$type");
}

# The average of the frame of each element.
sub window_average_idiom
{
	my ($on, $type, $frame) = @_;

	return frames_idiom($on, average_idiom($type, over_frame($frame)));
}

# The first of the least, and of the greatest, values of each bucket of positions.
sub extremes_idiom
{
	my ($n) = @_;

	return "ARRAY(SELECT i::integer
				  FROM (SELECT i, count(*) OVER () AS count,
							   row_number() OVER (ORDER BY i) AS place,
							   row_number() OVER (PARTITION BY b ORDER BY x, i) AS least,
							   row_number() OVER (PARTITION BY b ORDER BY x DESC, i)
							   AS greatest
						FROM (SELECT x, i, (i * ($n / 2) - 1) / (SELECT cardinality(a)) AS b
							  FROM $elements WHERE x IS NOT NULL) AS cut) AS numbered
				  WHERE count <= $n OR place IN (1, count) OR least = 1 OR greatest = 1
				  ORDER BY i)";
}

1;
