
# A call that needs more of the GPU's memory than is allowed.

use lib 't/lib';

use Gpucompact;
use GpuCache;

my $node = start_cache('device_memory');

# A sort of this needs twice 40 MB, and its sums, of twice as many bytes, 120 MB.
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
		SET gpucompact.device_memory_limit = '120MB';
		SELECT cardinality(gpu_prefix_sum(samples)) FROM runs;
		SET gpucompact.device_memory_limit = '64MB';
		SET gpucompact.engine = auto;
		SELECT cardinality(gpu_radix_sort(samples)) FROM runs;
		SELECT engine, reason LIKE '%the limit is 64 MB%' FROM gpu_last_call();
		SET gpucompact.device_memory_limit = 0;
		SELECT cardinality(gpu_radix_sort(samples)) FROM runs;
		SELECT engine FROM gpu_last_call();)),
	"{1,2,3}\n10000000\n10000000\ncpu|t\n10000000\ncuda",
	'auto: takes the CPU, and says why, until the limit is gone');

# A filter needs 40 MB for its result.
my $filter = q(SELECT cardinality(gpu_compact(samples, '<', 500)) FROM runs;);
is($node->safe_psql('postgres', qq(
		SET gpucompact.engine = cuda;
		$filter
		SET gpucompact.device_memory_limit = '50MB';
		$filter
		SELECT source FROM gpu_last_call();)),
	"5000000\n5000000\ncache",
	'cuda: the limit does not count cached arrays');
fails_with(
	$node, '53200', qq(
	SET gpucompact.engine = cuda;
	SET gpucompact.device_memory_limit = '30MB';
	$filter), 'cuda: but it counts the result');

survived($node);

done_testing();
