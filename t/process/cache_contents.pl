
# What the GPU process caches, and what not: each call answers the same from a
# cached value, and leaves it as it is; auto counts on it; gpu_cache_load() says
# why a value is not cached; and nothing is cached of a call that fails.

use lib 't/lib';

use Calls;
use Gpucompact;
use GpuCache;

my $node = start_cache('cache_contents');

# Values that are stored in each way.  A compressed value that is copied to another
# table stays as it is, so all values come from a table that does not compress.
my @ways = ('external', 'pglz');
push @ways, 'lz4'
  if $node->safe_psql('postgres', q(
	SELECT enumvals @> '{lz4}' FROM pg_settings
	WHERE name = 'default_toast_compression')) eq 't';
note('lz4: this server is built without') unless @ways == 3;
my @columns = make_external($node);
$node->safe_psql('postgres', q(
		CREATE TABLE nulls (LIKE external INCLUDING STORAGE);
		INSERT INTO nulls
		SELECT n.samples, e.points, n.mask, n.keys, e.bytes, e.letters
		FROM external AS e, LATERAL (
			SELECT array_agg(nullif(s, 7)) AS samples,
				   array_agg(CASE WHEN k = 7 THEN NULL ELSE m END) AS mask,
				   array_agg(nullif(k, 7)) AS keys
			FROM unnest(e.samples, e.mask, e.keys) AS u (s, m, k)) AS n;));
