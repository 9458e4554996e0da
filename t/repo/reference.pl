
# The reference is complete: each function that the scripts in sql/ make is in
# the README's list, and has a place in the table of docs/functions.md, a card with
# an example, and a test, and there is no card for another function.  What a page
# names is there: files of this project, and sections of pages.

use strict;
use warnings;

use File::Basename;
use lib 't/lib';

use Sources;
use Test::More;

my $sql = join('', map { read_file($_) } glob("$root/sql/gpucompact--*.sql"));
my %functions;

while ($sql =~ /^(?:CREATE[ ](?:FUNCTION|AGGREGATE)[ ](\w+)|
				 ALTER[ ]FUNCTION[ ](\w+)\(.*\)[ ]RENAME[ ]TO[ ](\w+)|
				 DROP[ ]FUNCTION[ ](\w+))/mgx)
{
	my ($created, $from, $to, $dropped) = ($1, $2, $3, $4);

	delete $functions{ $from // $dropped // '' };
	$functions{ $created // $to } = 1 unless $dropped;
}

# No query needs to call the others; their comments describe them.
delete @functions{ grep { /^gpucompact_/ && $_ ne 'gpucompact_benchmark' } keys %functions };
cmp_ok(scalar(keys %functions), '>', 40, 'functions in sql/');

my %pages = map { s{^\Q$root\E/}{}r => read_file($_) }
  glob("$root/{*,t/README,bench/tried,bench/results/README,{src,kernels}/*/README,docs/*}.md");
my $reference = $pages{'docs/functions.md'};

# The items of the README's list of functions.
my ($list) = $pages{'README.md'} =~ /^## Functions\n(.*?)^## /ms;
my @items = $list =~ /^(- .*\n(?:  .*\n)*)/mg;

foreach my $function (sort keys %functions)
{
	ok((grep { /`\Q$function\E`/ } @items) == 1, "$function is in one item of the README's list");
	like($reference, qr/^\|.*\[[^]]*\b\Q$function\E\b[^]]*\]\(/m,
		'and a place in the table of the cards');
}
my %cards = map { $_ => 1 }
  map { /\b(gpu\w+)/g } map { /^##+ (.*)$/mg }
  map { s/^```.*?^```//msgr } @pages{ map { "docs/$_.md" } qw(functions diagnostics) };

is(join(' ', grep { !$cards{$_} } sort keys %functions), '', 'functions that have no card');
is(join(' ', grep { !$functions{$_} } sort keys %cards), '', 'cards of no function');
is(join(' ', map { /^(gpu\w+)/ } grep { /^gpu/ && !/^=# /m } split(/^### /m, $reference)),
	'', 'cards without an example, which docs.pl runs');

# The functions that always run on the CPU have a ring in the README's list.
my %rings = map { $_ => 1 } $list =~ /`(gpu_\w+)`\x{c2}\x{b0}/g;
foreach my $operation (
	read_file("$root/src/contract/operations.h") =~ /^OPERATION\(\w+, (\w+), CPU_ALONE/mg)
{
	is(join(' ', grep { /^gpu_$operation(?!_agg)/ && !$rings{$_} } sort keys %functions),
		'', "functions of the operation $operation have a ring");
}

# Tests: regression scripts, and those that start servers.
my $tests = join('', map { read_file($_) }
	  grep { !/--/ } glob("$root/sql/*.sql $root/t/{answers,faults,process,server}/*.pl"));
is(join(' ', grep { $tests !~ /\b\Q$_\E\b/ } sort keys %functions), '', 'functions without a test');

# The files that a page names: paths that begin with a folder of this project,
# without the arguments of a command.
my $folders = join('|', map { quotemeta } qw(bench debian docs examples expected
	  gpuprocess kernels release script sql src t));

sub named_files
{
	my ($text) = @_;

	return $text =~ m{`((?:$folders)/[\w./*-]*)}g;
}

my $makefile = read_file("$root/Makefile");

sub is_file
{
	my ($path) = @_;
	my @found = glob("$root/" . $path =~ s/NAME/*/r);	# as in test_NAME.c

	# PostgreSQL's own, in its sources, and programs that are made
	return @found && -e $found[0] || $path =~ m{^src/(?:backend|include)/} ||
	  -e "$root/$path.cu" || index($makefile, $path) >= 0;
}

# The names by which links know the sections of a page.
sub sections
{
	my ($text) = @_;

	$text =~ s/^```.*?^```//msg;
	return map { lc(s/[^\w -]//gr) =~ s/ /-/gr } $text =~ /^#+ (.*)$/mg;
}

is(join(' ', grep { !is_file($_) } named_files('`script/test`, `bench/run --only x`, `src/call/gone.c`, `t/*/gone.pl`, `t/repo/*.pl`')),
	'src/call/gone.c t/*/gone.pl', 'files that are not there are found');
foreach my $page (sort keys %pages)
{
	my @missing = grep { !is_file($_) } named_files($pages{$page});

	foreach my $link ($pages{$page} =~ /\]\(([\w.\/-]*(?:#[\w-]+)?)\)/g)
	{
		my ($file, $section) = split(/#/, $link);
		my $other = $file eq '' ? "$root/$page" : dirname("$root/$page") . "/$file";

		push @missing, $link
		  if !-e $other || defined($section) &&
		  !grep { $_ eq $section } sections(read_file($other));
	}
	is(join(' ', @missing), '', "$page: what it refers to is there");
}

done_testing();
