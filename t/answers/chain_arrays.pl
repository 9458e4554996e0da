
# Chains on large arrays, whose arrays between calls are not made: on a GPU, or on
# the CPU in its place, they stay there; on the CPU, they are computed piece by
# piece.  Each chain answers as its calls do one by one: the same bytes, or the
# same SQLSTATE and message.
#
# With GPUCOMPACT_TEST_FULL=1 in the environment, there are more random chains.
# GPUCOMPACT_TEST_SEED makes the random chains of a run before.

use lib 't/lib';

use Chains;
use Gpucompact;
use Random;

my $full = $ENV{GPUCOMPACT_TEST_FULL};
my $seed = $ENV{GPUCOMPACT_TEST_SEED} // time % 1000000;
srand($seed);

# Chains with a meaning of their own: errors of the first and of the last call,
# nothing left, the same array twice; and calls that do not look at an array whose
# elements have an error.
my @unseen = (
	'gpu_compact_in(%s, ARRAY[NULL, (%s)[0]], true)', q(gpu_compact(%s, 'is null')),
	q(gpu_compare(%s, 'is not null')), q(gpu_take(%s, '{}'::integer[])));
my @meant = (
	(map { [ q(gpu_map(%s, '/', 0)), $_ ] } @unseen),
	(map { [ 'gpu_delta(%s)', q(gpu_map(%s, '*', 2000000000)), $_ ] } @unseen),
	[ q(gpu_map(%s, '/', 0)), q(gpu_reduce(%s, 'max')) ],
	[ q(gpu_map(%s, '/', 0)), q(gpu_reduce(%s, 'no operator')) ],
	[ q(gpu_map(%s, '*', 2000000000)), 'gpu_delta(%s)', q(gpu_reduce(%s, 'max')) ],
	[ 'gpu_delta(%s)', q(gpu_reduce(%s, 'no operator')) ],
	[ q(gpu_compact(%s, '>', 2000000)), q(gpu_reduce(%s, 'max')) ],
	[ q(gpu_compact(%s, '>', 2000000)), 'gpu_stats(%s)' ],
	[ q(gpu_compact(%s, '>', 2000000)), 'gpu_delta(%s)' ],
	[ 'gpu_delta(%s)', q(gpu_compact(%s, '>', 0)), q(gpu_reduce(%s, 'max')) ],
	[ 'gpu_delta(%s)', q(gpu_zip(%s, '*', %s)), 'gpu_stats(%s)' ],
	[ ('gpu_delta(%s)') x 10, q(gpu_reduce(%s, 'max')) ],
	[ 'gpu_delta(%s)', 'gpu_prefix_sum(%s)' ],
	[ q(gpu_map(100, '/', %s)), q(gpu_window(%s, 'min', 5)) ],
	[ 'gpu_delta(%s, 7)', q(gpu_window(%s, '+', 300, 400)), q(gpu_reduce(%s, '+')) ],
	[ 'gpu_delta(%s, 9000)', 'gpu_window_avg(%s, 3, 1)', 'gpu_run_lengths(%s)' ],
	[ 'gpu_window_avg(%s, 1000)', 'gpu_delta(%s, 8192)', q(gpu_compact(%s, '>', 0)), 'gpu_stats(%s)' ],
	[ q(gpu_map(%s, '+', 1)), q(gpu_window(%s, 'max', 0, 20)), 'gpu_radix_sort(%s)' ],
	[ q(gpu_window(%s, 'min', 5)), 'gpu_window_avg(%s, 5)', q(gpu_scan(%s, '+')) ]);

my $node = start_with_gpu('chain_arrays');
my %engines = engines($node);
my @settings = (
	'SET gpucompact.engine = cpu',
	'SET gpucompact.engine = cpu; SET gpucompact.cpu_threads = 1', 'SET gpucompact.engine = eager');
push @settings, 'SET gpucompact.engine = cuda' if exists $engines{'cuda'};

