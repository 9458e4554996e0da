
# An engine that fails, at any step, in any way: the answer is right, or there
# is an error that says what is wrong; the next call is right; and neither the
# session nor the server loses anything by it.  (t/engine/faulty_engine.c stands in
# for the CUDA engine.)

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/lib";

use Gpucompact;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'make t/engine/faulty_engine.so has not been run'
  unless -e built('engine/faulty_engine.so');

# Enough elements for several pieces.
my $node = start_faulty('faults', 'faulty_engine.so');
load_runs($node, 70000);
my %calls = calls();

my @steps =
  ('begin', 'buffer', 'buffer 2', 'push', 'push 2', 'finish');

# One call is tried with each fault at each step; the others, with each fault at
# some step, and with one fault at each.
my $thorough = 'radix_sort';
my %some_steps =
  map { $_ => $_ eq $thorough ? \@steps : ['push 2'] } keys %calls;

# What a status comes to where the GPU is asked for; there are those that end
# the use of the GPU, and those that do not.
my %sqlstates = (
	'not_supported' => '0A000',
	'no_device' => '55000',
	'out_of_memory' => '53200',
	'unknown' => 'XX000');

foreach my $name (sort keys %calls)
{
	# Each step is reached, or this would test nothing: under "cuda" the error
	# shows it.
	my @faults;
	my @errors;
	foreach my $step (@steps)
	{
		foreach my $status (sort keys %sqlstates)
		{
			next
			  unless $status eq 'out_of_memory' ||
			  grep { $_ eq $step } @{ $some_steps{$name} };
			push @faults, fault($step, $status);
			push @errors, "$sqlstates{$status}, right";
		}
	}
	my ($err, @lines) = outcomes($node, 'cuda', $name, @faults);
	is_deeply(\@lines, \@errors, "cuda, $name: an error for each status")
	  or diag($err);
	is($err, '', "cuda, $name: and no other");

	# Otherwise the CPU takes over, at once or in the midst of the call.
	($err, @lines) = outcomes($node, 'eager', $name,
		grep { !/unknown|no_device/ } @faults);
	is_deeply([ grep { $_ ne 'right, right' } @lines ],
		[], "auto, $name: the CPU answers")
	  or diag($err);
	is($err, '', "auto, $name: and nobody notices");
	foreach my $step (@{ $some_steps{$name} })
	{
		($err, @lines) = outcomes($node, 'eager', $name, fault($step, 'no_device'),
			fault($step, 'unknown'));
		is("@lines", 'right, right right, right',
			"auto, $name: no device in $step, and then it is not tried again");
		is($err, '', "auto, $name: and nobody notices");

		($err, @lines) = outcomes($node, 'eager', $name, fault($step, 'unknown'));
		is("@lines", 'XX000, right',
			"auto, $name: what is wrong with the engine in $step is not hidden");
	}
}


# A device that has failed: the session is told so once, and never calls it
# again (or else the faulty engine would abort); a new one may.
foreach my $name (sort keys %calls)
{
	foreach my $step (@{ $some_steps{$name} })
	{
		my $fault = fault($step, 'device_failed');
		my ($err, @lines) = outcomes($node, 'eager', $name, $fault, $fault);

		is("@lines", 'right, right right, right',
			"auto, $name: the CPU answers when the device fails in $step");
		is(() = $err =~ /WARNING: /g, 1, "auto, $name: with one warning");

		($err, @lines) = outcomes($node, 'cuda', $name, $fault);
		is("@lines", '58000, 58000',
			"cuda, $name: an error when the device fails in $step");
		is($err, '', "cuda, $name: and no other");
	}
}

# An engine that fails while its threads copy stored bytes.  (It aborts if the
# host waits for them then, or finishes before they are done.)
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
	  foreach (
		(map { "push out_of_memory $_" } 2 .. 12),
		'buffer out_of_memory 2', 'buffer out_of_memory 12',
		'finish out_of_memory', 'push device_failed 7');
	my ($status, $out, $err) = $node->psql('postgres',
		"$sql SELECT set_fault('none none'); DROP TABLE large;",
		on_error_stop => 0);

	is_deeply([ grep { $_ ne '' } split(/\n/, $out) ],
		[ ('t') x 16 ], 'auto: the CPU answers when threads copy');
	is(() = $err =~ /WARNING: /g,
		1, 'auto: with one warning when the device fails');
}

