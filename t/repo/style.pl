
# The layout of the sources, as .editorconfig has it.  It is PostgreSQL's layout,
# except for a few constructs that pgindent mistakes for others, such as compound
# literals; so this tests rules that hold everywhere.

use strict;
use warnings;

use File::Find;
use lib 't/lib';

use Sources;
use Test::More;

my @directories = grep { -d "$root/$_" }
  qw(bench debian docs examples expected gpuprocess kernels release script sql src t);
my @files = glob("$root/*.md $root/Makefile $root/META.json $root/*.control");
my %broken;

# Without build products, and without files that a test has left.
find(
	{
		no_chdir => 1,
		wanted => sub {
			$File::Find::prune = 1 if m{/(__pycache__|postgresql-[^/]*|\.[^/]+)$};
			push @files, $_ if -f && -T _ && !/\.(d|svg|json|bc)$/;
		}
	},
	map { "$root/$_" } @directories);

sub broken
{
	my ($rule, $place) = @_;

	push @{ $broken{$rule} }, $place;
	return;
}

foreach my $file (@files)
{
	my $name = $file =~ s{^\Q$root\E/}{}r;
	my $code = $file =~ /\.(c|h|cu)$/;
	my $tabs = $code || $file =~ /\.p[lm]$/;
	my $padded = $file =~ /\.(md|out)$/;
	my $last = "\n";

	open(my $lines, '<:encoding(UTF-8)', $file) or die "$file: $!";
	while (my $line = <$lines>)
	{
		my $place = "$name:$.";

		$last = substr($line, -1);
		broken('lines end with a line feed alone', $place) if $line =~ /\r/;
		chomp($line);
		broken('no blanks at the end of a line', $place)
		  if !$padded && $line =~ /[ \t]$/;
		broken('no marks of a merge', $place) if $line =~ /^(<{7}|={7}|>{7})(?!\S)/;
		broken('tabs indent', $place) if $tabs && $line =~ /^\t* {4}|^ +\t/;
		next unless $code;

		# PostgreSQL does not break messages, so that they can be searched for.
		my $width = length($line =~ s/\G([^\t]{0,3}\t|[^\t]{4})/    /gr);
		broken('80 columns, but for messages', $place)
		  if $width > 80 && $line !~ /"/;
		broken('comments are /* */', $place) if $line =~ m{^\s*//};

		# As C23 has it, and compilers by default.
		broken('pg_noreturn begins a declaration', $place)
		  if $line =~ /\w\h+pg_noreturn\b/ && $line !~ /^#|\*/;
	}
	broken('files end with a line feed', $name) if $last ne "\n";
}

cmp_ok(scalar @files, '>', 300, 'these are all sources');
foreach my $rule (
	'lines end with a line feed alone', 'files end with a line feed',
	'no blanks at the end of a line', 'no marks of a merge', 'tabs indent',
	'80 columns, but for messages', 'comments are /* */',
	'pg_noreturn begins a declaration')
{
	is(join("\n", @{ $broken{$rule} // [] }), '', $rule);
}

done_testing();
