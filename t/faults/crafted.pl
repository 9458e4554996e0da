
# Values that no SQL makes, but that a broken disk or a function in C may: a
# call on one is an error, the session goes on, and no process dies.
# (t/crafted.c damages them.)  Each damage is tried with a part of the calls, each on
# one of the rows, and the next one with others; with GPUCOMPACT_TEST_FULL=1 in the
# environment, with all.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../lib";

use Calls;
use Gpucompact;

plan skip_all => 'make t/crafted.so has not been run' unless -e built('crafted.so');
my $crafted = built('crafted.so');

# A crash fails the test that it happens in, and no other.
my $node = new_server('crafted');
$node->append_conf('postgresql.conf', "restart_after_crash = on\nmax_wal_size = '4GB'\n");
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION gpucompact;' . crafted('cut', 'overwritten') . q(
	-- a value as it is in memory, and the bytes that it takes there
	CREATE FUNCTION plain(value anyarray) RETURNS anyarray
	LANGUAGE sql AS 'SELECT value || ''{}''';
	CREATE FUNCTION plain(value bytea) RETURNS bytea
	LANGUAGE sql AS 'SELECT value || ''''::bytea';
	CREATE FUNCTION size(value anyelement) RETURNS integer
	LANGUAGE sql AS 'SELECT pg_column_size(plain(value))';));

# Longer than the first slice that is read, as is the bitmap of NULLs.  To pad
# arrays to 2^27 elements would take most of the time.
my %calls = (calls(), 'pad' => 'gpu_pad(samples, 700000)');
load_runs($node, 260000, %calls);
my @columns = ('samples', 'mask', 'points', 'bytes');
my @arrays = ('samples', 'mask', 'points');

# Outcomes that will do: mostly, that the value is corrupted.  Some damage cannot
# be seen in the value, does not matter, or is seen by core first.
my $corrupted = qr/^XX001$/;
my $corrupted_or_right = qr/^(XX001|right)$/;
my $core_says = qr/^XX00[01]$/;
my $core_says_or_right = qr/^(XX00[01]|right)$/;
my $too_large = qr/^(XX001|54000)$/;
my $too_large_or_shape = qr/^(XX001|54000|0A000)$/;
my $no_crash = qr/^(right|wrong|\w{5})$/;

# Calls that read no more than the NULLs: damage behind these does not matter.
my $reads_no_values = qr/^((count_agg|(compare|positions)_by_null|count),|group_count, points )/;

# A test that nothing unexpected was seen.
sub is_none
{
	my ($name, @unexpected) = @_;

	splice(@unexpected, 10, @unexpected, '...') if @unexpected > 10;
	is(join("\n", @unexpected), '', $name);
	return;
}

# The query that says whether a call answers "right" on a row of a table, which
# is what the call answers if that row is not damaged.
sub verdict
{
	my ($call, $row, $table) = @_;

	return "SELECT CASE WHEN $calls{$call} IS NOT DISTINCT FROM "
	  . "(SELECT answers.$call FROM answers WHERE id = $row) "
	  . "THEN 'right' ELSE 'wrong' END FROM $table AS runs WHERE id = $row";
}

# The tries, many in each session: a new session takes longer than a try.
my @tries;

# The parts of the calls, and which of them is next.
my $full = $ENV{GPUCOMPACT_TEST_FULL};
my $parts = $full ? 1 : 8;
my $next_part = 0;

# Tries the calls on a column of "runs" that is damaged in some rows.  After each, the
# same call on another row has to be right.
#
#	columns		the columns, one of which is damaged at a time
#	value		an expression for the damaged one, in which it is "value"
#	rows		their ids
#	from		the table that they come from
#	calls		which calls; those of a part, if not given
#	part		which part; if not given, by turns
#	expected	the outcomes that will do
#	before, after	SQL around all calls
#
# Ends with finish_tries, which tests what came of them.
sub try
{
	my ($name, %try) = @_;
	my $from = $try{'from'} // 'runs';
	my $which = $try{'calls'} // qr/./;
	my $part = $try{'part'} // ($next_part = ($next_part + 1) % $parts);
	my @names;
	my @queries;

	foreach my $column (@{ $try{'columns'} })
	{
		my $value = $try{'value'} =~ s/\bvalue\b/$column/gr;
		my $list = join(', ', map { $_ eq $column ? "$value AS $_" : $_ } @columns);
		my @concerned = grep { /$which/ && $calls{$_} =~ /\b$column\b/ } sort keys %calls;

		@concerned = @concerned[ grep { $_ % $parts == $part } 0 .. $#concerned ]
		  unless $try{'calls'};
		my @rows = @{ $try{'rows'} };
		foreach my $i (0 .. $#concerned)
		{
			my $call = $concerned[$i];

			foreach my $row ($full ? @rows : $rows[ (@tries + $i) % @rows ])
			{
				push @names, "$call, $column of row $row";
				push @queries,
				  verdict($call, $row,
					"(SELECT id, $list FROM $from WHERE id = $row OFFSET 0)"),
				  verdict($call, 2, 'runs');
			}
		}
	}
	push @tries,
	  {
		name => $name,
		calls => \@names,
		queries => \@queries,
		expected => $try{'expected'} // $corrupted,
		before => $try{'before'},
		after => $try{'after'}
	  };
	return;
}

sub finish_tries
{
	while (my @some = splice(@tries, 0, 100))
	{
		my @outcomes = try_groups($node, @some);

		foreach my $try (@some)
		{
			my @of_try = @{ shift @outcomes };
			my @unexpected;

			foreach my $call (@{ $try->{'calls'} })
			{
				my ($outcome, $next) = splice(@of_try, 0, 2);

				push @unexpected, "$call: $outcome"
				  unless $outcome =~ $try->{'expected'} ||
				  $outcome eq 'right' && $call =~ $reads_no_values;
				push @unexpected, "$call: $outcome, and then $next" unless $next eq 'right';
			}
			is_none($try->{'name'}, @unexpected);
		}
	}
	return;
}

# Tries them with the damaged value in memory, and another part of the calls with
# the value stored.
sub try_stored
{
	my ($name, %try) = @_;

	try("$name, in memory", %try);
	my $other_part = ($next_part + 1) % $parts;
	foreach my $column (@{ $try{'columns'} })
	{
		my $value = $try{'value'} =~ s/\bvalue\b/$column/gr;
		my $rows = join(', ', @{ $try{'rows'} });

		try("$name, $column stored",
			%try,
			part => $other_part,
			columns => [$column],
			value => 'stored',
			from => 'runs JOIN damaged USING (id)',
			before => qq(
			DROP TABLE IF EXISTS damaged;
			CREATE TABLE damaged AS SELECT id, $column AS stored FROM runs LIMIT 0;
			ALTER TABLE damaged ALTER stored SET STORAGE EXTERNAL;
			INSERT INTO damaged SELECT id, $value FROM runs WHERE id IN ($rows);));
	}
	return;
}

# Headers.  Of an array of one dimension, at byte 4 is the number of dimensions,
# at 8 where the values begin, if there is a bitmap of NULLs, at 12 the type,
# at 16 the length, at 20 the lower bound, and at 24 the bitmap or the values.
my $header = 24;
my $bitmap = '(cardinality(value) + 7) / 8';
my $offset = "($header + $bitmap + 7) / 8 * 8";

sub put { return "overwritten(plain(value), $_[0], $_[1])" }

my @headers = (
	(map { [ "$_ dimensions", put(4, $_), \@arrays ] }
		  (-1, 7, 2147483647, '(-2147483648)')),
	[ '2 dimensions', put(4, 2), \@arrays, $too_large_or_shape ],
	[ '6 dimensions', put(4, 6), \@arrays, $too_large_or_shape ],
	[ 'no dimension', put(4, 0), \@arrays, $no_crash ],
	[ 'dimensions whose product overflows',
		'overwritten(overwritten(overwritten(plain(value), 4, 2), 16, 65536), 20, 65536)',
		\@arrays, $too_large_or_shape ],
	[ 'negative dimensions',
		'overwritten(overwritten(overwritten(plain(value), 4, 2), 16, -2), 20, -3)',
		\@arrays, $too_large_or_shape ],

	# One element more than there are bits for would be a NULL.
	[ 'one element more', put(16, 'cardinality(value) + 1'),
		[ 'mask', 'points' ] ],
	[ '1000 elements more', put(16, 'cardinality(value) + 1000'), \@arrays ],
	[ '134217727 elements', put(16, 134217727), \@arrays ],
	(map { [ "$_ elements", put(16, $_), \@arrays, $too_large ] }
		  (134217728, 2147483647, -1, '(-2147483648)')),
	[ 'no element', put(16, 0), \@arrays, $no_crash ],
	[ 'the greatest lower bound', put(20, 2147483647), \@arrays, $no_crash ],

	(map { [ "values at $_", put(8, $_), \@arrays ] }
		  (-8, 4, 8, 16, 20, 23, 24, 2147483640)),
	(map { [ "values $_ bytes after their place", put(8, "$offset + $_"),
		  ['samples'] ] } (1, 4, 8)),
	[ 'values at the end', put(8, 'size(value)'), ['samples'] ],
	[ 'values after the end', put(8, '(size(value) + 15) / 8 * 8'),
		['samples'] ],

	(map { [ "$_ bytes", "cut(plain(value), $_)", \@arrays ] }
		  (4, 8, 12, 15, 16, 20, 23, 24, 25)),
	[ 'half the bytes', 'cut(plain(value), size(value) / 2)', \@arrays ],
	[ 'one byte less', 'cut(plain(value), size(value) - 1)', \@arrays ],
	[ 'half a bitmap', "cut(plain(value), $header + $bitmap / 2)", ['samples'] ],

	(map { [ "elements of type $_", put(12, $_), \@arrays, $no_crash ] }
		  (0, 16, 20, 21, 23, 25, 701, -1)));
foreach my $damage (@headers)
{
	my ($name, $value, $columns, $expected) = @$damage;

	try_stored(
		"header: $name",
		value => $value,
		columns => $columns,
		rows => [ 1, 2, 3 ],
		expected => $expected);
}

# Types that are not the declared one.  What takes any array goes by the header;
# what takes a certain type must not.
my %types = (
	20 => $corrupted,
	21 => $corrupted,
	25 => qr/^(XX001|0A000)$/,
	0 => $core_says,
	-1 => $core_says);
foreach my $type (sort keys %types)
{
	try_stored(
		"header: elements of type $type, where another is declared",
		value => put(12, $type),
		columns => [ 'samples', 'points' ],
		rows => [ 1, 2, 3 ],
		calls => qr/^(prefix_sum|scan|reduce|delta|utf8_encode)$/,
		expected => $types{$type});
	try_stored(
		"header: a mask of type $type",
		value => put(12, $type),
		columns => ['mask'],
		rows => [ 1, 2, 3 ],
		expected => $types{$type});
}
finish_tries();

# The call of a chain that casts an array of integers to bigint.
sub cast_in_chain { return "gpucompact_chain(NULL::bigint[], 'gpu_union(\$1, \$2)', $_[0], '{}'::bigint[])" }

fails_with($node, 'XX001',
	'SELECT ' . cast_in_chain('overwritten(array_fill(1, ARRAY[300000]), 16, 100000000)'),
	'header: a chain casts more elements than there are');
my @numbers = ('smallint', 'integer', 'bigint', 'real', 'double precision');
$node->safe_psql('postgres', "CREATE FUNCTION \"as $_\"(value anyarray) RETURNS $_\[] "
	  . "AS '$crafted', 'passed_off' LANGUAGE C STRICT")
  foreach @numbers, 'boolean';
foreach my $type (@numbers, 'boolean')
{
	my @queries;

	foreach my $other (@numbers, 'boolean', 'date', 'oid', '"char"')
	{
		next if $other eq $type;
		my $element = $other eq 'date' ? q('2024-02-29') : q('1');
		foreach my $length (5, 300000)
		{
			my $array = qq("as $type"(array_fill($element\::$other, ARRAY[$length])));
			my @calls = (
				"gpu_prefix_sum($array)", "gpu_prefix_sum($array, true)",
				"gpu_scan($array, 'max')", "gpu_reduce($array, '+')",
				"gpu_delta($array)");

			push @calls, "gpu_utf8_encode($array)", "gpu_utf8_encode($array, 'skip')",
			  cast_in_chain($array)
			  if $type eq 'integer';
			@calls = (
				"gpu_positions($array)",
				"gpu_compact(array_fill(1, ARRAY[$length]), $array)",
				"gpu_compact(NULL::integer || array_fill(1, ARRAY[$length - 1]), $array)",
				"gpu_where($array, array_fill(1, ARRAY[$length]), 2)")
			  if $type eq 'boolean';
			push @calls, "(SELECT gpu_percentile_cont_agg(i, $array) FROM generate_series(1, 9) AS i)"
			  if $type eq 'double precision';
			push @queries, map { "SELECT count($_)" } @calls;
		}
	}
	my @outcomes = try_queries($node, '', '', @queries);
	my @unexpected = map { "$queries[$_]: $outcomes[$_]" }
	  grep { $outcomes[$_] ne 'XX001' } 0 .. $#queries;
	is_none("arrays of other types, passed off as of $type", @unexpected);
}
like(fails_with($node, 'XX001', q(SELECT gpu_delta("as integer"(ARRAY[1.5::real]))), 'a type and another'),
	qr/array is corrupted\nDETAIL:  The array is declared as type integer\[\], but its elements are of type real\.$/m,
	'and which they are');

# TOAST pointers.  At byte 1 is the kind, at 2 the size of the value in memory, at 6
# its size as it is stored, at 10 the value's number, and at 14 the relation.
my $size = 'size(value)';
my $stored = 'size(value) - 4';
my @pointers = (
	(map { [ "a size of $_", "overwritten(value, 2, $_)", $core_says_or_right ] }
		  (-1, 0, 3, 4, 5, "$size - 1", "$size - 2000", "$size + 1",
			"$size + 1000000", 2147483647)),
	(map { [ "a stored size of $_", "overwritten(value, 6, $_)", $corrupted ] }
		  (0, 1, 3, 4, 1000, "$stored - 1", "$stored - 1000", "$stored + 1",
			"$stored + 2000", "$stored + 1000000", 1073741823)),
	(map { [ "sizes $_",
			"overwritten(overwritten(value, 2, $size $_), 6, $stored $_)",
			$corrupted ] } ('- 1', '- 1000', '+ 1', '+ 2000', '+ 1000000')),
	[ 'no bytes', 'overwritten(overwritten(value, 2, 4), 6, 0)',
		qr/^(XX001|wrong)$/ ],
	(map { [ "value number $_", "overwritten(value, 10, $_)", $corrupted ] }
		  (0, 1, -1)),
	(map { [ "relation $_", "overwritten(value, 14, $_)", $core_says ] }
		  (0, -1, "relation('other')", "relation('indexed')", "toast('other')")),
	(map { [ "relation $_", "overwritten(value, 14, $_)", qr/^(XX001|42809)$/ ] }
		  ("relation('a_view')", "relation('indexed_pkey')")));
$node->safe_psql('postgres', q(
	CREATE TABLE other (value text);
	CREATE TABLE indexed (id oid, number integer, value bytea,
						  PRIMARY KEY (id, number));
	CREATE VIEW a_view AS SELECT * FROM other;
	CREATE FUNCTION relation(name text) RETURNS integer LANGUAGE sql AS
	'SELECT oid::bigint::integer FROM pg_class WHERE relname = name';
	CREATE FUNCTION toast(name text) RETURNS integer LANGUAGE sql AS
	'SELECT reltoastrelid::bigint::integer FROM pg_class WHERE relname = name';));
foreach my $damage (@pointers)
{
	my ($name, $value, $expected) = @$damage;

	try("TOAST pointer: $name",
		value => $value,
		columns => \@columns,
		rows => [ 1, 3 ],
		expected => $expected);
}
finish_tries();

# The same of packed arrays, whose pointer may say that they are compressed; and a
# pointer of a kind that there is not.  Core would not survive that one in a row.
$node->safe_psql('postgres', q(
	CREATE TABLE stored (a integer[], b bytea, p gpu_packed);
	ALTER TABLE stored ALTER a SET STORAGE EXTERNAL, ALTER b SET STORAGE EXTERNAL,
		ALTER p SET STORAGE EXTERNAL;
	INSERT INTO stored
	SELECT array_agg(i), convert_to(string_agg(i::text, ''), 'UTF8'),
		   gpu_pack(array_agg(hashint4(i)))
	FROM generate_series(1, 10000) AS i;));
foreach my $damage (grep { $_->[0] =~ /^relation/ } @pointers)
{
	my ($name, $value, $expected) = @$damage;
	my @queries = map { "SELECT gpu_reduce(($_)::integer[], '+') FROM stored" }
	  $value =~ s/value/p/r, $value =~ s/value/overwritten(p, 2, 1000000)/r;
	my @unexpected = grep { $_ !~ $expected } try_queries($node, '', '', @queries);

	is_none("TOAST pointer of a packed array: $name", @unexpected);
}
foreach my $kind (0, 7, 255)
{
	my @queries = map { 'SELECT ' . s/%(.)/overwritten($1, 0, 1 + 256 * $kind)/r . ' FROM stored' }
	  q(gpu_reduce(%a, '+')), 'gpu_slice(%a, 1, 2)', q(gpu_reduce(gpu_delta(%a), '+')),
	  'gpu_utf8_is_valid(%b)', '%p::integer[]';

	is_none("TOAST pointer of kind $kind",
		grep { $_ ne 'XX001' } try_queries($node, '', '', @queries));
}

# SQL that edits the chunks of a table's TOASTed values, as they were at first, in a
# copy, "chunks", where "last" is the number of the last one; or puts them back, if
# there is nothing to edit.
#
# Nobody may change a TOAST table, so it becomes an ordinary one for a moment, with an
# index that allows duplicates.  It is truncated, because readers of TOASTed values see
# deleted chunks.  Each statement is a transaction, because a table cannot change its
# kind in the transaction that made it.
my %toast_of;

sub edit_chunks
{
	my ($table, $edit) = @_;
	my $first = "first_$table";

	if (!defined $toast_of{$table})
	{
		$toast_of{$table} = $node->safe_psql('postgres',
			"SELECT reltoastrelid::regclass FROM pg_class WHERE relname = '$table'");
		$node->safe_psql('postgres', qq(
			CREATE TABLE $first AS SELECT * FROM $toast_of{$table} LIMIT 0;
			ALTER TABLE $first ALTER chunk_data SET STORAGE PLAIN;
			INSERT INTO $first SELECT * FROM $toast_of{$table};));
	}
	my $toast = $toast_of{$table};

	$edit =~ s/\blast\b/(SELECT max(chunk_seq) FROM chunks)/g;
	return qq(
		CREATE TEMPORARY TABLE chunks (LIKE $first INCLUDING STORAGE);
		INSERT INTO chunks SELECT * FROM $first;
		$edit;
		SET allow_system_table_mods = on;
		UPDATE pg_class SET relkind = 'r' WHERE oid = '$toast'::regclass;
		UPDATE pg_index SET indisunique = false
		WHERE indrelid = '$toast'::regclass;
		TRUNCATE $toast;
		INSERT INTO $toast SELECT * FROM chunks ORDER BY chunk_seq;
		UPDATE pg_class SET relkind = 't' WHERE oid = '$toast'::regclass;
		RESET allow_system_table_mods;
		DROP TABLE chunks;);
}

my @edits = (
	[ 'missing', 'DELETE FROM chunks WHERE chunk_seq = %s' ],
	[ 'with another number',
		'UPDATE chunks SET chunk_seq = chunk_seq + 100000 WHERE chunk_seq = %s' ],
	[ 'with a negative number',
		'UPDATE chunks SET chunk_seq = -1 - chunk_seq WHERE chunk_seq = %s' ],
	[ 'of another value',
		'UPDATE chunks SET chunk_id = 1 WHERE chunk_seq = %s' ],
	[ 'twice',
		'INSERT INTO chunks SELECT * FROM chunks WHERE chunk_seq = %s' ],
	[ 'too short',
		q(UPDATE chunks SET chunk_data = substr(chunk_data, 2)
		  WHERE chunk_seq = %s) ],
	[ 'empty', q(UPDATE chunks SET chunk_data = '' WHERE chunk_seq = %s) ],
	[ 'too long',
		q(UPDATE chunks SET chunk_data = chunk_data || '\x00'
		  WHERE chunk_seq = %s) ],
	[ 'far too long',
		q(UPDATE chunks SET chunk_data = chunk_data || chunk_data || chunk_data
		  WHERE chunk_seq = %s) ]);
my $turn = 0;
foreach my $column (@columns)
{
	$node->safe_psql('postgres', qq(
		CREATE TABLE chunked_$column AS
		SELECT id, $column AS stored FROM runs LIMIT 0;
		ALTER TABLE chunked_$column ALTER stored SET STORAGE EXTERNAL;
		INSERT INTO chunked_$column SELECT id, $column FROM runs WHERE id = 1;));
	foreach my $edit (@edits)
	{
		my ($name, $sql) = @$edit;

		# The first slice that is read ends after chunk 15.  By default, each damage is
		# done to two columns.
		foreach my $chunk (0, 5, 15, 16, 20, 'last - 1', 'last')
		{
			next if $turn++ % 2 && !$full;
			try("TOAST chunks of $column: chunk $chunk $name",
				value => 'stored',
				columns => [$column],
				rows => [1],
				from => "runs JOIN chunked_$column USING (id)",
				before => edit_chunks("chunked_$column", sprintf($sql, $chunk)),
				expected => $corrupted);
		}
	}
	try("TOAST chunks of $column: one chunk more",
		value => 'stored',
		columns => [$column],
		rows => [1],
		from => "runs JOIN chunked_$column USING (id)",
		before => edit_chunks("chunked_$column",
			'INSERT INTO chunks SELECT chunk_id, chunk_seq + 1, chunk_data
			 FROM chunks WHERE chunk_seq = last'),
		expected => $corrupted_or_right);
}
finish_tries();

# Compressed values: row 4, which is short, and row 5, whose compressed values are
# stored out of line.  At byte 4 of a compressed value is its decompressed size, with
# the method in the two highest bits.
$node->safe_psql('postgres', q(
	INSERT INTO runs
	SELECT 5, array_agg(hashint4(i) % 1000 ORDER BY i),
		   array_agg(hashint4(i) % 2 = 0 ORDER BY i),
		   array_agg(abs(hashint4(i) % 1000) ORDER BY i),
		   convert_to(string_agg((hashint4(i) % 1000)::text, '' ORDER BY i), 'UTF8')
			 || '\xff61ff'
	FROM generate_series(1, 100000) AS i;
	SET gpucompact.engine = cpu;
	INSERT INTO answers SELECT 5, ) . join(', ', map { $calls{$_} } sort keys %calls)
	  . ' FROM runs WHERE id = 5;');
my %methods = ('pglz' => 0, 'lz4' => 1);
delete $methods{'lz4'}
  if $node->safe_psql('postgres',
	q(SELECT enumvals @> '{lz4}' FROM pg_settings
	  WHERE name = 'default_toast_compression')) ne 't';
foreach my $method (sort keys %methods)
{
	my $number = $methods{$method};
	my $is = "$number * (1 << 30)";
	my $other = 1 - $number;

	foreach my $column (@columns)
	{
		my $table = "${method}_$column";
		my $from = "runs JOIN $table USING (id)";

		$node->safe_psql('postgres', qq(
			CREATE TABLE $table AS SELECT id, $column AS stored FROM runs LIMIT 0;
			ALTER TABLE $table ALTER stored SET COMPRESSION $method;
			INSERT INTO $table SELECT id, plain($column) FROM runs WHERE id IN (4, 5);
			CREATE TABLE cut_$table (LIKE $table INCLUDING COMPRESSION);
			INSERT INTO cut_$table
			SELECT id, cut($column, size($column) / 2) FROM runs WHERE id IN (4, 5);
			));
		is($node->safe_psql('postgres', qq(
				SELECT pg_column_compression(stored), pg_column_size(stored) > 2000
				FROM $table ORDER BY id)),
			"$method|f\n$method|t", "$method, $column: inline and out of line");

		my $length = "size($column) - 4";
		foreach my $says (
			"$length + 1", "$length + 1000", 100000000, "$length - 1",
			"$length - 1000", 0, 1)
		{
			my $word = "($says) + $is";

			# (Of pglz, the last bytes may be any number of equal ones.)
			try("$method, inline: a size of $says",
				value => "overwritten(stored, 4, $word)",
				columns => [$column],
				rows => [4],
				from => $from,
				expected => $column eq 'bytes' && $method eq 'pglz'
				? $no_crash
				: $corrupted_or_right);
			try("$method, out of line: a size of $says",
				value => 'stored',
				columns => [$column],
				rows => [5],
				from => $from,
				before => edit_chunks(
					$table, qq(
					UPDATE chunks SET chunk_data = overwritten(plain(chunk_data), 4,
						(SELECT $word FROM runs WHERE id = 5))
					WHERE chunk_seq = 0)),
				after => edit_chunks($table, ''),
				expected => $corrupted_or_right);
		}
		foreach my $says ("$length + 5", "$length + 1004", 100000000,
			"$length + 3", "$length - 1000")
		{
			try("$method, out of line: a size of $says in the pointer",
				value => "overwritten(stored, 2, $says)",
				columns => [$column],
				rows => [5],
				from => $from,
				expected => $corrupted_or_right);
		}
		foreach my $unknown (2, 3)
		{
			try("$method, inline: $column by method $unknown",
				value => "overwritten(stored, 4, ($length) + ($unknown - 4) * (1 << 30))",
				columns => [$column],
				rows => [4],
				from => $from,
				expected => $core_says);
		}
		try("$method, inline: $column by another method",
			value => "overwritten(stored, 4, ($length) + $other * (1 << 30))",
			columns => [$column],
			rows => [4],
			from => $from,
			expected => $no_crash);
		try("$method: half of $column",
			value => 'stored',
			columns => [$column],
			rows => [ 4, 5 ],
			from => "runs JOIN cut_$table USING (id)") unless $column eq 'bytes';
	}
}
finish_tries();

survived($node);

done_testing();
