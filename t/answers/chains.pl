
# A chain answers as its calls do one by one: the same bytes, or the same SQLSTATE
# and message.
#
# Calls of functions are made on the results of others, for arrays of several types;
# and random chains of up to four calls follow.  Each chain is
# compared with the same calls in subqueries that the planner keeps apart.  With
# GPUCOMPACT_TEST_FULL=1 in the environment, there are all pairs of all types, and
# more random chains.  GPUCOMPACT_TEST_SEED makes the random chains of a run
# before.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../lib";

use Gpucompact;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $full = $ENV{GPUCOMPACT_TEST_FULL};
my $seed = $ENV{GPUCOMPACT_TEST_SEED} // time % 1000000;
srand($seed);

# Calls whose result is an array, of the array %s.
my @inner = (
	'gpu_delta(%s)', 'gpu_delta(%s, 2)',
	q(gpu_scan(%s, 'max')), q(gpu_scan(%s, '+')),
	q(gpu_scan(%s, '*', true)), 'gpu_prefix_sum(%s)',
	'gpu_compact(%s)', q(gpu_compact(%s, '>', 0)),
	q(gpu_compact(%s, 'between', -5, 7)), 'gpu_compact_nulls(%s)',
	'gpu_compact(%s, mask)', q(gpu_compact(%s, 'is null')),
	'gpu_compact_in(%s, %s)', 'gpu_compact_in(%s, b)',
	q(gpu_positions(%s, '<=', 3)), q(gpu_positions(%s, 'is not null')),
	q(gpu_take(%s, '{3,1,NULL,9}'::integer[])), 'gpu_take(b, gpu_argsort(%s))',
	'gpu_radix_sort(%s)', 'gpu_radix_sort(%s, true, NULL)',
	'gpu_argsort(%s, false, true)', 'gpu_sort_by_key(%s, b)',
	'gpu_sort_by_key(b, %s)', 'gpu_rank(%s)',
	'gpu_distinct(%s)', 'gpu_distinct(%s, true)',
	'gpu_union(%s, %s)', 'gpu_intersect(%s, b)',
	'gpu_except(b, %s)', q(gpu_percentile_disc(%s, '{0.1,0.9}'::float8[])),
	q(gpu_percentile_cont(%s, '{0.2,0.5}'::float8[])), 'gpu_histogram(%s, -9, 9, 4)',
	q(gpu_bucket(%s, '{-1,4}')), 'gpu_fill(%s)',
	'gpu_fill(%s, true)', q(gpu_window(%s, 'min', 1, 1)),
	q(gpu_window(%s, '+', 2)), 'gpu_window_avg(%s, 1)',
	'gpu_downsample(%s, 6)', 'gpu_pad(%s, 12)',
	'gpu_from_bytes(gpu_to_bytes(gpu_compact_nulls(%s)), NULL::integer[])',
	'gpu_utf8_decode(gpu_utf8_encode(gpu_compact_nulls(%s)))',
	q(gpu_compare(%s, '>', 0)), q(gpu_compare(%s, '<=', b)),
	q(gpu_compare(%s, 'is null')), q(gpu_map(%s, '+', 1)),
	q(gpu_map(%s, 'greatest', 2)), q(gpu_map(12, '/', %s)),
	q(gpu_map(%s, '-')), q(gpu_map(%s, 'round')),
	q(gpu_zip(%s, '*', b)), q(gpu_zip(%s, 'least', %s)),
	'gpu_where(mask, %s, b)', 'gpu_where(mask, %s, 7)',
	q(gpu_where(gpu_compare(%s, '<', 5), b, %s)),
	'%s::float8[]', '%s::bigint[]', '%s::smallint[]');

# Calls that only end a chain.
my @outer = (
	q(gpu_reduce(%s, 'max')), q(gpu_reduce(%s, '+')),
	'gpu_mode(%s)', 'gpu_percentile_cont(%s, 0.3)',
	'gpu_percentile_disc(%s, 0.5)', 'gpu_stats(%s)',
	'gpu_top_k(%s, 3)', 'gpu_distinct_counts(%s)',
	'gpu_run_lengths(%s)', q(gpu_group(%s, %s, 'max')),
	q(gpu_group(%s, b, 'min')), 'gpu_downsample_points(%s, 4)',
	'gpu_intersect_count(%s, %s)', 'gpu_to_bytes(%s)',
	'gpu_utf8_is_valid(gpu_to_bytes(%s))');

