
# bench/run: it measures each mode on small arrays, prints tables, and leaves nothing
# in the database.  bench/questions times no contender whose answer is another one.
# bench/release keeps of long answers what their tables are made for.

use File::Temp qw(tempdir);
use lib 't/lib';

use Gpucompact;

my $python = $ENV{PYTHON3} // 'python3';
plan skip_all => 'needs psycopg 3 for Python (Debian: python3-psycopg)'
  if system("'$python' -c 'import psycopg' 2>/dev/null");

my $node = new_server('bench');
$node->start;
local $ENV{PGHOST} = $node->host;
local $ENV{PGPORT} = $node->port;
local $ENV{PGDATABASE} = 'postgres';
local $ENV{PYTHONDONTWRITEBYTECODE} = 1;

# Its output.
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
			[ $python, "$Gpucompact::source/bench/run", @options ],
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
  foreach 'Times', 'Memory', 'UTF-8';
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
		'`ARRAY(SELECT x - lag(x) OVER () FROM unnest(a) x)`'
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

is($node->safe_psql('postgres',
		q(SELECT count(*) FROM pg_extension
		  WHERE extname IN ('gpucompact', 'intarray', 'aggs_for_arrays'))
		  . q( UNION ALL SELECT count(*) FROM pg_namespace
		  WHERE nspname = 'gpucompact_bench')), "0\n0", 'nothing is left');

# The output of bench/questions with the modules of a directory.
sub run_questions
{
	my ($directory) = @_;
	my ($out, $err);

	local $ENV{PYTHONPATH} = join(':', $directory, $ENV{PYTHONPATH} // ());
	my $succeeded = IPC::Run::run(
		[ $python, "$Gpucompact::source/bench/questions", '--count' => 2000, '--rounds' => 1 ],
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

# The part of a long answer that bench/release keeps.
sub compact
{
	my ($of, $answer) = @_;
	my $out;

	local $ENV{PYTHONPATH} = "$Gpucompact::source/bench";
	IPC::Run::run(
		[ $python, '-c', "import sys; from measure import compact; print(compact.$of(sys.stdin.read()))" ],
		'<' => \$answer, '>' => \$out);
	return $out;
}

my $kernels = compact('kernels', <<'END');
CUB 3.5.0
operation data        n by        us spread checked
sort      random   4096 ours   12.50  0.010 yes
sort      random   4096 cub    13.00  0.010 yes
sort      random   4096 copy    1.00  0.010 yes
sort      random  16384 ours   20.00  0.030 yes
sort      random  16384 cub    21.00  0.010 yes
sort      sorted  16384 ours   19.00  0.020 NO
END
like($kernels, qr/^CUB 3\.5\.0; .*Wrong results: 1\..* 0\.020\.$/m, 'what is wrong is said');
like($kernels, qr/^\| operation \| data \| 2\^12 \| CUB \| 2\^14 \| CUB \|$/m, 'sizes are columns');
like($kernels, qr/^\| sort \| random \| 12\.50 \| 13\.00 \| 20\.00 \| 21\.00 \|\n\| sort \| sorted \|  \|  \| 19\.00 \|  \|$/m,
	'and operations and data are rows');

like(compact('medians', <<'END'),
Sessions have a setting.

### normal, 1,000 elements of integer

around zero; 1 rows in the table.

| what | engine | median | min .. max | n | of copy | as fast as |
|---|---|---|---|---|---|---|
| `f(a \|\| b)` | cpu | 1 ms | 1 ms .. 2 ms | 5 | 1 | |

### zipf, 1,000 elements of integer

| what | engine | median | min .. max | n | of copy | as fast as |
|---|---|---|---|---|---|---|
| `f(a \|\| b)` | cpu | 3 ms | 1 ms .. 2 ms | 5 | 1 | |
END
	qr/^- normal, .*: around zero; .*\n\n\| median \| engine \| normal \| zipf \|\n.*\n\| `f\(a \\\|\\\| b\)` \| cpu \| 1 ms \| 3 ms \|$/m,
	'and sections are columns of the medians of what was measured');

my $crossover = compact('crossover', <<'END');
| call | elements | CPU, 1 thread | CPU, 4 | GPU, 1 | GPU, 4 | auto, 1 | auto, 4 | CPU, cached | GPU, cached | auto, cached |
|---|---|---|---|---|---|---|---|---|---|---|
| `f(a)` | 2^10 | 10.0 | 20.0 | 30.0 | 10.0 | 10.0 | 10.0 | 9.0 | 8.0 | 8.0 |
| `f(a)` | 2^12 | 40.0 | 30.0 | 50.0 | 40.0 | 60.0 | 30.0 | 9.5 | 8.5 | 8.5 |
| `f(a)` | 2^14 | 80.0 | 50.0 | 90.0 | 40.0 | 80.0 | 40.0 | 9.9 | 8.9 | 8.9 |

| auto / the better engine, of 9 cases | |
|---|---|
| median | 1.00 |
END
like($crossover, qr/^\| `f\(a\)` \| - \|  \| 80\.0, 90\.0 \| 2\^14 \| 50\.0, 40\.0 \| 30\.0, 40\.0 \| 2\^10 \| 9\.0, 8\.0 \|  \|$/m,
	'the sizes next to that from which on a GPU is faster');
like($crossover, qr/^\| median \| 1\.00 \|\n\n.*\n\n.*\n.*\n\| `f\(a\)` \| 2\^12 \| one thread \| 40\.0 \| 50\.0 \| 60\.0 \|$/m,
	'and where auto is far off');

done_testing();
