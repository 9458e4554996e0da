
# The aggregates over the values of rows answer as core's aggregates do: for each
# type of elements, whatever the plan is, and however many groups there are.
# With GPUCOMPACT_TEST_FULL=1 in the environment, each type is in all plans, there
# are more rows and groups, and one of more values than an array may have.

use lib 't/lib';

use Arrays;
use Calls::Choices;
use Gpucompact;

my %types = element_types();
my $full = $ENV{GPUCOMPACT_TEST_FULL};
my $seed = $ENV{GPUCOMPACT_TEST_SEED} // int(rand(1000)) / 1000;
my $node = start_server('columns', "max_parallel_workers = 8", "max_worker_processes = 16");

note("seed $seed");

# Rows of a type: values, many of them equal and some NULL; keys; and groups.
sub make_rows
{
	my ($type, $rows, $groups, $pattern) = @_;
	my @values = value_patterns($type);
	my @nulls = null_patterns();
	my $value = $values[ $pattern % @values ];
	my $null = $nulls[ $pattern % @nulls ];

	return qq(
		SELECT setseed($seed);
		DROP TABLE IF EXISTS rows CASCADE;
		CREATE UNLOGGED TABLE rows AS
		SELECT i AS id, hashint4(i) % $groups AS g,
			   CASE WHEN NOT ($null) THEN $value END AS x,
			   CASE WHEN random() < 0.9 THEN (random() * 50)::integer END AS k
		FROM (SELECT i, $rows AS n, '$types{$type}[0]'::$type\[] AS pool
			  FROM generate_series(1, $rows) AS i) AS made;
		ALTER TABLE rows SET (parallel_workers = 4);
		ANALYZE rows;);
}

