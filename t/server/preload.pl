
# The library preloaded, by the server or by each session: the server starts, the
# settings are there at once, and no process of PostgreSQL's opens CUDA.

use lib 't/lib';

use Gpucompact;

my $main_calls = q(
	SELECT gpu_prefix_sum('{1,2,3}'::integer[]), gpu_compact('{0,2,0}'::integer[]),
		   gpu_radix_sort('{3,1,2}'::integer[]););
my $main_answers = '{1,3,6}|{2}|{1,2,3}';

# The libraries in a process's memory; /proc has their names.
sub maps
{
	my ($pid) = @_;

	return -r "/proc/$pid/maps" ? slurp_file("/proc/$pid/maps") : undef;
}

# The settings, in a session that has called nothing yet.
sub test_settings
{
	my ($node, $how) = @_;

	is($node->safe_psql('postgres', q(
			SELECT count(*) FROM pg_settings
			WHERE name IN ('gpucompact.engine', 'gpucompact.device',
						   'gpucompact.cpu_threads'))), 3, "$how: the settings are there at once");
	fails_with($node, '22023', q(SET gpucompact.engine = 'tpu'),
		"$how: a wrong value is an error at once");
	fails_with($node, '42602', q(SET gpucompact.engin = 'cpu'),
		"$how: a wrong name is an error at once");
	return;
}

my $node = start_server('preload', q(shared_preload_libraries = 'gpucompact'),
	q(gpucompact.engine = 'cpu'), 'gpucompact.cpu_threads = 2');
test_settings($node, 'shared_preload_libraries');
is($node->safe_psql('postgres', q(
		SELECT boot_val, reset_val, source FROM pg_settings
		WHERE name = 'gpucompact.cpu_threads')),
	'0|2|configuration file', 'settings are taken from postgresql.conf');

# Many a session forks from a postmaster that has the library.
my %engines = engines($node);
foreach my $engine (sort keys %engines)
{
	is($node->safe_psql('postgres', $engines{$engine} . $main_calls),
		$main_answers, "preloaded, $engine: first session");
	is($node->safe_psql('postgres', $engines{$engine} . $main_calls),
		$main_answers, "preloaded, $engine: second session");
}

SKIP:
{
	my $postmaster = (split(/\n/, slurp_file($node->data_dir . '/postmaster.pid')))[0];
	my $maps = maps($postmaster);

	skip('there is no /proc here', 5) unless defined $maps;
	like($maps, qr/gpucompact\.so/, 'the postmaster has the library');
	unlike($maps, qr/libcuda/, 'the postmaster has not opened CUDA');

	# A session has none either, wherever its calls run.
	my $own_maps = q(SELECT pg_read_file('/proc/self/maps'););
	foreach my $engine ('cpu', 'auto', 'eager')
	{
		unlike(
			$node->safe_psql('postgres', "SET gpucompact.engine = $engine; $main_calls $own_maps"),
			qr/libcuda/, "$engine: a session has not opened CUDA");
	}
}

# A mistyped setting in the file is told in the log, and the server starts.
$node->append_conf('postgresql.conf', "gpucompact.engin = 'cpu'\n");
$node->restart;
like(
	slurp_file($node->logfile),
	qr/invalid configuration parameter name "gpucompact\.engin"/,
	'the log tells of a mistyped setting');
is($node->safe_psql('postgres', "SET gpucompact.engine = cpu; $main_calls"),
	$main_answers, 'the server runs all the same');

# The GPU process comes up with the server, if that is wanted and there is one.
is($node->safe_psql('postgres', 'SELECT count(pid) FROM gpu_processes()'),
	exists $engines{'cuda'} ? 1 : 0, 'no GPU process starts with the server');
$node->append_conf('postgresql.conf', "gpucompact.gpu_start = on\n");
$node->restart;
if ($node->safe_psql('postgres', 'SELECT status FROM gpu_devices() LIMIT 1') !~
	/no GPU program is installed/)
{
	ok($node->poll_query_until('postgres', "
			SELECT EXISTS (SELECT FROM gpu_processes()
						   WHERE state IN ('serving', 'no such GPU'))"),
		'gpu_start = on: it does, or is found to have no GPU');
}
is($node->safe_psql('postgres', "SET gpucompact.engine = cpu; $main_calls"),
	$main_answers, 'gpu_start = on: the server runs');
survived($node);
$node->stop;

# Now each session loads it when it starts.
$node = start_server('session_preload', q(session_preload_libraries = 'gpucompact'));
test_settings($node, 'session_preload_libraries');
is($node->safe_psql('postgres', "SET gpucompact.engine = cpu; $main_calls"),
	$main_answers,
	'session_preload_libraries: the functions work');

survived($node);

done_testing();
