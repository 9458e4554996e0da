
# Idioms of calls on elements one by one: comparisons, arithmetic, choices.

package Idioms::Elements;

use strict;
use warnings;

use Exporter qw(import);
use Arrays;
use Idioms::Order;

our @EXPORT = qw(comparison_calls choice_calls element_calls interpolate_calls
  overflowing_element_calls);

my $elements = 'unnest(a) WITH ORDINALITY AS u (x, i)';

# Calls that compare each element with values.
sub comparison_calls
{
	my ($type) = @_;
	my @calls = map {
		[ "gpu_compare(a, '$_')",
			"moved(ARRAY(SELECT x $_ FROM $elements ORDER BY i), a)", 1 ]
	} 'is null', 'is not null';

	push @calls, map {
		[ "gpu_compare(a, '$_', value)",
			"moved(ARRAY(SELECT x $_ value FROM $elements ORDER BY i), a)", 1 ]
	} '=', '<>', '<', '<=', '>', '>=';
	push @calls, map {
		my ($low, $high) = @$_;

		[ "gpu_compare(a, 'between', $low, $high)",
			"moved(ARRAY(SELECT x BETWEEN $low AND $high FROM $elements
						 ORDER BY i), a)", 1 ]
	} bounds_on($type), [ 'value', 'NULL' ], [ 'NULL', 'value' ];
	return @calls;
}

my $backwards = 'ARRAY(SELECT y FROM unnest(a) WITH ORDINALITY AS v (y, j) ORDER BY j DESC)';

# Calls that compare the elements of two arrays, and that choose between them.
sub choice_calls
{
	my $pairs = "FROM unnest(a, $backwards) WITH ORDINALITY AS u (x, y, i) ORDER BY i";
	my $masked = "FROM unnest(a, $backwards, mask) WITH ORDINALITY AS u (x, y, m, i) ORDER BY i";
	my @calls = map {
		[ "gpu_compare(a, '$_', $backwards)", "moved(ARRAY(SELECT x $_ y $pairs), a)", 1 ]
	} '=', '<>', '<', '<=', '>', '>=';

	push @calls,
	  [ "gpu_where(mask, a, $backwards)",
		"moved(ARRAY(SELECT CASE WHEN m THEN x ELSE y END $masked), a)", 1 ],
	  [ 'gpu_where(mask, a, value)',
		"moved(ARRAY(SELECT CASE WHEN m THEN x ELSE value END $masked), a)", 1 ],
	  [ 'gpu_where(mask, a, NULL)',
		"moved(ARRAY(SELECT CASE WHEN m THEN x END $masked), a)", 1 ];
	push @calls, map {
		[ "gpu_zip(mask, '$_', gpu_compare(a, '>', value))",
			"moved(ARRAY(SELECT m $_ x > value $masked), mask)", 1 ]
	} 'and', 'or';
	return @calls;
}

# Calls that combine numbers with a value, or two by two, or are functions.
sub element_calls
{
	my ($type) = @_;
	my $from = 'FROM unnest(%s) WITH ORDINALITY AS u (x, i) ORDER BY i';
	my $pairs = 'FROM unnest(%s, %s) WITH ORDINALITY AS u (x, y, i) ORDER BY i';
	my @operators = ('+', '-', '*', '/', is_float($type) ? () : '%');
	my $divisors = "array_replace(p, 0::$type, NULL)";
	my @calls;

	foreach my $op (@operators)
	{
		my $second = $op =~ m{[/%]} ? $divisors : 'p';

		push @calls,
		  [ "gpu_map(s, '$op', 3)",
			"moved(ARRAY(SELECT x $op 3::$type " . sprintf($from, 's') . '), s)', 1 ],
		  [ "gpu_map(7, '$op', $second)",
			"moved(ARRAY(SELECT 7::$type $op x " . sprintf($from, $second) . '), p)', 1 ],
		  [ "gpu_zip(s, '$op', $second)",
			"moved(ARRAY(SELECT x $op y " . sprintf($pairs, 's', $second) . '), s)', 1 ];
	}
	foreach my $op ('least', 'greatest')
	{
		# A NULL value makes NULL, whatever the array is.
		my $some = "coalesce(value, 3::$type)";

		push @calls,
		  [ "gpu_map(a, '$op', $some)",
			"moved(ARRAY(SELECT $op(x, $some) " . sprintf($from, 'a') . '), a)', 0 ],
		  [ "gpu_map($some, '$op', a)",
			"moved(ARRAY(SELECT $op($some, x) " . sprintf($from, 'a') . '), a)', 0 ],
		  [ "gpu_zip(a, '$op', $backwards)",
			"moved(ARRAY(SELECT $op(x, y) " . sprintf($pairs, 'a', $backwards) . '), a)', 0 ];
	}
	foreach my $function ('abs', '-', 'sign', 'floor', 'ceil', 'round', 'trunc')
	{
		push @calls,
		  [ "gpu_map(s, '$function')",
			"moved(ARRAY(SELECT $function(x)::$type " . sprintf($from, 's') . '), s)', 1 ];
		push @calls,
		  [ "gpu_map(a, '$function')",
			"moved(ARRAY(SELECT $function(x)::$type " . sprintf($from, 'a') . '), a)', 0 ]
		  if is_float($type);
	}
	push @calls,
	  [ "gpu_map(gpu_map(a, 'abs'), 'sqrt')",
		"moved(ARRAY(SELECT sqrt(abs(x))::$type " . sprintf($from, 'a') . '), a)', 0 ]
	  if is_float($type);
	return @calls;
}

