
# An array of more pieces than there are buffers, by every engine:
# the same answer each time, however threads and transfers overlap.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../lib";

use Gpucompact;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $seed = 0.71;
my $node = start_server('pieces');

# A GPU's largest pieces have 2^20 elements, and there are more than five of them.
# The CPU's are much smaller; here they are as many as have threads reduce them.
my %engines = engines($node);
my $count = exists $engines{'cuda'} ? 5400001 : 2200001;
my $times = exists $engines{'cuda'} || $ENV{GPUCOMPACT_TEST_FULL} ? 8 : 3;

$node->safe_psql(
	'postgres', qq(
	SELECT setseed($seed);
	CREATE UNLOGGED TABLE runs (samples integer[], halves integer[],
									   mask boolean[]);
	ALTER TABLE runs ALTER samples SET STORAGE EXTERNAL,
		ALTER halves SET STORAGE EXTERNAL, ALTER mask SET STORAGE EXTERNAL;
	INSERT INTO runs (samples)
	SELECT array_agg(CASE WHEN i % 1000 IN (7, 8) THEN NULL
						  WHEN i % 10 = 0 THEN 0
						  WHEN i / 100000 % 10 = 5 THEN 0
						  ELSE (random() * 4294967295 - 2147483648)::bigint::integer
					 END ORDER BY i)
	FROM generate_series(1, $count) AS i;

	UPDATE runs SET
		halves = ARRAY(SELECT x / 2 FROM unnest(samples) WITH ORDINALITY
							 AS u (x, i) ORDER BY i),
		mask =
		(SELECT array_agg(i % 3 = 0 AND i / 300000 % 2 = 0 ORDER BY i)
		 FROM generate_series(1, $count) AS i);

	CREATE UNLOGGED TABLE answers (sums bigint[], deltas integer[],
		compacted integer[], positions integer[], kept integer[],
		sorted integer[], sorted_positions integer[], lengths integer[],
		greatest integer, stats text);
	ALTER TABLE answers ALTER sums SET STORAGE EXTERNAL,
		ALTER deltas SET STORAGE EXTERNAL,
		ALTER compacted SET STORAGE EXTERNAL,
		ALTER positions SET STORAGE EXTERNAL,
		ALTER kept SET STORAGE EXTERNAL, ALTER sorted SET STORAGE EXTERNAL,
		ALTER sorted_positions SET STORAGE EXTERNAL,
		ALTER lengths SET STORAGE EXTERNAL;
	INSERT INTO answers
	SELECT ARRAY(SELECT sum(x) OVER (ORDER BY i)
				 FROM unnest(samples) WITH ORDINALITY AS u (x, i) ORDER BY i),
		   ARRAY(SELECT CASE i WHEN 1 THEN x
							   ELSE x - lag(x) OVER (ORDER BY i) END
				 FROM unnest(halves) WITH ORDINALITY AS u (x, i) ORDER BY i),
		   ARRAY(SELECT x FROM unnest(samples) WITH ORDINALITY AS u (x, i)
				 WHERE x <> 0 ORDER BY i),
		   ARRAY(SELECT i FROM unnest(samples) WITH ORDINALITY AS u (x, i)
				 WHERE x < -1000 ORDER BY i),
		   ARRAY(SELECT x FROM unnest(samples, mask) WITH ORDINALITY AS u (x, m, i)
				 WHERE m ORDER BY i),
		   ARRAY(SELECT x FROM unnest(samples) AS x ORDER BY x DESC),
		   ARRAY(SELECT i FROM unnest(samples) WITH ORDINALITY AS u (x, i)
				 ORDER BY x, i),
		   ARRAY(SELECT count(*)
				 FROM (SELECT i, count(*) FILTER (WHERE begins)
								 OVER (ORDER BY i) AS run
					   FROM (SELECT i, i = 1 OR x IS DISTINCT FROM
									   lag(x) OVER (ORDER BY i) AS begins
							 FROM unnest(samples) WITH ORDINALITY AS u (x, i))
						 AS marked) AS numbered
				 GROUP BY run ORDER BY run),
		   (SELECT max(x) FROM unnest(samples) AS x),
		   (SELECT row(sum(x), min(x), max(x), avg(x), variance(x))::text
			FROM unnest(samples) AS x)
	FROM runs;));

my %answers = (
	'gpu_prefix_sum(samples)' => 'sums',
	'gpu_delta(halves)' => 'deltas',
	'gpu_compact(samples)' => 'compacted',
	q(gpu_positions(samples, '<', -1000)) => 'positions',
	'gpu_compact(samples, mask)' => 'kept',
	'gpu_radix_sort(samples, true)' => 'sorted',
	'gpu_argsort(samples)' => 'sorted_positions',
	'(SELECT r.lengths FROM gpu_run_lengths(samples) AS r)' => 'lengths',
	q(gpu_reduce(samples, 'max')) => 'greatest',
	'(SELECT row(s.sum, s.min, s.max, s.avg, s.variance)::text
	  FROM gpu_stats(samples) AS s)' => 'stats');

foreach my $engine (sort keys %engines)
{
	foreach my $call (sort keys %answers)
	{
		# Which of the calls went wrong, if any.
		is( $node->safe_psql(
				'postgres', qq(
				$engines{$engine}
				SELECT n FROM runs, answers, generate_series(1, $times) AS n
				WHERE $call IS DISTINCT FROM $answers{$call})),
			'',
			"$engine, $call: $times times (seed $seed)");
	}
}

survived($node);

done_testing();
