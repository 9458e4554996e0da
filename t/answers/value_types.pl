
# Elements are compared with a value of another type as the operator of the two types
# compares them: gpu_compare, gpu_compact and gpu_positions equal their plain SQL for
# all pairs of types that PostgreSQL compares, or raise an error with a hint to cast.
# The same holds for two values, by BETWEEN.  And a result of a type whose arrays count
# from 0 is a valid value of that type.

use lib 't/lib';

use Answers;
use Calls;
use Gpucompact;
use List::Util qw(max);

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
	'timestamp' => [ '2000-01-01 00:00', '2024-02-29 12:00', '-infinity' ],
	'time' => [ '00:00', '12:00', '23:59:59.999999', '24:00' ],
	'interval' => [
		'0', '12 hours', '12:00:00.000001', '1 day', '-1 microsecond', '1 month -30 days 12 hours',
		'178000000 years', '-178000000 years'
	]);

my @numbers = ('smallint', 'integer', 'bigint', 'real', 'double precision');
my @pairs = (
	(map { my $element = $_; map { [ $element, $_ ] } @numbers, 'numeric' } @numbers),
	(map { [ 'oid', $_ ] } 'integer', 'smallint', 'bigint'),
	[ 'timestamp', 'date' ],
	[ 'time', 'interval' ]);
my $node = start_server('value_types');

$node->safe_psql('postgres', answer_functions());

