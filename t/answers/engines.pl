
# The engines without a server, compared with plain loops: all operations on all
# kinds of elements, with one thread and with several.
#
# Code for lesser processors is tested on few sizes, and, as script/test compiles loops
# for one processor, of the families that have code of their own for each.  The others'
# have t/answers/bits.pl.
#
# With GPUCOMPACT_TEST_FULL=1 in the environment, on arrays of up to millions of
# elements; else on small ones.  The CPU in the place of a GPU has fewer of these,
# as to hand a job over takes longer than the job.

use lib 't/lib';

use Gpucompact;
use IPC::Run;

my $engines = built('engine/engines');
plan skip_all => 'make t/engine/engines has not been run' unless -x $engines;

my $most = $ENV{GPUCOMPACT_TEST_FULL} ? 5242881 : 513;
my $stand_in = built('engine/gpu_on_cpu');
my $gpu = gpu_program();
my $dirty_gpu = built('engine/dirty_gpu');
my $parallel = 2;    # ALGORITHM_PARALLEL: several threads, however small the array
my @tested = ([ 'the CPU', 'cpu', "1-$most" ],
	map({ [ "the CPU, at a block's border, $_", 'cpu', $_ ] } '1023-1025', '4095-4097'),
	[ 'the CPU, sorts by threads', 'cpu', '65537-65537', $parallel, 'sort' ]);

push @tested, map { [ "the CPU in the place of a GPU, $_", $stand_in, $_ ] }
  $ENV{GPUCOMPACT_TEST_FULL} ? "1-$most" : ('1-1', '513-513')
  if -x $stand_in;
push @tested, [ 'a GPU', $gpu, "1-$most" ],
  [ 'a GPU, selections by a grid', $gpu, '131073-131073', 0, 'select' ]
  if $gpu;
push @tested,
  map { [ "a GPU, arbitrary bytes in shared memory, @$_", $dirty_gpu, @$_ ] }
  [ "1-$most" ], [ '131072-131073', 0, 'sort' ], [ '131073-131073', 0, 'select' ]
  if $gpu && -x $dirty_gpu;
push @tested,
  [ 'a GPU, selections in two launches', $gpu, '33554433-33554433', 0, 'select' ]
  if $gpu && $ENV{GPUCOMPACT_TEST_FULL};
foreach (@tested)
{
	my ($name, @arguments) = @$_;

	# Its pages are made as by a kernel before Linux 5.14.
	local $ENV{GPUCOMPACT_TEST_KERNEL} = 'old' if $arguments[0] eq $stand_in;
	my ($out, $said) = run_command([ $engines, @arguments ]);

	like($out, qr/^\w+: [1-9]\d+ tests, 0 failures$/m, "$name: as plain loops");
	is($said, '', "$name: and nothing is said");
}

# Code that is chosen: the best of this processor, which the tests above ran, and then
# code for lesser ones.
my $best;
foreach my $level ('avx512', 'avx2', 'plain')
{
	local $ENV{GPUCOMPACT_TEST_CPU} = $level;

	my @families = $ENV{GPUCOMPACT_TEST_FULL} ? '' : qw(compact select sort take window_percentile);
	my @runs = map { my $sizes = $_; map { [ $sizes, 0, $_ ] } @families } '1-33', '257-257', '4097-4097';

	foreach my $run ($best ? @runs : [ '1-1', 0, 'compact' ])
	{
		my ($out, $said) = run_command([ $engines, 'cpu', @$run ]);

	  SKIP:
		{
			skip "no $level on this processor", 1
			  if $level ne 'plain' && $said eq "there is no $level on this processor";
			$best //= $level;
			like($out, qr/^cpu: [1-9]\d* tests, 0 failures$/m, "the CPU, $level, @$run: as plain loops");
		}
	}
}

# A GPU process goes with the one that has started it, and so does its directory.
SKIP:
{
	skip 'make t/engine/gpu_on_cpu has not been run', 2 if !-x $stand_in;

	local $ENV{TMPDIR} = PostgreSQL::Test::Utils::tempdir();
	my $killed = IPC::Run::start([ $engines, $stand_in, '1-8449' ],
		'>' => \my $killed_out, '2>' => \my $killed_err);
	my $files = sub { return scalar(my @names = glob("$ENV{TMPDIR}/$_[0]")) };

	ok(becomes_true(sub { $files->('engines-*/*') }), 'a GPU process has a directory');
	$killed->signal('KILL');
	$killed->finish;
	ok(becomes_true(sub { !$files->('engines-*') }), 'which is gone when its parent is killed');
}

done_testing();
