
# A few seconds of script/fuzz, which goes on for as long as one likes: other
# calls in each run.  GPUCOMPACT_TEST_SEED repeats them, GPUCOMPACT_TEST_SECONDS
# goes on for longer.
#
# And no function is left out of the calls and chains that it makes up.

use lib 't/lib';

use Calls;
use Gpucompact;
use Utf8;

my $seconds = $ENV{GPUCOMPACT_TEST_SECONDS} // 3;
my $seed = $ENV{GPUCOMPACT_TEST_SEED} // time;

my $node = start_with_gpu('fuzz');

# No session may be in the database that the others are copies of.
$node->stop_psql;
local $ENV{PGHOST} = $node->host;
local $ENV{PGPORT} = $node->port;
my ($out, $err) = run_command(
	[
		$^X, "$Gpucompact::source/t/fuzz/calls.pl",
		'--seconds', $seconds, '--seed', $seed, '--template', 'postgres'
	]);
like($out, qr/^\d+ rounds from seed $seed: \d+ calls as plain SQL/m,
	"random calls from seed $seed answer as plain SQL does, and chains as their calls");
is($err, '', 'and nothing goes wrong');

survived($node);

# The functions in a list of calls.
sub functions_of
{
	my %functions = map { $_ => 1 } map { /\b(gpu_\w+)(?=\()/g } @_;

	return sort keys %functions;
}

my %calls = calls();
my @made_up = map { ref eq 'HASH' ? $_->{'call'} : $_->[0] }
  calls_on('integer'), encoding_calls(), utf8_calls();
my %made_up = map { $_ => 1 } functions_of(@made_up);

is(join(' ', grep { !$made_up{$_} } functions_of(values %calls)), '', 'every function is called');

# Those whose name stands in a program of a chain.  The casts of packed arrays to
# each type are one function.
my %chained = map { $_ => 1 }
  functions_of(map { $_->{'call'} } chain_calls('stage', 'chain', 'end'));
my @joining = split(/\n/, $node->safe_psql('postgres', q(
	SELECT DISTINCT proname FROM pg_proc
	WHERE prosupport::text = 'gpucompact_chain_support' AND proname ~ '^gpu_')));

is(join(' ', grep { !$chained{$_} } sort @joining),
	'', 'every function that joins chains is called in chains');

done_testing();
