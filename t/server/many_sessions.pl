
# Many sessions that call at once, while some of their calls are cancelled and
# some of them are terminated: every answer is right, none is lost that was
# not told to go, and they leave nothing behind.  GPUCOMPACT_TEST_SECONDS says
# for how long; by default for 2 s on the CPU, and 10 s with a GPU.

use lib 't/lib';

use Calls;
use Gpucompact;
use IPC::Run;
use Time::HiRes qw(sleep time);

my $node = start_with_gpu('many_sessions', 'max_connections = 100');

# Megabytes of the GPU in use, before there is a process for it.
my $used = 'SELECT coalesce(sum(memory_total - memory_free) / 1000000, 0)::integer
	FROM gpu_devices()';
my $used_before = $node->safe_psql('postgres', $used);

my %engines = engines($node);
my $gpu = exists $engines{'cuda'};
my $engines = $gpu ? '{cuda,eager,cpu}' : '{cpu}';

# The CPU in the place of a GPU has its own work for a session, too.
my $sessions = gpu_program() ? 64 : 16;
my $seconds = $ENV{GPUCOMPACT_TEST_SECONDS} || (gpu_program() ? 10 : 1);

load_runs($node, 70000);
my %calls = calls();
my $count = keys %calls;
my $names = join(',', sort keys %calls);
my $expressions = join(', ', map { "\$call\$$calls{$_}\$call\$" } sort keys %calls);

# What a session does: any call on any engine, again and again.  A call that is
# cancelled is followed by another one.
$node->safe_psql('postgres', qq(
	CREATE PROCEDURE work(seconds double precision) LANGUAGE plpgsql AS \$\$
	DECLARE
		until timestamptz := clock_timestamp() + make_interval(secs => seconds);
		names text[] := '{$names}';
		calls text[] := ARRAY[$expressions];
		engines text[] := '$engines';
		i integer;
		wrong bigint;
	BEGIN
		WHILE clock_timestamp() < until LOOP
			i := 1 + floor(random() * $count);
			PERFORM set_config('gpucompact.engine',
				engines[1 + floor(random() * cardinality(engines))], false);
			PERFORM set_config('gpucompact.cpu_threads', floor(random() * 5)::text, false);
			BEGIN
				EXECUTE format('SELECT count(*) FROM runs JOIN answers USING (id)
								WHERE (%s) IS DISTINCT FROM %I', calls[i], names[i])
				INTO wrong;
				IF wrong > 0 THEN
					RAISE '% is wrong', calls[i];
				END IF;
			EXCEPTION WHEN query_canceled THEN
				NULL;
			END;
		END LOOP;
	END \$\$;));

sub start_session
{
	my ($left) = @_;
	my %session = (out => '', err => '');

	$session{psql} = IPC::Run::start(
		[
			'psql', '-XAtq', '-v', 'VERBOSITY=verbose',
			'-d', $node->connstr('postgres'), '-c', "CALL work($left)",
			'-c', q(SELECT 'done')
		],
		'>' => \$session{out},
		'2>' => \$session{err});
	return \%session;
}

# Each is replaced when it ends before its time.
my %outcomes;
sub finish_session
{
	my ($session) = @_;
	my $outcome;

	$session->{psql}->finish;
	$outcome =
		$session->{err} =~ /(?:ERROR|FATAL):  (\w+)/ ? $1
	  : $session->{out} eq "done\n" ? 'done'
	  :                               "said: $session->{out}$session->{err}";
	note($session->{err}) if $outcome !~ /^(done|57P01|57014)$/;
	$outcomes{$outcome}++;
	return;
}

my $end = time + $seconds;
my @running = map { start_session($seconds) } 1 .. $sessions;
my %signals = (pg_cancel_backend => 0, pg_terminate_backend => 0);
for (my $i = 0; $i < 8 || $end > time; $i++)
{
	my $left = $end > time ? $end - time : 1;
	my $signal = $i % 4 < 3 ? 'pg_cancel_backend' : 'pg_terminate_backend';

	$signals{$signal} += $node->safe_psql('postgres', qq(
		SELECT count(*) FILTER (WHERE $signal(pid))
		FROM (SELECT pid FROM pg_stat_activity
			  WHERE state = 'active' AND query LIKE 'CALL work%'
			  ORDER BY random() LIMIT 1) AS s));
	foreach my $session (@running)
	{
		$session->{psql}->pump_nb;
		next if $session->{psql}->pumpable;
		finish_session($session);
		$session = start_session($left);
	}
	sleep(0.02);
}
finish_session($_) foreach @running;
note('sent: ' . join(', ', map { "$signals{$_} $_" } sort keys %signals));
note('outcomes: ' . join(', ', map { "$outcomes{$_} $_" } sort keys %outcomes));

# A session is sometimes cancelled between two calls, and then is over, too;
# and what was sent may come to one that is over already.
cmp_ok($outcomes{'done'} || 0, '>', 0, 'there are sessions that are done');
cmp_ok($outcomes{'57P01'} || 0, '>', 0, 'and some that were terminated');
cmp_ok($outcomes{'57P01'} || 0, '<=', $signals{'pg_terminate_backend'},
	'no more than were told to go');
cmp_ok($outcomes{'57014'} || 0, '<=', $signals{'pg_cancel_backend'},
	'no more were cancelled than were');
is(join(', ', grep { !/^(done|57P01|57014)$/ } sort keys %outcomes),
	'', 'and there is no other error');

# They are gone with all they had of the GPU.
lanes_are_free($node, 'in the end');
if ($gpu)
{
	my $gpus = $node->safe_psql('postgres',
		'SELECT count(*) FROM gpu_processes() WHERE pid IS NOT NULL');
	cmp_ok($node->safe_psql('postgres', $used) - $used_before,
		'<', 1500 * $gpus, 'the memory of the GPUs that they share is bounded');
	stop_gpu($node);
	cmp_ok($node->safe_psql('postgres', $used) - $used_before,
		'<', 64, 'the GPU has its memory back');
}

survived($node);
done_testing();
