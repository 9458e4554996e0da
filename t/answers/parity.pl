
# Every engine answers as plain SQL does, on every form in which an array can
# come, whatever its length, its values and its NULLs.
#
# The answers of plain SQL are computed once.  Then, for each engine and form,
# one query runs all functions on all arrays and returns what differs.  With
# GPUCOMPACT_TEST_FULL=1 in the environment, there are longer arrays, more lengths, and
# two threads, too.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../lib";

use Gpucompact;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $seed = 0.42;

# Element i of n.
my %values = (
	'random' => '(random() * 4294967295 - 2147483648)::bigint::integer',
	'few' => '(random() * 6)::integer - 3',
	'constant' => '-7',
	'zeros' => '0',
	'sorted' => 'i - n / 2',
	'reversed' => 'n / 2 - i',
	'extremes' => "('{-2147483648,2147483647,0,-1,1}'::integer[])"
	  . '[1 + (random() * 4)::integer]');

# Is element i of n NULL?
my %nulls = (
	'no NULLs' => 'false',
	'NULLs at byte edges' => 'i % 24 IN (7, 8, 9)',
	'NULLs first' => 'i <= n / 3 + 1',
	'NULLs last' => 'i > n - n / 3 - 1',
	'all NULLs' => 'true',
	'some NULLs' => 'random() < 0.1',
	'most NULLs' => 'random() < 0.9');

# All values and all NULLs at these sizes: around words, warps, blocks, and
# the size up to which a sort is done in another way.
my $small = '0,1,7,8,9,31,32,33,63,64,65,127,128,129,255,256,257,'
  . '1023,1024,1025,2047,2048,2049,4095,4096,4097';

# A few at these: around the first slice that is read of a TOASTed array,
# which ends after 7979 values, and pieces of 64k elements.
my $medium = $ENV{GPUCOMPACT_TEST_FULL}
  ? '7978,7979,7980,65535,65536,65537,131071,131072,131073'
  : '7979,7980,65536,65537,131073';

my @medium_kinds = (
	[ 'random', 'no NULLs' ],
	[ 'few', 'some NULLs' ],
	[ 'extremes', 'NULLs first' ]);

# And these: around a bitmap of NULLs that fills the first slice, and the sizes
# from which on threads share the work.
my @large = (
	[ 'few', 'some NULLs', 255328 ],
	[ 'extremes', 'NULLs first', 255329 ],
	[ 'random', 'no NULLs', '262143,262144,262145' ]);

# Around pieces of 512k and 1024k elements.
push @large, (
	[ 'few', 'some NULLs', 524287 ],
	[ 'random', 'NULLs at byte edges', 524288 ],
	[ 'extremes', 'NULLs first', 524289 ],
	[ 'random', 'no NULLs', 1048575 ],
	[ 'extremes', 'no NULLs', 1048576 ],
	[ 'few', 'no NULLs', 1048577 ])
  if $ENV{GPUCOMPACT_TEST_FULL};

# The functions' calls, and the columns with the answers of plain SQL.
my %answers = (
	'gpu_prefix_sum(%s)' => 'sums',
	'gpu_prefix_sum(%s, true)' => 'exclusive_sums',
	'gpu_compact(%s)' => 'compacted',
	'gpu_radix_sort(%s)' => 'ascending',
	'gpu_radix_sort(%s, nulls_first => true)' => 'ascending_nulls_first',
	'gpu_radix_sort(%s, true)' => 'descending',
	'gpu_radix_sort(%s, true, false)' => 'descending_nulls_last');

sub insert_arrays
{
	my ($kind, $null, $sizes) = @_;

	return qq(
		INSERT INTO arrays (label, a)
		SELECT n || ' elements, $kind, $null',
			   ARRAY(SELECT CASE WHEN $nulls{$null} THEN NULL
							ELSE $values{$kind} END
					 FROM generate_series(1, n) AS i)
		FROM unnest('{$sizes}'::integer[]) AS n;);
}

my $node = start_server('parity');
$node->append_conf('postgresql.conf', "max_wal_size = '4GB'\n");
$node->reload;

my $sql = qq(
	SELECT setseed($seed);
	CREATE UNLOGGED TABLE arrays (id serial, label text, a integer[]););