# What a session is told that has lost its device.
{
	my ($status, $out, $err) = $node->psql(
		'postgres', q(
		SET gpucompact.engine = eager;
		SELECT index, name, status FROM gpu_devices();
		SELECT set_fault('push device_failed');
		SELECT gpu_radix_sort('{2,NULL,1}'::integer[]);
		SELECT engine, reason FROM gpu_last_call();
		SELECT index, name, status FROM gpu_devices();
		SELECT gpu_radix_sort('{2,1}'::integer[]);
		SELECT engine, reason FROM gpu_last_call();
		SET gpucompact.engine = cuda;
		\set VERBOSITY verbose
		SELECT gpu_radix_sort('{2,1}'::integer[]);
		SET gpucompact.engine = cpu;
		SELECT gpu_radix_sort('{2,1}'::integer[]);
		SELECT set_fault('none none');),
		on_error_stop => 0);
	my $text = 'The test has it so: push device_failed.';
	my $lost = "This session has lost GPU 0: $text";
	my $costs = 'estimated cpu 1.0 us, cuda 0.0 us, but not there:';

	is($out, join("\n",
			'0|faulty|ready',
			'',
			'{1,2,NULL}',
			"cpu|cpu: 3 elements, $costs $text",
			"0||$lost",
			'{1,2}',
			"cpu|cpu: 2 elements, $costs $lost",
			'{1,2}',
			''),
		'what a session is told that has lost its device');
	like($err, qr/^psql:\S+ WARNING:  the GPU has failed\nDETAIL:  \Q$text\E\nHINT:  .*new/m,
		'the warning, with its reason and a hint');
	like($err, qr/ERROR:  58000: the GPU has failed\nDETAIL:  \Q$lost\E\nHINT:  .*new/,
		'the error, with its reason and a hint');
	is($node->safe_psql('postgres', 'SELECT index, name, status FROM gpu_devices()'),
		'0|faulty|ready', 'another session knows nothing of it');
}

# Results that cannot be, and a buffer without room.
foreach my $name (sort keys %calls)
{
	my @faults = ('buffer short', 'finish long');

	# Of these it is known how many elements they have.
	push @faults, 'finish short'
	  if $name =~ /^(prefix_sum|scan|reduce|delta|radix_sort|argsort|sort_by_key)/;
	foreach my $engine ('cuda', 'eager')
	{
		my ($err, @lines) = outcomes($node, $engine, $name, @faults);

		is_deeply(\@lines, [ ('XX000, right') x @faults ],
			"$engine, $name: no result is taken that cannot be");
		is($err, '', "$engine, $name: and nothing else is wrong");
	}
}

# An engine that takes its time: the call can be cancelled, and otherwise is
# right.  One that never comes to an end can be cancelled, too, and at once.
# ("slow" is 100 ms, in which nothing can be done.)
foreach my $name (sort keys %calls)
{
	my $call = "outcome('$name', \$call\$$calls{$name}\$call\$)";
	my @faults = (
		(map { fault($_, 'more') } 'begin', 'buffer', 'buffer 2', 'finish'),
		(map { fault($_, 'slow') } $name eq $thorough ?
			  ('begin', 'buffer', 'push 2', 'finish', 'end') : 'push 2'));
	my ($status, $out, $err) = $node->psql(
		'postgres',
		'SET gpucompact.engine = cuda;'
		  . join('', map { qq(
			SELECT set_fault('$_');
			SET statement_timeout = 50;
			SELECT '$_', $call, 1000 * extract(epoch FROM clock_timestamp() -
											   statement_timestamp());
			SET statement_timeout = 0;
			SELECT set_fault('none none');
			SELECT '$_', $call;) } @faults),
		on_error_stop => 0);
	my @lines = map { [ split(/\|/, $_) ] } grep { /\|/ } split(/\n/, $out);

	is_deeply(
		[ map { "$_->[0]: $_->[1]" } @lines ],
		[ map { ("$_: 57014", "$_: right") } @faults ],
		"$name: is cancelled while the engine waits or is slow, and then right");
	is($err, '', "$name: and no other error");
	cmp_ok($_->[2], '<', 1000, "$name: cancelled in time")
	  foreach grep { defined $_->[2] } @lines;
}
{
	my ($err, @lines) =
	  outcomes($node, 'cuda', $thorough,
		map { fault($_, 'slow') } 'begin', 'buffer', 'push', 'finish', 'end');
	is_deeply(\@lines, [ ('right, right') x 5 ], 'a slow engine is right')
	  or diag($err);
}

# To look for devices can fail and be cancelled, as well.
{
	my ($status, $out, $err) = $node->psql(
		'postgres', q(
		SELECT set_fault('devices no_device');
		SELECT index, name, status FROM gpu_devices();
		SELECT set_fault('devices more');
		SET statement_timeout = 50;
		SELECT index, name, status FROM gpu_devices();
		SET statement_timeout = 0;
		SELECT set_fault('none none');
		SELECT index, name, status FROM gpu_devices();),
		on_error_stop => 0);
	is($out, "\n||The test has it so: devices no_device.\n\n\n0|faulty|ready",
		'gpu_devices() says what is wrong, or is cancelled');
	like($err, qr/statement timeout/, 'and for that reason');
}

# Failures leave nothing behind in the session's memory.
{
	my $failures = join('',
		map { my $name = $_; map { "SELECT under('$_ out_of_memory', '$name',
						\$call\$$calls{$name}\$call\$);" } 'begin', 'push', 'finish' }
		  sort keys %calls);
	my $memory = q(SELECT 'bytes', sum(used_bytes)
				   FROM pg_backend_memory_contexts;);
	foreach my $engine ('cuda', 'eager')
	{
		my $out = $node->safe_psql('postgres',
				"SET gpucompact.engine = $engine;"
			  . $failures
			  . $memory
			  . $failures x 10
			  . $memory);
		my ($before, $after) = $out =~ /^bytes\|(\d+)$/mg;

		note("$engine: from $before to $after bytes");
		cmp_ok($after - $before, '<', 10000,
			"$engine: a session does not grow by failures");
	}
}

survived($node);
done_testing();
