
# The Makefile: it says so if there is no PostgreSQL to build for, builds in another
# directory than the sources', and uninstalls what it installs.  The sources: clang
# takes them, too.  And the tests: they are skipped where the modules that they use are
# missing.

use strict;
use warnings;

use File::Basename;
use File::Path qw(make_path);
use FindBin;
use lib "$FindBin::RealBin/../lib";

use Gpucompact;
use IPC::Run;

my $source = "$FindBin::RealBin/../..";

# The variables of the make around this test are not meant for these.
delete @ENV{qw(MAKEFLAGS MAKELEVEL MFLAGS NVCC PG_CONFIG)};

# Runs make, and returns its exit status and its output.
sub make
{
	my ($directory, @arguments) = @_;
	my $output = '';
	my $done = IPC::Run::run([ 'make', '-C', $directory, @arguments ], '>&' => \$output);

	note($output);
	return ($done, $output);
}

# Without PostgreSQL.
foreach my $goal ('all', 'install', 'installcheck', 'uninstall', 'clean',
	't/engine/engines install')
{
	my ($done, $output) =
	  make($source, '-n', 'PG_CONFIG=/nonexistent/pg_config', split(' ', $goal));

	ok(!$done, "make $goal fails without PostgreSQL");
	like(
		$output,
		qr/\*\*\* .*names no PostgreSQL to build for: .*PG_CONFIG/, 'and tells what to do');
}
foreach my $goal ('t/engine/engines', 'bench/kernels', 'gpucompact_gpu', 'gpucompact_lab.so')
{
	my ($done) = make($source, '-n', 'PG_CONFIG=/nonexistent/pg_config', 'NVCC=nvcc', $goal);

	ok($done, "make $goal needs no PostgreSQL");
}

# In another directory, from a few of the sources.
my $copy = PostgreSQL::Test::Utils::tempdir();
my $files = 'Makefile gpucompact.control sql/*--*.sql src/*.h src/*/*.h src/*/*/*.h '
  . 'src/contract/team.c src/contract/operations.c src/cpu/cpu_delta.c '
  . 'kernels/scan/delta.cu kernels/lab/split_sort.cu kernels/*/*.h '
  . 'gpuprocess/*.[ch] t/crafted.c';
system("cd '$source' && tar -cf - $files | tar -C '$copy' -xf -") == 0
  or die 'could not copy sources';
my $before = `find '$copy' | sort`;
chomp(my $pkglibdir = `pg_config --pkglibdir`);

foreach my $vpath ("VPATH=$copy", '')
{
	my $how = $vpath ? 'with VPATH' : 'without VPATH';
	my $directory = PostgreSQL::Test::Utils::tempdir();

	# It "compiles" to the names of its arguments.
	my $nvcc = "$directory/nvcc";
	append_to_file(
		$nvcc, q(#!/bin/sh
while [ "$1" != -o ]; do shift; done
echo "$@" >"$2"
));
	chmod 0755, $nvcc;

	my @make = (
		$directory, '-f', "$copy/Makefile", 'PG_CONFIG=pg_config', 'CPU_FLAGS=-O0',
		"NVCC=$nvcc", "DESTDIR=$directory/root", split(' ', $vpath));

	my $libraries = "$directory/root$pkglibdir";
	ok((make(@make, 'install'))[0], "$how: make install");
	like(slurp_file("$libraries/gpucompact.so"),
		qr/cpu_delta.*team_start|team_start.*cpu_delta/s, "$how: the library has its objects");
	like(slurp_file("$libraries/gpucompact_gpu"),
		qr{ kernels/scan/delta.o gpuprocess/cache.o gpuprocess/lab.o gpuprocess/lanes.o gpuprocess/main.o src/contract/operations.o },
		"$how: and so has the GPU program");
	like(slurp_file("$libraries/gpucompact_lab.so"),
		qr{ kernels/lab/split_sort.o }, "$how: and its library");

	ok((make(@make, 'uninstall'))[0], "$how: make uninstall");
	is(`find '$directory/root' -type f -name 'gpucompact*'`, '', "$how: leaves nothing");

	ok((make(@make, '-q'))[0], "$how: there is nothing left to make");
	utime(undef, undef, glob("$copy/src/cpu/*.h"));
	ok(!(make(@make, '-q'))[0], "$how: until a header changes");

	ok((make(@make, 't/crafted.so'))[0], "$how: a library for the tests");
	ok(-s "$directory/t/crafted.so", "$how: is made in that directory");
	ok((make(@make, 'clean'))[0], "$how: make clean");
	is(`find '$directory' -name '*.[od]'`, '', "$how: leaves no objects");
}
is(`find '$copy' | sort`, $before, 'nothing is written among the sources');

# What no other test builds.
my $flags = '-D_GNU_SOURCE -Wall -Werror -I. -Isrc';
is(`cd '$source' && \${CC:-cc} $flags -fsyntax-only bench/packed_codec.c 2>&1`,
	'', 'bench/packed_codec.c compiles');

# With clang, PostgreSQL's headers include others of the system than with gcc.
SKIP:
{
	skip 'no clang', 1 if system('type clang >/dev/null 2>&1') != 0;

	my $flags = '-w $(pg_config --cppflags) -I$(pg_config --includedir-server) '
	  . '-Isrc -I. -DLANES_VERSION=1U';
	my $first = PostgreSQL::Test::Utils::tempdir() . '/first.pch';
	my $errors = `cd '$source' && {
		cat src/compat.h src/array/*.h src/call/*.h | clang $flags -x c-header - -o $first &&
		clang $flags -fsyntax-only -include-pch $first src/*/*.c
	} 2>&1`;

	is($errors, '', 'clang compiles all sources');
}

# A test without a module: one of its name says what perl says of a missing one.
foreach my $module ('IPC::Run', 'PostgreSQL::Test::Cluster')
{
	my $file = $module =~ s{::}{/}gr . '.pm';
	my $directory = PostgreSQL::Test::Utils::tempdir();
	my $output = '';

	make_path(dirname("$directory/$file"));
	append_to_file("$directory/$file", qq(die "Can't locate $file in \\@INC";\n));
	ok(IPC::Run::run(
			[ 'perl', (map { "-I$_" } $directory, @INC), "$source/t/answers/parity.pl" ],
			'>&' => \$output), "a test without $module does not fail");
	is($output, "1..0 # SKIP needs the Perl module $module\n", 'and says why it is skipped');
}

done_testing();
