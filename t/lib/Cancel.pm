
# Whether a call on a large array ends at once when it is told to.

package Cancel;

use Exporter qw(import);
use IPC::Run;
use List::Util qw(min);

use Gpucompact;

our @EXPORT = qw(make_terminate ends_at_once);

my $most_ms = 100;

# The C library would fill the memory of a large result, which nobody can cancel.
$ENV{MALLOC_PERTURB_} = 0;

# Makes a function that terminates a session after some ms, and returns the ms that
# it took to go.
sub make_terminate
{
	my ($node) = @_;

	$node->safe_psql('postgres', q(
		CREATE FUNCTION terminate(session integer, after_ms double precision)
		RETURNS double precision LANGUAGE plpgsql AS $$
		DECLARE
			told timestamptz;
		BEGIN
			PERFORM pg_sleep(after_ms / 1000);
			told := clock_timestamp();
			PERFORM pg_terminate_backend(session);
			WHILE EXISTS (SELECT FROM pg_stat_activity WHERE pid = session) LOOP
				PERFORM pg_sleep(0.001), pg_stat_clear_snapshot();
			END LOOP;
			RETURN 1000 * extract(epoch FROM clock_timestamp() - told);
		END $$;));
	return;
}

# The ms that a call takes that nobody disturbs, as the first one of its session.
sub undisturbed
{
	my ($node, $case) = @_;
	my ($took) = $node->safe_psql('postgres', "$case->{set}
		SELECT count(*) FROM ($case->{next}) AS first;
		SELECT 1000 * extract(epoch FROM clock_timestamp() - statement_timestamp()),
			   count($case->{call}) FROM large;") =~ /^([\d.]+)\|/m;

	return $took;
}

# The ms that a call took beyond its timeout, undef if it was over before; and
# what the session said if its next query is not right.
sub lateness
{
	my ($node, $case, $timeout) = @_;
	my ($status, $out, $err) = $node->psql('postgres', qq(
		$case->{set}
		SELECT count(*) FROM ($case->{next}) AS first;
		SELECT 'began', 1000 * extract(epoch FROM clock_timestamp());
		SET statement_timeout = $timeout;
		SELECT 'done', count($case->{call}) FROM large;
		$no_timeout
		SELECT 'ended', 1000 * extract(epoch FROM clock_timestamp());
		SELECT 'right' FROM ($case->{next}) AS next (is_right) WHERE is_right;),
		on_error_stop => 0);
	my ($began) = $out =~ /^began\|([\d.]+)$/m;
	my ($ended) = $out =~ /^ended\|([\d.]+)$/m;

	return ($out =~ /^done\|/m ? undef : $ended - $began - $timeout,
		$out =~ /^right$/m ? '' : "$timeout ms: $out $err");
}

# The ms that a session took to go, told so at some moment of one of its calls.
sub time_to_go
{
	my ($node, $case, $took) = @_;
	my $psql = IPC::Run::start(
		[
			'psql', '-XAtq', '-d', $node->connstr('postgres'),
			'-c', $case->{set},
			'-c', $case->{next},
			'-c', "SELECT 'runs', count($case->{call})
				   FROM large, generate_series(1, 1000)"
		],
		'>' => '/dev/null',
		'2>' => '/dev/null',
		IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
	my $pid = process_at($node, "SELECT 'runs'");
	my $ms = $node->safe_psql('postgres', "SELECT terminate($pid, random() * $took)");

	$psql->finish;
	return $ms;
}

# The least of several times.  If the first time is not too late, there are no more.
# All calls but one may have ended before they were cancelled.
sub late
{
	my ($time) = @_;
	my @times;
	my $in_time = in_time(
		sub {
			my $ms = $time->();

			push @times, $ms if defined $ms;
			return !@times || $times[-1] <= $most_ms;
		},
		20);

	return $in_time || @times == 1 ? () : min(@times);
}

# Tests that a call ends within 100 ms of a timeout, wherever it is, and that a
# session ends within 100 ms of being told to go.  A case has
#
#	set		SQL that chooses an engine
#	call	on columns of the table "large"
#	next	a query on small arrays that says whether the session is all right.
#			The session runs it before, too, to open what it needs.
#	steps	the parts of the call's time at whose ends it is told to end
#	times	how often a session is told to go
#	quick	the call may always be over before
#
# Returns how often the call was cancelled.
sub ends_at_once
{
	my ($node, $name, $case) = @_;
	my $took;
	my @late;
	my $cancelled = 0;
	my @wrong;

	# If no timeout was early enough, something else had made the call slow.
	for (my $try = 0; $try < 3 && !$cancelled; $try++)
	{
		$took = undisturbed($node, $case);
		foreach my $step (1 .. $case->{steps} - 1)
		{
			my $timeout = int($took * $step / $case->{steps}) || 1;
			push @late, map { "$_ ms after $timeout" } late(
				sub {
					my ($ms, $wrong) = lateness($node, $case, $timeout);

					push @wrong, $wrong if $wrong;
					$cancelled++ if defined $ms;
					return $ms;
				});
		}
		last if $case->{quick};
	}
	note("$name: takes $took ms, was cancelled $cancelled times");
	is("@late", '', "$name: is over at once");
	cmp_ok($cancelled, '>', 0, "$name: has been cancelled")
	  unless $case->{quick};
	is("@wrong", '', "$name: and the next call is right");

	is(join('', late(sub { time_to_go($node, $case, $took) })),
		'', "$name: a session goes at once")
	  for 1 .. $case->{times};
	return $cancelled;
}

1;
