
# Each function answers as its plain SQL idiom does, for each type of elements
# and on each engine, on random arrays.
#
# For each type, the answers of plain SQL are computed once.  Then, for each
# engine, one query calls all functions on all arrays and returns what differs.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/lib";

use Gpucompact;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $seed = 0.31;

# For each type, some values that matter (the first three come often), and one
# of all the others.
my %types = (
	'smallint' => [
		'{0,1,-1,-32768,-32767,32766,32767}',
		'random() * 65535 - 32768'
	],
	'integer' => [
		'{0,1,-1,-2147483648,-2147483647,2147483646,2147483647,65536}',
		'random() * 4294967295 - 2147483648'
	],
	'bigint' => [
		'{0,1,-1,-9223372036854775808,-9223372036854775807,
		  9223372036854775806,9223372036854775807,4294967296}',
		'random() * 1.8e19 - 9e18'
	],
	'real' => [
		'{0,1,-0,-1,NaN,Infinity,-Infinity,3.4028235e38,-3.4028235e38,
		  1e-45,-1e-45}',
		'(random() - 0.5) * 10 ^ (random() * 60 - 30)'
	],
	'double precision' => [
		'{0,1,-0,-1,NaN,Infinity,-Infinity,1.7976931348623157e308,
		  -1.7976931348623157e308,5e-324,-5e-324}',
		'(random() - 0.5) * 10 ^ (random() * 600 - 300)'
	],
	'date' => [
		'{2000-01-01,1999-12-31,infinity,-infinity,4713-01-01 BC,
		  5874897-12-31}',
		q(date '2000-01-01' + (random() * 1000000)::integer)
	],
	'time' => [
		'{00:00,12:00,24:00,23:59:59.999999}',
		q(time '00:00' + random() * interval '24 hours')
	],
	'timestamp' => [
		'{2000-01-01,1999-12-31 23:59:59.999999,infinity,-infinity}',
		q(timestamp '2000-01-01' + (random() - 0.5) * interval '1000 years')
	],
	'timestamptz' => [
		'{2000-01-01+00,1999-12-31 23:59:59.999999+00,infinity,-infinity}',
		q(timestamptz '2000-01-01+00' + (random() - 0.5) * interval '1000 years')
	],
	'oid' => [
		'{0,1,4294967295,2147483647,2147483648}',
		'(random() * 4294967295)::bigint'
	],
	'money' => [
		'{0,0.01,-0.01,92233720368547758.07,-92233720368547758.08}',
		'(random() * 1e16 - 5e15)::numeric'
	],
	'boolean' => [ '{f,t}', 'random() < 0.9' ],
	'"char"' => [
		q({"",a,b,\\\\177}),
		'(random() * 255 - 128)::integer'
	]);

my @integers = ('smallint', 'integer', 'bigint');
my @floats = ('real', 'double precision');
my %is_number = map { $_ => 1 } @integers, @floats;
my %is_float = map { $_ => 1 } @floats;
my %has_zero = map { $_ => 1 } @integers, @floats, 'oid', 'money', 'boolean',
  '"char"';

# Is element i of n NULL?
my @nulls = (
	'false',
	'i % 24 IN (7, 8, 9)',
	'i <= n / 3 + 1',
	'i > n - n / 3 - 1',
	'true',
	'random() < 0.1',
	'random() < 0.9',
	'i / 5 % 2 = 1');

