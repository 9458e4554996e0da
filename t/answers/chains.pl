
# A chain answers as its calls do one by one: the same bytes, or the same SQLSTATE
# and message.
#
# Calls of functions are made on the results of others, for arrays of several types;
# and random chains of up to four calls follow.  Each chain is compared with the
# same calls in subqueries that the planner keeps apart.  With
# GPUCOMPACT_TEST_FULL=1 in the environment, there are all pairs of all types, and
# more random chains.  GPUCOMPACT_TEST_SEED makes the chains of a run before.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../lib";

use Calls;
use Chains;
use Gpucompact;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Random;
use Test::More;

my $full = $ENV{GPUCOMPACT_TEST_FULL};
my $seed = $ENV{GPUCOMPACT_TEST_SEED} // time % 1000000;
srand($seed);

my @inner = map { $_->{'call'} } chain_calls('stage', 'chain');
my @ends = map { $_->{'call'} } chain_calls('end');
my $node = start_server('chains');

$node->safe_psql(
	'postgres', chain_functions() . q(
	-- How two queries differ on any of the arrays; or how the first one is planned.
	CREATE FUNCTION compare(chain text, steps text) RETURNS text
	LANGUAGE plpgsql AS $$
	DECLARE
		id integer;
	BEGIN
		FOR id IN SELECT arrays.id FROM arrays LOOP
			IF answer_of(chain, id) IS DISTINCT FROM answer_of(steps, id) THEN
				RETURN format('array %s: %s, not %s', id, answer_of(chain, id),
							  answer_of(steps, id));
			END IF;
		END LOOP;
		RETURN plan_of(chain);
	END $$;));

my %elements = (
	'smallint' => [ '{3,0,-2,7,7,1,0,-9}', '{32767,-32768,5}' ],
	'integer' => [ '{3,0,-2,7,7,1,0,-9}', '{2147483647,-2147483648,5}' ],
	'bigint' => [ '{3,0,-2,7,7,1,0,-9}', '{9223372036854775807,-9223372036854775808,5}' ],
	'real' => [ '{3,-0,-2.5,7,7,NaN,0,-9}', '{3e38,3e38,Infinity}' ],
	'double precision' => [ '{3,-0,-2.5,7,7,NaN,0,-9}', '{1e308,1e308,-Infinity}' ],
	'date' => [ '{2000-01-03,2000-01-01,infinity,2000-01-01}', '{2024-02-29}' ],
	'boolean' => [ '{t,f,f,t}', '{f}' ]);

# Compares chains.  Returns those that differ, and the number of those that are
# one call, and of those that are not.
sub compare
{
	my @chains = @_;
	my @calls = map {
		my ($chain, $steps) =
		  chain_queries('a', 'FROM arrays WHERE id = $1', @$_);
		"(\$q\$$chain\$q\$, \$q\$$steps\$q\$)";
	} @chains;
	my %count = ('fused' => 0, 'apart' => 0, 'wrong' => 0);
	my @differing;

	while (my @some = splice(@calls, 0, 500))
	{
		my $answers = $node->safe_psql('postgres',
			'SELECT compare(c, s), c FROM (VALUES ' . join(', ', @some) .
			') AS v (c, s)');

		foreach my $answer (split /\n/, $answers)
		{
			my ($result, $chain) = split /\|/, $answer, 2;

			$count{$result}++ if exists $count{$result};
			push @differing, "$chain: $result" if !exists $count{$result};
		}
	}
	return (\@differing, \%count);
}

# Arrays of a type: with and without NULLs, shapes, and one of stored size.
sub make_arrays
{
	my ($type) = @_;
	my ($values, $extremes) = @{ $elements{$type} };

	$node->safe_psql(
		'postgres', qq(
		DROP TABLE IF EXISTS arrays;
		CREATE TABLE arrays (id serial, a $type\[], b integer[], mask boolean[]);
		ALTER TABLE arrays ALTER a SET STORAGE EXTERNAL;
		INSERT INTO arrays (a) VALUES (NULL), ('{}'), ('$values'), ('$extremes'),
			('{NULL,NULL}'), ('$values'::$type\[] || NULL || '$values'),
			(array_fill(('$values'::$type\[])[1], '{2,2}', '{3,4}')),
			(array_fill(('$values'::$type\[])[2], '{3}', '{-1}'));
		INSERT INTO arrays (a) SELECT array_agg(v[i % array_length(v, 1) + 1])
		FROM generate_series(1, 3000) AS i, CAST('$values' AS $type\[]) AS v;
		UPDATE arrays SET b = (SELECT array_agg(i % 5) FROM generate_series(1, cardinality(a)) AS i),
			mask = (SELECT array_agg(i % 3 < 2) FROM generate_series(1, cardinality(a)) AS i);));
	return;
}

foreach my $type (sort keys %elements)
{
	my @pairs = map { my $i = $_; map { [ $i, $_ ] } @inner, @ends } @inner;

	@pairs = map { one_of(@pairs) } 1 .. ($type eq 'integer' ? 600 : 60)
	  if !$full;
	make_arrays($type);
	my ($differing, $count) = compare(map { [ map { fill_in($_, $type) } @$_ ] } @pairs);
	is(join("\n", @$differing), '', "$type: pairs of calls, seed $seed");
	cmp_ok($count->{fused}, '>', $count->{apart},
		"$type: $count->{fused} pairs are one call, $count->{apart} are not");

	my @longer = map { [ random_chain(2 + int(rand(3)), $type) ] }
	  1 .. ($full ? 1000 : 60);

	($differing, $count) = compare(@longer);
	is(join("\n", @$differing), '', "$type: random chains, seed $seed");
	cmp_ok($count->{fused}, '>', $count->{apart}, "$type: they are one call");
}

# A call is planned with a look at its arguments alone, whatever is inside of them:
# twice as many nested calls take twice the memory, and not four times.
my %nested = (
	'map' => [ 'gpu_map(', ", '+', 1)" ],
	'delta' => [ 'gpu_delta(', ', 1)' ],
	'zip' => [ 'gpu_zip(', ", '+', gpu_delta(a))" ],
	'cast' => [ 'gpu_map((', ")::bigint[], '+', 1)" ],
	'no chain' => [ 'gpu_zip(', ", '+', gpu_take(a, ARRAY[random()::integer]))" ]);

sub nested
{
	my ($form, $calls) = @_;
	my ($before, $behind) = @{ $nested{$form} };

	return 'SELECT ' . ($before x $calls) . 'a' . ($behind x $calls)
	  . q( FROM (VALUES ('{1,2}'::integer[]), ('{3}')) AS v (a));
}

SKIP:
{
	skip 'there is no /proc here' unless -r '/proc/self/status';

	my $peak = q(
		SELECT substring(pg_read_file('/proc/self/status')
						 FROM 'VmHWM:\s+([0-9]+)')::integer;);

	foreach my $form (sort keys %nested)
	{
		my $explains = join('', map {
			"DO \$\$ BEGIN EXECUTE \$q\$EXPLAIN " . nested($form, $_)
			  . "\$q\$; END \$\$; $peak"
		} 500, 1000);
		my ($before, $after) = split(/\n/, $node->safe_psql('postgres', $explains));

		cmp_ok($after - $before, '<', 16384,
			"$form: 500 more nested calls are planned in less than 16 MB");
	}
}
is($node->safe_psql('postgres', nested('map', 1000)),
	"{1001,1002}\n{1003}", 'many nested calls, of which some are a chain');

done_testing();
