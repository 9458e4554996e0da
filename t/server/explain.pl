
# EXPLAIN (ANALYZE, VERBOSE) shows how the calls of a query went, from
# PostgreSQL 18 on.

use lib 't/lib';

use Gpucompact;
use JSON::PP;

my $node = start_server('explain', 'gpucompact.engine = cpu');

plan skip_all => 'PostgreSQL 18 was the first to let modules add to a plan'
  if $node->safe_psql('postgres', 'SHOW server_version_num') < 180000;

$node->safe_psql('postgres', q(
	CREATE TABLE short AS
	SELECT i, ARRAY[i, 2, 3] || array_fill(5, ARRAY[100]) AS a
	FROM generate_series(1, 10) AS i;
	CREATE TABLE long (a integer[]);
	ALTER TABLE long ALTER a SET STORAGE EXTERNAL;
	INSERT INTO long
	SELECT array_agg(i % 1000) FROM generate_series(1, 100000) AS i;));

# The lines about calls in the plan of a query.
sub calls
{
	my ($query, $options) = @_;

	$options //= 'ANALYZE, VERBOSE, TIMING OFF';
	return join("\n",
		map { s/^\s*Array Call: //r }
		grep { /Array Call/ }
		split(/\n/, $node->safe_psql('postgres', "EXPLAIN ($options) $query")));
}

my $reason = 'reason="engine setting"';

is(calls("SELECT gpu_reduce(a, 'max') FROM short"),
	qq(gpu_reduce calls=10 cpu=10 source="in place" $reason), 'a call for each of many rows');
is(calls("SELECT gpu_reduce(gpu_map(gpu_map(a, '+', 1), '*', 2), 'max') FROM short"),
	qq(gpu_map calls=10 cpu=1 stages=9 source="in place" $reason\n)
	  . qq(gpu_map calls=10 cpu=1 stages=9 source="in place" $reason\n)
	  . qq(gpu_reduce calls=10 cpu=10 source="in place" $reason),
	'a chain for each of many rows: the first row shows the stages');
is(calls("SELECT gpu_stats(gpu_map(a, '+', 1)) FROM long"),
	qq(gpu_map calls=1 stages=1 source="toast pages"\n)
	  . qq(gpu_stats calls=1 cpu=1 source="streamed" $reason),
	'a chain on a large array, and its calls that are deferred');
is(calls("SELECT gpu_radix_sort(gpu_radix_sort(a), true) FROM long"),
	qq(gpu_radix_sort calls=1 cpu=1 source="toast pages" $reason\n)
	  . qq(gpu_radix_sort calls=1 cpu=1 source="in place" $reason),
	'and an array that is made between two calls');
is(calls("SELECT gpu_reduce(a, '+') FROM short WHERE gpu_reduce(a, 'min') > 1"),
	qq(gpu_reduce calls=9 cpu=9 source="in place" $reason\n)
	  . qq(gpu_reduce calls=10 cpu=10 source="in place" $reason),
	'calls in the results and in the condition of a node');
is(calls("SELECT sum(gpu_reduce(a, '+')), i % 2 FROM short GROUP BY 2"),
	qq(gpu_reduce calls=10 cpu=10 source="in place" $reason),
	'calls in the argument of an aggregate');
is(calls("SELECT 1 FROM short AS s LEFT JOIN short AS t ON"
		  . " gpu_reduce(s.a, '+') > gpu_reduce(t.a, '+') + 100"),
	qq(gpu_reduce calls=100 cpu=100 source="in place" $reason\n)
	  . qq(gpu_reduce calls=100 cpu=100 source="in place" $reason),
	'calls in the condition of a join');
is(calls("SELECT gpu_radix_sort(a[2:1]) FROM short"),
	qq(gpu_radix_sort calls=10 source="in place"), 'calls that have nothing to do');
is(calls("SELECT gpu_reduce(a, 'max') FROM short LIMIT 0"), '', 'calls that were not made');
is(calls("SELECT gpu_reduce(a, 'max') FROM short", 'ANALYZE'), '', 'not without VERBOSE');
is(calls("SELECT gpu_reduce(a, 'max') FROM short", 'VERBOSE'), '', 'not without ANALYZE');
like(
	calls("SELECT gpu_radix_sort(a) FROM long", 'ANALYZE, VERBOSE'),
	qr/^gpu_radix_sort calls=1 .* time=\d+\.\d{3} ms$/, 'the time of calls that are timed');

$node->safe_psql('postgres', 'ALTER FUNCTION gpu_map(anyarray, text) SET gpucompact.cpu_threads = 1');
is(calls("SELECT gpu_map(a, 'abs') FROM short"), '', 'nor calls that core makes for us');
is(calls("SELECT gpu_reduce(gpu_map(a, 'abs'), 'max') FROM short"),
	qq(gpu_reduce calls=10 cpu=10 source="in place" $reason), 'in a chain either');

my $plan = decode_json(
	$node->safe_psql('postgres', "EXPLAIN (ANALYZE, VERBOSE, TIMING OFF, FORMAT JSON)
		SELECT gpu_stats(gpu_map(a, '+', 1)) FROM long"));
is_deeply(
	$plan->[0]{Plan}{'Array Calls'},
	[
		{
			Function => 'gpu_map',
			Calls => 1,
			'On CPU' => 0,
			'On GPU' => 0,
			Stages => 1,
			Source => 'toast pages'
		},
		{
			Function => 'gpu_stats',
			Calls => 1,
			'On CPU' => 1,
			'On GPU' => 0,
			Stages => 0,
			Source => 'streamed',
			Reason => 'engine setting'
		}
	],
	'the same in JSON');

done_testing();
