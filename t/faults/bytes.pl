
# libFuzzer makes up bytes: of packed arrays for their reader, and of UTF-8, which is
# compared with a reference.  With GPUCOMPACT_TEST_FULL=1 in the environment; for
# GPUCOMPACT_TEST_SECONDS each.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../lib";

use Gpucompact;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'takes minutes: wants GPUCOMPACT_TEST_FULL=1'
  if !$ENV{GPUCOMPACT_TEST_FULL};

my $seconds = $ENV{GPUCOMPACT_TEST_SECONDS} // 60;
my $seeds = PostgreSQL::Test::Utils::tempdir();

# Values of each scheme, and damaged ones, lead to the code behind a reader's checks.
foreach my $line (map { split(/^/, slurp_file($_)) } glob("$FindBin::RealBin/../packed/*.txt"))
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

done_testing();
