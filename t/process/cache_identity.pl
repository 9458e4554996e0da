
# A call is given the value that PostgreSQL sees, never another one that the GPU
# process has cached: whatever becomes of identifiers, tables, databases, servers
# and the process, and when many sessions write and read at once.
#
# GPUCOMPACT_TEST_SECONDS says for how long many sessions write and read; by
# default for 2 s.

use lib 't/lib';

use Gpucompact;
use GpuCache;
use Time::HiRes qw(time);

my $node = start_cache('cache_identity', 'wal_level = replica',
	'max_wal_senders = 4', 'max_prepared_transactions = 2');
make_external($node);

# A value is never taken for another one.  In a transaction that has made a table,
# TRUNCATE gives the next value the place of the first one, and its writer is the same:
# the two differ in one thing alone.
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

	is(answers(
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

# The same after VACUUM has made room.  There is no call while the identifiers wrap
# around: the worker notices it, as it looks twice a second.
foreach my $again (
	[ 'the identifiers have gone round', 'expired', 'SELECT set_next_oid(
		((:value::bigint + i * 357913941::bigint) & 4294967295)::oid), pg_sleep(0.25)
		FROM generate_series(1, 12) AS i;' ],
	[ 'the identifiers were set back', 'changed', '' ])
{
	my ($what, $counter, $between) = @$again;

	is(answers(
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
		"t\nt|f\nt\ntoast pages\n1", "another value of the same identifier, after VACUUM: $what");
}

# Whatever becomes of a table, its values are those that core sees.
make_changing($node);
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
	my ($rc, $out, $err) = $node->psql('postgres', qq(
		$cuda
		TRUNCATE changing;
		ALTER TABLE changing ALTER a SET STORAGE EXTERNAL;
		INSERT INTO changing SELECT i, numbers(i) FROM generate_series(1, 2) AS i;
		$ask $ask $source
		$sql
		$ask $ask $source));

	is($err . ($out =~ s/^t\n//mgr), "cache\ncache", "what core sees, after: $what");
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
		$node->safe_psql('template1', 'CREATE DATABASE another TEMPLATE postgres OID 99999');
		push @said, $node->safe_psql('another', qq(
			$cuda
			SELECT set_next_oid(4000000);
			INSERT INTO again_elsewhere $in '{$element}';
			SELECT * FROM places('again_elsewhere');
			@{[ verdict('again_elsewhere') x 2 ]} $source)) =~ s/\|\d+$//mr;
		$node->safe_psql('template1', 'DROP DATABASE another');
	}
	is($said[0], "\n4000000|(0,1)\nt\nt\ncache", 'a database: its value is cached');
	is($said[1], $said[0], 'another database of the same identifier: has its own value');
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
	is($standby->safe_psql('postgres', "$cuda $ask $source $update; VACUUM changing;
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
	is($node->safe_psql('postgres', "$wal $cuda
			INSERT INTO changing SELECT 1, numbers(1); $ask $ask $source"),
		"t\nt\ncache", 'before a crash');
	$node->stop('immediate');
	$node->start;
	is($node->safe_psql('postgres', "$cuda $short
			SELECT count(*) FROM gpu_cache();
			DELETE FROM changing;
			INSERT INTO changing SELECT 1, numbers(2); $ask $ask $source"),
		"{1,2}\n0\nt\nt\ncache", 'after a crash: nothing is cached, what core sees');
}

# The process is killed: the next one begins with nothing.
{
	my $pid = gpu_pid($node);

	kill 'KILL', $pid;
	gpu_pid($node, $pid);
	is($node->safe_psql('postgres', "$cuda $short
			SELECT sum(cache_bytes), (SELECT count(*) FROM gpu_cache())
			FROM gpu_processes(); $ask $source $ask $source"),
		"{1,2}\n0|0\nt\ntoast pages\nt\ncache",
		'killed: the next process begins with nothing, and what core sees');
}

# Many sessions at once, with less room than they want.  They have the server issue
# identifiers again, while nobody stores a value, as core relies on that; and VACUUM
# gives the places of values to others.
set_cache_size($node, 1);
{
	my $seconds = $ENV{GPUCOMPACT_TEST_SECONDS} || 2;
	my $sessions = 6;

	$node->safe_psql('postgres', q(
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
	is(finish_background($_), "done\n", 'many sessions: all answers are right') foreach @sessions;
	cmp_ok($worst, '<=', 0, 'many sessions: the cache is not larger than it may be');
	cmp_ok(counters($node, 'cache_hits'), '>', $before,
		'many sessions: what was cached has served');
	note('hits: ' . (counters($node, 'cache_hits') - $before)
		  . ', values of another one\'s identifier: '
		  . (counters($node, 'cache_misses_changed') - $changed));
	lanes_are_free($node, 'many sessions');
}

survived($node);
$node->stop;
done_testing();