foreach my $kind (sort keys %values)
{
	$sql .= insert_arrays($kind, $_, $small) foreach sort keys %nulls;
}
$sql .= insert_arrays(@$_, $medium) foreach @medium_kinds;
$sql .= insert_arrays(@$_) foreach @large;

# An array in which a NULL stood and stands no more still has a bitmap.
$sql .= q(
	INSERT INTO arrays (label, a)
	SELECT label || ', but a bitmap', a || NULL::integer FROM arrays
	WHERE label LIKE '%, random, no NULLs';
	UPDATE arrays SET a[cardinality(a)] = -1 WHERE label LIKE '%, but a bitmap';);
$node->safe_psql('postgres', $sql);

$node->safe_psql(
	'postgres', q(
	CREATE UNLOGGED TABLE answers (id integer PRIMARY KEY, label text,
		sums bigint[], exclusive_sums bigint[],
		compacted integer[], ascending integer[],
		ascending_nulls_first integer[], descending integer[],
		descending_nulls_last integer[]);
	DO $$
	DECLARE
		name text;
	BEGIN
		FOR name IN SELECT attname FROM pg_attribute
			WHERE attrelid = 'answers'::regclass AND attnum > 2 LOOP
			EXECUTE format('ALTER TABLE answers ALTER %I SET STORAGE EXTERNAL',
						   name);
		END LOOP;
	END $$;

	-- In arrays that are long, what is the same but for its place is computed
	-- once: the sum before an element, and what is not NULL in order.
	INSERT INTO answers
	SELECT id, label, sums,
		   CASE WHEN cardinality(a) > 5000
		   THEN array_replace(0::bigint || sums[:cardinality(a) - 1], NULL, 0)
		   ELSE ARRAY(SELECT coalesce(sum(x) OVER (ORDER BY i ROWS BETWEEN
												   UNBOUNDED PRECEDING AND
												   1 PRECEDING), 0)
					  FROM unnest(a) WITH ORDINALITY AS u (x, i) ORDER BY i) END,
		   ARRAY(SELECT x FROM unnest(a) WITH ORDINALITY AS u (x, i)
				 WHERE x <> 0 ORDER BY i),
		   ascending,
		   CASE WHEN cardinality(a) > 5000
		   THEN nulls || ascending[:cardinality(a) - cardinality(nulls)]
		   ELSE ARRAY(SELECT x FROM unnest(a) AS x ORDER BY x NULLS FIRST) END,
		   descending,
		   CASE WHEN cardinality(a) > 5000
		   THEN descending[cardinality(nulls) + 1:] || nulls
		   ELSE ARRAY(SELECT x FROM unnest(a) AS x ORDER BY x DESC NULLS LAST) END
	FROM arrays,
		 LATERAL (
			SELECT ARRAY(SELECT sum(x) OVER (ORDER BY i)
						 FROM unnest(a) WITH ORDINALITY AS u (x, i) ORDER BY i),
				   array_positions(a, NULL),
				   ARRAY(SELECT x FROM unnest(a) AS x ORDER BY x),
				   ARRAY(SELECT x FROM unnest(a) AS x ORDER BY x DESC)
			OFFSET 0) AS v (sums, places, ascending, descending),
		 LATERAL (
			SELECT array_fill(NULL::integer, ARRAY[cardinality(places)])
			OFFSET 0) AS w (nulls);
	ANALYZE answers (id);));

# The forms of an array: out of which table it comes, and by what expression.
my %forms = (
	'external' => [ 'stored_external', 'a' ],
	'pglz' => [ 'stored_pglz', 'a' ],
	'never stored' => [ 'stored_external', "(a || '{}'::integer[])" ],
	'expanded' => [ 'stored_external', 'expanded(a)' ],
	'expanded and taken apart' => [ 'stored_external', 'taken_apart(a)' ]);

my $lz4 = $node->safe_psql('postgres',
	q(SELECT enumvals @> '{lz4}' FROM pg_settings
	  WHERE name = 'default_toast_compression')) eq 't';
$forms{'lz4'} = [ 'stored_lz4', 'a' ] if $lz4;
note('lz4: this server is built without') unless $lz4;

