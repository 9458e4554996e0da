
# gpucompact.algorithm changes no answer; and says so where it cannot be had.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../lib";

use Gpucompact;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $seed = 0.23;
my $node = start_server('algorithms');

# Lengths that are powers of two and that are not, around blocks and tiles;
# keys with all bits in use, few, and none.
$node->safe_psql(
	'postgres', qq(
	SELECT setseed($seed);
	CREATE TABLE runs (label text, samples integer[]);
	INSERT INTO runs
	SELECT kind || ', ' || n,
		   ARRAY(SELECT CASE kind
						WHEN 'any' THEN random() * 4294967295 - 2147483648
						WHEN 'few bits' THEN (random() * 9)::integer * 4
						ELSE -7 END::bigint::integer
				 FROM generate_series(1, n))
	FROM unnest('{any,few bits,constant}'::text[]) AS kind,
		 unnest('{1,2,3,31,32,33,127,128,129,255,256,257,1000,1536,1537,2048,
				  4097,65536,65537,300001}'::integer[]) AS n;
	CREATE TABLE answers AS
	SELECT label, samples,
		   ARRAY(SELECT sum(x) OVER (ORDER BY i)
				 FROM unnest(samples) WITH ORDINALITY AS u (x, i) ORDER BY i)
			 AS sums,
		   ARRAY(SELECT x FROM unnest(samples) WITH ORDINALITY AS u (x, i)
				 WHERE x <> 0 ORDER BY i) AS compacted,
		   ARRAY(SELECT x FROM unnest(samples) AS x ORDER BY x) AS ascending,
		   ARRAY(SELECT x FROM unnest(samples) AS x ORDER BY x DESC)
			 AS descending
	FROM runs;));

my %engines = engines($node);
my %engine_of = (
	'sequential' => 'cpu',
	'parallel' => 'cpu',
	'naive' => 'cuda',
	'work_efficient' => 'cuda',
	'single_pass' => 'cuda',
	'cub' => 'cuda');

foreach my $algorithm (sort keys %engine_of)
{
	my $engine = $engine_of{$algorithm};
	my $other = $engine eq 'cpu' ? 'cuda' : 'cpu';

	my $err = fails_with(
		$node, '0A000',
		"SET gpucompact.engine = $other; SET gpucompact.algorithm = $algorithm;
		 SELECT gpu_compact('{1,0,2}'::integer[]);",
		"$algorithm: not on engine $other");
	like($err, qr/algorithm "$algorithm" does not run on engine "$other"/,
		"$algorithm: and the message says so");

	if ($engine eq 'cuda' && !exists $engines{'cuda'})
	{
		fails_with(
			$node, '55000',
			"SET gpucompact.engine = auto; SET gpucompact.algorithm = $algorithm;
			 SELECT gpu_compact('{1,0,2}'::integer[]);",
			"$algorithm: not without a GPU");
		next;
	}

	my $out = $node->safe_psql(
		'postgres', qq(
		SET gpucompact.engine = auto;
		SET gpucompact.cpu_threads = 3;
		SET gpucompact.algorithm = $algorithm;
		SELECT label FROM answers
		WHERE gpu_prefix_sum(samples) <> sums
		   OR (gpu_prefix_sum(samples, true))[2:] IS DISTINCT FROM
			  sums[:cardinality(sums) - 1]
		   OR gpu_compact(samples) <> compacted
		   OR gpu_radix_sort(samples) <> ascending
		   OR gpu_radix_sort(samples, true) <> descending;
		SELECT 'by ' || engine || ': ' || reason FROM gpu_last_call();));
	is( $out,
		"by $engine: $engine: as gpucompact.algorithm says",
		"$algorithm: every answer (seed $seed)");
}

# Steps that "single_pass" has no way of its own for are done as by "auto".
SKIP:
{
	skip 'without a GPU', 1 unless exists $engines{'cuda'};

	is( $node->safe_psql('postgres', q(
			SET gpucompact.algorithm = single_pass;
			SELECT count(*), count(DISTINCT answers) FROM (
				SELECT set_config('gpucompact.algorithm', algorithm, false), ARRAY[
					gpu_regr(NULL::integer || samples, samples || NULL::integer)::text,
					gpu_reduce(samples, 'max')::text, gpu_scan(samples, 'max')::text,
					gpu_compact(samples, gpu_compare(samples, '>', 0))::text,
					gpu_positions(samples, '>', 0)::text, gpu_distinct(samples, true)::text] AS answers
				FROM runs, unnest('{auto,single_pass}'::text[]) AS algorithm
				WHERE label = 'any, 65537' OFFSET 0) AS s)),
		'2|1',
		'single_pass: other calls as by auto');
}

# (A setting is known when the library is loaded.)
fails_with(
	$node, '22023',
	"SELECT gpu_compact('{}'::integer[]); SET gpucompact.algorithm = bubble;",
	'an algorithm that there is not');

survived($node);

done_testing();
