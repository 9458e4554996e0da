
# Rows on several servers, by postgres_fdw: functions are sent to where the arrays
# are, and the answers equal those of one table.  The setup and the queries are from
# docs/scaling.md.

use lib 't/lib';

use Gpucompact;
use Scaling;

my ($sharedir) = run_command([ 'pg_config', '--sharedir' ]);

plan skip_all => 'postgres_fdw is not installed'
  unless -e "$sharedir/extension/postgres_fdw.control";

my ($queries, %blocks) = page_of('postgres_fdw');
my @queries = (@$queries, @{ (page_of('Two steps'))[0] });
my $front = new_server('front');
my @names = ('one', 'two');
my %servers = map { $_ => new_server($_) } @names;
foreach my $node ($front, values %servers)
{
	$node->start;
}
$_->safe_psql('postgres', $blocks{'on each server'}) foreach values %servers;
$front->safe_psql('postgres', with_hosts($blocks{'on the front'}, values %servers));

# The rows, by way of the front; and all of them in one table there, with the
# views of the servers.
load_alone($front);
$front->safe_psql('postgres', q(
	INSERT INTO runs SELECT * FROM alone.runs;
	INSERT INTO events SELECT * FROM alone.events;
	SET search_path = alone, public;)
	  . join('', $blocks{'on each server'} =~ /^(CREATE VIEW .*?;)/msg));
foreach my $name (@names)
{
	cmp_ok($servers{$name}->safe_psql('postgres', 'SELECT count(*) FROM runs'),
		'>', 0, "server $name has rows");
}

# The plan's Remote SQL, a line for each server.
sub remote_sql
{
	my ($query) = @_;
	my $plan = $front->safe_psql('postgres', "EXPLAIN (VERBOSE, COSTS off) $query");

	return ($plan, $plan =~ /Remote SQL: (.*)/g);
}

# The queries of the page: each server is asked for results, not for arrays, and
# all of them at the same time.
foreach my $query (@queries)
{
	my ($plan, @remote) = remote_sql($query);

	answers_agree($front, $query);
	is(() = $plan =~ /Async Foreign Scan/g,
		2, "both servers at the same time: $query")
	  or diag($plan);
	is(scalar(grep { /gpu_/ || /public\.(?:run_facts|reading_states)/ } @remote),
		2, "functions are sent: $query")
	  or diag($plan);
	is(scalar(grep { /(?:SELECT|,) (?:samples|reading)\b/ } @remote),
		0, "no array travels: $query");
}

# Functions of all kinds in a condition.
foreach my $condition (
	'gpu_mode(samples) > 5',
	q(gpu_reduce(samples, '#') > 500),
	q(gpu_scan(samples, 'max') <> samples),
	q(gpu_window(samples, 'max', 3) <> samples),
	q(cardinality(gpu_compact(samples, '>', 500)) > 150),
	q(cardinality(gpu_compact(samples, '>', 499.5)) > 150),
	q(cardinality(gpu_compact(samples, 'between', 500, 600)) > 20),
	q(cardinality(gpu_compact(samples, 'between', 500, 600.5)) > 20),
	q(cardinality(gpu_positions(samples, 'is not null')) > 20),
	q(gpu_compact(samples, 'is null') = '{}'),
	q(gpu_reduce(gpu_compact(gpu_delta(samples), '>', 0), 'max') > 5),
	'cardinality(gpu_compact_nulls(samples)) > 20',
	q((gpu_positions(samples, 'between', 1, 100))[1] < 5),
	q((gpu_positions(samples, 'between', 0.5, 100))[1] < 5),
	q((gpu_positions(samples, '<', 100))[1] < 5),
	q((gpu_positions(samples, '<', 99.5))[1] < 5),
	q((gpu_rank(samples, 'min'))[1] > 100),
	q((gpu_downsample(samples, 10, 'lttb'))[2] < 40),
	q(gpu_group(samples, samples, 'count') IS NOT NULL),
	q(cardinality(gpu_utf8_decode(gpu_utf8_encode(samples, 'skip'), 'skip')) > 200),
	'gpu_percentile_disc(samples, 1) > 990',
	q(gpu_percentile_disc(samples, '1'::text) > 990),
	q(gpu_downsample_points(samples, 10, 'lttb') IS NOT NULL),
	'cardinality(gpu_pad(samples, 1000)) = 1000',
	q(gpu_reduce(gpu_slice(samples, 2, 5), 'max') > 100),
	'(gpu_interpolate(gpu_radix_sort(samples), samples, samples))[7] > 100',
	q((gpu_interpolate(gpu_radix_sort(samples), samples, ARRAY[500], 20))[1] > 100),
	'gpu_intersect_count(samples, ARRAY[1,2,3]) > 0',
	'cardinality(gpu_distinct(samples)) > 250',
	'gpu_radix_sort(samples) <> samples',
	'(gpu_histogram(samples, 0, 1000, 2))[2] > 150',
	'cardinality(gpu_compact_in(samples, ARRAY[1,2,3], true)) < 300',
	q(gpu_percentile_cont(samples, '{0.5,0.9}') > '{1,1}'),
	'gpu_prefix_sum(samples) IS NOT NULL AND gpu_delta(samples) IS NOT NULL')
{
	my $query = "SELECT id FROM runs WHERE $condition;";
	my ($plan, @remote) = remote_sql($query);

	answers_agree($front, $query);
	is(scalar(grep { /WHERE .*gpu_/ } @remote),
		2, "a condition is sent: $condition")
	  or diag($plan);
}

