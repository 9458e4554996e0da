
# The same bits in each release: hashes of all functions' answers on fixed arrays, as
# t/answers/bits.txt has them, a line for each function and type of elements.  They are
# the same on all code that this processor can run, on one thread and several, and on a
# GPU; floats are summed in one order everywhere.
#
# A line that is to change, because an answer was wrong or a call is new, is said in full
# by the test that fails.

use Digest::MD5 qw(md5_hex);
use lib 't/lib';

use Answers;
use Arrays;
use Calls;
use Gpucompact;

# Elements by type; the elements of "s" may be summed, and the elements of "p"
# multiplied.
my $hash = 'hashint4(i * 7 + n)';
my %elements = (
	'integer' => [ $hash, "$hash % 1000", "sign($hash)::integer" ],
	'bigint' => [ "$hash * 4294967296 + i", "$hash", "sign($hash)::bigint" ],
	'real' => [ "$hash / 1000.0", "$hash / 7000.0", "1 + $hash / 1e12" ],
	'double precision' => [ "$hash / 1000.0", "$hash / 7000.0", "1 + $hash / 1e12" ]);

# Counts of elements, and which of them are NULL.  More than 4,096 are two pieces.
my @rows = ([ 0, 1 ], [ 1, 1000 ], [ 100, 1000000 ], [ 1000, 3 ], [ 5000, 17 ]);

# So many calls of a function, of all that the tests make.
my $most = 3;

my $node = start_server('bits', 'max_parallel_workers_per_gather = 0',
	"extra_float_digits = 1", "timezone = 'UTC'");
my %engines = engines($node);
my $parallel = "$engines{'cpu_threads = 4'} SET gpucompact.algorithm = parallel;";
my %ways = ('1 thread' => $engines{'cpu_threads = 1'});
$ways{'a GPU'} = $engines{'cuda'} if $engines{'cuda'};
foreach my $cpu ('plain', 'avx2', 'avx512')
{
	my $way = "SET gpucompact.cpu = $cpu; $parallel";
	my ($status) = $node->psql('postgres', $way);

	$ways{"threads, $cpu"} = $way if $status == 0;
}

# SQL that makes a row.  The hash of a call covers its answers in all rows; or it is
# the error that the call raises.
sub row
{
	my ($type, $count, $null) = @_;
	my ($any, $sum, $product) = map {
		"ARRAY(SELECT CASE WHEN i % $null <> 0 THEN ($_)::$type END
			   FROM generate_series(1, n) AS i)::$type\[]"
	} @{ $elements{$type} };

	return "INSERT INTO arrays (shaped, odd, value, other, a, b, mask, s, p)
		SELECT false, false, 1234, -5, $any,
			   ARRAY(SELECT abs($hash % 10) FROM generate_series(1, n) AS i),
			   ARRAY(SELECT $hash > 0 FROM generate_series(1, n) AS i), $sum, $product
		FROM (VALUES ($count)) AS v (n);";
}

# Pairs of a function and a call of it.
sub some_calls
{
	my ($type) = @_;
	my %calls;

	foreach (calls_on($type))
	{
		push @{ $calls{$1} }, $_->{'call'} if $_->{'call'} =~ /(gpu_\w+)/;
	}
	return map {
		my ($function, @all) = ($_, @{ $calls{$_} });
		my $some = @all < $most ? @all : $most;

		map { [ $function, $all[ $_ * @all / $some ] ] } 0 .. $some - 1
	} sort keys %calls;
}

my $functions = q(
	CREATE FUNCTION bits(call text) RETURNS text LANGUAGE plpgsql AS $$
	DECLARE
		bits text;
	BEGIN
		EXECUTE format(
			'SELECT md5(string_agg(coalesce((%s)::text, ''NULL''), E''\n'' ORDER BY id)) FROM arrays',
			call) INTO bits;
		RETURN bits;
	EXCEPTION WHEN OTHERS THEN
		RETURN SQLSTATE;
	END; $$;);

my %expected = map { /^(.*) (\w+)$/ } split(/\n/, slurp_file("$Gpucompact::source/t/answers/bits.txt"));
my %seen;
$node->safe_psql('postgres', answer_functions() . $functions);
foreach my $type (sort keys %elements)
{
	my @calls = some_calls($type);

	$node->safe_psql('postgres', new_arrays($type) . join('', map { row($type, @$_) } @rows));
	foreach my $way (sort keys %ways)
	{
		my $said = $node->safe_psql('postgres',
			$ways{$way} . join('', map { "SELECT bits(\$call\$$_->[1]\$call\$);" } @calls));
		my @bits = split(/\n/, $said, -1);
		my (%bits, @wrong);

		$bits{"$_->[0], $type:"} .= shift(@bits) . "\n" foreach @calls;
		foreach my $line (sort keys %bits)
		{
			my $hash = substr(md5_hex($bits{$line}), 0, 16);

			push @wrong, "$line $hash" if $hash ne ($expected{$line} // '');
			$seen{$line} = 1;
		}
		is(join("\n", @wrong), '', "$type, $way: the same bits as ever");
	}
}
is(join("\n", grep { !$seen{$_} } sort keys %expected), '', 'each line is of a function');

done_testing();