# What a function of PL/pgSQL returns is the expanded array of its variable.
# Elements are taken apart by assignments; a few are enough in a large array.
$node->safe_psql(
	'postgres', q(
	CREATE FUNCTION expanded(a integer[]) RETURNS integer[]
	LANGUAGE plpgsql AS 'BEGIN RETURN a; END';
	CREATE FUNCTION taken_apart(a integer[]) RETURNS integer[]
	LANGUAGE plpgsql AS
	'BEGIN
		FOR i IN 1 .. least(cardinality(a), 100) LOOP
			a[i] := a[i];
		END LOOP;
		RETURN a;
	 END';));
foreach my $form ('external', 'pglz', $lz4 ? ('lz4') : ())
{
	my $how =
	  $form eq 'external'
	  ? 'ALTER TABLE stored_external ALTER a SET STORAGE EXTERNAL'
	  : "ALTER TABLE stored_$form ALTER a SET COMPRESSION $form";

	# What is stored is taken over as it is, unless it is something new.
	$node->safe_psql(
		'postgres', qq(
		CREATE UNLOGGED TABLE stored_$form (id integer PRIMARY KEY, a integer[]);
		$how;
		INSERT INTO stored_$form
		SELECT id, a || '{}'::integer[] FROM arrays;
		ANALYZE stored_$form;));
}

# In words, how an array differs from what it should be.
$node->safe_psql(
	'postgres', q(
	CREATE FUNCTION difference(got anyarray, core anyarray) RETURNS text
	LANGUAGE sql AS $$
		SELECT CASE
			WHEN got IS NULL THEN 'is NULL'
			WHEN array_dims(got) IS DISTINCT FROM array_dims(core) THEN
				format('has dimensions %s, not %s',
					   array_dims(got), array_dims(core))
			ELSE coalesce(
				(SELECT format('element %s is %s, not %s', i,
							   coalesce(g::text, 'NULL'),
							   coalesce(c::text, 'NULL'))
				 FROM unnest(got, core) WITH ORDINALITY AS u (g, c, i)
				 WHERE g IS DISTINCT FROM c ORDER BY i LIMIT 1),
				'has the same elements, but other bytes')
			END $$;));

my $count = $node->safe_psql('postgres', 'SELECT count(*) FROM answers');
note("$count arrays, " . keys(%answers) . ' calls of each, seed ' . $seed);

# The results are compared byte for byte: such an array is well formed
# too, with no bitmap that it does not need and nothing after its end.
sub differences
{
	my ($table, $expression) = @_;
	my @queries;

	foreach my $call (sort keys %answers)
	{
		my $column = $answers{$call};
		my $got = sprintf($call, $expression);
		my $shown = sprintf($call, 'a');

		push @queries, qq(
			(SELECT '$shown of ' || label || ': ' || difference(got, core)
			 FROM (SELECT label, $got AS got, $column AS core
				   FROM $table JOIN answers USING (id) OFFSET 0) AS results
			 WHERE NOT record_image_eq(ROW(got), ROW(core))
			 ORDER BY length(label), label LIMIT 5));
	}
	return join("\nUNION ALL\n", @queries);
}

# Of several threads, four do for two.
my %engines = engines($node);
delete $engines{'cpu_threads = 2'} unless $ENV{GPUCOMPACT_TEST_FULL};
foreach my $engine (sort keys %engines)
{
	foreach my $form (sort keys %forms)
	{
		my $different = $node->safe_psql('postgres',
			$engines{$engine} . differences(@{ $forms{$form} }));

		is($different, '', "$engine, $form: as plain SQL (seed $seed)");
	}
}

# lz4 writes a long run as a length that is longer than what is read first of a
# stored array.
SKIP:
{
	skip('no lz4', 1) unless $lz4;
	is( $node->safe_psql(
			'postgres', q(
			CREATE TABLE constant (a bigint[] COMPRESSION lz4);
			INSERT INTO constant SELECT array_fill(7::bigint, ARRAY[2000000]);
			SELECT gpu_reduce(a, 'max'), cardinality(gpu_compact(a)) FROM constant)),
		'7|2000000', 'lz4: one run');
}

survived($node);

done_testing();
