
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
my %functions;

while ($sql =~ /^(?:CREATE[ ](?:FUNCTION|AGGREGATE)[ ](\w+)|
				 ALTER[ ]FUNCTION[ ](\w+)\(.*\)[ ]RENAME[ ]TO[ ](\w+)|
				 DROP[ ]FUNCTION[ ](\w+))/mgx)
{
	my ($created, $from, $to, $dropped) = ($1, $2, $3, $4);

	delete $functions{ $from // $dropped // '' };
	$functions{ $created // $to } = 1 unless $dropped;
}

# No query needs to call the others: what they are for is in their comments.
delete @functions{ grep { /^gpucompact_/ && $_ ne 'gpucompact_benchmark' } keys %functions };
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