$node->safe_psql('postgres', chain_functions() . q(
	-- Integers; with NULLs; of another shape; floats with NaN; and short ones.
	-- Each is there packed, too.
	CREATE TABLE arrays (id integer, a integer[], f float8[], p gpu_packed, q gpu_packed);
	ALTER TABLE arrays ALTER a SET STORAGE EXTERNAL, ALTER f SET STORAGE EXTERNAL;
	INSERT INTO arrays
	SELECT 1, array_agg(hashint4(i) % 5000 + 3),
		   array_agg(CASE WHEN i % 1000 = 0 THEN 'NaN' ELSE sqrt(i) - 100 END)
	FROM generate_series(1, 75001) AS i
	UNION ALL
	SELECT 2, array_agg(CASE WHEN i % 7 = 0 THEN NULL ELSE i - 50000 END),
		   array_agg(CASE WHEN i % 7 = 0 THEN NULL ELSE i / 3.0 END)
	FROM generate_series(1, 70000) AS i
	UNION ALL
	SELECT 4, array_agg(i), array_agg(-i / 3.0) FROM generate_series(1, 5) AS i;
	INSERT INTO arrays
	SELECT 3, ('[5:75005]=' || a::text)::integer[], ('[5:75005]=' || f::text)::float8[]
	FROM arrays WHERE id = 1;
	UPDATE arrays SET p = gpu_pack(a), q = gpu_pack(f);
	ALTER TABLE arrays ADD b integer[], ADD mask boolean[];
	ALTER TABLE arrays ALTER b SET STORAGE EXTERNAL;
	UPDATE arrays SET b = ARRAY(SELECT x % 10 FROM unnest(a) AS x),
					  mask = ARRAY(SELECT x % 3 > 0 FROM unnest(a) AS x);));

my @integers = ('a', 'a', 'p::integer[]', 'gpu_unpack(p, NULL::integer[])');
my @floats = ('f', 'q::float8[]');
my @chains = map { my $chain = $_; map { [ $_, @$chain ] } 'a', 'p::integer[]', @floats } @meant;

push @chains, map {
	my $column = chance(0.7) ? one_of(@integers) : one_of(@floats);

	[ $column, random_chain(2 + int(rand(3)),
			$column =~ /^[fq]/ ? 'double precision' : 'integer', 'integer') ]
} 1 .. ($full ? 600 : 60);

my $number = 0;
my $list = join(', ', map {
	my ($column, @calls) = @$_;
	my ($chain, $steps) = chain_queries($column, 'FROM arrays WHERE id = $1', @calls);

	$number++;
	"($number, \$q\$$chain\$q\$, \$q\$$steps\$q\$)";
} @chains);

