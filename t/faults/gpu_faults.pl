
# A GPU that really fails, is busy, or has no memory: what t/faults/faults.pl has
# of one that only says so.

use lib 't/lib';
use IPC::Run;

use Calls;
use Gpucompact;

my $node = start_server('gpu');
my %engines = engines($node);

if (!exists $engines{'cuda'} || !-e built('engine/faulty_gpu'))
{
	$node->stop;
	plan skip_all => exists $engines{'cuda'} ?
	  'make t/engine/faulty_gpu has not been run' : 'no GPU here';
}

# Two pieces of a scan; one of a sort, which is all that a session keeps memory
# for.
my $faulty = start_faulty('gpu_faults', 'faulty_gpu');
my %calls = calls();
load_runs($_, 1000000) foreach $node, $faulty;

# Starts a session in the background.  (What comes from a string is only read
# when the test waits for its end.)
sub start_session
{
	my ($sql, $out, $err) = @_;
	my $file = PostgreSQL::Test::Utils::tempdir() . '/session.sql';

	append_to_file($file, $sql);
	return IPC::Run::start(
		[
			'psql', '-XAtq', '-v', 'VERBOSITY=verbose',
			'-d', $node->connstr('postgres'), '-f', $file
		],
		'>' => $out,
		'2>' => $err);
}

# Another session, of another server, at work on the same GPU all the while.
my ($other_out, $other_err) = ('', '');
my $stop_file = PostgreSQL::Test::Utils::tempdir() . '/stop';
my $other = start_session(qq(
	SET gpucompact.engine = cuda;
	DO \$\$
	DECLARE
		wrong bigint;
		rounds integer := 0;
	BEGIN
		WHILE pg_stat_file('$stop_file', true) IS NULL LOOP
			SELECT count(*) INTO wrong FROM runs JOIN answers USING (id)
			WHERE $calls{'radix_sort'} IS DISTINCT FROM radix_sort;
			ASSERT wrong = 0;
			rounds := rounds + 1;
		END LOOP;
		ASSERT rounds > 10;
	END \$\$;
	SELECT 'never disturbed';), \$other_out, \$other_err);

# Faults of calls that have one result, some, or one for each element; a summary; two
# arrays; and several kernels.  t/faults/faults.pl has all calls.  The kernel of the
# fault may be late: then it is the next call that fails.
my %faults = (
	(map { $_ => ['step illegal'] }
		  qw(reduce compact stats set_union utf8_decode percentile_cont)),
	(map { $_ => [ 'begin illegal', 'begin trap', 'step trap', 'step illegal 3' ] }
		  qw(prefix_sum radix_sort)));
foreach my $name (sort keys %faults)
{
	foreach my $fault (@{ $faults{$name} })
	{
		stop_gpu($faulty);
		my ($err, @lines) = outcomes($faulty, 'eager', $name, $fault);
		is("@lines", 'right, right', "auto, $name, $fault: the CPU answers");
		is($err, '', "auto, $name, $fault: and nobody notices");

		stop_gpu($faulty);
		($err, @lines) = outcomes($faulty, 'cuda', $name, $fault);
		like("@lines", qr/^(58000, right|right, 58000)$/,
			"cuda, $name, $fault: an error, and then another process serves");
		is($err, '', "cuda, $name, $fault: and no other");
		$faulty->poll_query_until('postgres',
			'SELECT last_failure IS NOT NULL FROM gpu_processes() WHERE gpu = 0');
		like(
			$faulty->safe_psql(
				'postgres', 'SELECT last_failure FROM gpu_processes() WHERE gpu = 0'),
			qr/CUDA error 7\d\d \(cudaError\w+\) in /,
			"cuda, $name, $fault: gpu_processes() has the driver's words");
	}
}

stop_gpu($faulty);
lanes_are_free($faulty, 'faults');

# A GPU that is busy for a second: a call waits for it, and can be cancelled
# meanwhile; the next one waits, and is right.  (The first in the session opens
# the device.)
foreach my $name ('prefix_sum', 'compact', 'radix_sort')
{
	my $outcome = "outcome('$name', '$calls{$name}')";
	my ($out, $cancelled, $waited);
	my $in_time = in_time(
		sub {
			$out = ($faulty->psql(
				'postgres', qq(
				SET gpucompact.engine = cuda;
				SELECT $outcome;
				SELECT set_fault('step busy');
				SET statement_timeout = 100;
				SELECT $outcome, 1000 * extract(epoch FROM clock_timestamp() -
												statement_timestamp());
				$no_timeout
				SELECT set_fault('none none');
				SELECT $outcome;
				SELECT set_fault('step busy');
				SELECT $outcome, 1000 * extract(epoch FROM clock_timestamp() -
												statement_timestamp());
				SELECT set_fault('none none');),
				on_error_stop => 0))[1];
			($cancelled, $waited) = $out =~ /^\w+\|([\d.]+)$/mg;
			return defined $waited && $cancelled < 400;
		},
		20);
	is($out =~ s/\|.*//gr, "right\n\n57014\n\nright\n\nright\n",
		"$name: a busy GPU is waited for, unless the call is cancelled");
	ok($in_time, "$name: cancelled at once") or diag($cancelled);
	cmp_ok($waited, '>', 400, "$name: it has been busy");
}

