
# Whatever calls the input and output functions of gpu_packed and gpu_state, in text and
# in binary, gets out what went in; and so it does from functions that return their
# argument.  Values are of all sizes, and stored in all ways.

use lib 't/lib';

use Gpucompact;

# Columns, how each is stored, and what it has of an array "i".  There is one
# value in a row, so that its size alone decides how it is stored.
my %columns = (
	e => [ 'gpu_packed', 'EXTERNAL', 'gpu_pack(i)' ],
	m => [ 'gpu_packed', 'MAIN', 'gpu_pack(i)' ],
	x => [ 'gpu_packed', 'EXTENDED', 'gpu_pack(i)' ],
	typmod => [ 'gpu_packed(integer)', 'EXTENDED', 'gpu_pack(i)' ],
	domain => [ 'series', 'EXTENDED', 'gpu_pack(i)' ],
	packeds => [
		'gpu_packed[]', 'EXTENDED',
		q(ARRAY[gpu_pack(i), NULL, gpu_pack(i), 'real:{1}'])
	],
	typmods => [ 'gpu_packed(integer)[]', 'EXTERNAL', 'ARRAY[gpu_pack(i)]' ],
	domains => [ 'series[]', 'MAIN', 'ARRAY[gpu_pack(i)]::series[]' ],
	pair => [
		'pair', 'EXTENDED', 'ROW(gpu_pack(i), ARRAY[gpu_pack(i)])::pair'
	],
	pairs => [
		'pair[]', 'EXTENDED', 'ARRAY[ROW(gpu_pack(i), NULL)::pair, NULL]'
	],
	state => [ 'gpu_state', 'EXTERNAL', '(SELECT gpu_values_state(x) FROM unnest(i) AS x)' ],
	states => [ 'gpu_state[]', 'EXTENDED',
		'ARRAY[(SELECT gpu_values_state(x) FROM unnest(i) AS x), NULL]' ],
	i => [ 'integer[]', 'EXTERNAL', 'i' ],
	im => [ 'integer[]', 'MAIN', 'i' ],
	ix => [ 'integer[]', 'EXTENDED', 'i' ]);
my @names = sort keys %columns;
my $definitions = join(', ', map { "$_ $columns{$_}[0]" } @names);
my $tables = qq(
	CREATE DOMAIN series AS gpu_packed;
	CREATE TYPE pair AS (p gpu_packed, more gpu_packed[]);
	CREATE TABLE sent (id serial PRIMARY KEY, $definitions);)
  . join('',
	map { "ALTER TABLE sent ALTER $_ SET STORAGE $columns{$_}[1];" } @names)
  . 'CREATE TABLE received (LIKE sent INCLUDING ALL); CREATE TABLE keyless (p gpu_packed);';

my $node = start_server(
	'binary',
	'restart_after_crash = on',
	'wal_level = logical',
	'max_wal_senders = 4', 'max_replication_slots = 4');
my $subscriber = start_server('subscriber');
my $file = PostgreSQL::Test::Utils::tempdir() . '/file';

foreach my $server ($node, $subscriber)
{
	$server->safe_psql('postgres', $tables);
}

# Every other 50 elements are the same, so that long values are compressed.  The
# longest, of 1 MB, are in some columns alone, as they take long.
$node->safe_psql('postgres', q(
	CREATE TABLE arrays AS
	SELECT n, ARRAY(SELECT hashint4(CASE WHEN i % 100 < 50 THEN i ELSE i % 100 END)
					FROM generate_series(1, n) AS i) AS i
	FROM (SELECT generate_series(0, 40) UNION
		  SELECT unnest('{100,120,470,520,2500,25000,250000}'::integer[])) AS r (n);)
	  . join(
		'',
		map {
			"INSERT INTO sent ($_) SELECT $columns{$_}[2] FROM arrays "
			  . "WHERE n < 250000 OR '$_' IN ('e', 'x', 'i') ORDER BY n;"
		} @names)
	  . q(INSERT INTO sent (packeds) VALUES (ARRAY[NULL, 'integer:{}', 'integer:[-3:-2]={1,NULL}', 'smallint:{1,NULL}',
		'bigint:{9223372036854775807}', 'real:{1.5,NaN,-0}', 'float8:{5e-324}', 'boolean:{t,f,NULL}', '"char":{a,"\\\\"}',
		'oid:{4294967295}', 'money:{"$1,234.50"}', 'date:{2024-02-29,-infinity}', 'time:{24:00}',
		'timestamp:{"2024-02-29 12:00:00.000001"}', 'timestamptz:{"2024-02-29 12:00+01"}']::gpu_packed[]);));