# Each aggregate, and the SQL that it equals; whether bits are compared; and the part
# that does not depend on the order of rows.
sub aggregates
{
	my ($type) = @_;
	my $exact = !is_float($type);
	my $of = 'WITHIN GROUP (ORDER BY x)';
	my @aggregates = (
		[ 'gpu_array_agg(x ORDER BY id)', 'array_agg(x ORDER BY id)', 1 ],
		[ 'gpu_array_agg(x, id)', 'array_agg(x ORDER BY id)', 1 ],
		[ 'gpu_array_agg(id, x ORDER BY id)', 'array_agg(id ORDER BY x, id)', 1 ],
		[ 'gpu_array_agg(x, k ORDER BY id)', 'array_agg(x ORDER BY k, id)', 1 ],
		[ 'gpu_pack_agg(x ORDER BY id)', 'gpu_pack(array_agg(x ORDER BY id))', 1 ],
		[ 'gpu_pack_agg(x, id)', 'gpu_pack(array_agg(x ORDER BY id))', 1 ],
		[ 'gpu_pack_agg(id, x ORDER BY id)', 'gpu_pack(array_agg(id ORDER BY x, id))', 1 ],
		[ 'gpu_pack_agg(x, k ORDER BY id) FILTER (WHERE k > 20)',
		  'gpu_pack(array_agg(x ORDER BY k, id) FILTER (WHERE k > 20))', 1 ],
		[ "gpu_radix_sort(gpu_unpack(gpu_pack_agg(x), NULL::$type\[]))", 'array_agg(x ORDER BY x)', $exact ],
		[ 'gpu_array_agg(DISTINCT x)', 'array_agg(DISTINCT x)', $exact ],
		[ 'gpu_radix_sort(gpu_array_agg(x))', 'array_agg(x ORDER BY x)', $exact ],
		[ 'gpu_radix_sort(gpu_array_agg(x) FILTER (WHERE k > 20))',
		  'array_agg(x ORDER BY x) FILTER (WHERE k > 20)', $exact ],
		[ 'gpu_radix_sort(array_agg(x))', 'array_agg(x ORDER BY x)', $exact ],
		[ 'gpu_percentile_disc(array_agg(x) FILTER (WHERE k > 20), 0.3)',
		  "percentile_disc(0.3) $of FILTER (WHERE k > 20)", $exact ],
		[ 'gpu_mode(array_agg(x))', "mode() $of", $exact ],
		[ 'gpu_percentile_disc_agg(x, 0.3)', "percentile_disc(0.3) $of", $exact ],
		[ q(gpu_percentile_disc_agg(x, '{0,NULL,0.7,1,0.7}'::float8[])),
		  "percentile_disc('{0,NULL,0.7,1,0.7}'::float8[]) $of", $exact ],
		[ 'gpu_percentile_disc_agg(x, NULL::float8)', "percentile_disc(NULL::float8) $of", $exact ],
		[ 'gpu_mode_agg(x)', "mode() $of", $exact ],
		[ 'gpu_mode_agg(x) FILTER (WHERE k IS NULL)', "mode() $of FILTER (WHERE k IS NULL)", $exact ],
		[ 'gpu_count_distinct(x)', 'count(DISTINCT x)', 1 ],
		[ "(SELECT gpu_radix_sort(gpu_array_agg(s, NULL::$type\[])) FROM (VALUES (gpu_values_state(x)), (NULL)) AS v (s))",
		  'array_agg(x ORDER BY x)', $exact ],
		[ "(SELECT gpu_array_agg(s::text::gpu_state, NULL::$type\[]) FROM (VALUES (gpu_values_state(x ORDER BY id))) AS v (s))",
		  'array_agg(x ORDER BY id)', 1 ],
		[ '(SELECT gpu_count_distinct(s) FROM (VALUES (gpu_values_state(x)), (gpu_distinct_state(x))) AS v (s))',
		  'count(DISTINCT x)', 1 ],
		[ 'gpu_count_distinct(k) FILTER (WHERE x IS NULL)',
		  'count(DISTINCT k) FILTER (WHERE x IS NULL)', 1 ],
		[ '(gpu_distinct_counts_agg(x)).values', 'array_agg(DISTINCT x)', $exact ],
		[ '(gpu_distinct_counts_agg(x)).counts',
		  '(SELECT array_agg(c ORDER BY y)
			FROM (SELECT y, count(*)::integer AS c FROM unnest(array_agg(x)) AS y GROUP BY y) AS d)', 1 ],
		[ 'gpu_top_k_agg(x, 7)', top('x', 'id', 7), $exact ],
		[ 'gpu_top_k_agg(x, 7, id)', top('id', 'id', 7), 1 ],
		[ 'gpu_top_k_agg(id, 300, x)', top('x', 'x', 300, 'id'), 0 ],
		[ 'gpu_top_k_agg(k, 300, x)', top('x', 'x', 300, 'k'), 0 ],
		[ 'gpu_top_k_agg(x, 200, k)', top('k', 'k', 200), 0 ]);

	foreach my $bounds ('-1000.25, 20000, 7', '5, -5, 10', '-3, 3.7, 100', '1000, -1000, 2',
		'-1.7e308, 1.7e308, 3')
	{
		my $values = $exact ? '' : q{ FILTER (WHERE x <> 'NaN')};
		my $bucket = bucket_idiom('y', $type, $bounds);
		my ($buckets) = $bounds =~ /(\d+)$/;

		push @aggregates,
		  [ "gpu_histogram_agg(x, $bounds)$values",
			"CASE WHEN count(*)$values > 0 THEN
			 (SELECT array_agg(n ORDER BY b)
			  FROM (SELECT b, count(y) AS n FROM generate_series(0, $buckets + 1) AS b
					LEFT JOIN (SELECT y, $bucket AS w
							   FROM unnest(array_agg(x)$values) AS y) AS u ON w = b
					GROUP BY b) AS d) END", 1 ]
		  if is_number($type);
	}

	push @aggregates,
	  [ 'gpu_median_agg(x)', "percentile_cont(0.5) $of", 0 ],
	  [ 'gpu_median_agg(DISTINCT x)',
		"(SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY y) FROM unnest(array_agg(DISTINCT x)) AS y)", 0 ],
	  [ 'gpu_percentile_cont_agg(x, 0.123)', "percentile_cont(0.123) $of", 0 ],
	  [ q(gpu_percentile_cont_agg(x, '[2:3][1:2]={{0,NULL},{0.7,1}}'::float8[])),
		"percentile_cont('[2:3][1:2]={{0,NULL},{0.7,1}}'::float8[]) $of", 0 ]
	  if is_number($type);
	return @aggregates;
}

# The payloads of the greatest values, by plain SQL.
sub top
{
	my ($what, $payload, $k, $of) = @_;

	$of //= 'x';
	return "coalesce((array_agg($what ORDER BY $of DESC, $payload)
					  FILTER (WHERE $of IS NOT NULL))[1:$k], '{}')";
}

