
# Updates: of the extension from an earlier version, which this test makes up; of
# databases by pg_dump, and of servers by pg_upgrade.  Objects that use its functions
# go on with the same answers.

use File::Basename;
use JSON::PP qw(decode_json);
use lib 't/lib';

use Gpucompact;

my $root = $Gpucompact::source;
my ($version) = slurp_file("$root/gpucompact.control") =~ /^default_version = '(.*)'$/m;

# One version, of three parts, in all places.
like($version, qr/^\d+\.\d+\.\d+$/, 'the version has three parts');
my $meta = decode_json(slurp_file("$root/META.json"));
is($meta->{version}, $version, 'META.json has it');
is_deeply(
	$meta->{provides}{gpucompact},
	{
		abstract => $meta->{abstract},
		version => $version,
		file => "sql/gpucompact--$version.sql",
		docfile => 'README.md'
	},
	'and so has what it provides');
ok(-e "$root/$meta->{provides}{gpucompact}{file}", 'it has an install script');
like(slurp_file("$root/src/compat.h"), qr/\.version = "\Q$version\E"/, 'the library has it');
like(slurp_file("$root/CHANGELOG.md"),
	qr/\A[^#]*# [^#]*## \Q$version\E /, 'the changelog begins with it');
like(slurp_file("$root/debian/changelog"),
	qr/\Agpucompact \(\Q$version\E\) /, 'and so does that of the packages');

my @answers = (
	'SELECT * FROM runs ORDER BY id',
	'SELECT * FROM sums ORDER BY id',
	'SELECT * FROM different ORDER BY id',
	'SELECT id, greatest_of(samples) FROM runs ORDER BY id',
	'SELECT gpu_median_agg(state), gpu_array_agg(state, NULL::integer[]) FROM states',
	'SET enable_seqscan = off; SELECT id FROM runs
	 WHERE gpu_reduce(samples, $$+$$) BETWEEN 2 AND 20 ORDER BY id');

# Objects of a database that use functions.
sub create_objects
{
	my ($node, $database) = @_;

	$node->safe_psql(
		$database, q(
		CREATE TABLE runs (
			id integer PRIMARY KEY,
			samples integer[] CHECK (gpu_reduce(samples, 'max') < 1000),
			bytes bytea DEFAULT gpu_utf8_encode('{233}'),
			sorted integer[]
				GENERATED ALWAYS AS (gpu_radix_sort(samples, true)) STORED,
			code_points integer[]
				GENERATED ALWAYS AS (gpu_utf8_decode(bytes)) STORED);
		CREATE INDEX runs_total ON runs (gpu_reduce(samples, '+'));
		CREATE INDEX runs_dense ON runs (id)
			WHERE cardinality(gpu_compact(samples)) > 2;
		CREATE VIEW sums AS
			SELECT id, gpu_prefix_sum(samples), gpu_scan(samples, 'min'),
				   gpu_compact(samples, '>', 1), gpu_compact(samples, '<', 2.5) AS less,
				   gpu_delta(samples), d.*
			FROM runs, gpu_distinct_counts(samples) AS d;
		CREATE TABLE states AS
			SELECT gpu_values_state(id) AS state FROM generate_series(1, 4) AS id;
		CREATE FUNCTION greatest_of(a integer[]) RETURNS integer
			RETURN gpu_reduce(a, 'max');
		INSERT INTO runs VALUES
			(1, '{5,0,-3,NULL,8,0}', DEFAULT), (2, '{}', DEFAULT),
			(3, NULL, 'abc'), (4, '{1,1}', DEFAULT);
		CREATE MATERIALIZED VIEW different AS
			SELECT id, gpu_distinct(samples), gpu_stats(samples) FROM runs;));
	return;
}

# They answer; and they still do for new rows, under the same rules.
sub test_objects
{
	my ($node, $database, $name) = @_;
	my $row = 'INSERT INTO runs VALUES (5, $${3,1,2}$$)';

	is(join("\n", map { $node->safe_psql($database, "SET search_path = public; $_") } @answers),
		q(1|{5,0,-3,NULL,8,0}|\xc3a9|{NULL,8,5,0,0,-3}|{233}
2|{}|\xc3a9|{}|{233}
3||\x616263||{97,98,99}
4|{1,1}|\xc3a9|{1,1}|{233}
1|{5,5,2,2,10,10}|{5,0,-3,-3,-3,-3}|{5,8}|{0,-3,0}|{NULL,-5,-3,NULL,NULL,-8}|{-3,0,5,8,NULL}|{1,2,1,1,1}
2|{}|{}|{}|{}|{}|{}|{}
3|||||||
4|{1,2}|{1,1}|{}|{1,1}|{NULL,0}|{1}|{2}
1|{-3,0,5,8,NULL}|(5,1,10,-3,8,2.0000000000000000,19.5000000000000000,4.4158804331639234)
2|{}|(0,0,,,,,,)
3||
4|{1}|(2,0,2,1,1,1.00000000000000000000,0,0)
1|8
2|
3|
4|1
2.5|{1,2,3,4}
1
4), "$name: what was there is the same");

	like(
		$node->safe_psql(
			$database, "SET enable_seqscan = off;
			EXPLAIN SELECT id FROM runs WHERE gpu_reduce(samples, '+') = 10"),
		qr/runs_total/, "$name: the index on an expression is used");
	is($node->safe_psql(
			$database, "BEGIN; $row; REINDEX TABLE runs;
			REFRESH MATERIALIZED VIEW different; SET enable_seqscan = off;
			SELECT sorted, code_points, gpu_distinct FROM runs JOIN different USING (id)
			WHERE gpu_reduce(samples, '+') = 6; ROLLBACK"),
		'{3,2,1}|{233}|{1,2,3}', "$name: a new row has what it should");
	my (undef, undef, $err) = $node->psql($database, $row =~ s/3/1000/r);
	like($err, qr/violates check constraint/, "$name: or is refused");
	return;
}

sub installed_version
{
	my ($node, $database) = @_;

	return $node->safe_psql($database,
		q(SELECT extversion FROM pg_extension WHERE extname = 'gpucompact'));
}

# All that the extension has in a database, as SQL: a dump for pg_upgrade has
# the members of extensions in it.
sub members
{
	my ($node, $database) = @_;
	my ($out, $err) = run_command(
		[ 'pg_dump', '--binary-upgrade', '-s', '-d', $node->connstr($database) ]);

	$out =~ s/^.*binary_upgrade_set_next_.*\n//mg;	# object identifiers
	$out =~ s/^\\(un)?restrict .*\n//mg;	# random
	like($out, qr/CREATE FUNCTION .*gpu_prefix_sum/, "$database is dumped");
	return $out;
}

# A copy of an installation, whose pg_config this is: programs, and links to what
# they find relative to themselves.  It has the scripts of one more version, 0.  That
# lacks one of this version's functions, and another function lacks a column.
sub copy_installation
{
	my ($pg_config) = @_;
	my $tree = PostgreSQL::Test::Utils::tempdir();
	my ($bindir, $sharedir, $pkglibdir) =
	  map { chomp(my $path = `'$pg_config' --$_`); $path } qw(bindir sharedir pkglibdir);

	system('cp', '-rsH', '--parents', $sharedir, $pkglibdir, $tree) == 0 &&
	  system('cp', '-L', '--parents', (map { "$bindir/$_" } qw(initdb postgres psql vacuumdb)),
		glob("$bindir/pg_*"), $tree) == 0
	  or die 'could not copy the installation';
	my $scripts = "$tree$sharedir/extension/gpucompact--";
	my $script = slurp_file("$scripts$version.sql");
	my %statements =
	  map { $_ => $script =~ /^(CREATE FUNCTION $_\(.*?;\nCOMMENT ON FUNCTION $_\(.*?;\n)/ms }
	  qw(gpu_last_call gpu_mode);
	my $narrow = $statements{gpu_last_call} =~ s/, OUT chain text\)/)/r;

	isnt($narrow, $statements{gpu_last_call}, 'version 0 has a column less');
	append_to_file("${scripts}0--$version.sql",
		"DROP FUNCTION gpu_last_call();\n" . join('', values %statements));
	$script =~ s/\Q$statements{gpu_last_call}/$narrow/;
	$script =~ s/\Q$statements{gpu_mode}//;
	append_to_file("${scripts}0.sql", $script);
	return dirname("$tree$bindir");
}

# A database with the objects, under an extension of version 0.
sub create_database
{
	my ($node, $database) = @_;

	$node->safe_psql('postgres', "CREATE DATABASE $database");
	$node->safe_psql($database, q(CREATE EXTENSION gpucompact VERSION '0'));
	create_objects($node, $database);
	return;
}

# The objects that version 0 lacks.
my $mode = 'SELECT gpu_mode(samples) FROM runs WHERE id = 4';
my $columns = q(SELECT gpu_reduce(ARRAY[1,2], '+');
	SELECT count(*) FROM gpu_last_call() AS l, json_object_keys(to_json(l)));

# The database's extension answers as one of version 0; is updated, and then is what
# a new one would be.
sub test_update
{
	my ($node, $database, $name) = @_;

	is(installed_version($node, $database), '0', "$name: it is of version 0");
	fails_with($node, '42883', "\\c $database\n$mode", "$name: it lacks a function");
	is($node->safe_psql($database, $columns), "3\n14", "$name: and a column");
	$node->safe_psql($database, 'ALTER EXTENSION gpucompact UPDATE');
	is(installed_version($node, $database), $version, "$name: it is updated");
	test_objects($node, $database, "$name, updated");
	is($node->safe_psql($database, $mode), '1', "$name: it has the function");
	is($node->safe_psql($database, $columns), "3\n15", "$name: and the column");
	return;
}

my $installation = copy_installation('pg_config');
my $node = PostgreSQL::Test::Cluster->new('upgrade', install_path => $installation);
$node->init(extra => [ '--locale=C', '--encoding=UTF8' ]);
$node->start;

# Nothing but C is needed; plpgsql is an extension that a database may lack.
$node->safe_psql('postgres', 'CREATE DATABASE fresh');
$node->safe_psql('fresh', 'DROP EXTENSION plpgsql; CREATE EXTENSION gpucompact');
is(installed_version($node, 'fresh'), $version, "a new one is of $version");

# Functions that PostgreSQL calls by itself do not have names for users.  All
# overloads that only raise an error have the same description.
my $part_of_others = q(
	'internal'::regtype = ANY (proargtypes) OR
	p.oid IN (SELECT prosupport FROM pg_proc
			  UNION SELECT oprcode FROM pg_operator
			  UNION SELECT amproc FROM pg_amproc
			  UNION SELECT unnest(ARRAY[typinput, typoutput, typreceive, typsend,
										typmodin, typmodout]) FROM pg_type
			  UNION SELECT unnest(ARRAY[aggtransfn, aggfinalfn, aggcombinefn,
										aggserialfn, aggdeserialfn]) FROM pg_aggregate));
is($node->safe_psql('fresh', "SELECT proname FROM pg_proc AS p
				   WHERE proname ~ '^gpu_' AND ($part_of_others)"),
	'', 'what begins with gpu_ is for users');
is($node->safe_psql('fresh', "SELECT count(*) > 40 FROM pg_proc AS p
				   WHERE proname ~ '^gpucompact_' AND ($part_of_others)"),
	't', 'what is not begins with gpucompact_');
is($node->safe_psql('fresh', q(
	SELECT DISTINCT obj_description(oid, 'pg_proc') FROM pg_proc
	WHERE proname ~ '^gpu_' AND obj_description(oid, 'pg_proc') ~ 'raises an error')),
	'not supported for this type; raises an error that says what to do',
	'overloads that raise errors say so');

# A column can have a row whose type has a name.  A type that depends on the type of
# an argument has none.
is($node->safe_psql('fresh', q(
	SELECT string_agg(oid::regprocedure::text, ' ' ORDER BY proname) FROM pg_proc
	WHERE proname ~ '^gpu' AND prorettype = 'record'::regtype AND pronargs > 0 AND
		  NOT proallargtypes && '{anyarray,anycompatiblearray}'::regtype[]::oid[])),
	'gpucompact_benchmark(integer)', 'rows of values have types with names');

# ALTER EXTENSION UPDATE; one that is rolled back leaves it as it was.
create_database($node, 'updated');
test_objects($node, 'updated', 'version 0');
$node->safe_psql('updated', 'BEGIN; ALTER EXTENSION gpucompact UPDATE; ROLLBACK');
test_objects($node, 'updated', 'version 0, rolled back');

$node->safe_psql('postgres', 'CREATE DATABASE plain');
$node->safe_psql('plain', q(DROP EXTENSION plpgsql; CREATE EXTENSION gpucompact VERSION '0'));
isnt(members($node, 'plain'), members($node, 'fresh'), 'version 0 has less in it');
$node->safe_psql('plain', 'ALTER EXTENSION gpucompact UPDATE');
is(members($node, 'plain'), members($node, 'fresh'), 'updated, it has all that a new one has');

# pg_dump of a database with version 0, and of an updated one: the restored database
# has the version of the installed library.
foreach my $from ('0', $version)
{
	my $file = PostgreSQL::Test::Utils::tempdir() . '/dump';
	my $database = "restored_$from" =~ s/\W/_/gr;

	is(installed_version($node, 'updated'), $from, "$from is dumped");
	command_ok(
		[ 'pg_dump', '-Fc', '-f', $file, '-d', $node->connstr('updated') ],
		"pg_dump of $from");
	$node->safe_psql('postgres', "CREATE DATABASE $database");
	command_ok(
		[ 'pg_restore', '-e', '-d', $node->connstr($database), $file ],
		'pg_restore');
	is(installed_version($node, $database), $version, "it is of $version");
	test_objects($node, $database, "$from, restored");
	test_update($node, 'updated', 'ALTER EXTENSION') if $from ne $version;
}
survived($node);

# pg_upgrade from a server of the same major version, or of an older one, which has
# the extension, too.
my $old_installation =
  $ENV{GPUCOMPACT_TEST_OLD_PG_CONFIG}
  ? copy_installation($ENV{GPUCOMPACT_TEST_OLD_PG_CONFIG})
  : $installation;
my @init = ('--locale=C', '--encoding=UTF8', '--data-checksums');
my $old = PostgreSQL::Test::Cluster->new('old', install_path => $old_installation);
my $new = PostgreSQL::Test::Cluster->new('new', install_path => $installation);
my $output = PostgreSQL::Test::Utils::tempdir();

$old->init(extra => \@init);
$old->start;
create_database($old, 'upgraded');
$old->stop;
$new->init(extra => \@init);

chdir($output) or die "$output: $!";
command_ok(
	[
		'pg_upgrade', '--no-sync', '-d', $old->data_dir, '-D', $new->data_dir,
		'-b', "$old_installation/bin", '-B', "$installation/bin", '-s', $new->host,
		'-p', $old->port, '-P', $new->port
	],
	'pg_upgrade from ' . $old->pg_version);
$new->start;
test_objects($new, 'upgraded', 'after pg_upgrade');
test_update($new, 'upgraded', 'pg_upgrade');
survived($new);

done_testing();
