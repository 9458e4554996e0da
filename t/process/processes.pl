
# A session's process apart from its queries: it gets its signals itself, no thread
# does, and it exits when it is told to, whatever an engine is doing.

use lib 't/lib';
use IPC::Run;
use Time::HiRes qw(sleep);

use Gpucompact;

# Calls in the background; returns what IPC::Run has of it, and the process of
# the session.
sub start_session
{
	my ($node, $set, $call) = @_;
	my $psql = IPC::Run::start(
		[
			'psql', '-XAtq', '-d', $node->connstr('postgres'),
			'-c', $set, '-c', $call, '-c', 'SELECT 1'
		],
		'>' => '/dev/null',
		'2>' => '/dev/null',
		IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));

	return ($psql, process_at($node, $call));
}

# A mask of signals in /proc.  Only the first 31 matter here.
sub mask
{
	my ($status, $name) = @_;

	return $status =~ /^$name:\s+[0-9a-f]*([0-9a-f]{8})$/m ?
	  hex($1) & 0x7FFFFFFF : -1;
}

my $node = start_with_gpu('processes');
my %engines = engines($node);

# Enough to start threads, in a call that is repeated as long as it is looked
# at.  The result is so large that its memory goes back to the system.
$node->safe_psql('postgres', q(
	CREATE UNLOGGED TABLE runs AS
	SELECT array_agg(i) AS samples FROM generate_series(1, 5000000) i));
my $endless = 'SELECT count(gpu_prefix_sum(samples)) FROM runs, '
  . 'generate_series(1, 1000000)';

SKIP:
{
	skip('there is no /proc here', 1) unless -r '/proc/self/status';

	# All but SIGKILL and SIGSTOP, which cannot be blocked.
	my $all = 0x7FFFFFFF & ~(1 << 8) & ~(1 << 18);

	foreach my $engine (sort keys %engines)
	{
		my ($psql, $pid) = start_session($node, $engines{$engine}, $endless);
		my $works = $engine ne 'cpu_threads = 1';
		my %threads;
		my $bad = 0;

		# On a busy machine it takes a while until the threads begin.
		for (my $i = 0; $i < 40 || ($works && !%threads && $i < 3000); $i++)
		{
			sleep(0.01);
			foreach my $task (glob("/proc/$pid/task/*"))
			{
				my ($id) = $task =~ /(\d+)$/;
				my $status = eval { slurp_file("$task/status") };

				# Linux shows no masks of a thread that has just ended.
				next if $id == $pid || !$status || $status =~ /^Threads:\s+0$/m;
				$threads{$id} = 1;
				next if (mask($status, 'SigBlk') & $all) == $all;
				$bad++;
				note($status);
			}
		}
		if ($works)
		{
			cmp_ok(keys %threads, '>', 0, "$engine: there are threads");
		}
		else
		{
			# One may wait to give kept memory back.
			cmp_ok(keys %threads, '<=', 1, "$engine: no threads work");
		}
		is($bad, 0, "$engine: they block all signals");

		$node->safe_psql('postgres', "SELECT pg_terminate_backend($pid)");
		$psql->finish;
	}

	# A session's signal handling does not change.
	foreach my $engine (sort keys %engines)
	{
		my $status = q(SELECT pg_read_file('/proc/self/status'););
		my $out = $node->safe_psql('postgres',
				"$engines{$engine} $status SELECT 'calls';"
			  . 'SELECT gpu_compact(samples) IS NULL, '
			  . 'gpu_prefix_sum(samples) IS NULL, '
			  . "gpu_radix_sort(samples) IS NULL FROM runs; $status");
		my ($before, $after) = split(/\ncalls\nf\|f\|f\n/, $out);

		foreach my $set ('SigBlk', 'SigIgn', 'SigCgt')
		{
			is(mask($after, $set), mask($before, $set), "$engine: $set is the same after calls");
		}
		cmp_ok(mask($before, 'SigCgt'), '>', 0, "$engine: it is known");
	}
}

# A session that is told to go goes, wherever it is; and so does the server.
foreach my $engine (sort keys %engines)
{
	for (1 .. 3)
	{
		my ($psql, $pid) = start_session($node, $engines{$engine}, $endless);

		$node->safe_psql('postgres', "SELECT pg_terminate_backend($pid, 10000)");
		is($node->safe_psql('postgres',
				"SELECT count(*) FROM pg_stat_activity WHERE pid = $pid"),
			0, "$engine: a session at work is gone when it is told to");
		$psql->finish;
	}
}
{
	my @running =
	  map { start_session($node, $engines{$_}, "$endless -- $_") }
	  sort keys %engines;

	ok($node->stop('fast', fail_ok => 1), 'a fast shutdown is one');
	$_->finish foreach grep { ref } @running;
	$node->start;
}
survived($node);
$node->stop;

# The same while the GPU hangs.
SKIP:
{
	skip('make t/engine/gpu_on_cpu has not been run', 1) unless -e built('engine/gpu_on_cpu');

	my $faulty_node = start_faulty('faulty_processes', 'gpu_on_cpu', @small_lanes);
	$faulty_node->safe_psql('postgres',
		'CREATE TABLE runs AS SELECT ARRAY[i, -i] AS samples
		 FROM generate_series(1, 2) AS i');
	my $set = 'SET gpucompact.engine = cuda;';
	my $call = 'SELECT count(gpu_radix_sort(samples)) FROM runs';

	foreach my $fault ('push hang', 'finish hang', 'finish slow')
	{
		$faulty_node->safe_psql('postgres', "SELECT set_fault('$fault')");
		if ($fault =~ /hang/)
		{
			my ($psql, $pid) = start_session($faulty_node, $set, $call);

			$faulty_node->safe_psql('postgres', "SELECT pg_terminate_backend($pid, 10000)");
			$psql->finish;
			is($faulty_node->safe_psql('postgres',
					"SELECT count(*) FROM pg_stat_activity WHERE pid = $pid"),
				0, "$fault: the session is gone");
		}
		else
		{
			is($faulty_node->safe_psql('postgres', "$set $call"),
				2, "$fault: the session exits when it is done");
		}
		lanes_are_free($faulty_node, $fault);
	}
	$faulty_node->stop('fast');
	$faulty_node->start;
	survived($faulty_node);
}

done_testing();
