
# What the tests of rows on several servers share: the setup and the queries of
# docs/scaling.md, and how an answer of several servers is compared with the answer
# of one table.

package Scaling;

use Exporter qw(import);
use Gpucompact;

our @EXPORT = qw(page_of with_hosts load_alone answers answers_agree);

# The blocks of a section, by the servers that their first line names; and the
# queries, which are all other blocks of SQL.
sub page_of
{
	my ($section) = @_;
	my $page = slurp_file("$Gpucompact::source/docs/scaling.md");
	my ($text) = $page =~ /^## \Q$section\E\n(.*?)(?=^## |\z)/ms;
	my (@queries, %blocks);

	while ($text =~ /^```sql\n(.*?)^```/msg)
	{
		my $block = $1;

		if ($block =~ s/^-- (on .*)\n//)
		{
			$blocks{$1} .= $block;
		}
		else
		{
			push @queries, split(/(?<=;)\n/, $block);
		}
	}
	cmp_ok(@queries, '>', 2, "the section $section has queries");
	return (\@queries, %blocks);
}

# A block with the hosts and ports of these servers, and with the user that they have.  A
# directory of sockets serves as the name of a host.
sub with_hosts
{
	my ($block, @nodes) = @_;

	foreach my $node (@nodes)
	{
		my ($name, $host, $port) = ($node->name, $node->host, $node->port);

		$block =~ s/\b$name\.example\.com\b(\W+(?:port\W+)?)5432/$host$1$port/g;
	}
	my $user = $nodes[0]->safe_psql('postgres', 'SELECT current_user');
	return $block =~ s/user 'postgres'/user '$user'/gr;
}

# All rows in tables of a server, in a schema that is searched first where one table is to
# answer.
sub load_alone
{
	my ($node) = @_;

	$node->safe_psql('postgres', q(
		CREATE SCHEMA alone;
		CREATE TABLE alone.runs AS
		SELECT s AS sensor, i AS id,
			   array_agg((s * 7919 + i * 104729 + j * 31) % 1000 ORDER BY j) AS samples
		FROM generate_series(1, 20) AS s, generate_series(1, 5) AS i,
			 generate_series(1, 300) AS j
		GROUP BY s, i;
		CREATE TABLE alone.events AS
		SELECT s AS sensor, '2026-01-01'::timestamptz + j * interval '1 minute' AS at,
			   (s * 7919 + j * 31) % 1000 AS reading
		FROM generate_series(1, 20) AS s, generate_series(1, 200) AS j;));
	return;
}

# The answers of queries, row by row in some order, and their SQLSTATEs; from the
# servers, or with the schema "alone" from one table.
sub answers
{
	my ($node, $path, @queries) = @_;
	my $script = join('', map { s/;?\s*$/;/r . "\n\\echo '-- end' :SQLSTATE\n" } @queries);
	my (undef, $out) =
	  $node->psql('postgres', "SET search_path = $path;\n$script", on_error_stop => 0);
	my @answers;

	$out .= "\n";
	push @answers, join("\n", sort(split(/\n/, $1)), $2)
	  while $out =~ /\G(.*?)^-- end (\w+)\n/msg;
	return @answers;
}

# Tests that queries answer as they do on one table.
sub answers_agree
{
	my ($node, @queries) = @_;
	my @got = answers($node, 'public', @queries);
	my @expected = answers($node, 'alone, public', @queries);

	foreach my $number (0 .. $#queries)
	{
		my $name = $queries[$number] =~ s/\s+/ /gr;

		like($got[$number], qr/\n00000$/, "there is an answer: $name");
		is($got[$number], $expected[$number], "the same of one table: $name");
	}
	return;
}

1;
