
# The life of the GPU process: the first call that wants it has it started, it
# serves all sessions, and it ends with the server, when it is idle, or by force;
# then the next call has another one.  The CPU stands in for the GPU.

use lib 't/lib';
use Time::HiRes qw(sleep time);

use Calls;
use Gpucompact;

plan skip_all => 'make t/engine/gpu_on_cpu has not been run' unless -e built('engine/gpu_on_cpu');
plan skip_all => 'there is no /proc here' unless -r '/proc/self/status';

my $node = start_faulty('gpu_process', 'gpu_on_cpu', @small_lanes,
	'gpucompact.gpu_idle_timeout = 0', 'restart_after_crash = on');
my $data = $node->data_dir;
my %calls = calls();

my $cuda = 'SET gpucompact.engine = cuda;';
my $eager = 'SET gpucompact.engine = eager;';
my $auto = 'SET gpucompact.engine = auto;';
my $short = q(SELECT gpu_radix_sort('{2,1}'::integer[]););
my $long = 'SELECT count(gpu_radix_sort(samples)) FROM large;';
my $how = 'SELECT engine, reason FROM gpu_last_call();';

# A file of a process in /proc; nothing if the process has ended.
sub proc
{
	my ($pid, $name) = @_;

	return eval { slurp_file("/proc/$pid/$name") } // '';
}

