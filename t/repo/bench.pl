
# bench/run: it measures each mode on small arrays, writes what bench/plot reads,
# and leaves nothing in the database.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../lib";

use Gpucompact;
use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $python = $ENV{PYTHON3} // 'python3';
plan skip_all => 'needs psycopg 3 for Python (Debian: python3-psycopg)'
  if system("'$python' -c 'import psycopg' 2>/dev/null");

my $node = new_server('bench');
my $output = PostgreSQL::Test::Utils::tempdir() . '/results';

$node->start;
local $ENV{PGHOST} = $node->host;
local $ENV{PGPORT} = $node->port;
local $ENV{PGDATABASE} = 'postgres';
local $ENV{PYTHONDONTWRITEBYTECODE} = 1;

# The records that it writes, by mode.
sub run_bench
{
	my @options = (
		'--sizes' => 1000,
		'--rounds' => 1,
		'--engines' => 'cpu',
		'--output' => $output,
		@_);

	command_ok([ $python, "$FindBin::RealBin/../../bench/run", @options ],
		"bench/run @_");
	return decode_json(slurp_file("$output.json"));
}

my $run = run_bench('--storage' => 'external', '--only' => 'compact|utf8');
my $report = slurp_file("$output.md");

foreach my $mode (qw(times fresh parts memory utf8))
{
	ok(@{ $run->{$mode} }, "there are records of $mode");
}
foreach my $record (@{ $run->{times} }, @{ $run->{utf8} })
{
	is(scalar(grep { $_ > 0 } @{ $record->{ms} }),
		1, "one round of $record->{sql}");
}
like($report, qr/^\| `gpu_compact\(a\)` \| cpu \|.*x SQL filter/m,
	'and a function is compared with its peers');
like($report, qr/^## $_\n/m, "a section: $_")
  foreach 'Times', 'Fresh sessions', 'Parts of a call', 'Memory', 'UTF-8';

$run = run_bench(
	'--preset' => 'families',
	'--storage' => 'narrow',
	'--types' => 'bigint',
	'--only' => 'delta');
is_deeply(
	[ map { "$_->{type} $_->{label}" } @{ $run->{times} } ],
	[ 'bigint copy', 'bigint gpu_delta', 'bigint x - lag(x)' ],
	'a preset, with options that change it');

$run = run_bench(
	'--preset' => 'statistics',
	'--storage' => 'centred',
	'--types' => 'double precision',
	'--only' => 'take');
is_deeply(
	[ grep { $_ ne 'NumPy' } map { $_->{label} } @{ $run->{times} } ],
	[ 'copy', 'gpu_take(a, p)', 'a[i]' ],
	'arrays of positions, whether there is a NumPy or not');

is( $node->safe_psql(
		'postgres',
		q(SELECT count(*) FROM pg_extension
		  WHERE extname IN ('gpucompact', 'intarray', 'aggs_for_arrays'))
		  . q( UNION ALL SELECT count(*) FROM pg_namespace
		  WHERE nspname = 'gpucompact_bench')),
	"0\n0",
	'nothing is left');

done_testing();
