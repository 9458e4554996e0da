
# A GPU that fails, at any step, in any way: the answer is right, or there is an
# error that says what is wrong; the next call is right; and neither the session
# nor the server loses anything by it.  (t/engine/cpu_device.c stands in for the
# GPU.)  With GPUCOMPACT_TEST_FULL=1 in the environment, more calls are tried.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../lib";

use Calls;
use Gpucompact;

plan skip_all => 'make t/engine/gpu_on_cpu has not been run' unless -e built('engine/gpu_on_cpu');

# Enough elements for several pieces.
# What is kept would be pushed no more.
sub start_node
{
	my ($name) = @_;
	my $node = start_faulty($name, 'gpu_on_cpu', @small_lanes, 'gpucompact.gpu_cache_size = 0');

	load_runs($node, 70000);
	return $node;
}

my $node = start_node('faults');
my %calls = calls();
delete @calls{ cpu_alone() };

my $full = $ENV{GPUCOMPACT_TEST_FULL};
my @steps = ('begin', 'push', 'push 2', 'finish');

# One call is tried with each fault at each step; the others, with one at each: what
# becomes of a status does not depend on the call.
my $thorough = 'radix_sort';

# The SQLSTATE of each status under "cuda".
my %sqlstates = (
	'not_supported' => '0A000',
	'no_device' => '55000',
	'out_of_memory' => '53200',
	'unknown' => 'XX000');

# Each step is reached, or this would test nothing: under "cuda" the error shows it.
# Otherwise the CPU takes over, at once or in the midst of the call; but an error in
# the program is not hidden.
my (%faults, %errors);
foreach my $name (keys %calls)
{
	foreach my $step (@steps)
	{
		foreach my $status (sort keys %sqlstates)
		{
			next unless $status eq 'out_of_memory' || $name eq $thorough;
			push @{ $faults{$name} }, fault($step, $status);
			push @{ $errors{$name} }, "$sqlstates{$status}, right";
		}
	}
}
my %cuda = all_outcomes($node, 'cuda', %faults);
my %auto = all_outcomes($node, 'eager', %faults);
foreach my $name (sort keys %calls)
{
	my ($err, @lines) = @{ $cuda{$name} };

	is_deeply(\@lines, $errors{$name}, "cuda, $name: an error for each status")
	  or diag($err);
	is($err, '', "cuda, $name: and no other");
	($err, @lines) = @{ $auto{$name} };
	is_deeply(\@lines, [ map { /unknown/ ? 'XX000, right' : 'right, right' } @{ $faults{$name} } ],
		"auto, $name: the CPU answers, unless the program is wrong")
	  or diag($err);
	is($err, '', "auto, $name: and nobody notices more");
}
lanes_are_free($node, 'statuses');

# A GPU that has failed, or a program that has crashed, ends the process; another
# one serves the next call.  To start that takes a while, so that by default one call
# in eight is tried besides the thorough one, and on one engine.
my $number = 0;
foreach my $name (sort keys %calls)
{
	my $by_both = $full || $name eq $thorough;
	my $turn = $number++ % 16;

	foreach my $step ($name eq $thorough ? @steps : 'push 2')
	{
		foreach my $fault (map { fault($step, $_) } 'device_failed', $name eq $thorough ? 'crash' : ())
		{
			# It takes the longer to start again, the more often it has failed.
			if ($turn == 0 || $by_both)
			{
				stop_gpu($node);
				my ($err, @lines) = outcomes($node, 'cuda', $name, $fault);
				is("@lines", '58000, right', "cuda, $name: an error for $fault");
				is($err, '', "cuda, $name: and no other");
			}
			if ($turn == 8 || $by_both)
			{
				stop_gpu($node);
				my ($err, @lines) = outcomes($node, 'eager', $name, $fault);
				is("@lines", 'right, right', "auto, $name: the CPU answers for $fault");
				is($err, '', "auto, $name: and nobody notices");
			}
		}
	}
}
lanes_are_free($node, 'failures');
stop_gpu($node);

