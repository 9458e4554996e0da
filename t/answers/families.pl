
# Each function answers as its plain SQL idiom does, and fails where that fails: for each
# type of elements, whatever the values, NULLs and dimensions of arrays, on each engine,
# and in each form in which an array can come.
#
# For each type, the answers of plain SQL are computed once.  Then, for each engine or
# form, one query calls all functions on all arrays and returns what differs.
# With GPUCOMPACT_TEST_FULL=1 in the environment, there are more arrays, and longer
# ones.  Without it and without a GPU, each pattern of NULLs goes with a third of the
# patterns of values.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../lib";

use Answers;
use Arrays;
use Calls;
use Gpucompact;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $seed = 0.31;
my $full = $ENV{GPUCOMPACT_TEST_FULL};
my @longer = $full ? (255, 257, 511, 513, 1023, 1024, 1025, 4095, 4096, 4097) : (255, 257, 513, 1025);
my %types = element_types();

my $node = start_server('families', "max_wal_size = '4GB'", 'max_parallel_workers_per_gather = 0');
$node->safe_psql('postgres', answer_functions());
my %all_engines = engines($node);
my $all_patterns = $full || exists $all_engines{'cuda'};

# The arrays of a type: some short ones of each kind, and some that are longer or have
# several dimensions.  Those of no element are all alike, and so are many of one.
sub make_arrays
{
	my ($type) = @_;
	my @values = value_patterns($type);
	my @nulls = null_patterns();
	my $sql = "SELECT setseed($seed);" . new_arrays($type);

	srand(1000 * $seed);
	foreach my $value (0 .. $#values)
	{
		foreach my $null (0 .. $#nulls)
		{
			next unless $all_patterns || ($value + $null) % 3 == 0;
			my @sizes = $full || $null == 0 ? (0, 1) : $null >= 4 ? (1) : ();

			push @sizes, $longer[ ($all_patterns ? $value : ($value + $null) / 3) % @longer ]
			  if $null % 4 == 1;
			$sql .= insert_arrays($type, $values[$value], $nulls[$null], @sizes,
				map { int(rand(200)) } 1 .. ($full ? 10 : 1));
		}
	}
	$sql .= insert_arrays($type, $values[3], $_, '1,1', '9,1', '3,11', '16,16', '2,3,4')
	  foreach 'false', 'random() < 0.2', 'true';
	$sql .= insert_arrays($type, odd_boolean(0.5), $_, 7, 100, 100, 2100)
	  foreach $type eq 'boolean' ? ('false', 'random() < 0.3') : ();
	return $sql;
}

# Short arrays are not shared by threads, unless these are asked for.  On a busy
# machine, threads that wait for each other take long; so each call is on a third
# of the arrays, and not the same one as the call before.
my %engines = map { $_ => $all_engines{$_} }
  grep { $full || !/cpu_threads = [24]/ } keys %all_engines;
my $auto = 'SET gpucompact.engine = auto; SET gpucompact.algorithm';
$engines{'parallel'} = "$auto = parallel; SET gpucompact.cpu_threads = 3;";
my %share = ('parallel' => 3, 'domains over arrays' => 25, 'arrays of a domain' => 25);

sub share { return $full ? 1 : $share{ $_[0] } // $_[1] }

foreach my $type (sort keys %types)
{
	my @calls = calls_on($type);
	my @ways = (
		(map { [ $_, 'stored', $engines{$_}, share($_, 1) ] } sort keys %engines),
		(map { [ $_, $_, '', share($_, 5) ] } 'in memory', 'expanded', 'taken apart', 'packed', 'pglz',
			'domains over arrays', 'arrays of a domain'));

	$node->safe_psql('postgres',
		make_arrays($type) . plain_answers(@calls) . compressed('pglz', $type));
	foreach my $way (@ways)
	{
		my ($name, $form, $settings, $share) = @$way;

		is($node->safe_psql('postgres', $settings . differences($form, $type, $share, @calls)),
			'', "$name, $type: " . @calls . " calls as plain SQL (seed $seed)");
	}

	# An array of several dimensions is an error for the other calls.
	my $refusing = join(', ', map { "(\$call\$$_->{'call'}\$call\$)" }
		  grep { !$_->{'shaped'} && $_->{'call'} =~ /\b[asp]\b/ } @calls);

	is($node->safe_psql('postgres', "
			SELECT call, outcome(format('SELECT (%s)::text FROM arrays WHERE id = %s', call, id)) AS got
			FROM (VALUES $refusing) AS v (call), (SELECT max(id) AS id FROM arrays WHERE shaped) AS w
			WHERE outcome(format('SELECT (%s)::text FROM arrays WHERE id = %s', call, id)) !~ '^0A000'"),
		'', "$type: several dimensions are refused");
}

# On long arrays of odd booleans, plain SQL takes long: what is true is compared.
my @calls = calls_on('boolean');
my $long = $full ? 3000000 : 70000;
$node->safe_psql('postgres', "SELECT setseed($seed);" . new_arrays('boolean')
	  . join('', map { insert_arrays('boolean', odd_boolean(0.5), $_, $long) } 'false', 'random() < 0.3'));
my $truth = join(', ', map {
		"moved(ARRAY(SELECT x = true FROM unnest($_) WITH ORDINALITY AS u (x, i) ORDER BY i), $_) AS $_"
	} 'a', 'mask');
is( $node->safe_psql('postgres', "
		CREATE TABLE truth AS SELECT id, value = true AS value, other = true AS other, b, $truth FROM arrays;"
	  . join(' UNION ALL ', map {
			"SELECT \$call\$$_->{'call'}\$call\$
			 FROM (SELECT id, $_->{'call'} AS core FROM truth OFFSET 0) AS t JOIN
				  (SELECT id, $_->{'call'} AS got FROM arrays OFFSET 0) AS o USING (id)
			 WHERE got IS DISTINCT FROM core" } @calls)),
	'', "long arrays of odd booleans (seed $seed)");

# Where plain SQL fails, so does a function, in the same words; where it does
# not, neither.
$node->safe_psql('postgres', 'CREATE TABLE outcomes (type text, core text)');
foreach my $type (grep { is_number($_) } sort keys %types)
{
	my @failing = calls_on($type, may_fail => 1);
	my $queries = join(', ', map { "(\$q\$$_->{'call'}\$q\$, \$q\$$_->{'idiom'}\$q\$)" } @failing);

	$node->safe_psql(
		'postgres', qq(
		SELECT setseed($seed);
		DROP TABLE IF EXISTS samples, outcomes_of;
		CREATE UNLOGGED TABLE samples AS
		SELECT n AS id,
			   ARRAY(SELECT CASE WHEN random() < 0.2 THEN NULL
								 WHEN random() < 0.8 THEN (random() * 6 - 3)::integer::$type
								 ELSE pool[1 + floor(random() * cardinality(pool))] END
					 FROM generate_series(1, n % 20)) AS a,
			   ARRAY(SELECT i % 3 FROM generate_series(1, n % 20) AS i) AS b
		FROM generate_series(1, 100) AS n, (SELECT '$types{$type}[0]'::$type\[] AS pool) AS pools;
		CREATE UNLOGGED TABLE outcomes_of AS
		SELECT id, a, call, outcome(format('SELECT %s FROM samples WHERE id = %s', idiom, id)) AS core
		FROM samples, (VALUES $queries) AS v (call, idiom);
		INSERT INTO outcomes SELECT '$type', core FROM outcomes_of;));
	foreach my $engine (sort keys %engines)
	{
		is( $node->safe_psql('postgres', "$engines{$engine}
				SELECT call, a, got, core
				FROM (SELECT *, outcome(format('SELECT %s FROM samples WHERE id = %s', call, id)) AS got
					  FROM outcomes_of WHERE id % @{[share($engine, 1)]} = 0 OFFSET 0) AS results
				WHERE got IS DISTINCT FROM core ORDER BY id LIMIT 5"),
			'', "$engine, $type: fails when plain SQL does (seed $seed)");
	}
}
is( $node->safe_psql('postgres', q(
		SELECT count(*) FILTER (WHERE core LIKE '22003: %') > 100 AND
			   count(*) FILTER (WHERE core NOT LIKE '22003: %') > 100
		FROM outcomes)),
	't', "plain SQL fails sometimes (seed $seed)");

# The sums and products of floats have one order, whatever the engine, the
# number of threads, and the way the array comes in.
my $longest = $full ? ',524289,1048577' : '';
$node->safe_psql(
	'postgres', qq(
	SELECT setseed($seed);
	CREATE UNLOGGED TABLE floats AS
	SELECT n, CASE WHEN nulls = 0 THEN a ELSE
			  ARRAY(SELECT CASE WHEN random() > nulls THEN x END
					FROM unnest(a) AS x) END AS a,
		   ARRAY(SELECT exp((random() - 0.5) * 0.05)
				 FROM generate_series(1, n)) AS p
	FROM (SELECT n, ARRAY(SELECT (random() - 0.5) * 10 ^ (random() * 10)
						  FROM generate_series(1, n)) AS a
		  FROM unnest('{1,2,7,8,9,31,32,33,127,128,129,255,256,257,1023,1024,
						1025,4095,4096,4097,8191,8193,65535,65536,65537,
						262145$longest}'::integer[]) AS n) AS random,
		 unnest('{0,0.3}'::double precision[]) AS nulls;
	ALTER TABLE floats ALTER a SET STORAGE EXTERNAL, ALTER p SET STORAGE EXTERNAL;
	CREATE VIEW sums AS
	SELECT n, gpu_prefix_sum(a) AS s8, gpu_prefix_sum(a::real[]) AS s4,
		   gpu_prefix_sum(a || '{}') AS s8_in_place,
		   gpu_prefix_sum(a, true) AS s8_exclusive,
		   gpu_scan(p, '*') AS p8, gpu_scan(p::real[], '*') AS p4,
		   gpu_reduce(a, '+') AS r8, gpu_reduce(a::real[], '+') AS r4,
		   gpu_dot(a, p) AS d8, gpu_dot(a::real[], p::real[]) AS d4, r.*
	FROM floats, gpu_regr(a, p) AS r;));
%engines = (%engines, %all_engines);
$engines{'sequential'} = "$auto = sequential;";
my $first = (sort keys %engines)[0];
$node->safe_psql('postgres', qq(
	$engines{$first}
	CREATE UNLOGGED TABLE first_sums AS SELECT row_number() OVER () AS id, * FROM sums;));
foreach my $engine (sort keys %engines)
{
	is( $node->safe_psql(
			'postgres', qq($engines{$engine}
			WITH s AS (SELECT row_number() OVER () AS id, * FROM sums)
			SELECT s.n
			FROM s JOIN first_sums AS f USING (id)
			WHERE NOT record_image_eq(s, f) OR
				  NOT record_image_eq(ROW(s.s8, s.r8),
									  ROW(s.s8_in_place, s.s8[s.n])) OR
				  s.s8[1] IS NOT NULL AND
				  NOT record_image_eq(ROW(s.s8_exclusive[2:]),
									  ROW(s.s8[:s.n - 1])))),
		'',
		"$engine: the same bits as by $first (seed $seed)");
}

survived($node);

done_testing();
