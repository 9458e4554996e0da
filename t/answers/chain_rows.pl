
# Chains that are called for each of many rows.  The first rows show what a step
# does, and for later ones it is not called: each row answers or fails as the calls
# do one by one, whatever its array is like.
#
# With GPUCOMPACT_TEST_FULL=1 in the environment, there are more random chains.
# GPUCOMPACT_TEST_SEED makes those of a run before.

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

my $chains = $ENV{GPUCOMPACT_TEST_FULL} ? 500 : 15;
my $seed = $ENV{GPUCOMPACT_TEST_SEED} // time % 1000000;
srand($seed);

my $node = start_server('chain_rows');

$node->safe_psql(
	'postgres', q(
	-- A digest of the answer for each row, or an error: of a query for each.
	CREATE FUNCTION answers_apart(query text)
	RETURNS TABLE (id integer, answer text, fails boolean)
	LANGUAGE plpgsql AS $$
	BEGIN
		FOR id IN SELECT arrays.id FROM arrays ORDER BY arrays.id LOOP
			BEGIN
				fails := false;
				EXECUTE 'SELECT md5(record_send(ROW(x))) FROM (' || query || ') AS q'
					INTO answer USING id;
			EXCEPTION WHEN OTHERS THEN
				fails := true;
				answer := SQLSTATE || ': ' || SQLERRM;
			END;
			RETURN NEXT;
		END LOOP;
	END $$;

	-- The first error of an expression over some rows, in their order.
	CREATE FUNCTION error_of(expression text, ids integer[]) RETURNS text
	LANGUAGE plpgsql AS $$
	BEGIN
		EXECUTE 'SELECT count(record_send(ROW(' || expression || ')))
				 FROM arrays WHERE id = ANY ($1)' USING ids;
		RETURN 'none';
	EXCEPTION WHEN OTHERS THEN
		RETURN SQLSTATE || ': ' || SQLERRM;
	END $$;

	-- The rows for which an expression in a query over all of them, and a query
	-- for each, differ.  A row that fails is the last one of a query.
	CREATE FUNCTION differing(expression text, query text) RETURNS text
	LANGUAGE plpgsql AS $$
	DECLARE
		good integer[];
		rows text;
		errors text;
	BEGIN
		CREATE TEMPORARY TABLE apart ON COMMIT DROP AS SELECT * FROM answers_apart(query);
		SELECT coalesce(array_agg(id), '{}') INTO good FROM apart WHERE NOT fails;
		IF good <> '{}' THEN	-- or the expression may be wrong
			EXECUTE 'SELECT string_agg(id::text, '' '') FROM apart JOIN
					 (SELECT id, md5(record_send(ROW(' || expression || '))) AS together
					  FROM arrays WHERE id = ANY ($1) OFFSET 0) AS t USING (id)
					 WHERE answer IS DISTINCT FROM together' INTO rows USING good;
		END IF;
		SELECT string_agg(id::text, ' ') INTO errors FROM apart
		WHERE fails AND answer IS DISTINCT FROM error_of(expression,
			ARRAY(SELECT g FROM unnest(good) AS g WHERE g < id) || id);
		RETURN concat_ws('; fails: ', rows, errors);
	END $$;

	-- How often a query says that a call was a stage of the next one.
	CREATE FUNCTION stages_of(query text) RETURNS bigint LANGUAGE plpgsql AS $$
	BEGIN
		EXECUTE query;
		RETURN (SELECT count(*) FROM gpu_last_call() AS c,
				regexp_matches(c.chain, 'with the next call', 'g'));
	END $$;));

my %extremes = (
	'smallint' => 32767,
	'integer' => 2147483647,
	'bigint' => 9223372036854775807,
	'real' => '3e38',
	'double precision' => '1e308');

# Sixty arrays of up to 1,000 elements, and then others and all that is no short
# list among them.
sub make_arrays
{
	my ($type) = @_;
	my $value = $type =~ /real|double/
	  ? q(CASE h % 50 WHEN 0 THEN 'NaN' WHEN 1 THEN '-0' ELSE h % 2000 / 8.0 - 100 END)
	  : 'h % 200 - 100';
	my $extreme = $extremes{$type};

	$node->safe_psql(
		'postgres', qq(
		DROP TABLE IF EXISTS arrays;
		CREATE TABLE arrays (id serial, a $type\[], b integer[], mask boolean[]);
		INSERT INTO arrays (a)
		SELECT ARRAY(SELECT ($value)::$type
			FROM generate_series(1, CASE WHEN r % 10 = 0 THEN 1000 ELSE r END) AS i,
				 LATERAL abs(hashint4(1000 * r + i)::bigint) AS h)
		FROM generate_series(1, 60) AS r;
		INSERT INTO arrays (a)
		SELECT form FROM arrays, LATERAL (VALUES (a), (NULL), ('{}'), (a || NULL || a),
			('{NULL}'), (ARRAY[a, a]), ('{$extreme,-$extreme,$extreme}'::$type\[] || a),
			(array_fill(1::$type, '{5}', '{3}')), (array_fill(1::$type, '{5000}')),
			('{0,0,0}'), ('{1}')) AS v (form)
		WHERE id % 9 = 1 ORDER BY hashint4(id), md5(form::text);
		UPDATE arrays SET
			b = ARRAY(SELECT i % 5 FROM generate_series(1, cardinality(a)) AS i),
			mask = ARRAY(SELECT i % 3 < 2 FROM generate_series(1, cardinality(a)) AS i);));
	return;
}

