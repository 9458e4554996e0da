
# What stands in braces in the calls and in the plain SQL of records: one of several
# texts.  In capitals, it is what plain SQL has in the place of what the call has.

package Calls::Choices;

use strict;
use warnings;

use Exporter qw(import);
use Arrays;

our @EXPORT = qw(choices in_class bucket_idiom);

# Classes of types of elements.
my %classes = (
	'any' => qr/^(?!bytea)/,
	'bytea' => qr/^bytea$/,
	'none' => qr/^$/,
	'integer' => qr/^(?:smallint|integer|bigint)$/,
	'int4' => qr/^integer$/,
	'float' => qr/^(?:real|double precision)$/,
	'number' => qr/^(?:smallint|integer|bigint|real|double precision)$/,
	'no number' => qr/^(?!smallint|integer|bigint|real|double precision)/,
	'zero' => qr/^(?!date|time)/,
	'bytes' => qr/^(?:smallint|integer|bigint|real|double precision|boolean)$/,
	'date' => qr/^date$/,
	'clock' => qr/^time/,
	'binned' => qr/^(?:integer|bigint)$/,
	'timestamp' => qr/^timestamp/,
	'boolean' => qr/^boolean$/);

sub in_class { return $_[0] =~ ($classes{ $_[1] } // $classes{'none'}) }

my %send = (
	'smallint' => 'int2send',
	'integer' => 'int4send',
	'bigint' => 'int8send',
	'real' => 'float4send',
	'double precision' => 'float8send',
	'boolean' => 'boolsend');
my %wider = ('smallint' => '::integer', 'integer' => '::bigint', 'bigint' => '::numeric');
my @other = map { "ARRAY(SELECT y FROM unnest(a) WITH ORDINALITY AS v (y, j) $_)" }
  'ORDER BY j DESC',
  'WHERE hashint4(j::integer) % 3 = 0 OR j > 100 ORDER BY y DESC',
  'WHERE y IS NOT NULL AND (hashint4(j::integer) % 3 = 0 OR j > 100) ORDER BY y DESC',
  'WHERE false';

# Core has no extremes of some types, and those that stand in are slow.
sub is_slow { return $_[0] =~ /boolean|"char"/ }

# An average: of integers, with so many digits that they are rounded but once.
sub average
{
	my ($type, $over) = @_;

	return is_float($type) ? "avg(x::double precision) $over" :
	  "((sum(x) $over)::numeric(200, 100) / count(x) $over)::double precision";
}

# Frames: plain SQL takes as long as they are wide, unless they begin with the array.
sub frames
{
	my @frames = (
		[ '0', '0 PRECEDING AND 0' ],
		[ '1, 1', '1 PRECEDING AND 1' ],
		[ '3, 20', '3 PRECEDING AND 20' ],
		[ '0, 100', '0 PRECEDING AND 100' ],
		[ '2147483647', '2147483647 PRECEDING AND 0' ]);

	return map { [ $_->[0], "OVER (ORDER BY i ROWS BETWEEN $_->[1] FOLLOWING)" ] }
	  @frames[ 0 .. (is_slow($_[0]) ? 2 : 4) ];
}

# Percentiles of frames, with one fraction for each frame, or with all.
sub percentile_frames
{
	my ($type, @fractions) = @_;
	my @frames = frames($type);

	return map {
		my ($i, $frame) = ($_, $frames[$_]);

		map { [ "$_, $frame->[0]",
			"($_) WITHIN GROUP (ORDER BY y) FROM unnest(frame) AS y)
			 FROM (SELECT i, array_agg(x) $frame->[1] AS frame" ] }
		  @fractions ? @fractions : (0.5, 1, 0, 0.99, 0.3)[$i]
	} 0 .. $#frames;
}

# Frames by half the place of an element.
sub ranges
{
	my ($type) = @_;

	return map {
		my ($preceding, $following) = split(/, /, $_);
		[ $_, "OVER (ORDER BY i / 2 RANGE BETWEEN $preceding PRECEDING AND "
			  . ($following // 0) . ' FOLLOWING)' ]
	} ('0', '1, 1', '3, 20', is_slow($type) ? () : ('0, 100', '2147483647'));
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

# Points whose x are elements of the array, or of its first half, and places at the
# elements of the array, whatever its shape; perhaps with a limit.  No x is so large,
# or so near to 0, that plain SQL fails.
sub interpolations
{
	my ($type) = @_;
	my $elements = 'unnest(a) WITH ORDINALITY AS u (x, i)';
	my $usable = is_float($type)
	  ? q(x IN ('NaN', 'Infinity', '-Infinity', 0) OR abs(x) BETWEEN 1e-30 AND 1e30)
	  : $type =~ /date|timestamp/ ? 'isfinite(x)' : 'true';
	my $gap = $type =~ /time/ ? q(interval '9 years 1 hour') : $type eq 'money' ? '10::money' : 1000;
	my $at = "ARRAY(SELECT CASE WHEN $usable THEN x END FROM $elements ORDER BY i)";
	my $fits = $type =~ /time/ ? "x2 - x1 <= $gap" : distance($type, 'x1', 'x2') . ' <= 1000';
	my $way = distance($type, 'x1', 'x') . ' / ' . distance($type, 'x1', 'x2');
	my $window = 'OVER (PARTITION BY run ORDER BY x, j NULLS FIRST)';
	my @ways;

	# A subquery counts the elements once, and not for each of them.
	foreach my $part ('(SELECT cardinality(a))', '(SELECT cardinality(a) / 2)')
	{
		my $x = "ARRAY(SELECT x FROM $elements
					   WHERE x IS NOT NULL AND i <= $part AND ($usable) ORDER BY x)";
		my $y = "ARRAY(SELECT CASE WHEN i % 5 > 0 THEN (i * 7 % 23 - 3)::real END
					   FROM generate_series(1, cardinality($x)) AS i)";
		my $beside = "SELECT x, j, first_value(x1) $window AS x1, first_value(y1) $window AS y1,
							 first_value(x2) $window AS x2, first_value(y2) $window AS y2
			FROM (SELECT *, count(x1) OVER (ORDER BY x, j NULLS FIRST) AS run
				  FROM (SELECT x, x AS x1, y AS y1, lead(x) OVER (ORDER BY x) AS x2,
							   lead(y) OVER (ORDER BY x) AS y2, NULL::bigint AS j
						FROM (SELECT DISTINCT ON (x) x, y
							  FROM unnest($x, $y) WITH ORDINALITY AS s (x, y, i)
							  ORDER BY x, i DESC) AS points
						UNION ALL
						SELECT x, NULL, NULL, NULL, NULL, j
						FROM unnest($at) WITH ORDINALITY AS q (x, j)) AS merged) AS runs";

		push @ways, map {
			[ "$x, $y, $at$_->[0]",
				"ARRAY(SELECT CASE WHEN x = x1 THEN y1 WHEN $_->[1] THEN
									y1::float8 + (y2::float8 - y1::float8) * ($way) END
					   FROM ($beside) AS beside WHERE j IS NOT NULL ORDER BY j)" ]
		} [ '', 'true' ], [ ", $gap", $fits ];
	}
	return @ways;
}

# By name: what is chosen from, or a function of the type that says it.
my %choices = (
	'backwards' => [ $other[0] ],
	'average' => sub { map { [ $_->[0], average($_[0], $_->[1]) ] } frames(@_) },
	'before' => ['OVER (ORDER BY i ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)'],
	'between' => sub {
		map { [ $_, s/, / AND /r ] }
		  'value, (SELECT a[1])', '(SELECT a[2]), value', 'value, other', 'value, NULL',
		  'NULL, value', is_number($_[0]) ? ('-1.5, 70000.5', 'value, 1::smallint') : ();
	},
	'bool' => [ 'false', 'true' ],
	'compare' => [ '=', '<>', '<', '<=', '>', '>=' ],
	'descending' => [ [ 'true', 'DESC' ], [ 'false', 'ASC' ] ],
	'direction' => [ [ '', 'i' ], [ ', true', 'i DESC' ] ],
	'divisors' => ['array_replace(p, 0::{type}, NULL)'],
	'end' => [ 'first', 'last' ],
	'even' => sub {
		my ($type) = @_;
		my $on = is_float($type) ? 's' : 'a';

		map {
			my ($last) = /(\d+)$/;

			[ $_, "generate_series(0, $last + 1) AS g LEFT JOIN unnest($on) AS x ON "
				. bucket_idiom('x', $type, $_) . ' = g' ]
		} '-1000.25, 20000, 7', '5, -5, 10', '-3, 3.7, 1000', '1000, -1000, 2', '-1.7e308, 1.7e308, 3';
	},
	'extreme' => sub { is_slow($_[0]) ? ([ 'min', 'lowest' ], [ 'max', 'highest' ]) : ('min', 'max') },
	'finite' => sub {
		$_[0] eq 'time' ? 'a' : q(array_replace(array_replace(a, 'infinity', NULL), '-infinity', NULL));
	},
	'fraction' => [ 0, 1, 0.5, 0.123, [ q('0.123'::text), 0.123 ] ],
	'fractions' => [ map { s/FLOATS/double precision[]/r } q('{0.9,NULL,0.1,0.5,0.5}'::FLOATS),
		q('[2:3][0:1]={{1,0},{0.333,NULL}}'::FLOATS),
		'ARRAY(SELECT k / 300.0::double precision FROM generate_series(0, 300) AS k)' ],
	'frame' => \&frames,
	'function' => [ 'abs', '-', 'sign', 'floor', 'ceil', 'round', 'trunc' ],
	'cast' => sub { $_[0] eq 'money' ? '::numeric' : '' },
	'close' => sub { $_[0] eq 'boolean' ? '' : ')' },
	'greatest' => sub { is_slow($_[0]) ? [ 'max', 'highest' ] : 'max' },
	'in' => sub {
		$_[0] eq 'boolean' ? ([ '', '= ANY ' ], [ ', true', '<> ALL ' ]) :
		  ([ '', 'IN (SELECT DISTINCT unnest' ], [ ', true', 'NOT IN (SELECT unnest' ]);
	},
	'in_range' => sub { is_float($_[0]) ? 's' : 'a' },
	'interpolate' => \&interpolations,
	'kept' => [ 2, 7, 1000 ],
	'lag' => [ [ '', 1 ], [ ', 3', 3 ] ],
	'list' => [ @other[ 1 .. 3 ] ],
	'logical' => [ 'and', 'or' ],
	'magnitude' => [ 'abs', '-' ],
	'mean' => sub { average($_[0], '') },
	'more' => [ 0, 1, 70 ],
	'null' => [ 'is null', 'is not null' ],
	'number' => [ 3, -1 ],
	'operator' => [ '+', '-', '*' ],
	'order' => [ [ '', '' ], [ ', true', 'DESC' ], [ ', nulls_first => true', 'NULLS FIRST' ],
		[ ', true, false', 'DESC NULLS LAST' ] ],
	'other' => [ $other[1] ],
	'quotient' => sub { '/', is_float($_[0]) ? () : '%' },
	'near' => [ [ '100', '100 PRECEDING AND 0' ], [ '0, 1', '0 PRECEDING AND 1' ] ],
	'period' => [ '1 second', '1 hour', '1000 days' ],
	'percentile_frame' => sub { percentile_frames($_[0]) },
	'range' => \&ranges,
	'range_average' => sub { map { [ $_->[0], average($_[0], $_->[1]) ] } ranges(@_) },
	'range_end' => do {
		my $frame = 'OVER (ORDER BY i RANGE BETWEEN 3 PRECEDING AND 20 FOLLOWING)';
		my $values = "(array_agg(x) FILTER (WHERE x IS NOT NULL) $frame)";

		[ [ 'first', "${values}[1]" ], [ 'last', "${values}[count(x) $frame]" ] ];
	},
	'rank' => [ [ 'dense', 'dense_rank() OVER (ORDER BY x)' ],
		[ 'min', 'rank() OVER (ORDER BY x)' ], [ 'max', 'count(*) OVER (ORDER BY x)' ],
		[ 'first', 'row_number() OVER (ORDER BY x, i)' ] ],
	'send' => sub { $send{ $_[0] } },
	'set' => [ map { [ $_, uc ] } 'union', 'intersect', 'except' ],
	'slice' => [ map { [ $_, s/, / AND /r ] } '1, 9', '4, 70', '-2, 3', '200, 1000', '3, 2' ],
	'smaller' => [ 'least', 'greatest' ],
	'sorted' => ['ARRAY(SELECT y::bigint FROM unnest(b) AS y ORDER BY y)'],
	'stride' => [ 1, 1000, 1000000 ],
	'sum' => sub { is_float($_[0]) ? $_[0] : 'bigint' },
	'summed' => sub { is_float($_[0]) ? 'total' : 'sum' },
	'thresholds' => ['ARRAY(SELECT y FROM (SELECT y FROM unnest(a) AS y
							WHERE y IS NOT NULL LIMIT 30) AS few ORDER BY y)'],
	'times' => [ [ 'gpu_radix_sort(a)', 'ARRAY(SELECT x FROM unnest(a) AS x ORDER BY x)' ] ],
	'top' => [ 0, 1, 7, 250, 2147483647 ],
	'triangle' => [ 3, 20 ],
	'type' => sub { $_[0] },
	'wider' => sub { $wider{ $_[0] } // '' });

# What a random choice has besides or, where there is no other, alone: also what fails.
my @small = (0 .. 4, 7, 100);
my %random = (
	'any_fraction' => [ 0, 0.3, 0.5, 0.99, 1 ],
	'any_number' => [ @small, -1, -5, -100, 5000, 2000000, 2000000000 ],
	'any_operator' => [ '+', '*', 'min', 'max', 'max', '&', '|', '#' ],
	'arithmetic' => [ '+', '-', '*', '/', '%', 'least', 'greatest' ],
	'any_function' => [ 'abs', '-', 'sign', 'floor', 'ceil', 'round', 'trunc', 'sqrt' ],
	'any_lag' => [ @small, -1, 70000 ],
	'literal' => sub { literals($_[0]) },
	'nulls' => [ 'false', 'true', 'NULL' ],
	'on_error' => [ 'error', 'replace', 'skip' ],
	'padded' => [ 100, 4000, 70000 ],
	'percentile_frame' => sub { percentile_frames($_[0], 0, 0.3, 0.5, 0.99, 1) },
	'points' => [ 2, 6, 1000, 70000 ],
	'shape' => [ 'minmax', 'lttb' ],
	'small' => \@small,
	'window' => [ '+', 'min', 'max' ]);

# The texts that a name in braces stands for.
sub choices
{
	my ($name, $type, $random) = @_;

	return map { ref eq 'CODE' ? $_->($type) : @$_ } grep { defined } $choices{$name},
	  $random || !$choices{$name} ? $random{$name} : ();
}

1;
