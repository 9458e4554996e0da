
# A chain of calls on an array of 2^24 elements ends within 100 ms of its timeout,
# wherever it is: in a call, or in the calls that were deferred before it.  And its
# session ends within 100 ms of being terminated.
#
# By default some pairs of calls, others in each run; with GPUCOMPACT_TEST_FULL=1 in
# the environment, all pairs.  GPUCOMPACT_TEST_SEED repeats the pairs of an earlier
# run.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../lib";

use Cancel;
use Gpucompact;
use Random;

my $full = $ENV{GPUCOMPACT_TEST_FULL};
my $seed = $ENV{GPUCOMPACT_TEST_SEED} // time % 1000000;
srand($seed);

# A call of each kind on the array %s: those that the CPU defers, one that leaves
# elements out, those that it computes of what was deferred, and those for which
# the array is made.  A cast is a step of a chain between two of its calls.
my %inner = (
	'delta' => 'gpu_delta(%s)',
	'map' => q(gpu_map(%s, 'least', 1000)),
	'compact' => q(gpu_compact(%s, '>', 0)),
	'compact by mask' => q(gpu_compact(%s, gpu_compare(%s, '>', 0))),
	'scan' => q(gpu_scan(%s, 'max')),
	'window' => q(gpu_window(%s, 'min', 100)),
	'sort' => 'gpu_radix_sort(%s)',
	'cast' => 'gpu_delta(%s)::bigint[]',
	'take' => 'gpu_take(%s, a)',
	'zip' => q(gpu_zip(%s, 'greatest', %s)),
	'nulls' => q(gpu_take(%s, gpu_delta(a, 1000))));
my %outer = (
	%inner,
	'cast' => 'gpu_delta(%s::bigint[])',
	'reduce' => q(gpu_reduce(%s, 'max')),
	'histogram' => 'gpu_histogram(%s, -1000, 1000, 10)',
	'stats' => 'gpu_stats(%s)',
	'percentile' => 'gpu_percentile_cont(%s, 0.3)',
	'distinct' => 'gpu_distinct_counts(%s)',
	'bytes' => 'gpu_utf8_is_valid(gpu_to_bytes(gpu_compact_nulls(%s)))');

my $node = start_with_gpu('cancel_chains');
my %engines = engines($node);
my $chain = q(gpu_reduce(gpu_compact(gpu_delta(a), '>', 0), 'max'));

make_terminate($node);
$node->safe_psql('postgres', qq(
	CREATE UNLOGGED TABLE large (a integer[]);
	ALTER TABLE large ALTER a SET STORAGE EXTERNAL;
	DO \$\$
	DECLARE
		a integer[] := ARRAY(SELECT (hashint4(i) % 1000) + 1001
							 FROM generate_series(1, 1048576) AS i);
	BEGIN
		a := a || a || a || a;
		INSERT INTO large VALUES (a || a || a || a);
	END \$\$;
	CREATE TABLE small AS
	SELECT a[1:100000] AS a, NULL::integer AS answer FROM large;
	SET gpucompact.engine = cpu;
	UPDATE small SET answer = $chain;));

my @pairs = map { my $i = $_; map { [ $i, $_ ] } sort keys %outer } sort keys %inner;
foreach my $engine (grep { exists $engines{$_} } 'cpu_threads = 2', 'cuda')
{
	my $cancelled = 0;

	foreach my $pair ($full ? @pairs : map { one_of(@pairs) } 1 .. 3)
	{
		my ($inner, $outer) = @$pair;
		my $call = $inner{$inner} =~ s/%s/a/gr;

		$cancelled += ends_at_once(
			$node,
			"$engine, $outer of $inner, seed $seed",
			{
				set => $engines{$engine},
				call => $outer{$outer} =~ s/%s/$call/gr,
				next => "SELECT $chain = answer FROM small",
				steps => 4,
				times => 1,
				quick => 1
			});
	}
	cmp_ok($cancelled, '>', 0, "$engine: chains have been cancelled, seed $seed");
}

survived($node);
done_testing();
