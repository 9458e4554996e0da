#!/usr/bin/perl

# Compares random calls with plain SQL, those on UTF-8 with Python, and random
# chains of calls with the same calls one by one, on the server that the usual PG*
# variables name, in a database of its own.
#
#	calls.pl [--chains] [--seconds N] [--seed S] [--template DATABASE]
#
# With --chains there are only chains.  The extension is in the database that is
# the template; without one, it is created.
#
# A round makes random arrays, stores them in random ways, and runs random calls
# on them with random settings; some of these are cancelled before, or come after
# others that fail.  The first call that answers something else than plain SQL does,
# or fails where plain SQL does not, ends the run with exit status 1, and with the SQL
# that repeats it.

use strict;
use warnings;

use File::Temp qw(tempdir);
use FindBin;
use Getopt::Long;
use List::Util qw(sum);
use lib "$FindBin::RealBin/../lib";

use Answers;
use Arrays;
use Calls;
use Chains;
use Idioms;
use Random;
use Utf8;

my $seconds = 60;
my $seed = time;
my $template = '';
my $only_chains;
GetOptions(
	'chains' => \$only_chains,
	'seconds=i' => \$seconds,
	'seed=i' => \$seed,
	'template=s' => \$template) && !@ARGV
  or die "usage: calls.pl [--chains] [--seconds N] [--seed S] [--template DATABASE]\n";

my $dir = tempdir(CLEANUP => 1);
my $database = "fuzz_$$";
my %types = element_types();
my @engines = ('cpu', 'auto');
my @compressions = ('pglz');
my @levels;          # values of gpucompact.cpu that the processor has
my $python = $ENV{PYTHON3} // 'python3';
my $has_python = system("'$python' --version >'$dir/version' 2>&1") == 0;

# What psql prints when it runs SQL in a session of its own.
sub run_sql
{
	my ($in, $sql) = @_;

	open(my $file, '>', "$dir/sql") or die "could not write to $dir/sql: $!";
	print $file "SET client_min_messages = warning;\n$sql\n";
	close($file);
	my @lines = `psql -XAtqd $in -f $dir/sql 2>&1`;
	chomp(@lines);
	return @lines;
}

# What it prints of SQL that must not fail.
sub query
{
	my ($in, $sql) = @_;
	my @lines = run_sql($in, $sql);

	die join("\n", $sql, @lines, '') if grep { /(ERROR|FATAL|error):/ } @lines;
	return "@lines";
}

my $functions = q(
	-- "same" if an algorithm has refused a call that it lacks.
	CREATE FUNCTION unless_lacking(answer text, lacking boolean) RETURNS text
	LANGUAGE sql AS $$
		SELECT CASE WHEN lacking AND
						 answer = '0A000: not supported by the algorithm that is set'
					THEN 'same' ELSE answer END $$;

	-- "same", or how a call differs from its idiom.  Where one of them fails, the
	-- other one has to fail with the same SQLSTATE; a call without an idiom, with the
	-- one that is given.  Its text is counted, because newer versions of PostgreSQL
	-- count ARRAY[...] without computing it.
	CREATE FUNCTION verdict(call text, lacking boolean, form text, idiom text,
							differ text)
	RETURNS text LANGUAGE plpgsql AS $$
	DECLARE
		answer text := differ || ': ';
		got text;
		core text;
	BEGIN
		IF idiom <> '' THEN
			answer := outcome(format(
				'SELECT CASE WHEN %s
							 THEN format(''%%s instead of %%s'', left(got::text, 1000),
										 left(core::text, 1000))
							 ELSE ''same'' END
				 FROM (SELECT (SELECT %s FROM (%s) AS arrays) AS got,
							  (SELECT %s FROM arrays) AS core OFFSET 0) AS answers',
				differ, call, form, idiom));
		END IF;
		IF answer !~ '^[0-9A-Z]{5}: ' THEN
			RETURN answer;
		END IF;
		got := outcome(format('SELECT count((%s)::text) FROM (%s) AS arrays', call, form));
		IF unless_lacking(got, lacking) = 'same' THEN
			RETURN 'same';
		END IF;
		core := CASE idiom WHEN '' THEN answer
				ELSE outcome(format('SELECT count((%s)::text) FROM arrays', idiom)) END;
		RETURN CASE WHEN got ~ ': ' AND left(got, 5) = left(core, 5) THEN 'same'
					ELSE format('%s instead of %s (both: %s)', got, core, answer) END;
	END $$;
);

