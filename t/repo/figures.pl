
# The figures of README.md and docs/performance.md: each number in a table, and each
# time in the text, is in a result to which the section links.

use strict;
use warnings;

use lib 't/lib';

use Sources;
use Test::More;

# The numbers of a text, without the code in it and without powers of two.
sub numbers
{
	my ($text) = @_;

	$text =~ s/`[^`]*`//g;
	$text =~ s/2\^\d+//g;
	$text =~ s/(?<=\d),(?=\d\d\d)//g;
	return $text =~ /(?<![\w.-])(\d+(?:\.\d+)?)(?![\w^])/g;
}

# The cells of a table's line without the first, which names the measurement.
sub cells
{
	my ($line) = @_;

	return (split(/(?<!\\)\|/, $line))[ 2 .. 100 ];
}

# The numbers of a section that are measured: those in the lines of tables, whose
# second line is their rule, and those with a unit in the text.
sub figures
{
	my ($section) = @_;
	my (@found, $in_table);

	foreach my $line (split(/\n/, $section))
	{
		if ($line !~ /^\|/)
		{
			$in_table = 0;
			push @found, map { numbers($_) } $line =~ /(?<![\w.,])(\d[\d,.]* (?:us|ms|s|MiB))\b/g;
		}
		elsif ($line =~ /^\|[-|]+$/)
		{
			$in_table = 1;
		}
		elsif ($in_table)
		{
			push @found, map { numbers($_) } grep { defined } cells($line);
		}
	}
	return @found;
}

# Those that none of the results to which the section links has.
sub unknown_figures
{
	my ($section) = @_;
	my %known = map { $_ => 1 }
	  map { numbers(s/(\d)x\b/$1/gr =~ s/`//gr) }
	  map { read_file("$root/bench/$_") }
	  $section =~ m{\]\((?:\.\./)?bench/(results/[\w.-]+\.md|tried\.md)[)#]}g;

	return grep { !$known{$_} } figures($section);
}

my $result = (glob("$root/bench/results/cpu-*.md"))[0] =~ s{.*/bench/}{}r;

is(join(' ', unknown_figures("It takes 12345.678 ms.\n\n| a | b |\n|---|---|\n| 5 | 98765.4 |\n[x](../bench/$result)\n")),
	'12345.678 98765.4', 'figures that no result has are found');

# Each figure in a section of the README is in a result to which the page links, and
# the page on performance has a link in each section.
my %sections = ('README.md' => [ read_file("$root/README.md") =~ s/^## Install.*//msr ],
	'docs/performance.md' => [ split(/^(?=## )/m, read_file("$root/docs/performance.md")) ]);

foreach my $page (sort keys %sections)
{
	foreach my $section (@{ $sections{$page} })
	{
		my ($title) = $section =~ /^#+ (.*)$/m;

		is(join(' ', unknown_figures($section)), '', "$page: $title");
	}
}

done_testing();
