
# Values that are valid, but that hardly anybody makes: booleans of other bytes
# than 0 and 1; and vectors, which are arrays that count from 0.  With
# GPUCOMPACT_TEST_FULL=1 in the environment, some arrays are longer.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../lib";

use Calls;
use Gpucompact;
use Idioms;
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
# to each other.  (Which byte stands in a result is not looked at.)  As core takes
# long for long arrays, calls on these are compared with those on their truth.
my $seed = 0.27;
my ($medium, $long) = $ENV{GPUCOMPACT_TEST_FULL} ? (5000, 3000000) : (2100, 70000);
$node->safe_psql(
	'postgres', idiom_functions() . qq(
	SELECT setseed($seed);
	CREATE CAST ("char" AS boolean) WITHOUT FUNCTION;
	CREATE FUNCTION random_booleans(n integer, nulls double precision)
	RETURNS boolean[] LANGUAGE sql VOLATILE AS
	\$\$
		SELECT array_agg(CASE WHEN random() >= nulls
							  THEN ('{0,0,1,2,3,-1,-128}'::integer[])
								   [1 + floor(random() * 7)]::"char" END)::boolean[]
		FROM generate_series(1, n)
	\$\$;
	CREATE TABLE odd (id serial, a boolean[], b integer[], mask boolean[],
					  value boolean, other boolean);
	ALTER TABLE odd ALTER a SET STORAGE EXTERNAL, ALTER b SET STORAGE EXTERNAL,
		ALTER mask SET STORAGE EXTERNAL;
	INSERT INTO odd (a, b, mask, value, other)
	SELECT random_booleans(n, nulls),
		   ARRAY(SELECT CASE WHEN random() >= nulls THEN i END
				 FROM generate_series(1, n) AS i ORDER BY i),
		   random_booleans(n, mask_nulls), byte::"char"::boolean, byte::"char"::boolean
	FROM (VALUES (7), (100), ($medium)) AS lengths (n),
		 (VALUES (0), (0.3)) AS v (nulls), (VALUES (0), (0.3)) AS w (mask_nulls),
		 (VALUES (0), (1), (2), (-1)) AS bytes (byte);
	INSERT INTO odd (a, b, mask, value, other)
	SELECT random_booleans($long, nulls),
		   ARRAY(SELECT CASE WHEN random() >= nulls THEN i % 1000 END
				 FROM generate_series(1, $long) AS i ORDER BY i),
		   array_fill(2::"char", ARRAY[$long])::boolean[], 2::"char"::boolean, true
	FROM (VALUES (0), (0.3)) AS v (nulls);
	CREATE VIEW odd_in_memory AS
	SELECT id, a || '{}' AS a, b || '{}' AS b, mask || '{}' AS mask, value, other FROM odd;
	CREATE TABLE odd_compressed AS SELECT * FROM odd_in_memory
	WHERE cardinality(a) = $medium;
	CREATE TABLE truth AS
	SELECT id, ARRAY(SELECT x = true FROM unnest(a) WITH ORDINALITY AS u (x, i)
					 ORDER BY i) AS a, b,
		   ARRAY(SELECT x = true FROM unnest(mask) WITH ORDINALITY AS u (x, i)
				 ORDER BY i) AS mask, value = true AS value, other
	FROM odd WHERE cardinality(a) = $long;));
my @calls = calls_on('boolean');
my @names = ('odd', 'odd_compressed', 'odd_in_memory', 'odd, long');
my @groups;
foreach my $call_of (@calls)
{
	my ($call, $idiom) = @$call_of{ 'call', 'idiom' };
	my %answers = map {
		$_ => "SELECT id, got, core
			   FROM (SELECT id, $call AS got FROM $_
					 WHERE cardinality(a) <= 5000 OFFSET 0) AS o
					LEFT JOIN short_answers USING (id)"
	} grep { $_ ne 'odd, long' } @names;

	$answers{'odd, long'} = "SELECT id, got, core
		FROM (SELECT id, $call AS core FROM truth OFFSET 0) AS t
			 JOIN (SELECT id, $call AS got FROM odd
				   WHERE cardinality(a) = $long OFFSET 0) AS o USING (id)";
	push @groups,
	  {
		before => "SET enable_hashagg = off;
			CREATE TEMPORARY TABLE short_answers AS SELECT id, $idiom AS core
			FROM odd WHERE cardinality(a) <= 5000;",
		after => 'DROP TABLE short_answers;',
		queries => [
			map { "SELECT coalesce(string_agg(id::text, ', '), 'none')
				   FROM ($answers{$_}) AS answers WHERE got IS DISTINCT FROM core" }
			  @names ]
	  };
}
my @outcomes = try_groups($node, @groups);
foreach my $call_of (@calls)
{
	my @of_call = @{ shift @outcomes };
	my @unexpected = map { "$names[$_]: $of_call[$_]" }
	  grep { $of_call[$_] ne 'none' } 0 .. $#names;

	is(join("\n", @unexpected), '', "odd booleans: $call_of->{'call'} (seed $seed)");
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
