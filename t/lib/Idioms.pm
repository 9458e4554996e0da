
# What each function is to equal in plain SQL, on arrays of any type; and what
# such arrays are made of.  Nothing here needs the modules of PostgreSQL's tests.

package Idioms;

use strict;
use warnings;

use Exporter qw(import);

our @EXPORT = qw(element_types is_number is_float null_patterns value_patterns
  numbers_in_range idiom_functions calls_on overflowing_calls code_point
  encoding_calls differs utf8_tables utf8_calls);

# For each type, some values that matter (the first three come often), and one
# of all the others.
my %types = (
	'smallint' => [
		'{0,1,-1,-32768,-32767,32766,32767}',
		'random() * 65535 - 32768'
	],
	'integer' => [
		'{0,1,-1,-2147483648,-2147483647,2147483646,2147483647,65536}',
		'random() * 4294967295 - 2147483648'
	],
	'bigint' => [
		'{0,1,-1,-9223372036854775808,-9223372036854775807,
		  9223372036854775806,9223372036854775807,4294967296}',
		'random() * 1.8e19 - 9e18'
	],
	'real' => [
		'{0,1,-0,-1,NaN,Infinity,-Infinity,3.4028235e38,-3.4028235e38,
		  1e-45,-1e-45}',
		'(random() - 0.5) * 10 ^ (random() * 60 - 30)'
	],
	'double precision' => [
		'{0,1,-0,-1,NaN,Infinity,-Infinity,1.7976931348623157e308,
		  -1.7976931348623157e308,5e-324,-5e-324}',
		'(random() - 0.5) * 10 ^ (random() * 600 - 300)'
	],
	'date' => [
		'{2000-01-01,1999-12-31,infinity,-infinity,4713-01-01 BC,
		  5874897-12-31}',
		q(date '2000-01-01' + (random() * 1000000)::integer)
	],
	'time' => [
		'{00:00,12:00,24:00,23:59:59.999999}',
		q(time '00:00' + random() * interval '24 hours')
	],
	'timestamp' => [
		'{2000-01-01,1999-12-31 23:59:59.999999,infinity,-infinity}',
		q(timestamp '2000-01-01' + (random() - 0.5) * interval '1000 years')
	],
	'timestamptz' => [
		'{2000-01-01+00,1999-12-31 23:59:59.999999+00,infinity,-infinity}',
		q(timestamptz '2000-01-01+00' + (random() - 0.5) * interval '1000 years')
	],
	'oid' => [
		'{0,1,4294967295,2147483647,2147483648}',
		'(random() * 4294967295)::bigint'
	],
	'money' => [
		'{0,0.01,-0.01,92233720368547758.07,-92233720368547758.08}',
		'(random() * 1e16 - 5e15)::numeric'
	],
	'boolean' => [ '{f,t}', 'random() < 0.9' ],
	'"char"' => [
		q({"",a,b,\\\\177}),
		'(random() * 255 - 128)::integer'
	]);

my @integers = ('smallint', 'integer', 'bigint');
my @floats = ('real', 'double precision');
my %is_number = map { $_ => 1 } @integers, @floats;
my %is_float = map { $_ => 1 } @floats;
my %has_zero = map { $_ => 1 } @integers, @floats, 'oid', 'money', 'boolean',
  '"char"';

sub element_types { return %types }
sub is_number { return $is_number{ $_[0] } }
sub is_float { return $is_float{ $_[0] } }

# Is element i of n NULL?
sub null_patterns
{
	return (
		'false',
		'i % 24 IN (7, 8, 9)',
		'i <= n / 3 + 1',
		'i > n - n / 3 - 1',
		'true',
		'random() < 0.1',
		'random() < 0.9',
		'i / 5 % 2 = 1');
}

