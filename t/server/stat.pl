
# gpu_stat and gpucompact.log_min_duration: every call of every session is
# counted once, and slow ones are logged.

use lib 't/lib';

use Calls;
use Gpucompact;

# Makes the session load the library of the functions.
sub preload
{
	my ($node) = @_;
	my $library = $node->safe_psql('postgres',
		q(SELECT probin FROM pg_proc WHERE proname = 'gpu_stat'));

	$node->append_conf('postgresql.conf', "shared_preload_libraries = '$library'\n");
	$node->restart;
	return;
}

# The lines of gpu_stat for a function: one for each engine and reason.
sub stat_of
{
	my ($node, $function, $columns) = @_;

	return $node->safe_psql('postgres', qq(
		SELECT $columns FROM gpu_stat WHERE function = '$function'
		ORDER BY engine, reason));
}

# The server's log while a session runs SQL.
sub logged
{
	my ($node, $sql) = @_;
	my $before = -s $node->logfile;

	$node->safe_psql('postgres', $sql);
	return substr(slurp_file($node->logfile), $before);
}

# The reasons below are for sessions that leave the choice of the engine to
# estimates.
$ENV{PGOPTIONS} = '-c gpucompact.engine=auto';

my ($node) = start_copy('stat', undef);
my $reset = 'SELECT gpu_stat_reset();';

# Without the shared memory there is nothing to show, and calls go on.
fails_with($node, '55000', 'SELECT * FROM gpu_stat', 'not preloaded: gpu_stat is an error');
like(fails_with($node, '55000', $reset, 'not preloaded: so is the reset'),
	qr/gpucompact must be loaded via "shared_preload_libraries"/,
	'not preloaded: the error says what to do');
is($node->safe_psql('postgres', 'SELECT gpu_reduce(ARRAY[1,2], $$+$$)'),
	'3', 'not preloaded: calls go on');
like(
	logged($node, q(
		SELECT gpu_reduce(ARRAY[1,2], '+');
		SET gpucompact.log_min_duration = 0;
		SELECT gpu_reduce(ARRAY[1,2], '+'))),
	qr/LOG:  gpu_reduce took /, 'not preloaded: calls are logged');

preload($node);
$node->safe_psql('postgres', q(
	CREATE TABLE rows AS
	SELECT r, array_agg(r + i) AS a
	FROM generate_series(1, 20000) AS r, generate_series(1, 10) AS i GROUP BY r;
	CREATE TABLE large AS
	SELECT array_agg(i) AS a FROM generate_series(1, 300000) AS i;
	ANALYZE));
my $all_rows = q(SELECT sum(gpu_reduce(a, '+')) FROM rows;);

# Each call is counted, with the figures of gpu_last_call(), by function, engine
# and reason.
is($node->safe_psql('postgres', 'SELECT count(*) FROM gpu_stat'),
	0, 'there is no row before the first call');
$node->safe_psql('postgres', $all_rows);
my $columns = 'engine, reason, calls, elements, timed_calls, total_ms';
is(stat_of($node, 'gpu_reduce', $columns),
	'cpu|no GPU program|20000|200000|0|0', 'each row is a call');
is($node->safe_psql('postgres', q(
		SELECT gpu_reduce(a, 'max') FROM large;
		SELECT c.elements = s.elements - 200000,
			   c.bytes_in + 20000 * 64 = s.bytes_in,
			   c.bytes_out + 20000 * 4 = s.bytes_out,
			   s.calls, s.timed_calls, c.total_ms = s.total_ms
		FROM gpu_last_call() AS c JOIN gpu_stat AS s USING (function, engine))),
	"300000\nt|t|t|20001|1|t", 'a row has the sums of what gpu_last_call() says');
