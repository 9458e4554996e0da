
# Faults while many sessions are at work: the GPU process or its worker is
# killed, a kernel fails, the GPU hangs, a session or the server crashes.  Each
# call is right, or says why not; and then a GPU process serves again.  Where
# there is no GPU, the CPU stands in for it, for fewer sessions.

use lib 't/lib';
use Time::HiRes qw(time);

use Calls;
use Gpucompact;

my $real = gpu_program() && -e built('engine/faulty_gpu');
my $program = $real ? 'faulty_gpu' : 'gpu_on_cpu';
my $nsessions = $real ? 64 : 8;

plan skip_all => "make t/engine/$program has not been run" unless -e built("engine/$program");

my $node = start_faulty('gpu_load', $program, 'restart_after_crash = on',
	'max_connections = 100', $real ? () : @small_lanes);
my %calls = calls();
my @names = ('prefix_sum', 'radix_sort', 'compact');
my $short = "SET gpucompact.engine = cuda; SELECT gpu_radix_sort('{2,1}'::integer[])";

load_runs($node, $real ? 1000000 : 70000, calls(@names));
$node->safe_psql('postgres', q(
	-- The outcomes of calls, which are repeated until a row says that they end.  Between
	-- calls that the CPU may answer, it has a rest.
	CREATE TABLE ended (yes boolean);
	CREATE FUNCTION outcomes(names text[], calls text[])
	RETURNS SETOF text LANGUAGE plpgsql AS $$
	DECLARE
		i integer := 0;
	BEGIN
		WHILE NOT EXISTS (SELECT FROM ended) LOOP
			i := i % cardinality(names) + 1;
			RETURN NEXT outcome(names[i], calls[i]);
			PERFORM pg_sleep(0.01) WHERE current_setting('gpucompact.engine') = 'eager';
		END LOOP;
	END $$));

# Sessions at work, by turns with the GPU alone and with either engine.
sub start_sessions
{
	my $list = join(', ', map { "'$_'" } @names);
	my $what = join(', ', map { "\$call\$$calls{$_}\$call\$" } @names);

	$node->safe_psql('postgres', 'TRUNCATE ended');
	return map { background($node, "
		SET gpucompact.engine = $_;
		SELECT outcome, count(*)
		FROM outcomes(ARRAY[$list], ARRAY[$what]) AS outcome
		GROUP BY 1 ORDER BY 1;") } ('cuda', 'eager') x ($nsessions / 2);
}

# All outcomes of the sessions, with the number of calls of each.
sub count_outcomes
{
	my %counts;

	foreach my $said (@_)
	{
		$counts{$1} += $2 while $said =~ /^(\w+)\|(\d+)$/mg;
		$counts{$said}++ if $said !~ /^(\w+\|\d+\n)+$/;
	}
	return %counts;
}

# How a fault comes about, given the process; and what gpu_processes() says then:
# the failures, and the last one.  A call that is made to fail returns its outcome.
my %faults = (
	'killed' => [ sub { kill 'KILL', $_[0] },
		qr/^[1-3]\|The GPU process was terminated by signal 9\.$/ ],
	'stopped' => [ sub { kill 'STOP', $_[0] },
		qr/^[1-3]\|The GPU process made no progress\.$/ ],
	'worker terminated' => [ sub {
		# Results may be copied while their memory goes.
		$node->safe_psql('postgres', "SELECT set_fault('exit slow')");
		stop_gpu($node);
		$node->safe_psql('postgres', "SELECT set_fault('none none')");
	}, qr/^0\|$/ ],
	'device failed' => [ sub {
		my $fault = $real ? 'illegal' : 'device_failed';

		# Jobs read it when they begin.  The first one may be of a session that
		# takes either engine, so there is another call, which fails for sure.
		my $outcome = $node->safe_psql('postgres', "
			SET gpucompact.engine = cuda;
			SELECT set_fault('begin $fault');
			SELECT outcome('$names[0]', \$call\$$calls{$names[0]}\$call\$);");
		$node->safe_psql('postgres', "SELECT set_fault('none none')");
		return $outcome;
	}, $real ? qr/^[1-9]\|.*cudaErrorIllegalAddress/ : qr/^[1-9]\|.*device_failed/ ]);
my $pid;

foreach my $fault (sort keys %faults)
{
	my ($do_it, $words) = @{ $faults{$fault} };

	# It takes the longer to start again, the more often it has failed.
	stop_gpu($node);
	$node->safe_psql('postgres', $short);
	$pid = gpu_pid($node);

	my @sessions = start_sessions();

	# In full swing.
	$node->poll_query_until('postgres', '
		SELECT sum(lanes_leased + calls_waiting) >= 3 FROM gpu_processes()');
	my $begun = time;
	my $outcome = $do_it->($pid);
	$pid = gpu_pid($node, $pid);
	note(sprintf('%s: served again after %.2f s', $fault, time - $begun));

	$node->safe_psql('postgres', 'INSERT INTO ended VALUES (true)');
	my @said = map { finish_background($_) } @sessions;
	my %cuda = count_outcomes(@said[ grep { $_ % 2 == 0 } 0 .. $#said ]);
	my %eager = count_outcomes(@said[ grep { $_ % 2 == 1 } 0 .. $#said ]);

	note(join(', ', map { "cuda $_ $cuda{$_}" } sort keys %cuda),
		'; ', join(', ', map { "eager $_ $eager{$_}" } sort keys %eager));
	cmp_ok($cuda{'right'}, '>=', @said / 2, "$fault: cuda answers");
	cmp_ok($eager{'right'}, '>=', @said / 2, "$fault: auto answers");
	cmp_ok(($cuda{'58000'} // 0) + ($outcome =~ /^5[58]000$/m), '>', 0,
		"$fault: some calls noticed");
	delete @cuda{ 'right', '58000', '55000' };
	delete $eager{'right'};
	is_deeply(\%cuda, {}, "$fault: or cuda says that the process has failed");
	is_deeply(\%eager, {}, "$fault: auto answers all calls");
	lanes_are_free($node, $fault);
	is($node->safe_psql('postgres', $short), '{1,2}', "$fault: another serves");
	like(
		$node->safe_psql('postgres',
			'SELECT failures, last_failure FROM gpu_processes()'),
		$words, "$fault: gpu_processes() tells");
	$pid = gpu_pid($node);
}
survived($node);

# A crash of a session, by which the server restarts, and one of the server.
foreach my $crash ('session', 'server')
{
	my @sessions = start_sessions();

	$node->poll_query_until('postgres', '
		SELECT sum(lanes_leased + calls_waiting) >= 3 FROM gpu_processes()');
	if ($crash eq 'session')
	{
		my $session = $node->safe_psql('postgres', "
			SELECT pid FROM pg_stat_activity
			WHERE query LIKE '%FROM outcomes(%' AND pid <> pg_backend_pid()
			LIMIT 1");

		kill 'KILL', $session;
	}
	else
	{
		$node->kill9;
	}
	ok(becomes_true(sub { !-d "/proc/$pid" }), "a crash of a $crash ends the GPU process");
	finish_background($_) foreach @sessions;
	$node->start if $crash eq 'server';
	$node->poll_query_until('postgres', 'SELECT true');
	is($node->safe_psql('postgres', $short), '{1,2}',
		"a crash of a $crash: and then another serves");
	$pid = gpu_pid($node);
	lanes_are_free($node, "a crash of a $crash");
}

$node->stop;
ok(becomes_true(sub { !-d "/proc/$pid" }), 'the GPU process ends with the server');
done_testing();
