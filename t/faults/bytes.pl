
# libFuzzer makes up bytes: of packed arrays for their reader, of UTF-8, which is
# compared with a reference, and of what gpu_packed and gpu_state receive.  With GPUCOMPACT_TEST_FULL=1 in the environment; for
# GPUCOMPACT_TEST_SECONDS each.

use File::Basename;
use lib 't/lib';

use Gpucompact;

plan skip_all => 'takes minutes: wants GPUCOMPACT_TEST_FULL=1' if !$ENV{GPUCOMPACT_TEST_FULL};

my $seconds = $ENV{GPUCOMPACT_TEST_SECONDS} // 60;
my $seeds = PostgreSQL::Test::Utils::tempdir();

# Values of each scheme, and damaged ones, lead to the code behind a reader's checks.
foreach my $line (map { split(/^/, slurp_file($_)) } glob("$Gpucompact::source/t/packed/*.txt"))
{
	my ($hex) = $line =~ /\|([0-9a-f]*)$/ or die "no value in $line";

	append_to_file("$seeds/" . unpack('%32C*', $hex) . '-' . length($hex), pack('H*', $hex));
}

foreach my $program ('fuzz_packed', 'fuzz_utf8')
{
	my $path = built("engine/$program");

  SKIP:
	{
		skip "make t/engine/$program has not been run, which needs clang", 1 if !-x $path;

		# A corpus of its own, to which the seeds are added.
		my $corpus = PostgreSQL::Test::Utils::tempdir();
		my @arguments = $program eq 'fuzz_packed' ? ('-max_len=2048', $corpus, $seeds) :
		  ('-max_len=512', $corpus);
		my ($out, $err) = run_command(
			[ $path, "-max_total_time=$seconds", "-artifact_prefix=$corpus/", @arguments ]);

		like($err, qr/^Done \d+ runs in \d+ second/m, "$program: nothing is wrong")
		  or diag(substr($err, -4000));
	}
}

# In a session, where an error that is not one of damage, or a value that is sent in
# other bytes than were received, ends the server.  The first byte says how the others
# are taken.
SKIP:
{
	my $library = built('fuzz_receive.so');

	skip 'make t/fuzz_receive.so has not been run, which needs clang', 1 if !-e $library;

	my $node = new_server('receive');
	my $inputs = PostgreSQL::Test::Utils::tempdir();
	my $state = pack('a3 C V q< V3', 'GPS', 1, 0, 1, 23, 0, 0) . "\0" x 4;

	foreach my $file (glob("$seeds/*"))
	{
		my $bytes = slurp_file($file);

		append_to_file("$inputs/" . basename($file) . "-$_", chr($_) . ($_ == 3 ? $state : '') . $bytes)
		  foreach 2, 3;
	}
	chmod(0777, $inputs);
	$node->start;
	$node->psql('postgres', qq(
		CREATE FUNCTION fuzz_receive(seconds integer, seeds text) RETURNS void
		AS '$library' LANGUAGE C STRICT;
		SELECT fuzz_receive($seconds, '$inputs');));
	my ($runs, $received) =
	  slurp_file($node->logfile) =~ /fuzz_receive: (\d+) inputs, (\d+) received/;

	note("$runs inputs, of which $received were received");
	cmp_ok($received, '>', 50, 'what gpu_packed and gpu_state receive: some is right');
	cmp_ok($runs - $received, '>', $runs / 2, 'and most of it is damaged');
	survived($node);
}

done_testing();
