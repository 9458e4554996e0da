
# A session that calls and calls stays as large as it was, and holds no more of
# the GPU's memory.  GPUCOMPACT_TEST_CALLS says how often each function is
# called; by default 500 times.

use lib 't/lib';

use Calls;
use Gpucompact;

plan skip_all => 'there is no /proc here' unless -r '/proc/self/status';

my $calls = $ENV{GPUCOMPACT_TEST_CALLS} || 500;

# Less than 3 kB for each call of a function, or 4 MB.
my $most_resident = $calls < 1365 ? 3 * $calls : 4096;

# Freed memory goes back to the system at once.  Otherwise it would be counted, too: up
# to 64 MiB of it, depending on the order of calls, and the memory kept for the next
# results.
$ENV{MALLOC_MMAP_THRESHOLD_} = $ENV{MALLOC_TRIM_THRESHOLD_} = 128 * 1024;

my $node = start_with_gpu('growth', 'gpucompact.kept_memory = 0');

# Arrays of 2^27 elements would take most of the time.
my %calls = (calls(), 'pad' => 'gpu_pad(samples, 700000)');

# Enough elements for threads, and for memory that is given back after a call.  Nobody
# asks for the answers.
load_runs($node, 300000, calls('reduce'));

# The session's own memory, in kB, and the GPU memory of all, in MB.
my $resident = q(
	SELECT 'resident', substring(pg_read_file('/proc/self/status')
								 FROM 'RssAnon:\s+([0-9]+)')::integer;);
my $device = q(
	SELECT 'device', coalesce(sum(memory_total - memory_free) / 1000000, 0)::integer
	FROM gpu_devices();
);

# So often the small array, and so often the others.
sub each_call
{
	my ($times, $others) = @_;

	return join('',
		map {
			"SELECT count($_) FROM runs, generate_series(1, $times) WHERE id = 2;
			 SELECT count($_) FROM runs, generate_series(1, $others) WHERE id <> 2;"
		} map { $calls{$_} } sort keys %calls)
	  . join('',
		map { "SELECT count($_) FROM (SELECT $_() FROM generate_series(1, $others)) AS s;" }
		  qw(gpu_devices gpu_last_call));
}

my %engines = engines($node);
foreach my $engine ('cpu_threads = 4', 'cuda')
{
	next unless exists $engines{$engine};
	my $look = $resident . ($engine eq 'cuda' ? $device : '');

	# The memory that the session keeps is there after the first hundred calls.
	my $out = $node->safe_psql('postgres', $engines{$engine} . each_call(100, 1) . $look
		  . each_call($calls, int($calls / 1000) + 2) . $look);
	foreach my $memory ([ 'resident', $most_resident ], [ 'device', 16 ])
	{
		my ($name, $most) = @$memory;
		my ($before, $after) = $out =~ /^$name\|(\d+)$/mg;

		next unless defined $before;
		note("$engine, $name: from $before to $after");
		cmp_ok($after - $before, '<', $most,
			"$engine: a session's $name memory does not grow from call to call");
	}
}

survived($node);
done_testing();
