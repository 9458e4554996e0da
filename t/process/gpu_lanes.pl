
# The lanes of the GPU process, if there are fewer than sessions.  All sessions are
# served in the order in which they come; a session that waits can be cancelled; and
# however a session ends, its lane is free again.  And who else may connect, and what is
# missing.  The CPU stands in for the GPU.

use lib 't/lib';
use IO::Socket;
use Socket;
use Time::HiRes qw(sleep);

use Calls;
use Gpucompact;

plan skip_all => 'make t/engine/gpu_on_cpu has not been run' unless -e built('engine/gpu_on_cpu');

my $cuda = 'SET gpucompact.engine = cuda;';
my $auto = 'SET gpucompact.engine = auto;';
my $eager = 'SET gpucompact.engine = eager;';
my $short = q(SELECT gpu_radix_sort('{2,1}'::integer[]););
my $how = 'SELECT engine, reason FROM gpu_last_call();';
my %calls = calls();

my $node = start_faulty('gpu_lanes', 'gpu_on_cpu',
	'gpucompact.gpu_lanes = 1', 'gpucompact.gpu_slot_size = 256kB');
load_runs($node, 70000, calls('radix_sort', 'reduce'));

# A call that has the lane until it is cancelled; the GPU hangs, but is not
# taken for one that does before five seconds have passed.
sub hold_lane
{
	$node->safe_psql('postgres', "$cuda $short SELECT set_fault('push hang')");
	gpu_pid($node);
	my $holder = background($node, "$cuda $short");

	wait_for_calls($node, 1, 0) or die 'the lane is not held';
	$node->safe_psql('postgres', "SELECT set_fault('none none')");
	return ($holder, process_at($node, $short =~ s/;$//r));
}

# In turn.  Each call takes so long that it can be seen which one was first.
{
	my ($holder, $pid) = hold_lane();
	my @waiting;

	foreach my $i (1 .. 4)
	{
		push @waiting, background($node, "
			$cuda SELECT gpu_radix_sort('{2,1,$i}'::integer[]);
			SELECT extract(epoch FROM clock_timestamp());");
		ok(wait_for_calls($node, 1, $i), "call $i waits");
	}
	is($node->safe_psql('postgres', "
			SELECT count(*) FROM pg_stat_activity
			WHERE wait_event_type = 'Extension' AND query LIKE '%gpu_radix_sort%'
			  AND backend_type = 'client backend'"), 4, 'and pg_stat_activity has it so');
	$node->safe_psql('postgres', "SELECT set_fault('begin slow'); SELECT pg_cancel_backend($pid)");
	is(finish_background($holder) =~ s/.*ERROR/ERROR/r, "ERROR:  57014\n",
		'the call that has the lane is cancelled');

	my @ended;
	foreach my $i (1 .. 4)
	{
		my $said = finish_background($waiting[$i - 1]);

		like($said, qr/^\{[\d,]+\}\n[\d.]+$/, "call $i is served");
		push @ended, $1 if $said =~ /^([\d.]+)$/m;
	}
	is("@ended", join(' ', sort { $a <=> $b } @ended), 'in their order');
	$node->safe_psql('postgres', "SELECT set_fault('none none')");
	lanes_are_free($node, 'in turn');
}

# A session that waits can be cancelled.
{
	my ($holder, $pid, $out);
	my $in_time = in_time(
		sub {
			if (defined $holder)
			{
				$node->safe_psql('postgres', "SELECT pg_cancel_backend($pid)");
				finish_background($holder);
			}
			($holder, $pid) = hold_lane();
			$out = ($node->psql('postgres', "
				$cuda
				SET statement_timeout = 50;
				SELECT outcome('radix_sort', \$call\$$calls{'radix_sort'}\$call\$),
					   clock_timestamp() - statement_timestamp() < '2 s';
				SELECT outcome('reduce', \$call\$$calls{'reduce'}\$call\$);
				$no_timeout
				SELECT calls_waiting FROM gpu_processes()",
				on_error_stop => 0))[1];
			return $out eq "57014|t\n57014\n0";
		},
		5);
	is($out =~ s/\|.*//r, "57014\n57014\n0", 'a call that waits times out');
	ok($in_time, 'at once');

	my $waits = background($node, "$cuda SELECT gpu_compact('{2,1}'::integer[]);");
	wait_for_calls($node, 1, 1);
	my $waiting = process_at($node, "SELECT gpu_compact('{2,1}'");
	$node->safe_psql('postgres', "SELECT pg_cancel_backend($waiting)");
	like(finish_background($waits), qr/ERROR:  57014/, 'a call that waits is cancelled');
	ok(wait_for_calls($node, 1, 0), 'and waits no more');
	$node->safe_psql('postgres', "SELECT pg_cancel_backend($pid)");
	finish_background($holder);
	lanes_are_free($node, 'cancelled');
}

# Its session can be terminated.
{
	my ($holder, $pid) = hold_lane();
	my $waits = background($node, "$cuda SELECT gpu_compact('{2,1}'::integer[]);");

	wait_for_calls($node, 1, 1);
	my $waiting = process_at($node, "SELECT gpu_compact('{2,1}'");
	$node->safe_psql('postgres', "SELECT pg_terminate_backend($waiting, 10000)");
	like(finish_background($waits), qr/FATAL:  57P01/, 'a session that waits is terminated');
	ok(wait_for_calls($node, 1, 0), 'and waits no more');

	# And so is one that has the lane.
	$node->safe_psql('postgres', "SELECT pg_terminate_backend($pid, 10000)");
	like(finish_background($holder), qr/FATAL:  57P01/,
		'the session that has the lane is terminated');
	lanes_are_free($node, 'terminated');
	is($node->safe_psql('postgres', "$cuda $short"), '{1,2}', 'the lane serves');
}

# A call that waits for the GPU has no page pinned that it has read: VACUUM,
# which would wait for that, freezes the pages.
{
	$node->safe_psql('postgres', q(
		CREATE TABLE large (samples integer[])
			WITH (autovacuum_enabled = off, toast.autovacuum_enabled = off);
		ALTER TABLE large ALTER samples SET STORAGE EXTERNAL;
		INSERT INTO large
		SELECT array_agg(hashint4(i)) FROM generate_series(1, 900000) AS i;));
	my $toast = $node->safe_psql('postgres', q(
		SELECT reltoastrelid::regclass FROM pg_class
		WHERE oid = 'large'::regclass));

	my ($err, $said);
	my $in_time = in_time(
		sub {
			$node->safe_psql('postgres', "$cuda $short SELECT set_fault('push hang')");
			my $waits = background($node, "$cuda SELECT gpu_prefix_sum(samples) FROM large;");
			my $pid = process_at($node, 'SELECT gpu_prefix_sum(samples)');
			wait_for_calls($node, 1, 0);
			sleep(0.5);
			$err = ($node->psql('postgres',
				"SET statement_timeout = '2s'; VACUUM (FREEZE) $toast"))[2];
			$node->safe_psql('postgres',
				"SELECT set_fault('none none'); SELECT pg_cancel_backend($pid)");
			$said = finish_background($waits);
			return $err eq '' && $said =~ /ERROR:  57014/;
		},
		5);
	ok($in_time, 'no page is pinned while a call waits for the GPU') or diag($err);
	like($said, qr/ERROR:  57014/, 'which is cancelled');
	lanes_are_free($node, 'no page is pinned');
}

# A session that takes its time does not make the GPU one that hangs.
{
	my $pid = gpu_pid($node);
	my $holder = background($node, "$cuda SELECT count(gpu_radix_sort(samples))
		FROM runs, generate_series(1, 100000);");
	my $backend = process_at($node, 'SELECT count(gpu_radix_sort');
	my $leased = 0;

	for (my $i = 0; $i < 200 && !$leased; $i++)
	{
		kill 'CONT', $backend;
		sleep(0.01 * rand);
		kill 'STOP', $backend;
		sleep(0.1);
		$leased = $node->safe_psql('postgres', 'SELECT lanes_leased FROM gpu_processes()');
	}
	is($leased, 1, 'a session stops while it has the lane');
	$node->psql('postgres', "SET statement_timeout = 7000; $cuda $short", stderr => \my $err);
	like($err, qr/statement timeout/, 'others wait for it');
	kill 'CONT', $backend;
	$node->safe_psql('postgres', "SELECT pg_terminate_backend($backend, 10000)");
	finish_background($holder);
	is(gpu_pid($node), $pid, 'the process goes on');
	lanes_are_free($node, 'a session that stops');
}

# The number of files that a process has open, once it has not changed for half a
# second: a session that has just ended may still have one.
sub settled_files
{
	my ($pid) = @_;
	my $files = -1;

	for (my $same = 0; $same < 5; $same++)
	{
		my $now = () = glob("/proc/$pid/fd/*");

		$same = 0 if $now != $files;
		$files = $now;
		sleep(0.1);
	}
	return $files;
}

# Other programs at the socket do no harm, whatever they send and however many they
# are, even if few files may be open.
sub connect_to
{
	my ($path) = @_;

	socket(my $socket, AF_UNIX, SOCK_SEQPACKET, 0) or die "socket: $!";
	connect($socket, pack_sockaddr_un($path)) or return undef;
	return $socket;
}
{
	my $pid = gpu_pid($node);
	my $garbage = join('', map { chr(128 + rand(128)) } 1 .. 100000);

	chdir $node->data_dir or die;
	foreach my $length (1, 8, 1000, 100000)
	{
		my $socket = connect_to('gpucompact.gpu0');
		send($socket, substr($garbage, 0, $length), 0);
		send($socket, '', 0);
		is($node->safe_psql('postgres', "$cuda $short"), '{1,2}',
			"$length bytes at the socket do no harm");
	}
	is(gpu_pid($node), $pid, 'nor does it end');

	# It may be asked to leave, when it is idle.
	my $socket = connect_to('gpucompact.gpu0');
	send($socket, 'L', 0);
	ok($node->poll_query_until('postgres', "
			SELECT state = 'ended' FROM gpu_processes()"), 'it leaves when it is told to');
	is($node->safe_psql('postgres', "$cuda $short"), '{1,2}', 'for another one');
	stop_gpu($node);

	my ($postmaster) = slurp_file('postmaster.pid') =~ /^(\d+)/;
	eval { run_command([ 'prlimit', "--pid=$postmaster", '--nofile=100:' ]) };
	my $limited = slurp_file("/proc/$postmaster/limits") =~ /^Max open files +100 /m;
	$node->safe_psql('postgres', "$cuda $short");
	my @sockets = map { connect_to('gpucompact.gpu0') } 1 .. 200;
	my $greeted = 0;
	foreach my $socket (@sockets)
	{
		my $hello = '';

		recv($socket, $hello, 1000, 0);
		$greeted++ if length($hello) > 0;
	}
	is($greeted, 200, '200 at once are served');
	is($node->safe_psql('postgres', "$cuda $short"), '{1,2}', 'and sessions, too');
	note('files were limited') if $limited;
	close($_) foreach @sockets;
	stop_gpu($node);

	# More than the process may open files for: they are told so, and it waits for
	# others to go.
  SKIP:
	{
		$node->safe_psql('postgres', "$cuda $short");
		my $gpu = gpu_pid($node);
		my $files = settled_files($gpu);
		my $most = $files + 10;

		eval { run_command([ 'prlimit', "--pid=$gpu", "--nofile=$most:$most" ]) };
		skip('prlimit does not run here', 8)
		  unless slurp_file("/proc/$gpu/limits") =~ /^Max open files +$most +$most /m;
		@sockets = map { connect_to('gpucompact.gpu0') } 1 .. 100;
		my @sessions = map {
			my $hello = '';

			recv($_, $hello, 1000, 0);

			# LanesHello: version, size, session
			length($hello) >= 12 ? (unpack('l3', $hello))[2] : 'nothing';
		} @sockets;
		is(join(' ', grep { $_ >= 0 } @sessions[ 0 .. 7 ]),
			join(' ', @sessions[ 0 .. 7 ]), 'few files: some are served');
		is(join(' ', @sessions[ 20 .. 99 ]), join(' ', (-2) x 80),
			'few files: the others are told so');

		my $no_files = 'the GPU process may open no more files for sessions';
		like(fails_with($node, '55000', "$cuda $short", 'few files: cuda'),
			qr/DETAIL:  $no_files/, 'few files: the reason');
		like($node->safe_psql('postgres', "$eager $short $how"),
			qr/^\{1,2\}\ncpu\|.*, but not there: $no_files$/,
			'few files: auto takes the CPU, and says so');

		# The ticks of the processor that the process has used.
		my $ticks = sub {
			my @stat = split(/ /, slurp_file("/proc/$gpu/stat") =~ s/.*\) //sr);

			return $stat[11] + $stat[12];
		};
		my $before = $ticks->();
		sleep(1);
		cmp_ok($ticks->() - $before, '<', 30, 'few files: it does not spin');

		# Not even the last one, as where the whole system has no more.
		run_command([ 'prlimit', "--pid=$gpu", '--nofile=3:' ]);
		my $waiting = connect_to('gpucompact.gpu0');
		$before = $ticks->();
		sleep(1);
		cmp_ok($ticks->() - $before, '<', 30, 'no files: it does not spin');
		run_command([ 'prlimit', "--pid=$gpu", '--nofile=' . ($files + 10) . ':' ]);
		close($_) foreach @sockets;
		is($node->safe_psql('postgres', "$cuda $short"), '{1,2}',
			'files again: sessions are served');
		is(gpu_pid($node), $gpu, 'by the same process');
	}
	chdir '/';
	stop_gpu($node);

	# Memory for lanes that cannot be had.
  SKIP:
	{
		skip('prlimit does not run here', 3) unless $limited;
		run_command([ 'prlimit', "--pid=$postmaster", '--fsize=1073741824:' ]);
		$node->safe_psql('postgres', 'ALTER SYSTEM SET gpucompact.gpu_lanes = 64');
		$node->safe_psql('postgres', q(ALTER SYSTEM SET gpucompact.gpu_slot_size = '16MB'));
		$node->reload;
		like(
			fails_with($node, '55000', "$cuda $short", 'no memory for lanes: cuda'),
			qr/the GPU process has failed .*: could not make the memory of the lanes: File too large/,
			'no memory for lanes: the reason');
		is($node->safe_psql('postgres', "$auto $short"), '{1,2}', 'no memory for lanes: auto');
		stop_gpu($node);
	}
}
survived($node);
$node->stop;

# No room for a worker.
$node = start_faulty('no_worker', 'gpu_on_cpu', @small_lanes, 'max_worker_processes = 0');
my $no_worker = 'no background worker is free for GPU 0: "max_worker_processes" has to be higher';
like(fails_with($node, '55000', "$cuda $short", 'no worker: cuda'),
	qr/DETAIL:  \Q$no_worker\E/, 'no worker: the reason');
like($node->safe_psql('postgres', "$eager $short $how"),
	qr/^\{1,2\}\ncpu\|.*, but not there: \Q$no_worker\E$/,
	'no worker: auto takes the CPU, and says so');
survived($node);
$node->stop;

# Many sessions that begin at once ask for one worker, though there are few.
$node = start_faulty('herd', 'gpu_on_cpu', @small_lanes, 'max_worker_processes = 2');
{
	my $directory = PostgreSQL::Test::Utils::tempdir();
	my @sessions = map { background($node, "
		$cuda SELECT FROM gpu_last_call();
		\\! touch $directory/\$\$; while [ ! -e $directory/go ]; do sleep 0.1; done
		$short") } 1 .. 12;

	sleep(0.1) while 12 > (() = glob("$directory/[0-9]*"));
	my ($postmaster) = slurp_file($node->data_dir . '/postmaster.pid') =~ /^(\d+)/;

	# All ask before a worker starts, and again and again.
	kill 'STOP', $postmaster;
	append_to_file("$directory/go", '');
	sleep(1.5);
	kill 'CONT', $postmaster;
	is(join('', map { finish_background($_) } @sessions), "{1,2}\n" x 12,
		'a herd of sessions: all are served');
}
survived($node);
$node->stop;

# Two GPUs, one of them with a fault.
{
	local $ENV{GPUCOMPACT_TEST_GPUS} = 2;
	$node = start_faulty('two_gpus', 'gpu_on_cpu', 'gpucompact.gpu_lanes = 1',
		'gpucompact.gpu_slot_size = 256kB');
}
load_runs($node, 70000, calls('radix_sort'));
is($node->safe_psql('postgres', 'SELECT index, name, status FROM gpu_devices()'),
	"0|CPU 0|ready\n1|CPU 1|ready", 'two GPUs');
is($node->safe_psql('postgres', "
		$cuda SET gpucompact.device = 1; $short
		SELECT gpu FROM gpu_processes()"),
	"{1,2}\n1", 'device = 1: starts the process of that one only');
like(
	fails_with($node, '55000', "$cuda SET gpucompact.device = 7; $short",
		'device = 7: cuda'), qr/DETAIL:  there is no GPU 7, only 2 of them/, 'device = 7: the reason');
is($node->safe_psql('postgres', "
		$auto SET gpucompact.device = 7; $short
		SELECT state FROM gpu_processes() WHERE gpu = 7"),
	"{1,2}\nno such GPU", 'device = 7: auto');
$node->safe_psql('postgres', "$cuda $short $short");
{
	my @sessions = map { background($node, "
		$cuda $short SELECT pg_sleep(0.5);
		SELECT outcome('radix_sort', \$call\$$calls{'radix_sort'}\$call\$)
		FROM generate_series(1, 20);") } 1 .. 4;
	is(finish_background($_), "{1,2}\n\n" . "right\n" x 20, 'device = -1: all right')
	  foreach @sessions;
	is($node->safe_psql('postgres', "
			SELECT gpu, calls > 5 FROM gpu_processes() WHERE gpu < 2"),
		"0|t\n1|t", 'device = -1: both have served');
	lanes_are_free($node, 'two GPUs');
}

# A GPU that cannot be opened is tried again, later and later.
stop_gpu($node);
$node->safe_psql('postgres', "SELECT set_fault('open device_failed')");
my $reason = qr/the GPU process has failed \d+ times, and is started again in \d+ s: the test has it so: open/;
like(
	fails_with($node, '55000', "$cuda SET gpucompact.device = 0; $short",
		'a GPU that cannot be opened: cuda'),
	$reason, 'a GPU that cannot be opened: the reason');
like(
	$node->safe_psql('postgres', "$eager SET gpucompact.device = 0; $short $how"),
	qr/^\{1,2\}\ncpu\|.*, but not there: $reason$/,
	'a GPU that cannot be opened: auto takes the CPU, and says so');
ok($node->poll_query_until('postgres', "
		SELECT failures >= 3 AND state = 'waiting to be started again'
		FROM gpu_processes() WHERE gpu = 0"), 'a GPU that cannot be opened: is tried again');
$node->safe_psql('postgres', "SELECT set_fault('none none')");
ok($node->poll_query_until('postgres', "
		SELECT state = 'serving' FROM gpu_processes() WHERE gpu = 0"),
	'and is there once it can be');

stop_gpu($node);
$node->safe_psql('postgres', "SELECT set_fault('open no_device')");
like(
	fails_with($node, '55000', "$cuda SET gpucompact.device = 0; $short",
		'a GPU that is not there: cuda'),
	qr/DETAIL:  the test has it so: open/, 'a GPU that is not there: the reason');
is($node->safe_psql('postgres', "
		SELECT state, pid IS NULL, last_failure FROM gpu_processes() WHERE gpu = 0"),
	'no such GPU|t|the test has it so: open', 'a GPU that is not there: gpu_processes() says so');

# The absence is believed for a while, but not once the GPU has been seen, and not
# after a restart of the server.
$node->safe_psql('postgres', "SELECT set_fault('none none')");
fails_with($node, '55000', "$cuda SET gpucompact.device = 0; $short",
	'a GPU that was not there: not tried again at once');
is($node->safe_psql('postgres', "
		SELECT index FROM gpu_devices() WHERE index = 0;
		$cuda SET gpucompact.device = 0; $short"),
	"0\n{1,2}", 'a GPU that was not there: tried when gpu_devices() has it');
stop_gpu($node);
$node->safe_psql('postgres', "SELECT set_fault('open no_device')");
fails_with($node, '55000', "$cuda SET gpucompact.device = 0; $short",
	'a GPU that is not there once more');
$node->safe_psql('postgres', "SELECT set_fault('none none')");
$node->restart;
is($node->safe_psql('postgres', "$cuda SET gpucompact.device = 0; $short"), '{1,2}',
	'a GPU that was not there: tried after a restart');

survived($node);
done_testing();