# The distance of two elements of a type, as a float8.
sub distance
{
	my ($type, $from, $to) = @_;

	return "($to\::float8 - $from\::float8)" if is_float($type);
	return "(extract(epoch FROM $to - $from) * 1000000)::float8" if $type =~ /time/;
	return "($to - $from)::float8" if $type eq 'date';
	return "(($to\::numeric - $from\::numeric) * 100)::float8" if $type eq 'money';
	return "(($to\::integer & 255) - ($from\::integer & 255))::float8" if $type eq '"char"';
	return "($to\::integer - $from\::integer)::float8" if $type eq 'boolean';
	return "($to\::bigint - $from\::bigint)::float8" if $type eq 'oid';
	return "($to\::numeric - $from)::float8";
}

# Calls that interpolate between points whose x are elements of the array, or of
# its first half; at the elements of the array, whatever its shape.  No x is so
# large, or so near to 0, that plain SQL fails.
sub interpolate_calls
{
	my ($type) = @_;
	my $usable = is_float($type)
	  ? q(x IN ('NaN', 'Infinity', '-Infinity', 0) OR abs(x) BETWEEN 1e-30 AND 1e30)
	  : $type =~ /date|timestamp/ ? 'isfinite(x)' : 'true';
	my $gap = $type =~ /time/ ? q(interval '9 years 1 hour') : $type eq 'money' ? '10::money' : 1000;
	my $at = "ARRAY(SELECT CASE WHEN $usable THEN x END FROM $elements ORDER BY i)";
	my $fits = $type =~ /time/ ? "x2 - x1 <= $gap" : distance($type, 'x1', 'x2') . ' <= 1000';
	my @calls;

	# A subquery counts the elements once, and not for each of them.
	foreach my $part ('(SELECT cardinality(a))', '(SELECT cardinality(a) / 2)')
	{
		my $x = "ARRAY(SELECT x FROM $elements WHERE x IS NOT NULL AND i <= $part AND ($usable) ORDER BY x)";
		my $y = "ARRAY(SELECT CASE WHEN i % 5 > 0 THEN (i * 7 % 23 - 3)::real END
					   FROM generate_series(1, cardinality($x)) AS i)";
		my $segments = "SELECT x, x AS x1, y AS y1, lead(x) OVER (ORDER BY x) AS x2,
							   lead(y) OVER (ORDER BY x) AS y2, NULL::bigint AS j
						FROM (SELECT DISTINCT ON (x) x, y
							  FROM unnest($x, $y) WITH ORDINALITY AS s (x, y, i)
							  ORDER BY x, i DESC) AS points";
		my $places = "SELECT x, NULL, NULL, NULL, NULL, j FROM unnest($at) WITH ORDINALITY AS q (x, j)";
		my $runs = "SELECT *, count(x1) OVER (ORDER BY x, j NULLS FIRST) AS run
					FROM ($segments UNION ALL $places) AS merged";
		my $window = 'OVER (PARTITION BY run ORDER BY x, j NULLS FIRST)';
		my $beside = "SELECT x, j, first_value(x1) $window AS x1, first_value(y1) $window AS y1,
							 first_value(x2) $window AS x2, first_value(y2) $window AS y2
					  FROM ($runs) AS runs";
		my $way = distance($type, 'x1', 'x') . ' / ' . distance($type, 'x1', 'x2');

		foreach my $limit ([ '', 'true' ], [ ", $gap", $fits ])
		{
			push @calls,
			  [ "gpu_interpolate($x, $y, $at$limit->[0])",
				"ARRAY(SELECT CASE WHEN x = x1 THEN y1
								   WHEN $limit->[1] THEN y1::float8 + (y2::float8 - y1::float8) * ($way) END
					   FROM ($beside) AS beside WHERE j IS NOT NULL ORDER BY j)", 0, 1 ];
		}
	}
	return @calls;
}

# Calls of each element that fail on some arrays, as overflowing_calls has them.
sub overflowing_element_calls
{
	my ($type, $array) = @_;
	my $from = "FROM unnest($array) WITH ORDINALITY AS u (x, i)";

	return map {
		my ($call, $result, $pairs) = @$_;
		my $on = $pairs ? "FROM unnest($array, gpu_fill($array)) WITH ORDINALITY AS u (x, y, i)" : $from;

		[ $call, "moved(ARRAY(SELECT $result $on ORDER BY i), $array)", 'list' ]
	  } [ "gpu_map($array, '+', 2)", "x + 2::$type" ],
	  [ "gpu_map($array, '*', -3)", "x * (-3)::$type" ],
	  [ "gpu_map($array, '/', -1)", "x / (-1)::$type" ],
	  [ "gpu_map(1, '/', $array)", "1::$type / x" ],
	  [ "gpu_map($array, '-')", '-x' ],
	  [ "gpu_map($array, 'abs')", 'abs(x)' ],
	  is_float($type) ? [ "gpu_map($array, 'sqrt')", "sqrt(x)::$type" ] : (),
	  [ "gpu_zip($array, '+', gpu_fill($array))", 'x + y', 1 ],
	  [ "gpu_zip($array, '*', gpu_fill($array))", 'x * y', 1 ],
	  [ "gpu_zip($array, '/', gpu_fill($array))", 'x / y', 1 ],
	  [ "gpu_zip(gpu_fill($array), '/', $array)", 'y / x', 1 ];
}

1;