my $node = start_server('chains');

# What a query answers on each array, one behind the other.
$node->safe_psql(
	'postgres', q(
	CREATE FUNCTION outcome(query text, array_id integer) RETURNS text
	LANGUAGE plpgsql AS $$
	DECLARE
		answer text;
	BEGIN
		EXECUTE query INTO answer USING array_id;
		RETURN answer;
	EXCEPTION WHEN OTHERS THEN
		RETURN SQLSTATE || ': ' || SQLERRM;
	END $$;

	-- How two queries differ; or whether the first one is one call for the planner,
	-- or calls apart, or wrong for this type.
	CREATE FUNCTION compare(chain text, steps text) RETURNS text
	LANGUAGE plpgsql AS $$
	DECLARE
		line text;
		kind text := 'apart';
		id integer;
	BEGIN
		BEGIN
			FOR line IN EXECUTE 'EXPLAIN (VERBOSE, COSTS OFF) ' ||
				replace(chain, '$1', '1') LOOP
				IF line ~ 'gpu_chain' THEN
					kind := 'fused';
				END IF;
			END LOOP;
		EXCEPTION WHEN OTHERS THEN
			kind := 'wrong';
		END;
		FOR id IN SELECT arrays.id FROM arrays LOOP
			IF outcome(chain, id) IS DISTINCT FROM outcome(steps, id) THEN
				RETURN format('array %s: %s, not %s', id, outcome(chain, id),
							  outcome(steps, id));
			END IF;
		END LOOP;
		RETURN kind;
	END $$;));

my %elements = (
	'smallint' => [ '{3,0,-2,7,7,1,0,-9}', '{32767,-32768,5}' ],
	'integer' => [ '{3,0,-2,7,7,1,0,-9}', '{2147483647,-2147483648,5}' ],
	'bigint' => [ '{3,0,-2,7,7,1,0,-9}', '{9223372036854775807,-9223372036854775808,5}' ],
	'real' => [ '{3,-0,-2.5,7,7,NaN,0,-9}', '{3e38,3e38,Infinity}' ],
	'double precision' => [ '{3,-0,-2.5,7,7,NaN,0,-9}', '{1e308,1e308,-Infinity}' ],
	'date' => [ '{2000-01-03,2000-01-01,infinity,2000-01-01}', '{2024-02-29}' ],
	'boolean' => [ '{t,f,f,t}', '{f}' ]);

# A query of a chain, by the calls from the inner one on; and one that keeps
# them apart.
sub queries
{
	my @calls = @_;
	my ($chain, $from) = ('a', 'FROM arrays WHERE id = $1 OFFSET 0');
	my $steps = "SELECT a AS x, b, mask $from";

	foreach my $call (@calls)
	{
		$chain = $call =~ s/%s/$chain/gr;
		$steps = 'SELECT ' . ($call =~ s/%s/x/gr) .
		  " AS x, b, mask FROM ($steps) AS s OFFSET 0";
	}
	return ("SELECT ($chain)::text $from", "SELECT x::text FROM ($steps) AS s");
}

# Compares chains.  Returns those that differ, and the number of those that are
# one call, and of those that are not.
sub compare
{
	my @chains = @_;
	my @calls = map {
		my ($chain, $steps) = queries(@$_);
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
	my @pairs = map { my $i = $_; map { [ $i, $_ ] } @inner, @outer } @inner;

	@pairs = map { $pairs[ rand @pairs ] } 1 .. ($type eq 'integer' ? 600 : 60)
	  if !$full;
	make_arrays($type);
	my ($differing, $count) = compare(@pairs);
	is(join("\n", @$differing), '', "$type: pairs of calls, seed $seed");
	cmp_ok($count->{fused}, '>', $count->{apart},
		"$type: $count->{fused} pairs are one call, $count->{apart} are not");

	my @longer = map {
		[ (map { $inner[ rand @inner ] } 0 .. rand(2) + 1),
		  (@inner, @outer)[ rand(@inner + @outer) ] ]
	} 1 .. ($full ? 1000 : 60);

	($differing, $count) = compare(@longer);
	is(join("\n", @$differing), '', "$type: random chains, seed $seed");
	cmp_ok($count->{fused}, '>', $count->{apart}, "$type: they are one call");
}

done_testing();