# A process that fails while a session's threads copy stored bytes.
{
	my $right = q(
		SELECT gpu_reduce(numbers, 'max') = sorted[500000] AND
			   gpu_radix_sort(numbers) = sorted AND
			   gpu_sort_by_key(numbers, numbers) = sorted
		FROM large;);
	my $sql = q(
		CREATE TABLE large (numbers integer[], sorted integer[]);
		ALTER TABLE large ALTER numbers SET STORAGE EXTERNAL;
		INSERT INTO large
		SELECT array_agg(hashint4(i)),
			   array_agg(hashint4(i) ORDER BY hashint4(i))
		FROM generate_series(1, 500000) AS i;
		SET gpucompact.engine = eager;
		SET gpucompact.cpu_threads = 4;) . $right;

	$sql .= "SELECT set_fault('$_');$right"
	  foreach ('push out_of_memory', 'finish out_of_memory', 'push device_failed');
	my ($status, $out, $err) = $node->psql('postgres',
		"$sql SELECT set_fault('none none'); DROP TABLE large;",
		on_error_stop => 0);

	is_deeply([ grep { $_ ne '' } split(/\n/, $out) ],
		[ ('t') x 4 ], 'auto: the CPU answers when threads copy');
	is($err, '', 'auto: and nobody notices');
	stop_gpu($node);
}

# A block that the GPU cannot unpack is unpacked by the session, under "cuda", too.
{
	my $right = q(
		SELECT gpu_reduce(p::integer[], '#') = xor AND
			   gpu_radix_sort(p::integer[]) = sorted
		FROM packed;);
	my $sql = q(
		CREATE TABLE packed AS
		SELECT gpu_pack(array_agg(hashint4(i) % 1000 ORDER BY i)) AS p,
			   bit_xor(hashint4(i) % 1000) AS xor,
			   array_agg(hashint4(i) % 1000 ORDER BY hashint4(i) % 1000) AS sorted
		FROM generate_series(1, 300000) AS i;
		SET gpucompact.cpu_threads = 4;);

	$sql .= "SET gpucompact.engine = $_; SELECT set_fault('unpack not_unpacked'); $right
		SELECT set_fault('unpack unknown'); $right" foreach ('cuda', 'eager');
	my ($status, $out, $err) = $node->psql('postgres',
		"$sql SELECT set_fault('none none'); $right DROP TABLE packed;",
		on_error_stop => 0);

	is_deeply([ grep { $_ ne '' } split(/\n/, $out) ],
		[ ('t') x 3 ], 'the session unpacks what the GPU cannot');

	# Only the GPU's unpacking has reached this fault.
	is(scalar(() = $err =~ /unexpected status 99/g), 2, 'the GPU was to unpack');
	is(scalar(() = $err =~ /ERROR/g), 2, 'and there is no other error');
}

# Damage that the session finds in one of two arrays is an error each time: what
# the process has got until then is not cached.  (t/crafted.c does the damage.)
SKIP:
{
	skip 'make t/crafted.so has not been run', 1 if !-e built('crafted.so');
	my ($status, $out, $err) = $node->psql('postgres', crafted('changed') . q(
		CREATE TABLE damaged AS
		SELECT changed(p, pg_column_size(p) - 1000, 1) AS p
		FROM (SELECT gpu_pack(array_agg(hashint4(i) % 1000 ORDER BY i)) AS p
			  FROM generate_series(1, 300000) AS i) AS packed;
		SET gpucompact.engine = cuda;
		DO $$ DECLARE
			damage integer := 0;
		BEGIN
			FOR i IN 1 .. 20 LOOP
				BEGIN
					PERFORM gpu_dot(p::integer[], p::integer[]) FROM damaged;
				EXCEPTION WHEN data_corrupted THEN
					damage := damage + 1;
				END;
			END LOOP;
			RAISE NOTICE 'errors: %', damage;
		END $$;
		DROP TABLE damaged;
		DROP FUNCTION changed;));

	like($err, qr/errors: 20$/m, 'damage in one of two arrays is not cached');
}

