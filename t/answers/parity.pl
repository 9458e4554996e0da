
# Neither the length of an array changes an answer, nor the way in which it is stored
# or passed: every engine answers as plain SQL does, on every form in which an array
# can come; whatever algorithm is set; and of an array of many pieces the same each
# time, however threads and transfers overlap.
#
# The answers of plain SQL are computed once.  Then, for each engine and form, one query
# runs functions on all arrays and returns what differs.  With GPUCOMPACT_TEST_FULL=1 in
# the environment, there are longer arrays, more lengths, and two threads, too.

use lib 't/lib';

use Answers;
use Arrays;
use Calls;
use Gpucompact;

my $seed = 0.42;
my $full = $ENV{GPUCOMPACT_TEST_FULL};
my $node = start_server('parity', "max_wal_size = '4GB'", 'max_parallel_workers_per_gather = 0');
my %engines = engines($node);
my @long = grep { $_->{'long'} } calls_on('integer');
my @calls = grep { $_->{'call'} =~ /^gpu_(?:prefix_sum|compact\(a\)|radix_sort)/ } @long;
my @values = (value_patterns('integer'), value_series('integer'));
my @nulls = null_patterns();

# All NULLs at these sizes, each with some values: around words, warps, blocks, and the
# size up to which a sort is done in another way.
my @small = (0, 1, map { ($_ - 1, $_, $_ + 1) } 8, 32, 64, 128, 256, 1024, 1536, 2048, 4096);

# A few at these: around the first slice that is read of a TOASTed array, which ends
# after 7979 values, and pieces of 64k elements; around a bitmap of NULLs that fills the
# first slice, and the sizes from which on threads share the work; and around pieces of
# 512k and 1024k elements.
my @large = (7979, 7980, 65536, 65537, 255328, 255329, 262144);
push @large, 7978, 65535, 131071 .. 131073, 262143, 262145, map { ($_ - 1, $_, $_ + 1) } 524288, 1048576 if $full;

my $sql = "SELECT setseed($seed);" . new_arrays('integer');
foreach my $null (0 .. $#nulls)
{
	my @sizes = map { [] } @values;

	push @{ $sizes[ ($null + $_) % @values ] }, $small[$_] foreach 0 .. $#small;
	push @{ $sizes[ ($null + $_) % @values ] }, $large[$_]
	  foreach grep { $_ % @nulls == $null } 0 .. $#large;
	$sql .= join('', map { insert_arrays('integer', $values[$_], $nulls[$null], @{ $sizes[$_] }) }
		  grep { @{ $sizes[$_] } } 0 .. $#values);
}
$sql .= insert_arrays('integer', $values[3], 'random() < 0.2', '100,81', '260,253', '2,3,4,5,6,7');

# An array in which a NULL stood and stands no more still has a bitmap.
$sql .= 'INSERT INTO arrays (shaped, odd, value, other, a, b, mask, s, p)
		 SELECT false, false, value, other, (array_prepend(NULL, a))[2:], b, mask,
				(array_prepend(NULL, s))[2:], p
		 FROM arrays
		 WHERE NOT shaped AND array_position(a, NULL) IS NULL AND array_lower(a, 1) = 1 AND
			   cardinality(a) < 70000;';
my $lz4 = $node->safe_psql('postgres',
	q(SELECT enumvals @> '{lz4}' FROM pg_settings WHERE name = 'default_toast_compression')) eq 't';
note('lz4: this server is built without') unless $lz4;
my @methods = ('pglz', $lz4 ? 'lz4' : ());
$node->safe_psql('postgres', answer_functions() . $sql . plain_answers(@calls)
	  . join('', map { compressed($_, 'integer') } @methods));

# Of several threads, four do for two.
delete $engines{'cpu_threads = 2'} unless $full;
my @ways = map {
	my $engine = $_;
	map { [ "$engine, $_", $engines{$engine}, $_, 1 ] }
	  'stored', @methods, 'in memory', 'expanded', 'taken apart'
} sort keys %engines;
answers_equal($node, 'integer', \@ways, @calls);

# Algorithms: those for a GPU have no orders of NULLs.
my $auto = 'SET gpucompact.engine = auto; SET gpucompact.cpu_threads = 3;';
my @algorithms = ('sequential', 'parallel');
push @algorithms, 'naive', 'work_efficient', 'single_pass', 'cub' if exists $engines{'cuda'};
foreach my $algorithm (@algorithms)
{
	my @has = $algorithm =~ /sequential|parallel|single_pass/ ? @calls :
	  map { $_->{'call'} =~ /first|false/ ? undef : $_ } @calls;

	answers_equal($node, 'integer',
		[ [ $algorithm, "$auto SET gpucompact.algorithm = $algorithm;", 'stored', 1 ] ], @has);
}

# A GPU's largest pieces have 2^20 elements, and there are more than five of them.
# The CPU's are much smaller; here they are as many as have threads reduce them.
my $count = exists $engines{'cuda'} ? 5400001 : 550001;
my $times = exists $engines{'cuda'} || $full ? 8 : 3;
my @few = grep {
	$_->{'call'} !~ /sum\(s, true|radix_sort\(a\)|first|false|, 3\)|argsort\(a,|scan|values/ &&
	  $_->{'call'} !~ /'(?:=|<>|<=|>|>=|min)'/
} @long;
$node->safe_psql('postgres', "SELECT setseed($seed);" . new_arrays('integer')
	  . insert_arrays('integer',
		"CASE WHEN i % 10 = 0 OR i / 100000 % 10 = 5 THEN 0 ELSE $values[2] END",
		'i % 1000 IN (7, 8)', $count)
	  . plain_answers(@few));
answers_equal($node, 'integer', [ map { ([ "$_, many pieces", $engines{$_}, 'stored', 1 ]) x $times }
	  sort keys %engines ], @few);

# All functions on more than a block that is read together with its NULLs.  With some of
# their arguments, also on less, on just a block, and on a second piece, unless plain SQL
# takes long.
# (sql/window_percentile.sql has growing frames on such arrays, and percentiles on
# more pieces.)
my @all = grep { $_->{'call'} !~ /percentile_\w+\(a, [\d.]+, 2147483647/ } calls_on('integer');
srand(1000 * $seed);
my @quick = grep {
	$_->{'call'} !~ /_agg\(v|interpolate|run_lengths|to_bytes|window(?:_percentile|\(a, 'm\w+', 0, 100)/
} $full ? @all : calls_on('integer', one_each => 1);
foreach my $part ([ \@all, 4097 ], [ \@quick, 4095, 4096, 70000 ])
{
	my ($some, @lengths) = @$part;

	$node->safe_psql('postgres', "SELECT setseed($seed);" . new_arrays('integer')
		  . insert_arrays('integer', $values[2], 'random() < 0.2', @lengths)
		  . plain_answers(@$some));
	answers_equal($node, 'integer', [ map { [ "$_, to $lengths[-1]", $engines{$_}, 'stored', 1 ] }
		  sort keys %engines ], @$some);
}

# lz4 writes a long run as a length that is longer than what is read first of a
# stored array.
SKIP:
{
	skip('no lz4', 1) unless $lz4;
	is($node->safe_psql('postgres', q(
			CREATE TABLE constant (a bigint[] COMPRESSION lz4);
			INSERT INTO constant SELECT array_fill(7::bigint, ARRAY[2000000]);
			SELECT gpu_reduce(a, 'max'), cardinality(gpu_compact(a)) FROM constant)),
		'7|2000000', 'lz4: one run');
}

survived($node);

done_testing();
