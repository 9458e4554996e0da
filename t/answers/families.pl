
# Each function answers as its plain SQL idiom does, and fails where that fails: for each
# type of elements, whatever the values, NULLs and dimensions of arrays, on each engine,
# and in each form in which an array can come.
#
# For each type, the answers of plain SQL are computed once.  Then, for each engine or
# form, one query calls all functions on all arrays and returns what differs.
# With GPUCOMPACT_TEST_FULL=1 in the environment, there are more arrays, and longer
# ones.  Without it and without a GPU, each pattern of NULLs goes with one of the patterns
# of values, another one for the next type, and a type has one longer array: engines.pl
# has all lengths, and parity.pl has longer ones of all calls.

use lib 't/lib';

use Answers;
use Arrays;
use Calls;
use Gpucompact;

my $seed = 0.31;
my $full = $ENV{GPUCOMPACT_TEST_FULL};
my $next = 0;    # by turns, over all types
my $types = 0;
my @longer = (255, 257, 513, 1025, $full ? (511, 1023, 1024, 4095, 4096, 4097) : ());
my %types = element_types();

my $node = start_server('families', "max_wal_size = '4GB'", 'max_parallel_workers_per_gather = 0');
$node->safe_psql('postgres', answer_functions());
my %all_engines = engines($node);
my $all_patterns = $full || exists $all_engines{'cuda'};