# What the textbooks' algorithms have, on integers alone: docs/settings.md says so.
my %textbooks = map { $_ => 1 } 'naive', 'work_efficient', 'cub';
my $textbooks_have = qr/^gpu_(?:prefix_sum\(\w+(?:, true)?\)|compact\(\w+\)|
						 radix_sort\(\w+[^()]*\))$/x;

# Does an algorithm lack a call, on elements of a type?  Then the call may raise
# 0A000; it need not, as an array without elements needs no algorithm.
sub lacks
{
	my ($algorithm, $call, $type) = @_;

	return $textbooks{$algorithm} && ($type ne 'integer' || $call !~ $textbooks_have);
}

# Settings that choose an engine, and how it goes about its work: an algorithm,
# and SQL that sets it and the others.
sub random_settings
{
	my $engine = one_of(@engines);
	my @algorithms = ('auto') x 6;

	push @algorithms, 'sequential', 'parallel' if $engine ne 'cuda';
	push @algorithms, 'single_pass', 'cub', 'work_efficient', 'naive' if $engine eq 'cuda';

	my $algorithm = one_of(@algorithms);
	return (
		$algorithm,
		sprintf(
			'SET gpucompact.engine = %s; SET gpucompact.algorithm = %s; '
			  . 'SET gpucompact.cpu_threads = %d; SET gpucompact.cpu = %s;',
			$engine, $algorithm, one_of(0 .. 4, 7), one_of('auto', @levels)));
}

# Perhaps a call in SQL, cut short by a timeout that ends with it, as both are sent
# together.  A timeout in the last moment of a statement cancels what comes next,
# which must not be the call.
sub perhaps_timed
{
	my ($call, $n) = @_;

	return '' unless chance(0.1);
	return sprintf(
		"\\set VERBOSITY sqlstate\nSET LOCAL statement_timeout = %d\\;\n"
		  . "SELECT 'timed: ' || %s;\n"
		  . "SELECT 'timed: over';\n"
		  . "\\set VERBOSITY default\n",
		1 + rand(1 + $n / 20000), $call);
}

# Perhaps a statement before a call that fails: in some row, or when much is done.
# Its arrays "b" and "mask" are those of a query; where they are NULL, it does not.
sub perhaps_failing
{
	my ($from) = @_;
	my ($call, $rows) = @{
		one_of(
			[ q(gpu_map(7, '/', b || 0)), '(1)' ],
			[ q(gpu_map(b || 1, '/', i)), '(1), (2), (0), (3)' ],
			[ q(gpu_reduce(gpu_map(gpu_delta(b || 5), '/', i), 'max')), '(1), (1), (0)' ],
			[ q(gpu_scan(b || '{2147483647,2147483647}'::integer[], '+')), '(1)' ],
			[ q(gpu_sort_by_key(b, mask || true)), '(1)' ],
			[ q(gpu_zip(gpu_compare(b, '<', i), 'and', mask || true)), '(1), (2)' ],
			[ q(gpu_reduce(gpu_compact(b, '>', i), 'none')), '(1), (2)' ],
			[ q(gpu_interpolate(b || '{2,1}'::integer[], b || '{2,1}'::integer[], b)), '(1)' ]) };

	return '' unless chance(0.1);
	return "\\set VERBOSITY sqlstate\n"
	  . "SELECT 'failing: ' || count($call) FROM $from, (VALUES $rows) AS r (i);\n"
	  . "\\set VERBOSITY default\n";
}

# What comes before a call on elements of a type: its settings; and perhaps the
# same call, cut short.  After the SQL comes whether its algorithm lacks the call.
sub before_call
{
	my ($call, $type, $from, $n) = @_;
	my ($algorithm, $settings) = random_settings();

	return (
		"\n$settings\n" . perhaps_timed("outcome(\$text\$SELECT count($call) FROM $from\$text\$)", $n),
		lacks($algorithm, $call, $type) ? 'true' : 'false');
}