# The answers of core, in a column for each aggregate.
sub make_answers
{
	my (@aggregates) = @_;

	return 'DROP TABLE IF EXISTS answers; CREATE UNLOGGED TABLE answers AS '
	  . 'SELECT g'
	  . join('', map { ", $aggregates[$_][1] AS a$_" } 0 .. $#aggregates)
	  . ' FROM rows GROUP BY 1; ANALYZE answers (g);';
}

# The calls for which a group has another answer, or the plan if it does not have this
# text.  (Of many groups, parts may cost more than they save.)  An order of rows that a
# call demands would rule out plans in parts, and so would a subquery.
sub wrong_calls
{
	my ($set, $in_plan, $in_parts, @aggregates) = @_;
	my @tried = grep { !$in_parts || $aggregates[$_][0] !~ /ORDER BY|DISTINCT x|\(SELECT/ }
	  0 .. $#aggregates;
	my $calls = join('', map { ", $aggregates[$_][0] AS b$_" } @tried);
	my $wrong = join(
		', ',
		map {
			my ($call, $core, $bits) = @{ $aggregates[$_] };
			my $differs = $bits ? "NOT record_image_eq(ROW(a$_), ROW(b$_))" : "a$_ IS DISTINCT FROM b$_";

			"CASE WHEN bool_or($differs) THEN \$call\$$call\$call\$ END"
		} @tried);

	my ($plan, $answer) = split(/^answer:\n?/m, $node->safe_psql('postgres', qq(
		$set
		EXPLAIN SELECT g$calls FROM rows GROUP BY g;
		\\echo answer:
		SELECT concat_ws(', ', $wrong,
						 CASE WHEN count(*) <> (SELECT count(*) FROM answers)
							  THEN 'groups' END)
		FROM (SELECT g$calls FROM rows GROUP BY g) AS ours JOIN answers USING (g);)));
	return $plan =~ $in_plan ? $answer : $plan;
}

# The settings that force a plan, a text that the plan then contains, and whether
# groups are made of parts.
my $serial = 'SET max_parallel_workers_per_gather = 0;';
my $parallel = q(SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;
	SET min_parallel_table_scan_size = 0; SET enable_sort = off; SET work_mem = '1GB';);
my %plans = (
	'hashed' => [ "$serial SET enable_sort = off;", qr/HashAggregate/, 1 ],
	'sorted' => [ "$serial SET enable_hashagg = off;", qr/GroupAggregate/, 0 ],
	'spilled' => [
		"$serial SET enable_sort = off; SET work_mem = '64kB';
		 SET hash_mem_multiplier = 1;", qr/HashAggregate/, 1
	],
	'2 workers' => [
		"$parallel SET max_parallel_workers_per_gather = 2;",
		qr/Finalize.*Workers Planned: 2.*Partial/s, 1
	],
	'4 workers' => [
		"$parallel SET max_parallel_workers_per_gather = 4;",
		qr/Finalize.*Workers Planned: 4.*Partial/s, 1
	],
	'workers alone' => [
		"$parallel SET max_parallel_workers_per_gather = 4;
		 SET parallel_leader_participation = off;", qr/Finalize.*Partial/s, 1
	]);

my $pattern = 0;
my $turn = 0;

foreach my $type (sort keys %types)
{
	my @aggregates = aggregates($type);

	foreach my $groups (1, 150, 2000)
	{
		$node->safe_psql('postgres',
			make_rows($type, 2000, $groups, $pattern++) . make_answers(@aggregates));
		# Each type in a third of the plans; the next type in others.
		my @names = sort keys %plans;
		my @tried = $groups == 1 ? ('hashed', '2 workers') :
		  @names[ $full ? 0 .. $#names : grep { ($_ + $turn) % 3 == 0 } 0 .. $#names ];

		$turn++ if $groups > 1;

		foreach my $plan (@tried)
		{
			my ($set, $in_plan, $in_parts) = @{ $plans{$plan} };

			is(wrong_calls($set, $groups == 1 ? $in_plan : qr//, $in_parts, @aggregates),
				'', "$type, $groups groups, $plan");
		}
	}
}

# Many rows and groups.
my $many = $full ? 200000 : 20000;
foreach my $groups (1, 500, $full ? 100000 : 5000)
{
	my @aggregates = aggregates('integer');

	$node->safe_psql('postgres',
		make_rows('integer', $many, $groups, 3) . make_answers(@aggregates));
	foreach my $plan ($groups == 1 ? ('hashed', '2 workers') :
		$groups == 500 || $full ? sort keys %plans : ('spilled', '4 workers'))
	{
		my ($set, $in_plan, $in_parts) = @{ $plans{$plan} };

		is(wrong_calls($set, $groups <= 500 ? $in_plan : qr//, $in_parts, @aggregates),
			'', "many rows, $groups groups, $plan");
	}
}

# Windows: a whole partition, and a running one, which has more rows after a
# result was taken.
is($node->safe_psql('postgres', q(
	SELECT count(*), bool_or(NOT record_image_eq(ROW(a), ROW(core))),
		   bool_or(NOT record_image_eq(ROW(p, q), ROW(gpu_pack(core), gpu_pack(core)))),
		   bool_or(c <> (SELECT count(DISTINCT y) FROM unnest(core) AS y)),
		   bool_or(m IS DISTINCT FROM (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY y)
									   FROM unnest(core) AS y))
	FROM (SELECT gpu_array_agg(x) OVER w AS a, array_agg(x) OVER w AS core,
				 gpu_pack_agg(x) OVER w AS p, gpu_pack_agg(x, id) OVER w AS q,
				 gpu_count_distinct(x) OVER w AS c, gpu_median_agg(x) OVER w AS m
		  FROM rows WHERE id <= 5000
		  WINDOW w AS (PARTITION BY id % 250 ORDER BY id)) AS r)),
	'5000|f|f|f|f', 'running windows');
is($node->safe_psql('postgres', q(
	SELECT count(*), bool_or(m IS DISTINCT FROM (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY x) FROM rows)),
		   bool_or(c IS DISTINCT FROM (SELECT count(DISTINCT x) FROM rows))
	FROM (SELECT gpu_median_agg(x) OVER () AS m, gpu_count_distinct(x) OVER () AS c FROM rows) AS r)),
	"$many|f|f", 'OVER ()');

# Grouping sets, sorted, hashed and both.
foreach my $set ('', 'SET enable_hashagg = off;', 'SET enable_sort = off;')
{
	is($node->safe_psql('postgres', qq(
		$set
		SELECT count(*) > 300, bool_or(NOT record_image_eq(ROW(a), ROW(core_a))), bool_or(c <> core_c)
		FROM (SELECT gpu_array_agg(x) AS a, array_agg(x) AS core_a,
					 gpu_count_distinct(x) AS c,
					 cardinality(gpu_distinct(gpu_compact_nulls(coalesce(array_agg(x), '{}')))) AS core_c
			  FROM rows GROUP BY GROUPING SETS ((g % 100), (k), (g % 10, k % 10), ())) AS r)),
		't|f|f', "grouping sets: $set");
}

# Partitions, whose states are combined in one process.
foreach my $type (sort keys %types)
{
	my $median = is_number($type) ? 'gpu_median_agg(x)' : 'gpu_percentile_disc_agg(x, 0.5)';
	my $core = is_number($type) ? 'percentile_cont' : 'percentile_disc';

	is($node->safe_psql('postgres', make_rows($type, 2000, 1, $pattern++) . qq(
		SET max_parallel_workers_per_gather = 0;
		SET enable_partitionwise_aggregate = on;
		DROP TABLE IF EXISTS parts;
		CREATE TABLE parts (LIKE rows) PARTITION BY LIST (k);
		CREATE TABLE part_0 PARTITION OF parts FOR VALUES IN (0, 1, 2, NULL);
		CREATE TABLE part_1 PARTITION OF parts FOR VALUES IN (3, 4, 5);
		CREATE TABLE part_2 PARTITION OF parts DEFAULT;
		INSERT INTO parts SELECT * FROM rows;
		SELECT gpu_radix_sort(gpu_array_agg(x)) = (SELECT array_agg(x ORDER BY x) FROM rows),
			   gpu_array_agg(x, id) = (SELECT array_agg(x ORDER BY id) FROM rows),
			   gpu_pack_agg(x, id) = (SELECT gpu_pack(array_agg(x ORDER BY id)) FROM rows),
			   $median IS NOT DISTINCT FROM (SELECT $core(0.5) WITHIN GROUP (ORDER BY x) FROM rows),
			   gpu_count_distinct(x) = (SELECT count(DISTINCT x) FROM rows),
			   gpu_distinct_agg(ARRAY[x]) = (SELECT array_agg(DISTINCT x) FROM rows)
		FROM parts;)) =~ s/^\n//r, 't|t|t|t|t|t', "partitions of $type");
}

# 54000: more than an array may have.
if ($full)
{
	fails_with($node, '54000', qq(
		SET max_parallel_workers_per_gather = 0;
		SELECT $_(true) FROM generate_series(1, 13422) AS i, generate_series(1, 10000) AS j;),
		"$_ of too many values")
	  foreach 'gpu_array_agg', 'gpu_pack_agg', 'gpu_mode_agg';
}

survived($node);
$node->stop;
done_testing();
