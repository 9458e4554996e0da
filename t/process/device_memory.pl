
# A call that needs more of the GPU's memory than is allowed.

use lib 't/lib';

use Gpucompact;

my $node = start_server('device_memory');
my %engines = engines($node);

if (!exists $engines{'cuda'})
{
	$node->stop;
	plan skip_all => 'no GPU here';
}

# A sort of this needs twice 40 MB.
$node->safe_psql('postgres', q(
	CREATE TABLE runs AS
	SELECT array_agg(i % 1000) AS samples
	FROM generate_series(1, 10000000) AS i;));

my $err = fails_with(
	$node, '53200', q(
	SET gpucompact.engine = cuda;
	SET gpucompact.device_memory_limit = '64MB';
	SELECT cardinality(gpu_radix_sort(samples)) FROM runs;), 'cuda: more than the limit');
like(
	$err,
	qr/DETAIL:  The call needs \d+ MB of GPU memory; the limit is 64 MB, and/,
	'cuda: and the message has both figures');

is($node->safe_psql('postgres', q(
		SET gpucompact.engine = cuda;
		SELECT gpu_radix_sort('{3,1,2}'::integer[]);
		SET gpucompact.device_memory_limit = '64MB';
		SELECT cardinality(gpu_prefix_sum(samples)) FROM runs;
		SET gpucompact.engine = auto;
		SELECT cardinality(gpu_radix_sort(samples)) FROM runs;
		SELECT engine, reason LIKE '%the limit is 64 MB%' FROM gpu_last_call();
		SET gpucompact.device_memory_limit = 0;
		SELECT cardinality(gpu_radix_sort(samples)) FROM runs;
		SELECT engine FROM gpu_last_call();)),
	"{1,2,3}\n10000000\n10000000\ncpu|t\n10000000\ncuda",
	'auto: takes the CPU, and says why, until the limit is gone');

# Room for all that a filter of a cached array may return is over the limit.
is($node->safe_psql('postgres', q(
		SET gpucompact.engine = cuda;
		SELECT cardinality(gpu_compact(samples, '<', 5)) FROM runs;
		SELECT cardinality(gpu_compact(samples, '<', 500)) FROM runs;
		SELECT source FROM gpu_last_call();
		SET gpucompact.device_memory_limit = '30MB';
		SELECT cardinality(gpu_compact(samples, '<', 500)) FROM runs;
		SELECT sum(x) FROM runs, unnest(gpu_compact(samples, '<', 5)) AS x;
		SELECT source FROM gpu_last_call();)),
	"50000\n5000000\ncache\n5000000\n100000\ncache",
	'cuda: a filter of a cached array takes less instead');

survived($node);

done_testing();