# The arrays of a round, by name: the type of their elements, and the query that
# makes them.  The numbers in "s" and "p" are in range for sums and products.
sub random_arrays
{
	my ($type, $element, $rows, $columns) = @_;
	my $n = $rows * $columns;
	my @in_range = is_number($type) ? numbers_in_range($type) : ();
	my %arrays = (
		'b' => [ 'integer', random_array($n, '(random() * 10)::integer') ],
		'mask' => [ 'boolean',
			random_array($n, one_of(('random() < ' . one_of(0, 0.01, 0.5, 0.5, 1)) x 5,
					odd_boolean(0.5))) ],
		'points' => [ 'integer', random_array($n, code_point(), 'false') ]);

	foreach my $name ('s', 'p', 'a')
	{
		my $array = random_array($n, shift @in_range // $element);

		$array = random_bounds($array, $rows, $columns) if $rows > 1 || chance(0.2);
		$arrays{$name} = [ $type, $array ];
	}
	return %arrays;
}

# A query in a call that makes an array of one dimension.
my $subquery = qr/(?<!\w)ARRAY(\((?:[^()]++|(?1))*\))/;

# A call in which columns of a table "arguments" stand for the queries that make its
# arguments; the SQL that makes the table; and the forms of its columns.
sub store_arguments
{
	my ($call) = @_;
	my (@queries, @made, @storage, @forms);

	$call =~ s{$subquery}{
		my ($query, $name) = ($&, 'argument' . @forms);

		push @queries, (chance(0.2) ? with_bitmap($query) : $query) . " AS $name";
		push @made, "$name, gpu_pack($name) AS packed_$name";
		push @storage, map { random_storage('arguments', $_, @compressions) }
		  $name, "packed_$name";
		push @forms, one_of($name, "$name || '{}'", "expanded($name)",
			("gpu_unpack(packed_$name, $name)") x 3) . " AS $name";
		$name}gex;
	return ($call, '') if !@forms;

	my $arguments = 'SELECT ' . join(', ', @made) . "\nFROM (SELECT "
	  . join(",\n", @queries) . ' FROM arrays OFFSET 0) AS made';
	return (
		$call,
		"DROP TABLE IF EXISTS arguments;\n"
		  . "CREATE UNLOGGED TABLE arguments AS $arguments WITH NO DATA;\n"
		  . join('', @storage) . "INSERT INTO arguments $arguments;\n",
		@forms);
}

# SQL that prints whether a call answers as its idiom does.
sub array_call
{
	my ($call_of, $n, $rows, $odd, $others, %arrays) = @_;
	my ($call, $idiom, $exact) = @$call_of{ 'call', 'idiom', 'exact' };
	my %forms = map { $_ => random_form($_, $arrays{$_}[0], $others->{$_}) }
	  sort keys %arrays;
	my ($stored_call, $arguments, @arguments) = chance(0.5) ? store_arguments($call) : ($call, '');
	my $differ = differs($exact);

	# The result is of the domain then, too, and compared as text, in which -0 is not 0.
	# Arrays of domains are not packed.
	# A result may be the argument, with a bitmap that has no NULL.
	my $any_bytes = $odd && "$arrays{'a'}[0] $call" =~ /^boolean|mask/
	  || $call =~ /'(?:ceil|floor|round|trunc)'|^gpu_compact_nulls|'is not null'/;
	if ($exact && !$call_of->{'own'} && !@arguments && chance(0.1))
	{
		$forms{'a'} = 'a::' . domain('elements', $arrays{'a'}[0]) . ' AS a';
		$any_bytes = 1;
	}
	$differ = 'got::text IS DISTINCT FROM core::text' if $any_bytes;

	# In binary form, the answer is the same, or as long.
	my $binary = 'record_send(ROW(%1$s, ARRAY[%1$s]))';
	$binary = "octet_length($binary)" if !$exact || $any_bytes;
	$differ .= sprintf(" OR $binary", 'got') . ' <> ' . sprintf($binary, 'core') if chance(0.1);

	my $form = 'SELECT ' . join(', ', 'value', 'other', @forms{ sort keys %forms }, @arguments)
	  . ' FROM arrays' . (@arguments ? ', arguments' : '') . one_of('', '', ' OFFSET 0');
	my $fails = !defined $idiom ? $call_of->{'fails'} :
	  $rows > 1 && !$call_of->{'shaped'} && $call =~ s/$subquery//gr =~ /\b[asp]\b/ ? '0A000' :
	  undef;
	my @expected = defined $fails ? ('', $fails) : ($idiom, $differ);
	my ($before, $lacking) = before_call($stored_call, $arrays{'a'}[0], "($form) AS arrays", $n);
	my ($call_text, @texts) = map { "\$text\$$_\$text\$" } ($stored_call, $form, @expected);

	return $arguments . $before . perhaps_failing("($form) AS arrays") . "SELECT 'answer: ' || verdict("
	  . join(",\n", $call_text, $lacking, @texts) . ');';
}

# Other columns for some of the arrays, by name.
sub other_columns
{
	my ($rows, %types_of) = @_;

	return {
		map { $_ => random_column($types_of{$_}, $rows) }
		grep { chance(0.5) } sort keys %types_of };
}

# SQL that adds them to the table and fills them, and perhaps writes all of the table
# in binary form and reads it again.
sub fill_others
{
	my ($others) = @_;
	my @names = sort keys %$others;
	my $sql = '';

	$sql = 'ALTER TABLE arrays '
	  . join(', ', map { "ADD other_$_ $others->{$_}[0]" } @names) . ";\n"
	  . join('', map { random_storage('arrays', "other_$_", @compressions) } @names)
	  . 'UPDATE arrays SET '
	  . join(",\n", map { "other_$_ = " . sprintf($others->{$_}[1], $_) } @names) . ";\n"
	  if @names;
	$sql .= "\\copy arrays to '$dir/binary' (format binary)\nTRUNCATE arrays;\n"
	  . "\\copy arrays from '$dir/binary' (format binary)\n"
	  if chance(0.1);
	return $sql;
}

# Whether plain SQL would take minutes for n elements: it sorts all that are before
# each one.
sub is_quadratic
{
	my ($call, $n) = @_;

	return $n > 5000 && ($call->{idiom} // '') =~ /WITHIN GROUP .* 2147483647 PRECEDING/s;
}

# A round of calls on arrays: the SQL that makes these, and the calls'.
sub array_round
{
	my @numbers = grep { is_number($_) } sort keys %types;
	my $type = one_of((sort keys %types), @numbers, @numbers);
	my ($rows, $columns) = (1, array_length());

	if ($columns > 1 && $columns <= 70000 && chance(0.1))
	{
		my $n = $columns;

		$columns = int(1 + rand($n < 50 ? $n : 50));
		$rows = int($n / $columns);
	}
	my $n = $rows * $columns;

	my @failing = $rows > 1 ? () : failing_calls($type);
	my @encoding = $type eq 'integer' ? encoding_calls() : ();
	my @calls = grep { !is_quadratic($_, $n) } map {
		@failing && chance(0.05) ? one_of(@failing) :
		@encoding && chance(0.05) ? one_of(@encoding) :
		calls_on($type, random => 1, may_fail => is_number($type) && chance(0.1))
	} 1 .. ($n > 200000 ? 2 : $n > 20000 ? 4 : 12);

	# Only the arrays that the calls want are made.
	my $wanted = join(' ', map { grep { defined } @$_{ 'call', 'idiom' } } @calls);
	my $element = one_of((value_patterns($type)) x 2, value_series($type));
	my $value = chance(0.03) ? 'NULL' : $element;
	my %arrays = random_arrays($type, $element, $rows, $columns);
	my @names = sort keys %arrays;
	my $others = other_columns($rows, map { $_ => $arrays{$_}[0] } @names);
	my $odd = join(' ', $value, map { $_->[1] } values %arrays) =~ /"char"::boolean/;
	my $setup = "DROP TABLE IF EXISTS arrays;\n"
	  . "CREATE UNLOGGED TABLE arrays (pad \"char\", value $type, other $type"
	  . join('', map { ", $_ $arrays{$_}[0]\[]" } @names)
	  . ') WITH (' . random_threshold() . ");\n"
	  . join('', map { random_storage('arrays', $_, @compressions) } @names)
	  . 'SELECT setseed(' . rand() . ") \\g /dev/null\n"
	  . "INSERT INTO arrays SELECT 'x', $value, $element"
	  . join(
		'',
		map { $wanted =~ /\b$_\b/ ? ",\n($arrays{$_}[1])::$arrays{$_}[0]\[]" : ',NULL' }
		  @names)
	  . "\nFROM (SELECT '$types{$type}[0]'::$type\[] AS pool, "
	  . "(1 + random() * $n)::integer AS i) AS pools;\n"
	  . fill_others($others);

	# Hashes of odd booleans that are equal are not.
	$setup .= "SET enable_hashagg = off;\n" if $odd;
	return ($setup, map { array_call($_, $n, $rows, $odd, $others, %arrays) } @calls);
}

# A round of calls on UTF-8.
sub utf8_round
{
	my ($round_seed) = @_;
	my @calls;

	system("'$python' '$FindBin::RealBin/../lib/utf8_cases.py' $round_seed 12 "
		  . ">'$dir/cases'") == 0
	  or die 'utf8_cases.py failed';
	foreach (1 .. 6)
	{
		my ($call, $expected, $which) = @{ one_of(utf8_calls()) };
		my $bytes = one_of('bytes', 'bytes', "bytes || ''");
		my $form = 'SELECT label, ' . join(', ', "$bytes AS bytes",
			'strict', 'points', 'replaced', 'skipped', 'offsets', 'lengths', 'replaced_text', 'skipped_text')
		  . ' FROM cases OFFSET 0';

		my ($before, $lacking) = before_call($call, 'bytea', "($form) AS cases", 100000);

		push @calls, "${before}SELECT 'answer: ' || unless_lacking(outcome(\$text\$"
		  . "SELECT coalesce(string_agg(label, '; '), 'same')
			 FROM ($form) AS cases
			 WHERE $which AND ($call) IS DISTINCT FROM ($expected)\$text\$), $lacking);";
	}
	return ("TRUNCATE cases;\n" . random_storage('cases', 'bytes', @compressions)
		  . "\\copy cases from '$dir/cases'\n", @calls);
}

