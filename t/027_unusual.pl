
# Values that are valid, but that hardly anybody makes: booleans of other bytes
# than 0 and 1; and vectors, which are arrays that count from 0.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/lib";

use Gpucompact;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# A crash fails the test that it happens in, and no other.
my $node = new_server('unusual');
$node->append_conf('postgresql.conf',
	"restart_after_crash = on\nmax_wal_size = '4GB'\n");
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION gpucompact');

# Booleans of other bytes than 0 and 1, which core takes for true, and for equal
# to each other.  (Which byte stands in a result is not looked at.)
$node->safe_psql(
	'postgres', q(
	CREATE CAST ("char" AS boolean) WITHOUT FUNCTION;
	CREATE TABLE odd (id serial, a integer[], mask boolean[], truth boolean[]);
	ALTER TABLE odd ALTER a SET STORAGE EXTERNAL,
		ALTER mask SET STORAGE EXTERNAL, ALTER truth SET STORAGE EXTERNAL;
	INSERT INTO odd (a, mask, truth)
	SELECT array_agg(CASE WHEN random() >= nulls THEN i END ORDER BY i),
		   array_agg(CASE WHEN random() >= mask_nulls THEN byte::"char" END
					 ORDER BY i)::boolean[], NULL
	FROM unnest('{7,100,5000,3000000}'::integer[]) AS n,
		 unnest('{0,0.3}'::double precision[]) AS nulls,
		 unnest('{0,0.3}'::double precision[]) AS mask_nulls,
		 generate_series(1, n) AS i,
		 LATERAL (SELECT ('{2,-1,0,1,-128,0,3}'::integer[])[1 + i % 7] AS byte) AS b
	WHERE n < 10000 OR nulls = mask_nulls
	GROUP BY n, nulls, mask_nulls ORDER BY n, nulls, mask_nulls;
	INSERT INTO odd (a, mask)
	SELECT array_fill(1, ARRAY[3000000]),
		   array_fill(2::"char", ARRAY[3000000])::boolean[];
	UPDATE odd SET truth = ARRAY(SELECT m = true FROM unnest(mask)
								 WITH ORDINALITY AS u (m, i) ORDER BY i);
	CREATE VIEW odd_in_memory AS
	SELECT id, a || '{}' AS a, mask || '{}' AS mask, truth || '{}' AS truth FROM odd;
	CREATE TABLE odd_compressed AS SELECT * FROM odd_in_memory;));
my %odd = (
	'gpu_compact(a, mask)' =>
	  'ARRAY(SELECT x FROM unnest(a, mask) WITH ORDINALITY AS u (x, m, i)
			 WHERE m ORDER BY i)',
	'gpu_positions(mask)' =>
	  'ARRAY(SELECT i::integer FROM unnest(mask) WITH ORDINALITY AS u (m, i)
			 WHERE m ORDER BY i)',
	'gpu_compact(mask)' =>
	  'ARRAY(SELECT m FROM unnest(mask) WITH ORDINALITY AS u (m, i)
			 WHERE m <> false ORDER BY i)',
	'gpu_compact(mask, mask)' =>
	  'ARRAY(SELECT m FROM unnest(mask) WITH ORDINALITY AS u (m, i)
			 WHERE m ORDER BY i)',
	'gpu_compact(truth, mask)' =>
	  'ARRAY(SELECT t FROM unnest(truth, mask) WITH ORDINALITY AS u (t, m, i)
			 WHERE m ORDER BY i)',
	'gpu_radix_sort(mask)' => 'ARRAY(SELECT m FROM unnest(mask) AS m ORDER BY m)',
	'gpu_argsort(mask)' =>
	  'ARRAY(SELECT i::integer FROM unnest(mask) WITH ORDINALITY AS u (m, i)
			 ORDER BY m, i)',
	'gpu_argsort(mask, true)' =>
	  'ARRAY(SELECT i::integer FROM unnest(mask) WITH ORDINALITY AS u (m, i)
			 ORDER BY m DESC, i)',
	'gpu_sort_by_key(a, mask)' =>
	  'ARRAY(SELECT x FROM unnest(a, mask) WITH ORDINALITY AS u (x, m, i)
			 ORDER BY m, i)',
	'gpu_sort_by_key(mask, a)' =>
	  'ARRAY(SELECT m FROM unnest(a, mask) WITH ORDINALITY AS u (x, m, i)
			 ORDER BY x, i)',
	'gpu_distinct(mask)' =>
	  'ARRAY(SELECT DISTINCT m FROM unnest(mask) AS m ORDER BY m)',
	'(SELECT d.values FROM gpu_distinct_counts(mask) AS d)' =>
	  'ARRAY(SELECT DISTINCT m FROM unnest(mask) AS m ORDER BY m)',
	'(SELECT d.counts FROM gpu_distinct_counts(mask) AS d)' =>
	  'ARRAY(SELECT count(*)::integer FROM unnest(mask) AS m GROUP BY m ORDER BY m)',
	'(SELECT r.values FROM gpu_run_lengths(mask) AS r)' =>
	  'ARRAY(SELECT m FROM (SELECT m, i, m IS DISTINCT FROM lag(m) OVER (ORDER BY i)
								OR i = 1 AS begins
							FROM unnest(mask) WITH ORDINALITY AS u (m, i)) AS v
			 WHERE begins ORDER BY i)',
	'(SELECT r.lengths FROM gpu_run_lengths(mask) AS r)' =>
	  'ARRAY(SELECT (coalesce(lead(i) OVER (ORDER BY i), cardinality(mask) + 1)
					 - i)::integer
			 FROM (SELECT i, m IS DISTINCT FROM lag(m) OVER (ORDER BY i)
						  OR i = 1 AS begins
				   FROM unnest(mask) WITH ORDINALITY AS u (m, i)) AS v
			 WHERE begins ORDER BY i)');
