
# What the tests of gpucompact share: a server with the extension in it, and
# the engines that there are on this machine.  It exports what Test::More and
# PostgreSQL's modules for tests do, too, and turns strict and warnings on.

package Gpucompact;

use strict;
use warnings;

use Exporter ();
use Cwd qw(abs_path);
use Fcntl qw(:flock);
use File::Basename qw(basename dirname);
use File::Copy;
use List::Util qw(sum);
use POSIX qw(nice);
use Test::More;
use Time::HiRes qw(sleep);

use Calls;

# No test can run without these.
BEGIN
{
	if (!eval { require IPC::Run; require PostgreSQL::Test::Cluster; })
	{
		$@ =~ /^Can't locate (\S+)\.pm / or die $@;
		plan skip_all => 'needs the Perl module ' . $1 =~ s{/}{::}gr;
	}
}

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Server;

our @EXPORT = (@Test::More::EXPORT, @PostgreSQL::Test::Cluster::EXPORT, @PostgreSQL::Test::Utils::EXPORT,
  qw(built new_server start_server start_copy copy_program
  start_faulty gpu_program start_with_gpu @small_lanes engines all_outcomes outcomes fault
  background finish_background gpu_pid stop_gpu becomes_true in_time $no_timeout
  wait_for_calls lanes_are_free process_at available_memory crafted fails_with try_groups try_queries survived));

sub import
{
	strict->import;
	warnings->import;
	goto &Exporter::import;
}

# The C library fills memory that it hands out with one byte, and memory that is freed
# with another, as script/lib.sh says.
$ENV{MALLOC_PERTURB_} //= 165;

# Tests that look at the time are not disturbed by others that run at the same time.
nice(10) if basename($0) !~ /^cancel/;

# The source tree.
our $source = dirname(dirname(dirname(abs_path(__FILE__))));