# The GPU processes of the server, by their working directory.
sub programs
{
	return grep {
		(readlink("/proc/$_/cwd") // '') eq $data &&
		  proc($_, 'cmdline') =~ /^gpucompact_gpu: GPU/
	} map { m{(\d+)$} } glob('/proc/[0-9]*');
}

sub all_gone
{
	my ($how) = @_;

	ok(becomes_true(sub { !programs() }), "$how: no GPU process is left");
	return;
}

# The bytes that a session has of the lanes' memory.
my $mapped = q(
	SELECT 'lanes', sum(kb::integer) FROM regexp_matches(
		pg_read_file('/proc/self/smaps'),
		'memfd:gpucompact[^\n]*\n(?:[A-Z][A-Za-z_]*:[^\n]*\n)*?Rss: *(\d+)',
		'g') AS m (k), unnest(k) AS kb;);

load_runs($node, 70000, calls('radix_sort'));
$node->safe_psql('postgres', q(
	CREATE TABLE large AS
	SELECT array_agg(hashint4(i)) AS samples FROM generate_series(1, 1000000) AS i;

	-- Not as parallel safe as it says: it has to show how the call ran in a worker.
	CREATE FUNCTION sort_engine(samples integer[]) RETURNS text
	LANGUAGE plpgsql PARALLEL SAFE AS $$
	BEGIN
		PERFORM gpu_radix_sort(samples);
		RETURN (SELECT engine FROM gpu_last_call());
	END $$;
));

# A session that does not need the process does not start it.
is($node->safe_psql('postgres', "
		SET gpucompact.engine = cpu; $long $auto $short
		SELECT index, status FROM gpu_devices();
		SELECT count(*) FROM gpu_processes();"),
	"1\n{1,2}\n0|ready\n0", 'no GPU process for calls on the CPU');
all_gone('before the first call');

# auto does not wait for it, cuda does.
is($node->safe_psql('postgres', "SELECT set_fault('open slow'); $auto $long $how")
	  =~ s/[\d,.]+ (elements|us|ms)/N/gr,
	"\n1\ncpu|cpu: N, estimated cpu N, cuda N, but the GPU process is still starting",
	'auto: runs on the CPU, while the GPU process starts');
is($node->safe_psql('postgres', "$cuda $short SELECT set_fault('none none')"),
	"{1,2}\n", 'cuda: waits until it has started');
my $pid = gpu_pid($node);
is($node->safe_psql('postgres', "$auto $long SELECT engine FROM gpu_last_call()"),
	"1\ncuda", 'auto: takes it then');

# One for all, sessions of before included.
is_deeply([ programs() ], [$pid], 'there is one GPU process');
like(proc($pid, 'comm'), qr/^gpucompact_gpu$/, 'it has a name');
is($node->safe_psql('postgres', "
		SELECT backend_type, datname FROM pg_stat_activity
		WHERE backend_type LIKE 'gpu%'"), 'gpucompact GPU|', 'pg_stat_activity has its worker');
is($node->safe_psql('postgres', "
		SELECT gpu, pid, state, lanes, lanes_leased, calls_waiting,
			   calls > 0, bytes_in > 4000000, bytes_out > 4000000,
			   host_memory > 10 * 4 * 262144, failures, last_failure
		FROM gpu_processes();
		SELECT index, name, status FROM gpu_devices()"),
	"0|$pid|serving|4|0|0|t|t|t|t|0|\n0|CPU 0|in use by the GPU process",
	'gpu_processes() and gpu_devices() tell of it');

stop_gpu($node);
all_gone('pg_terminate_backend of the worker');
my $session = background($node, "
	SET gpucompact.engine = cpu; $short
	\\! psql -XAtq -d '@{[$node->connstr('postgres')]}' -c '$cuda' -c \"$short\"
	$auto $long SELECT engine FROM gpu_last_call();");
is(finish_background($session), "{1,2}\n{1,2}\n1\ncuda\n",
	'a session of before it started is served');
$pid = gpu_pid($node);
is_deeply([ programs() ], [$pid], 'there is one again');

my $parallel = $node->safe_psql('postgres', "
	SELECT name FROM pg_settings
	WHERE name IN ('debug_parallel_query', 'force_parallel_mode')");
is($node->safe_psql('postgres', "
		$cuda SELECT gpu_compact('{}'::integer[]); SET $parallel = on;
		SELECT sort_engine(samples) FROM runs WHERE id = 1"),
	"{}\ncuda", 'it serves parallel workers');
is_deeply([ programs() ], [$pid], 'the same one');

# The CPU alone can do this, also in a session that has not used it before.
is($node->safe_psql('postgres', "
		$cuda SELECT gpu_pack('{5,9,1}'::integer[])::integer[]"),
	'{5,9,1}', 'what no GPU does, the CPU does');

# It has nothing of the server's open.
my @open = map { readlink($_) // () } glob("/proc/$pid/fd/*");
is(join(', ', grep {
		!m{^(/dev/null$|pipe:|socket:|anon_inode:|/memfd:gpucompact )} } @open),
	'', 'its files are its own');
cmp_ok((grep { /^pipe:/ } @open), '==', 2, 'it has two pipes');
unlike(proc($pid, 'maps'), qr{PostgreSQL\.|SYSV|/dev/zero|gpucompact\.so},
	"nor does it map the server's memory");

# It ends when it is idle, with its memory; the next call has another one.
$session = background($node, "
	$cuda SELECT sort_engine(samples) FROM runs WHERE id = 1; $mapped
	ALTER SYSTEM SET gpucompact.gpu_idle_timeout = 1;
	SELECT pg_reload_conf();
	\\! while [ -d /proc/$pid ]; do sleep 0.1; done
	$mapped");
like(finish_background($session), qr/^cuda\nlanes\|\d{3,}\nt\nlanes\|\d\d?$/m,
	'a session that maps its memory still has none of the slots');
all_gone('idle');
ok($node->poll_query_until('postgres', "
		SELECT (SELECT (pid IS NULL, state) = (true, 'ended') FROM gpu_processes())
		   AND NOT EXISTS (SELECT FROM pg_stat_activity
						   WHERE backend_type = 'gpucompact GPU')"), 'idle: nor its worker');
is($node->safe_psql('postgres', "$cuda $short SELECT status FROM gpu_devices()")
	  =~ s/opening the GPU|in use by the GPU process/there/r,
	"{1,2}\nthere", 'idle: there is another one for the next call');

# A call that has found it there, and takes its time, finds that it has left when
# it wants a lane.  It is stopped while it decompresses its array.
$node->safe_psql('postgres', q(
	SET default_toast_compression = pglz;	-- lz4 is faster
	CREATE TABLE compressed AS
	SELECT array_fill(7, ARRAY[40000000]) AS samples;));
sub left_meanwhile
{
	my ($engine) = @_;
	my $directory = PostgreSQL::Test::Utils::tempdir();

	stop_gpu($node);			# which may have kept the array
	$node->safe_psql('postgres', 'ALTER SYSTEM SET gpucompact.gpu_idle_timeout = 1');
	$node->safe_psql('postgres', "SELECT pg_reload_conf(); $cuda $short");
	$pid = gpu_pid($node);
	$session = background($node, "
		$engine $short
		SELECT pg_backend_pid() AS pid \\gset
		\\setenv BACKEND :pid
		\\! echo \$BACKEND >$directory/pid; while [ ! -e $directory/go ]; do sleep 0.01; done
		SELECT gpu_reduce(samples, 'max') FROM compressed; $how");
	becomes_true(sub { -s "$directory/pid" });
	my $backend = slurp_file("$directory/pid") + 0;
	my $resident = sub { (split(/ /, proc($backend, 'statm')))[1] * 4096 };
	my $most = $resident->() + 20_000_000;

	append_to_file("$directory/go", '');
	for (my $i = 0; $i < 100_000 && $resident->() < $most; $i++) { }
	kill 'STOP', $backend;
	ok(becomes_true(sub { !-d "/proc/$pid" }),
		"$engine the process ends while a call takes its time");
	$node->safe_psql('postgres', 'ALTER SYSTEM RESET ALL');
	$node->reload;
	kill 'CONT', $backend;
	return finish_background($session);
}

foreach my $engine ($cuda, $eager)
{
	my $out = left_meanwhile($engine);

	# On a busy machine, the call may be over before it is stopped.
	for (my $i = 0; $i < 4 && $engine eq $eager && $out =~ /^cuda\|/m; $i++)
	{
		$out = left_meanwhile($engine);
	}
	like($out, $engine eq $cuda ? qr/^\{1,2\}\n7\ncuda\|/ :
		qr/^\{1,2\}\n7\ncpu\|.*, but not there: the GPU process has ended, as it was idle$/,
		"$engine the call does not fail");
	isnt(gpu_pid($node, $pid), $pid, "$engine it has asked for another");
}
$node->safe_psql('postgres', 'DROP TABLE compressed');

# The memory of one that was killed goes, too.
$pid = $node->safe_psql('postgres', "$cuda $short") && gpu_pid($node);
$session = background($node, "
	$cuda SELECT sort_engine(samples) FROM runs WHERE id = 1; $mapped
	\\! kill -KILL $pid; while [ -d /proc/$pid ]; do sleep 0.1; done; sleep 0.2
	$mapped");
like(finish_background($session), qr/^cuda\nlanes\|\d{3,}\nlanes\|\d\d?$/m,
	'killed: the memory of its slots goes');

# Stopped, which looks like a GPU that hangs.
{
	my $directory = PostgreSQL::Test::Utils::tempdir();
	my @sessions = map { background($node, "
		$_ $short
		\\! touch $directory/\$\$; while [ ! -e $directory/go ]; do sleep 0.1; done
		SELECT outcome('radix_sort', \$call\$$calls{'radix_sort'}\$call\$);
		SELECT engine, reason FROM gpu_last_call();") } $cuda, $eager;

	becomes_true(sub { 2 == (() = glob("$directory/[0-9]*")) });
	$pid = gpu_pid($node, $pid);
	kill 'STOP', $pid;
	append_to_file("$directory/go", '');
	my ($by_cuda, $by_auto) = map { finish_background($_) } @sessions;

	like($by_cuda, qr/^\{1,2\}\n58000\n/, 'stopped: cuda raises an error');
	like($by_auto, qr/^\{1,2\}\nright\n/, 'stopped: auto answers');
	gpu_pid($node, $pid);
	ok(!-d "/proc/$pid", 'stopped: the worker has killed it, and started another');
	is($node->safe_psql('postgres', 'SELECT last_failure FROM gpu_processes()'),
		'The GPU process made no progress.', 'stopped: and says so');
	is($node->safe_psql('postgres', "$cuda $short"), '{1,2}', 'stopped: and that serves');
	stop_gpu($node);
}

# One that nobody is connected to: auto answers meanwhile, cuda waits for another.
foreach my $engine ($eager, $cuda)
{
	stop_gpu($node);
	$node->safe_psql('postgres', "$cuda $short");
	$pid = gpu_pid($node);
	kill 'STOP', $pid;
	is($node->safe_psql('postgres', "$engine $short"), '{1,2}',
		"stopped before a session connects: $engine answers");
	gpu_pid($node, $pid);
	ok(!-d "/proc/$pid", 'stopped before a session connects: there is another');
	is($node->safe_psql('postgres', "$cuda $short"), '{1,2}',
		'stopped before a session connects: and that serves');
}

# A session that crashes restarts the server; then there is another process.
sub crash
{
	$node->psql('postgres', "$cuda $short" . q(
		SELECT pg_backend_pid() AS pid \gset
		\setenv BACKEND :pid
		\! kill -KILL $BACKEND
		SELECT 1));
	$node->poll_query_until('postgres', 'SELECT true');
	return;
}
$pid = gpu_pid($node);
crash();
ok(becomes_true(sub { !-d "/proc/$pid" }), 'a crash of a session ends it');
is($node->safe_psql('postgres', "$cuda $short"), '{1,2}', 'and then there is another');

# A request from before a crash is made again: the server has forgotten the worker
# that was about to start.
{
	my $directory = PostgreSQL::Test::Utils::tempdir();
	my $asked = "$data/gpucompact.gpu0.asked";
	my ($postmaster) = slurp_file("$data/postmaster.pid") =~ /^(\d+)/;

	stop_gpu($node);
	my $asks = background($node, "
		$cuda SELECT FROM gpu_last_call();
		\\! touch $directory/there; while [ ! -e $directory/go ]; do sleep 0.1; done
		$short");
	becomes_true(sub { -e "$directory/there" });
	kill 'STOP', $postmaster;
	append_to_file("$directory/go", '');
	ok(becomes_true(sub { -s $asked }), 'a session asks for a worker');
	my $said = slurp_file($asked);
	kill 'CONT', $postmaster;
	is(finish_background($asks), "{1,2}\n", 'and has the GPU then');

	my $answer;
	ok(in_time(
			sub {
				crash();
				append_to_file($asked, $said);
				my $begun = time;
				$answer = $node->safe_psql('postgres', "$cuda $short");
				return time - $begun < 4;
			},
			5), 'after a crash, a session asks again at once');
	is($answer, '{1,2}', 'and has the GPU');
}

# A worker lets the program of one that was killed end first.
SKIP:
{
	my $directory = PostgreSQL::Test::Utils::tempdir();
	my ($sleep) = grep { -x } '/bin/sleep', '/usr/bin/sleep';

	skip('there is no program "sleep"', 3) unless $sleep;
	system('cp', $sleep, "$directory/gpucompact_gpu") == 0 or die;
	stop_gpu($node);
	my $other = IPC::Run::start([ "$directory/gpucompact_gpu", 60 ]);
	my ($other_pid) = map { $_->{PID} } @{ $other->{KIDS} };
	open(my $status, '+<:raw', "$data/gpucompact.gpu0.status") or die;
	seek($status, 8, 0);		# WorkerStatus.process_pid
	print $status pack('l', $other_pid);
	close($status);

	my $call = background($node, "$cuda $short");
	my $state = 'SELECT state FROM gpu_processes()';
	$node->poll_query_until('postgres', $state, 'opening the GPU') or die 'no worker starts';
	sleep(1);
	is($node->safe_psql('postgres', $state), 'opening the GPU',
		'the program of another worker is waited for');
	is_deeply([ programs() ], [], 'before there is another');
	$other->kill_kill;
	is(finish_background($call), "{1,2}\n", 'which there is then');
}

# It never outlives the server.
foreach my $mode ('fast', 'immediate', 'kill')
{
	$node->safe_psql('postgres', "$cuda $short");
	$pid = gpu_pid($node);
	my ($worker) = proc($pid, 'stat') =~ /^\d+ \(.*\) \w (\d+)/;

	$mode eq 'kill' ? $node->kill9 : $node->stop($mode);
	all_gone($mode);
	ok(becomes_true(sub { !-d "/proc/$worker" }), "$mode: nor its worker");
	$node->start;
}
is($node->safe_psql('postgres', "$cuda $short"), '{1,2}', 'the next server has one');

# One that starts with the server comes again after a crash, though nobody asks.
{
	my $library = $node->safe_psql('postgres',
		q(SELECT probin FROM pg_proc WHERE proname = 'gpu_cache'));

	$node->append_conf('postgresql.conf',
		"shared_preload_libraries = '$library'\ngpucompact.gpu_start = on\n");
	$node->restart;
	$pid = gpu_pid($node);
	crash();
	isnt(gpu_pid($node, $pid), $pid, 'gpu_start = on: there is another after a crash');

	# But not one that was told to end.
	stop_gpu($node);
	sleep(1);
	is_deeply([ programs() ], [], 'gpu_start = on: it ends when it is told to');
}

# (One session was killed on purpose.)
is($node->safe_psql('postgres', 'SELECT 1'), '1', 'the server is up');
done_testing();