# The chains of calls that answer otherwise than the calls one by one.
sub differing
{
	my @differing;

	foreach my $calls (@_)
	{
		my (undef, $query) = chain_queries('a', 'FROM arrays WHERE id = $1', @$calls);
		my $expression = 'a';

		$expression = $_ =~ s/%s/$expression/gr foreach @$calls;
		my $rows = $node->safe_psql('postgres',
			"SELECT differing(\$q\$$expression\$q\$, \$q\$$query\$q\$)");
		push @differing, "$expression: $rows" if $rows ne '';
	}
	return @differing;
}

# Chains that begin with one to three stages.
sub chain_of_stages
{
	my ($type) = @_;
	my @stages = map { fill_in(one_of(chain_calls('stage'))->{'call'}, $type) } 1 .. one_of(1 .. 3);

	return [ @stages, random_chain(one_of(1, 1, 2), $type) ];
}

foreach my $type (sort keys %extremes)
{
	make_arrays($type);
	my @chains = (
		[ 'gpu_delta(%s)', q(gpu_compact(%s, '>', 0)), q(gpu_reduce(%s, 'max')) ],
		[ q(gpu_map(%s, '*', 2)), 'gpu_stats(%s)' ],
		[ q(gpu_compact(%s, '>', 50)), 'gpu_radix_sort(%s)' ],
		map { chain_of_stages($type) } 1 .. $chains);

	is(join("\n", differing(@chains)), '', "$type: chains for many rows, seed $seed");
}

# That stages are found, and when they are not.
make_arrays('integer');
my $chain = q(SELECT gpu_reduce(gpu_compact(gpu_delta(a), '>', 0), 'max') FROM arrays WHERE id BETWEEN %s);

sub stages
{
	my ($rows, @settings) = @_;

	return $node->safe_psql('postgres',
		join('', map { "SET $_;" } 'gpucompact.engine = cpu', @settings) . 'SELECT stages_of($q$' . sprintf($chain, $rows) . '$q$)');
}

is(stages('11 AND 12'), 2, 'later rows have stages');
is(stages('11 AND 11'), 0, 'the first row has none');
is(stages(q(11 AND 12 OR a = '{0,0,0}')), 2, 'rows whose stages leave nothing have them, too');
is(stages('11 AND 12', 'gpucompact.algorithm = sequential'), 0, 'nor has an algorithm that is set');
is(stages('11 AND 12', 'gpucompact.log_min_duration = 1000'), 0, 'nor a call whose time may be logged');
$chain =~ s/'>', 0/'>', id/;
is(stages('11 AND 12'), 1, 'a value that is no constant makes no stage of a call');

# A chain that fails, in any of its calls, leaves nothing behind for the next
# statements of its session, whatever they call.
my @calls = ('gpu_delta(%s)', q(gpu_compact(%s, '>', -1000)), q(gpu_reduce(%s, 'max')));
my $rows = 'FROM arrays WHERE id BETWEEN 11 AND 40';
my $next = "SELECT sum(gpu_reduce(a, 'max')) $rows;" . join('', map {
	my $calls = 'a';

	$calls = $_ =~ s/%s/$calls/r foreach @calls[ $_ .. $#calls ];
	"SELECT sum($calls) $rows;"
} reverse 0 .. $#calls);
my $expected = $node->safe_psql('postgres', $next);

foreach my $failing (q(gpu_map(%s, '/', 0)), q(gpu_map(100, '/', gpu_map(%s, '%%', 3))))
{
	foreach my $place (0 .. $#calls)
	{
		my $call = 'a';
		my @chain = @calls;

		splice @chain, $place, 0, $failing;
		$call = $_ =~ s/%s/$call/r =~ s/%%/%/r foreach @chain;
		my ($status, $out, $said) =
		  $node->psql('postgres', "SELECT sum($call) $rows; $next", on_error_stop => 0);

		like($said, qr/^\S* ?ERROR:  division by zero/m, "$call fails");
		is($out, $expected, 'and the next statements are right');
	}
}

done_testing();