foreach my $way (@ways[ 1 .. $#ways ])
{
	$node->safe_psql('postgres', qq(
		SET default_toast_compression = $way;
		CREATE TABLE $way (LIKE external);
		INSERT INTO $way SELECT * FROM external;));
	is($node->safe_psql('postgres',
			'SELECT ' . join(', ', map { "pg_column_compression($_)" } @columns)
			  . " FROM $way"),
		join('|', ($way) x @columns), "$way: the values are compressed");
}

# The second time that a value is asked for, it comes from the cache.
my %calls = (
	calls(),
	'compact_booleans' => q(gpu_compact(mask, '=', true)),
	'decode_text' => 'gpu_utf8_decode(letters)',
	'sort_booleans' => 'gpu_radix_sort(mask)',
	'sort_by_floats' => 'gpu_sort_by_key(points, keys)',
	'sort_floats' => 'gpu_radix_sort(keys)');
delete @calls{ cpu_alone(), 'distinct_agg', 'pack_chain' };	# of values in memory
delete @calls{qw(median_rows_agg percentile_rows_agg histogram_packed percentile_cont_packed
	  positions_packed stats_packed)};

# A part of these is done on the CPU, which reads its arrays itself; and gpu_overlaps
# looks no further than for the first element that both have.
delete @calls{qw(percentile_cont_counted percentile_disc_counted range_window range_window_avg
	  set_overlaps window_percentile_cont)};

# How many inputs are cached, if not one.  A mask of an array with NULLs is read to its
# bitmaps; and gpu_utf8_errors has what is compressed detoasted once, for all its
# slices.  An array that has no NULLs is returned as it is where they would be left
# out.  Sets whose arrays are not in order sort them; so do members, and the keys of
# groups; and the calls that interpolate, and downsample by x, sort their points.
my %two = ((map { $_ => 2 } qw(compact_by_mask compact_by_members compare_arrays dot
	  downsample_series group interpolate regr set_contains set_except set_intersect
	  set_intersect_count set_union sort_by_floats sort_by_key take where_value zip)), 'where' => 3);
my %cached = (
	'external' => { %two, 'compact_nulls' => 0 },
	'pglz' => { %two, 'compact_nulls' => 0, 'utf8_errors' => 0 },
	'lz4' => { %two, 'compact_nulls' => 0, 'utf8_errors' => 0 },
	'nulls' => { %two, 'compact_by_mask' => 1, 'group_avg' => 2 });

foreach my $way (@ways, 'nulls')
{
	my @names = sort keys %calls;
	my @said = split(/\n/, $node->safe_psql('postgres', join('', map {
		"SELECT twice(\$call\$$calls{$_}\$call\$, '$way');" } @names)));
	my @unexpected;

	foreach my $name (@names)
	{
		my $said = shift(@said);
		my $inputs = $cached{$way}{$name} // 1;
		my $is_good = $said =~ /^right (\d+)(?: cache)?, right (\d+)( cache)?, $/
		  && $2 - $1 == $inputs && (defined $3) == ($inputs > 0);

		push @unexpected, "$name: $said" unless $is_good;
	}
	is(join("\n", @unexpected), '', "$way: right, and the second time from the cache");
}

# The values in place of NULLs are cached with the array: no call gets values that
# another call has put there.
{
	my @fills = (
		map({ "gpu_scan(samples, '$_')" } 'min', 'max', '#', '&', '|'),
		map({ "gpu_window(samples, '$_', 1, 1)" } qw(+ min max)),
		map({ "gpu_zip(samples, '$_', samples)" } qw(least greatest)),
		'gpu_fill(samples)', 'gpu_fill(samples, true)', 'gpu_delta(samples)',
		q(gpu_reduce(samples, 'min')), 'gpu_distinct(samples, true)',
		q(gpu_take(samples, gpu_positions(samples, '<', 9))));
	my $answers = join(' ', map { "SELECT md5(($_)::text) FROM nulls;" } @fills);
	my $is = $node->safe_psql('postgres', "SET gpucompact.engine = cpu; $answers");

	is($node->safe_psql('postgres', "$cuda $answers $answers"), "$is\n$is",
		'nulls: each call has its own value in their place');
}

# A value that is cached is not read, which auto counts.
{
	my @questions = (
		q(gpu_reduce(a, 'max')), q(gpu_reduce(a, 'min')), 'gpu_stats(a)',
		'gpu_histogram(a, 0, 1000, 256)', 'gpu_percentile_cont(a, 0.99)',
		'gpu_radix_sort(a)', 'gpu_top_k(a, 3)');

	$node->safe_psql('postgres', "
		CREATE TABLE long (a integer[]);
		ALTER TABLE long ALTER a SET STORAGE EXTERNAL;
		INSERT INTO long SELECT numbers(1, 2000000);
		$cuda SELECT gpu_cache_load(a) FROM long;");
	is($node->safe_psql('postgres',
			'SET gpucompact.engine = auto;' . join('', map {
				"SELECT ($_) IS NULL FROM long;
				 SELECT engine, source FROM gpu_last_call();" } @questions)),
		join("\n", ("f\ncuda|cache") x @questions), 'auto: takes the GPU for what it has cached');

	# Where the elements are read, these are selected by a sample.
	is($node->safe_psql('postgres', "
			SET gpucompact.engine = cpu;
			CREATE TEMPORARY TABLE expected AS
			SELECT gpu_top_k(a, 3)::text AS most, gpu_top_k(a, 3, false)::text AS least
			FROM long;
			$cuda
			SELECT gpu_top_k(a, 3)::text = most, gpu_top_k(a, 3, false)::text = least
			FROM long, expected;
			$source"), "t|t\ncache", 'gpu_top_k: the same from what is cached');
	$node->safe_psql('postgres', 'DROP TABLE long');
}

# Sets whose lengths differ, and are no multiples of a vector's.
$node->safe_psql('postgres', q(
	CREATE TABLE ordered (few integer[], many integer[]);
	ALTER TABLE ordered ALTER few SET STORAGE EXTERNAL,
		ALTER many SET STORAGE EXTERNAL;
	INSERT INTO ordered
	SELECT gpu_radix_sort(numbers(2, 50003)), gpu_radix_sort(numbers(3, 300001));));

# Of two inputs, either may be cached, or both; the other one is cached then, too.
my %pairs = (
	(map { $_ => ['external', 'pglz'] } (
		'gpu_compact(samples, mask)', 'gpu_sort_by_key(samples, keys)',
		'gpu_sort_by_key(keys, points)', 'gpu_take(keys, points)')),
	(map { $_ => ['ordered'] } (
		'gpu_union(few, many)', 'gpu_union(many, few)',
		'gpu_intersect(few, many)', 'gpu_except(many, few)',
		'gpu_intersect_count(many, few)')));

foreach my $call (sort keys %pairs)
{
	my ($first, $second) = $call =~ /\((\w+), (\w+)\)/;

	foreach my $way (@{ $pairs{$call} })
	{
		foreach my $loaded ([$first], [$second], [ $first, $second ])
		{
			my $load = join('', map {
				"SELECT gpu_cache_load($_) IS NOT NULL FROM $way;" } @$loaded);
			my $said = $node->safe_psql('postgres', qq(
				SET gpucompact.engine = cpu;
				CREATE TEMPORARY TABLE expected AS SELECT $call AS answer FROM $way;
				SELECT gpu_cache_clear();
				$load
				SELECT sum(cache_hits) AS hits FROM gpu_processes() \\gset
				$cuda
				SELECT $call = answer FROM $way, expected;
				SELECT sum(cache_hits) - :hits FROM gpu_processes();
				SELECT count(*) FROM gpu_cache();));

			is($said, "\n" . "t\n" x @$loaded . "t\n" . @$loaded . "\n2",
				"$way: $call with " . join(' and ', @$loaded) . ' in the cache');
		}
	}
}

# Cached values never change, whatever calls do with them.
foreach my $name ('radix_sort', 'argsort', 'distinct', 'percentile_cont', 'top_k',
	'mode', 'rank', 'sort_by_key')
{
	is($node->safe_psql('postgres', qq(
			SET gpucompact.engine = cpu;
			CREATE TEMPORARY TABLE expected AS
			SELECT gpu_delta(samples) AS s, gpu_delta(points) AS p FROM external;
			SELECT gpu_cache_clear();
			$cuda
			DO \$\$ BEGIN
				PERFORM $calls{$name}, $calls{$name} FROM external;
			END \$\$;
			SELECT gpu_cache_load(points) > 0 FROM external;
			SELECT gpu_delta(samples) = s, gpu_delta(points) = p
			FROM external, expected;
			$source)), "\nt\nt|t\ncache", "$name leaves what is cached as it was");
}

# Parallel workers have it, too.
{
	my $parallel = $node->safe_psql('postgres', "
		SELECT name FROM pg_settings
		WHERE name IN ('debug_parallel_query', 'force_parallel_mode')");

	is($node->safe_psql('postgres', qq(
			-- Not as parallel safe as it says: it has to show how the call ran in a worker.
			CREATE FUNCTION source_of(answer integer) RETURNS text
			LANGUAGE sql PARALLEL SAFE AS \$\$ SELECT source FROM gpu_last_call() \$\$;
			SELECT gpu_cache_load(samples) > 0 FROM external;
			SET gpucompact.engine = cpu;
			SELECT gpu_reduce(samples, '#') AS answer FROM external \\gset
			$cuda SET $parallel = on;
			SELECT gpu_reduce(samples, '#') = :answer FROM external;
			SELECT source_of(gpu_reduce(samples, '#')) FROM external;)),
		"t\nt\ncache", 'parallel workers are given what is cached');
}

# The estimate knows that cached values need not be read.
is($node->safe_psql('postgres', qq(
		CREATE TABLE estimated (a integer[]);
		ALTER TABLE estimated ALTER a SET STORAGE EXTERNAL;
		INSERT INTO estimated SELECT numbers(1, 200000);
		$cuda $short
		SET gpucompact.engine = auto; SET gpucompact.cpu_threads = 1;
		SELECT gpu_reduce(a, 'max') FROM estimated;
		SELECT engine, source, reason FROM gpu_last_call();
		SELECT gpu_cache_load(a) FROM estimated;
		SELECT gpu_reduce(a, 'max') FROM estimated;
		SELECT engine, source, reason FROM gpu_last_call();)),
	join("\n", '{1,2}', 999,
		'cpu|toast pages|cpu: 200,000 elements, estimated cpu 90 us, cuda 165 us',
		800000, 999,
		'cuda|cache|cuda: 200,000 elements, estimated cpu 90 us, cuda 33 us'),
	'auto chooses the GPU for a value that is cached');

# Values that are not cached are right, too.
$node->safe_psql('postgres', q(
	CREATE TABLE small (a integer[]);
	ALTER TABLE small ALTER a SET STORAGE EXTERNAL;
	INSERT INTO small SELECT numbers(1, 16000);));
foreach my $not_kept (
	[ 'of less than 64 kB', 'small', 'a' ],
	[ 'in memory', 'external', q(samples || '{}') ],
	[ 'taken apart', 'external', '(SELECT array_agg(x) FROM unnest(samples) AS x)' ],
	[ 'in a temporary table', 'temporary', 'a', 'CREATE TEMPORARY TABLE temporary
		AS SELECT samples AS a FROM external;' ])
{
	my ($what, $table, $value, $before) = @$not_kept;

	is($node->safe_psql('postgres', ($before // '') . qq(
			SELECT gpu_cache_clear();
			$cuda
			SELECT gpu_compact($value) = ARRAY(SELECT x FROM unnest($value) AS x
											   WHERE x <> 0),
				   gpu_compact($value) = gpu_compact($value)
			FROM $table;
			SELECT source <> 'cache' FROM gpu_last_call();
			SELECT count(*) FROM gpu_cache();)), "\nt|t\nt\n0", "a value $what is not cached");
}


my $not_stored = 'it is not stored out of line';
my $small = 'it is smaller than 64 kB, not counting NULLs';
not_loaded($node, $small, 'SELECT gpu_cache_load(a) FROM small', 'small');
not_loaded($node, $not_stored, "SELECT gpu_cache_load($_)", 'in memory')
  foreach 'numbers(1)', q(repeat('a', 100000)), q(decode(repeat('00', 100000), 'hex'));

$node->safe_psql('postgres', q(
	CREATE TABLE only_nulls (a integer[]);
	ALTER TABLE only_nulls ALTER a SET STORAGE EXTERNAL;
	INSERT INTO only_nulls SELECT array_fill(NULL::integer, ARRAY[1000000]);
	CREATE TABLE barely_small (bytes bytea, letters text, compressed text, enough bytea);
	ALTER TABLE barely_small ALTER bytes SET STORAGE EXTERNAL,
		ALTER letters SET STORAGE EXTERNAL, ALTER enough SET STORAGE EXTERNAL;
	INSERT INTO barely_small
	SELECT convert_to(s, 'UTF8'), s, s, convert_to(s || 'a', 'UTF8')
	FROM (SELECT left(string_agg(md5(i::text), '' ORDER BY i), 65535) AS s
		  FROM generate_series(1, 2048) AS i) AS t;));
not_loaded($node, $small, 'SELECT gpu_cache_load(a) FROM only_nulls', 'without a value');
not_loaded($node, $small, "SELECT gpu_cache_load($_) FROM barely_small",
	"too small by a byte: $_")
  foreach 'bytes', 'letters', 'compressed';
is($node->safe_psql('postgres', 'SELECT gpu_cache_load(bytes || b),
		gpu_cache_load(enough) FROM barely_small, (VALUES (NULL::bytea)) AS n (b)'),
	'|65536', 'gpu_cache_load(), of just enough');
not_loaded($node, 'it is in a temporary table', '
	CREATE TEMPORARY TABLE temporary AS SELECT samples AS a FROM external;
	SELECT gpu_cache_load(a) FROM temporary', 'in a temporary table');
{
	local $ENV{PGOPTIONS} = '-c ignore_system_indexes=on';
	not_loaded($node, 'PostgreSQL itself has to read it',
		'SELECT gpu_cache_load(samples) FROM external', 'not by pages');
}

# It is a call like others.
is($node->safe_psql('postgres', '
		SELECT gpu_cache_load(a) FROM only_nulls;
		SELECT function, engine, bytes_out FROM gpu_last_call()'),
	"\ngpu_cache_load||0", 'gpu_last_call() tells of a load');

survived($node);
$node->stop;

$node = start_faulty_cache('cache_failures');
my $ask = verdict('changing');
$node->safe_psql('postgres', "$cuda $short");
gpu_pid($node);

# A call that fails, or is cancelled, while it brings a value in.
my %faults = (
	'begin' => [ 'out_of_memory' ],
	'push' => [ 'not_supported', 'hang', 'crash' ],
	'finish' => [ 'out_of_memory', 'hang', 'device_failed' ]);
foreach my $step (sort keys %faults)
{
	foreach my $fault (@{ $faults{$step} })
	{
		my $timeout = $fault eq 'hang' ? 'SET statement_timeout = 100;' : '';
		my ($rc, $out, $err) = $node->psql('postgres', "
			$clear DO \$\$ BEGIN PERFORM set_fault('$step $fault'); END \$\$;
			$cuda $timeout $ask", on_error_stop => 0);

		like($err, qr/ERROR/, "$step $fault: the call fails");
		$node->safe_psql('postgres', $no_fault);
		gpu_pid($node);
		lanes_are_free($node, "$step $fault");
		is($node->safe_psql('postgres', "$cuda $short $nothing $ask $source"),
			"{1,2}\n0|0\nt\ntoast pages", "$step $fault: nothing is cached of a call that fails");
	}
}
$node->stop;
done_testing();
