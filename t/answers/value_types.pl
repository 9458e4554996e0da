
# Elements are compared with a value of another type as the operator of the two
# types compares them: gpu_compact and gpu_positions beside their plain SQL
# idioms, for all pairs of types that PostgreSQL compares, or the call is
# refused with a hint to cast.  So they are with two values, by BETWEEN.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../lib";

use Gpucompact;
use Idioms;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# Values that matter: around the ends of each type, and around where floats
# have no more room for all integers.
my %values = (
	'smallint' => [ qw(0 1 -1 2 -32768 32767) ],
	'integer' =>
	  [ qw(0 1 -1 32768 -32769 16777216 16777217 2147483647 -2147483648) ],
	'bigint' => [
		qw(0 1 -1 16777217 2147483648 9007199254740992 9007199254740993
		  9223372036854775807 -9223372036854775808)
	],
	'real' => [
		qw(0 -0 0.1 1 1.5 -1.5 16777216 2147483648 9.223372e18 3.4e38 -3.4e38
		  1e-45 Infinity -Infinity NaN)
	],
	'double precision' => [
		qw(0 -0 0.1 1 1.5 -1.5 16777217 2147483647.5 9007199254740993
		  9.223372036854775807e18 1e300 -1e300 5e-324 Infinity -Infinity NaN)
	],
	'numeric' => [
		qw(0 0.1 1 1.5 -1.5 32767.5 16777217 2147483647.5 9007199254740993.5
		  9223372036854775807.5 1e40 -1e40 Infinity -Infinity NaN)
	],
	'oid' => [ qw(0 1 2147483648 4294967295) ],
	'date' => [ qw(2000-01-01 2024-02-29 infinity) ],
	'timestamp' => [ '2000-01-01 00:00', '2024-02-29 12:00', '-infinity' ]);

my @numbers =
  ('smallint', 'integer', 'bigint', 'real', 'double precision', 'numeric');
my @pairs;
foreach my $element (@numbers)
{
	next if $element eq 'numeric';    # arrays of it are not supported
	push @pairs, map { [ $element, $_ ] } @numbers;
}
push @pairs, [ 'oid', 'integer' ], [ 'oid', 'smallint' ], [ 'oid', 'bigint' ],
  [ 'timestamp', 'date' ];

my $node = start_server('value_types');

$node->safe_psql('postgres', outcome_function('SQLSTATE'));

foreach my $pair (@pairs)
{
	my ($element, $type) = @$pair;
	my $array =
	  "'{" . join(',', map { qq("$_") } @{ $values{$element} }) . "}'::$element\[]";
	my $values = join(',', map { "('$_')" } @{ $values{$type} });
	my $differing = $node->safe_psql(
		'postgres', qq(
		SELECT op, value, ours, idiom
		FROM (VALUES $values) AS v (value),
			 unnest('{=,<>,<,<=,>,>=}'::text[]) AS op,
			 format('%L::%s', value, '$type') AS typed,
			 outcome(format(
				\$\$SELECT format('%%s %%s', gpu_compact($array, %L, %s),
								gpu_positions($array, %L, %s))\$\$,
				op, typed, op, typed)) AS ours,
			 outcome(format(
				\$\$SELECT format('%%s %%s', ARRAY(SELECT x FROM unnest($array)
								WITH ORDINALITY AS u (x, i) WHERE x %s %s ORDER BY i),
						ARRAY(SELECT i FROM unnest($array)
								WITH ORDINALITY AS u (x, i) WHERE x %s %s ORDER BY i))\$\$,
				op, typed, op, typed)) AS idiom
		WHERE ours IS DISTINCT FROM idiom OR ours IS NULL));

	is($differing, '', "$element and $type");

	# Bounds: both of that type, and one of the elements' own.
	my $own = join(',', map { "('$_')" } @{ $values{$element} });
	foreach my $bounds ([ $type, $type ], [ $element, $type ], [ $type, $element ])
	{
		my ($low, $high) = @$bounds;
		my ($lows, $highs) = map { $_ eq $type ? $values : $own } $low, $high;

		$differing = $node->safe_psql(
			'postgres', qq(
			SELECT low, high, ours, idiom
			FROM (VALUES $lows) AS l (low), (VALUES $highs) AS h (high),
				 format('%L::%s', low, '$low') AS typed_low,
				 format('%L::%s', high, '$high') AS typed_high,
				 outcome(format(
					\$\$SELECT format('%%s %%s',
									gpu_compact($array, 'between', %s, %s),
									gpu_positions($array, 'between', %s, %s))\$\$,
					typed_low, typed_high, typed_low, typed_high)) AS ours,
				 outcome(format(
					\$\$SELECT format('%%s %%s',
							ARRAY(SELECT x FROM unnest($array)
								  WITH ORDINALITY AS u (x, i)
								  WHERE x BETWEEN %s AND %s ORDER BY i),
							ARRAY(SELECT i FROM unnest($array)
								  WITH ORDINALITY AS u (x, i)
								  WHERE x BETWEEN %s AND %s ORDER BY i))\$\$,
					typed_low, typed_high, typed_low, typed_high)) AS idiom
			WHERE ours IS DISTINCT FROM idiom OR ours IS NULL));
		is($differing, '', "$element between $low and $high");
	}
}

# What is not compared says what to do.
my $err = fails_with($node, '42804',
	q(SELECT gpu_compact('{2024-02-29}'::date[], '<', now());),
	'date and timestamptz');
like($err, qr/HINT:  Cast the array to timestamp with time zone\[\]\./, 'there is a hint');

# A literal is of the elements' type, also beside a bound of another type, unless
# what it stands for depends on a setting.
is( $node->safe_psql('postgres', q(
		SELECT gpu_compact('{1,2,3}'::bigint[], 'between', '2', 2.5),
			   gpu_compact('{1,2,3}'::bigint[], 'between', 2.5, '3'),
			   gpu_compact('{1,2}'::oid[], 'between', '2', 3),
			   gpu_compact('{1,2}'::real[], 'between', 1.5, 'NaN'))),
	'{2}|{3}|{2}|{2}', 'literals beside bounds of another type');
fails_with($node, '22P02',
	q(SELECT gpu_compact('{1}'::bigint[], 'between', 1.5, '2.5');),
	'a literal that is no element');
$err = fails_with($node, '42804', q(
	SELECT gpu_compact('{2024-02-29}'::timestamp[], 'between', date '2024-02-29',
					   'now');), 'a literal that depends on the time');
like($err, qr/HINT:  Cast the value to timestamp without time zone\./,
	'there is a hint');
fails_with($node, '42804',
	q(SELECT gpu_positions('{2024-02-29}'::date[], 'between', '2024-02-29', now());),
	'date between date and timestamptz');

survived($node);
done_testing();
