
# What arrays of each type are made of: values that matter and others, NULLs here
# and there, and numbers whose sums are in range.

package Arrays;

use strict;
use warnings;

use Exporter qw(import);

our @EXPORT = qw(element_types is_number is_float has_zero literals null_patterns
  null_blocks value_patterns value_series odd_boolean numbers_in_range code_point
  expanding_functions);

# For each type, some values that matter (the first three come often), one of all
# the others, and a ramp over the numbers i.
my %types = (
	'smallint' => [
		'{0,1,-1,-32768,-32767,32766,32767}',
		'random() * 65535 - 32768',
		'i % 65536 - 32768'
	],
	'integer' => [
		'{0,1,-1,-2147483648,-2147483647,2147483646,2147483647,65536}',
		'random() * 4294967295 - 2147483648',
		'i'
	],
	'bigint' => [
		'{0,1,-1,-9223372036854775808,-9223372036854775807,
		  9223372036854775806,9223372036854775807,4294967296}',
		'random() * 1.8e19 - 9e18',
		'i * 1000003::bigint'
	],
	'real' => [
		'{0,1,-0,-1,NaN,Infinity,-Infinity,3.4028235e38,-3.4028235e38,
		  1e-45,-1e-45}',
		'(random() - 0.5) * 10 ^ (random() * 60 - 30)',
		'i / 8.0'
	],
	'double precision' => [
		'{0,1,-0,-1,NaN,Infinity,-Infinity,1.7976931348623157e308,
		  -1.7976931348623157e308,5e-324,-5e-324}',
		'(random() - 0.5) * 10 ^ (random() * 600 - 300)',
		'i / 100.0'
	],
	'date' => [
		'{2000-01-01,1999-12-31,infinity,-infinity,4713-01-01 BC,
		  5874897-12-31}',
		q(date '2000-01-01' + (random() * 1000000)::integer),
		q(date '2000-01-01' + i)
	],
	'time' => [
		'{00:00,12:00,24:00,23:59:59.999999}',
		q(time '00:00' + random() * interval '24 hours'),
		q(time '00:00' + i * interval '1 ms')
	],
	'timestamp' => [
		'{2000-01-01,1999-12-31 23:59:59.999999,infinity,-infinity}',
		q(timestamp '2000-01-01' + (random() - 0.5) * interval '1000 years'),
		q(timestamp '2000-01-01' + i * interval '1 s')
	],
	'timestamptz' => [
		'{2000-01-01+00,1999-12-31 23:59:59.999999+00,infinity,-infinity}',
		q(timestamptz '2000-01-01+00' + (random() - 0.5) * interval '1000 years'),
		q(timestamptz '2000-01-01+00' + i * interval '1 s')
	],
	'oid' => [
		'{0,1,4294967295,2147483647,2147483648}',
		'(random() * 4294967295)::bigint',
		'i'
	],
	'money' => [
		'{0,0.01,-0.01,92233720368547758.07,-92233720368547758.08}',
		'(random() * 1e16 - 5e15)::numeric',
		'i'
	],
	'boolean' => [ '{f,t}', 'random() < 0.9', 'i > 5000' ],
	'"char"' => [
		q({"",a,b,\\\\177}),
		'(random() * 255 - 128)::integer',
		'i % 256 - 128'
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
sub has_zero { return $has_zero{ $_[0] } }

# Some values of a type, in SQL.
sub literals
{
	my ($type) = @_;
	my @values = split(/,/, $types{$type}[0] =~ s/[{}"]//gr);

	return map { "'$_'::$type" } grep { defined } @values[ 0 .. 2 ];
}

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
		'random() < 0.9', 'i / 5 % 2 = 1');
}

# The same by whole blocks: those in front of some place, behind it, at it, and
# every other one; and a quarter before all others.
sub null_blocks
{
	my ($n) = @_;
	my $at = 4096 * int(rand($n / 4096 + 1));

	return (
		"i <= $at", "i > $at", "i > $at - 1",
		"i - 1 BETWEEN $at AND $at + 4095",
		'(i - 1) / 4096 % 2 = 0', '(i - 1) / 4096 % 2 = 1', 'i > n / 4');
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

# The same in an order: one value only, runs, a ramp with and without others in it,
# and one after the other.
sub value_series
{
	my ($type) = @_;
	my ($other, $ramp) = map { "($_)::$type" } @{ $types{$type} }[ 1, 2 ];

	return (
		'pool[1]',
		'pool[1 + i / 1000 % cardinality(pool)]',
		$ramp,
		"CASE WHEN random() < 0.999 THEN $ramp ELSE $other END",
		"CASE i / 4096 % 3 WHEN 0 THEN $ramp WHEN 1 THEN pool[1] ELSE $other END",
		$type eq 'boolean' ? (odd_boolean(0.5)) x 5 : ());
}

# A boolean that is true as often as is said, or a little less, and whose byte may be
# neither 0 nor 1.  This needs a cast without a function.
sub odd_boolean
{
	my ($share) = @_;

	return qq((CASE WHEN random() < $share THEN (random() * 255 - 128)::integer
					ELSE 0 END)::"char"::boolean);
}

# Numbers whose sums and differences, and whose products, are exact and in range.
sub numbers_in_range
{
	my ($type) = @_;
	my $half = is_float($type) ? '/ 2' : '';

	return (
		"(round(random() * 20 - 10) $half)::$type",
		"CASE WHEN random() < 0.001 THEN 0 WHEN i <= 10 THEN 2
			  WHEN random() < 0.5 THEN -1 ELSE 1 END::$type");
}

# An integer that is a code point, if not always a valid one.
sub code_point
{
	return '(CASE WHEN random() < 0.999 THEN random() * 127
				  WHEN random() < 0.5 THEN 55000 + random() * 3000
				  ELSE random() * 1200000 - 10000 END)::integer';
}

# SQL that makes functions that return their argument in memory, in ways of its own.
sub expanding_functions
{
	return q(
	-- A variable of PL/pgSQL is an expanded array, which may be taken apart.
	CREATE FUNCTION expanded(a anyarray) RETURNS anyarray
	LANGUAGE plpgsql AS 'BEGIN RETURN a; END';
	CREATE FUNCTION taken_apart(a anyarray) RETURNS anyarray
	LANGUAGE plpgsql AS
	'BEGIN
		IF array_ndims(a) = 1 THEN
			a[array_lower(a, 1)] := a[array_lower(a, 1)];
		END IF;
		RETURN a;
	 END';);
}

1;
