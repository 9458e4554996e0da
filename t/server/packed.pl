
# Columns of the types gpu_packed and gpu_state: COPY in all formats, pg_dump, and
# statements that compare.  (binary.pl has logical replication.)

use lib 't/lib';

use Gpucompact;

my $node = start_server('packed');
my $directory = PostgreSQL::Test::Utils::tempdir();

# Arrays of each type, short and long, with NULLs and without, and of another
# lower bound.
my $table = q(
	CREATE TABLE packed (id serial PRIMARY KEY, p gpu_packed, i gpu_packed(integer),
						 f gpu_packed('double precision') DEFAULT ARRAY[1.5::float8], s gpu_state););
$node->safe_psql('postgres', "$table" . q(
	INSERT INTO packed (p, i) VALUES (NULL, NULL), ('integer:{}', 'integer:[-3:-2]={1,NULL}'),
		('smallint:{1,NULL}', NULL), ('real:{1.5,NaN,-0}', NULL), ('boolean:{t,f,NULL}', NULL),
		('"char":{a,"\\\\"}', NULL), ('oid:{4294967295}', NULL), ('money:{"$1,234.50"}', NULL),
		('date:{2024-02-29,-infinity}', NULL), ('time:{24:00}', NULL),
		('timestamp:{"2024-02-29 12:00:00.000001"}', NULL), ('timestamptz:{"2024-02-29 12:00+01"}', NULL);
	INSERT INTO packed (p, i, f)
	SELECT array_agg(i * 1000 + hashint4(i) % 100 ORDER BY i)::bigint[],
		   array_agg(CASE WHEN i % 7 > 0 THEN hashint4(i) % 1000 END ORDER BY i),
		   gpu_pack(array_agg(hashint4(i) % 10000 / 100.0 ORDER BY i)::float8[])
	FROM generate_series(1, 100000) AS i;
	UPDATE packed SET s = (SELECT gpu_values_state(hashint4(i)) FROM generate_series(1, id * id * 100) AS i);));
my $digest = q(SELECT count(*), md5(string_agg(packed::text, ',' ORDER BY id)) FROM packed);
my $expected = $node->safe_psql('postgres', $digest);

# The rows of a table of the same columns in a database.
sub same
{
	my ($database, $name) = @_;

	is($node->safe_psql($database, $digest), $expected, $name);
	return;
}

sub new_database
{
	my ($database, $sql) = @_;

	$node->safe_psql('postgres', "CREATE DATABASE $database");
	$node->safe_psql($database, "CREATE EXTENSION gpucompact; $sql") if defined $sql;
	return;
}

foreach my $format ('text', 'csv', 'binary')
{
	new_database("copy_$format", $table);
	$node->safe_psql('postgres', "COPY packed TO '$directory/$format' (FORMAT $format)");
	$node->safe_psql("copy_$format", "COPY packed FROM '$directory/$format' (FORMAT $format)");
	same("copy_$format", "COPY, $format");
}

# A binary file with other elements, for the column that has a type of them; and
# bytes that are no packed array.
$node->safe_psql('postgres',
	"COPY (SELECT p FROM packed WHERE p::text LIKE 'real%') TO '$directory/real' (FORMAT binary);
	 COPY (SELECT 'no packed array'::bytea) TO '$directory/bytes' (FORMAT binary)");
fails_with($node, '42804',
	"COPY packed (i) FROM '$directory/real' (FORMAT binary)",
	'other elements than those of the column');
fails_with($node, '22P03',
	"COPY packed (i) FROM '$directory/bytes' (FORMAT binary)", 'bytes that are no packed array');

foreach my $plain (0, 1)
{
	my $file = "$directory/dump_$plain";
	my $database = "dump_$plain";

	command_ok(
		[ 'pg_dump', ($plain ? '-Fp' : '-Fc'), '-f', $file, '-d', $node->connstr('postgres') ],
		'pg_dump');
	new_database($database);
	command_ok(
		$plain ? [ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-f', $file, '-d', $node->connstr($database) ]
		: [ 'pg_restore', '-d', $node->connstr($database), $file ],
		'restore');
	same($database, 'what is restored');
	is($node->safe_psql($database, q(
			SELECT string_agg(format_type(atttypid, atttypmod), ',' ORDER BY attnum)
			FROM pg_attribute WHERE attrelid = 'packed'::regclass AND attnum > 1)),
		q(gpu_packed,gpu_packed(integer),gpu_packed('double precision'),gpu_state),
		'and so are the types of the columns');
}

# A table converted in place, which shrinks; parallel workers; a hashed join.
is($node->safe_psql('postgres', q(
		CREATE TABLE runs AS
		SELECT id, array_agg(hashint4(i) % 1000 ORDER BY i) AS samples
		FROM generate_series(1, 20) AS id, generate_series(1, 20000) AS i GROUP BY id;
		CREATE TABLE sums AS SELECT id, gpu_stats(samples)::text AS stats FROM runs;
		ALTER TABLE runs ALTER samples TYPE gpu_packed(integer);
		SET max_parallel_workers_per_gather = 2; SET min_parallel_table_scan_size = 0;
		SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;
		SELECT bool_and(gpu_stats(samples::integer[])::text = stats), count(*) FROM runs JOIN sums USING (id);
		SELECT count(DISTINCT id) = count(*) FROM runs;
		SELECT count(*) FROM (SELECT DISTINCT samples FROM runs) AS d;
		SELECT count(*) FROM runs AS a JOIN runs AS b USING (samples);
		SELECT attstorage FROM pg_attribute WHERE attrelid = 'runs'::regclass AND attname = 'samples';
		ALTER TABLE runs ALTER samples TYPE integer[] USING samples::integer[];
		SELECT bool_and(gpu_stats(samples)::text = stats), count(*) FROM runs JOIN sums USING (id);)),
	"t|20\nt\n1\n400\ne\nt|20", 'a column that is packed, and unpacked again');
$node->safe_psql('postgres', 'ANALYZE packed');

survived($node);

done_testing();
