
# Each function answers as its plain SQL idiom does, for each type of elements
# and on each engine, on random arrays.
#
# For each type, the answers of plain SQL are computed once.  Then, for each
# engine, one query calls all functions on all arrays and returns what differs.
# With GPUCOMPACT_TEST_FULL=1 in the environment, there are more arrays, and
# longer ones.  Without it and without a GPU, each pattern of NULLs goes with a third
# of the patterns of values.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../lib";

use Arrays;
use Calls;
use Gpucompact;
use Idioms;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Random;
use Test::More;

my $seed = 0.31;
my $full = $ENV{GPUCOMPACT_TEST_FULL};
my $short = $full ? 10 : 1;
my @longer = $full ? (255, 257, 511, 513, 1023, 1024, 1025, 4095, 4096, 4097) : (255, 257, 513, 1025);
my %types = element_types();

my $node = start_server('families');
$node->append_conf('postgresql.conf',
	"max_wal_size = '4GB'\nmax_parallel_workers_per_gather = 0\n");
$node->reload;
$node->safe_psql('postgres',
	idiom_functions() . outcome_function(q(SQLSTATE || ': ' || SQLERRM))
	  . domains('gpu_packed', sort keys %types));
my %all_engines = engines($node);
my $all_patterns = $full || exists $all_engines{'cuda'};