# Columns of a server that are of other types than here: domains, and arrays of
# them; and casts that are implicit here, which are not sent either.
$servers{'one'}->safe_psql('postgres', q(
	CREATE DOMAIN packed AS gpu_packed;
	CREATE DOMAIN reading AS integer;
	CREATE DOMAIN readings AS integer[];
	CREATE DOMAIN flag AS boolean;
	CREATE TABLE of_domains (id integer, packed packed, samples readings, items reading[],
							 mask flag[], lag smallint, short smallint);
	INSERT INTO of_domains
	SELECT id, gpu_pack(a), a, a, gpu_compare(a, '>', 5), id, id
	FROM (SELECT id, ARRAY(SELECT id * j % 11 FROM generate_series(1, 20) AS j) AS a
		  FROM generate_series(1, 10) AS id) AS made;));
$front->safe_psql('postgres', q(
	CREATE FOREIGN TABLE of_domains (id integer, packed gpu_packed, samples integer[], items integer[],
		mask boolean[], lag integer, short smallint) SERVER one;
	CREATE TABLE alone.of_domains AS SELECT * FROM of_domains;));
foreach my $condition (
	q(gpu_reduce(packed::integer[], '+') > 100),
	q(gpu_reduce(gpu_compact(packed::integer[], '>', lag), 'min') > 5),
	q(gpu_reduce(gpu_compact(gpu_delta(samples), '>', 0), 'max') > 5),
	q(gpu_reduce(gpu_compact(samples, '>', lag), 'min') > 5),
	q(gpu_reduce(gpu_delta(samples, lag), 'max') > 5),
	q(gpu_reduce(gpu_delta(samples, short), 'max') > 5),
	q(gpu_reduce(gpu_compact(samples, mask), 'min') = 6),
	q(gpu_reduce(gpu_compact(items, mask), 'min') = 6),
	q(gpu_reduce(gpu_compact(items, '>', lag), 'min') > 5),
	q(gpu_reduce(gpu_radix_sort(gpu_compact(items, '>', lag)), 'min') > 5),
	q(gpu_reduce(gpu_slice(packed, short, short, NULL::integer[]), 'max') > 5))
{
	my $query = "SELECT id FROM of_domains WHERE $condition";
	my ($plan, @remote) = remote_sql($query);

	answers_agree($front, $query);
	is(scalar(grep { /WHERE .*gpucompact_chain/ } @remote), 1, "a chain is sent: $condition")
	  or diag($plan);
}

# Queries that are not sent give the same answers.
foreach my $query (
	'SELECT id, gpu_percentile_cont(samples, 0.99) FROM runs;',
	'SELECT id FROM runs WHERE (gpu_stats(samples)).max > 990;',
	'SELECT gpu_sum_agg(samples) FROM runs;',
	'SELECT id, gpu_avg_agg(samples) FROM runs GROUP BY id;')
{
	my ($plan, @remote) = remote_sql($query);

	answers_agree($front, $query);
	is(scalar(grep { /gpu_/ } @remote), 0, "not sent: $query") or diag($plan);
}

# Without the extension's name nothing is sent.
foreach my $name (@names)
{
	$front->safe_psql('postgres', "ALTER SERVER $name OPTIONS (DROP extensions)");
}
my (undef, @remote) = remote_sql($queries[0]);
is(scalar(grep { /gpu_/ } @remote), 0, 'without "extensions" nothing is sent');
answers_agree($front, $queries[0]);

# An error of a server is the query's.
foreach my $name (@names)
{
	$front->safe_psql('postgres', "ALTER SERVER $name OPTIONS (ADD extensions 'gpucompact')");
}
$servers{'two'}->safe_psql('postgres', q(UPDATE runs SET samples = '{2147483647,1}' WHERE id = 1));
fails_with($front, '22003', q(SELECT id FROM runs WHERE gpu_reduce(samples, '+') > 0),
	'an error of a server is an error of the query');
survived($_) foreach ($front, values %servers);

done_testing();
