
# Without a GPU: everything works on the CPU, and what asks for a GPU is told
# why there is none.

use lib 't/lib';

use Gpucompact;

# If the machine has GPUs, the server shall not see them.
my $node;
{
	local $ENV{CUDA_VISIBLE_DEVICES} = '';
	$node = start_server('no_device');
}

my $status = $node->safe_psql('postgres', 'SELECT status FROM gpu_devices() WHERE index IS NULL');
isnt($status, '', 'gpu_devices() says why there is none');
unlike($status, qr/\n/, 'in one row');
is($node->safe_psql('postgres', q(
		SELECT count(*), count(name), count(compute_capability),
			   count(memory_total), count(memory_free) FROM gpu_devices())),
	'1|0|0|0|0', 'which tells of no GPU');
note("status: $status");

my $err = fails_with($node, '55000',
	q(SET gpucompact.engine = cuda; SELECT gpu_compact('{1,0}'::integer[]);),
	'engine = cuda fails');
like($err, qr/\QDETAIL:  $status\E/, 'for the same reason');
like($err, qr/HINT:  Set "gpucompact.engine" to "auto" or "cpu" to run on the CPU\.$/m, 'and there is a hint');

is($node->psql('postgres', q(
		SET gpucompact.engine = cuda;
		SELECT gpu_radix_sort('{2,1}'::integer[]);
		SELECT gpu_prefix_sum('{2,1}'::integer[]);
		SET gpucompact.engine = cpu;
		SELECT gpu_radix_sort('{2,1}'::integer[]);),
		on_error_stop => 0,
		stdout => \my $out,
		stderr => \$err), 0, 'it fails again, and the session goes on');
is($out, '{1,2}', 'on the CPU');
is(() = $err =~ /cannot run on a GPU/g, 2, 'each call is told');

# A value is not kept, for the same reason, whatever it is.
$node->psql('postgres', q(SELECT gpu_cache_load('{1}'::integer[])), stderr => \$err);
my $why_not_kept = $status =~ /^no GPU program/ ? 'no GPU program is installed' : $status;
like($err, qr/NOTICE:  the value is not cached by a GPU: \Q$why_not_kept\E$/m,
	'gpu_cache_load() says why not');

# Large enough to be worth a GPU, and often enough to be worth opening one.
foreach my $engine ('cpu', 'auto')
{
	is($node->safe_psql('postgres', qq(
			SET gpucompact.engine = $engine;
			SELECT count(*)
			FROM (SELECT array_agg(i ORDER BY i) AS a
				  FROM generate_series(1, 1000000) AS i) AS v,
				 generate_series(1, 100) AS n
			WHERE (gpu_radix_sort(a, n % 2 = 1))[1] <>
				  CASE n % 2 WHEN 1 THEN 1000000 ELSE 1 END;
			SELECT engine FROM gpu_last_call();)), "0\ncpu", "engine = $engine runs on the CPU");
}

survived($node);
$node->stop;

# A GPU that there is not, on a machine that may have others.
$node = start_with_gpu('other_device');
is($node->safe_psql('postgres', q(
		SELECT set_config('gpucompact.device', '15', false);
		SET gpucompact.engine = auto;
		SELECT gpu_compact('{1,0}'::integer[]);)), "15\n{1}", 'device = 15: engine = auto runs');
my $why = fails_with(
	$node, '55000', q(
	SELECT gpu_compact('{}'::integer[]);
	SET gpucompact.device = 15;
	SET gpucompact.engine = cuda;
	SELECT gpu_compact('{1,0}'::integer[]);), 'device = 15: engine = cuda fails');
note($why);
fails_with(
	$node, '22023', q(
	SELECT gpu_compact('{}'::integer[]);
	SET gpucompact.device = 16;), 'device = 16 cannot be set');

survived($node);

done_testing();