# What an array of a type is made of: values from "pool", others, or both.
sub value_patterns
{
	my ($type) = @_;
	my $other = "($types{$type}[1])::$type";

	return (
		'pool[1 + floor(random() * cardinality(pool))]',
		'pool[1 + floor(random() * least(3, cardinality(pool)))]',
		$other,
		"CASE WHEN random() < 0.5 THEN $other
			  ELSE pool[1 + floor(random() * cardinality(pool))] END");
}

# Numbers whose sums and differences, and whose products, are exact and in range.
sub numbers_in_range
{
	my ($type) = @_;
	my $half = $is_float{$type} ? '/ 2' : '';

	return (
		"(round(random() * 20 - 10) $half)::$type",
		"CASE WHEN random() < 0.001 THEN 0 WHEN i <= 10 THEN 2
			  WHEN random() < 0.5 THEN -1 ELSE 1 END::$type");
}

# SQL that makes the functions that the idioms call: operators as aggregates, as
# anyone would make them (the results of sum() are of another type); and one
# that gives the answer of plain SQL the bounds of an array.
sub idiom_functions
{
	my %prefix = (
		'smallint' => 'int2',
		'integer' => 'int4',
		'bigint' => 'int8',
		'real' => 'float4',
		'double precision' => 'float8');
	my $sql = q(
		CREATE FUNCTION moved(core anyarray, a anycompatiblearray)
		RETURNS anyarray LANGUAGE plpgsql AS $$
		DECLARE
			columns integer := array_length(a, 2);
		BEGIN
			IF core = '{}' OR array_dims(core) = array_dims(a) THEN
				RETURN core;
			END IF;
			IF array_ndims(a) = 2 THEN
				core := (SELECT array_agg(core[(row - 1) * columns + 1 :
											   row * columns] ORDER BY row)
						 FROM generate_series(1, array_length(a, 1)) AS row);
			END IF;
			RETURN format('%s=%s', array_dims(a), core);
		END $$;
		CREATE FUNCTION reversed(bytes bytea) RETURNS bytea LANGUAGE sql AS $$
			SELECT string_agg(substr(bytes, at, 1), '' ORDER BY at DESC)
			FROM generate_series(1, length(bytes)) AS at $$;
		CREATE FUNCTION outcome(query text) RETURNS text LANGUAGE plpgsql AS $$
		DECLARE
			result text;
		BEGIN
			EXECUTE query INTO result;
			RETURN result;
		EXCEPTION WHEN OTHERS THEN
			RETURN SQLSTATE || ': ' || SQLERRM;
		END $$;

		-- Extremes of types for which core has no aggregates.
		CREATE FUNCTION lesser(anyelement, anyelement) RETURNS anyelement
		LANGUAGE sql IMMUTABLE STRICT AS 'SELECT least($1, $2)';
		CREATE FUNCTION greater(anyelement, anyelement) RETURNS anyelement
		LANGUAGE sql IMMUTABLE STRICT AS 'SELECT greatest($1, $2)';
		CREATE AGGREGATE lowest(anyelement) (sfunc = lesser, stype = anyelement);
		CREATE AGGREGATE highest(anyelement) (sfunc = greater, stype = anyelement);

		-- Largest triangle, three buckets.
		CREATE FUNCTION triangles(a anyarray, n integer)
		RETURNS integer[] STRICT LANGUAGE plpgsql AS $$
		DECLARE
			x float8[] := ARRAY(SELECT i FROM unnest(a) WITH ORDINALITY AS u (v, i)
								WHERE v IS NOT NULL ORDER BY i);
			y float8[] := ARRAY(SELECT v FROM unnest(a) WITH ORDINALITY AS u (v, i)
								WHERE v IS NOT NULL ORDER BY i);
			count bigint := cardinality(x);
			chosen integer[] := '{1}';
			p integer := 1;
			begins bigint;		-- a bucket, the next one, and that one's end
			next bigint;
			ends bigint;
			cx float8;
			cy float8;
		BEGIN
			IF count <= n THEN
				RETURN x;
			END IF;
			FOR bucket IN 0 .. n - 3 LOOP
				begins := 2 + bucket * (count - 2) / (n - 2);
				next := 2 + (bucket + 1) * (count - 2) / (n - 2);
				ends := CASE bucket WHEN n - 3 THEN count
									ELSE 1 + (bucket + 2) * (count - 2) / (n - 2) END;
				SELECT sum(x[k] ORDER BY k) / count(*), sum(y[k] ORDER BY k) / count(*)
				FROM generate_series(next, ends) AS k INTO cx, cy;
				SELECT k FROM generate_series(begins, next - 1) AS k
				ORDER BY abs((x[p] - cx) * (y[k] - y[p]) - (x[p] - x[k]) * (cy - y[p])) DESC,
						 k
				LIMIT 1 INTO p;
				chosen := chosen || p;
			END LOOP;
			RETURN ARRAY(SELECT x[k] FROM unnest(chosen || count::integer)
						 WITH ORDINALITY AS u (k, j) ORDER BY j);
		END $$;);

	$sql .= qq(
		CREATE AGGREGATE total($_) (sfunc = $prefix{$_}pl, stype = $_);
		CREATE AGGREGATE product($_) (sfunc = $prefix{$_}mul, stype = $_);)
	  foreach sort keys %prefix;
	return $sql;
}

my $elements = 'unnest(a) WITH ORDINALITY AS u (x, i)';
my $runs = qq(
	(SELECT x, i, count(*) FILTER (WHERE begins) OVER (ORDER BY i) AS run
	 FROM (SELECT x, i,
				  i = 1 OR x IS DISTINCT FROM lag(x) OVER (ORDER BY i) AS begins
		   FROM $elements) AS marked) AS numbered);

# Plain SQL takes as long as these frames are wide, unless they begin with the
# array.
my @frames = ('0', '1, 1', '3, 20', '0, 100', '2147483647');

# The calls for a type, on arrays "a", "b", "mask", "s" and "p": each with its
# idiom; whether it is to be compared byte for byte (which of several equal
# elements is there, of 0 and -0, say, plain SQL does not say either); and
# whether it takes an array of several dimensions.
sub calls_on
{
	my ($type) = @_;
	my $exact = !$is_float{$type};
	my @calls;

	push @calls, [ 'gpu_compact(a)',
		"ARRAY(SELECT x FROM $elements WHERE x <> 0::$type ORDER BY i)", 1 ]
	  if $has_zero{$type};
	push @calls, [ 'gpu_compact_nulls(a)',
		"ARRAY(SELECT x FROM $elements WHERE x IS NOT NULL ORDER BY i)", 1 ];
	foreach my $op ('is null', 'is not null')
	{
		push @calls,
		  [ "gpu_compact(a, '$op')",
			"ARRAY(SELECT x FROM $elements WHERE x $op ORDER BY i)", 1 ],
		  [ "gpu_positions(a, '$op')",
			"ARRAY(SELECT i::integer FROM $elements WHERE x $op ORDER BY i)", 1 ];
	}
	my @bounds = ([ 'value', 'a[1]' ], [ 'a[2]', 'value' ], [ 'value', 'value' ]);
	push @bounds, [ '-1.5', '70000.5' ], [ 'value', '1::smallint' ]
	  if $is_number{$type};
	foreach my $bound (@bounds)
	{
		my ($low, $high) = @$bound;

		push @calls,
		  [ "gpu_compact(a, 'between', $low, $high)",
			"ARRAY(SELECT x FROM $elements WHERE x BETWEEN $low AND $high ORDER BY i)",
			1 ],
		  [ "gpu_positions(a, 'between', $low, $high)",
			"ARRAY(SELECT i::integer FROM $elements
				   WHERE x BETWEEN $low AND $high ORDER BY i)", 1 ];
	}
	foreach my $op ('=', '<>', '<', '<=', '>', '>=')
	{
		push @calls,
		  [ "gpu_compact(a, '$op', value)",
			"ARRAY(SELECT x FROM $elements WHERE x $op value ORDER BY i)", 1 ],
		  [ "gpu_positions(a, '$op', value)",
			"ARRAY(SELECT i::integer FROM $elements WHERE x $op value ORDER BY i)",
			1 ];
	}
	push @calls,
	  [ 'gpu_compact(a, mask)',
		'ARRAY(SELECT x FROM unnest(a, mask) WITH ORDINALITY AS u (x, m, i)
			   WHERE m ORDER BY i)', 1 ],
	  [ 'gpu_positions(mask)',
		'ARRAY(SELECT i::integer FROM unnest(mask) WITH ORDINALITY AS u (m, i)
			   WHERE m ORDER BY i)', 1 ];

	my %orders = (
		'' => '',
		', true' => 'DESC',
		', nulls_first => true' => 'NULLS FIRST',
		', true, false' => 'DESC NULLS LAST');
	foreach my $order (sort keys %orders)
	{
		push @calls,
		  [ "gpu_radix_sort(a$order)",
			"moved(ARRAY(SELECT x FROM $elements ORDER BY x $orders{$order}), a)",
			$exact ],
		  [ "gpu_argsort(a$order)",
			"moved(ARRAY(SELECT i::integer FROM $elements
						 ORDER BY x $orders{$order}, i), a)", 1 ],
		  [ "gpu_sort_by_key(b, a$order)",
			"ARRAY(SELECT y FROM unnest(a, b) WITH ORDINALITY AS u (x, y, i)
				   ORDER BY x $orders{$order}, i)", 1 ],
		  [ "gpu_sort_by_key(a, b$order)",
			"moved(ARRAY(SELECT x FROM unnest(a, b) WITH ORDINALITY AS u (x, y, i)
						 ORDER BY y $orders{$order}, i), a)", 1 ];
	}
	push @calls,
	  [ 'gpu_distinct(a)', "ARRAY(SELECT DISTINCT x FROM $elements ORDER BY x)",
		$exact ],
	  [ 'gpu_distinct(a, false)',
		"ARRAY(SELECT DISTINCT x FROM $elements ORDER BY x)", $exact ],
	  [ 'gpu_distinct(a, true)',
		"ARRAY(SELECT (array_agg(x ORDER BY i))[1] FROM $elements
			   GROUP BY x ORDER BY min(i))", 1 ],
	  [ '(SELECT d.values FROM gpu_distinct_counts(a) AS d)',
		"ARRAY(SELECT DISTINCT x FROM $elements ORDER BY x)", $exact ],
	  [ '(SELECT d.counts FROM gpu_distinct_counts(a) AS d)',
		"ARRAY(SELECT count(*)::integer FROM $elements GROUP BY x ORDER BY x)",
		1 ],
	  [ '(SELECT r.values FROM gpu_run_lengths(a) AS r)',
		"ARRAY(SELECT (array_agg(x ORDER BY i))[1] FROM $runs
			   GROUP BY run ORDER BY run)", $exact ],
	  [ '(SELECT r.lengths FROM gpu_run_lengths(a) AS r)',
		"ARRAY(SELECT count(*)::integer FROM $runs GROUP BY run ORDER BY run)", 1 ];
	push @calls, percentile_calls('disc', $exact), top_calls($exact),
	  [ 'ARRAY[gpu_mode(a)]',
		"ARRAY[(SELECT mode() WITHIN GROUP (ORDER BY x) FROM $elements)]", $exact ];

	my %ranks = (
		'dense' => 'dense_rank() OVER (ORDER BY x)',
		'min' => 'rank() OVER (ORDER BY x)',
		'first' => 'row_number() OVER (ORDER BY x, i)');
	push @calls,
	  [ "gpu_rank(a, '$_')",
		"moved(ARRAY(SELECT ($ranks{$_})::integer FROM $elements ORDER BY i), a)", 1 ]
	  foreach sort keys %ranks;

	push @calls,
	  [ 'gpu_take(a, b)',
		"ARRAY(SELECT x FROM unnest(b) WITH ORDINALITY AS p (position, j)
			   LEFT JOIN $elements ON i = position ORDER BY j)", 1 ],
	  [ 'gpu_take(a, gpu_argsort(b))',
		'ARRAY(SELECT x FROM unnest(a, b) WITH ORDINALITY AS u (x, y, i)
			   ORDER BY y, i)', 1 ];

	my $other = 'ARRAY(SELECT y FROM unnest(a) WITH ORDINALITY AS v (y, j)
					   WHERE hashint4(j::integer) % 3 = 0 OR j > 100 ORDER BY y DESC)';
	foreach my $set ([ 'union', 'UNION' ], [ 'intersect', 'INTERSECT' ],
		[ 'except', 'EXCEPT' ])
	{
		my ($name, $operator) = @$set;

		push @calls,
		  [ "gpu_$name(a, $other)",
			"ARRAY(SELECT unnest(a) $operator SELECT unnest($other) ORDER BY 1)", $exact ],
		  [ "gpu_$name(gpu_distinct($other), gpu_radix_sort(a))",
			"ARRAY(SELECT unnest($other) $operator SELECT unnest(a) ORDER BY 1)", $exact ];
	}
	push @calls,
	  [ "ARRAY[gpu_intersect_count(a, $other)]",
		"ARRAY[cardinality(ARRAY(SELECT unnest(a) INTERSECT SELECT unnest($other)))]", 1 ];

	# With and without NULLs, of which many arrays have some.  By IN a long list
	# is hashed, but not as odd booleans should be.
	my ($in, $not_in) = $type eq 'boolean' ? ('= ANY (%s)', '<> ALL (%s)') :
	  ('IN (SELECT unnest(%s))', 'NOT IN (SELECT unnest(%s))');
	foreach my $list ($other, 'ARRAY(SELECT y FROM unnest(a) AS y WHERE false)',
		"ARRAY(SELECT y FROM unnest($other) AS y WHERE y IS NOT NULL)")
	{
		push @calls,
		  [ "gpu_compact_in(a, $list)",
			sprintf("ARRAY(SELECT x FROM $elements WHERE x $in ORDER BY i)", $list), 1 ],
		  [ "gpu_compact_in(a, $list, true)",
			sprintf("ARRAY(SELECT x FROM $elements WHERE x $not_in ORDER BY i)", $list), 1 ];
	}

	# The values up to each element are a group, or those from it on.
	foreach my $way ([ '', '<' ], [ ', true', '>' ])
	{
		my ($backward, $before) = @$way;
		my $by = $before eq '<' ? 'i' : 'i DESC';

		push @calls,
		  [ "gpu_fill(a$backward)",
			"moved(ARRAY(SELECT first_value(x) OVER (PARTITION BY run ORDER BY $by)
						 FROM (SELECT x, i, count(x) OVER (ORDER BY $by) AS run
							   FROM $elements) AS numbered ORDER BY i), a)", 1 ];
	}

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
	push @calls, rows_calls($type, $exact), group_calls($type, $exact);
	push @calls, bytes_calls($type)
	  if $is_number{$type} || $type eq 'boolean';
	push @calls, extreme_calls($type, $exact);
	push @calls, time_calls($type) if $type =~ /date|time/;
	return @calls unless $is_number{$type};

	push @calls, percentile_calls('cont', 0);

	foreach my $bounds ('-1000.25, 20000, 7', '5, -5, 10', '-3, 3.7, 1000')
	{
		my $on = $is_float{$type} ? 's' : 'a';
		my $cast = $is_float{$type} ? 'float8' : 'numeric';
		my ($buckets) = $bounds =~ /(\d+)$/;

		push @calls,
		  [ "gpu_histogram($on, $bounds)",
			histogram_idiom($on, "width_bucket(x::$cast, $bounds)", '1',
				$buckets + 1), 0 ];
	}

	my $sum = $is_float{$type} ? $type : 'bigint';
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
		  [ "gpu_window_avg(s, $frame)",
			window_idiom('s', 'avg', 'double precision', $frame), 0 ];
	}

	push @calls, map { [ "gpu_downsample(a, $_)", extremes_idiom($_), 0 ] } 2, 7, 1000;
	push @calls, map {
		my ($on, $arguments, $idiom) = @$_;

		[ "(SELECT d.positions FROM gpu_downsample_points($on, $arguments) AS d)", $idiom, 0 ],
		[ "(SELECT d.values FROM gpu_downsample_points($on, $arguments) AS d)",
		  "ARRAY(SELECT x FROM unnest($idiom) AS position
				 JOIN unnest($on) WITH ORDINALITY AS u (x, i) ON i = position ORDER BY i)", 1 ]
	} [ 'a', '7', extremes_idiom(7) ], [ 's', "20, 'lttb'", 'triangles(s, 20)' ];
	push @calls, map { [ "gpu_downsample(s, $_, 'lttb')", "triangles(s, $_)", 1 ] } 3, 20;

	# The statistics; not the variance of floats, whose rounding errors depend on
	# an order.  (A zero may be negative.)
	my $aggregates = 'count(x), count(*) - count(x), sum(x), min(x) + 0, max(x) + 0,
					  avg(x)';
	push @calls,
	  $is_float{$type} ?
	  [ '(SELECT ROW(t.count, t.nulls, t.sum, t.min + 0, t.max + 0, t.avg)::text
		  FROM gpu_stats(s) AS t)',
		"(SELECT ROW($aggregates)::text FROM unnest(s) AS x)", 0 ] :
	  [ '(SELECT t::text FROM gpu_stats(a) AS t)',
		'(SELECT ROW(count(x), count(*) - count(x), sum(x), min(x), max(x),
					 avg(x), variance(x), stddev(x))::text FROM unnest(a) AS x)', 0 ];

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
	  if $is_number{$type};
	push @on,
	  [ 'b, a', '&', 'bit_and(x)', 0 ],
	  [ 'b, a', '|', 'bit_or(x)', 0 ],
	  [ 'a, s', '#', 'bit_xor(x)', 1 ]
	  if $is_number{$type} && $exact;
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
	return @calls unless $is_number{$type};

	my $numbers = 'VALUES (1, s), (2, p), (3, NULL), (4, s)';
	my $from = "FROM ($numbers) AS r (n, v), unnest(v) $values GROUP BY i ORDER BY i";
	my $sum = $exact ? 'sum(x)::bigint' : 'total(x ORDER BY n)';
	push @calls,
	  [ "(SELECT gpu_sum_agg(v ORDER BY n) FROM ($numbers) AS r (n, v))",
		"ARRAY(SELECT $sum $from)", 1 ],
	  [ "(SELECT gpu_avg_agg(v ORDER BY n) FROM ($numbers) AS r (n, v))",
		"ARRAY(SELECT avg(x::double precision) $from)", 0 ];
	push @calls,
	  [ "(SELECT gpu_avg_agg(v) FROM ($same) AS r (n, v))",
		"ARRAY(SELECT sum(x)::double precision / count(x) FROM ($same) AS r (n, v),
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

# Calls for the greatest elements, and the least.
sub top_calls
{
	my ($exact) = @_;
	my @calls;

	foreach my $k (0, 1, 7, 250, 2147483647)
	{
		foreach my $order ([ 'true', 'DESC' ], [ 'false', 'ASC' ])
		{
			my ($descending, $by) = @$order;
			my $top = "WHERE x IS NOT NULL ORDER BY x $by, i LIMIT $k";
			my $call = "gpu_top_k(a, $k, $descending)";

			push @calls,
			  [ "(SELECT t.values FROM $call AS t)",
				"ARRAY(SELECT x FROM $elements $top)", $exact ],
			  [ "(SELECT t.positions FROM $call AS t)",
				"ARRAY(SELECT i::integer FROM $elements $top)", 1 ];
		}
	}
	return @calls;
}

# Calls of a function of percentiles.
sub percentile_calls
{
	my ($name, $exact) = @_;
	my $of = 'WITHIN GROUP (ORDER BY x)';
	my @calls;

	foreach my $fraction ('0', '1', '0.5', '0.123')
	{
		push @calls,
		  [ "ARRAY[gpu_percentile_$name(a, $fraction)]",
			"ARRAY[(SELECT percentile_$name($fraction) $of FROM $elements)]",
			$exact ];
	}
	push @calls,
	  [ "ARRAY[gpu_percentile_$name(a, '0.123'::text)]",
		"ARRAY[(SELECT percentile_$name(0.123) $of FROM $elements)]", $exact ];
	foreach my $fractions ('{0.9,NULL,0.1,0.5,0.5}', '[2:3][0:1]={{1,0},{0.333,NULL}}')
	{
		my $typed = "'$fractions'::double precision[]";

		push @calls,
		  [ "gpu_percentile_$name(a, $typed)",
			"(SELECT percentile_$name($typed) $of FROM $elements)", $exact ];
	}
	push @calls,
	  [ "gpu_percentile_$name(a, ARRAY(SELECT k / 300.0::double precision
									   FROM generate_series(0, 300) AS k))",
		"(SELECT percentile_$name(ARRAY(SELECT k / 300.0::double precision
										FROM generate_series(0, 300) AS k)) $of
		  FROM $elements)", $exact ];
	return @calls;
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

