
# The reference is complete: each function that the scripts in sql/ make has a
# line in the README and in the summary of docs/functions.md, which has a card
# for each that is not on another page.  And each result that a page names is in
# bench/results.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../lib";

use Sources;
use Test::More;

my $sql = join('', map { read_file($_) } glob("$root/sql/gpucompact--*.sql"));
my %functions = map { $_ => 1 } $sql =~ /^CREATE (?:FUNCTION|AGGREGATE) (\w+)/mg;

# No query can call those, or need call them: parts of aggregates, of types and of
# operators, casts, and chains, which only the planner calls.
delete @functions{ $sql =~ /^CREATE FUNCTION (\w+)\([^)]*\binternal\b/mg };
delete @functions{ $sql =~ /\b(?:INPUT|OUTPUT|RECEIVE|SEND|TYPMOD_IN|TYPMOD_OUT|FUNCTION) = (\w+)/g };
delete @functions{ $sql =~ /^\tFUNCTION \d+ (\w+)/mg };
delete @functions{ $sql =~ /^CREATE CAST \(gpu_packed AS [^)]*\)\s*WITH FUNCTION (\w+)/mg };
delete @functions{ grep { /^gpu_chain/ } keys %functions };
cmp_ok(scalar(keys %functions), '>', 40, 'functions in sql/');

my %pages = map { s{^\Q$root\E/}{}r => read_file($_) } "$root/README.md",
  glob("$root/docs/*.md");
my $reference = $pages{'docs/functions.md'};

foreach my $function (sort keys %functions)
{
	like($pages{'README.md'}, qr/^\|.*`\Q$function\E[(`]/m,
		"$function has a line in the README");
	like($reference, qr/^\|.*\[[^]]*\b\Q$function\E\b[^]]*\]\(/m,
		'and a line in the summary');
}
foreach my $function ($reference =~ /\]\(#(gpu\w+)\)/g)
{
	like($reference, qr/^### \Q$function\E$/m, "$function has a card");
}

foreach my $page (sort keys %pages)
{
	my %results = map { $_ => 1 }
	  $pages{$page} =~ m{(?:`|bench/results/)(\d{4}-\d\d-\d\d-[\w.-]+\w)}g;

	is(join(' ', grep { !-e "$root/bench/results/$_" } sort keys %results),
		'', "$page names results that exist");
}

done_testing();
