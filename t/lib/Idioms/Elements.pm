
# Idioms of calls on elements one by one: comparisons, arithmetic, choices.

package Idioms::Elements;

use strict;
use warnings;

use Exporter qw(import);
use Arrays;
use Idioms::Order;

our @EXPORT = qw(comparison_calls choice_calls element_calls
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
