
# The scripts in script/: they say how they are used and what is missing, and no
# other server sees what they install.

use lib 't/lib';

use Gpucompact;
use IPC::Run;

plan skip_all => 'the scripts are for Linux' if $^O ne 'linux';

my $root = $Gpucompact::source;

# Runs a command, and returns its exit status and its output.
sub run_quietly
{
	my @command = @_;
	my ($out, $err) = ('', '');

	IPC::Run::run(\@command, '<' => '/dev/null', '>' => \$out, '2>' => \$err);
	return ($? >> 8, $out, $err);
}

foreach my $script (map { s{.*/}{}r } grep { -x } glob("$root/script/*"))
{
	my ($status, $out, $err) = run_quietly("$root/script/$script", '--help');

	is("$status$err", '0', "$script --help");
	like($out, qr{^script/$script .*^Environment variables:}ms, 'prints it');

	($status, $out, $err) = run_quietly("$root/script/$script", '--helf');
	is("$status$out", '1', "$script takes no other option");
	like($err, qr/--help/, 'and says where to look');
}

# With few programs on the PATH; apt-get is not one of them.
my $programs = PostgreSQL::Test::Utils::tempdir();
foreach my $program (qw(bash id mkdir mktemp realpath rm))
{
	my ($path) = grep { -x } map { "$_/$program" } split(/:/, $ENV{PATH});
	symlink($path, "$programs/$program") or die;
}
{
	local $ENV{PATH} = $programs;
	local $ENV{PG_CONFIG};
	my ($status, $out, $err) = run_quietly('bash', "$root/script/test");

	is("$status$out", '1', 'packages are missing');
	like(
		$err,
		qr/build-essential, libipc-run-perl, .*PostgreSQL/, 'and all are named');
}

# An installation that has the extension; then one that is made from it.
my $work = PostgreSQL::Test::Utils::tempdir_short();
local $ENV{GPUCOMPACT_WORK} = $work;
local $ENV{PG_CONFIG} = 'pg_config';
delete local @ENV{qw(MAKEFLAGS MAKELEVEL MFLAGS)};
my ($status, $out, $err) = run_quietly(
	'bash', '-c', q(
	source "$0/script/lib.sh"

	# extension VERSION: installs one of that name
	extension() {
		echo "default_version = '$1'" >gpucompact.control
		make -s install
	}

	root=$work
	cd "$work"
	cat >Makefile <<-'END'
		EXTENSION = gpucompact
		PGXS := $(shell $(PG_CONFIG) --pgxs)
		include $(PGXS)
	END
	make_installation
	theirs=$("$PG_CONFIG" --pkglibdir)
	control=$("$PG_CONFIG" --sharedir)/extension/gpucompact.control
	extension theirs
	touch "$theirs"/gpucompact{.so,_gpu}

	work=$work/second
	mkdir "$work"
	make_installation
	ls "$("$PG_CONFIG" --pkglibdir)" | grep gpucompact || true
	extension ours
	cd "$work"
	init_server
	"$bin/pg_ctl" -D data -l server.log -w -s start
	export PGHOST=$work PGPORT=5432 PGUSER=postgres PGDATABASE=postgres
	psql -Atc 'SELECT default_version FROM pg_available_extensions
			   WHERE name = $$gpucompact$$'
	cat "$control"
	ls "$theirs" | grep gpucompact
), $root);
is("$status$err", '0', 'an installation is made from another one');
is($out,
	"ours\ndefault_version = 'theirs'\ngpucompact.so\ngpucompact_gpu\n",
	'its server has what is installed there, and the other one keeps its own');
is(join(' ', grep { readlink("$_/cwd") =~ /^\Q$work\E/ } grep { -O "$_/environ" }
		  glob('/proc/[0-9]*')), '', 'and it is stopped');

# A script that is told to end while others work for it: one that does not care
# for signals, and one whose parent has gone.
$work = PostgreSQL::Test::Utils::tempdir_short();
$ENV{GPUCOMPACT_WORK} = $work;
my $pids = PostgreSQL::Test::Utils::tempdir() . '/pids';
my $script = IPC::Run::start(
	[
		'bash', '-c', q(
		source "$0/script/lib.sh"
		export TMPDIR=$work
		work_on() { while true; do mkdir -p "$work/$RANDOM"; done; }
		(trap '' TERM; echo $BASHPID; work_on) >>"$1" &
		bash -c "bash -c 'echo \$\$; sleep 1000' & sleep 1" >>"$1"
		sleep 1000 &
		wait $!), $root, $pids
	],
	'>' => \$out, '2>' => \$err);

ok(becomes_true(sub { -e $pids && slurp_file($pids) =~ /^\d+\n\d+\n/ }), 'some work for a script');
$script->signal('TERM');
$script->finish;
is($script->full_result >> 8, 143, 'which ends when it is told so');
is(join(' ', grep { -e "/proc/$_/exe" } split(/\n/, slurp_file($pids))), '', 'and so do they');
ok(!-e $work, 'and nothing is left');

done_testing();
