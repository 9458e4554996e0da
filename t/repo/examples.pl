
# The programs in examples/ run, and find what they look for: each checks the
# answers itself.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../lib";

use Gpucompact;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $python = $ENV{PYTHON3} // 'python3';
plan skip_all => 'needs psycopg 3 and NumPy for Python '
  . '(Debian: python3-psycopg, python3-numpy)'
  if system("'$python' -c 'import numpy, psycopg' 2>/dev/null");

my $node = start_server('examples');

local $ENV{PGHOST} = $node->host;
local $ENV{PGPORT} = $node->port;
local $ENV{PGDATABASE} = 'postgres';
local $ENV{PYTHONDONTWRITEBYTECODE} = 1;
my ($out, $err) = run_command(
	[
		$python, "$FindBin::RealBin/../../examples/numpy_arrays.py",
		'--rows', 20, '--elements', 1000
	]);
is($err, '', 'numpy_arrays.py: all is as NumPy has it');
like($out, qr/^percentiles of .*^ +0:.*^ -4\.00 .*gpu_to_bytes\(samples\)\): +[\d.]+ ms/ms,
	'and it tells so');

done_testing();
