
# A few seconds of script/fuzz, which goes on for as long as one likes.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../lib";

use Gpucompact;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_server('fuzz');
my $seed = 1;

local $ENV{PGHOST} = $node->host;
local $ENV{PGPORT} = $node->port;
my ($out, $err) = run_command(
	[
		$^X, "$FindBin::RealBin/../fuzz/calls.pl",
		'--seconds', 10, '--seed', $seed
	]);
like($out, qr/^\d+ rounds from seed $seed: \d+ calls as plain SQL/,
	'random calls answer as plain SQL does');
is($err, '', 'and nothing goes wrong');

survived($node);

done_testing();
