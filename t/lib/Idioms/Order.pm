
# Idioms of calls on elements that are compared: filters, sorts, ranks, sets.

package Idioms::Order;

use strict;
use warnings;

use Exporter qw(import);
use Arrays;

our @EXPORT = qw(bounds_on compact_calls sort_calls distinct_calls
  percentile_calls top_calls rank_calls set_calls fill_calls);

my $elements = 'unnest(a) WITH ORDINALITY AS u (x, i)';
my $runs = qq(
	(SELECT x, i, count(*) FILTER (WHERE begins) OVER (ORDER BY i) AS run
	 FROM (SELECT x, i,
				  i = 1 OR x IS DISTINCT FROM lag(x) OVER (ORDER BY i) AS begins
		   FROM $elements) AS marked) AS numbered);

# Two bounds between which elements may be, several times.  What is selected is
# decompressed once, and not for each element.
sub bounds_on
{
	my ($type) = @_;
	my @bounds = (
		[ 'value', '(SELECT a[1])' ], [ '(SELECT a[2])', 'value' ],
		[ 'value', 'value' ]);

	push @bounds, [ '-1.5', '70000.5' ], [ 'value', '1::smallint' ]
	  if is_number($type);
	return @bounds;
}

# Calls for the elements that are something, and for their positions.
sub compact_calls
{
	my ($type) = @_;
	my @calls;

	push @calls, [ 'gpu_compact(a)',
		"ARRAY(SELECT x FROM $elements WHERE x <> 0::$type ORDER BY i)", 1 ]
	  if has_zero($type);
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
	foreach my $slice ([ 1, 9 ], [ 4, 70 ], [ -2, 3 ], [ 200, 1000 ], [ 3, 2 ])
	{
		my ($first, $last) = @$slice;

		push @calls,
		  [ "gpu_slice(a, $first, $last)",
			"ARRAY(SELECT x FROM $elements WHERE i BETWEEN $first AND $last ORDER BY i)",
			1 ],
		  [ "gpu_slice(gpu_pack(a), $first, $last, a)",
			"ARRAY(SELECT x FROM $elements WHERE i BETWEEN $first AND $last ORDER BY i)",
			1 ];
	}
	# Without a bitmap of NULLs where there are none, as core's arrays may have.
	push @calls,
	  [ 'gpu_unpack(gpu_pack(a), a)', "moved(ARRAY(SELECT x FROM $elements ORDER BY i), a)", 1 ];
	foreach my $bound (bounds_on($type))
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
	return @calls;
}

# Calls for an order of the elements, and by it.
sub sort_calls
{
	my ($type, $exact) = @_;
	my @calls;

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
	return @calls;
}

# Calls for the kinds of elements, and for runs of equal ones.
sub distinct_calls
{
	my ($type, $exact) = @_;
	my @calls;

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
		"ARRAY(SELECT count(*)::integer FROM $runs GROUP BY run ORDER BY run)", 1 ];	push @calls, [ 'ARRAY[gpu_mode(a)]',
		"ARRAY[(SELECT mode() WITHIN GROUP (ORDER BY x) FROM $elements)]", $exact ];

	return @calls;
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

# Calls for the place of each element in their order, and for elements by places.
sub rank_calls
{
	my ($type) = @_;
	my @calls;

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
	return @calls;
}

# Calls on two arrays as sets.
sub set_calls
{
	my ($type, $exact) = @_;
	my @calls;

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
	# is hashed, but not as odd booleans should be, and of money only as numeric,
	# of which x and -x have the same hash value: so each is in the list once.
	my $cast = $type eq 'money' ? '::numeric' : '';
	my ($in, $not_in) = $type eq 'boolean' ? ('= ANY (%s)', '<> ALL (%s)') :
	  ("$cast IN (SELECT DISTINCT unnest(%s)$cast)", "$cast NOT IN (SELECT unnest(%s)$cast)");
	foreach my $list ($other, 'ARRAY(SELECT y FROM unnest(a) AS y WHERE false)',
		"ARRAY(SELECT y FROM unnest($other) AS y WHERE y IS NOT NULL)")
	{
		push @calls,
		  [ "gpu_compact_in(a, $list)",
			sprintf("ARRAY(SELECT x FROM $elements WHERE x $in ORDER BY i)", $list), 1 ],
		  [ "gpu_compact_in(a, $list, true)",
			sprintf("ARRAY(SELECT x FROM $elements WHERE x $not_in ORDER BY i)", $list), 1 ];
	}
	return @calls;
}

# Calls that put values in the place of NULLs.
sub fill_calls
{
	my ($type) = @_;
	my @calls;

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
	return @calls;
}

1;
