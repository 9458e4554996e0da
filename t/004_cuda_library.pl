
# A library of the CUDA engine that is missing, damaged, something else, or of
# another version: the server and the CPU engine do not mind, and what asks
# for a GPU is told what is wrong.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/lib";

use Gpucompact;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my ($node, $directory) = start_copy('cuda_library');
my $library = "$directory/gpucompact_cuda.so";
my $source = "$FindBin::RealBin/../src";

# Each session opens the library once, and remembers what came of it.
sub refused
{
	my ($what, $why) = @_;

	my $status = $node->safe_psql('postgres',
		'SELECT status FROM gpu_devices() WHERE index IS NULL');
	like($status, $why, "$what: gpu_devices() says why");

	my $err = fails_with($node, '55000',
		q(SET gpucompact.engine = cuda; SELECT gpu_compact('{1,0}'::integer[]);),
		"$what: engine = cuda fails");
	like($err, qr/\QDETAIL:  $status\E/, "$what: for that reason");

	$node->psql(
		'postgres', q(
		SET gpucompact.engine = cuda;
		SELECT gpu_compact('{1,0}'::integer[]);
		SELECT gpu_compact('{1,0}'::integer[]);
		SELECT status FROM gpu_devices();),
		on_error_stop => 0,
		stdout => \my $out,
		stderr => \$err);
	is(() = $err =~ /\QDETAIL:  $status\E/g,
		2, "$what: each call of a session is told");
	is($out, $status, "$what: and so does gpu_devices() in that session");

	is( $node->safe_psql(
			'postgres', q(
			SET gpucompact.engine = auto;
			SELECT count(*)
			FROM (SELECT array_agg(i ORDER BY i) AS a
				  FROM generate_series(1, 1000000) AS i) AS v,
				 generate_series(1, 100) AS n
			WHERE (gpu_radix_sort(a, n % 2 = 1))[1] <>
				  CASE n % 2 WHEN 1 THEN 1000000 ELSE 1 END;
			SELECT engine FROM gpu_last_call();)),
		"0\ncpu",
		"$what: engine = auto runs on the CPU");
	return;
}

# Compiles the library, or says why it is to be skipped.
sub compile
{
	my ($name, $code) = @_;
	my $compiler = $ENV{CC} || 'cc';

	unlink $library;
	append_to_file("$directory/$name.c", $code);
	my ($out, $err) = run_command(
		[
			$compiler, '-shared', '-fPIC', "-I$source", '-o', $library,
			"$directory/$name.c"
		]);
	return -e $library ? undef : "no C compiler: $err";
}

refused('no library',
	qr/no GPU library is installed: there is no file "\Q$library\E"/);
is( $node->safe_psql(
		'postgres', q(
		SET gpucompact.engine = auto;
		SELECT gpu_radix_sort('{2,1}'::integer[]);
		SELECT engine, reason FROM gpu_last_call();)),
	"{1,2}\ncpu|cpu: no GPU library installed",
	'no library: gpu_last_call() says it in short');

append_to_file($library, "This is not a library.\n");
refused('text', qr/could not open library "\Q$library\E": /);

unlink $library;
mkdir $library;
refused('a directory', qr/could not open library "\Q$library\E": /);
rmdir $library;

SKIP:
{
	my $why_not = compile('other', 'int something_else = 1;');

	skip($why_not, 1) if $why_not;
	refused('another library',
		qr/library "\Q$library\E" is not an engine of gpucompact/);

	# As after a copy that was broken off; after its last page a library is not
	# there to be mapped, and to touch that kills.
	my $whole = slurp_file($library);
	my $most = length($whole) - 1;
	foreach my $length (0, 1, 63, 64, 100, 1000, 4096, 4097, 8192, 12289,
		int($most / 2), $most)
	{
		next if $length > $most;
		unlink $library;
		append_to_file($library, substr($whole, 0, $length));
		like(
			$node->safe_psql('postgres', 'SELECT status FROM gpu_devices()'),
			qr/^(could not open library "\Q$library\E": |library "\Q$library\E" is cut short$)/,
			"$length bytes of a library");
	}
	refused('the most of a library', qr/library "\Q$library\E" is cut short/);
}

# It would crash any caller of its functions, which are NULL.
SKIP:
{
	my $why_not = compile(
		'version', q(
		#include "engine.h"
		const Engine gpucompact_engine = {
			.api_version = ENGINE_API_VERSION + 41,
			.name = "other version"
		};));

	skip($why_not, 1) if $why_not;
	my $version =
	  slurp_file("$source/engine.h") =~ /ENGINE_API_VERSION\s+(\d+)/ ? $1 : 0;
	refused('another version',
		qr/version @{[$version + 41]}\b.*version $version\b/);
}

# A good one, here one without any device, is then used.
SKIP:
{
	my $why_not = compile(
		'stub', q(
		#include "engine.h"
		static const char *message(void) { return "the stub has no device"; }
		static EngineStatus begin(const EngineRequest *request, EngineJob **job)
		{
			return ENGINE_NO_DEVICE;
		}
		static EngineStatus devices(EngineDevice *devices, int capacity,
									int *count)
		{
			return ENGINE_NO_DEVICE;
		}
		static bool idle(void) { return true; }
		const Engine gpucompact_engine = {
			.api_version = ENGINE_API_VERSION,
			.name = "cuda",
			.begin = begin,
			.devices = devices,
			.message = message,
			.idle = idle
		};));

	skip($why_not, 1) if $why_not;
	refused('no device', qr/the stub has no device/);
}

survived($node);

done_testing();
