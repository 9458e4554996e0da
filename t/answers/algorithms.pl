
# gpucompact.algorithm chooses an engine, and says so where it cannot be had.  That it
# changes no answer is tested by parity.pl.

use lib 't/lib';

use Gpucompact;

my $node = start_server('algorithms');
my %engines = engines($node);
my %engine_of = (
	'sequential' => 'cpu',
	'parallel' => 'cpu',
	'naive' => 'cuda',
	'work_efficient' => 'cuda',
	'single_pass' => 'cuda',
	'cub' => 'cuda');

foreach my $algorithm (sort keys %engine_of)
{
	my $engine = $engine_of{$algorithm};
	my $other = $engine eq 'cpu' ? 'cuda' : 'cpu';

	my $err = fails_with(
		$node, '0A000',
		"SET gpucompact.engine = $other; SET gpucompact.algorithm = $algorithm;
		 SELECT gpu_compact('{1,0,2}'::integer[]);",
		"$algorithm: not on engine $other");
	like($err, qr/algorithm "$algorithm" does not run on engine "$other"
HINT:  Set "gpucompact\.engine" to "auto"\.$/m, "$algorithm: and the message says so");

	if ($engine eq 'cuda' && !exists $engines{'cuda'})
	{
		fails_with(
			$node, '55000',
			"SET gpucompact.engine = auto; SET gpucompact.algorithm = $algorithm;
			 SELECT gpu_compact('{1,0,2}'::integer[]);",
			"$algorithm: not without a GPU");
		next;
	}

	is($node->safe_psql('postgres', qq(
			SET gpucompact.engine = auto; SET gpucompact.algorithm = $algorithm;
			SELECT gpu_compact('{1,0,2}'::integer[]);
			SELECT 'by ' || engine || ': ' || reason FROM gpu_last_call())),
		"{1,2}\nby $engine: $engine: as gpucompact.algorithm says", "$algorithm: it is used");
}

# (A setting is known when the library is loaded.)
fails_with(
	$node, '22023',
	"SELECT gpu_compact('{}'::integer[]); SET gpucompact.algorithm = bubble;",
	'an algorithm that there is not');

survived($node);

done_testing();
