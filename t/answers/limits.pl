
# Arrays as large as they can be, on a machine that has the memory for it; with
# GPUCOMPACT_TEST_FULL=1 in the environment, in more calls.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../lib";

use Gpucompact;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# Array and result take 0.5 and 1 GB, and a sort's memory comes to that.
my $available =
  -r '/proc/meminfo' && slurp_file('/proc/meminfo') =~ /^MemAvailable:\s+(\d+)/m
  ? $1 / 1024 / 1024
  : 0;
plan skip_all => 'needs 4 GB of memory' if $available < 4;

my $node = start_server('large');

# Calls, and what is to come of them.  (A function in FROM would have its
# result written to a file, and so would generate_series() have its numbers.)
my @tests = (
	[
		'the longest result of gpu_prefix_sum',
		q(SELECT cardinality(s), s[1], s[134217724]
		  FROM (SELECT gpu_prefix_sum(array_fill(2147483647,
											 ARRAY[134217724])) AS s
				OFFSET 0) AS v),
		'134217724|2147483647|' . 134217724 * 2147483647
	],
	[
		'NULLs alone take no room',
		q(SELECT cardinality(s), s[1] IS NULL, s[134217727] IS NULL
		  FROM (SELECT gpu_prefix_sum(array_fill(NULL::integer,
											 ARRAY[134217727])) AS s
				OFFSET 0) AS v),
		'134217727|t|t'
	],
	[
		'gpu_compact of the longest array, of zeros',
		q(SELECT gpu_compact(array_fill(0, ARRAY[134217727]))),
		'{}'
	],
	[
		'gpu_run_lengths of the longest array',
		q(SELECT gpu_run_lengths(array_fill(7, ARRAY[134217727]))),
		'({7},{134217727})'
	]);
push @tests, (
	[
		'the longest result of gpu_prefix_sum in two dimensions',
		q(SELECT array_dims(s), s[1][1], s[2][67108861]
		  FROM (SELECT gpu_prefix_sum(array_fill(1, ARRAY[2,67108861]), true) AS s
				OFFSET 0) AS v),
		'[1:2][1:67108861]|0|134217721'
	],
	[
		'gpu_compact of the longest array, of ones',
		q(SELECT array_dims(gpu_compact(array_fill(1, ARRAY[134217727])))),
		'[1:134217727]'
	],
	[
		'gpu_radix_sort of the longest array',
		q(SELECT array_dims(s), s[1], s[65536], s[134217727]
		  FROM (SELECT gpu_radix_sort(array_fill(-5, ARRAY[134217727])) AS s
				OFFSET 0) AS v),
		'[1:134217727]|-5|-5|-5'
	],
	[
		'gpu_argsort of the longest array',
		q(SELECT array_dims(s), s[1], s[65536], s[134217727]
		  FROM (SELECT gpu_argsort(array_fill(true, ARRAY[134217727])) AS s
				OFFSET 0) AS v),
		'[1:134217727]|1|65536|134217727'
	],
	[
		'gpu_positions of the longest mask',
		q(SELECT array_dims(s), s[1], s[134217727]
		  FROM (SELECT gpu_positions(array_fill(true, ARRAY[134217727])) AS s
				OFFSET 0) AS v),
		'[1:134217727]|1|134217727'
	],
	[
		'the longest result of gpu_scan and gpu_delta',
		q(SELECT cardinality(s), s[1], s[134217727]
		  FROM (SELECT gpu_delta(gpu_scan(array_fill(1, ARRAY[134217727]), '+')) AS s
				OFFSET 0) AS v),
		'134217727|1|1'
	],
	[
		'the longest result of gpu_run_lengths',
		q(SELECT cardinality((r).values), (r).values[1:2], (r).lengths[134217727]
		  FROM (SELECT gpu_run_lengths(gpu_scan(array_fill(1::smallint,
														   ARRAY[134217727]),
												'#')) AS r
				OFFSET 0) AS v),
		'134217727|{1,0}|1'
	],
	[
		# a permutation: the factor and the length have no common divisor
		'gpu_radix_sort of 2^24 + 1 elements in disorder',
		q(SELECT gpu_radix_sort(ARRAY(
					SELECT (generate_series(1, 16777217::bigint) * 1000003 %
							16777217)::integer)) =
				 ARRAY(SELECT generate_series(0, 16777216))),
		't'
	],
	[
		'gpu_compact of 2^24 + 1 elements',
		q(SELECT gpu_compact(ARRAY(
					SELECT i * (i % 2)
					FROM (SELECT generate_series(1, 16777217) AS i) AS s)) =
				 ARRAY(SELECT generate_series(1, 16777217, 2))),
		't'
	]) if $ENV{GPUCOMPACT_TEST_FULL};

# One step further, and there cannot be a result.
my @errors = (
	[ 'a longer one', 'gpu_prefix_sum(array_fill(1, ARRAY[134217725]))' ],
	[
		'a longer one in two dimensions',
		'gpu_prefix_sum(array_fill(1, ARRAY[2,67108862]))'
	],
	[
		'a bitmap besides',
		'gpu_prefix_sum(array_fill(NULL::integer, ARRAY[1]) ||
						array_fill(1, ARRAY[134217723]))'
	],
	[
		'a row of two arrays that are as long',
		q(gpu_run_lengths(gpu_scan(array_fill(1, ARRAY[134217727]), '+')))
	]);

my %engines = engines($node);
delete @engines{ 'cpu_threads = 1', 'cpu_threads = 4' };
foreach my $engine (sort keys %engines)
{
	foreach my $test (@tests)
	{
		my ($name, $sql, $answer) = @$test;

		is($node->safe_psql('postgres', "$engines{$engine} $sql"),
			$answer, "$engine: $name");
	}
	foreach my $test (@errors)
	{
		my ($name, $call) = @$test;

		is( $node->psql(
				'postgres', qq(
				\\set VERBOSITY sqlstate
				$engines{$engine}
				SELECT $call;
				SELECT gpu_prefix_sum('{1,2}'::integer[]);),
				on_error_stop => 0,
				stdout => \my $out,
				stderr => \my $err),
			0,
			"$engine: $name");
		like($err, qr/ERROR:  54000/, "$engine: $name: cannot be");
		is($out, '{1,3}', "$engine: $name: the session goes on");
	}
}

SKIP:
{
	skip 'there is no /proc here', 1 unless -r '/proc/self/status';

	my $peak = q(SELECT substring(pg_read_file('/proc/self/status')
								  FROM 'VmHWM:\s+([0-9]+)')::integer;);
	my ($before, $bytes, $after) = split(/\n/, $node->safe_psql('postgres', qq(
		SET gpucompact.engine = cpu;
		SELECT gpu_histogram('{1}'::integer[], 0, 1, 5); $peak
		SELECT pg_column_size(gpu_histogram(a, -9, 1000000000000, 30000000))
		FROM (VALUES ('{1}'::bigint[]), ('{2}')) AS v (a) LIMIT 1; $peak)) =~ s/.*\n//r);

	cmp_ok($after - $before, '<', 1.6 * $bytes / 1024,
		'a histogram of many buckets takes little more memory than its result');
}

survived($node);

done_testing();
