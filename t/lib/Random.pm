
# Random arrays, and how they are stored and passed.  Nothing here needs the modules
# of PostgreSQL's tests.

package Random;

use strict;
use warnings;

use Exporter qw(import);
use Arrays;

our @EXPORT = qw(one_of chance domain domains array_length random_array with_bitmap
  random_bounds random_column random_form random_storage random_threshold);

sub one_of { return $_[ rand @_ ] }
sub chance { return rand() < $_[0] }

# The name of a domain over a type.
sub domain { return "\"$_[0] of " . $_[1] =~ s/"//gr . '"' }

# SQL that makes the domains over types and their arrays, some over other domains;
# and rows of arrays.
sub domains
{
	return join('', map {
		'CREATE DOMAIN ' . domain('list', $_) . " AS $_\[];
		 CREATE DOMAIN " . domain('array', $_) . ' AS ' . domain('list', $_) . ';
		 CREATE DOMAIN ' . domain('item', $_) . " AS $_;
		 CREATE DOMAIN " . domain('element', $_) . ' AS ' . domain('item', $_) . ';
		 CREATE DOMAIN ' . domain('elements', $_) . ' AS ' . domain('element', $_) . '[];
		 CREATE DOMAIN ' . domain('packed', $_) . ' AS gpu_packed;
		 CREATE TYPE ' . domain('row', $_) . " AS (pad \"char\", a $_\[]);" } @_);
}

# A length, often one near where something ends: a tile of a kernel, some blocks,
# the first slice that is read, a piece, or arrays that are too short for threads.
sub array_length
{
	my $border = one_of(
		(0, 10, 10, 300, 300) x 5,
		1024, 1996, 7979, 255328,
		map { $_ * (1 + int(rand(5))) } (4096) x 5, (65536) x 4, (262144) x 2);
	my $length = chance(0.5) ? rand($border + 1) : $border + rand(5) - 2;

	return $length < 0 ? 0 : int($length);
}

# A query for an array of n elements, each made by an expression in which it is
# number i; in any order, and some of them NULL.
sub random_array
{
	my ($n, $element, $null) = @_;
	my $elements = "SELECT $element AS x, i FROM generate_series(1, $n) AS i";
	my $numbered = 'SELECT x, row_number() OVER () AS i';

	$null //= one_of(('false') x 8, null_patterns(), $n > 4096 ? null_blocks($n) : ());
	$elements = one_of(
		($elements) x 8,
		"$numbered FROM ($elements ORDER BY x) AS v",
		"$numbered FROM ($elements ORDER BY x DESC) AS v",
		"SELECT x, row_number() OVER (ORDER BY place) AS i
		 FROM (SELECT x, CASE WHEN random() < 0.01 THEN random() * $n
							  ELSE row_number() OVER (ORDER BY x) END AS place
			   FROM ($elements) AS v) AS w",
		"$numbered FROM (SELECT x FROM ($elements) AS v, generate_series(1, 20)
						 WHERE i <= $n / 20 + 1 ORDER BY i LIMIT $n) AS w");
	my $array = "ARRAY(SELECT CASE WHEN NOT ($null) THEN x END
					   FROM ($elements) AS v, (SELECT $n AS n) AS w ORDER BY i)";
	return chance(0.1) ? with_bitmap($array) : $array;
}

# An array of one dimension that has a bitmap of NULLs, even if none is there.
sub with_bitmap { return "(array_prepend(NULL, $_[0]))[2:]" }

# The same of two dimensions, or with other lower bounds.
sub random_bounds
{
	my ($array, $rows, $columns) = @_;
	my $n = $rows * $columns;
	my $bounds;

	if ($rows > 1)
	{
		$array = "(SELECT array_agg(a[(row - 1) * $columns + 1 : row * $columns]
									ORDER BY row)
				   FROM (SELECT $array AS a) AS v, generate_series(1, $rows) AS row)";
		$bounds = sprintf('[-1:%s][5:%s]', $rows - 2, $columns + 4);
	}
	else
	{
		my $first = one_of(-5, 0, 2, 2147000000);
		$bounds = sprintf('[%s:%s]', $first, $first + $n - 1);
	}
	return $array if $n == 0 || $n > 70000 || chance(0.5);
	return "format('%s=%s', '$bounds', $array)";
}

# A column that keeps arrays of some number of rows in another way: its type, the
# value for an array, and the array of a value.
sub random_column
{
	my ($type, $rows) = @_;
	my $row = domain('row', $type);
	my @columns = ([ $row, "ROW('x', %s)::$row", '(%s).a' ]);

	push @columns, map {
		my ($packed, $make, $of) = @$_;
		[ $packed, "CASE WHEN array_ndims(%1\$s) > 1 THEN NULL ELSE $make END",
			one_of("$of\::$type\[]", "gpu_unpack($of, NULL::$type\[])") ]
	} [ 'gpu_packed', 'gpu_pack(%1$s)', '%s' ],
	  [ "gpu_packed('$type')", '%1$s::gpu_packed', '%s' ],
	  [ domain('packed', $type), '%1$s::gpu_packed', '%s' ],
	  [ 'gpu_packed[]', 'ARRAY[gpu_pack(%1$s)]', '(%s)[1]' ] if $rows == 1;
	return one_of(@columns);
}

# The form in which an array of a table comes in, perhaps from another column.
sub random_form
{
	my ($name, $type, $column) = @_;
	my $array = $column && chance(0.7) ? sprintf($column->[2], "other_$name") : $name;

	return one_of(
		($array) x 5,
		"$array || '{}'",
		"expanded($array)",
		"taken_apart($array)",
		"$array\::" . domain('array', $type)) . " AS $name";
}

# The size of a row from which on its values are compressed and stored out of line.
sub random_threshold
{
	return 'toast_tuple_target = ' . one_of(128, 2040, 2040, 8160);
}

# How a column may be stored, with a compression that the server has.
sub random_storage
{
	my ($table, $column, @compressions) = @_;
	my $storage = one_of('EXTERNAL', 'EXTERNAL', 'EXTENDED', 'MAIN');
	my $compression = one_of(@compressions);

	return "ALTER TABLE $table ALTER $column SET STORAGE $storage,
		ALTER $column SET COMPRESSION $compression;\n";
}

1;