# The arrays of a type, and what goes with them: integers, a mask, and a value
# to compare with; and numbers in range, if the type is one of numbers.
sub make_arrays
{
	my ($type) = @_;
	my $pool = $types{$type}[0];
	my @values = value_patterns($type);
	my @nulls = null_patterns();
	my $sql = qq(
		SELECT setseed($seed);
		DROP TABLE IF EXISTS arrays;
		CREATE UNLOGGED TABLE arrays (id serial, n integer, value $type, other $type,
			a $type\[], b integer[], mask boolean[], s $type\[], p $type\[]););

	foreach my $value (0 .. $#values)
	{
		my $element = $values[$value];

		foreach my $null (0 .. $#nulls)
		{
			next unless $all_patterns || ($value + $null) % 3 == 0;
			my $is_null = $nulls[$null];
			my $numbers = 'NULL, NULL';

			$numbers = join(
				', ',
				map { "ARRAY(SELECT CASE WHEN NOT $is_null THEN $_ END
							 FROM generate_series(1, n) AS i)" }
				  numbers_in_range($type)) if is_number($type);

			# Some short ones of each kind, and some that are longer.  Those of no
			# element are all alike, and so are many of one.
			my @sizes = $full || $null == 0 ? (0, 1) : $null >= 4 ? (1) : ();
			push @sizes, $longer[ ($all_patterns ? $value : ($value + $null) / 3) % @longer ]
			  if $null % 4 == 1;
			my $sizes = join(',', @sizes);
			$sql .= qq(
				INSERT INTO arrays (n, value, other, a, b, mask, s, p)
				SELECT n, $element, $element,
					   ARRAY(SELECT CASE WHEN NOT $is_null THEN $element END
							 FROM generate_series(1, n) AS i),
					   ARRAY(SELECT CASE WHEN random() < 0.9 THEN
									(random() * 10)::integer END
							 FROM generate_series(1, n) AS i),
					   ARRAY(SELECT CASE WHEN random() < 0.9 THEN
									random() < 0.5 END
							 FROM generate_series(1, n) AS i),
					   $numbers
				FROM (SELECT unnest('{$sizes}'::integer[]) AS n UNION ALL
					  SELECT (random() * 200)::integer
					  FROM generate_series(1, $short)) AS sizes,
					 (SELECT '$pool'::$type\[] AS pool) AS pools;);
		}
	}
	# One in five is not counted from 1.
	$sql .= qq(
		UPDATE arrays
		SET a = format('[%s:%s]=%s', id % 7 - 3, id % 7 - 4 + n, a)::$type\[]
		WHERE n > 0 AND id % 5 = 0;
		ALTER TABLE arrays ALTER a SET STORAGE EXTERNAL;
		ANALYZE arrays (id););
	return $sql;
}

# The answers of plain SQL.  To compress them, and to look at them for the
# planner, would take as long as to compute them.
sub make_answers
{
	my ($calls) = @_;
	my @numbers = (0 .. $#$calls);
	my $answers = 'SELECT id'
	  . join('', map { ", $calls->[$_]{'idiom'} AS answer_$_" } @numbers)
	  . ' FROM arrays';

	return "DROP TABLE IF EXISTS answers;
		CREATE UNLOGGED TABLE answers AS $answers WITH NO DATA;
		ALTER TABLE answers "
	  . join(', ', map { "ALTER answer_$_ SET STORAGE EXTERNAL" } @numbers)
	  . "; INSERT INTO answers $answers; ANALYZE answers (id);";
}

# A query for what differs, of each call, on one of the arrays.  If "a" is an array
# of a domain, so are results, and not all calls take it.
sub differences
{
	my ($calls, $many, $arrays, $of_domain) = @_;
	my @queries;

	foreach my $number (0 .. $#$calls)
	{
		my ($call, $own, $exact) = @{ $calls->[$number] }{ 'call', 'own', 'exact' };
		my $shown = $call =~ s/'/''/gr;
		my $differs = $of_domain ? 'got::text IS DISTINCT FROM core::text' : differs($exact);

		next if $of_domain && ($own || !$exact);

		push @queries, qq(
			(SELECT format('%s of array %s: %s, not %s', '$shown', id,
						   left(got::text, 200), left(core::text, 200))
			 FROM (SELECT id, $call AS got, answer_$number AS core
				   FROM $arrays AS arrays JOIN answers USING (id)
				   WHERE id % $many = $number % $many OFFSET 0) AS results
			 WHERE $differs ORDER BY id LIMIT 2));
	}
	return join("\nUNION ALL\n", @queries);
}

# The arrays of a type as values of domains: "a" packed, and cast; over arrays; and
# "a" over arrays of a domain.
sub values_of_domains
{
	my ($type) = @_;
	my %elements = (a => $type, b => 'integer', mask => 'boolean', s => $type, p => $type);
	my $value = join(', ', map { "$_\::" . domain('element', $type) . " AS $_" } 'value', 'other');
	my $arrays = join(', ',
		map { "$_\::" . domain('array', $elements{$_}) . " AS $_" } sort keys %elements);

	return (
		"(SELECT id, n, value, other, packed::$type\[] AS a, b, mask, s, p
		  FROM (SELECT *, gpu_pack(a)::" . domain('element', 'gpu_packed') . ' AS packed
				FROM arrays OFFSET 0) AS packed)',
		"(SELECT id, n, $value, $arrays FROM arrays OFFSET 0)",
		"(SELECT id, n, $value, a::" . domain('elements', $type)
		  . ' AS a, b, mask, s, p FROM arrays OFFSET 0)');
}

# Short arrays are not shared by threads, unless these are asked for.  On a busy
# machine, threads that wait for each other take long; so each call is on a third
# of the arrays, and not the same one as the call before.
my %engines = map { $_ => $all_engines{$_} }
  grep { $full || !/cpu_threads = [24]/ } keys %all_engines;
$engines{'parallel'} =
  'SET gpucompact.engine = auto; SET gpucompact.algorithm = parallel; SET gpucompact.cpu_threads = 3;';

foreach my $type (sort keys %types)
{
	my @calls = calls_on($type);

	$node->safe_psql('postgres', make_arrays($type) . make_answers(\@calls));
	foreach my $engine (sort keys %engines)
	{
		my $many = $engine eq 'parallel' && !$full ? 3 : 1;

		is( $node->safe_psql(
				'postgres', $engines{$engine} . differences(\@calls, $many, 'arrays')),
			'',
			"$engine, $type: " . @calls . " calls as plain SQL (seed $seed)");
	}

	# And so they do on an array that is packed first, and on other values of domains.
	my ($of_packed, $of_arrays, $of_elements) = values_of_domains($type);
	my $few = $full ? 1 : 25;

	is( $node->safe_psql('postgres', differences(\@calls, $full ? 1 : 5, $of_packed)),
		'',
		"packed, $type: " . @calls . " calls as plain SQL (seed $seed)");
	is( $node->safe_psql('postgres', differences(\@calls, $few, $of_arrays)),
		'', "domains over arrays, $type: calls as plain SQL (seed $seed)");
	is( $node->safe_psql('postgres', differences(\@calls, $few, $of_elements, 1)),
		'', "arrays of a domain, $type: calls as plain SQL (seed $seed)");
}

# Where plain SQL fails, so does a function, in the same words; where it does
# not, neither.
$node->safe_psql(
	'postgres', qq(
	SELECT setseed($seed);
	CREATE TABLE outcomes (id serial, query text, core text);));
foreach my $type (grep { is_number($_) } sort keys %types)
{
	my $pool = $types{$type}[0];
	my $sql = '';

	foreach my $failing (calls_on($type, may_fail => 1))
	{
		my ($call, $idiom) = map {
			'SELECT ' . s/'/''/gr =~ s/%/%%/gr . " FROM (SELECT %L::$type\[] AS a, %L::integer[] AS b OFFSET 0) AS v"
		} @$failing{ 'call', 'idiom' };

		$sql .= qq(
			INSERT INTO outcomes (query, core)
			SELECT format('$call', a, b), outcome(format('$idiom', a, b))
			FROM (SELECT ARRAY(
					SELECT CASE WHEN random() < 0.2 THEN NULL
								WHEN random() < 0.8 THEN
								(random() * 6 - 3)::integer::$type
								ELSE pool[1 + floor(random() * cardinality(pool))]
								END
					FROM generate_series(1, n % 20)) AS a,
				ARRAY(SELECT i % 3 FROM generate_series(1, n % 20) AS i) AS b
				  FROM generate_series(1, 100) AS n,
					   (SELECT '$pool'::$type\[] AS pool) AS pools
				  OFFSET 0) AS arrays;);
	}
	$node->safe_psql('postgres', $sql);
}
my $failures = $node->safe_psql('postgres',
	q(SELECT count(*) FILTER (WHERE core LIKE '22003: %') > 100 AND
			 count(*) FILTER (WHERE core NOT LIKE '22003: %') > 100
	  FROM outcomes));
is($failures, 't', "plain SQL fails sometimes (seed $seed)");
foreach my $engine (sort keys %engines)
{
	my $many = $engine eq 'parallel' && !$full ? 3 : 1;

	is( $node->safe_psql(
			'postgres', qq($engines{$engine}
			SELECT query, got, core
			FROM (SELECT *, outcome(query) AS got FROM outcomes
				  WHERE id % $many = 0 OFFSET 0) AS results
			WHERE got IS DISTINCT FROM core ORDER BY id LIMIT 5)),
		'',
		"$engine: fails when plain SQL does (seed $seed)");
}

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
$engines{'sequential'} =
  'SET gpucompact.engine = auto; SET gpucompact.algorithm = sequential;';
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