# The messages that a session gets.
{
	my ($status, $out, $err) = $node->psql('postgres', q(
		SELECT set_fault('push device_failed');
		SET gpucompact.engine = eager;
		SELECT gpu_radix_sort('{2,NULL,1}'::integer[]);
		SELECT engine, reason FROM gpu_last_call();
		SET gpucompact.engine = cuda;
		\set VERBOSITY verbose
		SELECT gpu_radix_sort('{2,1}'::integer[]);
		SELECT set_fault('none none');
		SELECT last_failure FROM gpu_processes();
		SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
		WHERE backend_type = 'gpucompact GPU';
		SELECT gpu_radix_sort('{2,1}'::integer[]);
		SELECT engine FROM gpu_last_call();
		SELECT index, name FROM gpu_devices();),
		on_error_stop => 0);
	my $text = 'The test has it so: push device_failed.';

	is($out, join("\n",
			'',
			'{1,2,NULL}',
			'cpu|cpu: 3 elements, estimated cpu 1.0 us, cuda 0.0 us, '
			  . "but not there: $text",
			'',
			$text,
			't',
			'{1,2}',
			'cuda',
			'0|CPU 0'), 'what a session is told whose GPU has failed');
	like($err,
		qr/ERROR:  58000: the GPU has failed\nDETAIL:  \Q$text\E
HINT:  The GPU process is started again\.  Set "gpucompact.engine" to "auto" or "cpu" to run on the CPU\.$/m,
		'the error, with its reason and a hint');
	stop_gpu($node);
}