$node->safe_psql('postgres', "
	SET gpucompact.engine = cpu;
	CREATE TABLE chains AS
	SELECT id, number, chain, answer_of(steps, id) AS expected
	FROM (VALUES $list) AS v (number, chain, steps), arrays;");
cmp_ok(
	$node->safe_psql('postgres', q(
		SELECT avg((expected ~ '^[0-9A-Z]{5}: ')::integer) FROM chains)),
	'<', 0.5, 'most chains have an answer');

# On the CPU, one thread has every other pair of a chain and an array.
foreach my $setting (@settings)
{
	my $turn = $setting =~ /cpu/ ? "(number + id) % 2 = " . ($setting =~ /threads/ ? 1 : 0) : 'true';

	is($node->safe_psql('postgres', "
			$setting;
			SELECT id, chain, expected, answer_of(chain, id) FROM chains
			WHERE $turn AND answer_of(chain, id) IS DISTINCT FROM expected LIMIT 3;"),
		'', "as the calls apart, with $setting, seed $seed");
}

# What gpu_last_call() shows of the array between the calls.
sub source_of
{
	my ($setting, $chain) = @_;

	return $node->safe_psql('postgres', "
		SET gpucompact.engine = $setting;
		DO \$\$ BEGIN PERFORM $chain FROM arrays WHERE id = 1; END \$\$;
		SELECT source FROM gpu_last_call();");
}

# The CPU computes an array between calls piece by piece, elements that are near
# included, and at once where its length matters; a packed one is unpacked by the call
# that reads it; short ones, and others, are made.
my @sources = (
	[ 'streamed', "gpu_reduce(gpu_map(a, '+', 1), 'max')" ],
	[ 'streamed', "gpu_stats(gpu_compact(a, '>', 1))" ],
	[ 'packed', "gpu_reduce(p::integer[], 'max')" ],
	[ 'streamed', "gpu_reduce(gpu_map(p::integer[], '+', 1), 'max')" ],
	[ 'streamed', "gpu_reduce(gpu_window_avg(gpu_delta(a, 7), 40), 'max')" ],
	[ 'in place', "gpu_reduce(gpu_window(a, 'max', 2000), 'max')" ],
	[ 'in place', "gpu_reduce(gpu_map(a[1:9], '+', 1), 'max')" ]);
is(source_of('cpu', $_->[1]), $_->[0], "$_->[0]: $_->[1]") foreach @sources;

is($node->safe_psql('postgres', q(
		SET gpucompact.engine = cpu;
		SELECT gpu_reduce(gpu_scan(gpu_delta(a), 'max'), 'max') > 0
		FROM arrays WHERE id = 1;
		SELECT regexp_replace(chain, '[0-9.]+ ms', '', 'g') FROM gpu_last_call();
		SELECT gpu_reduce(a, 'max') > 0 FROM arrays WHERE id = 1;
		SELECT chain FROM gpu_last_call();)),
	"t\ngpu_delta (with the next call), gpu_scan (cpu, streamed, ), "
	  . "gpu_reduce (cpu, in place, )\nt\n",
	'what the last call tells of a chain, and of a call that is none');

# A chain that fails, in any of its calls, leaves nothing behind for the next
# statements of its session, whatever they call.
my $next = join('', map { "SELECT $_ FROM arrays ORDER BY id;" }
	  q(gpu_reduce(a, 'max')), 'gpu_stats(b)',
	q(gpu_stats(gpu_compact(gpu_delta(b), '>', 0))));
my $expected = $node->safe_psql('postgres', $next);

foreach my $call (
	q(gpu_reduce(gpu_map(a, '/', 0), 'max')),
	q(gpu_stats(gpu_compact(gpu_map(a, '/', b), '>', 0))),
	q(gpu_stats(gpu_map(gpu_compact(b, '>', 0), '/', 0))),
	q(gpu_histogram(gpu_compact(b, '>', 0), 1, 1, 5)),
	q(gpu_reduce(gpu_map(gpu_radix_sort(b), '/', 0), 'max')))
{
	my ($status, $out, $said) = $node->psql('postgres',
		"SET gpucompact.engine = cpu; SELECT $call FROM arrays; $next",
		on_error_stop => 0);

	like($said, qr/ERROR:  /, "$call fails");
	is($out, $expected, 'and the next statements are right');
}

# One plan of a function fails in each of its steps in turn, or is cancelled, and
# goes on in the same transaction.
$node->safe_psql('postgres', q(
	CREATE FUNCTION chained(a integer[], cancels boolean, lag integer, divisor integer,
							frame integer, op text, reducer text) RETURNS text
	LANGUAGE plpgsql AS $$
	BEGIN
		RETURN gpu_reduce(gpu_compact(gpu_window(gpu_map(gpu_delta(
				CASE WHEN NOT cancels OR pg_cancel_backend(pg_backend_pid()) THEN a END,
				lag), '/', divisor), 'max', frame), op, 0), reducer);
	EXCEPTION WHEN query_canceled OR OTHERS THEN
		RETURN SQLSTATE;
	END $$;));
my $good = q(false, 1, 1, 5, '>', 'max');
my @calls = map { ($_, $good) } q(false, 0, 1, 5, '>', 'max'), q(false, 1, 0, 5, '>', 'max'),
  q(false, 1, 1, -1, '>', 'max'), q(false, 1, 1, 5, 'no', 'max'),
  q(false, 1, 1, 5, '>', 'no'), q(true, 1, 1, 5, '>', 'max');
my $values = join(', ', map { "($_, $calls[$_])" } 0 .. $#calls);

foreach my $setting (@settings)
{
	is($node->safe_psql('postgres', "
			$setting;
			SELECT string_agg(chained(b, v.cancels, lag, divisor, frame, op, reducer), ' ' ORDER BY n)
			FROM arrays, (VALUES $values) AS v (n, cancels, lag, divisor, frame, op, reducer)
			WHERE id = 1;"),
		'22023 18 22012 18 22013 18 22023 18 22023 18 57014 18',
		"a plan whose steps fail, with $setting");
}

SKIP:
{
	skip 'no GPU here' unless exists $engines{'cuda'};

	like(source_of('cuda', "gpu_reduce(p::integer[], 'max')"),
		qr/^(packed|cache)$/, 'a packed array is unpacked on its way to the GPU');
	is(source_of('cuda', "gpu_reduce(gpu_map(a, '+', 1), 'max')"),
		'on the GPU', 'the array between the calls stays on the GPU');
}

done_testing();
