
# An aggregate over the values of rows ends within 100 ms of its timeout, as long as
# it gathers values, and when it has many of them to free.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../lib";

use Cancel;
use Gpucompact;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_server('cancel_columns');

make_terminate($node);
$node->safe_psql(
	'postgres', q(
	CREATE TABLE large AS SELECT 200 AS times;
	CREATE UNLOGGED TABLE rows AS
	SELECT i AS id, i % 7 AS k, hashint4(i) AS x FROM generate_series(1, 30000) AS i;));

foreach my $call ('gpu_array_agg(x)', 'gpu_array_agg(x, k)', 'gpu_pack_agg(x, k)',
	'gpu_median_agg(x)', 'gpu_count_distinct(r.id * n)')
{
	ends_at_once(
		$node, $call,
		{
			set => 'SET max_parallel_workers_per_gather = 0;',
			call => "(SELECT $call FROM rows AS r, generate_series(1, times) AS n)",
			next => 'SELECT gpu_median_agg(k) = 3 FROM rows',
			steps => 4,
			times => 1
		});
}

survived($node);
$node->stop;
done_testing();
