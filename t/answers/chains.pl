
# A chain answers as its calls do one by one: the same bytes, or the same SQLSTATE
# and message.
#
# Calls of functions are made on the results of others, for arrays of several types;
# and random chains of up to four calls follow.  Each chain is compared with the
# same calls in subqueries that the planner keeps apart.  And chains are called for
# each of many rows: the first rows show what a step does, and for later ones it is not
# called, whatever their arrays are like.
#
# With GPUCOMPACT_TEST_FULL=1 in the environment, there are all pairs of all types, and
# more random chains.  GPUCOMPACT_TEST_SEED makes the chains of a run before.

use lib 't/lib';

use Calls;
use Chains;
use Gpucompact;
use Random;

my $full = $ENV{GPUCOMPACT_TEST_FULL};
my $seed = $ENV{GPUCOMPACT_TEST_SEED} // time % 1000000;
srand($seed);

my @inner = map { $_->{'call'} } chain_calls('stage', 'chain');
my @ends = map { $_->{'call'} } chain_calls('end');
my $node = start_server('chains');

$node->safe_psql('postgres', chain_functions() . q(
	-- How two queries differ on any of some arrays; or how the first one is planned.
	CREATE FUNCTION compare(chain text, steps text) RETURNS text
	LANGUAGE plpgsql AS $$
	DECLARE
		id integer;
	BEGIN
		FOR id IN SELECT arrays.id FROM arrays WHERE few LOOP
			IF answer_of(chain, id) IS DISTINCT FROM answer_of(steps, id) THEN
				RETURN format('array %s: %s, not %s', id, answer_of(chain, id),
							  answer_of(steps, id));
			END IF;
		END LOOP;
		RETURN plan_of(chain);
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
		CREATE TEMPORARY TABLE apart ON COMMIT DROP AS
		SELECT id, answer, answer ~ '^[0-9A-Z]{5}: ' AS fails
		FROM (SELECT id, answer_of(query, id) AS answer FROM arrays OFFSET 0) AS a ORDER BY id;
		SELECT coalesce(array_agg(id), '{}') INTO good FROM apart WHERE NOT fails;
		IF good <> '{}' THEN	-- or the expression may be wrong
			EXECUTE 'SELECT string_agg(id::text, '' '') FROM apart JOIN
					 (SELECT id, ' || digest_of('x') || ' AS together
					  FROM (SELECT id, ' || expression || ' AS x
							FROM arrays WHERE id = ANY ($1) OFFSET 0) AS q) AS t USING (id)
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

# By type: an element made of the random number h, and others that matter.
my $float = q(CASE h % 50 WHEN 0 THEN 'NaN' WHEN 1 THEN '-0' ELSE h % 2000 / 8.0 - 100 END);
my %elements = (
	'smallint' => [ 'h % 200 - 100', '{32767,-32768,5}' ],
	'integer' => [ 'h % 200 - 100', '{2147483647,-2147483648,5}' ],
	'bigint' => [ 'h % 200 - 100', '{9223372036854775807,-9223372036854775808,5}' ],
	'real' => [ $float, '{3e38,3e38,-Infinity}' ],
	'double precision' => [ $float, '{1e308,1e308,-Infinity}' ],
	'date' => [ q(date '2000-01-01' + (h % 7)::integer), '{2024-02-29,infinity}' ],
	'boolean' => [ 'h % 3 > 0', '{f}' ]);

# Sixty arrays of up to 1,000 elements, and then others and all that is no short list
# among them; a few of these have all forms.
sub make_arrays
{
	my ($type) = @_;
	my ($value, $extremes) = @{ $elements{$type} };

	$node->safe_psql('postgres', qq(
		DROP TABLE IF EXISTS arrays;
		CREATE TABLE arrays (id serial, few boolean, a $type\[], b integer[], mask boolean[]);
		ALTER TABLE arrays ALTER a SET STORAGE EXTERNAL;
		INSERT INTO arrays (few, a)
		SELECT false, ARRAY(SELECT ($value)::$type
			FROM generate_series(1, CASE WHEN r % 10 = 0 THEN 1000 ELSE r END) AS i,
				 LATERAL abs(hashint4(1000 * r + i)::bigint) AS h)
		FROM generate_series(1, 60) AS r;
		INSERT INTO arrays (few, a)
		SELECT id = 10, form FROM arrays, LATERAL (VALUES (a), (NULL), ('{}'), ('$extremes'),
			('$extremes'::$type\[] || a), (a || NULL || a), ('{NULL,NULL}'), (ARRAY[a, a]),
			(array_fill(a[1], '{2,2}', '{3,4}')), (array_fill(a[2], '{3}', '{-1}')),
			(array_fill(a[1], '{5000}')), (array_fill(a[1], '{3}')), (a[1:1])) AS v (form)
		WHERE id % 9 = 1 ORDER BY hashint4(id), md5(form::text);
		UPDATE arrays SET
			b = ARRAY(SELECT i % 5 FROM generate_series(1, cardinality(a)) AS i),
			mask = ARRAY(SELECT i % 3 < 2 FROM generate_series(1, cardinality(a)) AS i);));
	return;
}

# Compares chains.  Returns those that differ, and the number of those that are
# one call, and of those that are not.
sub compare
{
	my @chains = @_;
	my @calls = map {
		my ($chain, $steps) = chain_queries('a', 'FROM arrays WHERE id = $1', @$_);
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

foreach my $type (sort keys %elements)
{
	my @pairs = map { my $i = $_; map { [ $i, $_ ] } @inner, @ends } @inner;

	@pairs = map { one_of(@pairs) } 1 .. ($type eq 'integer' ? 300 : 60)
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

	my @of_rows = (
		[ 'gpu_delta(%s)', q(gpu_compact(%s, '>', 0)), q(gpu_reduce(%s, 'max')) ],
		[ q(gpu_map(%s, '*', 2)), 'gpu_stats(%s)' ],
		[ q(gpu_compact(%s, '>', 50)), 'gpu_radix_sort(%s)' ],
		map { chain_of_stages($type) } 1 .. ($full ? 500 : 15));

	is(join("\n", differing($type =~ /date|boolean/ ? () : @of_rows)), '',
		"$type: chains for many rows, seed $seed");
}

# That stages are found, and when they are not.
make_arrays('integer');
my $chain = q(SELECT gpu_reduce(gpu_compact(gpu_delta(a), '>', 0), 'max')
			  FROM arrays WHERE id BETWEEN %s);

sub stages
{
	my ($rows, @settings) = @_;

	return $node->safe_psql('postgres',
		join('', map { "SET $_;" } 'gpucompact.engine = cpu', @settings)
		  . 'SELECT stages_of($q$' . sprintf($chain, $rows) . '$q$)');
}

is(stages('11 AND 12'), 2, 'later rows have stages');
is(stages('11 AND 11'), 0, 'the first row has none');
is(stages(q(11 AND 12 OR a = array_fill(a[1], '{3}'))),
	2, 'rows whose stages leave nothing have them, too');
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
