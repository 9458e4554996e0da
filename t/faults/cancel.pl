
# A call that is cancelled, times out or is terminated, at whatever step it
# is, ends soon, with the right error, and leaves a session or a server that
# goes on.  With GPUCOMPACT_TEST_FULL=1 in the environment, with two threads, too.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../lib";

use Gpucompact;
use IPC::Run;

# What glibc has mapped, it unmaps.  By default it maps no more blocks as large as
# one that has been freed, and then keeps such a block.
$ENV{MALLOC_MMAP_THRESHOLD_} = 1024 * 1024;

# The C library would fill the memory of large results.
$ENV{MALLOC_PERTURB_} = 0;

my $node = start_with_gpu('cancel');

# The array takes a while to sort; the small one shows whether the session is all right.
$node->safe_psql('postgres', q(
	CREATE UNLOGGED TABLE large (samples integer[]);
	ALTER TABLE large ALTER samples SET STORAGE EXTERNAL;
	INSERT INTO large
	SELECT ARRAY(SELECT hashint4(i) FROM generate_series(1, 1000000) AS i);
	UPDATE large SET samples = samples || samples || samples || samples;
	UPDATE large SET samples = samples || samples;
	CREATE TABLE small AS
	SELECT array_agg(hashint4(i) ORDER BY i) AS samples
	FROM generate_series(1, 300000) AS i;
	CREATE TABLE answers AS
	SELECT (SELECT array_agg(x ORDER BY x) FROM unnest(samples) AS x) AS sorted,
		   (SELECT sum(x) FROM unnest(samples) AS x) AS last_sum
	FROM small;
	CREATE VIEW all_right AS
	SELECT gpu_radix_sort(samples) = sorted AND
		   (gpu_prefix_sum(samples))[300000] = last_sum AND
		   gpu_compact('{0,3,0}'::integer[]) = '{3}' AS all_right
	FROM small, answers;

	-- How many ms a call took, and whether it was cancelled.
	CREATE FUNCTION run(call text, OUT ms double precision, OUT outcome text)
	LANGUAGE plpgsql AS $$
	DECLARE
		start timestamptz := clock_timestamp();
	BEGIN
		BEGIN
			EXECUTE format('SELECT cardinality(%s) FROM large', call);
			outcome := 'done';
		EXCEPTION WHEN query_canceled THEN
			outcome := SQLSTATE;
		END;
		ms := 1000 * extract(epoch FROM clock_timestamp() - start);
	END $$;));

my %engines = engines($node);
delete $engines{'cpu_threads = 2'} if !$ENV{GPUCOMPACT_TEST_FULL};
my @calls = (
	'gpu_prefix_sum(samples)', 'gpu_compact(samples)',
	'gpu_radix_sort(samples)');

foreach my $engine (sort keys %engines)
{
	my $set = $engines{$engine};

	foreach my $call (@calls)
	{
		# The fastest of four is how long a call takes undisturbed.
		my $all = $node->safe_psql('postgres', $set . "SELECT ms FROM run('$call');" x 4);
		my ($took) = sort { $a <=> $b } split(/\n/, $all);

		# Timeouts after some tenths of that, in a session that has opened what it
		# needs, and has been cancelled once.  A timeout may come when the call is
		# over: then the statement fails.
		my $sql = "$set SELECT outcome FROM run('$call');";
		foreach my $tenth (7, 1 .. 7)
		{
			my $timeout = int($took * $tenth / 10);

			$timeout = 2 if $timeout < 2;
			$sql .= qq(
				SET statement_timeout = $timeout;
				SELECT $tenth, $timeout, outcome, ms FROM run('$call');)
			  . $no_timeout;
		}
		$sql .= 'SELECT all_right FROM all_right;';

		# A call is not run to its end, nor any long step of it, before it is
		# cancelled.  The one that took the least time beyond its timeout is
		# judged.
		my (@lines, @late);
		my ($right, $errors, $cancelled) = (1, '', 0);
		my $in_time = in_time(
			sub {
				my ($status, $out, $err) = $node->psql('postgres', "\\set VERBOSITY sqlstate\n$sql",
					on_error_stop => 0);

				$right &&= $out =~ /\nt$/;
				$errors .= $err;
				push @lines, map { [ split(/\|/, $_) ] } grep { /\|/ } split(/\n/, $out);
				$cancelled = grep { $_->[2] eq '57014' } @lines;
				@late = ();
				foreach my $tenth (1 .. 7)
				{
					my ($least) =
					  sort { $a <=> $b }
					  map { $_->[3] - $_->[1] } grep { $_->[0] == $tenth } @lines;

					push @late, $tenth if defined $least && $least > $took / 4 + 20;
				}
				return $cancelled && !@late;
			},
			20);
		note("$engine, $call: takes $took ms; tenths, timeout, outcome, ms:\n"
			  . join("\n", map { join(' ', @$_) } @lines));
		ok($right, "$engine, $call: after timeouts the session is all right");
		unlike($errors, qr/ERROR:  (?!57014)/, "$engine, $call: no other error");
		ok($in_time, "$engine, $call: a timeout ends the call at once") or diag("@late");
		ok($cancelled, "$engine, $call: some calls have been cancelled");
	}
}

