
# bench/run: it measures each mode on small arrays, prints tables, and leaves nothing
# in the database.  bench/questions times no contender whose answer is another one.

use strict;
use warnings;

use File::Temp qw(tempdir);
use FindBin;
use lib "$FindBin::RealBin/../lib";

use Gpucompact;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $python = $ENV{PYTHON3} // 'python3';
plan skip_all => 'needs psycopg 3 for Python (Debian: python3-psycopg)'
  if system("'$python' -c 'import psycopg' 2>/dev/null");

my $node = new_server('bench');
$node->start;
local $ENV{PGHOST} = $node->host;
local $ENV{PGPORT} = $node->port;
local $ENV{PGDATABASE} = 'postgres';
local $ENV{PYTHONDONTWRITEBYTECODE} = 1;

# What it prints.
sub run_bench
{
	my @options = (
		'--sizes' => 1000,
		'--rounds' => 1,
		'--slow-rounds' => 1,
		'--engines' => 'cpu',
		@_);
	my ($out, $err);

	ok(IPC::Run::run(
			[ $python, "$FindBin::RealBin/../../bench/run", @options ],
			'>' => \$out, '2>' => \$err),
		"bench/run @_") or diag($err);
	return $out;
}

# The cells of a table's lines that have times.
sub timed_lines
{
	return map { [ split(/ *(?<!\\)\| */) ] }
	  grep { /^\| `/ && / \.\. / } split(/\n/, shift);
}

my $report = run_bench('--storage' => 'external', '--only' => 'compact|utf8');

like($report, qr/^## $_\n/m, "a section: $_")
  foreach 'Times', 'Fresh sessions', 'Parts of a call', 'Memory', 'UTF-8';
my ($times) = $report =~ /^## Times\n(.*?)^## /ms;
my @lines = timed_lines($times);
is($_->[5], 1, "one round of $_->[1]") foreach @lines;
cmp_ok(scalar(@lines), '>', 2, 'of several contenders');
like($report, qr/^\| `gpu_compact\(a\)` \| cpu \|.*x SQL filter/m,
	'and a function is compared with its peers');

is_deeply(
	[ map { $_->[1] } timed_lines(
			run_bench(
				'--preset' => 'families',
				'--storage' => 'narrow',
				'--types' => 'bigint',
				'--only' => 'delta')) ],
	[
		'`a \|\| ARRAY[0]`', '`gpu_delta(a)`',
		'`ARRAY(SELECT x - lag(x, 1, 0) OVER () FROM unnest(a) x)`'
	],
	'a preset, with options that change it');
like(
	run_bench(
		'--preset' => 'statistics',
		'--storage' => 'centred',
		'--types' => 'double precision',
		'--only' => 'take'),
	qr/^\| `gpu_take\(a, p\)`.*\n\| `\(SELECT ARRAY\(SELECT b\[i\] /m,
	'arrays of positions, whether there is a NumPy or not');
like(
	run_bench(
		'--preset' => 'sorts',
		'--storage' => 'fractions',
		'--only' => 'sort'),
	qr/^### fractions, 1,000 elements of double precision\n/m,
	'values between 0 and 1 are of another type than the others');

is( $node->safe_psql(
		'postgres',
		q(SELECT count(*) FROM pg_extension
		  WHERE extname IN ('gpucompact', 'intarray', 'aggs_for_arrays'))
		  . q( UNION ALL SELECT count(*) FROM pg_namespace
		  WHERE nspname = 'gpucompact_bench')),
	"0\n0",
	'nothing is left');

# What bench/questions prints beside modules that are in a directory.
sub run_questions
{
	my ($directory) = @_;
	my ($out, $err);

	local $ENV{PYTHONPATH} = join(':', $directory, $ENV{PYTHONPATH} // ());
	my $succeeded = IPC::Run::run(
		[ $python, "$FindBin::RealBin/../../bench/questions", '--count' => 2000, '--rounds' => 1 ],
		'>' => \$out, '2>' => \$err);
	return ($succeeded, $out, $err);
}

SKIP:
{
	skip 'needs NumPy for Python (Debian: python3-numpy)', 4
	  if system("'$python' -c 'import numpy' 2>/dev/null");
	my $directory = tempdir(CLEANUP => 1);

	my ($succeeded, $out, $err) = run_questions($directory);
	ok($succeeded, 'questions') or diag($err);
	like($out, qr/^\| a chart of 1,000 points \| .* to /m, 'are timed');

	append_to_file("$directory/tsdownsample.py", <<'END');
import numpy


class LTTBDownsampler:
	def downsample(self, values, n_out):
		return numpy.arange(n_out, dtype=numpy.uint64)
END
	($succeeded, $out, $err) = run_questions($directory);
	ok(!$succeeded && $out eq '', 'no table if a contender gives another answer');
	like($err, qr/^a chart of 1,000 points: tsdownsample answers .*, gpucompact /m,
		'and the contender is named');
}

done_testing();