# What an array is made of: values of the first sort, of the second, or both.
my @values = (
	'pool[1 + floor(random() * cardinality(pool))]',
	'pool[1 + floor(random() * least(3, cardinality(pool)))]',
	'one_value',
	'CASE WHEN random() < 0.5 THEN one_value
		  ELSE pool[1 + floor(random() * cardinality(pool))] END');

my $node = start_server('families');
$node->append_conf('postgresql.conf',
	"max_wal_size = '4GB'\nmax_parallel_workers_per_gather = 0\n");
$node->reload;

# Operators as aggregates, as anyone would make them.  (The results of sum()
# are of another type.)
my %prefix = (
	'smallint' => 'int2',
	'integer' => 'int4',
	'bigint' => 'int8',
	'real' => 'float4',
	'double precision' => 'float8');
foreach my $type (sort keys %prefix)
{
	$node->safe_psql(
		'postgres', qq(
		CREATE AGGREGATE total($type) (sfunc = $prefix{$type}pl, stype = $type);
		CREATE AGGREGATE product($type) (sfunc = $prefix{$type}mul,
										 stype = $type);));
}

# The answer of plain SQL, moved to the lower bound of another array; and what
# comes of a query that may fail.
$node->safe_psql(
	'postgres', q(
	CREATE FUNCTION moved(core anyarray, a anycompatiblearray)
	RETURNS anyarray LANGUAGE plpgsql AS $$
	DECLARE
		first integer := array_lower(a, 1);
	BEGIN
		IF first = 1 OR core = '{}' THEN
			RETURN core;
		END IF;
		RETURN format('[%s:%s]=%s', first, first + cardinality(core) - 1, core);
	END $$;
	CREATE FUNCTION outcome(query text) RETURNS text LANGUAGE plpgsql AS $$
	DECLARE
		result text;
	BEGIN
		EXECUTE query INTO result;
		RETURN result;
	EXCEPTION WHEN OTHERS THEN
		RETURN SQLSTATE || ': ' || SQLERRM;
	END $$;));

# The arrays of a type, and what goes with them: integers, a mask, and a value
# to compare with.  Of numbers there are such, too, whose sums, differences and
# products are exact and in range.
sub make_arrays
{
	my ($type) = @_;
	my ($pool, $one_value) = @{ $types{$type} };
	my $half = $is_float{$type} ? '/ 2' : '';
	my $sql = qq(
		SELECT setseed($seed);
		DROP TABLE IF EXISTS arrays;
		CREATE UNLOGGED TABLE arrays (id serial, n integer, value $type,
			a $type\[], b integer[], mask boolean[], s $type\[], p $type\[]););

	foreach my $value (0 .. $#values)
	{
		my $element = $values[$value] =~ s/one_value/($one_value)::$type/r;

		foreach my $null (0 .. $#nulls)
		{
			my $is_null = $nulls[$null];
			my $numbers = $is_number{$type}
			  ? qq(ARRAY(SELECT CASE WHEN NOT $is_null THEN
								(round(random() * 20 - 10) $half)::$type END
						 FROM generate_series(1, n) AS i),
				   ARRAY(SELECT CASE WHEN NOT $is_null THEN
								CASE WHEN random() < 0.001 THEN 0
									 WHEN i <= 10 THEN 2
									 WHEN random() < 0.5 THEN -1
									 ELSE 1 END END::$type
						 FROM generate_series(1, n) AS i))
			  : 'NULL, NULL';

			# Ten short ones of each kind, and some that are longer.
			my $sizes = '{0,1';
			$sizes .= ',' . (1023, 4095, 4096, 4097)[$value]
			  if $null % 4 == 1;
			$sql .= qq(
				INSERT INTO arrays (n, value, a, b, mask, s, p)
				SELECT n, $element,
					   ARRAY(SELECT CASE WHEN NOT $is_null THEN $element END
							 FROM generate_series(1, n) AS i),
					   ARRAY(SELECT CASE WHEN random() < 0.9 THEN
									(random() * 10)::integer END
							 FROM generate_series(1, n) AS i),
					   ARRAY(SELECT CASE WHEN random() < 0.9 THEN
									random() < 0.5 END
							 FROM generate_series(1, n) AS i),
					   $numbers
				FROM (SELECT unnest('$sizes}'::integer[]) AS n UNION ALL
					  SELECT (random() * 300)::integer
					  FROM generate_series(1, 10)) AS sizes,
					 (SELECT '$pool'::$type\[] AS pool) AS pools;);
		}
	}
	# One in five is not counted from 1.
	$sql .= qq(
		UPDATE arrays
		SET a = format('[%s:%s]=%s', id % 7 - 3, id % 7 - 4 + n, a)::$type\[]
		WHERE n > 0 AND id % 5 = 0;
		ALTER TABLE arrays ALTER a SET STORAGE EXTERNAL;
		ANALYZE arrays;);
	return $sql;
}

my $elements = 'unnest(a) WITH ORDINALITY AS u (x, i)';
my $runs = qq(
	(SELECT x, i, count(*) FILTER (WHERE begins) OVER (ORDER BY i) AS run
	 FROM (SELECT x, i,
				  i = 1 OR x IS DISTINCT FROM lag(x) OVER (ORDER BY i) AS begins
		   FROM $elements) AS marked) AS numbered);

# The calls for a type: each with its idiom, and whether it is to be compared
# byte for byte; for which of several equal elements is there, of 0 and -0, say,
# plain SQL does not say either.
sub calls_on
{
	my ($type) = @_;
	my $exact = !$is_float{$type};
	my @calls;

	push @calls, [ 'gpu_compact(a)',
		"ARRAY(SELECT x FROM $elements WHERE x <> 0::$type ORDER BY i)", 1 ]
	  if $has_zero{$type};
	foreach my $op ('=', '<>', '<', '<=', '>', '>=')
	{
		push @calls,
		  [ "gpu_compact(a, '$op', value)",
			"ARRAY(SELECT x FROM $elements WHERE x $op value ORDER BY i)", 1 ],
		  [ "gpu_positions(a, '$op', value)",
			"ARRAY(SELECT i::integer FROM $elements WHERE x $op value ORDER BY i)",
			1 ];
	}
	push @calls,
	  [ 'gpu_compact(a, mask)',
		'ARRAY(SELECT x FROM unnest(a, mask) WITH ORDINALITY AS u (x, m, i)
			   WHERE m ORDER BY i)', 1 ],
	  [ 'gpu_positions(mask)',
		'ARRAY(SELECT i::integer FROM unnest(mask) WITH ORDINALITY AS u (m, i)
			   WHERE m ORDER BY i)', 1 ];

	my %orders = (
		'' => '',
		', true' => 'DESC',
		', nulls_first => true' => 'NULLS FIRST',
		', true, false' => 'DESC NULLS LAST');
	foreach my $order (sort keys %orders)
	{
		push @calls,
		  [ "gpu_radix_sort(a$order)",
			"moved(ARRAY(SELECT x FROM $elements ORDER BY x $orders{$order}), a)",
			$exact ],
		  [ "gpu_argsort(a$order)",
			"moved(ARRAY(SELECT i::integer FROM $elements
						 ORDER BY x $orders{$order}, i), a)", 1 ],
		  [ "gpu_sort_by_key(b, a$order)",
			"ARRAY(SELECT y FROM unnest(a, b) WITH ORDINALITY AS u (x, y, i)
				   ORDER BY x $orders{$order}, i)", 1 ],
		  [ "gpu_sort_by_key(a, b$order)",
			"moved(ARRAY(SELECT x FROM unnest(a, b) WITH ORDINALITY AS u (x, y, i)
						 ORDER BY y $orders{$order}, i), a)", 1 ];
	}
	push @calls,
	  [ 'gpu_distinct(a)', "ARRAY(SELECT DISTINCT x FROM $elements ORDER BY x)",
		$exact ],
	  [ '(SELECT d.values FROM gpu_distinct_counts(a) AS d)',
		"ARRAY(SELECT DISTINCT x FROM $elements ORDER BY x)", $exact ],
	  [ '(SELECT d.counts FROM gpu_distinct_counts(a) AS d)',
		"ARRAY(SELECT count(*)::integer FROM $elements GROUP BY x ORDER BY x)",
		1 ],
	  [ '(SELECT r.values FROM gpu_run_lengths(a) AS r)',
		"ARRAY(SELECT (array_agg(x ORDER BY i))[1] FROM $runs
			   GROUP BY run ORDER BY run)", $exact ],
	  [ '(SELECT r.lengths FROM gpu_run_lengths(a) AS r)',
		"ARRAY(SELECT count(*)::integer FROM $runs GROUP BY run ORDER BY run)", 1 ];
	return @calls unless $is_number{$type};

	my $sum = $is_float{$type} ? $type : 'bigint';
	push @calls,
	  [ 'gpu_prefix_sum(s)', scan_idiom('s', "sum(x)::$sum", ''), 1 ],
	  [ 'gpu_prefix_sum(s, true)', scan_idiom('s', "sum(x)::$sum", "0::$sum"), 1 ],
	  [ 'gpu_delta(s)',
		'ARRAY(SELECT CASE i WHEN 1 THEN x ELSE x - lag(x) OVER (ORDER BY i) END
			   FROM unnest(s) WITH ORDINALITY AS u (x, i) ORDER BY i)', 1 ];

	# The operators: on what, as which aggregate, what an exclusive scan starts
	# with, and whether the bits of the result are given.
	my %operators = (
		'+' => [ 's', 'total', '0', 1 ],
		'*' => [ 'p', 'product', '1', 1 ],
		'min' => [ 'a', 'min', 'NULL', $exact ],
		'max' => [ 'a', 'max', 'NULL', $exact ]);
	%operators = (
		%operators,
		'&' => [ 'a', 'bit_and', '-1', 1 ],
		'|' => [ 'a', 'bit_or', '0', 1 ],
		'#' => [ 'a', 'bit_xor', '0', 1 ]) if $exact;
	foreach my $op (sort keys %operators)
	{
		my ($on, $aggregate, $start, $bits) = @{ $operators{$op} };
		my $inclusive = scan_idiom($on, "$aggregate(x)", '');
		my $exclusive = scan_idiom($on, "$aggregate(x)", "$start\::$type");

		push @calls,
		  [ "gpu_scan($on, '$op')", "moved($inclusive, $on)", $bits ],
		  [ "gpu_scan($on, '$op', true)", "moved($exclusive, $on)", $bits ],
		  [ "ARRAY[gpu_reduce($on, '$op')]",
			"ARRAY[(SELECT $aggregate(x ORDER BY i)
					FROM unnest($on) WITH ORDINALITY AS u (x, i))]", $bits ];
	}
	return @calls;
}

