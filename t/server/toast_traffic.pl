
# Values are read by pages while others write between them, delete, move and
# drop them; also on a standby.  (t/toast_pages.c reads them.)
# GPUCOMPACT_TEST_SECONDS says for how long; by default for 2 s.

use lib 't/lib';

use Gpucompact;
use IPC::Run;

plan skip_all => 'make t/toast_pages.so has not been run' unless -e built('toast_pages.so');
my $library = built('toast_pages.so');
my $seconds = $ENV{GPUCOMPACT_TEST_SECONDS} || 2;

# A standby that soon cancels a statement in whose way it is.
my $primary = start_server('primary', 'wal_level = replica', 'max_wal_senders = 4',
	'shared_buffers = 4MB', 'max_standby_streaming_delay = 50ms',
	'wal_receiver_status_interval = 1');

$primary->safe_psql('postgres', qq(
	CREATE FUNCTION by_pages(bytea) RETURNS bytea
		AS '$library' LANGUAGE C STRICT;

	CREATE TABLE traffic (id serial PRIMARY KEY, bytes bytea, hash text);
	CREATE TABLE passing (bytes bytea, hash text);
	ALTER TABLE traffic ALTER bytes SET STORAGE EXTERNAL;
	ALTER TABLE passing ALTER bytes SET STORAGE EXTERNAL;

	CREATE FUNCTION noise(seed integer, bytes integer) RETURNS bytea
	LANGUAGE sql AS \$\$
		SELECT string_agg(sha512(int4send(seed) || int4send(i)), '')
		FROM generate_series(1, bytes / 64 + 1) AS i \$\$;
	CREATE PROCEDURE add(name text, bytes integer) LANGUAGE plpgsql AS \$\$
	DECLARE
		value bytea := noise((1000 * random())::integer, bytes);
	BEGIN
		EXECUTE format('INSERT INTO %I (bytes, hash) VALUES (\$1, \$2)', name)
		USING value, md5(value);
	END \$\$;

	-- An error, which pgbench reports, unless all is well.
	CREATE FUNCTION check_values() RETURNS text LANGUAGE plpgsql AS \$\$
	BEGIN
		ASSERT NOT EXISTS (SELECT FROM traffic WHERE md5(by_pages(bytes)) <> hash);
		ASSERT NOT EXISTS (SELECT FROM passing WHERE md5(by_pages(bytes)) <> hash);
		RETURN 'all is well';
	END \$\$;
	CALL add('traffic', 1000000);));

$primary->backup('backup');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'backup', has_streaming => 1);
$standby->start;
$primary->wait_for_catchup($standby);

# On the standby, all the while.  It cancels statements, and sometimes ends a
# session.
my ($out, $err) = ('', '');
my $directory = PostgreSQL::Test::Utils::tempdir();
append_to_file("$directory/check.sql", "SELECT check_values();\n" x 20);
my $on_standby = IPC::Run::start(
	[
		'sh', '-c',
		qq(while [ ! -e stop ]; do psql -XAtqf check.sql -d "\$1"; done), 'sh',
		$standby->connstr('postgres')
	],
	'init' => sub { chdir $directory },
	'>' => \$out,
	'2>' => \$err);

$primary->pgbench(
	"--no-vacuum --client=8 --jobs=2 --time=$seconds",
	0,
	[qr{processed: [1-9]}],
	[qr{^(?!.*(aborted|ERROR))}s],
	'values that others write, delete, move and drop',
	{
		'write@20' => "\\set bytes random(2000, 400000)\n"
		  . "CALL add('traffic', :bytes);\n",
		'update@10' => "\\set id random(1, 200)\n"
		  . "UPDATE traffic SET bytes = bytes || '\\x00',
			 hash = md5(bytes || '\\x00') WHERE id = :id;\n",
		'delete@10' => "\\set id random(1, 200)\n"
		  . "DELETE FROM traffic WHERE id % 50 = :id % 50;\n",
		'abort@5' => "BEGIN;\nCALL add('traffic', 100000);\nROLLBACK;\n",
		'check@20' => "SELECT check_values();\n",
		'vacuum@5' => "VACUUM (SKIP_LOCKED) traffic;\n",
		'rewrite@1' => "VACUUM (FULL, SKIP_LOCKED) traffic;\n",
		'cluster@1' => "CLUSTER traffic USING traffic_pkey;\n",
		'truncate@1' => "TRUNCATE traffic;\n",
		'drop@2' => "BEGIN;\nDROP TABLE passing;\n"
		  . "CREATE TABLE passing (bytes bytea, hash text);\n"
		  . "ALTER TABLE passing ALTER bytes SET STORAGE EXTERNAL;\n"
		  . "CALL add('passing', 300000);\nCOMMIT;\n"
	});

append_to_file("$directory/stop", '');
$on_standby->finish;
like($out, qr/all is well/, 'and on the standby');
unlike($err, qr/ERROR:  (?!canceling statement due to conflict with recovery)/,
	'where there is no other error than conflicts');

# Eight writers at once: their values share pages.
$primary->safe_psql('postgres', 'TRUNCATE traffic');
$primary->pgbench(
	'--no-vacuum --client=8 --jobs=2 --transactions=5',
	0,
	[qr{processed: 40/40}],
	[qr{^(?!.*(aborted|ERROR))}s],
	'eight writers',
	{ 'writers' => "CALL add('traffic', 200000);\n" });
my $toast = $primary->safe_psql('postgres',
	"SELECT reltoastrelid::regclass FROM pg_class
	 WHERE oid = 'traffic'::regclass");
cmp_ok(
	$primary->safe_psql('postgres', qq(
		SELECT count(*) FROM $toast AS a JOIN $toast AS b
		ON a.chunk_id = b.chunk_id AND a.chunk_seq = b.chunk_seq - 1 AND
		   abs((a.ctid::text::point)[0] - (b.ctid::text::point)[0]) > 1)),
	'>', 0,
	'neighbouring chunks lie apart');
$primary->wait_for_catchup($standby);
foreach my $node ($primary, $standby)
{
	is($node->safe_psql('postgres',
			'SELECT count(*) FROM traffic WHERE md5(by_pages(bytes)) = hash'),
		'40', 'what they have written, on the ' . $node->name);
	survived($node);
}
$standby->stop;
$primary->stop;
done_testing();