# A GPU that hangs, if nobody cancels.  It takes seconds to be sure of that, in
# which another server has the next tests.
my $hangs_node = start_node('hangs');
my $hangs = background($hangs_node, "
	SET gpucompact.engine = cuda;
	SELECT under('push hang 2', '$thorough', \$call\$$calls{$thorough}\$call\$);
	SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
	WHERE backend_type = 'gpucompact GPU';
	SET gpucompact.engine = eager;
	SELECT under('finish hang', '$thorough', \$call\$$calls{$thorough}\$call\$);");

# Results that cannot be, and results for no place.  Of some it is known how many
# elements they have.
my %impossible = map {
	my $short = /^(prefix_sum|scan|reduce|delta|radix_sort|argsort|sort_by_key)/;
	$_ => [ 'finish long', $short ? 'finish short' : () ]
} keys %calls;
foreach my $engine ('cuda', 'eager')
{
	my %outcomes = all_outcomes($node, $engine, %impossible);

	foreach my $name (sort keys %calls)
	{
		my ($err, @lines) = @{ $outcomes{$name} };

		is_deeply(\@lines, [ ('XX000, right') x @{ $impossible{$name} } ],
			"$engine, $name: no result is taken that cannot be");
		is($err, '', "$engine, $name: and nothing else is wrong");
	}
}

foreach my $name ('prefix_sum', $thorough)
{
	my ($err, @lines) = outcomes($node, 'cuda', $name, 'finish far');
	is("@lines", '58000, right', "cuda, $name: nothing is written to no place");
	($err, @lines) = outcomes($node, 'eager', $name, 'finish far');
	is("@lines", 'right, right', "auto, $name: the CPU answers instead");
}
lanes_are_free($node, 'impossible results');

# A GPU that takes its time: the call can be cancelled, and otherwise is right.
# One that never comes to an end can be cancelled, too, and at once; by default in one
# of its steps, which differs from call to call.
foreach my $name (sort keys %calls)
{
	my $call = "outcome('$name', \$call\$$calls{$name}\$call\$)";
	my @hangs = ('push', 'push 2', 'finish');
	my @faults = (
		(map { fault($_, 'hang') } $full || $name eq $thorough ? @hangs : $hangs[ $number++ % 3 ]),
		(map { fault($_, 'slow') } $name eq $thorough ?
			  ('begin', 'push 2', 'finish') : 'push 2'));
	my $expected = join("\n", map { ("$_: 57014", "$_: right") } @faults);
	my ($got, @late, $others);

	my $in_time = in_time(
		sub {
			my ($status, $out, $err) = $node->psql('postgres',
				'SET gpucompact.engine = cuda;'
				  . join('', map { qq(
					SELECT set_fault('$_');
					SET statement_timeout = 25;
					SELECT '$_', $call, 1000 * extract(epoch FROM
						clock_timestamp() - statement_timestamp());
					$no_timeout
					SELECT set_fault('none none');
					SELECT '$_', $call;) } @faults),
				on_error_stop => 0);
			my @lines = map { [ split(/\|/, $_) ] } grep { /\|/ } split(/\n/, $out);

			$got = join("\n", map { "$_->[0]: $_->[1]" } @lines);
			@late = grep { ($_->[2] // 0) >= 1000 } @lines;
			$others = $err =~ s/.*canceling statement due to statement timeout\n?//gr;
			return $got eq $expected && !@late;
		},
		20);
	is($got, $expected, "$name: is cancelled while the GPU hangs or is slow, and then right");
	is($others, '', "$name: and no other error");
	ok($in_time, "$name: cancelled in time") or diag(map { "@$_\n" } @late);
}
lanes_are_free($node, 'cancelled calls');
{
	my ($err, @lines) =
	  outcomes($node, 'cuda', $thorough, map { fault($_, 'slow') } 'begin', 'push', 'finish');
	is_deeply(\@lines, [ ('right, right') x 3 ], 'a slow GPU is right')
	  or diag($err);
}

# The outcomes of the calls while the GPU hung.
{
	my ($by_cuda, $stopped, $by_auto, @more) = split(/\n/, finish_background($hangs));

	is($by_cuda, '58000, right', 'cuda: a GPU that hangs is given up, and another process serves');
	is($stopped, 't', 'which is ended');
	is($by_auto, 'right, right', 'auto: the CPU answers instead');
	is("@more", '', 'auto: and nobody notices');
	lanes_are_free($hangs_node, 'hangs');
	survived($hangs_node);
	$hangs_node->stop;
}

# Failures leave nothing behind in the session's memory, whatever the length of arrays.
$node->safe_psql('postgres', 'DELETE FROM runs WHERE id IN (1, 4)');
{
	my $failures = join('',
		map { my $step = $_;
			"SELECT set_fault('$step out_of_memory');"
			  . join('', map { "SELECT 'came to', outcome('$_',
						\$call\$$calls{$_}\$call\$);" } sort keys %calls) }
		  'begin', 'push', 'finish');
	my $memory = q(SELECT 'bytes', sum(used_bytes)
				   FROM pg_backend_memory_contexts;);
	foreach my $by ([ 'cuda', '53200' ], [ 'eager', 'right' ])
	{
		my ($engine, $expected) = @$by;
		my $out = $node->safe_psql('postgres',
				"SET gpucompact.engine = $engine;"
			  . $failures x 2
			  . $memory
			  . $failures x 5
			  . $memory
			  . "SELECT set_fault('none none');");
		my ($before, $after) = $out =~ /^bytes\|(\d+)$/mg;

		is(join(' ', grep { $_ ne $expected } $out =~ /^came to\|(.*)$/mg),
			'', "$engine: each call comes to $expected");
		note("$engine: from $before to $after bytes");
		# In hundreds of them; the server's own caches grow by ten thousand.
		cmp_ok($after - $before, '<', 14000, "$engine: a session does not grow by failures");
	}
}

survived($node);
done_testing();
