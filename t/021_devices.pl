
# A session that goes from one GPU to another, by gpucompact.device: each call
# is right, nothing is kept of the GPU before, and whoever is cancelled on the
# way goes on.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/lib";

use Gpucompact;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_server('devices');
my $gpus = $node->safe_psql('postgres',
	'SELECT count(*) FROM gpu_devices() WHERE index IS NOT NULL');

if ($gpus < 2)
{
	$node->stop;
	plan skip_all => 'there are no two GPUs here';
}

my %calls = calls();
load_runs($node, 1000000);

# All calls on a GPU: those that are wrong, and then which GPU it was.
sub calls_on
{
	my ($device) = @_;
	my $wrong = join(
		' || ',
		map {
			"CASE WHEN $calls{$_} IS DISTINCT FROM answers.$_ THEN ' $_' ELSE '' END"
		} sort keys %calls);

	return qq(
		SET gpucompact.device = $device;
		SELECT 'wrong:' || string_agg($wrong, '')
		FROM runs JOIN answers USING (id);
		SELECT 'on', engine, index
		FROM gpu_last_call(), gpu_devices()
		WHERE status = 'in use by this session';);
}
my $cuda = 'SET gpucompact.engine = cuda;';

# There and back, in a session of its own and again and again.
foreach my $device (0 .. $gpus - 1)
{
	is( $node->safe_psql('postgres', $cuda . calls_on($device)),
		"wrong:\non|cuda|$device",
		"all calls on GPU $device");
}
my @way = (0 .. $gpus - 1, 0) x 3;
is( $node->safe_psql('postgres', $cuda . join('', map { calls_on($_) } @way)),
	join("\n", map { "wrong:\non|cuda|$_" } @way),
	'all calls, from one GPU to the next');

# What a GPU has less than before is no context.
my $free = 'SELECT memory_free / 1000000 FROM gpu_devices() WHERE index = 0;';
my ($before, $on, $after) = split(
	/\n/,
	$node->safe_psql(
		'postgres', qq(
		$free
		$cuda
		SET gpucompact.device = 0;
		DO 'BEGIN PERFORM gpu_radix_sort(samples) FROM runs; END';
		$free
		SET gpucompact.device = 1;
		DO 'BEGIN PERFORM gpu_radix_sort(samples) FROM runs; END';
		$free)));
cmp_ok($before - $on, '>', 100, 'a session takes memory of its GPU');
cmp_ok($before - $after, '<', 50, 'and leaves none behind on it');

# By cost, another GPU has to pay for its opening as the first one had to.
is( $node->safe_psql(
		'postgres', q(
		SET gpucompact.engine = cuda;
		SELECT count(gpu_radix_sort(samples)) FROM runs;
		SET gpucompact.engine = auto;
		SELECT count(gpu_radix_sort(samples)) FROM runs WHERE id = 1;
		SELECT engine FROM gpu_last_call();
		SET gpucompact.device = 1;
		SELECT count(gpu_radix_sort(samples)) FROM runs WHERE id = 1;
		SELECT engine, reason LIKE '%to open it, lost before 0.0 us'
		FROM gpu_last_call();)),
	"4\n1\ncuda\n1\ncpu|t",
	'auto: stays on the CPU at first');

# Cancelled at work, or while it goes from one to the other, which takes longer
# than these timeouts.
foreach my $timeout (1, 5, 20, 100)
{
	my ($status, $out, $err) = $node->psql(
		'postgres', qq(
		$cuda
		SELECT count(gpu_radix_sort(samples)) FROM runs;
		SET gpucompact.device = 1;
		SET statement_timeout = $timeout;
		SELECT count(gpu_radix_sort(samples)) FROM runs, generate_series(1, 1000);
		SET gpucompact.device = 0;
		SELECT count(gpu_radix_sort(samples)) FROM runs, generate_series(1, 1000);
		SET statement_timeout = 0;)
		  . calls_on(0)
		  . calls_on(1),
		on_error_stop => 0);

	is(() = $err =~ /statement timeout/g,
		2, "both are cancelled after $timeout ms");
	is(() = $err =~ /ERROR/g, 2, 'and there is no other error');
	is($out, "4\nwrong:\non|cuda|0\nwrong:\non|cuda|1", 'and then all is right');
}

survived($node);
done_testing();
