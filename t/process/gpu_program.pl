
# A GPU program that is missing, damaged, of another version, or another program: the
# server and the CPU engine do not mind, and a call that wants a GPU raises an error
# that says what is wrong.

use lib 't/lib';

use Gpucompact;
use IPC::Run;
use Time::HiRes qw(usleep);

my ($node, $directory) = start_copy('gpu_program', undef, @small_lanes);
my $program = "$directory/gpucompact_gpu";
my $source = $Gpucompact::source;

my $cuda = 'SET gpucompact.engine = cuda;';
my $auto = 'SET gpucompact.engine = auto;';
my $short = q(SELECT gpu_radix_sort('{2,1}'::integer[]););

# Large enough to be worth a GPU, and often enough to be worth starting one.
my $long = q(
	SELECT count(*)
	FROM (SELECT array_agg(i ORDER BY i) AS a
		  FROM generate_series(1, 1000000) AS i) AS v,
		 generate_series(1, 10) AS n
	WHERE (gpu_radix_sort(a, n % 2 = 1))[1] <>
		  CASE n % 2 WHEN 1 THEN 1000000 ELSE 1 END;
	SELECT engine FROM gpu_last_call(););

# There is no GPU, for one reason; and none is listed, for another reason.
sub refused
{
	my ($what, $why, $status) = @_;

	like(
		$node->safe_psql('postgres',
			'SELECT status FROM gpu_devices() WHERE index IS NULL'),
		$status // $why, "$what: gpu_devices() says why");
	$node->psql('postgres', "\\set VERBOSITY verbose\n$cuda $short $short",
		on_error_stop => 0,
		stdout => \my $out,
		stderr => \my $err);
	is(() = $err =~ /ERROR:  55000: cannot run on a GPU\n/g, 2,
		"$what: engine = cuda fails, and each call is told");
	like($err, qr/DETAIL:  .*$why/, "$what: for that reason");
	is($node->safe_psql('postgres', "$auto $long"),
		"0\ncpu", "$what: engine = auto runs on the CPU");

	# A worker that would go on trying.
	stop_gpu($node);
	unlink $program;
	return;
}

refused('no program', qr/no GPU program is installed: there is no file "\Q$program\E"/);
is($node->safe_psql('postgres', "$auto $short SELECT engine, reason FROM gpu_last_call();"),
	"{1,2}\ncpu|cpu: no GPU program installed", 'no program: gpu_last_call() says it in short');

my $untold = qr/the GPU program does not tell which GPUs there are/;
my $unexecuted =
  qr/the GPU process has failed \d+ times, and is started again in \d+ s: could not execute "\Q$program\E": /;

append_to_file($program, "This is not a program.\n");
refused('not executable', $unexecuted, $untold);

append_to_file($program, "This is not a program.\n");
chmod 0755, $program;
refused('text', $unexecuted, $untold);

mkdir $program;
refused('a directory', $unexecuted, $untold);
rmdir $program;

append_to_file($program, "#!/bin/sh\nexit 7\n");
chmod 0755, $program;
refused('another program',
	qr/the GPU process has failed .*: The GPU process exited with status 7\./,
	$untold);

append_to_file($program, "#!/bin/sh\necho no GPU for you >&2\nexit 3\n");
chmod 0755, $program;
refused('a program without a GPU', qr/no GPU for you/, $untold);
my $log = slurp_file($node->logfile);
ok($log =~ /LOG:  gpucompact GPU 0: \Q$_\E$/m, "the server's log: $_")
  foreach 'the process has ended: The GPU process exited with status 7.', 'no GPU for you';
# A worker that cannot say that it has started is asked for three times.
my ($status, $asked) = map { $node->data_dir . "/gpucompact.gpu0.$_" } qw(status asked);
unlink $status;
mkdir $status;
append_to_file($program, "#!/bin/sh\nexit 7\n");
chmod 0755, $program;
my $call = background($node, "$cuda $short");
usleep(10_000) until -s $asked;
open(my $file, '+<:raw', $asked) or die;
seek($file, 16, 0);    # Asked.when and Asked.times
read($file, my $when, 8);
seek($file, 16, 0);
print $file pack('ql', unpack('q', $when) - 11_000_000, 2);
close($file);
like(finish_background($call), qr/ERROR:  55000$/, 'no worker: it is not waited for');
$node->psql('postgres', "$cuda $short", stderr => \my $err);
like($err, qr/DETAIL:  the background worker of GPU 0 does not start: the server's log says why/,
	'no worker: the call says so');
like(slurp_file($node->logfile), qr/could not open file "gpucompact\.gpu0\.status": /,
	"no worker: the server's log says why");
rmdir $status;
unlink $program, $asked;

SKIP:
{
	skip('make t/engine/gpu_on_cpu has not been run', 1) unless -e built('engine/gpu_on_cpu');

	# As after a copy that was broken off.
	my $whole = slurp_file(built('engine/gpu_on_cpu'));
	foreach my $length (0, 1, 63, 4096, 8192)
	{
		open(my $file, '>:raw', $program) or die;
		print $file substr($whole, 0, $length);
		close($file);
		chmod 0755, $program;
		like($node->safe_psql('postgres', 'SELECT status FROM gpu_devices()'),
			$untold, "$length bytes of a program");
		unlink $program;
	}
	open(my $file, '>:raw', $program) or die;
	print $file substr($whole, 0, 4096);
	close($file);
	chmod 0755, $program;
	refused('a part of a program', qr/the GPU process has failed .* times/, $untold);

	# Arguments with which nobody starts it, and places where it cannot listen.
	local $ENV{GPUCOMPACT_TEST_GPUS} = 1;
	my @nowhere = (0, 1, 65536, 'no directory/socket');
	foreach (
		[ [], 2, qr/^gpucompact_gpu is started by the server$/ ],
		[ \@nowhere, 1, qr/^could not listen at the socket: No such file/ ],
		[ [ @nowhere[0 .. 2], 'x' x 200 ], 1, qr/socket: File name too long$/ ],
		[ [ 1, @nowhere[1 .. 3] ], 3, qr/^there is no GPU 1, only 1 of them$/ ])
	{
		my ($arguments, $status, $said) = @$_;
		IPC::Run::run([ built('engine/gpu_on_cpu'), @$arguments ], '<' => \'', '2>' => \my $err);

		is($? >> 8, $status, "arguments '@$arguments': its exit status");
		like($err, $said, "arguments '@$arguments': what it says");
	}
	$ENV{GPUCOMPACT_TEST_GPUS} = 0;
	my ($out, $err) = run_command([ built('engine/gpu_on_cpu'), '--list' ]);
	is("$out$err", 'the NVIDIA driver finds no GPU', 'a machine without a GPU: it says so');
}

# A process of another version serves nobody, and leaves for one of ours.
SKIP:
{
	my $compiler = $ENV{CC} || 'cc';

	skip('make t/engine/gpu_on_cpu has not been run', 1) unless -e built('engine/gpu_on_cpu');
	skip("no C compiler: $@", 1) unless eval { run_command([ $compiler, '--version' ]); 1 };

	# The CPU engine has nothing to do with the version.
	my ($out, $err) = run_command(
		[
			$compiler, '-D_GNU_SOURCE', '-DLANES_VERSION=4711', '-O1',
			"-I$source/src", "-I$source", "-I$source/t/engine",
			'-o', $program, "$source/t/engine/cpu_device.c",
			glob("$source/gpuprocess/*.c"),
			glob(built('../src/contract/*.o')),
			glob(built('../src/loops/*.o')),
			glob(built('../src/{cpu,packed}/*.o')), '-pthread', '-lm', '-ldl'
		]);
	ok(-e $program, 'another version is compiled') or diag($err);

	my $detail = fails_with($node, '55000', "$cuda $short", 'another version: engine = cuda fails');
	like($detail, qr/the GPU process is of another version/, 'another version: and says so');
	copy_program('gpu_on_cpu', $program);
	ok($node->poll_query_until('postgres', "
			SELECT state = 'ended' FROM gpu_processes()"),
		'another version: it leaves when it is idle');
	is($node->safe_psql('postgres', "$cuda $short SELECT engine FROM gpu_last_call()"),
		"{1,2}\ncuda", 'another version: then ours serves');
}

survived($node);

done_testing();