# The array of a row for chains, and others of its length, as a list of SQL.
sub chain_arrays
{
	my ($type, $n) = @_;
	my @moderate = is_number($type) ?
	  ((numbers_in_range($type))[0], "(random() * 20000 - 10000)::$type",
		"(i % 30000)::$type") : ();
	my $element = one_of(value_patterns($type), value_series($type), (@moderate) x 4);
	my $a = random_array($n, $element, chance(0.5) ? 'false' : undef);

	return ('NULL') x 3 if chance(0.05);
	if (chance(0.1))
	{
		my $rows = $n > 50 && chance(0.3) ? 2 + int(rand(40)) : 1;

		$a = random_bounds($a, $rows, int($n / $rows));
	}
	return ("($a)::$type\[]",
		random_array($n, '(random() * ' . one_of(10, 1000, $n) . ')::integer'),
		random_array($n, one_of(('random() < ' . one_of(0, 0.01, 0.5, 0.99)) x 3,
				odd_boolean(0.9))));
}

# SQL that lets the server have another number of lanes, and slots of another size,
# from its next GPU process on.  The library has been loaded: by a call, as the one of
# the functions may be another one than LOAD finds.
my $lanes_now = 0;
sub set_lanes
{
	my ($lanes) = @_;

	return '' if $lanes == $lanes_now;
	$lanes_now = $lanes;
	return ($lanes ? "ALTER SYSTEM SET gpucompact.gpu_lanes = $lanes;
				   ALTER SYSTEM SET gpucompact.gpu_slot_size = '256kB';\n" :
		'ALTER SYSTEM RESET gpucompact.gpu_lanes;
		 ALTER SYSTEM RESET gpucompact.gpu_slot_size;')
	  . "SELECT pg_reload_conf() \\g /dev/null\n"
	  . "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
		 WHERE backend_type = 'gpucompact GPU' \\g /dev/null\n";
}

# Settings for a chain.  Where the GPU's memory is too small, the CPU helps out.
sub chain_settings
{
	my $engine = one_of(@engines, 'cpu', 'cpu', 'eager');

	return sprintf(
		"SET gpucompact.engine = %s; SET gpucompact.cpu_threads = %d;\n"
		  . "SET gpucompact.cpu = %s; SET gpucompact.device_memory_limit = %d;\n",
		$engine, one_of(0 .. 4, 7), one_of('auto', @levels), $engine eq 'cuda' ? 0 : one_of((0) x 4, 1, 3));
}

# SQL that prints whether a chain answers as its calls do one by one.
sub chain_call
{
	my ($type, $n, $others) = @_;
	my $forms = join(', ', random_form('a', $type, $others->{'a'}),
		random_form('b', 'integer', $others->{'b'}),
		random_form('mask', 'boolean', $others->{'mask'}));
	my $from = "FROM (SELECT $forms FROM arrays" . one_of('', '', ' OFFSET 0') . ') AS arrays';
	my ($chain, $steps) =
	  map { "\$text\$$_\$text\$" }
	  chain_queries('a', $from, random_chain(2 + int(rand(4)), $type));

	return "\nSET gpucompact.engine = cpu; RESET gpucompact.cpu_threads;\n"
	  . "SELECT coalesce(answer_of($steps), 'NULL') AS expected,
				plan_of($chain) AS plan \\gset\n"
	  . "\\echo plan: :plan\n"
	  . chain_settings()
	  . perhaps_timed("answer_of($chain)", $n)
	  . perhaps_failing($from =~ s/^FROM //r)
	  . "SELECT 'answer: ' || CASE WHEN got = :'expected' THEN 'same'
		 ELSE format('%s instead of %s', got, :'expected') END
		 FROM coalesce(answer_of($chain), 'NULL') AS got;";
}

# A round of chains: the SQL that makes their arrays, and the chains'.
sub chain_round
{
	my @numbers = grep { is_number($_) } sort keys %types;
	my $type = one_of((sort keys %types), (@numbers) x 4, ('boolean') x 2);
	my $others = other_columns(1, 'a' => $type, 'b' => 'integer', 'mask' => 'boolean');
	my @lengths = chance(0.3) ? map { int(rand(300)) } 1 .. 12 :
	  map { chance(0.6) ? int(8000 + rand(250000)) : array_length() % 300000 }
	  1 .. one_of(1, 1, 1, 2, 4);
	my $n = sum(@lengths);
	my $setup = "SELECT gpu_compact('{1}'::integer[]) \\g /dev/null\n"
	  . set_lanes(chance(0.1) ? one_of(1, 2) : 0)
	  . "DROP TABLE IF EXISTS arrays;\n"
	  . "CREATE UNLOGGED TABLE arrays (a $type\[], b integer[], mask boolean[]) WITH ("
	  . random_threshold() . ");\n"
	  . join('', map { random_storage('arrays', $_, @compressions) } 'a', 'b', 'mask')
	  . 'SELECT setseed(' . rand() . ") \\g /dev/null\n"
	  . join('', map {
			"INSERT INTO arrays SELECT " . join(",\n", chain_arrays($type, $_))
			  . "\nFROM (SELECT '$types{$type}[0]'::$type\[] AS pool) AS pools;\n"
		} @lengths)
	  . fill_others($others);

	return ($setup, map { chain_call($type, $n, $others) } 1 .. 20);
}

query('postgres', "CREATE DATABASE $database ENCODING 'UTF8' TEMPLATE "
	  . ($template || 'template0'));
END
{
	local $?;
	run_sql('postgres', "DROP DATABASE IF EXISTS $database; LOAD 'gpucompact';" . set_lanes(0))
	  if defined $database;
}

query($database, 'CREATE EXTENSION gpucompact') if !$template;
query($database, answer_functions() . chain_functions() . utf8_tables() . $functions);
push @compressions, 'lz4'
  if query($database, q(SELECT enumvals @> '{lz4}' FROM pg_settings
						WHERE name = 'default_toast_compression')) eq 't';
@levels = grep { !grep { /ERROR/ } run_sql($database, "LOAD 'gpucompact'; SET gpucompact.cpu = $_") }
  'plain', 'avx2', 'avx512';
push @engines, 'cuda', 'cuda' if query($database, 'SELECT count(index) FROM gpu_devices()') > 0;

$| = 1;
print "$seconds s of random calls on @{[sort keys %{{ map { $_ => 1 } @engines }}]}, "
  . "from seed $seed\n";
my $end = time + $seconds;
my ($rounds, $calls, $chains, $fused, $cancelled) = (0, 0, 0, 0, 0);
while (time < $end)
{
	my $round_seed = $seed + $rounds;

	srand($round_seed);
	my ($setup, @calls) =
	  $only_chains || chance(0.3) ? chain_round() :
	  $has_python && chance(0.2) ? utf8_round($round_seed) : array_round();
	my @lines = run_sql($database, join("\n", $setup, @calls));
	my @answers = grep { /^answer: / } @lines;
	my @unexpected = grep {
		!/^answer: same$|^timed: |^failing: |^plan: |ERROR:  (?:0A|22|57014)\w*$/
	} @lines;
	my @plans = grep { /^plan: / } @lines;

	if (@unexpected || @answers < @calls)
	{
		my $last = 0;

		$last++ while $last < $#calls && ($answers[$last] // '') eq 'answer: same';
		print join("\n", $setup, $calls[$last], '', @unexpected, '',
			"$0 @{[$only_chains ? '--chains ' : '']}--seed $round_seed repeats it\n");
		exit 1;
	}
	$rounds++;
	$calls += @calls - @plans;
	$chains += @plans;
	$fused += grep { /fused/ } @plans;
	$cancelled += grep { /ERROR:  57014$/ } @lines;
}
print "$rounds rounds from seed $seed: $calls calls as plain SQL, "
  . "$chains chains as their calls ($fused of them one call), $cancelled cancelled\n";
