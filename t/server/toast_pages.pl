
# Values read by pages of their TOAST table are what core reads, whatever their
# length and wherever their chunks are, and whichever thread copies them; and
# where they are damaged, the error is core's.  (t/toast_pages.c reads them.)

use lib 't/lib';

use Gpucompact;

plan skip_all => 'make t/toast_pages.so has not been run' unless -e built('toast_pages.so');
my $library = built('toast_pages.so');

my $node = start_server('toast_pages', 'shared_buffers = 1MB', 'max_connections = 10',
	'allow_system_table_mods = on', 'ignore_checksum_failure = on');

$node->safe_psql('postgres', qq(
	CREATE FUNCTION by_pages(bytea) RETURNS bytea
		AS '$library' LANGUAGE C STRICT;
	CREATE FUNCTION by_stretches(bytea, integer) RETURNS bytea
		AS '$library' LANGUAGE C STRICT;

	-- Bytes that are ASCII, and not the same for two seeds.
	CREATE FUNCTION noise(seed integer, bytes integer) RETURNS bytea
	LANGUAGE sql AS \$\$
		SELECT substr(convert_to(string_agg(md5((i + seed * 1000000)::text), ''),
								 'UTF8'), 1, bytes)
		FROM generate_series(1, bytes / 32 + 1) AS i \$\$;

	CREATE TABLE stored (id serial, bytes bytea);
	ALTER TABLE stored ALTER bytes SET STORAGE EXTERNAL;

	-- What does not come out as core has it.
	CREATE VIEW wrong AS
	SELECT id FROM stored
	WHERE md5(by_pages(bytes)) <> md5(bytes) OR
		  md5(by_stretches(bytes, id)) <> md5(bytes);));

