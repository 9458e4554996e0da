
# UTF-8: as Python decodes it, in all databases, up to the limits, and by the
# recipe of docs/recipes.md.  With GPUCOMPACT_TEST_FULL=1 in the environment, results
# are as long as they can be.

use lib 't/lib';

use Gpucompact;
use Utf8;

my $node = start_server('utf8', "max_wal_size = '4GB'");
my %engines = engines($node);

# Of several threads, four do for two.
delete $engines{'cpu_threads = 2'};
my $dir = PostgreSQL::Test::Utils::tempdir;

# A decoder that is not ours has the say.
my $seed = 73;
SKIP:
{
	my $python3 = $ENV{PYTHON3} // 'python3';
	skip 'needs python3', 1 if system("'$python3' --version >$dir/version 2>&1");

	system("'$python3' '$Gpucompact::source/t/lib/utf8_cases.py' $seed >$dir/cases") == 0
	  or die 'utf8_cases.py failed';
	$node->safe_psql('postgres', utf8_tables() . qq(
		ALTER TABLE cases ALTER bytes SET STORAGE EXTERNAL;
		\\copy cases from '$dir/cases'));
	my $count = $node->safe_psql('postgres', 'SELECT count(*) FROM cases');

	foreach my $engine (sort keys %engines)
	{
		foreach my $call_of (utf8_calls())
		{
			my ($call, $python, $which) = @$call_of;

			is($node->safe_psql('postgres', qq(
					$engines{$engine}
					SELECT label FROM cases
					WHERE $which AND ($call) IS DISTINCT FROM ($python)
					LIMIT 5)), '', "$engine: $call as Python, of $count cases (seed $seed)");
		}
	}
}

# Of a value that is stored in slices, no more is read than is asked for.
$node->safe_psql('postgres', q(
	CREATE TABLE long (bytes bytea);
	ALTER TABLE long ALTER bytes SET STORAGE EXTERNAL;
	INSERT INTO long
	SELECT '\xff61ff'::bytea || convert_to(repeat('long ', 4000000), 'UTF8') || '\xff';
	VACUUM ANALYZE long;));