is($node->safe_psql('postgres', q(
		SELECT bool_or(pg_column_size(e) < 127), bool_or(pg_column_size(e) BETWEEN 127 AND 150),
			   bool_or(pg_column_size(e) BETWEEN 1900 AND 2000 AND pg_column_compression(e) IS NULL),
			   bool_or(pg_column_size(m) < 2000 AND pg_column_compression(m) IS NOT NULL),
			   bool_or(pg_column_size(e) > 1000000 AND pg_column_compression(e) IS NULL),
			   bool_or(pg_column_size(x) > 500000 AND pg_column_compression(x) IS NOT NULL)
		FROM sent)), 't|t|t|t|t|t', 'values of all sizes, stored in all ways');

# The digest of a table.
sub digest
{
	my ($server, $table) = @_;

	return $server->safe_psql('postgres',
		"SELECT count(*), md5(string_agg($table\::text, ',' ORDER BY id)) FROM $table"
	);
}
my $expected = digest($node, 'sent');

# The functions themselves, for values as they are stored.
is($node->safe_psql('postgres', q(
		SELECT bool_and((substr(array_send(ARRAY[p]), 21) = int4send(length(bytes)) || bytes
						 AND substr(record_send(ROW(p)), 9) = int4send(length(bytes)) || bytes
						 AND gpucompact_packed_send(p::text::gpu_packed) = bytes
						 AND p::text = (SELECT 'integer:' || i::text FROM arrays
										WHERE n = cardinality(p::integer[]))) IS TRUE)
		FROM (SELECT coalesce(e, m, x, typmod, domain) AS p FROM sent) AS r, gpucompact_packed_send(p) AS bytes
		WHERE p IS NOT NULL)),
	't', 'bytes and text of values, and of arrays and rows that have them');

foreach my $format ('text', 'binary')
{
	$node->safe_psql('postgres', qq(
		TRUNCATE received;
		COPY sent TO '$file' (FORMAT $format);
		COPY received FROM '$file' (FORMAT $format);));
	is(digest($node, 'received'), $expected, "COPY, $format");
}