# A window aggregate over an array; over what comes before each element, if
# there is something to start with.
sub scan_idiom
{
	my ($on, $aggregate, $start) = @_;
	my ($function, $cast) = split(/(?=::)/, $aggregate);
	my $frame = $start eq '' ? '' : 'ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING';

	$cast //= '';
	my $value = "($function OVER (ORDER BY i $frame))$cast";
	$value = "coalesce($value, $start)" if $start ne '';
	return "ARRAY(SELECT $value
				  FROM unnest($on) WITH ORDINALITY AS u (x, i) ORDER BY i)";
}

# A query for what differs.
sub differences
{
	my ($calls) = @_;
	my @queries;

	foreach my $number (0 .. $#$calls)
	{
		my ($call, $idiom, $exact) = @{ $calls->[$number] };
		my $shown = $call =~ s/'/''/gr;
		my $differs = $exact
		  ? 'NOT record_image_eq(ROW(got), ROW(core))'
		  : "got IS DISTINCT FROM core OR
			 pg_column_size(got || '{}') <> pg_column_size(core || '{}')";

		push @queries, qq(
			(SELECT format('%s of array %s: %s, not %s', '$shown', id,
						   left(got::text, 200), left(core::text, 200))
			 FROM (SELECT id, $call AS got, answer_$number AS core
				   FROM arrays JOIN answers USING (id) OFFSET 0) AS results
			 WHERE $differs ORDER BY id LIMIT 2));
	}
	return join("\nUNION ALL\n", @queries);
}

# Besides, short arrays shared by threads, as else none would be.
my %engines = engines($node);
$engines{'parallel'} =
  'SET gpucompact.engine = auto; SET gpucompact.algorithm = parallel; SET gpucompact.cpu_threads = 3;';

foreach my $type (sort keys %types)
{
	my @calls = calls_on($type);

	$node->safe_psql('postgres',
			make_arrays($type)
		  . 'DROP TABLE IF EXISTS answers;
			 CREATE UNLOGGED TABLE answers AS SELECT id'
		  . join('', map { ", $calls[$_][1] AS answer_$_" } 0 .. $#calls)
		  . ' FROM arrays; ANALYZE answers;');
	foreach my $engine (sort keys %engines)
	{
		is( $node->safe_psql('postgres', $engines{$engine} . differences(\@calls)),
			'',
			"$engine, $type: " . @calls . " calls as plain SQL (seed $seed)");
	}
}

# Where plain SQL fails, so does a function, in the same words; where it does
# not, neither.  (The sums of floats have an order of their own.)
$node->safe_psql(
	'postgres', qq(
	SELECT setseed($seed);
	CREATE TABLE outcomes (id serial, query text, core text);));
foreach my $type (@integers, @floats)
{
	my ($pool) = @{ $types{$type} };
	my $from = "FROM unnest(%1\$L::$type\[]) WITH ORDINALITY AS u (x, i)";
	my @failing = (
		[ "gpu_delta(%1\$L::$type\[])",
		  "ARRAY(SELECT CASE i WHEN 1 THEN x ELSE x - lag(x) OVER (ORDER BY i) END
				 $from ORDER BY i)" ]);

	foreach my $operator ([ '+', 'total' ], [ '*', 'product' ])
	{
		my ($op, $aggregate) = @$operator;

		push @failing,
		  [ "gpu_scan(%1\$L::$type\[], ''$op'')",
			"ARRAY(SELECT $aggregate(x) OVER (ORDER BY i) $from ORDER BY i)" ],
		  [ "gpu_reduce(%1\$L::$type\[], ''$op'')",
			"(SELECT $aggregate(x ORDER BY i) $from)" ]
		  unless $is_float{$type};
	}
	push @failing,
	  [ "gpu_prefix_sum(%1\$L::$type\[])",
		"ARRAY(SELECT total(x::bigint) OVER (ORDER BY i) $from ORDER BY i)" ]
	  unless $is_float{$type};
	foreach my $failing (@failing)
	{
		my ($call, $idiom) = @$failing;
		my $copy = $idiom =~ s/'/''/gr;

		$node->safe_psql(
			'postgres', qq(
			INSERT INTO outcomes (query, core)
			SELECT format('SELECT $call', a), outcome(format('SELECT $copy', a))
			FROM (SELECT ARRAY(
					SELECT CASE WHEN random() < 0.2 THEN NULL
								WHEN random() < 0.8 THEN
								(random() * 6 - 3)::integer::$type
								ELSE pool[1 + floor(random() * cardinality(pool))]
								END
					FROM generate_series(1, n % 20)) AS a
				  FROM generate_series(1, 300) AS n,
					   (SELECT '$pool'::$type\[] AS pool) AS pools
				  OFFSET 0) AS arrays;));
	}
}
my $failures = $node->safe_psql('postgres',
	q(SELECT count(*) FILTER (WHERE core LIKE '22003: %') > 100 AND
			 count(*) FILTER (WHERE core NOT LIKE '22003: %') > 100
	  FROM outcomes));
is($failures, 't', "plain SQL fails sometimes (seed $seed)");
foreach my $engine (sort keys %engines)
{
	is( $node->safe_psql(
			'postgres', qq($engines{$engine}
			SELECT query, got, core
			FROM (SELECT *, outcome(query) AS got FROM outcomes OFFSET 0) AS results
			WHERE got IS DISTINCT FROM core ORDER BY id LIMIT 5)),
		'',
		"$engine: fails when plain SQL does (seed $seed)");
}

# The sums and products of floats have one order, whatever the engine, the
# number of threads, and the way the array comes in.
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
						262145,524289,1048577}'::integer[]) AS n) AS random,
		 unnest('{0,0.3}'::double precision[]) AS nulls;
	ALTER TABLE floats ALTER a SET STORAGE EXTERNAL, ALTER p SET STORAGE EXTERNAL;
	CREATE VIEW sums AS
	SELECT n, gpu_prefix_sum(a) AS s8, gpu_prefix_sum(a::real[]) AS s4,
		   gpu_prefix_sum(a || '{}') AS s8_in_place,
		   gpu_prefix_sum(a, true) AS s8_exclusive,
		   gpu_scan(p, '*') AS p8, gpu_scan(p::real[], '*') AS p4,
		   gpu_reduce(a, '+') AS r8, gpu_reduce(a::real[], '+') AS r4
	FROM floats;));
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
