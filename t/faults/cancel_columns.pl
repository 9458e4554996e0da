
# An aggregate over the values of rows ends within 100 ms of its timeout, as long as
# it gathers values, and when it has many of them to free.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../lib";

use Cancel;
use Gpucompact;

my $node = start_server('cancel_columns');

make_terminate($node);
$node->safe_psql('postgres', q(
	CREATE TABLE large AS SELECT 200 AS times;
	CREATE UNLOGGED TABLE rows AS
	SELECT i AS id, i % 7 AS k, hashint4(i) AS x FROM generate_series(1, 30000) AS i;
	CREATE UNLOGGED TABLE states AS
	SELECT gpu_values_state(x) AS s FROM rows, generate_series(1, 10);));

foreach my $call ('gpu_array_agg(x)', 'gpu_array_agg(x, k)', 'gpu_pack_agg(x, k)',
	'gpu_median_agg(x)', 'gpu_count_distinct(r.id * n)', 'gpu_values_state(x)', 'gpu_median_agg(s)',
	'gpu_count_distinct(s)', 'gpu_values_state(s::text::gpu_state)')
{
	my ($from, $times) = $call =~ /\(s::/ ? ('states', 'times / 20') :
	  $call =~ /\(s\b/ ? ('states', 'times / 5') : ('rows AS r', 'times');

	ends_at_once(
		$node, $call,
		{
			set => 'SET max_parallel_workers_per_gather = 0;',
			call => "(SELECT $call FROM $from, generate_series(1, $times) AS n)",
			next => 'SELECT gpu_median_agg(k) = 3 FROM rows',
			steps => 4,
			times => 1
		});
}

survived($node);
$node->stop;
done_testing();
