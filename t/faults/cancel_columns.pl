
# An aggregate over the values of rows ends within 100 ms of its timeout, as long as
# it gathers values, and when it has many of them to free.  The best of some tries
# counts, as the machine may be busy.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../lib";

use Gpucompact;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_server('cancel_columns');

$node->safe_psql(
	'postgres', q(
	CREATE UNLOGGED TABLE rows AS
	SELECT i AS id, i % 7 AS k, hashint4(i) AS x FROM generate_series(1, 30000) AS i;));

foreach my $call ('gpu_array_agg(x)', 'gpu_array_agg(x, k)', 'gpu_pack_agg(x, k)',
	'gpu_median_agg(x)', 'gpu_count_distinct(r.id * n)')
{
	my @late = $node->safe_psql('postgres', join('', map { qq(
		SET max_parallel_workers_per_gather = 0;
		SET statement_timeout = $_;
		DO \$\$
		DECLARE
			start timestamptz := clock_timestamp();
		BEGIN
			PERFORM $call FROM rows AS r, generate_series(1, 500) AS n;
		EXCEPTION WHEN query_canceled THEN
			SET statement_timeout = 0;
			CREATE TEMPORARY TABLE IF NOT EXISTS late (ms double precision);
			INSERT INTO late VALUES (1000 * extract(epoch FROM clock_timestamp() - start) - $_);
		END \$\$;) } 20, 100, 300, 500)
	  . 'SET statement_timeout = 0; SELECT count(*), min(ms) FROM late;') =~ /^(\d+)\|(.*)$/m;

	is($late[0], 4, "$call is cancelled");
	cmp_ok($late[1], '<', 100, 'at once');
}

survived($node);
$node->stop;
done_testing();
