
# The Makefile: what it says where there is no PostgreSQL to build for.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/lib";

use Gpucompact;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $source = "$FindBin::RealBin/..";

# What the make around this test was told is not meant for these.
delete @ENV{qw(MAKEFLAGS MAKELEVEL MFLAGS NVCC PG_CONFIG)};

# Runs make, and returns its exit status and what it said.
sub make
{
	my ($directory, @arguments) = @_;
	my $output = '';
	my $done = IPC::Run::run([ 'make', '-C', $directory, @arguments ],
		'>&' => \$output);

	note($output);
	return ($done, $output);
}

# Without PostgreSQL.
foreach my $goal ('', 'install', 'installcheck', 'uninstall', 'clean',
	't/engines install')
{
	my ($done, $output) =
	  make($source, '-n', 'PG_CONFIG=/nonexistent/pg_config', split(' ', $goal));

	ok(!$done, "make $goal fails without PostgreSQL");
	like(
		$output,
		qr/\*\*\* .*names no PostgreSQL to build for: .*PG_CONFIG/,
		'and tells what to do');
}
foreach my $goal ('t/engines', 'bench/kernels', 'gpucompact_cuda.so')
{
	my ($done) = make($source, '-n', 'PG_CONFIG=/nonexistent/pg_config',
		'NVCC=nvcc', $goal);

	ok($done, "make $goal needs no PostgreSQL");
}

done_testing();