my %comparisons;
foreach my $op ('=', '<>', '<', '<=', '>', '>=')
{
	foreach my $value ('false', 'true', '2::"char"::boolean')
	{
		$comparisons{"gpu_compact(mask, '$op', $value)"} =
		  "ARRAY(SELECT m FROM unnest(mask) WITH ORDINALITY AS u (m, i)
				 WHERE m $op $value ORDER BY i)";
		$comparisons{"gpu_positions(mask, '$op', $value)"} =
		  "ARRAY(SELECT i::integer FROM unnest(mask) WITH ORDINALITY AS u (m, i)
				 WHERE m $op $value ORDER BY i)";
	}
}
%odd = (%odd, %comparisons);
foreach my $call (sort keys %odd)
{
	# The long ones are compared with what booleans of the bytes 0 and 1 come to,
	# as core would take long.
	my $on_truth = $call =~ s/\bmask\b/truth/gr;
	my $differ = "SELECT coalesce(string_agg(id::text, ', '), 'none') FROM (SELECT id,
		$call IS DISTINCT FROM %s AS differs FROM %s
		WHERE cardinality(mask) %s 10000 OFFSET 0) AS v WHERE differs";
	my %queries = map { $_ => sprintf($differ, $odd{$call}, $_, '<') }
	  ('odd', 'odd_in_memory', 'odd_compressed');

	$queries{'odd, long'} = sprintf($differ, $on_truth, 'odd', '>')
	  unless exists $comparisons{$call};
	my @names = sort keys %queries;
	my @outcomes = try_queries($node, 'SET enable_hashagg = off;', '',
		map { $queries{$_} } @names);
	my @unexpected = map { "$names[$_]: $outcomes[$_]" }
	  grep { $outcomes[$_] ne 'none' } 0 .. $#names;
	is(join("\n", @unexpected), '', "odd booleans: $call");
}

# An oidvector or int2vector has one dimension, counts from 0, and has no NULLs,
# even if it is empty.  What returns such has to return a valid one, or refuse.
$node->safe_psql(
	'postgres', q(
	CREATE FUNCTION elements(a anyarray) RETURNS text LANGUAGE sql AS
	$$
		SELECT CASE WHEN pg_typeof(a)::text NOT LIKE '%vector' OR
						 array_ndims(a) = 1 AND array_lower(a, 1) = 0 AND
						 array_position(a, NULL) IS NULL
					THEN ARRAY(SELECT unnest(a))::text ELSE 'invalid' END
	$$;));
my %vectors = (
	'0 0' => {
		'gpu_compact(v)' => '{}',
		q(gpu_compact(v, '>', 5)) => '{}',
		q(gpu_compact(v, '=', 0)) => '{0,0}',
		q(gpu_compact(v, '{t,f}'::boolean[])) => '{0}',
		q(gpu_compact(v, '{f,f}'::boolean[])) => '{}',
		q(gpu_positions(v, '=', 0)) => '{1,2}',
		'gpu_radix_sort(v)' => '{0,0}',
		'gpu_argsort(v)' => '{1,2}',
		'gpu_sort_by_key(v, ARRAY[2,1])' => '{0,0}',
		'gpu_distinct(v)' => '{0}',
		'(gpu_distinct_counts(v)).values' => '{0}',
		'(gpu_run_lengths(v)).values' => '{0}'
	},
	'7 0 3 3' => {
		'gpu_compact(v)' => '{7,3,3}',
		q(gpu_compact(v, '<', 5)) => '{0,3,3}',
		q(gpu_compact(v, '{t,f,f,t}'::boolean[])) => '{7,3}',
		q(gpu_positions(v, '=', 3)) => '{3,4}',
		'gpu_radix_sort(v)' => '{0,3,3,7}',
		'gpu_radix_sort(v, true)' => '{7,3,3,0}',
		'gpu_argsort(v)' => '{2,3,4,1}',
		'gpu_sort_by_key(v, ARRAY[4,3,2,1])' => '{3,3,0,7}',
		'gpu_sort_by_key(ARRAY[1,2,3,4], v)' => '{2,3,4,1}',
		'gpu_distinct(v)' => '{0,3,7}',
		'(gpu_distinct_counts(v)).values' => '{0,3,7}',
		'(gpu_run_lengths(v)).values' => '{7,0,3}'
	},
	'' => {
		'gpu_compact(v)' => '{}',
		q(gpu_compact(v, '{}'::boolean[])) => '{}',
		'gpu_radix_sort(v)' => '{}',
		'gpu_argsort(v)' => '{}',
		'gpu_distinct(v)' => '{}',
		'(gpu_run_lengths(v)).values' => '{}'
	});
foreach my $type ('oidvector', 'int2vector')
{
	foreach my $vector (sort keys %vectors)
	{
		my %right = %{ $vectors{$vector} };
		my @names = sort keys %right;
		my @outcomes = try_queries($node, '', '',
			map { "SELECT elements($_) FROM CAST('$vector' AS $type) AS v" } @names);
		my @unexpected =
		  map { "$names[$_]: $outcomes[$_], not $right{$names[$_]}" }
		  grep { $outcomes[$_] !~ /^0A000$/ && $outcomes[$_] ne $right{ $names[$_] } }
		  0 .. $#names;
		is(join("\n", @unexpected), '', "$type '$vector'");
	}
}

survived($node);

done_testing();