# A session at work, in the background, which is then sent a signal; returns
# what psql said in the end.
sub signal_while_running
{
	my ($set, $call, $signal) = @_;
	my ($out, $err) = ('', '');
	my $psql = IPC::Run::start(
		[
			'psql', '-XAtq', '-v', 'VERBOSITY=sqlstate',
			'-d', $node->connstr('postgres'),
			'-c', $set,
			'-c', "SELECT 'running', count($call)
				   FROM large, generate_series(1, 10000)",
			'-c', 'SELECT all_right FROM all_right'
		],
		'>' => \$out,
		'2>' => \$err,
		IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
	my $pid = process_at($node, "SELECT 'running'");

	# The first call in a session opens the engine.
	is($node->safe_psql('postgres', "SELECT pg_sleep(0.2); SELECT $signal($pid)"),
		"\nt", "$signal during $call");
	$psql->finish;
	return ($out, $err);
}

foreach my $engine (sort keys %engines)
{
	foreach my $call (@calls)
	{
		my ($out, $err) = signal_while_running($engines{$engine}, $call, 'pg_cancel_backend');

		like($err, qr/ERROR:  57014/, "$engine, $call: is cancelled");
		is($out, "t\n", "$engine, $call: and then the session is all right");
	}

	my ($out, $err) = signal_while_running($engines{$engine}, $calls[2], 'pg_terminate_backend');
	like($err, qr/FATAL:  57P01/, "$engine: a session is terminated");
	is($node->safe_psql('postgres', "$engines{$engine} SELECT all_right FROM all_right"),
		't', "$engine: and another one is all right");
}

# Interrupted calls have given back their memory, in kB.  The memory that a session
# keeps is there after the first complete calls.  Memory of large results is not kept
# here, because it would hide a leak.
SKIP:
{
	skip('there is no /proc here', 1) unless -r '/proc/self/status';

	foreach my $engine (sort keys %engines)
	{
		my $resident = q(
			SELECT 'resident', substring(pg_read_file('/proc/self/status')
										 FROM 'RssAnon:\s+([0-9]+)')::integer;);
		my $broken_off = qq(
			SET statement_timeout = 5;
			SELECT outcome FROM run('gpu_prefix_sum(samples)');
			SELECT outcome FROM run('gpu_compact(samples)');
			SELECT outcome FROM run('gpu_radix_sort(samples)');
			$no_timeout);

		# A timeout may also come before a call has begun, or after it.
		my ($ret, $out) = $node->psql('postgres',
				$engines{$engine}
			  . 'SET gpucompact.kept_memory = 0;'
			  . join('', map { "SELECT outcome FROM run('$_');" } @calls)
			  . $broken_off . $resident
			  . $broken_off x 10
			  . $resident, on_error_stop => 0);
		my ($before, $after) = $out =~ /^resident\|(\d+)$/mg;

		note("$engine: from $before kB to $after kB");
		cmp_ok($after - $before, '<', 8 * 1024,
			"$engine: a session does not grow by calls that are broken off");
	}
}

survived($node);

done_testing();