# A file that make has built in t/, perhaps outside the source tree.
sub built
{
	my ($file) = @_;

	return ($ENV{TESTDIR} // $source) . "/t/$file";
}

# The data directories that all servers are copies of, with and without the extension:
# a copy takes a tenth of the time of initdb.  The first test of a run makes them, and the
# others wait.
sub template
{
	my ($node, $kind) = @_;
	my $directory = "$PostgreSQL::Test::Utils::tmp_check/$kind-" . $node->pg_version->major;

	open(my $lock, '>', "$directory.lock") or BAIL_OUT("could not open $directory.lock: $!");
	flock($lock, LOCK_EX) or BAIL_OUT("could not lock $directory.lock: $!");
	return $directory if -d $directory;
	if ($kind eq 'extended')
	{
		$node = new_server('extended', 'template');
		$node->start;
		$node->safe_psql('postgres', 'CREATE EXTENSION gpucompact');
		$node->stop;
	}
	else
	{
		$node = Server->new('template');
		$node->init(extra => [ '--locale=C', '--encoding=UTF8' ]);

		# Nothing that runs on its own, and no compiling of queries.  Some tests read the
		# log, which need not have all statements.
		$node->append_conf('postgresql.conf', "autovacuum = off\njit = off\nlog_statement = none\n");
	}
	rename($node->data_dir, $directory) or BAIL_OUT("could not make $directory: $!");
	return $directory;
}

# A server that is not started yet, by default without the extension.
sub new_server
{
	my ($name, $kind) = @_;
	my $node = Server->new($name);

	# init_from_backup takes four times as long, as it copies in Perl.
	system_or_bail('cp', '-R', template($node, $kind // 'template') . '/.', $node->data_dir);
	$node->append_conf('postgresql.conf', 'port = ' . $node->port);
	$node->append_conf('postgresql.conf', "unix_socket_directories = '" . $node->host . "'");
	return $node;
}

# A started one with the extension, and with these lines in postgresql.conf.
sub start_server
{
	my ($name, @conf) = @_;
	my $node = new_server($name, 'extended');

	$node->append_conf('postgresql.conf', join("\n", @conf, ''));
	$node->start;
	return $node;
}

# Starts a server with a copy of the extension in a directory of the test.  The
# extension looks for the GPU program in the directory of its library; there the copy
# has a program of t/engine/, if one is named.  Further lines go into postgresql.conf.
sub start_copy
{
	my ($name, $program, @conf) = @_;
	my $node = new_server($name, 'extended');
	my $directory = PostgreSQL::Test::Utils::tempdir();
	my ($pkglibdir, $err) = run_command([ 'pg_config', '--pkglibdir' ]);

	copy("$pkglibdir/gpucompact.so", $directory)
	  or BAIL_OUT("could not copy $pkglibdir/gpucompact.so: $!");
	chmod 0755, "$directory/gpucompact.so";
	copy_program($program, "$directory/gpucompact_gpu") if $program;

	$node->append_conf('postgresql.conf', join("\n", @conf, ''));
	$node->start;
	$node->safe_psql('postgres', "UPDATE pg_proc SET probin = '$directory/gpucompact'
		WHERE probin = '\$libdir/gpucompact'");
	return ($node, $directory);
}

# Puts a program that make has built in t/engine/ into a file.
sub copy_program
{
	my ($program, $file) = @_;

	unlink $file;
	copy(built("engine/$program"), $file) or BAIL_OUT("could not copy $program: $!");
	chmod 0755, $file;
	return;
}

# Settings with which a GPU program starts quickly: its lanes are few and small.
our @small_lanes = ('gpucompact.gpu_lanes = 4', 'gpucompact.gpu_slot_size = 256kB');

# The installed GPU program, if it finds a GPU.
sub gpu_program
{
	my ($pkglibdir, $err) = run_command([ 'pg_config', '--pkglibdir' ]);
	my $program = "$pkglibdir/gpucompact_gpu";
	my ($list, $why_not) = ('', '');

	return unless -x $program;
	return unless IPC::Run::run([ $program, '--list' ],
		'>' => \$list, '2>' => \$why_not);
	return $program;
}

# A started server with a GPU: the machine's or, if there is none, the CPU in
# its place.  That is skipped, too, if it has not been built.
sub start_with_gpu
{
	my ($name, @conf) = @_;

	return start_faulty($name, 'gpu_on_cpu', @small_lanes, @conf)
	  if !gpu_program() && -e built('engine/gpu_on_cpu');
	return start_server($name, @conf);
}

# One whose GPU program is one of the tests, which does what the file that
# GPUCOMPACT_FAULT names says: the function set_fault writes to it.
sub start_faulty
{
	my ($name, $program, @conf) = @_;
	my $fault_file = PostgreSQL::Test::Utils::tempdir() . '/fault';

	local $ENV{GPUCOMPACT_FAULT} = $fault_file;
	my ($node, $directory) = start_copy($name, $program, @conf);
	$node->safe_psql('postgres', qq(
		CREATE FUNCTION set_fault(fault text) RETURNS void LANGUAGE plpgsql AS \$\$
		BEGIN
			EXECUTE format('COPY (SELECT %L) TO %L', fault, '$fault_file');
		END \$\$;

		-- What a call comes to: "right", "wrong" or its SQLSTATE.
		CREATE FUNCTION outcome(name text, call text) RETURNS text
		LANGUAGE plpgsql AS \$\$
		DECLARE
			answer text;
		BEGIN
			EXECUTE format('SELECT CASE WHEN bool_and(%s IS NOT DISTINCT FROM %I)
								   THEN ''right'' ELSE ''wrong'' END
							FROM runs JOIN answers USING (id)', call, name)
			INTO answer;
			RETURN answer;
		EXCEPTION WHEN query_canceled OR OTHERS THEN
			RETURN SQLSTATE;
		END \$\$;

		-- Under a fault; and then without it, the same once more.
		CREATE FUNCTION under(fault text, name text, call text) RETURNS text
		LANGUAGE plpgsql AS \$\$
		DECLARE
			answer text;
		BEGIN
			PERFORM set_fault(fault);
			answer := outcome(name, call);
			PERFORM set_fault('none none');
			RETURN answer || ', ' || outcome(name, call);
		END \$\$;
		SELECT set_fault('none none')));
	return $node;
}

# A fault as it is written, of a step with or without a number.
sub fault
{
	my ($step, $fault) = @_;

	return $step =~ s/^(\w+)/$1 $fault/r;
}

# The outcomes of calls under faults, in one session.  Gets a list of faults for each
# name of a call.  Returns a list for each name: the errors and warnings, and the
# outcome of the call under each fault.
sub all_outcomes
{
	my ($node, $engine, %faults) = @_;
	my %calls = calls();
	my @names = sort keys %faults;
	my $sql = join('', map {
			my $name = $_;

			"\n\\echo call:\n\\warn call:\n" . join('', map {
					"SELECT under('$_', '$name', \$call\$$calls{$name}\$call\$);"
				} @{ $faults{$name} })
		} @names);
	my ($status, $out, $err) =
	  $node->psql('postgres', "SET gpucompact.engine = $engine; $sql", on_error_stop => 0);
	my (undef, @lines) = split(/^call:\n?/m, $out, -1);
	my ($before, @said) = split(/^call:\n?/m, $err, -1);

	return map {
		$names[$_] => [ $before . ($said[$_] // ''), split(/\n/, $lines[$_] // '') ]
	} 0 .. $#names;
}

# The same of one call.
sub outcomes
{
	my ($node, $engine, $name, @faults) = @_;
	my %outcomes = all_outcomes($node, $engine, $name => \@faults);

	return @{ $outcomes{$name} };
}

# The engines that this machine has, in a hash: a name for each, and the
# settings that choose it.  PGOPTIONS may have chosen another one for the
# whole run, so that a test of an engine has to say which.
sub engines
{
	my ($node) = @_;
	my %engines;

	foreach my $threads (1, 2, 4)
	{
		$engines{"cpu_threads = $threads"} =
		  "SET gpucompact.engine = cpu; SET gpucompact.cpu_threads = $threads;";
	}

	my $gpus = $node->safe_psql('postgres',
		'SELECT count(*) FROM gpu_devices() WHERE index IS NOT NULL');
	if ($gpus > 0)
	{
		$engines{'cuda'} = 'SET gpucompact.engine = cuda;';
	}
	else
	{
		note('no GPU here: only the CPU engine is tested');
	}
	return %engines;
}

# Runs SQL in a session in the background.  Ends with finish_background, which
# returns all that was said.
sub background
{
	my ($node, $sql) = @_;
	my $file = PostgreSQL::Test::Utils::tempdir() . '/session.sql';
	my %session = (said => '');

	append_to_file($file, $sql);
	$session{psql} = IPC::Run::start(
		[
			'psql', '-XAtq', '-v', 'VERBOSITY=sqlstate',
			'-d', $node->connstr('postgres'), '-f', $file
		],
		'>&' => \$session{said},
		IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
	return \%session;
}

sub finish_background
{
	my ($session) = @_;

	$session->{psql}->finish;
	return $session->{said};
}

# Waits until a GPU's process serves sessions; returns its id.  "Other" is the id of
# a process that has ended.
sub gpu_pid
{
	my ($node, $other) = @_;
	my $process = "FROM gpu_processes() WHERE state = 'serving' AND pid <> "
	  . ($other // 0);

	$node->poll_query_until('postgres', "SELECT count(*) > 0 $process")
	  or die 'no GPU process serves';
	return $node->safe_psql('postgres', "SELECT pid $process LIMIT 1");
}

# Ends the GPU processes and their workers, who forget the failures there were.
# (The server would wait for them in steps of 100 ms.)
sub stop_gpu
{
	my ($node) = @_;
	my @pids = $node->safe_psql('postgres', q(
		SELECT pid, pg_terminate_backend(pid) FROM pg_stat_activity
		WHERE backend_type = 'gpucompact GPU')) =~ /^(\d+)/mg;

	for (my $i = 0; $i < 2000 && kill(0, @pids) > 0; $i++)
	{
		sleep(0.005);
	}
	return;
}

# Waits until something is so; returns whether it is.
sub becomes_true
{
	my ($condition) = @_;

	for (my $i = 0; $i < 10 * $PostgreSQL::Test::Utils::timeout_default; $i++)
	{
		return 1 if $condition->();
		sleep(0.1);
	}
	return 0;
}

# Whether the processors are less than a quarter of the next tenth of a second idle,
# or at work for a process that leaves them to this one.
sub is_busy
{
	my @times = map {
		sleep(0.1);
		[ slurp_file('/proc/stat') =~ /^cpu +(.*)/ ? (split(/ /, $1))[ 0 .. 7 ] : () ]
	} 1 .. 2;
	my ($user, $nice, $system, $idle, $waiting, @others) =
	  map { $times[1][$_] - $times[0][$_] } 0 .. 7;

	return (getpriority(0, 0) < 10 ? $nice : 0) + $idle + $waiting <
	  sum($user, $nice, $system, $idle, $waiting, @others) / 4;
}

# Whether something that looks at the time goes well at one of some tries; or cannot
# be judged, as the processors are busy after most of them.
sub in_time
{
	my ($condition, $tries) = @_;
	my $busy = 0;

	foreach (1 .. $tries)
	{
		return 1 if $condition->();
		$busy += -r '/proc/stat' && is_busy();
	}
	note("late at each of $tries tries; the processors were busy after $busy");
	return $busy > $tries / 2;
}

# SQL that ends a timeout.  On a busy machine, that may itself time out.
our $no_timeout = 'SET statement_timeout = 0;' x 5;

# Waits until as many calls as given have a lane, and as many wait for one.
sub wait_for_calls
{
	my ($node, $leased, $waiting) = @_;

	return $node->poll_query_until('postgres', "
		SELECT (sum(lanes_leased), sum(calls_waiting)) = ($leased, $waiting)
		FROM gpu_processes() WHERE state = 'serving'");
}

# No session may have a lane when no call is under way.
sub lanes_are_free
{
	my ($node, $what) = @_;

	ok($node->poll_query_until('postgres', q(
			SELECT coalesce(sum(lanes_leased + calls_waiting), 0) = 0
			FROM gpu_processes())), "$what: all lanes are free");
	return;
}

# Waits until another session is at a statement that begins so; returns the
# process of the session.
sub process_at
{
	my ($node, $statement) = @_;
	my $session = qq(
		FROM pg_stat_activity
		WHERE state = 'active' AND starts_with(query, \$\$$statement\$\$));

	$node->poll_query_until('postgres', "SELECT count(*) = 1 $session")
	  or die "no session is at: $statement";
	return $node->safe_psql('postgres', "SELECT pid $session");
}

# How many GB of memory the machine has left, if it says so.
sub available_memory
{
	return -r '/proc/meminfo' && slurp_file('/proc/meminfo') =~ /^MemAvailable:\s+(\d+)/m ? $1 / 1024 / 1024 : 0;
}

# SQL for functions of t/crafted.c: they return what damage makes of a value, or what the
# type of "like" receives as bytes.
sub crafted
{
	my (@names) = @_;
	my $file = built('crafted.so');
	my %arguments = (
		changed => 'value anyelement, at integer, bits integer',
		cut => 'value anyelement, size integer',
		overwritten => 'value anyelement, at integer, word integer',
		received => 'bytes bytea, "like" anyelement');

	return join(' ', map { "CREATE FUNCTION $_($arguments{$_}) RETURNS anyelement AS '$file' LANGUAGE C"
			  . ($_ eq 'received' ? ';' : ' STRICT;') } @names);
}

# Runs SQL that has to fail with the SQLSTATE, and returns all that psql said
# of the failure.
sub fails_with
{
	my ($node, $sqlstate, $sql, $name) = @_;
	my ($status, $out, $err) = $node->psql('postgres', "\\set VERBOSITY verbose\n$sql");

	like($err, qr/ERROR:  \Q$sqlstate\E:/, $name);
	return $err;
}

# What each query of some groups answers in one session, or its SQLSTATE: a list
# for each group.  Before and after the queries of a group, other SQL is run,
# which must not fail.  A query that kills the session comes to "crash", and what
# is after it is run in another session: restart_after_crash has to be on.
#
#	queries		a list of them
#	before, after	SQL around these, if any
sub try_groups
{
	my ($node, @groups) = @_;
	my @outcomes = map { [] } @groups;
	my $first = 0;

	while ($first < @groups)
	{
		my $sql = q(
			CREATE FUNCTION pg_temp.outcome(query text) RETURNS text
			LANGUAGE plpgsql AS $$
			DECLARE
				answer text;
			BEGIN
				EXECUTE query INTO answer;
				RETURN coalesce(answer, 'NULL');
			EXCEPTION WHEN OTHERS THEN
				RETURN SQLSTATE;
			END $$;);
		my @places;

		foreach my $i ($first .. $#groups)
		{
			my ($before, $after) = map { $groups[$i]{$_} // '' } ('before', 'after');
			my @queries = @{ $groups[$i]{'queries'} };

			$sql .= "\n$before";
			foreach my $j (scalar @{ $outcomes[$i] } .. $#queries)
			{
				my $place = @places;

				push @places, $i;
				$sql .= "\nSELECT 'outcome $place ' || "
				  . "pg_temp.outcome(\$query\$$queries[$j]\$query\$);";
			}
			$sql .= "\n$after";
		}
		my ($status, $out, $err) = $node->psql('postgres', $sql, on_error_stop => 0);
		my %answers = $out =~ /^outcome (\d+) (.*)$/mg;

		# The queries of a session have an outcome, up to the query that has killed
		# it.
		my $last = $status == 2 ? keys(%answers) : $#places;
		die "could not try queries: $err" if $status != 2 && $err =~ /ERROR:/ || $last > $#places;
		push @{ $outcomes[ $places[$_] ] },
		  $answers{$_} // ($status == 2 ? 'crash' : "failed: $err")
		  foreach 0 .. $last;
		last if $status != 2;
		$node->poll_query_until('postgres', 'SELECT true')
		  or BAIL_OUT('the server does not come up again');

		# The SQL after the last query of a group may be left out.
		$first = $places[$last];
		$first++
		  while $first < @groups &&
		  @{ $outcomes[$first] } == @{ $groups[$first]{'queries'} };
	}
	return @outcomes;
}

# The same for one group.
sub try_queries
{
	my ($node, $before, $after, @queries) = @_;
	my ($outcomes) = try_groups($node,
		{ before => $before, after => $after, queries => \@queries });

	return @$outcomes;
}

# No process of the server may have died of a test (the GPU process is not one of
# them).  No pin may be left, and nothing else that the end of a transaction checks.
sub survived
{
	my ($node) = @_;
	my @deaths =
	  grep { /terminated by signal|PANIC:|TRAP:/ && !/The GPU process was/ }
	  split(/\n/, slurp_file($node->logfile));

	is($node->safe_psql('postgres', 'SELECT 1'), '1', 'the server is up');
	is(join("\n", @deaths), '', 'no process of the server has died');
	unlike(slurp_file($node->logfile), qr/WARNING:.*(leak|not closed)/,
		'nothing has been left open');
	return;
}

1;