$node->safe_psql('postgres', q(
	SET gpucompact.engine = cpu;
	SELECT gpu_reduce(ARRAY[1], '+');
	SET gpucompact.engine = auto;
	SET gpucompact.algorithm = sequential;
	SELECT gpu_reduce(ARRAY[1], '+');
	SELECT gpu_reduce('{}'::integer[], '+')));
is(stat_of($node, 'gpu_reduce', 'engine, reason, calls'),
	"cpu|algorithm setting|1\ncpu|engine setting|1\ncpu|no GPU program|20001\n"
	  . '|nothing to do|1',
	'engines and reasons are told apart');

# An aggregate's arrays are calls, too.
$node->safe_psql('postgres',
	'SELECT gpu_sum_agg(a), gpu_concat_agg(a), gpu_distinct_agg(a) FROM rows');
foreach my $aggregate ('gpu_sum_agg', 'gpu_concat_agg', 'gpu_distinct_agg')
{
	is($node->safe_psql('postgres', qq(
			SELECT sum(calls), sum(elements) FROM gpu_stat
			WHERE function = '$aggregate')), '20000|200000', "$aggregate: each array is a call");
}

# All functions, by the names that they have in SQL.
load_runs($node, 5000);
my %calls = calls();
$node->safe_psql('postgres', "SELECT $_ FROM runs") foreach values %calls;
is($node->safe_psql('postgres', q(
		SELECT function FROM gpu_stat
		WHERE function NOT IN (SELECT proname FROM pg_proc))),
	'', 'functions have the names of SQL');
is($node->safe_psql('postgres', q(
		SELECT DISTINCT proname FROM pg_proc
		WHERE probin ~ 'gpucompact' AND provolatile = 'i' AND
			  proname ~ '^gpu_' AND proname <> 'gpu_packed_info' AND
			  proname NOT IN (SELECT function FROM gpu_stat))),
	'', 'all functions are counted, and a chain as the functions in it');
is($node->safe_psql('postgres', 'SELECT sum(failed_calls) FROM gpu_stat'),
	0, 'each call has ended');

# Calls before a failure are counted, also if their transaction fails.
$node->safe_psql('postgres', $reset);
$node->psql('postgres', q(
	BEGIN;
	SELECT gpu_reduce(ARRAY[1], '+');
	SELECT gpu_reduce('{2147483647,1}'::integer[], '+');
	COMMIT));
is(stat_of($node, 'gpu_reduce', 'calls'),
	1, 'a transaction fails: the calls before that are counted');
is($node->safe_psql('postgres', q(
		BEGIN;
		SELECT gpu_reduce(ARRAY[1], '+');
		SELECT calls FROM gpu_stat;
		COMMIT;
		SELECT calls FROM gpu_stat)), "1\n2\n2", 'a session sees its calls at once');

# A call that fails is shown and counted, wherever its error ends up: here is
# what gpu_last_call() has of it.
my $overflow = q(gpu_reduce('{2147483647,1}'::integer[], '+'));
my $last = 'SELECT function, reason, elements, error FROM gpu_last_call()';
my $sorted = q(SELECT gpu_radix_sort('{2,1}'::integer[]));
foreach my $case (
	[ 'an error', "SELECT $overflow", '22003' ],
	[ 'a savepoint', "BEGIN; SAVEPOINT s; SELECT $overflow; ROLLBACK TO s", '22003' ],
	[
		'an exception block',
		"DO \$\$ BEGIN PERFORM $overflow; EXCEPTION WHEN OTHERS THEN NULL; END \$\$",
		'22003'
	],
	[
		'a cursor',
		"BEGIN; DECLARE c CURSOR FOR SELECT $overflow; FETCH c; ROLLBACK",
		'22003'
	],
	[
		'an argument of a call',
		"SELECT gpu_radix_sort(ARRAY[$overflow])", '22003'
	],
	[
		'a call beside another',
		"SELECT gpu_reduce('{1,2}'::integer[], '+'), $overflow", '22003'
	],
	[
		'a cancellation',
		q(SELECT gpu_reduce(CASE WHEN pg_cancel_backend(pg_backend_pid()) THEN a END,
							'+') FROM large), '57014'
	])
{
	my ($name, $sql, $state) = @$case;
	my ($status, $out) = $node->psql('postgres', "$sorted; $reset; $sql; $last;",
		on_error_stop => 0);

	like($out, qr/^gpu_reduce\|.+\|\d+\|$state$/m, "$name: the failed call is the last one");
	is(stat_of($node, 'gpu_reduce', 'failed_calls'), 1, "$name: it is counted");
}

