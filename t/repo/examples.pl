
# The programs in examples/ run, and find what they look for: each checks the answers
# itself.  The reader of packed arrays, which is written from the page on their
# format alone, reads what the server reads, and refuses the same values.

use lib 't/lib';

use Gpucompact;

my $python = $ENV{PYTHON3} // 'python3';
plan skip_all => 'needs Python' if system("'$python' -c '' 2>/dev/null");

my $examples = "$Gpucompact::source/examples";
my $node = start_server('examples');

local $ENV{PGHOST} = $node->host;
local $ENV{PGPORT} = $node->port;
local $ENV{PGDATABASE} = 'postgres';
local $ENV{PYTHONDONTWRITEBYTECODE} = 1;

SKIP:
{
	skip 'needs psycopg 3 and NumPy for Python (Debian: python3-psycopg, python3-numpy)', 2
	  if system("'$python' -c 'import numpy, psycopg' 2>/dev/null");
	my ($out, $err) =
	  run_command([ $python, "$examples/numpy_arrays.py", '--rows', 20, '--elements', 1000 ]);
	is($err, '', 'numpy_arrays.py: all is as NumPy has it');
	like($out, qr/^percentiles of .*^ +0:.*^ -4\.00 .*gpu_to_bytes\(samples\)\): +[\d.]+ ms/ms,
		'and it tells so');
}

# The output of packed_reader.py for values in hexadecimal, one a line; or
# "refused".  JSON is read as the server's text here.
sub read_by_python
{
	my (@values) = @_;
	my $out;

	run_log([ $python, "$Gpucompact::source/t/lib/read_packed.py", $examples ],
		'<', \join("\n", @values, ''), '>', \$out);
	return map { s/[\[\] ]//gr } split(/\n/, $out);
}

# Are two elements the same?  One is a JSON number, the other one the server's.
sub same
{
	my ($mine, $servers) = @_;

	return $mine eq $servers
	  || ("$mine$servers" !~ /null|NaN/ && $mine == $servers);
}

# The lines of a file in t/packed/, cut at "|".
sub lines
{
	my ($file) = @_;

	return map { chomp; [ split(/\|/) ] }
	  split(/^/, slurp_file("$Gpucompact::source/t/packed/$file"));
}

SKIP:
{
	skip 'make t/crafted.so has not been run', 1 if !-e built('crafted.so');
	$node->safe_psql('postgres', crafted('received'));

	# Elements as text, of a type that both print alike.
	my %printed = ('boolean' => 'integer', 'oid' => 'bigint', 'real' => 'double precision');
	my $servers = sub {
		my ($type, $value) = @_;
		my $as = $printed{$type} // $type;

		return "array_to_string(gpu_unpack($value, NULL::$type\[])::$as\[], ',', 'null')";
	};

	# Of each version, and what the server packs now.
	foreach my $version (1)
	{
		my @good = lines("version$version.txt");
		my @read = read_by_python(map { $_->[1] } @good);

		foreach my $i (0 .. $#good)
		{
			my ($type, $hex) = @{ $good[$i] };
			my $elements = $node->safe_psql('postgres', 'SELECT '
				  . $servers->($type, "received('\\x$hex'::bytea, NULL::gpu_packed)"));
			my @servers = split(/,/, $elements);
			my @mine = split(/,/, $read[$i]);

			ok(@mine == @servers && !(grep { !same($mine[$_], $servers[$_]) } 0 .. $#mine),
				"version $version, value @{[$i + 1]}, of $type: both read the same")
			  or diag("$read[$i] instead of $elements");
		}
	}

	# 140,000 elements have groups of the bitmap and pages of the directory.
	my $large = q(ARRAY(SELECT CASE WHEN i % 97 = 5 THEN NULL ELSE i::bigint * i % 70001 END
						FROM generate_series(1, 140000) AS i));
	my ($mine) = read_by_python($node->safe_psql('postgres',
		"SELECT encode(gpucompact_packed_send(gpu_pack($large)), 'hex')"));
	ok($mine eq $node->safe_psql('postgres', "SELECT array_to_string($large, ',', 'null')"),
		'140,000 elements, some NULL: the same');

	my @damaged = lines('damaged.txt');
	my @refused = read_by_python(map { $_->[2] // '' } @damaged);
	foreach my $i (0 .. $#damaged)
	{
		my ($what, $type, $hex) = @{ $damaged[$i] };
		my ($ret, $out, $err) = $node->psql('postgres', "\\set VERBOSITY sqlstate\nSELECT "
			  . $servers->($type, "received('\\x@{[$hex // '']}'::bytea, NULL::gpu_packed)"));

		is("$refused[$i], $err", 'refused, psql:<stdin>:2: ERROR:  22P03', "$what: both refuse it");
	}
}

done_testing();