# The arrays of a type: some short ones of each kind, and some that are longer or
# have several dimensions.  All arrays without elements are alike, and so are many
# with one element.
sub make_arrays
{
	my ($type) = @_;
	my @values = value_patterns($type);
	my @nulls = null_patterns();
	my $sql = "SELECT setseed($seed);" . new_arrays($type);

	srand(1000 * $seed);
	$types++;
	foreach my $value (0 .. $#values)
	{
		foreach my $null (0 .. $#nulls)
		{
			next unless $all_patterns || ($value + $null + $types) % @values == 0;
			my @sizes = $full || $null == 0 ? (0, 1) : $null >= 4 ? (1) : ();

			push @sizes, $longer[ $next++ % @longer ]
			  if $null % 4 == 1 && ($all_patterns || $null == 1 + $types % 2 * 4);
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
		(map { [ "$_, $type", $engines{$_}, 'stored', share($_, 1) ] } sort keys %engines),
		(map { [ "$_, $type", '', $_, share($_, 5) ] } 'in memory', 'expanded', 'taken apart',
			'packed', 'pglz', 'domains over arrays', 'arrays of a domain'));

	$node->safe_psql('postgres',
		make_arrays($type) . plain_answers(@calls) . compressed('pglz', $type));
	answers_equal($node, $type, \@ways, @calls);

	# An array of several dimensions is an error for the other calls.
	my $refusing = join(', ', map { "(\$call\$$_->{'call'}\$call\$)" }
		  grep { !$_->{'shaped'} && $_->{'call'} =~ /\b[asp]\b/ } @calls);

	is($node->safe_psql('postgres', "
			SELECT call, got
			FROM (VALUES $refusing) AS v (call),
				 (SELECT max(id) AS id FROM arrays WHERE shaped) AS w,
				 format('SELECT (%s)::text FROM arrays WHERE id = %s', call, id) AS query,
				 outcome(query) AS got
			WHERE got !~ '^0A000'"), '', "$type: several dimensions are refused");
}

# On long arrays of odd booleans, plain SQL takes long: what is true is compared.
my @calls = calls_on('boolean', one_each => !$full);
my $long = $full ? 3000000 : 70000;
$node->safe_psql('postgres', "SELECT setseed($seed);" . new_arrays('boolean')
	  . insert_arrays('boolean', odd_boolean(0.5), 'n % 2 = 0 AND random() < 0.3', $long, $long + 1));
my $truth = join(', ', map {
		"moved(ARRAY(SELECT x = true FROM unnest($_) WITH ORDINALITY AS u (x, i)
					 ORDER BY i), $_) AS $_"
	} 'a', 'mask');
is($node->safe_psql('postgres', "
		CREATE TABLE truth AS
		SELECT id, value = true AS value, other = true AS other, b, $truth FROM arrays;"
	  . join(' UNION ALL ', map {
			"SELECT \$call\$$_->{'call'}\$call\$
			 FROM (SELECT id, $_->{'call'} AS core FROM truth OFFSET 0) AS t JOIN
				  (SELECT id, $_->{'call'} AS got FROM arrays OFFSET 0) AS o USING (id)
			 WHERE got IS DISTINCT FROM core" } @calls)),
	'', "long arrays of odd booleans (seed $seed)");

# Where plain SQL fails, so does a function, in the same words; where it does
# not, neither.
my $query = 'SELECT %s FROM samples WHERE id = %s';
$node->safe_psql('postgres', 'CREATE TABLE outcomes (type text, core text)');
foreach my $type (grep { is_number($_) } sort keys %types)
{
	my @failing = calls_on($type, may_fail => 1);
	my $queries = join(', ', map { "(\$q\$$_->{'call'}\$q\$, \$q\$$_->{'idiom'}\$q\$)" } @failing);

	$node->safe_psql('postgres', qq(
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
		SELECT id, a, call, outcome(format('$query', idiom, id)) AS core
		FROM samples, (VALUES $queries) AS v (call, idiom);
		INSERT INTO outcomes SELECT '$type', core FROM outcomes_of;));
	foreach my $engine (sort keys %engines)
	{
		is($node->safe_psql('postgres', "$engines{$engine}
				SELECT call, a, got, core
				FROM (SELECT *, outcome(format('$query', call, id)) AS got
					  FROM outcomes_of WHERE id % @{[share($engine, 1)]} = 0 OFFSET 0) AS results
				WHERE got IS DISTINCT FROM core ORDER BY id LIMIT 5"),
			'', "$engine, $type: fails when plain SQL does (seed $seed)");
	}
}
is($node->safe_psql('postgres', q(
		SELECT count(*) FILTER (WHERE core LIKE '22003: %') > 100 AND
			   count(*) FILTER (WHERE core NOT LIKE '22003: %') > 100
		FROM outcomes)), 't', "plain SQL fails sometimes (seed $seed)");

# The sums and products of floats have one order, whatever the engine, the number of
# threads, and the way in which the array comes.
my @lengths = (1, 2, 7, 31, map({ ($_ - 1, $_, $_ + 1) } 8, 32, 128, 256, 1024, 4096), 8191, 8193,
	65535 .. 65537, 131073, $full ? (262145, 524289, 1048577) : ());
my $near_1 = q(gpu_map(gpu_map(p, '/', 40), '+', 1));
my @sums = map { { 'call' => $_, 'idiom' => $_, 'exact' => 1 } } 'gpu_prefix_sum(a)',
  'gpu_prefix_sum(a, true)', "gpu_scan($near_1, '*')", q(ARRAY[gpu_reduce(a, '+')]),
  'ARRAY[gpu_dot(a, p)]', '(SELECT r::text FROM gpu_regr(a, p) AS r)';
%engines = (%engines, %all_engines, 'sequential' => "$auto = sequential;");
my ($first, @others) = sort keys %engines;
foreach my $type ('real', 'double precision')
{
	my $wide = "((random() - 0.5) * 10 ^ (random() * 10))::$type";

	$node->safe_psql('postgres', "$engines{$first} SELECT setseed($seed);" . new_arrays($type)
		  . join('', map { insert_arrays($type, $wide, $_, @lengths) } 'false', 'random() < 0.3')
		  . plain_answers(@sums));
	is($node->safe_psql('postgres', q(
			SELECT id FROM (SELECT id, gpu_prefix_sum(a[:]) AS s, gpu_prefix_sum(a[:], true) AS e,
								   gpu_reduce(a, '+') AS r, cardinality(a) AS n FROM arrays) AS sums
			WHERE NOT record_image_eq(ROW(r), ROW(s[array_upper(s, 1)])) OR
				  s[array_lower(s, 1)] IS NOT NULL AND
				  NOT record_image_eq(ROW(e[array_lower(e, 1) + 1:]),
									  ROW(s[:array_upper(s, 1) - 1])))),
		'', "$type: exclusive sums and the sum are those of gpu_prefix_sum");
	answers_equal($node, $type, [ map {
				my ($engine, $form) = @$_;
				[ "$engine, $form, $type, as by $first", $engines{$engine}, $form, 1 ]
			} (map { [ $_, 'stored' ] } @others), [ $first, 'in memory' ] ], @sums);
}

survived($node);

done_testing();