# An aggregate over the frame of each element.
sub window_idiom
{
	my ($on, $aggregate, $type, $frame) = @_;
	my ($preceding, $following) = split(/, /, $frame);
	my $x = $aggregate eq 'avg' ? 'x::double precision' : 'x';

	$following //= 0;
	return "moved(ARRAY(SELECT ($aggregate($x) OVER (ORDER BY i
							   ROWS BETWEEN $preceding PRECEDING
									AND $following FOLLOWING))::$type
						FROM unnest($on) WITH ORDINALITY AS u (x, i)
						ORDER BY i), $on)";
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

# Calls for a type of numbers that fail on some arrays, and their idioms, which
# fail on the same ones; and whether several dimensions are an error.  (The sums of floats have an order of their own.)
sub overflowing_calls
{
	my ($type, $array) = @_;
	my $from = "FROM unnest($array) WITH ORDINALITY AS u (x, i)";
	my @calls = (
		[ "gpu_delta($array)",
		  "moved(ARRAY(SELECT CASE i WHEN 1 THEN x
							  ELSE x - lag(x) OVER (ORDER BY i) END
					   $from ORDER BY i), $array)" ],
		[ "gpu_delta($array, 5)",
		  "moved(ARRAY(SELECT CASE WHEN i <= 5 THEN x
							  ELSE x - lag(x, 5) OVER (ORDER BY i) END
					   $from ORDER BY i), $array)" ]);

	return @calls if $is_float{$type};
	foreach my $operator ([ '+', 'total' ], [ '*', 'product' ])
	{
		my ($op, $aggregate) = @$operator;

		push @calls,
		  [ "gpu_scan($array, '$op')",
			"moved(ARRAY(SELECT $aggregate(x) OVER (ORDER BY i) $from ORDER BY i),
				   $array)" ],
		  [ "gpu_reduce($array, '$op')", "(SELECT $aggregate(x ORDER BY i) $from)" ];
	}
	foreach my $operator ([ '+', 'total' ], [ '*', 'product' ])
	{
		my ($op, $aggregate) = @$operator;

		push @calls,
		  [ "(SELECT g.values FROM gpu_group(ARRAY(
				SELECT mod(i, 2) FROM generate_series(1, cardinality($array)) AS i),
				$array, '$op') AS g)",
			"ARRAY(SELECT $aggregate(x ORDER BY i) $from GROUP BY mod(i, 2) ORDER BY mod(i, 2))",
			'list' ];
	}
	push @calls,
	  [ "gpu_window($array, '+', $_)", window_idiom($array, 'sum', $type, $_), 'list' ]
	  foreach '0', '1', '20, 5';
	push @calls,
	  [ "(SELECT gpu_sum_agg(v) FROM (VALUES ($array), ($array)) AS r (v))",
		"ARRAY(SELECT sum(x)::bigint
			   FROM (VALUES ($array), ($array)) AS r (v),
					unnest(v) WITH ORDINALITY AS u (x, i)
			   GROUP BY i ORDER BY i)", 'list' ],
	  [ "gpu_prefix_sum($array)",
		"moved(ARRAY(SELECT total(x::bigint) OVER (ORDER BY i) $from ORDER BY i),
			   $array)" ];
	return @calls;
}

