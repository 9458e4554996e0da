
# Arrays between the calls of a chain stay on the GPU, or on the CPU in its place, and
# so do arrays between the steps of a call.  Whatever becomes of the GPU, its process
# and the session meanwhile, the chain or the call answers right or says why not, and
# the memory comes back.

use lib 't/lib';

use Gpucompact;

plan skip_all => 'make t/engine/gpu_on_cpu has not been run' unless -e built('engine/gpu_on_cpu');

# Nothing is cached, so that the arrays have all memory in use.
my $node = start_faulty('chain_residents', 'gpu_on_cpu', @small_lanes,
	'gpucompact.gpu_cache_size = 0', 'gpucompact.gpu_idle_timeout = 0');
my $chain = q(gpu_reduce(gpu_compact(gpu_delta(a), '>', 0), '+'));
my $failing = q(gpu_reduce(gpu_map(gpu_delta(a), '/', 0), '+'));

$node->safe_psql('postgres', q(
	CREATE TABLE arrays (a integer[], expected bigint);
	ALTER TABLE arrays ALTER a SET STORAGE EXTERNAL;
	INSERT INTO arrays (a)
	SELECT array_agg(hashint4(i) % 1000) FROM generate_series(1, 200000) AS i;
	UPDATE arrays SET expected = (
		SELECT sum(d) FROM (
			SELECT x - coalesce(lag(x) OVER (ORDER BY n), 0) AS d
			FROM unnest(a) WITH ORDINALITY AS u (x, n)) AS s
		WHERE d > 0);));

# The answer to the chain, or to another query, on an engine, under a fault, and
# afterwards.
sub outcome_of
{
	my ($engine, $fault, $question) = @_;
	$question //= "SELECT $chain = expected FROM arrays;";
	my ($status, $out, $err) = $node->psql('postgres', qq(
		\\set VERBOSITY sqlstate
		SET gpucompact.engine = $engine;
		DO \$\$ BEGIN PERFORM set_fault('$fault'); END \$\$;
		$question
		DO \$\$ BEGIN PERFORM set_fault('none none'); END \$\$;
		$question), on_error_stop => 0);

	return join(' ', grep { length } split(/\n/, $out), $err =~ /(\w{5})$/gm);
}

# The bytes on the GPU, after a call that lets it free what nobody needs.
sub memory_in_use
{
	$node->safe_psql('postgres', q(
		SET gpucompact.engine = cuda;
		SELECT gpu_reduce('{1}'::integer[], '+');));
	return $node->safe_psql('postgres', 'SELECT coalesce(sum(gpu_memory), 0) FROM gpu_processes()');
}

is(outcome_of('cuda', 'none none'), 't t', 'a chain without a fault');
is(memory_in_use(), 0, 'the memory of its arrays is free');

# Results stay where they are, except elements at positions that do not exist: these
# results have NULLs.
foreach my $call ('gpu_take(gpu_delta(a, 1, true), gpu_argsort(a))', 'gpu_take(a, gpu_rank(a))',
	'gpu_argsort(gpu_rank(gpu_delta(a, 1, true)))', 'gpu_take(a, gpu_delta(a, 1, true))',
	'gpu_union(gpu_radix_sort(a), gpu_radix_sort(gpu_delta(a, 1, true)))',
	'gpu_except(gpu_delta(a, 1, true), gpu_radix_sort(a))',
	'gpu_union(gpu_argsort(a), gpu_argsort(gpu_delta(a, 1, true)))',
	'gpu_intersect(gpu_argsort(a), gpu_argsort(gpu_delta(a, 1, true)))',
	'gpu_distinct(a || gpu_delta(a, 1, true))', 'gpu_distinct(gpu_delta(a, 1, true), true)',
	'gpu_compact_in(a, gpu_delta(a, 1, true))',
	'gpu_map(gpu_delta(a), $$abs$$)', 'gpu_scan(gpu_delta(gpu_delta(a, 3)), $$max$$)',
	'gpu_compact(gpu_delta(gpu_map(a, $$/$$, 2), 4097), $$<>$$, 0)', 'gpu_window(gpu_delta(a), $$max$$, 5)',
	'gpu_utf8_decode(gpu_utf8_encode(gpu_map(a, $$abs$$)))')
{
	my $source = $call =~ /^gpu_take.*, gpu_delta/ ? 'in place' : 'on the GPU';

	is($node->safe_psql('postgres', qq(
			SET gpucompact.engine = cpu;
			SELECT gpu_reduce($call, '#') AS answer FROM arrays \\gset
			SET gpucompact.engine = cuda;
			SELECT gpu_reduce($call, '#') = :answer FROM arrays;
			SELECT source FROM gpu_last_call();)), "t\n$source", "$call: $source");
	is(memory_in_use(), 0, "$call: the memory is free");
}

# A result without elements that stays, and is what the next call returns.
is($node->safe_psql('postgres', q(
		SET gpucompact.engine = cuda;
		SELECT gpu_to_bytes(gpu_map(gpu_compact(gpu_map(gpu_radix_sort(a), 'abs'), '<', 0), 'floor'))
		FROM arrays;)), '\\x', 'no elements stay');
is(memory_in_use(), 0, 'no elements: the memory is free');

# No memory for a result: it goes to the session.
is(outcome_of('cuda', 'begin no_cache'), 't t', 'no memory for an array');

# A later call fails: either the calls before it are repeated on the CPU, or the error
# is raised.
is(outcome_of('eager', 'chain out_of_memory'), 't t', 'auto: no memory in a later call');
is(outcome_of('cuda', 'chain out_of_memory'),
	't t', 'cuda: no memory for an array that has stayed: it is pushed');
