
# A session that goes from one GPU to another, by gpucompact.device: each call is right,
# each GPU has one process, and a session that is cancelled on the way goes on.

use lib 't/lib';

use Calls;
use Gpucompact;

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
sub answers_on
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
		SELECT 'on', engine, gpu
		FROM gpu_last_call(), gpu_processes()
		WHERE gpu = $device AND calls > 0;);
}
my $cuda = 'SET gpucompact.engine = cuda;';

# There and back, in a session of its own and again and again.
foreach my $device (0 .. $gpus - 1)
{
	is($node->safe_psql('postgres', $cuda . answers_on($device)),
		"wrong:\non|cuda|$device", "all calls on GPU $device");
}
my @way = (0 .. $gpus - 1, 0) x 3;
is($node->safe_psql('postgres', $cuda . join('', map { answers_on($_) } @way)),
	join("\n", map { "wrong:\non|cuda|$_" } @way), 'all calls, from one GPU to the next');

# One process for each GPU, and several sessions use them all.
is($node->safe_psql('postgres', 'SELECT gpu, state FROM gpu_processes()'),
	join("\n", map { "$_|serving" } 0 .. $gpus - 1), 'there is one process for each');
{
	my $calls = 'SELECT calls FROM gpu_processes() WHERE gpu < 2 ORDER BY gpu';
	my @before = split(/\n/, $node->safe_psql('postgres', $calls));
	my @sessions = map { background($node, "$cuda
		SELECT count(gpu_radix_sort(samples)) FROM runs, generate_series(1, 50);") }
	  1 .. 4;

	is(finish_background($_), "200\n", 'sessions that use any GPU') foreach @sessions;
	my @after = split(/\n/, $node->safe_psql('postgres', $calls));
	cmp_ok($after[$_], '>', $before[$_], "GPU $_ has served them") for 0, 1;
}
lanes_are_free($node, 'several GPUs');

# Cancelled at work, on one and then on the other.
foreach my $timeout (1, 5, 20, 100)
{
	my ($status, $out, $err) = $node->psql('postgres', qq(
		$cuda
		SELECT count(gpu_radix_sort(samples)) FROM runs;
		SET gpucompact.device = 1;
		SET statement_timeout = $timeout;
		SELECT count(gpu_radix_sort(samples)) FROM runs, generate_series(1, 1000);
		SET gpucompact.device = 0;
		SELECT count(gpu_radix_sort(samples)) FROM runs, generate_series(1, 1000);
		$no_timeout)
		  . answers_on(0)
		  . answers_on(1),
		on_error_stop => 0);

	my $cancelled = () = $err =~ /ERROR:  canceling statement due to statement timeout/g;
	cmp_ok($cancelled, '>=', 2, "both are cancelled after $timeout ms");
	is(() = $err =~ /ERROR/g, $cancelled, 'and there is no other error');
	is($out, "4\nwrong:\non|cuda|0\nwrong:\non|cuda|1", 'and then all is right');
}

survived($node);
done_testing();