# An integer that is a code point, if not always a valid one.
sub code_point
{
	return '(CASE WHEN random() < 0.999 THEN random() * 127
				  WHEN random() < 0.5 THEN 55000 + random() * 3000
				  ELSE random() * 1200000 - 10000 END)::integer';
}

# What UTF-8 of the array "points" is to be.
sub encoding_calls
{
	my $valid = 'x BETWEEN 0 AND 1114111 AND x NOT BETWEEN 55296 AND 57343';
	my $from = 'FROM unnest(points) WITH ORDINALITY AS u (x, i)';
	my $bytes = qq(coalesce((SELECT string_agg(
		CASE WHEN x = 0 THEN '\\x00' WHEN $valid THEN convert_to(chr(x), 'UTF8')
			 ELSE '%s' END, '' ORDER BY i) $from), ''));
	my $error = q(convert_to(convert_from('\xff', 'UTF8'), 'UTF8'));

	return (
		[ "gpu_utf8_encode(points, 'replace')", sprintf($bytes, '\xefbfbd'), 1 ],
		[ "gpu_utf8_encode(points, 'skip')", sprintf($bytes, ''), 1 ],
		[ 'gpu_utf8_encode(points)',
		  "CASE WHEN EXISTS (SELECT $from WHERE NOT ($valid)) THEN $error
				ELSE " . sprintf($bytes, '') . ' END', 1 ],
		[ "gpu_utf8_decode(gpu_utf8_repair(gpu_utf8_encode(points, 'skip'), 'skip'))",
		  "ARRAY(SELECT x $from WHERE $valid AND x <> 0 ORDER BY i)", 1 ]);
}

# The condition that the answer "got" differs from that of plain SQL, "core".
sub differs
{
	my ($exact) = @_;

	return $exact
	  ? 'NOT record_image_eq(ROW(got), ROW(core))'
	  : "(got IS DISTINCT FROM core OR
		  pg_column_size(got || '{}') <> pg_column_size(core || '{}'))";
}