is(outcome_of('eager', 'chain device_failed'), 't t', 'auto: the GPU fails in a later call');
stop_gpu($node);
is(outcome_of('eager', 'chain crash'), 't t', 'auto: the process crashes in a later call');
stop_gpu($node);
is(outcome_of('eager', 'chain not_supported'), 't t', 'auto: a later call is not supported');

# The array's elements can be had from the session again on the GPU, too.
foreach my $fault ('chain device_failed', 'chain crash')
{
	stop_gpu($node);
	like(outcome_of('cuda', $fault), qr/^(t t|t 58000)$/,
		"cuda: the right answer or an error for $fault");
}
stop_gpu($node);
is(memory_in_use(), 0, 'the memory is free after failures');

# An error of a call.
{
	my ($status, $out, $err) = $node->psql('postgres', qq(
		SET gpucompact.engine = cuda;
		SELECT $failing FROM arrays;
		SELECT $chain = expected FROM arrays;), on_error_stop => 0);

	like($err, qr/ERROR:  division by zero/, 'an error of a call');
	is($out, 't', 'the session goes on');
	is(memory_in_use(), 0, 'the memory is free after an error');
}

# Calls whose steps pass arrays on.  The last two faults end the process, which takes
# long, so that only one call meets them, unless GPUCOMPACT_TEST_FULL=1.
my @step_faults = ('none none', 'begin no_cache', 'chain out_of_memory',
	'chain not_supported', 'chain device_failed', 'chain crash');
my @passing = ('gpu_compact_in(a, a[:100000])', 'gpu_distinct(a || a, true)',
	'gpu_distinct(array_append(a, NULL) || a, true)', q(gpu_group(a, a, 'max')),
	q(gpu_group(gpu_delta(a), a, '+')), 'gpu_except(a, a[:100000])',
	'gpu_intersect_count(a[:150000], a)',
	q(gpu_group(array_append(a, NULL), array_append(a, 1), 'max')),
	'gpu_dot((a || a || NULL::integer)::real[], (a || a || 1)::real[])',
	q(gpu_group(a || a || 1, a || a || NULL::integer, 'max')));

foreach my $call (@passing)
{
	my $answer = $node->safe_psql('postgres',
		"SET gpucompact.engine = cpu; SELECT md5(($call)::text) FROM arrays");
	my $question = "SELECT md5(($call)::text) = '$answer' FROM arrays;";

	my $last = $ENV{GPUCOMPACT_TEST_FULL} || $call eq $passing[0] ? 5 : 3;

	foreach my $fault (@step_faults[ 0 .. $last ])
	{
		is(outcome_of('eager', $fault, $question), 't t', "auto: $call with the fault $fault");
		stop_gpu($node) if $fault =~ /failed|crash/;
	}
	is(outcome_of('cuda', 'none none', $question), 't t', "cuda: $call");
	is(outcome_of('cuda', 'chain out_of_memory', $question),
		't t', "cuda: $call with no memory for a later step");
	is(memory_in_use(), 0, "$call: the memory is free");
}

# An error between two steps, in a session that goes on, and in its transaction.
foreach my $call (@passing)
{
	my ($status, $out, $err) = $node->psql('postgres', qq(
		SET gpucompact.engine = cuda; SET statement_timeout = '500ms';
		SELECT set_fault('chain held') IS NULL;
		BEGIN; SAVEPOINT s;
		SELECT $call FROM arrays;
		ROLLBACK TO s;
		SET statement_timeout = 0;
		SELECT set_fault('none none') IS NULL;
		SELECT gpu_reduce('{1}'::integer[], '+');
		DO \$\$ BEGIN
			FOR i IN 1 .. 100 LOOP
				EXIT WHEN (SELECT sum(gpu_memory) = 0 FROM gpu_processes());
				PERFORM pg_sleep(0.1);
			END LOOP;
		END \$\$;
		SELECT sum(gpu_memory) FROM gpu_processes();
		COMMIT;), on_error_stop => 0);

	like($err, qr/statement timeout/, "$call is cancelled between two steps");
	like($out, qr/\n0$/, "$call: the memory is free in the same transaction");
}

# A session that is cancelled, terminated or killed while a later call waits.
foreach my $end ('pg_cancel_backend', 'pg_terminate_backend', 'KILL')
{
	$node->safe_psql('postgres', q(SELECT set_fault('chain held')));
	my $session = background($node, "SET gpucompact.engine = cuda; SELECT $chain FROM arrays;");
	ok(wait_for_calls($node, 1, 0), "$end: a call of the chain has a lane");
	my $pid = $node->safe_psql('postgres', q(
		SELECT pid FROM pg_stat_activity
		WHERE query LIKE '%compact%' AND pid <> pg_backend_pid()));
	if ($end eq 'KILL')
	{
		$node->append_conf('postgresql.conf', 'restart_after_crash = on');
		$node->reload;
		kill 'KILL', $pid;
	}
	else
	{
		$node->safe_psql('postgres', "SELECT $end($pid)");
	}
	like(finish_background($session), qr/57014|57P01|connection/, "$end: the call ends");
	becomes_true(sub { ($node->psql('postgres', 'SELECT 1'))[0] == 0 })
	  or die 'the server does not come back';
	$node->safe_psql('postgres', q(SELECT set_fault('none none')));
	is(memory_in_use(), 0, "$end: the memory is free");
	is(outcome_of('cuda', 'none none'), 't t', "$end: the next session's chain");
}

done_testing();