# Lengths around a chunk, a page, a stretch, a piece, and the places that are looked
# up at a time.
{
	my $lengths = join(',',
		2040, 3991, 3992, 3993, 7983 .. 7985, 31935 .. 31937,
		127743 .. 127745, 1000000, 2047 * 1996 + 1, 2048 * 1996,
		2048 * 1996 + 1, 9000000);

	$node->safe_psql('postgres',
		"INSERT INTO stored (bytes)
		 SELECT noise(1, bytes) FROM unnest(ARRAY[$lengths]) AS bytes");
	is($node->safe_psql('postgres', 'SELECT * FROM wrong'), '', 'values of many lengths');
}

# In the transaction that wrote them, in one that is aborted, and after they are
# deleted and VACUUM has run, while a snapshot still sees them.
{
	my $connstr = $node->connstr('postgres');

	is($node->safe_psql('postgres', qq(
			BEGIN;
			INSERT INTO stored (bytes) SELECT noise(id, 30000)
			FROM generate_series(1, 20) AS id;
			SELECT count(*) FROM wrong;
			SAVEPOINT s;
			UPDATE stored SET bytes = bytes || bytes WHERE id % 3 = 0;
			SELECT count(*) FROM wrong;
			ROLLBACK TO s;
			SELECT count(*) FROM wrong;
			ROLLBACK;
			INSERT INTO stored (bytes) SELECT noise(id, 40000)
			FROM generate_series(1, 20) AS id;
			SELECT count(*) FROM wrong;)),
		"0\n0\n0\n0", 'values of the same transaction, and after it');
	is($node->safe_psql('postgres', qq(
			BEGIN ISOLATION LEVEL REPEATABLE READ;
			SELECT count(*) > 20 FROM stored;
			\\! psql -Xqd "$connstr" -c "DELETE FROM stored WHERE id % 2 = 0"
			\\! psql -Xqd "$connstr" -c "VACUUM stored"
			\\! psql -Xqd "$connstr" -c "INSERT INTO stored (bytes) SELECT noise(1, 100000)"
			SELECT count(*) FROM wrong;
			SELECT count(*) > 20 FROM stored;)),
		"t\n0\nt", 'values that others have deleted since the snapshot');
	is($node->safe_psql('postgres', 'VACUUM stored; SELECT * FROM wrong'),
		'', 'values that are left');
}

# Arrays that several threads copy: of one or two inputs, each piece by piece or
# gathered, from elements of each size.
my @calls = (
	q(gpu_reduce(a, 'max')), 'gpu_prefix_sum(a)', 'gpu_compact(a)',
	'gpu_radix_sort(a)', 'gpu_argsort(a)', 'gpu_sort_by_key(b, a)',
	'gpu_delta(b, 1000)', 'gpu_distinct(c)', 'gpu_run_lengths(c)',
	'gpu_compact(b, mask)', 'gpu_utf8_decode(bytes)');
$node->safe_psql('postgres', q(
	CREATE TABLE arrays (a integer[], b bigint[], c smallint[],
						 mask boolean[], bytes bytea);
	ALTER TABLE arrays ALTER a SET STORAGE EXTERNAL,
		ALTER b SET STORAGE EXTERNAL, ALTER c SET STORAGE EXTERNAL,
		ALTER mask SET STORAGE EXTERNAL, ALTER bytes SET STORAGE EXTERNAL;
	INSERT INTO arrays
	SELECT array_agg(hashint4(i)), array_agg(hashint4(i) / 2::bigint),
		   array_agg((i / 3 % 30000)::smallint), array_agg(i % 3 = 1),
		   noise(7, 3000000)
	FROM generate_series(1, 700000) AS i;));

# The calls that differ from the calls with one thread.
sub wrong_calls
{
	my $sql = '';

	foreach my $call (@calls)
	{
		my $answer = "SELECT md5(($call)::text) AS answer FROM arrays";

		$sql .= qq(
			SET gpucompact.engine = cpu;
			SET gpucompact.cpu_threads = 1;
			CREATE TEMP TABLE expected AS $answer;
			SET gpucompact.cpu_threads = 4;
			SELECT \$\$$call\$\$ FROM expected, ($answer) AS again
			WHERE again.answer <> expected.answer;
			DROP TABLE expected;);
	}
	return $node->safe_psql('postgres', $sql);
}

is(wrong_calls(), '', 'several threads copy');

# Calls that are cancelled somewhere, in a subtransaction.
{
	my $sql = q(
		SET gpucompact.engine = cpu;
		SET gpucompact.cpu_threads = 4;
		CREATE FUNCTION cancelled(call text, source text) RETURNS boolean
		LANGUAGE plpgsql AS $$
		BEGIN
			EXECUTE format('SELECT %s FROM %s', call, source);
			RETURN false;
		EXCEPTION WHEN query_canceled THEN
			RETURN true;
		END $$;
		CREATE VIEW longest AS
		SELECT bytes FROM stored ORDER BY octet_length(bytes) DESC LIMIT 1;);

	foreach my $timeout (1 .. 30)
	{
		$sql .= "SET statement_timeout = $timeout;"
		  . "SELECT cancelled('by_pages(bytes)', 'longest');"
		  . "SELECT cancelled('by_stretches(bytes, $timeout)', 'longest');"
		  . "SELECT cancelled('gpu_utf8_is_valid(bytes)', 'longest');"
		  . join('', map { "SELECT cancelled(\$\$$_\$\$, 'arrays');" } @calls);
	}
	my ($status, $out, $err) = $node->psql('postgres',
		"$sql $no_timeout SELECT count(*) FROM wrong;",
		on_error_stop => 0);

	like($out, qr/t\n/, 'some calls have been cancelled');
	like($out, qr/^0$/m, 'and then all is well');
}

# Chunks that are damaged.  What becomes of the value of a table, by core and
# by ours, is compared.
$node->safe_psql('postgres', q(
	CREATE FUNCTION outcome(call text) RETURNS text LANGUAGE plpgsql AS $$
	DECLARE
		answer text;
	BEGIN
		EXECUTE format('SELECT md5(%s) FROM damaged', call) INTO answer;
		RETURN answer;
	EXCEPTION WHEN OTHERS THEN
		RETURN SQLSTATE || ': ' || SQLERRM;
	END $$;

	-- Runs a statement on the TOAST table, as if it were another table.
	CREATE FUNCTION damage(statement text) RETURNS void LANGUAGE plpgsql AS $$
	DECLARE
		toast regclass := (SELECT reltoastrelid FROM pg_class
						   WHERE oid = 'damaged'::regclass);
	BEGIN
		UPDATE pg_class SET relkind = 'r' WHERE oid = toast;
		EXECUTE replace(statement, 'chunks', toast::text);
		UPDATE pg_class SET relkind = 't' WHERE oid = toast;
	END $$;));

# Makes a table of a value, and runs statements on its chunks, after each of
# which VACUUM removes what is deleted.
sub damage
{
	my ($storage, $bytes, @statements) = @_;

	$node->safe_psql('postgres', join(
			";\n",
			'DROP TABLE IF EXISTS damaged',
			'CREATE TABLE damaged (bytes bytea)',
			"ALTER TABLE damaged ALTER bytes SET STORAGE $storage",
			"INSERT INTO damaged SELECT $bytes",
			map { ("SELECT damage(\$damage\$$_\$damage\$)", 'VACUUM damaged') }
			  @statements));
	return;
}

# Our code returns the same value, or the same error, as core's.
sub same_outcome
{
	my ($name, $expected) = @_;
	my ($core, $ours, $of_threads) =
	  split(/\n/, $node->safe_psql('postgres', q(
		SELECT outcome('bytes');
		SET gpucompact.engine = cpu;
		SELECT outcome('gpu_utf8_repair(bytes)');
		SET gpucompact.algorithm = parallel;
		SET gpucompact.cpu_threads = 4;
		SELECT outcome('gpu_utf8_repair(bytes)');)));

	like($core, $expected, "$name: core");
	is($ours, $core, "$name: ours");
	is($of_threads, $core, "$name: ours, by several threads");
	return;
}

my $right = qr/^[0-9a-f]{32}$/;
my $copy = 'INSERT INTO chunks SELECT DISTINCT chunk_id,';
my @damages = (
	[ 'no damage', $right ],
	[ 'first chunk missing', qr/unexpected chunk number 1 \(expected 0\)/,
		'DELETE FROM chunks WHERE chunk_seq = 0' ],
	[ 'chunk missing', qr/unexpected chunk number 4 \(expected 3\)/,
		'DELETE FROM chunks WHERE chunk_seq = 3' ],
	[ 'chunk of a later stretch missing',
		qr/unexpected chunk number 81 \(expected 80\)/,
		'DELETE FROM chunks WHERE chunk_seq = 80' ],
	[ 'last chunk missing', qr/missing chunk number 100 /,
		'DELETE FROM chunks WHERE chunk_seq = 100' ],
	[ 'all chunks missing', qr/missing chunk number 0 /, 'DELETE FROM chunks' ],
	[ 'chunk too short',
		qr/unexpected chunk size 1995 \(expected 1996\) in chunk 5 /,
		'DELETE FROM chunks WHERE chunk_seq = 5',
		"$copy 5, convert_to(repeat('x', 1995), 'UTF8') FROM chunks" ],
	[ 'chunk too long',
		qr/unexpected chunk size 1997 \(expected 1996\) in chunk 16 /,
		'DELETE FROM chunks WHERE chunk_seq = 16',
		"$copy 16, convert_to(repeat('x', 1997), 'UTF8') FROM chunks" ],
	[ 'chunk twice', qr/unexpected chunk number 15 \(expected 16\)/,
		"UPDATE pg_index SET indisunique = false
		 WHERE indrelid = 'chunks'::regclass",
		"$copy 15, chunk_data FROM chunks WHERE chunk_seq = 15" ],
	[ 'chunk too many', qr/unexpected chunk number 101 /,
		"$copy 101, 'x'::bytea FROM chunks" ],
	[ 'chunk far beyond the end', qr/unexpected chunk number 200 /,
		"$copy 200, 'x'::bytea FROM chunks" ],
	[ 'chunk compressed', qr/found toasted toast chunk/,
		'DELETE FROM chunks WHERE chunk_seq = 2',
		'ALTER TABLE chunks ALTER chunk_data SET STORAGE EXTENDED',
		"$copy 2, convert_to(repeat('x', 3000), 'UTF8') FROM chunks" ],
	[ 'last chunk with a short header', $right,
		'DELETE FROM chunks WHERE chunk_seq = 100',
		'ALTER TABLE chunks ALTER chunk_data SET STORAGE EXTENDED',
		"$copy 100, convert_to(repeat('x', 50), 'UTF8') FROM chunks" ],
	[ 'chunk updated', qr/./,
		'UPDATE chunks SET chunk_data = chunk_data WHERE chunk_seq = 100' ]);

foreach my $case (@damages)
{
	my ($name, $expected, @statements) = @$case;

	damage('EXTERNAL', 'noise(1, 100 * 1996 + 50)', @statements);
	same_outcome($name, $expected);
}

# Chunks that are written again, while the index leads to the remains of the old
# ones, too.  (When core sees that, it marks the entries of the index.)
damage('EXTERNAL', 'noise(1, 100 * 1996 + 50)');
$node->safe_psql('postgres', "SELECT damage(\$\$$_\$\$)")
  foreach (
	"UPDATE pg_index SET indisunique = false
	 WHERE indrelid = 'chunks'::regclass",
	'CREATE TABLE saved AS SELECT * FROM chunks',
	'DELETE FROM chunks WHERE chunk_seq BETWEEN 20 AND 79',
	'SELECT count(*) FROM chunks',    # prunes the pages
	'INSERT INTO chunks SELECT * FROM saved WHERE chunk_seq BETWEEN 20 AND 79');
is($node->safe_psql('postgres', q(
		SELECT count(DISTINCT md5(by_stretches(bytes, seed)))
		FROM damaged, generate_series(1, 100) AS seed)),
	'1', 'dead chunks between the others: in stretches');
same_outcome('dead chunks between the others', $right);

# A NULL is where core would crash.
damage(
	'EXTERNAL', 'noise(1, 10000)',
	'DELETE FROM chunks WHERE chunk_seq = 2', "$copy 2, NULL::bytea FROM chunks");
like(
	$node->safe_psql('postgres', q(SELECT outcome('gpu_utf8_repair(bytes)'))),
	qr/^XX001: toast value \d+ chunk 2 has null data$/, 'chunk of NULL');

# Compressed values.
my $compressible = q((SELECT convert_to(string_agg(repeat(md5(i::text), 2), ''), 'UTF8')
					  FROM generate_series(1, 1000) AS i));
my @damages_of_compressed = (
	[ 'no damage', $right ],
	[ 'chunk missing', qr/unexpected chunk number 4 \(expected 3\)/,
		'DELETE FROM chunks WHERE chunk_seq = 3' ],
	[ 'chunk too many', qr/unexpected chunk number 900 /,
		"$copy 900, 'x'::bytea FROM chunks" ],
	[ 'other bytes', qr/compressed (pglz|lz4) data is corrupt/,
		'DELETE FROM chunks WHERE chunk_seq = 2',
		"$copy 2, decode(repeat('ff', 1996), 'hex') FROM chunks" ]);

foreach my $case (@damages_of_compressed)
{
	my ($name, $expected, @statements) = @$case;

	damage('EXTENDED', $compressible, @statements);
	same_outcome("compressed, $name", $expected);
}

# Chunks that the index finds, but that say they are of another value, which
# core does not look at, or have another number, which it does.
foreach my $case (
	[ 'chunk of another value', 1, 7, $right ],
	[ 'chunk of another number', 0, 9,
		qr/unexpected chunk number 9 \(expected 7\)/ ])
{
	my ($name, $id_more, $number, $expected) = @$case;

	damage('EXTERNAL', 'noise(1, 40000)');
	my $path = $node->safe_psql('postgres', q(
		SELECT pg_relation_filepath(reltoastrelid) FROM pg_class
		WHERE oid = 'damaged'::regclass));
	my $id = $node->safe_psql('postgres', q(
		CREATE TABLE id (id oid);
		SELECT damage('INSERT INTO id SELECT DISTINCT chunk_id FROM chunks');
		SELECT id FROM id;
		DROP TABLE id)) =~ s/\D//gr;
	$node->stop;

	my $file = $node->data_dir . "/$path";
	my $table = slurp_file($file);
	$table =~ s/\Q${\pack('Ll', $id, 7)}/pack('Ll', $id + $id_more, $number)/es
	  or die "there is no chunk 7 of value $id in $file";
	open(my $handle, '>:raw', $file) or die "could not open $file: $!";
	print $handle $table;
	close($handle) or die "could not write $file: $!";

	$node->start;
	same_outcome($name, $expected);
	like(
		$node->safe_psql('postgres', q(SELECT outcome('by_pages(bytes)'))),
		qr/core reads the value|unexpected chunk/, "$name: it is not taken for right");
}

# All of it with hardly any buffers.
$node->adjust_conf('postgresql.conf', 'shared_buffers', '128kB');
$node->restart;
is($node->safe_psql('postgres', 'SELECT * FROM wrong'), '', 'values in 16 buffers');
is(wrong_calls(), '', 'several threads copy from 16 buffers');

$node->adjust_conf('postgresql.conf', 'shared_buffers', '32MB');
$node->restart;
is(wrong_calls(), '', 'several threads copy from many pages at a time');

# The server's counts of pages: each page is read once, and later found in the cache,
# once or a little more often: the next piece asks again for the page on which a
# piece ends.
{
	$node->safe_psql('postgres', q(
		CREATE TABLE counted (bytes bytea);
		ALTER TABLE counted ALTER bytes SET STORAGE EXTERNAL;
		INSERT INTO counted SELECT noise(1, 5000000);
		VACUUM counted;));
	my $pages = $node->safe_psql('postgres', q(
		SELECT pg_relation_size(reltoastrelid) / current_setting('block_size')::integer
		FROM pg_class WHERE relname = 'counted'));
	my $has_stat_io =
	  $node->safe_psql('postgres', "SELECT to_regclass('pg_stat_io') IS NOT NULL") eq 't';
	my $counts = q(SELECT toast_blks_read, toast_blks_hit
		FROM pg_statio_all_tables WHERE relname = 'counted';);
	my $hits = q(SELECT hits FROM pg_stat_io WHERE backend_type = 'client backend'
		AND object = 'relation' AND context = 'normal';);
	my $read = 'SELECT octet_length(by_pages(bytes)) FROM counted;
		SELECT pg_stat_force_next_flush();';

	$node->restart;
	$node->safe_psql('postgres', "SELECT pg_stat_reset(); $read");
	my ($cold) = split(/\|/, $node->safe_psql('postgres', $counts));
	is($cold, $pages, 'a page that is not in the cache is read once');

	# Now it is found where the guess says.
	$node->safe_psql('postgres', $read x 3);
	my $hits_before = $has_stat_io ? $node->safe_psql('postgres', $hits) : 0;
	$node->safe_psql('postgres', "SELECT pg_stat_reset(); $read");
	my ($again, $found) = split(/\|/, $node->safe_psql('postgres', $counts));

	is($again, 0, 'a page in the cache is not read');
	cmp_ok($found, '>=', $pages, 'but counts as found');
	cmp_ok($found, '<', 1.1 * $pages + 10, 'once, or a little more often');
  SKIP:
	{
		skip('this server has no pg_stat_io', 1) unless $has_stat_io;
		cmp_ok($node->safe_psql('postgres', $hits) - $hits_before, '>=', $pages,
			'also in pg_stat_io');
	}
}
survived($node);
$node->stop;
done_testing();
