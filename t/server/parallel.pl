
# In the workers of a parallel query the functions answer as in the leader, on
# any engine.

use lib 't/lib';

use Gpucompact;

my $node = start_with_gpu('parallel');

# Some of the arrays are large enough for the GPU, and are in TOAST.
$node->safe_psql('postgres', q(
	CREATE TABLE runs (id integer, samples integer[]);
	ALTER TABLE runs ALTER samples SET STORAGE EXTERNAL;
	INSERT INTO runs
	SELECT id, ARRAY(SELECT nullif(hashint4(id + i) % 1000, 7)
					 FROM generate_series(1, CASE WHEN id % 500 = 0 THEN 300000
											 ELSE id % 200 END) AS i)
	FROM generate_series(1, 2000) AS id;
	CREATE TABLE answers AS
	SELECT id,
		   ARRAY(SELECT sum(x) OVER (ORDER BY i)
				 FROM unnest(samples) WITH ORDINALITY AS u (x, i)
				 ORDER BY i) AS sums,
		   ARRAY(SELECT x FROM unnest(samples) WITH ORDINALITY AS u (x, i)
				 WHERE x <> 0 ORDER BY i) AS compacted,
		   ARRAY(SELECT x FROM unnest(samples) AS x ORDER BY x) AS sorted,
		   ARRAY(SELECT count(*)::integer FROM unnest(samples) AS x
				 GROUP BY x ORDER BY x) AS counts
	FROM runs;
	ALTER TABLE runs SET (parallel_workers = 2);
	ANALYZE runs, answers;

	-- Not as parallel safe as it says: it has to show how the call ran in a worker.
	CREATE FUNCTION sort_engine(samples integer[]) RETURNS text
	LANGUAGE plpgsql PARALLEL SAFE AS $$
	BEGIN
		PERFORM gpu_radix_sort(samples);
		RETURN (SELECT coalesce(engine, 'none') FROM gpu_last_call());
	END $$;));

# The leader leaves all work to its workers.
my $parallel = q(
	SET parallel_setup_cost = 0;
	SET parallel_tuple_cost = 0;
	SET min_parallel_table_scan_size = 0;
	SET parallel_leader_participation = off;
	SET max_parallel_workers_per_gather = 2;
	SET enable_mergejoin = off;
);

my $wrong = q(
	SELECT count(*) FILTER (WHERE gpu_prefix_sum(samples) <> sums),
		   count(*) FILTER (WHERE gpu_compact(samples) <> compacted),
		   count(*) FILTER (WHERE gpu_radix_sort(samples) <> sorted),
		   count(*)
	FROM runs JOIN answers USING (id));

my $plan = $node->safe_psql('postgres', "$parallel
	SET gpucompact.engine = cpu;
	EXPLAIN (VERBOSE, ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) $wrong");
like($plan, qr/Partial Aggregate.*\n.*Output: PARTIAL .*gpu_prefix_sum/,
	'the functions are called below Gather');
like($plan, qr/Workers Launched: [12]/, 'in workers');

my %engines = (engines($node), 'auto' => 'SET gpucompact.engine = auto;');
foreach my $engine (sort keys %engines)
{
	is($node->safe_psql('postgres', "$parallel $engines{$engine} $wrong"),
		'0|0|0|2000', "$engine: as plain SQL");
}

# A row of arrays goes from a worker to the leader.
my $rows = q(
	SELECT count(*)
	FROM (SELECT id, gpu_distinct_counts(samples) AS row FROM runs OFFSET 0)
		 AS distinct_counts
		 JOIN answers USING (id)
	WHERE (row).counts = counts);
like(
	$node->safe_psql('postgres', "$parallel EXPLAIN (VERBOSE, COSTS OFF) $rows"),
	qr{Gather\n(.*\n){2}.*Scan on public.runs\n.*gpu_distinct_counts},
	'rows are made below Gather');
is($node->safe_psql('postgres', "$parallel $rows"), '2000', 'and are right above it');

# (Settings of an extension go to a worker if the leader has loaded it.)
my $where = q(SELECT gpu_compact('{}'::integer[]);
	SELECT DISTINCT sort_engine(samples) FROM runs WHERE id % 200 > 0);
foreach my $engine (sort keys %engines)
{
	my ($name) = $engines{$engine} =~ /engine = (\w+);/;

	next if $name eq 'auto';
	is($node->safe_psql('postgres', "$parallel $engines{$engine} $where"),
		"{}\n$name", "$engine: that is where calls of a worker run");
}

# A worker has a part of a group, and does not know which row of that is too
# short.
my $lengths = fails_with($node, '2202E', "$parallel
	SELECT gpu_sum_agg(samples[1:1 + id / 1000]) FROM runs WHERE cardinality(samples) > 2",
	'lengths that differ, in workers');
like($lengths, qr/DETAIL:  They have lengths \d+ and \d+\.\n/, 'which the error names');
like($lengths, qr/HINT:  gpu_pad\(a, [23]\) fills /, 'and what to do');
is($node->safe_psql('postgres', "$parallel
	SELECT gpu_sum_agg(gpu_pad(samples[1:1 + id / 1000], 3)) =
		   (SELECT array_agg(sum ORDER BY i)
			FROM (SELECT i, sum(x) FROM runs, unnest(samples[1:1 + id / 1000]) WITH ORDINALITY AS u (x, i)
				  GROUP BY i) AS sums),
		   gpu_sum_agg(CASE WHEN id = 7 THEN samples END) =
		   (SELECT samples::bigint[] FROM runs WHERE id = 7),
		   gpu_max_agg(CASE WHEN id < 0 THEN samples END) IS NULL
	FROM runs"), 't|t|t', 'padded arrays, and workers without one');

# An error in a worker is the leader's.
$node->safe_psql('postgres', "INSERT INTO runs VALUES (0, '{{1,2},{3,4}}')");
fails_with($node, '0A000',
	"$parallel SET gpucompact.engine = auto;
	 SELECT count(gpu_compact(samples)) FROM runs",
	'an error in a worker');
is($node->safe_psql('postgres',
		"$parallel SET gpucompact.engine = cpu;
		 SELECT sum(cardinality(gpu_radix_sort(samples))) =
				sum(cardinality(samples)) FROM runs WHERE id > 0"), 't', 'and the server goes on');

survived($node);

done_testing();