# Results; those of the first ones are arguments, too.
foreach my $column ('i', 'im', 'ix')
{
	my @same = (
		$column, "gpu_compact_nulls($column)",
		"gpu_compact($column, 'is not null')", "gpu_map($column, 'floor')",
		"gpu_compact_nulls(gpu_map($column, 'ceil'))",
		"gpu_map(gpu_compact_nulls($column || '{}'), 'trunc')",
		"gpu_unpack(gpu_pack($column)::gpu_packed(integer), $column)");
	my $list = join(', ', map { "$same[$_] AS c$_" } 0 .. $#same);
	my $sends = join(' AND ',
		map { "array_send($_) = array_send($column) AND record_send(ROW($_)) = record_send(ROW($column))" }
		  @same);
	my $same = join(' AND ', map { "c$_ = $column" } 0 .. $#same);

	is($node->safe_psql('postgres', qq(
			CREATE TABLE results AS SELECT id, $list FROM sent WITH NO DATA;
			COPY (SELECT id, $list FROM sent WHERE $column IS NOT NULL) TO '$file' (FORMAT binary);
			COPY results FROM '$file' (FORMAT binary);
			INSERT INTO results SELECT id, $list FROM sent WHERE $column IS NOT NULL;
			SELECT bool_and(($same) IS TRUE) FROM results JOIN sent USING (id);
			SELECT bool_and(($sends) IS TRUE) FROM sent WHERE $column IS NOT NULL;
			DROP TABLE results)), "t\nt", "functions that return $column");
}

# Results that are rows and packed arrays.
my $results = q(
	SELECT n AS id, gpu_distinct_counts_agg(v) AS counts, gpu_top_k_agg(v, 30) AS top, gpu_top_k_agg(v, 30, v::real) AS payloads,
		   gpu_pack_agg(v) AS packed, ARRAY[gpu_pack_agg(v, -v::bigint)] AS packed_by_key,
		   gpu_array_agg(v) AS gathered
	FROM arrays, unnest(i) AS v GROUP BY n);
is($node->safe_psql('postgres', qq(
		CREATE TABLE results AS $results;
		CREATE TABLE again (LIKE results);
		COPY ($results) TO '$file' (FORMAT binary);
		COPY again FROM '$file' (FORMAT binary);
		SELECT bool_and((again::text = results::text) IS TRUE) FROM again JOIN results USING (id);)),
	't', 'results of aggregates');

# Functions that return their argument as parts of an aggregate, whose state is
# one of core's or theirs, and for a variable of PL/pgSQL.
is($node->safe_psql('postgres', q(
		CREATE AGGREGATE appended (integer) (
			SFUNC = array_append, STYPE = integer[], FINALFUNC = gpu_compact_nulls, INITCOND = '{}');
		CREATE AGGREGATE floored (text) (
			SFUNC = gpu_map, STYPE = integer[], FINALFUNC = gpu_compact_nulls, INITCOND = '{1,2}');
		CREATE FUNCTION append(n integer) RETURNS integer[] LANGUAGE plpgsql AS $$
		DECLARE
			a integer[] = '{}';
			b integer[];
		BEGIN
			FOR i IN 1 .. n LOOP
				a := gpu_compact_nulls(array_append(a, i));
				b := gpu_map(a, 'floor');
				b[1] := 0;
				a := gpu_compact_nulls(a);
			END LOOP;
			RETURN gpu_compact_nulls(a);
		END $$;
		SELECT bool_and((a = b) IS TRUE) FROM (
			SELECT appended(i) OVER w, array_agg(i) OVER w
			FROM generate_series(1, 1000) AS i WINDOW w AS (ORDER BY i)) AS r (a, b);
		SELECT bool_and((a = b) IS TRUE) FROM (
			SELECT appended(i), array_agg(i) FROM generate_series(1, 10000) AS i GROUP BY i % 3) AS r (a, b);
		SELECT floored('floor'), floored(CASE WHEN i > 0 THEN 'ceil' END) FROM generate_series(1, 3) AS i;
		SELECT DISTINCT floored('floor') OVER (ORDER BY i) FROM generate_series(1, 3) AS i;
		SELECT append(1000) = ARRAY(SELECT generate_series(1, 1000));)),
	"t\nt\n{1,2}|{1,2}\n{1,2}\nt",
	'functions that return their argument, in aggregates and PL/pgSQL');

# Replication.  In binary, arrays and rows have the numbers of types, which have
# to be the same.  The rows of a table without a key are found by equality.
my $types = q(SELECT 'gpu_packed'::regtype::oid, 'series'::regtype::oid, 'pair'::regtype::oid);
is($subscriber->safe_psql('postgres', $types),
	$node->safe_psql('postgres', $types), 'both servers number types alike');
$node->safe_psql('postgres', q(ALTER TABLE keyless REPLICA IDENTITY FULL;
	CREATE PUBLICATION received FOR TABLE received, keyless;));
foreach my $binary ('false', 'true')
{
	my $rows = q(TRUNCATE received, keyless; INSERT INTO received SELECT * FROM sent;
		INSERT INTO keyless VALUES ('integer:{1}'), ('integer:{2}'););

	$node->safe_psql('postgres', $rows);
	$subscriber->safe_psql('postgres',
		"CREATE SUBSCRIPTION received CONNECTION '" . $node->connstr
		  . " dbname=postgres' PUBLICATION received WITH (binary = $binary)");
	$subscriber->wait_for_subscription_sync($node, 'received');
	is(digest($subscriber, 'received'), $expected, "rows at the beginning, binary = $binary");

	$node->safe_psql('postgres', "$rows UPDATE received SET id = -id WHERE id % 3 = 0;
		UPDATE keyless SET p = gpu_pack(gpu_map(p::integer[], '+', 10)) WHERE p = 'integer:{1}';
		DELETE FROM keyless WHERE p <> 'integer:{11}';");
	$node->wait_for_catchup('received');
	is(digest($subscriber, 'received'),
		digest($node, 'received'), "rows that change, binary = $binary");
	is($subscriber->safe_psql('postgres', 'SELECT p FROM keyless'),
		'integer:{11}', "rows without a key, binary = $binary");
	$subscriber->safe_psql('postgres', 'DROP SUBSCRIPTION received; TRUNCATE received, keyless');
}

survived($node);
survived($subscriber);

done_testing();
