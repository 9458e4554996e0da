
# t/README.md has a line for each file in t/, and no line for a file that is not
# there; each test says at its head what it is about; and CONTRIBUTING.md has a line
# for each variable that a test reads.

use strict;
use warnings;

use lib 't/lib';

use Sources;
use Test::More;

my %files = map { s{^\Q$root\E/t/}{}r => $_ }
  map { glob("$root/t/$_.{pl,pm,py,c,h,cu,txt}") } '*', '*/*', '*/*/*';
%files = map { $_ => $files{$_} } grep { -e $files{$_} } keys %files;
cmp_ok(scalar(keys %files), '>', 70, 'these are all files');

my @lines = read_file("$root/t/README.md") =~ /^\| `([\w.\/]+)` \| \S/mg;
my %lines;
$lines{$_}++ foreach @lines;

# The commands at the head of the page are in lines, too, but hold blanks.
is(join("\n", grep { !$lines{$_} } sort keys %files), '', 'each file has a line in t/README.md');
is(join("\n", grep { !$files{$_} } sort keys %lines), '', 'each line is of a file');
is(join("\n", grep { $lines{$_} > 1 } sort keys %lines), '', 'and of another file');
is(join("\n", grep { /\.pl$/ && read_file($files{$_}) !~ /\A(?:#!.*\n)?\n# [A-Za-z]/ }
		  sort keys %files), '', 'each test says what it is about');

# The table of variables: a cell without a name stands for the name above it.
my ($table) = read_file("$root/CONTRIBUTING.md") =~
  /^## Tests that do more\n(.*?)^## /ms;
my $variable;
my %listed;

foreach my $line ($table =~ /^\| (.*)$/mg)
{
	$variable = $1 if $line =~ /^`(GPUCOMPACT_TEST_\w+)/;
	$listed{"$variable t/$_"} = 1 foreach $line =~ m{`t/(\w+/\w+\.pl)`}g;
}
my %read;

foreach my $file (grep { /\.pl$/ } keys %files)
{
	# Some set a variable for their own programs.
	$read{"$_ t/$file"} = 1
	  foreach read_file($files{$file}) =~ /\$ENV\{(GPUCOMPACT_TEST_\w+)\}(?! = )/g;
}
is(join("\n", grep { !$listed{$_} } sort keys %read),
	'', 'each variable of a test is in CONTRIBUTING.md');

done_testing();