sub buffers
{
	my ($sql) = @_;
	my $plan = $node->safe_psql('postgres', "EXPLAIN (ANALYZE, BUFFERS, COSTS OFF) $sql");

	# The first line is of all of the query.
	my ($hit, $read) = $plan =~ /Buffers: shared(?: hit=(\d+))?(?: read=(\d+))?/;
	return ($hit // 0) + ($read // 0);
}

my $all = buffers('SELECT (gpu_utf8_errors(bytes)).* FROM long');
my $two = buffers('SELECT (gpu_utf8_errors(bytes)).* FROM long LIMIT 2');
cmp_ok($two, '<', $all / 8, "two of three errors: $two of $all buffers are read");
is($node->safe_psql('postgres', 'SELECT (gpu_utf8_errors(bytes)).* FROM long LIMIT 2'),
	"0|1\n2|1", 'and they are right');

# Databases of other encodings.
foreach my $encoding ('latin1', 'euc_jp', 'sql_ascii')
{
	$node->safe_psql('postgres',
		"CREATE DATABASE $encoding ENCODING '$encoding' TEMPLATE template0");
	$node->safe_psql($encoding, 'CREATE EXTENSION gpucompact');
	is($node->safe_psql(
			$encoding, q(
			SELECT gpu_utf8_decode('\xe282ac'::bytea),
				   gpu_utf8_encode('{8364}'), gpu_utf8_is_valid('\xff'))),
		'{8364}|\xe282ac|f', "$encoding: bytes are bytes");
	$node->psql(
		$encoding, q(
		\set VERBOSITY verbose
		SELECT gpu_utf8_repair('a')),
		stderr => \my $err);
	like($err,
		qr/ERROR:  0A000: gpu_utf8_repair needs a database whose encoding is "UTF8"
DETAIL:  The encoding of this database is "\U$encoding"\.$/m,
		"$encoding: no text can be made");
}
is($node->safe_psql(
		'latin1', q(
		SELECT gpu_utf8_decode(convert_from('\x6e61ef7665', 'LATIN1')),
			   gpu_utf8_decode('abc'))),
	'{110,97,239,118,101}|{97,98,99}', 'latin1: code points of a text');
is($node->safe_psql(
		'euc_jp',
		q(SELECT gpu_utf8_decode(convert_from('\xe697a561', 'UTF8')))),
	'{26085,97}', 'euc_jp: code points of a text');
is($node->safe_psql(
		'sql_ascii', q(
		SELECT gpu_utf8_decode(E'\xc3\xaf'),
			   gpu_utf8_decode(E'a\xff', 'replace'))),
	'{239}|{97,65533}', 'sql_ascii: the bytes of a text are taken for UTF-8');

# The recipe of docs/recipes.md.
my $csv = "$dir/customers.csv";
open my $file, '>:raw', $csv or die;
print $file "id,name\n1,Ren\xc3\xa9e\n2,Ren\xe9e\n3,Bj\xc3\xb6rk \xe2\x82\n"
  . "4,\x93Zo\xeb\x94 \x80 5\n5,plain\n";
close $file;
$node->safe_psql('postgres', 'CREATE TABLE customers (id integer PRIMARY KEY, name text)');
fails_with(
	$node, '22021',
	"\\copy customers from '$csv' with (format csv, header)",
	'recipe: the file has bytes that are not UTF-8');
$node->safe_psql('postgres',
	"\\copy customers from '$csv' with (format csv, header, encoding 'LATIN1')");
is($node->safe_psql('postgres', q(
		SELECT id, (gpu_utf8_errors(convert_to(name, 'LATIN1'))).*
		FROM customers ORDER BY id, byte_offset)),
	"2|3|1\n3|7|2\n4|0|1\n4|3|2\n4|6|1", 'recipe: the rows, and where they are wrong');
is($node->safe_psql('postgres', q(
		SELECT gpu_utf8_repair(convert_to(name, 'LATIN1'))
		FROM customers ORDER BY id)),
	"Ren\xc3\xa9e\nRen\xef\xbf\xbde\nBj\xc3\xb6rk \xef\xbf\xbd\n"
	  . "\xef\xbf\xbdZo\xef\xbf\xbd \xef\xbf\xbd 5\nplain",
	'recipe: repaired');
is($node->safe_psql('postgres', q(
		UPDATE customers SET name = CASE
			WHEN gpu_utf8_is_valid(bytes) THEN convert_from(bytes, 'UTF8')
			WHEN id IN (2, 4) THEN convert_from(bytes, 'WIN1252')
			ELSE gpu_utf8_repair(bytes)
		END
		FROM (SELECT id AS same, convert_to(name, 'LATIN1') AS bytes
			  FROM customers) AS v
		WHERE id = same;
		SELECT name FROM customers ORDER BY id)),
	"Ren\xc3\xa9e\nRen\xc3\xa9e\nBj\xc3\xb6rk \xef\xbf\xbd\n"
	  . "\xe2\x80\x9cZo\xc3\xab\xe2\x80\x9d \xe2\x82\xac 5\nplain",
	'recipe: what is Windows-1252 is taken as that');

# More code points than an array has room for.
like(fails_with($node, '54000', qq(
		$engines{$_}
		SELECT cardinality(gpu_utf8_decode(repeat('a', 134217728)));),
		"$_: more code points than an array has room for"),
	qr/array size exceeds the maximum allowed \(134217727\)\nDETAIL:  The result would have 134217728 elements\.$/m,
	'and how many')
  foreach grep { !/ = 1/ } sort keys %engines;

# Results as long as they can be, and longer.
SKIP:
{
	skip 'takes long', 1 unless $ENV{GPUCOMPACT_TEST_FULL};
	skip 'needs 4 GB of memory', 1 if available_memory() < 4;

	# Of a repair, the longest result is of 1 GB less 5 bytes.
	$node->safe_psql('postgres', q(
		CREATE UNLOGGED TABLE wrong (bytes bytea);
		ALTER TABLE wrong ALTER bytes SET STORAGE EXTERNAL;
		INSERT INTO wrong
		SELECT string_agg(bytes, '') || decode(repeat('ff', 299), 'hex')
		FROM (SELECT decode(repeat('ff', 913045), 'hex') AS bytes
			  FROM generate_series(1, 392)) AS v;));
	foreach my $engine (grep { !/ = 1/ } sort keys %engines)
	{
		is($node->safe_psql('postgres', qq(
				$engines{$engine}
				SELECT cardinality(gpu_utf8_decode(repeat('a', 134217727)));
				SELECT octet_length(gpu_utf8_repair(bytes)) FROM wrong;)),
			"134217727\n1073741817", "$engine: the longest results");
		like(fails_with($node, '54000', qq(
				$engines{$engine}
				SELECT octet_length(gpu_utf8_repair(bytes || '\\xff')) FROM wrong;),
				"$engine: more bytes than a text has room for"),
			qr/string size exceeds the maximum allowed \(1073741819\)\nDETAIL:  The result would have 1073741820 bytes\.$/m,
			'and how many');
		is($node->safe_psql('postgres', qq(
				$engines{$engine}
				SELECT gpu_utf8_repair(bytes, 'skip') = '' FROM wrong;
				SELECT cardinality(gpu_utf8_decode(repeat(chr(228), 134217727)));)),
			"t\n134217727", "$engine: long arguments of short results");
	}
}

survived($node);

done_testing();