# Each row has a pair of values and an array of all elements; the first two elements go
# through all pairs, too.
foreach my $pair (@pairs)
{
	my ($type, $value_type) = @$pair;
	my @own = @{ $values{$type} };
	my @others = @{ $values{$value_type} };
	my @calls = grep { $_->{'call'} =~ /^gpu_\w+\(a, '[^']+', [^:]*\bvalue\b[^:]*$/ } calls_on($type);
	my @rows;

	@others = grep { $_ >= 0 && $_ < 2**32 } @others if "@$pair" eq 'oid bigint';
	foreach my $i (0 .. $#others)
	{
		push @rows, map {
			my $bound = $own[ $_ % @own ];

			"('$others[$i]'::$value_type, '$others[$_ % @others]'::$value_type,
			  '{" . join(',', $bound, $bound, @own) . "}'::$type\[])"
		} 0 .. max($#own, $#others);
	}
	$node->safe_psql('postgres', new_arrays($type, $value_type)
		  . 'INSERT INTO arrays (shaped, odd, value, other, a)
			 SELECT false, false, value, other, a
			 FROM (VALUES ' . join(', ', @rows) . ') AS v (value, other, a);'
		  . plain_answers(@calls));
	answers_equal($node, $type, [ [ "$type and $value_type", '', 'stored', 1 ] ], @calls);
}

# A value that is no oid fails, as in plain SQL.
is($node->safe_psql('postgres', q(
		SELECT op FROM unnest('{=,<>,<,<=,>,>=}'::text[]) AS op,
			 unnest('{-1,4294967296,9223372036854775807}'::bigint[]) AS value
		WHERE outcome(format('SELECT gpu_compact(ARRAY[1::oid], %L, %s::bigint)', op, value)) <>
			  outcome(format('SELECT 1::oid %s (%s)::bigint', op, value)) OR
			  outcome(format('SELECT gpu_positions(ARRAY[1::oid], %L, %s::bigint)', op, value))
			  !~ '^22003: ')), '', 'a bigint that is no oid');

# Pairs that are not compared raise an error that says what to do.
my $err = fails_with($node, '42804',
	q(SELECT gpu_compact('{2024-02-29}'::date[], '<', now());), 'date and timestamptz');
like($err, qr/HINT:  Cast the array to timestamp with time zone\[\]\./, 'there is a hint');

# A literal has the elements' type, even if the other bound has another type, unless its
# meaning depends on a setting.
is($node->safe_psql('postgres', q(
		SELECT gpu_compact('{1,2,3}'::bigint[], 'between', '2', 2.5),
			   gpu_compact('{1,2,3}'::bigint[], 'between', 2.5, '3'),
			   gpu_compact('{1,2}'::oid[], 'between', '2', 3),
			   gpu_compact('{1,2}'::real[], 'between', 1.5, 'NaN'))),
	'{2}|{3}|{2}|{2}', 'literals beside bounds of another type');
fails_with($node, '22P02',
	q(SELECT gpu_compact('{1}'::bigint[], 'between', 1.5, '2.5');), 'a literal that is no element');
$err = fails_with($node, '42804', q(
	SELECT gpu_compact('{2024-02-29}'::timestamp[], 'between', date '2024-02-29',
					   'now');), 'a literal that depends on the time');
like($err, qr/HINT:  Cast the value to timestamp without time zone\./, 'there is a hint');
fails_with($node, '42804',
	q(SELECT gpu_positions('{2024-02-29}'::date[], 'between', '2024-02-29', now());),
	'date between date and timestamptz');

# An oidvector or int2vector has one dimension, counts from 0, and has no NULLs, even if
# it is empty.  What returns one has to return a valid one, or refuse.
$node->safe_psql('postgres', q(
	CREATE FUNCTION elements(a anyarray) RETURNS text LANGUAGE sql AS
	$$
		SELECT CASE WHEN pg_typeof(a)::text NOT LIKE '%vector' OR
						 array_ndims(a) = 1 AND array_lower(a, 1) = 0 AND
						 array_position(a, NULL) IS NULL
					THEN ARRAY(SELECT unnest(a))::text ELSE 'invalid' END
	$$;));
my @vectors = ('0 0', '7 0 3 3', '');
my %right = (
	'gpu_compact(v)' => [ '{}', '{7,3,3}', '{}' ],
	q(gpu_compact(v, '>', 5)) => [ '{}', '{7}', '{}' ],
	q(gpu_compact(v, '=', 0)) => [ '{0,0}', '{0}', '{}' ],
	q(gpu_compact(v, '<', 5)) => [ '{0,0}', '{0,3,3}', '{}' ],
	q(gpu_compact(v, ('{t,f,f,t}'::boolean[])[:cardinality(v)])) => [ '{0}', '{7,3}', '{}' ],
	q(gpu_compact(v, array_fill(false, ARRAY[cardinality(v)]))) => [ '{}', '{}', '{}' ],
	q(gpu_positions(v, '=', 3)) => [ '{}', '{3,4}', '{}' ],
	q(gpu_positions(v, '=', 0)) => [ '{1,2}', '{2}', '{}' ],
	'gpu_radix_sort(v)' => [ '{0,0}', '{0,3,3,7}', '{}' ],
	'gpu_radix_sort(v, true)' => [ '{0,0}', '{7,3,3,0}', '{}' ],
	'gpu_argsort(v)' => [ '{1,2}', '{2,3,4,1}', '{}' ],
	'gpu_sort_by_key(v, (ARRAY[4,3,2,1])[:cardinality(v)])' => [ '{0,0}', '{3,3,0,7}', '{}' ],
	'gpu_sort_by_key((ARRAY[1,2,3,4])[:cardinality(v)], v)' => [ '{1,2}', '{2,3,4,1}', '{}' ],
	'gpu_distinct(v)' => [ '{0}', '{0,3,7}', '{}' ],
	'(gpu_distinct_counts(v)).values' => [ '{0}', '{0,3,7}', '{}' ],
	'(gpu_run_lengths(v)).values' => [ '{0}', '{7,0,3}', '{}' ]);
my @names = sort keys %right;

foreach my $type ('oidvector', 'int2vector')
{
	foreach my $i (0 .. $#vectors)
	{
		my @outcomes = try_queries($node, '', '',
			map { "SELECT elements($_) FROM CAST('$vectors[$i]' AS $type) AS v" } @names);
		my @unexpected = map { "$names[$_]: $outcomes[$_], not $right{$names[$_]}[$i]" }
		  grep { $outcomes[$_] !~ /^0A000$/ && $outcomes[$_] ne $right{ $names[$_] }[$i] } 0 .. $#names;

		is(join("\n", @unexpected), '', "$type '$vectors[$i]'");
	}
}

survived($node);
done_testing();
