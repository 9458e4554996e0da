
# Rows on several servers, by Citus: a coordinator and two workers answer as one
# table does, and the calls run where the arrays are.  The setup and the queries are
# from docs/scaling.md.
#
# This needs an installation of PostgreSQL that has Citus; it was tried with 15 and Citus
# 13.2.2, and with 18.6 and 14.0.1.

use lib 't/lib';

use Answers;
use Arrays;
use Calls;
use Gpucompact;
use Idioms;
use Scaling;

my ($sharedir) = run_command([ 'pg_config', '--sharedir' ]);

plan skip_all => 'Citus is not installed' unless -e "$sharedir/extension/citus.control";

my ($queries, %blocks) = page_of('Citus');
my @queries = (@$queries, @{ (page_of('Two steps'))[0] });
my ($front, @workers) = map { new_server($_) } 'front', 'one', 'two';
foreach my $node ($front, @workers)
{
	$node->append_conf('postgresql.conf',
		"shared_preload_libraries = 'citus'
		citus.node_conninfo = 'sslmode=disable'
		wal_level = logical
		max_worker_processes = 16");
	$node->start;
	$node->safe_psql('postgres', $blocks{'on each server'});
}
$front->safe_psql('postgres', with_hosts($blocks{'on the coordinator'}, $front, @workers));
is($_->safe_psql('postgres', q(SELECT extversion FROM pg_extension WHERE extname = 'gpucompact')),
	$front->safe_psql('postgres', q(SELECT extversion FROM pg_extension WHERE extname = 'gpucompact')),
	$_->name . ' has the extension') foreach @workers;
load_alone($front);
$front->safe_psql('postgres', q(
	ALTER TABLE alone.runs ADD packed gpu_packed;
	UPDATE alone.runs SET packed = samples;
	INSERT INTO runs SELECT * FROM alone.runs;
	INSERT INTO events SELECT * FROM alone.events;));

# The query that a worker gets for a shard.
sub asked
{
	my ($query) = @_;
	my $plan = $front->safe_psql('postgres', "EXPLAIN (VERBOSE, COSTS off) $query");
	my ($asked) = $plan =~ /^\s*Query: (.*)/m;

	return $asked;
}

# The queries of the page: calls are made by the workers.
foreach my $query (@queries)
{
	my $asked = asked($query);

	like($asked, qr/gpu_|gpucompact_chain/, "workers have calls: $query");
	unlike($asked, qr/(?:SELECT|,) (?:samples|packed|reading) AS/, "no array travels: $query");
}

# Those, and others.
answers_agree($front, @queries,
	'SELECT gpu_median_agg(reading), gpu_mode_agg(reading) FROM events',
	q(SELECT gpu_percentile_cont_agg(reading, '{0.1,0.9}'::float8[]), gpu_percentile_disc_agg(reading, 0.3) FROM events),
	'SELECT gpu_count_distinct(reading), gpu_histogram_agg(reading, 0, 1000, 7) FROM events',
	'SELECT (gpu_distinct_counts_agg(reading)).* FROM events',
	'SELECT gpu_top_k_agg(reading, 5), gpu_top_k_agg(reading, 5, at) IS NOT NULL FROM events',
	'SELECT gpu_array_agg(reading, at + sensor * interval \'1 second\') FROM events',
	'SELECT gpu_pack_agg(reading, at + sensor * interval \'1 second\') FROM events',
	'SELECT reading % 3 AS key, gpu_median_agg(reading) FROM events GROUP BY 1',
	'SELECT reading % 3 AS key, gpu_median_agg(reading) FROM events GROUP BY 1 HAVING gpu_count_distinct(reading) > 333',
	'SELECT gpu_sum_agg(samples), gpu_avg_agg(samples), gpu_stddev_agg(samples) FROM runs',
	'SELECT gpu_min_agg(samples), gpu_max_agg(samples), gpu_count_agg(samples) FROM runs',
	'SELECT gpu_median_agg(samples), gpu_percentile_cont_agg(samples, 0.2) FROM runs',
	'SELECT gpu_distinct_agg(samples), gpu_distinct_agg(packed::integer[]) FROM runs',
	'SELECT gpu_radix_sort(gpu_concat_agg(samples)) FROM runs',
	'SELECT id, gpu_sum_agg(samples) FROM runs GROUP BY id',
	'SELECT gpu_median_agg(reading) FILTER (WHERE sensor > 3) FROM events',
	'SELECT count(DISTINCT packed), count(DISTINCT samples) FROM runs',
	'SELECT DISTINCT packed FROM runs WHERE id < 3',
	'SELECT packed, count(*) FROM runs GROUP BY packed',
	'SELECT sensor, id FROM runs ORDER BY packed, sensor, id LIMIT 5',
	'SELECT max(gpu_count(packed)), sum(gpu_reduce(packed::integer[], \'max\')) FROM runs',
	'SELECT a.id FROM runs AS a JOIN runs AS b USING (sensor) WHERE a.packed < b.packed AND a.id = b.id + 1',
	'SELECT sensor, id, (gpu_stats(samples)).* FROM runs',
	'SELECT sensor, id, gpu_stats(packed), gpu_regr(samples, samples) FROM runs',
	'WITH s AS MATERIALIZED (SELECT sensor, gpu_radix_sort(samples) AS a FROM runs) SELECT sensor, gpu_max_agg(a) FROM s GROUP BY sensor',
	'SELECT * FROM (SELECT sensor, id, gpu_pack(gpu_delta(samples)) AS p FROM runs OFFSET 0) AS r WHERE gpu_count(p) > 0',
	'SELECT sensor, u.* FROM runs, unnest(gpu_histogram(samples, 0, 1000, 3)) WITH ORDINALITY AS u WHERE id = 1',
	'SELECT sensor, gpu_median_agg(reading) OVER (PARTITION BY sensor) FROM events WHERE at < \'2026-01-01 00:10+00\'',
	'SELECT sensor FROM runs GROUP BY sensor HAVING gpu_sum(gpu_sum_agg(samples)) > 740000',
	'SELECT id FROM runs WHERE sensor = 3 AND NOT gpu_contains(samples, ARRAY[7])',
	'SELECT id FROM runs WHERE samples IN (SELECT gpu_unpack(packed, samples) FROM runs WHERE sensor = 5)',
	'SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY gpu_reduce(samples, \'max\')) FROM runs',
	'SELECT gpu_median_agg(gpu_reduce(samples, \'max\')) FROM runs',
	'SELECT gpu_reduce(samples, \'+\') FROM runs WHERE id = (SELECT max(id) FROM runs)');

# An error of a worker is the error of the query.
my @failing = (q(SELECT gpu_slice(packed, 1, 2, NULL::real[]) FROM runs),
	q(SELECT gpu_reduce(gpu_map(samples, '*', 2147483647), 'max') FROM runs));
is_deeply([ answers($front, 'public', @failing) ], [ '42804', '22003' ], 'errors of workers');

# Statements that write.
$front->safe_psql('postgres', q(
	CREATE TABLE packed (sensor integer, id integer, p gpu_packed);
	SELECT create_distributed_table('packed', 'p', shard_count => 4);
	INSERT INTO packed SELECT sensor, id, packed FROM runs;
	CREATE TABLE alone.packed AS SELECT sensor, id, packed AS p FROM alone.runs;
	CREATE INDEX ON runs ((gpu_reduce(samples, 'max')));
	UPDATE runs SET samples = gpu_map(samples, '+', 1), packed = gpu_map(packed::integer[], '+', 1) WHERE id = 2;
	UPDATE alone.runs SET samples = gpu_map(samples, '+', 1), packed = gpu_map(packed::integer[], '+', 1) WHERE id = 2;
	DELETE FROM runs WHERE gpu_reduce(samples, 'min') = 3;
	DELETE FROM alone.runs WHERE gpu_reduce(samples, 'min') = 3;));
answers_agree($front, 'TABLE packed', 'TABLE runs', 'SELECT p, count(*) FROM packed GROUP BY p',
	q(SELECT sensor FROM packed WHERE p = (SELECT packed FROM runs WHERE sensor = 7 AND id = 3)),
	'SELECT count(DISTINCT p) FROM packed', 'SELECT sensor FROM runs WHERE gpu_reduce(samples, \'max\') = 998');

# A call of each function on arrays of some types; few are refused, as Citus has it.
my $refused = 0;
srand(311);
$front->safe_psql('postgres', idiom_functions());
foreach my $type ('integer', 'timestamptz')
{
	my @calls = map { "SELECT id, ($_->{'call'})::text FROM arrays" } calls_on($type, one_each => 1);
	my $arrays = 'SELECT setseed(0.31);' . new_arrays($type);

	$arrays .= insert_arrays($type, (value_patterns($type))[$_], 'random() < 0.2', 0, 1, 7, 100) foreach 1, 3;
	$front->safe_psql('postgres', "SET search_path = alone, public; $arrays
		CREATE TABLE public.arrays (LIKE alone.arrays INCLUDING STORAGE);
		SELECT create_distributed_table('public.arrays', 'id', shard_count => 4);
		INSERT INTO public.arrays SELECT * FROM alone.arrays;");
	my @got = answers($front, 'public', @calls);
	my @expected = answers($front, 'alone, public', @calls);

	foreach my $number (0 .. $#calls)
	{
		$refused++, next if $got[$number] eq '0A000' && $expected[$number] ne '0A000';
		is($got[$number], $expected[$number], "$type: $calls[$number]");
	}
	$front->safe_psql('postgres', 'DROP TABLE public.arrays, alone.arrays');
}
cmp_ok($refused, '<', 20, 'Citus takes nearly all of the calls') or diag($refused);
survived($_) foreach $front, @workers;

done_testing();