append_to_file($stop_file, '');
$other->finish;
is($other_out . $other_err, "never disturbed\n", 'another session is undisturbed');

# To open the device takes a while, in which a session can be cancelled; the
# next call is right, and so is the one after it.
{
	my $call = "SELECT cardinality(gpu_radix_sort('{2,1}'::integer[]));";

	my ($status, $out, $err, $took);
	my $in_time = in_time(
		sub {
			stop_gpu($node);
			($status, $out, $err) = $node->psql(
				'postgres', qq(
				SET gpucompact.engine = cuda;
				SELECT 'began', 1000 * extract(epoch FROM clock_timestamp());
				SET statement_timeout = 50;
				$call
				$no_timeout
				SELECT 'ended', 1000 * extract(epoch FROM clock_timestamp());
				$call
				$call),
				on_error_stop => 0);
			my ($began, $ended) = $out =~ /^(?:began|ended)\|([\d.]+)$/mg;

			$took = $ended - $began;
			return $took < 50 + 100;
		},
		20);
	like($err, qr/statement timeout/, 'the opening is cancelled');
	ok($in_time, 'at once') or diag($took);
	like($out, qr/\n2\n2$/, 'and then the session has the GPU');

	($status, $out, $err) = $node->psql(
		'postgres', qq(
		SET statement_timeout = 5;
		SELECT count(*) FROM gpu_devices();
		$no_timeout
		SELECT count(*) > 0 FROM gpu_devices();),
		on_error_stop => 0);
	like($out, qr/^(\d+\n)?t$/, 'to look for devices can be cancelled, and then done');
}

# A GPU without memory.  The process has been there before; then another program
# holds all that is free but 200 MB, which is less than a sort of 40,000,000
# elements needs.
SKIP:
{
	skip('make t/engine/fill_memory has not been run', 1) unless -e built('engine/fill_memory');

	my $directory = PostgreSQL::Test::Utils::tempdir();
	my ($out, $err, $in, $said) = ('', '', '', '');
	my $short = "SELECT gpu_radix_sort('{2,1}'::integer[]);";
	my $long = 'SELECT (gpu_radix_sort(samples))[1] FROM large;';
	my $how = 'SELECT engine, reason FROM gpu_last_call();';

	$node->safe_psql(
		'postgres', q(
		CREATE UNLOGGED TABLE large AS
		SELECT array_agg(i % 1000) AS samples
		FROM generate_series(1, 10000000) AS i;
		UPDATE large SET samples = samples || samples || samples || samples));
	my $psql = start_session(qq(
		SET gpucompact.engine = cuda;
		$short
		\\! touch $directory/opened
		\\! while [ ! -e $directory/filled ]; do sleep 0.1; done
		$long
		$short
		SET gpucompact.engine = eager;
		$long $how
		$short $how
		\\! touch $directory/called
		\\! while [ ! -e $directory/free ]; do sleep 0.1; done
		SET gpucompact.engine = cuda;
		$long $how
), \$out, \$err);
	becomes_true(sub { -e "$directory/opened" }) or die 'the GPU is not opened';

	my $fill = IPC::Run::start([ built('engine/fill_memory'), '200' ], '<' => \$in, '>' => \$said);
	$fill->pump until $said =~ /\n/;
	note($said);
	append_to_file("$directory/filled", '');

	becomes_true(sub { -e "$directory/called" }) or die 'the calls have not ended';
	$fill->finish;
	append_to_file("$directory/free", '');
	$psql->finish;
	like($err,
		qr/ERROR:  53200: out of memory\nDETAIL:  The call needs \d+ MB of GPU memory; there is no limit, and \d+ MB are free\.\n/,
		'cuda: no memory for a call, and how much there is');
	is(() = $err =~ /ERROR/g, 1, 'and no other error');
	like($out,
		qr/^\{1,2\}\n\{1,2\}\n0\ncpu\|.*but not there: .* \d+ MB are free\.\n\{1,2\}\ncuda\|.*\n0\ncuda\|/,
		'the session goes on with what it has, and with more once there is');
}

survived($_) foreach $node, $faulty;
done_testing();