# Also the first call of a session that then ends, and a session that is ended.
foreach my $sql ("SELECT $overflow",
	q(SELECT gpu_reduce(CASE WHEN pg_terminate_backend(pg_backend_pid()) THEN a END,
						'+') FROM large))
{
	$node->safe_psql('postgres', $reset);
	$node->psql('postgres', $sql);
	is(stat_of(
			$node, 'gpu_reduce',
			'calls, failed_calls, elements, bytes_in, total_ms'),
		'0|1|0|0|0', 'a call that fails is in no other figure');
}

# A refused argument is a failure before the choice of an engine.
foreach my $call (
	[ q(gpu_reduce(ARRAY[1], 'median')), '22023' ],
	[ q(gpu_scan(ARRAY[1], 'median')), '22023' ],
	[ q(gpu_window(ARRAY[1], 'median', 1, 1)), '22023' ],
	[ 'gpu_window_avg(ARRAY[1], -1, 1)', '22013' ],
	[ q(gpu_compact(ARRAY[1], '~', 1)), '22023' ],
	[ q(gpu_rank(ARRAY[1], 'best')), '22023' ],
	[ q(gpu_downsample(ARRAY[1], 0, 'minmax')), '22023' ],
	[ q(gpu_group(ARRAY[1], ARRAY[1], 'median')), '22023' ],
	[ 'gpu_percentile_cont(ARRAY[1], 2)', '22003' ],
	[ 'gpu_delta(ARRAY[1], 0)', '22023' ],
	[ 'gpu_top_k(ARRAY[1], -1)', '2201W' ],
	[ q(gpu_utf8_decode('a'::bytea, 'ignore')), '22023' ],
	[ q(gpu_utf8_decode('a'::text, 'ignore')), '22023' ],
	[ q(gpu_utf8_encode('{65}', 'ignore')), '22023' ],
	[ q(gpu_utf8_repair('a', 'ignore')), '22023' ],
	[ q(gpu_from_bytes('a', NULL::text[])), '0A000' ])
{
	my ($sql, $state) = @$call;
	my ($function) = $sql =~ /^(\w+)/;
	my ($status, $out) = $node->psql('postgres', "$reset; SELECT $sql; $last;", on_error_stop => 0);

	is($out =~ s/\A\n//r, "$function|failed before the choice|0|$state", "a false argument: $sql");
	is(stat_of($node, $function, 'engine, calls, failed_calls'), '|0|1', "it is counted: $sql");
}

# An error after a call is not an error of the call, even if one block catches both.
is($node->psql('postgres', "$sorted; SELECT 1 / cardinality(gpu_compact('{0}'::integer[]));
		SELECT function, error FROM gpu_last_call();",
		on_error_stop => 0, stdout => \my $after), 0, 'an error comes after a call');
is($after, "{1,2}\ngpu_compact|", 'the call has not failed');
is($node->safe_psql('postgres', qq(
		DO \$\$ BEGIN PERFORM $overflow; EXCEPTION WHEN OTHERS THEN NULL; END \$\$;
		SELECT error FROM gpu_last_call(); $sorted;
		SELECT error FROM gpu_last_call())), "22003\n{1,2}\n", 'the next call is the last one');

# Calls in a long transaction are seen before it ends, and all of them if it ends by
# force.
$node->safe_psql('postgres', $reset);
my $session = background($node, "BEGIN; $all_rows SELECT pg_sleep(1000);");
my $pid = process_at($node, 'SELECT pg_sleep');
cmp_ok(stat_of($node, 'gpu_reduce', 'calls'),
	'>', 19000, 'others see calls of a transaction that goes on');
$node->safe_psql('postgres', "SELECT pg_terminate_backend($pid, 10000)");
finish_background($session);
is(stat_of($node, 'gpu_reduce', 'calls'), 20000, 'and all of them once the session is terminated');

# Parallel workers.
my $in_parallel = q(
	SET max_parallel_workers_per_gather = 2;
	SET parallel_setup_cost = 0;
	SET parallel_tuple_cost = 0;
	SET min_parallel_table_scan_size = 0;
	SET parallel_leader_participation = off;);
$node->safe_psql('postgres', $reset);
my $plan = $node->safe_psql('postgres', "$in_parallel EXPLAIN (ANALYZE, COSTS off) $all_rows");
like($plan, qr/Workers Launched: [12]/, 'workers make the calls');
is(stat_of($node, 'gpu_reduce', 'calls'), 20000, 'calls of parallel workers are counted');

$node->safe_psql('postgres', $reset);
fails_with($node, '22003', "$in_parallel SELECT sum(gpu_reduce(2147483647 || a, '+')) FROM rows",
	'a call of a parallel worker fails');
cmp_ok(stat_of($node, 'gpu_reduce', 'failed_calls'), '>', 0, 'it is counted');

# Many sessions at once, in small transactions and large ones.
$node->safe_psql('postgres', $reset);
my @sessions =
  map { background($node, $all_rows . 'SELECT gpu_radix_sort(a) FROM rows WHERE r = 7;' x 500) }
  1 .. 4;
finish_background($_) foreach @sessions;
is($node->safe_psql('postgres', 'SELECT function, calls, elements FROM gpu_stat ORDER BY 1'),
	"gpu_radix_sort|2000|20000\ngpu_reduce|80000|800000",
	'sessions at once: every call is counted once');

# Since when: the reset, or the start of the server.
is($node->safe_psql('postgres', qq(
		BEGIN;
		$reset
		SELECT count(*) FROM gpu_stat;
		SELECT gpu_reduce(ARRAY[1], '+');
		SELECT since >= now(), since <= clock_timestamp() FROM gpu_stat)),
	"\n0\n1\nt|t", 'a reset begins anew');
$node->restart;
is($node->safe_psql('postgres', "SELECT count(*) FROM gpu_stat"),
	0, 'and so does the start of the server');
is($node->safe_psql('postgres', q(
		SELECT gpu_reduce(ARRAY[1], '+');
		SELECT since BETWEEN pg_postmaster_start_time() - interval '10 s'
			   AND clock_timestamp() FROM gpu_stat)), "1\nt", 'from which it is counted');

# Everyone may see the view.  To reset it is a right.
my $as_user = 'SET ROLE regress_gpucompact_user;';
$node->safe_psql('postgres', 'CREATE ROLE regress_gpucompact_user');
is($node->safe_psql('postgres', "$as_user SELECT calls FROM gpu_stat"),
	1, 'everyone may see the view');
fails_with($node, '42501', "$as_user $reset", 'not everyone may reset it');
$node->safe_psql('postgres',
	'GRANT EXECUTE ON FUNCTION gpu_stat_reset() TO regress_gpucompact_user');
is($node->safe_psql('postgres', "$as_user $reset SELECT count(*) FROM gpu_stat"),
	"\n0", 'those may who are granted it');

# Slow calls are logged, in one line with the parts of gpu_last_call().
my $number = qr/\d+\.\d{3}/;
my $sort = 'SELECT cardinality(gpu_radix_sort(a)) FROM large;';
like(
	logged($node, "SET gpucompact.log_min_duration = 0; $sort"),
	qr/LOG:\ \ gpu_radix_sort\ took\ $number\ ms:\ source="(?:toast\ pages|decompressed)"
	   \ elements=300000\ bytes_in=1200024\ bytes_out=1200024\ detoast_ms=$number
	   \ upload_ms=$number\ kernel_ms=$number\ download_ms=$number
	   \ result_ms=$number;\ cpu:\ no\ GPU\ program\ installed\n/x,
	'a slow call is logged');
is(() = logged($node, q(SET gpucompact.log_min_duration = 0;
						SELECT gpu_reduce(a, '+') FROM rows WHERE r <= 3))
	  =~ /LOG:  gpu_reduce took $number ms: .* elements=10 /g,
	3, 'at 0, small calls are logged, too');
like(
	logged($node, q(SET gpucompact.log_min_duration = 0;
					SELECT gpu_radix_sort('{}'::integer[]))),
	qr/LOG:  gpu_radix_sort took .* elements=0 .*; nothing to do\n/,
	'and those with nothing to do');
unlike(logged($node, $sort), qr/took/, 'by default nothing is logged');
is($node->safe_psql('postgres', qq(
		$reset
		SELECT gpu_reduce(ARRAY[1], '+');
		SET gpucompact.log_min_duration = '1h';
		SELECT gpu_reduce(ARRAY[1], '+');
		SELECT calls, timed_calls FROM gpu_stat)),
	"\n1\n1\n2|1", 'small calls are timed only if slow ones are logged');
unlike(logged($node, "SET gpucompact.log_min_duration = '1h'; $sort"),
	qr/took/, 'nor is a call that takes less');
fails_with($node, '42501',
	"$as_user SET gpucompact.log_min_duration = 0", 'not everyone may have calls logged');
$node->safe_psql('postgres',
	'GRANT SET ON PARAMETER gpucompact.log_min_duration TO regress_gpucompact_user');
$node->safe_psql('postgres', "$as_user SET gpucompact.log_min_duration = '100ms'");
survived($node);
$node->stop;

# The outcomes of calls that a GPU was chosen for.
SKIP:
{
	skip('make t/engine/gpu_on_cpu has not been run', 3) unless -e built('engine/gpu_on_cpu');
	my $gpu = start_faulty('stat_gpu', 'gpu_on_cpu', @small_lanes);

	local $ENV{GPUCOMPACT_FAULT} = $gpu->safe_psql('postgres', q(
		SELECT substring(prosrc FROM 'fault, ''(.*)''') FROM pg_proc
		WHERE proname = 'set_fault'));
	preload($gpu);
	load_runs($gpu, 70000, calls('radix_sort'));

	my $call = 'SELECT cardinality(gpu_radix_sort(samples)) FROM runs WHERE id = 1;';
	$gpu->safe_psql('postgres', $reset);
	$gpu->safe_psql('postgres', "SET gpucompact.engine = cuda; $call");
	$gpu->safe_psql('postgres', qq(
		SET gpucompact.engine = eager;
		$call
		SELECT set_fault('begin out_of_memory'); $call
		SELECT set_fault('begin no_device'); $call
		SELECT set_fault('begin not_supported'); $call
		SELECT set_fault('begin device_failed'); $call
		SELECT set_fault('none none');));
	is(stat_of($gpu, 'gpu_radix_sort', 'engine, reason, calls'),
		join("\n",
			map { "cpu|$_|1" } 'GPU failed',
			'no GPU', 'not supported', 'out of memory')
		  . "\ncuda|cost|1\ncuda|engine setting|1",
		'why the GPU did not serve a call is told in a word');
	is($gpu->safe_psql('postgres', q(
			SELECT min(elements), max(elements), min(bytes_in), max(bytes_in),
				   sum(timed_calls)
			FROM gpu_stat)),
		'70000|70000|286376|286376|6', 'a call on the GPU is counted as one on the CPU');
	survived($gpu);
}

done_testing();