# SQL that makes the table "cases" for the rows of utf8_cases.py, and functions
# that utf8_calls() calls.
sub utf8_tables
{
	return q(
		CREATE UNLOGGED TABLE cases (label text, bytes bytea, strict integer,
			points integer[], replaced bytea, skipped bytea, offsets integer[],
			lengths integer[]);

		-- where decoding fails, or NULL
		CREATE FUNCTION failure(bytes bytea) RETURNS integer LANGUAGE plpgsql AS
		$$
		DECLARE
			detail text;
		BEGIN
			PERFORM gpu_utf8_decode(bytes);
			RETURN NULL;
		EXCEPTION WHEN character_not_in_repertoire THEN
			GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
			RETURN substring(detail, '\d+');
		END $$;

		-- bytes without zeros, which are invalid where a text is made
		CREATE FUNCTION no_zeros(bytes bytea, instead bytea) RETURNS bytea
		LANGUAGE sql AS
		$$
			SELECT decode(coalesce(string_agg(CASE pair[1]
											  WHEN '00' THEN encode(instead, 'hex')
											  ELSE pair[1] END, ''), ''), 'hex')
			FROM regexp_matches(encode(bytes, 'hex'), '..', 'g') AS pair
		$$;);
}

# The calls on these cases: each with what Python says, and for which cases.
sub utf8_calls
{
	my @calls = (
		[ 'gpu_utf8_is_valid(bytes)', 'strict IS NULL', 'true' ],
		[ 'failure(bytes)', 'strict', 'true' ],
		[ q{gpu_utf8_decode(bytes, 'replace')}, 'points', 'points IS NOT NULL' ],
		[ q{gpu_utf8_encode(gpu_utf8_decode(bytes, 'replace'))}, 'replaced',
			'true' ],
		[ q{gpu_utf8_encode(gpu_utf8_decode(bytes, 'skip'))}, 'skipped',
			'true' ],
		[ q{convert_to(gpu_utf8_repair(bytes), 'UTF8')},
			q{no_zeros(replaced, '\xefbfbd')}, 'length(bytes) < 100000' ],
		[ q{convert_to(gpu_utf8_repair(bytes, 'skip'), 'UTF8')},
			q{no_zeros(skipped, '')}, 'length(bytes) < 100000' ],
		[ 'ARRAY(SELECT byte_offset FROM gpu_utf8_errors(bytes))', 'offsets',
			'true' ],
		[ 'ARRAY(SELECT length FROM gpu_utf8_errors(bytes))', 'lengths',
			'true' ]);
	return @calls;
}

1;
