
# The stored values that the GPU process keeps for later calls: which ones it
# keeps, that no call is ever given another value's, what goes when the room is
# full, and who may see and steer all that.  The faults at the end are those of
# the CPU in the GPU's place.
#
# GPUCOMPACT_TEST_SECONDS says for how long many sessions write and read at once;
# by default for 5 s.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../lib";

use Gpucompact;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);

plan skip_all => 'make t/crafted.so has not been run'
  unless -e built('crafted.so');
my $crafted = built('crafted.so');

my $cuda = 'SET gpucompact.engine = cuda;';
my $short = q(SELECT gpu_radix_sort('{2,1}'::integer[]););
my $source = 'SELECT source FROM gpu_last_call();';

# Written down, so that ALTER SYSTEM knows it.
my $default_size = 'gpucompact.gpu_cache_size = -1';

# 80 kB, which is enough to be kept.
my $many = 20000;

# What the tests of a server need.
my $functions = qq(
	CREATE FUNCTION set_next_oid(next oid) RETURNS void
	AS '$crafted' LANGUAGE C STRICT;

	-- Elements that are not the same for two seeds.
	CREATE FUNCTION numbers(seed integer, n integer DEFAULT $many)
	RETURNS integer[] LANGUAGE sql AS \$\$
		SELECT array_agg(hashint4(i + seed * 1000003) % 1000 ORDER BY i)
		FROM generate_series(1, n) AS i \$\$;

	-- Where the first chunks of a table's values are, and which values these are.
	CREATE FUNCTION places(relation regclass)
	RETURNS TABLE (value oid, place tid, writer xid) LANGUAGE plpgsql AS \$\$
	BEGIN
		RETURN QUERY EXECUTE (
			SELECT format('SELECT chunk_id, ctid, xmin FROM %s
						   WHERE chunk_seq = 0', reltoastrelid::regclass)
			FROM pg_class WHERE oid = relation);
	END \$\$;

	-- What a call comes to on the first use of a relation's values, and on the
	-- second: is it as the CPU has it, how often does what was kept serve, and is
	-- the first input one of those?
	CREATE FUNCTION twice(call text, relation regclass) RETURNS text
	LANGUAGE plpgsql AS \$\$
	DECLARE
		verdict text := '';
		is_right boolean;
		hits bigint;
	BEGIN
		PERFORM gpu_cache_clear();
		SET LOCAL gpucompact.engine = cpu;
		EXECUTE format('CREATE TEMPORARY TABLE expected AS
						SELECT %s AS answer FROM %s', call, relation);
		SET LOCAL gpucompact.engine = cuda;
		FOR i IN 1 .. 2 LOOP
			SELECT sum(cache_hits) INTO hits FROM gpu_processes();
			EXECUTE format('SELECT %s IS NOT DISTINCT FROM answer
							FROM %s, expected', call, relation) INTO is_right;
			verdict := verdict || (CASE WHEN is_right THEN 'right' ELSE 'wrong' END)
				|| ' ' || (SELECT sum(cache_hits) FROM gpu_processes()) - hits
				|| (SELECT CASE source WHEN 'cache' THEN ' cache, '
									   ELSE ', ' END FROM gpu_last_call());
		END LOOP;
		DROP TABLE expected;
		RETURN verdict;
	END \$\$;);

# A query whether the array "a" of each row of a table is what core says it is.
sub verdict
{
	my ($table) = @_;

	return "SELECT bool_and(gpu_compact(a) =
		ARRAY(SELECT x FROM unnest(a) AS x WHERE x <> 0)) FROM $table;";
}

# What some SQL says, but for what is void.
sub answers
{
	my ($node, $sql) = @_;

	return $node->safe_psql('postgres', $sql) =~ s/^\n//mgr;
}

# The counters of the cache of all GPUs.
sub counters
{
	my ($node, $columns) = @_;
	my $sums = join(', ', map { "sum($_)" } split(/, /, $columns));

	return $node->safe_psql('postgres', "SELECT $sums FROM gpu_processes()");
}

# Changes the setting in a server that runs, and waits until its process has
# heard of it.  It is in MB.
sub set_cache_size
{
	my ($node, $size) = @_;

	$node->safe_psql('postgres',
		"ALTER SYSTEM SET gpucompact.gpu_cache_size = '$size'");
	$node->reload;
	$node->poll_query_until('postgres', "
		SELECT bool_and(cache_limit = ${size}::bigint << 20)
		FROM gpu_processes() WHERE state = 'serving'")
	  or die 'the setting does not arrive';
	return;
}

my $node = start_with_gpu(
	'gpu_cache', 'gpucompact.device = 0',
	'gpucompact.gpu_idle_timeout = 0', 'wal_level = replica',
	'max_wal_senders = 4', 'max_prepared_transactions = 2', $default_size);
if ($node->safe_psql('postgres',
		'SELECT count(*) FROM gpu_devices() WHERE index IS NOT NULL') == 0)
{
	$node->stop;
	plan skip_all => 'there is no GPU, nor a program that stands in for it';
}
$node->safe_psql('postgres', "$functions $cuda $short");
gpu_pid($node);

is( $node->safe_psql('postgres', '
		SELECT cache_limit > 0 AND cache_limit <= memory_total / 2
		FROM gpu_processes() JOIN gpu_devices() ON gpu = index'),
	't', 'half of the memory is for the cache, at most');

# Values that are stored in each way.  What is copied from one table to another
# is not stored anew if it is compressed, so that all come from one that is not.
my @ways = ('external', 'pglz');
push @ways, 'lz4'
  if $node->safe_psql('postgres', q(
	SELECT enumvals @> '{lz4}' FROM pg_settings
	WHERE name = 'default_toast_compression')) eq 't';
note('lz4: this server is built without') unless @ways == 3;
{
	my $columns = 'samples integer[], points integer[], mask boolean[],
		keys real[], bytes bytea, letters text';
	my @columns = $columns =~ /(\w+) \w/g;
	my $n = 66000;				# as many booleans are enough, too

	$node->safe_psql(
		'postgres', qq(
		CREATE TABLE external ($columns);
		@{[ map { "ALTER TABLE external ALTER $_ SET STORAGE EXTERNAL;" } @columns ]}
		INSERT INTO external
		SELECT array_agg(hashint4(i / 8) & 4095), array_agg(hashint4(-i / 8) & 65535),
			   array_agg(hashint4(i) % 3 = 0),
			   array_agg((hashint4(i / 4) & 1023)::real),
			   string_agg('\\x61c3a9e282acf09f9880ff'
						  || decode(md5((i / 2)::text), 'hex'), '')
				   FILTER (WHERE i < 5000),
			   string_agg(U&'a\\00e9\\20ac\\+01f600' || md5((i / 2)::text), '')
				   FILTER (WHERE i < 5000)
		FROM generate_series(1, $n) AS i;
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
		$node->safe_psql(
			'postgres', qq(
			SET default_toast_compression = $way;
			CREATE TABLE $way (LIKE external);
			INSERT INTO $way SELECT * FROM external;));
		is( $node->safe_psql('postgres',
				'SELECT ' . join(', ', map { "pg_column_compression($_)" } @columns)
				  . " FROM $way"),
			join('|', ($way) x @columns), "$way: the values are compressed");
	}
}

# The second time that a value is asked for, it comes from the cache.
my %calls = (
	calls(),
	'compact_booleans' => q(gpu_compact(mask, '=', true)),
	'decode_text' => 'gpu_utf8_decode(letters)',
	'sort_booleans' => 'gpu_radix_sort(mask)',
	'sort_by_floats' => 'gpu_sort_by_key(points, keys)',
	'sort_floats' => 'gpu_radix_sort(keys)');
delete @calls{ cpu_alone(), 'distinct_agg' };	# of values in memory

# How many inputs are kept, if not one.  Those are not whose NULLs are filled in;
# and gpu_utf8_errors has what is compressed detoasted once, for all its slices.
# An array that has none is returned as it is where they would be left out.
# Sets whose arrays are not in order sort them, but for a union, which puts one
# behind the other; so do members, and the keys of groups.
my %sets = (
	'compact_by_members' => 2,
	'set_except' => 2,
	'set_intersect' => 2,
	'set_intersect_count' => 2,
	'set_union' => 0);
my %two = (
	%sets,
	'compact_by_mask' => 2,
	'group' => 2,
	'sort_by_floats' => 2,
	'sort_by_key' => 2);
my %kept = (
	'external' => { %two, 'compact_nulls' => 0 },
	'pglz' => { %two, 'compact_nulls' => 0, 'utf8_errors' => 0 },
	'lz4' => { %two, 'compact_nulls' => 0, 'utf8_errors' => 0 },
	'nulls' => {
		%sets,
		'fill' => 0,
		'positions_by_mask' => 0,
		'prefix_sum' => 0,
		'reduce' => 0,
		'scan' => 0,
		'window' => 0,
		'window_avg' => 0
	});

foreach my $way (@ways, 'nulls')
{
	my @names = sort keys %calls;
	my @said = split(/\n/, $node->safe_psql('postgres', join('', map {
		"SELECT twice(\$call\$$calls{$_}\$call\$, '$way');" } @names)));
	my @unexpected;

	foreach my $name (@names)
	{
		my $said = shift(@said);
		my $inputs = $kept{$way}{$name} // 1;
		my $is_good = $said =~ /^right (\d+)(?: cache)?, right (\d+)( cache)?, $/
		  && $2 - $1 == $inputs && (defined $3) == ($inputs > 0);

		push @unexpected, "$name: $said" unless $is_good;
	}
	is(join("\n", @unexpected), '',
		"$way: right, and the second time from the cache");
}

# A value that is kept is not read, which auto counts.
{
	my @questions = (
		q(gpu_reduce(a, 'max')), q(gpu_reduce(a, 'min')), 'gpu_stats(a)',
		'gpu_histogram(a, 0, 1000, 256)', 'gpu_percentile_cont(a, 0.99)',
		'gpu_radix_sort(a)', 'gpu_top_k(a, 3)');

	$node->safe_psql(
		'postgres', "
		CREATE TABLE long (a integer[]);
		ALTER TABLE long ALTER a SET STORAGE EXTERNAL;
		INSERT INTO long SELECT numbers(1, 2000000);
		$cuda SELECT gpu_cache_load(a) FROM long;");
	is( $node->safe_psql(
			'postgres',
			'SET gpucompact.engine = auto;' . join('', map {
				"SELECT ($_) IS NULL FROM long;
				 SELECT engine, source FROM gpu_last_call();" } @questions)),
		join("\n", ("f\ncuda|cache") x @questions),
		'auto: takes the GPU for what it has kept');

	# Where the elements are read, these are selected by a sample.
	is( $node->safe_psql(
			'postgres', "
			SET gpucompact.engine = cpu;
			CREATE TEMPORARY TABLE expected AS
			SELECT gpu_top_k(a, 3)::text AS most, gpu_top_k(a, 3, false)::text AS least
			FROM long;
			$cuda
			SELECT gpu_top_k(a, 3)::text = most, gpu_top_k(a, 3, false)::text = least
			FROM long, expected;
			$source"),
		"t|t\ncache",
		'gpu_top_k: the same from what is kept');
	$node->safe_psql('postgres', 'DROP TABLE long');
}

# Of two inputs, either may be kept, or both; the other one is kept then, too.
foreach my $call ('gpu_compact(samples, mask)', 'gpu_sort_by_key(samples, keys)',
	'gpu_sort_by_key(keys, points)')
{
	my ($first, $second) = $call =~ /\((\w+), (\w+)\)/;

	foreach my $way ('external', 'pglz')
	{
		foreach my $loaded ([$first], [$second], [ $first, $second ])
		{
			my $load = join('', map {
				"SELECT gpu_cache_load($_) IS NOT NULL FROM $way;" } @$loaded);
			my $said = $node->safe_psql(
				'postgres', qq(
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

# What is kept stays as it was, whatever is done to it.
foreach my $name ('radix_sort', 'argsort', 'distinct', 'percentile_cont', 'top_k',
	'mode', 'rank', 'sort_by_key')
{
	is( $node->safe_psql(
			'postgres', qq(
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
			$source)),
		"\nt\nt|t\ncache",
		"$name leaves what is kept as it was");
}

# Parallel workers have it, too.
{
	my $parallel = $node->safe_psql('postgres', "
		SELECT name FROM pg_settings
		WHERE name IN ('debug_parallel_query', 'force_parallel_mode')");

	is( $node->safe_psql(
			'postgres', qq(
			-- Not as safe as it says: it is to tell how the call ran in a worker.
			CREATE FUNCTION source_of(answer integer) RETURNS text
			LANGUAGE sql PARALLEL SAFE AS \$\$ SELECT source FROM gpu_last_call() \$\$;
			SELECT gpu_cache_load(samples) > 0 FROM external;
			SET gpucompact.engine = cpu;
			SELECT gpu_reduce(samples, '#') AS answer FROM external \\gset
			$cuda SET $parallel = on;
			SELECT gpu_reduce(samples, '#') = :answer FROM external;
			SELECT source_of(gpu_reduce(samples, '#')) FROM external;)),
		"t\nt\ncache",
		'parallel workers are given what is kept');
}

# The estimate takes account of it: what is kept need not be read.
is( $node->safe_psql(
		'postgres', qq(
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
		'cpu|toast pages|cpu: 200,000 elements, estimated cpu 138 us, cuda 165 us',
		800000, 999,
		'cuda|cache|cuda: 200,000 elements, estimated cpu 138 us, cuda 33 us'),
	'auto chooses the GPU for a value that is kept');

# What is not kept is right, too.
$node->safe_psql(
	'postgres', q(
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

	is( $node->safe_psql(
			'postgres', ($before // '') . qq(
			SELECT gpu_cache_clear();
			$cuda
			SELECT gpu_compact($value) = ARRAY(SELECT x FROM unnest($value) AS x
											   WHERE x <> 0),
				   gpu_compact($value) = gpu_compact($value)
			FROM $table;
			SELECT source <> 'cache' FROM gpu_last_call();
			SELECT count(*) FROM gpu_cache();)),
		"\nt|t\nt\n0", "a value $what is not kept");
}

# A value is never taken for another one.  In a transaction that has made a table,
# TRUNCATE leaves the next value the first one's place, and its writer is the same:
# what tells them apart is one thing alone.
my @way_round = map { "
	SELECT set_next_oid(((:value::bigint + $_ * 1073741824::bigint) & 4294967295)::oid);
	$cuda DO 'BEGIN PERFORM gpu_compact(samples) FROM external; END';" } 1 .. 3;
my $first = "'{7}' || numbers(1)";
foreach my $again (
	[ 'the identifiers have gone round', 'expired', "@way_round",
		"$first || '{7}'", "$first || '{8}'" ],
	[ 'the identifiers have gone round, and it has the same bytes', 'expired',
		"@way_round", "$first || '{8}'", "$first || '{8}'" ],
	[ 'the identifiers were set back, and its first chunk is another', 'changed', '',
		"$first || '{7}'", "'{8}' || numbers(1) || '{7}'" ],
	[ 'the identifiers were set back, and it is in another place', 'changed',
		"INSERT INTO again SELECT 2, numbers(3, 1000);",
		"$first || '{7}'", "$first || '{8}'" ])
{
	my ($what, $counter, $between, $old, $new) = @$again;
	my $is_elsewhere = $what =~ /another place/ ? 'f' : 't';
	my $misses = 'sum(cache_misses_expired) AS expired,
		sum(cache_misses_changed) AS changed';

	is( answers(
			$node, qq(
			BEGIN;
			CREATE TABLE again (id integer, a integer[]);
			ALTER TABLE again ALTER a SET STORAGE EXTERNAL;
			INSERT INTO again SELECT 1, $old;
			SELECT gpu_cache_load(a) > 0 FROM again;
			SELECT * FROM places('again') \\gset
			TRUNCATE again;
			$between
			SELECT set_next_oid(:value);
			INSERT INTO again SELECT 1, $new;
			SELECT place = :'place', writer = :'writer'
			FROM places('again') WHERE value = :value;
			SELECT $misses FROM gpu_processes() \\gset
			$cuda @{[verdict('again WHERE id = 1')]} $source
			SELECT sum(cache_misses_expired) - :expired,
				   sum(cache_misses_changed) - :changed FROM gpu_processes();
			@{[verdict('again WHERE id = 1')]} $source
			ROLLBACK)),
		"t\n$is_elsewhere|t\nt\ntoast pages\n"
		  . ($counter eq 'expired' ? '1|0' : '0|1') . "\nt\ncache",
		"another value of the same identifier: $what");
}

# The same after VACUUM has made room.  Nobody calls while the identifiers go
# round: the worker sees them do so, as it looks twice a second.
foreach my $again (
	[ 'the identifiers have gone round', 'expired', 'SELECT set_next_oid(
		((:value::bigint + i * 357913941::bigint) & 4294967295)::oid), pg_sleep(0.25)
		FROM generate_series(1, 12) AS i;' ],
	[ 'the identifiers were set back', 'changed', '' ])
{
	my ($what, $counter, $between) = @$again;

	is( answers(
			$node, qq(
			DROP TABLE IF EXISTS again;
			CREATE TABLE again (a integer[]);
			ALTER TABLE again ALTER a SET STORAGE EXTERNAL;
			INSERT INTO again SELECT numbers(1) || '{7}';
			SELECT gpu_cache_load(a) > 0 FROM again;
			SELECT * FROM places('again') \\gset
			DELETE FROM again;
			VACUUM again;
			\\o /dev/null
			$between
			\\o
			SELECT set_next_oid(:value);
			INSERT INTO again SELECT numbers(1) || '{8}';
			SELECT place = :'place', writer = :'writer'
			FROM places('again') WHERE value = :value;
			SELECT sum(cache_misses_$counter) AS misses FROM gpu_processes() \\gset
			$cuda @{[verdict('again')]} $source
			SELECT sum(cache_misses_$counter) - :misses FROM gpu_processes();)),
		"t\nt|f\nt\ntoast pages\n1",
		"another value of the same identifier, after VACUUM: $what");
}

# Whatever becomes of a table, its values are those that core sees.
$node->safe_psql(
	'postgres', q(
	CREATE TABLE changing (id integer PRIMARY KEY, a integer[]);
	ALTER TABLE changing ALTER a SET STORAGE EXTERNAL;));
my $toast = 'pg_toast.pg_toast_'
  . $node->safe_psql('postgres', "SELECT 'changing'::regclass::oid");
my $ask = verdict('changing');
my $update = 'UPDATE changing SET a = numbers(id + 10)';
foreach my $change (
	[ 'nothing', '' ],
	[ 'UPDATE of the value', "$update;" ],
	[ 'UPDATE of another column', 'UPDATE changing SET id = id + 10;' ],
	[ 'DELETE and INSERT', "DELETE FROM changing; VACUUM changing;
		INSERT INTO changing SELECT i, numbers(i + 5) FROM generate_series(1, 2) AS i;" ],
	[ 'a rewrite', 'ALTER TABLE changing ALTER a SET STORAGE EXTENDED;
		ALTER TABLE changing ALTER id TYPE bigint;
		ALTER TABLE changing ALTER id TYPE integer;' ],
	[ 'a rewrite of the value', "ALTER TABLE changing
		ALTER a TYPE integer[] USING a || '{9,0,9}';" ],
	[ 'VACUUM FULL', 'DELETE FROM changing WHERE id = 1; VACUUM FULL changing;' ],
	[ 'VACUUM FULL of the TOAST table',
		"DELETE FROM changing WHERE id = 1; VACUUM FULL $toast;" ],
	[ 'CLUSTER', 'UPDATE changing SET id = 3 WHERE id = 1;
		CLUSTER changing USING changing_pkey;' ],
	[ 'an abort', "BEGIN; $update; $ask $ask ROLLBACK;" ],
	[ 'an abort of a subtransaction',
		"BEGIN; SAVEPOINT s; $update; $ask $ask ROLLBACK TO s; $ask
		$update WHERE id = 1; $ask COMMIT;" ],
	[ 'TRUNCATE that is rolled back', "BEGIN; TRUNCATE changing;
		INSERT INTO changing SELECT 5, numbers(5); $ask $ask ROLLBACK;" ],
	[ 'a prepared transaction', "BEGIN; $update; $ask PREPARE TRANSACTION 'p'; $ask
		COMMIT PREPARED 'p';" ],
	[ 'a cursor', "BEGIN ISOLATION LEVEL REPEATABLE READ;
		DECLARE c CURSOR FOR SELECT a FROM changing; $update; $ask COMMIT;" ])
{
	my ($what, $sql) = @$change;
	my ($rc, $out, $err) = $node->psql(
		'postgres', qq(
		$cuda
		TRUNCATE changing;
		ALTER TABLE changing ALTER a SET STORAGE EXTERNAL;
		INSERT INTO changing SELECT i, numbers(i) FROM generate_series(1, 2) AS i;
		$ask $ask $source
		$sql
		$ask $ask $source));

	is($err . ($out =~ s/^t\n//mgr), "cache\ncache",
		"what core sees, after: $what");
}

# Another database with the same identifier.
{
	my $in = 'SELECT 1, numbers(1) || ';
	my @said;

	$node->safe_psql('postgres', q(
		CREATE TABLE again_elsewhere (id integer, a integer[]);
		ALTER TABLE again_elsewhere ALTER a SET STORAGE EXTERNAL;));
	foreach my $element (7, 8)
	{
		$node->safe_psql('template1',
			'CREATE DATABASE another TEMPLATE postgres OID 99999');
		push @said, $node->safe_psql('another', qq(
			$cuda
			SELECT set_next_oid(4000000);
			INSERT INTO again_elsewhere $in '{$element}';
			SELECT * FROM places('again_elsewhere');
			@{[ verdict('again_elsewhere') x 2 ]} $source)) =~ s/\|\d+$//mr;
		$node->safe_psql('template1', 'DROP DATABASE another');
	}
	is($said[0], "\n4000000|(0,1)\nt\nt\ncache", 'a database: its value is kept');
	is($said[1], $said[0],
		'another database of the same identifier: has its own value');
}

# A standby has a cache of its own, and keeps it when it is promoted.
{
	my $standby = PostgreSQL::Test::Cluster->new('standby');

	$node->backup('backup');
	$standby->init_from_backup($node, 'backup', has_streaming => 1);
	$standby->start;
	$node->safe_psql('postgres', "TRUNCATE changing;
		INSERT INTO changing SELECT i, numbers(i) FROM generate_series(1, 2) AS i;");
	$node->wait_for_catchup($standby);
	$standby->safe_psql('postgres', "$cuda $short");
	my $pid = gpu_pid($standby);
	is($standby->safe_psql('postgres', "$cuda $ask $ask $source"), "t\nt\ncache",
		'a standby keeps values');
	$node->safe_psql('postgres', "$update WHERE id = 1; VACUUM changing;");
	$node->wait_for_catchup($standby);
	is($standby->safe_psql('postgres', "$cuda $ask $ask $source"), "t\nt\ncache",
		'a standby: what core sees, after an UPDATE');
	$standby->promote;
	is( $standby->safe_psql('postgres', "$cuda $ask $source $update; VACUUM changing;
			$ask $ask $source"), "t\ncache\nt\nt\ncache",
		'a standby that is promoted: what core sees');
	is(gpu_pid($standby), $pid, 'a standby that is promoted: by the same process');
	survived($standby);
	$standby->stop;
}

# After a crash that has lost the last transactions, their identifiers may be
# issued again.
{
	my $wal = "SET synchronous_commit = off;";

	$node->safe_psql('postgres', 'TRUNCATE changing; CHECKPOINT;');
	is( $node->safe_psql('postgres', "$wal $cuda
			INSERT INTO changing SELECT 1, numbers(1); $ask $ask $source"),
		"t\nt\ncache", 'before a crash');
	$node->stop('immediate');
	$node->start;
	is( $node->safe_psql('postgres', "$cuda $short
			SELECT count(*) FROM gpu_cache();
			DELETE FROM changing;
			INSERT INTO changing SELECT 1, numbers(2); $ask $ask $source"),
		"{1,2}\n0\nt\nt\ncache", 'after a crash: nothing is kept, what core sees');
}

# The process is killed: the next one begins with nothing.
{
	my $pid = gpu_pid($node);

	kill 'KILL', $pid;
	gpu_pid($node, $pid);
	is( $node->safe_psql('postgres', "$cuda $short
			SELECT sum(cache_bytes), (SELECT count(*) FROM gpu_cache())
			FROM gpu_processes(); $ask $source $ask $source"),
		"{1,2}\n0|0\nt\ntoast pages\nt\ncache",
		'killed: the next process begins with nothing, and what core sees');
}

# Who may see and steer it.
$node->safe_psql('postgres', q(
	CREATE ROLE anyone; CREATE ROLE monitor IN ROLE pg_monitor;));
fails_with($node, '42501', 'SET ROLE anyone; SELECT * FROM gpu_cache()',
	'gpu_cache(): not for everyone');
fails_with($node, '42501', "SET ROLE $_; SELECT gpu_cache_clear()",
	"gpu_cache_clear(): not for $_")
  foreach 'anyone', 'monitor';
is( $node->safe_psql(
		'postgres', qq(
		SELECT gpu_cache_clear();
		GRANT SELECT ON external TO anyone;
		SET ROLE anyone;
		SELECT gpu_cache_load(samples), gpu_cache_load(bytes),
			   gpu_cache_load(letters), gpu_cache_load(mask) FROM external;
		$cuda
		DO 'BEGIN PERFORM gpu_delta(samples), gpu_reduce(samples, ''max'')
			FROM external; END';
		SET ROLE monitor;
		SELECT database = (SELECT oid FROM pg_database WHERE datname = 'postgres'),
			   toast_relation = (SELECT reltoastrelid FROM pg_class
								 WHERE oid = 'external'::regclass),
			   bytes, hits, last_use BETWEEN now() - interval '1 minute' AND
											 now() + interval '1 second'
		FROM gpu_cache() ORDER BY bytes;
		SELECT sum(cache_bytes) FROM gpu_processes();
		RESET ROLE;
		SELECT gpu_cache_clear();
		SELECT count(*) FROM gpu_cache();
		SELECT sum(cache_bytes) FROM gpu_processes();)),
	join("\n", '', '264000|134973|209958|66000', 't|t|66000|0|t', 't|t|134973|0|t',
		't|t|209958|0|t', 't|t|264000|2|t', 674931, '', 0, 0),
	'gpu_cache_load(), gpu_cache() and gpu_cache_clear()');

# What gpu_cache_load() does not load.
sub not_loaded
{
	my ($node, $why_not, $query, $what) = @_;
	my ($rc, $out, $err) = $node->psql('postgres', $query);

	$err =~ s/^psql:\S+ //mg;
	$err =~ s/^WARNING:  using index .* despite IgnoreSystemIndexes\n//mg;
	is($out . $err,
		"NOTICE:  the value is not kept by a GPU: $why_not",
		"gpu_cache_load(), $what");
	return;
}
my $not_stored = 'it is not stored out of line';
my $small = 'it is smaller than 64 kB, not counting NULLs';
not_loaded($node, $small, 'SELECT gpu_cache_load(a) FROM small', 'small');
not_loaded($node, $not_stored, "SELECT gpu_cache_load($_)", 'in memory')
  foreach 'numbers(1)', q(repeat('a', 100000)), q(decode(repeat('00', 100000), 'hex'));

$node->safe_psql(
	'postgres', q(
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
not_loaded($node, $small, 'SELECT gpu_cache_load(a) FROM only_nulls',
	'without a value');
not_loaded($node, $small, "SELECT gpu_cache_load($_) FROM barely_small",
	"too small by a byte: $_")
  foreach 'bytes', 'letters', 'compressed';
is( $node->safe_psql('postgres', 'SELECT gpu_cache_load(bytes || b),
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
is( $node->safe_psql('postgres', '
		SELECT gpu_cache_load(a) FROM only_nulls;
		SELECT function, engine, bytes_out FROM gpu_last_call()'),
	"\ngpu_cache_load||0", 'gpu_last_call() tells of a load');

# Less room than all take together.  What was used last stays.
{
	my $mb = 262144;			# elements

	$node->safe_psql(
		'postgres', qq(
		CREATE TABLE full_cache (id integer, a integer[]);
		ALTER TABLE full_cache ALTER a SET STORAGE EXTERNAL;
		INSERT INTO full_cache SELECT i, numbers(i, $mb / 4)
		FROM generate_series(1, 6) AS i;
		INSERT INTO full_cache SELECT 7, numbers(7, $mb + 1);
		CREATE FUNCTION sources(ids integer[]) RETURNS text
		LANGUAGE plpgsql AS \$\$
		DECLARE
			verdict text := '';
			use integer;
			is_right boolean;
		BEGIN
			FOREACH use IN ARRAY ids LOOP
				SELECT gpu_compact(a) = ARRAY(SELECT x FROM unnest(a) AS x
											  WHERE x <> 0)
				INTO is_right FROM full_cache WHERE id = use;
				verdict := verdict || use || CASE WHEN is_right THEN ' ' ELSE '!' END
					|| CASE (SELECT source FROM gpu_last_call())
					   WHEN 'cache' THEN 'kept ' ELSE 'read ' END;
				IF (SELECT bool_or(cache_bytes > cache_limit) FROM gpu_processes()) THEN
					RAISE 'the cache is larger than it may be';
				END IF;
			END LOOP;
			RETURN verdict || (SELECT sum(cache_bytes)::bigint / 1024 FROM gpu_processes());
		END \$\$;));
	set_cache_size($node, 1);
	is( $node->safe_psql('postgres', "$cuda SELECT sources('{1,2,3,4,1,2,3,4}')"),
		'1 read 2 read 3 read 4 read 1 kept 2 kept 3 kept 4 kept 1024',
		'four values fit in');
	is( $node->safe_psql('postgres', "$cuda SELECT sources('{1,5,2,5,1,3,4}')"),
		'1 kept 5 read 2 read 5 kept 1 kept 3 read 4 read 1024',
		'a fifth has the one go that was not used for longest');
	is( $node->safe_psql('postgres', "$cuda SELECT sources('{7,7,1,3,4,5}')"),
		'7 read 7 read 1 kept 3 kept 4 kept 5 kept 1024',
		'a value that is larger than the cache is not kept, nor has others go');
	not_loaded($node, 'it is larger than the cache, which has 1048576 bytes',
		'SELECT gpu_cache_load(a) FROM full_cache WHERE id = 7', 'too large');

	set_cache_size($node, 2);
	is( $node->safe_psql('postgres', "$cuda SELECT sources('{1,3,4,5,2,6,7,7,6}')"),
		'1 kept 3 kept 4 kept 5 kept 2 read 6 read 7 read 7 kept 6 kept 1792',
		'a larger cache has room for more');
	set_cache_size($node, 1);
	is(counters($node, 'cache_bytes') <= 1048576, 1,
		'a smaller cache gives room back');
	set_cache_size($node, 0);
	is(counters($node, 'cache_bytes'), 0, 'none gives back all');
	is( $node->safe_psql('postgres', "$cuda SELECT sources('{1,1}')"),
		'1 read 1 read 0', 'none keeps nothing');
	not_loaded($node, '"gpucompact.gpu_cache_size" is zero',
		'SELECT gpu_cache_load(a) FROM full_cache WHERE id = 1', 'without a cache');
}

# Many sessions at once, with less room than they want.  They have the server issue
# identifiers again, while nobody stores a value, as core relies on that; and VACUUM
# gives the places of values to others.
set_cache_size($node, 1);
{
	my $seconds = $ENV{GPUCOMPACT_TEST_SECONDS} || 5;
	my $sessions = 6;

	$node->safe_psql(
		'postgres', q(
		CREATE TABLE busy (id integer, a integer[])
			WITH (autovacuum_enabled = off, toast.autovacuum_enabled = off);
		CREATE INDEX ON busy (id);
		ALTER TABLE busy ALTER a SET STORAGE EXTERNAL;
		CREATE TABLE seeds AS
		SELECT i AS seed, numbers(i, 17000) AS a FROM generate_series(1, 20) AS i;

		CREATE FUNCTION a_seed() RETURNS integer
		LANGUAGE sql AS 'SELECT 1 + floor(20 * random())::integer';

		-- A value that is hardly another than one that there was.
		CREATE FUNCTION a_value() RETURNS integer[] LANGUAGE sql AS $$
			SELECT a || a_seed() FROM seeds
			WHERE seed = (SELECT a_seed() % 3 + 1) $$;
		CREATE PROCEDURE work(seconds double precision) LANGUAGE plpgsql AS $$
		DECLARE
			until timestamptz := clock_timestamp() + make_interval(secs => seconds);
			lowest oid := (SELECT (max(value)::bigint + 1)::oid FROM places('seeds'));
			which integer;
			wrong bigint;
		BEGIN
			WHILE clock_timestamp() < until LOOP
				which := 1 + floor(10 * random());
				CASE floor(10 * random())
				WHEN 0 THEN
					PERFORM pg_advisory_xact_lock_shared(1);
					INSERT INTO busy VALUES (which, a_value());
				WHEN 1 THEN
					-- Two at once could wait for each other's rows.
					PERFORM pg_advisory_xact_lock(2);
					DELETE FROM busy WHERE id = which;
				WHEN 2 THEN
					PERFORM pg_advisory_xact_lock_shared(1);
					UPDATE busy SET a = a_value()
					WHERE ctid = (SELECT min(ctid) FROM busy WHERE id = which);
				WHEN 3 THEN
					PERFORM pg_advisory_xact_lock(1);
					PERFORM set_next_oid(lowest);
				ELSE
					SELECT count(*) INTO wrong FROM busy
					WHERE id = which AND gpu_compact(a) IS DISTINCT FROM
						ARRAY(SELECT x FROM unnest(a) AS x WHERE x <> 0);
					IF wrong > 0 THEN
						RAISE '% values are wrong', wrong;
					END IF;
				END CASE;
				IF random() < 0.2 THEN
					ROLLBACK;
				ELSE
					COMMIT;
				END IF;
			END LOOP;
		END $$;
		CREATE FUNCTION worst() RETURNS bigint LANGUAGE sql AS
			'SELECT max(cache_bytes - cache_limit) FROM gpu_processes()';));
	my $before = counters($node, 'cache_hits');
	my $changed = counters($node, 'cache_misses_changed');
	my @sessions = map { background($node, "$cuda SET synchronous_commit = off;
		CALL work($seconds); SELECT 'done';") } 1 .. $sessions;
	my $end = time + $seconds;
	my $worst = -1;

	while (time < $end)
	{
		my $bytes = $node->safe_psql('postgres', 'VACUUM (TRUNCATE off) busy; SELECT worst()');

		$worst = $bytes if $bytes > $worst || $worst == -1;
	}
	is(finish_background($_), "done\n", 'many sessions: all answers are right')
	  foreach @sessions;
	cmp_ok($worst, '<=', 0, 'many sessions: the cache is not larger than it may be');
	cmp_ok(counters($node, 'cache_hits'), '>', $before,
		'many sessions: what was kept has served');
	note('hits: ' . (counters($node, 'cache_hits') - $before)
		  . ', values of another one\'s identifier: '
		  . (counters($node, 'cache_misses_changed') - $changed));
	lanes_are_free($node, 'many sessions');
}

survived($node);
$node->stop;

# What the GPU does not do as it should.
if (!-e built('engine/gpu_on_cpu'))
{
	note('make t/engine/gpu_on_cpu has not been run: no faults');
	done_testing();
	exit;
}

$node = start_faulty('faulty_cache', 'gpu_on_cpu', @small_lanes, $default_size,
	'gpucompact.gpu_idle_timeout = 0');
$node->safe_psql('postgres', $functions);
$node->safe_psql(
	'postgres', qq(
	CREATE TABLE changing (id integer, a integer[]);
	ALTER TABLE changing ALTER a SET STORAGE EXTERNAL;
	INSERT INTO changing SELECT 1, numbers(1);));

# It is seen, and can be cleared, as soon as there is a process.
is( answers($node, "$cuda SELECT gpu_cache_load(a) FROM changing;
		SELECT count(*) FROM gpu_cache(); SELECT gpu_cache_clear(); $ask $source"),
	"80000\n1\nt\ntoast pages", 'gpu_cache() and gpu_cache_clear() of a new process');
gpu_pid($node);

# Half of the memory that is free when the process starts is for the cache.
my $half = 'SELECT cache_limit >> 20, memory_total >> 20
	FROM gpu_processes() JOIN gpu_devices() ON gpu = index';
is($node->safe_psql('postgres', $half), '512|1024', 'half of the memory is for the cache');
stop_gpu($node);
$node->safe_psql('postgres', "SELECT set_fault('open crowded 100'); $cuda $short");
gpu_pid($node);
is($node->safe_psql('postgres', $half), '50|1024',
	'half of what others have left is for the cache');
$node->safe_psql('postgres', "SELECT set_fault('none none')");

my $nothing = 'SELECT sum(cache_bytes), (SELECT count(*) FROM gpu_cache())
	FROM gpu_processes();';
my $clear = 'DO $$ BEGIN PERFORM gpu_cache_clear(); END $$;';
my $no_fault = q(DO $$ BEGIN PERFORM set_fault('none none'); END $$;);

# No memory for what would be kept.
is( answers($node, "$clear SELECT set_fault('begin no_cache');
		$cuda $ask $ask $source $nothing"),
	"t\nt\ntoast pages\n0|0", 'no memory for the cache: what core sees');
not_loaded($node, 'the GPU has no memory for it',
	'SELECT gpu_cache_load(a) FROM changing', 'without memory');
is($node->safe_psql('postgres', "$cuda $no_fault $ask $ask $source"), "t\nt\ncache",
	'and then there is memory');

# What is kept gives way to a call that lacks memory, but what that call uses.
is( answers($node, "
		CREATE TABLE beside AS SELECT a || 1 AS a FROM changing;
		$cuda SELECT gpu_cache_load(a) > 0 FROM beside; $ask
		SELECT count(*) FROM gpu_cache(); SELECT set_fault('begin tight');
		$ask $source
		SELECT toast_relation = (SELECT reltoastrelid FROM pg_class
								 WHERE oid = 'changing'::regclass)
		FROM gpu_cache(); $no_fault"),
	"t\nt\n2\nt\ncache\nt", 'what is kept gives way, but not what is in use');

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
		is( $node->safe_psql('postgres', "$cuda $short $nothing $ask $source"),
			"{1,2}\n0|0\nt\ntoast pages",
			"$step $fault: nothing is kept of a call that fails");
	}
}

# What a call uses is not taken from it.
sub hold_call
{
	my ($step) = @_;

	$node->safe_psql('postgres', "SELECT set_fault('$step held')");
	my $call = background($node, "$cuda $ask $source");
	$node->poll_query_until('postgres',
		"SELECT sum(lanes_leased) = 1 FROM gpu_processes()")
	  or die 'the lane is not held';
	return $call;
}
foreach my $kept (1, 0)
{
	my $step = $kept ? 'finish' : 'push';
	my $what = $kept ? 'what a call uses' : 'what a call brings in';
	my $from = $kept ? 'cache' : 'toast pages';

	foreach my $how ('cleared', 'smaller')
	{
		$node->safe_psql('postgres', $kept ?
			"$clear SELECT gpu_cache_load(a) FROM changing" : $clear);
		my $call = hold_call($step);

		$how eq 'cleared' ? $node->safe_psql('postgres', $clear) :
		  set_cache_size($node, 0);
		my $meanwhile = $node->safe_psql('postgres', $nothing);
		is($meanwhile, '80000|' . ($how eq 'cleared' || !$kept ? 0 : 1),
			"$how: $what stays in memory");
		$node->safe_psql('postgres', $no_fault);
		is(finish_background($call), "t\n$from\n", "$how: what core sees");
		lanes_are_free($node, $how);
		is($node->safe_psql('postgres', $nothing), '0|0',
			"$how: $what goes with the call");
		set_cache_size($node, 100);
	}
}

# What a call uses does not give way to a value that is loaded meanwhile.
{
	set_cache_size($node, 1);
	$node->safe_psql('postgres', "
		CREATE TABLE large (a integer[]);
		ALTER TABLE large ALTER a SET STORAGE EXTERNAL;
		INSERT INTO large SELECT numbers(1, 260000);
		$clear SELECT set_fault('finish held')");
	my @calls = background($node, "$cuda SELECT gpu_reduce(a, 'max') FROM large;");
	my $leased = 'SELECT sum(lanes_leased) FROM gpu_processes()';

	$node->poll_query_until('postgres', $leased, 1) or die 'the lane is not held';
	push @calls, background($node,
		"\\set VERBOSITY default\nSELECT gpu_cache_load(a) FROM changing;");
	$node->poll_query_until('postgres', $leased, 2) or die 'the lane is not held';
	$node->safe_psql('postgres', $no_fault);
	like(finish_background($calls[1]),
		qr/NOTICE:  the value is not kept by a GPU: calls use what it would replace$/m,
		'gpu_cache_load(), while others use the cache');
	is(finish_background($calls[0]), "999\n", 'which is as right');
	is($node->safe_psql('postgres', 'SELECT gpu_cache_load(a) FROM changing'), 80000,
		'gpu_cache_load(), when they have ended');
}

# Without a GPU, and then without a program.
{
	my $library = $node->safe_psql('postgres',
		q(SELECT probin FROM pg_proc WHERE proname = 'gpu_cache'));

	stop_gpu($node);
	$node->safe_psql('postgres', "SELECT set_fault('open no_device')");
	not_loaded($node, 'the test has it so: open', "SELECT gpu_cache_load($_)",
		'without a GPU') foreach '(SELECT a FROM changing)', q('{1}'::integer[]);
	$node->safe_psql('postgres', $no_fault);
	unlink(($library =~ s{/[^/]*$}{}r) . '/gpucompact_gpu');
	not_loaded($node, 'no GPU program is installed', "SELECT gpu_cache_load($_)",
		'without a GPU program')
	  foreach '(SELECT a FROM changing)', q('{1}'::integer[]);
	is( $node->safe_psql('postgres',
			"SET gpucompact.engine = auto;
			$ask SELECT gpu_cache_clear(); SELECT count(*) FROM gpu_cache();"),
		"t\n\n0", 'without a GPU program: nothing is kept');
}
$node->stop;
done_testing();
