
# What a session keeps of the memory of its large results, as
# gpucompact.kept_memory says.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../lib";

use Gpucompact;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'there is no /proc here' unless -r '/proc/self/status';
plan skip_all => 'the C library is not glibc'
  unless `getconf GNU_LIBC_VERSION 2>/dev/null` =~ /^glibc/;

my $node = start_with_gpu('kept_memory');

# As integers, 40 MB; their prefix sums take 80 MB.
$node->safe_psql(
	'postgres', q(
	CREATE TABLE runs (id integer, samples integer[]);
	ALTER TABLE runs ALTER samples SET STORAGE EXTERNAL;
	INSERT INTO runs SELECT 1, array_agg(i) FROM generate_series(1, 10000000) AS i;
	INSERT INTO runs VALUES (2, '{3,1,2}');));

# MB of the session's memory.
my $look = q(SELECT 'resident', substring(pg_read_file('/proc/self/status')
				FROM 'RssAnon:\s+([0-9]+)')::integer / 1024);

# Returns the results of statements.
sub session
{
	return map { s/^resident\|//r } split /\n/,
	  $node->safe_psql('postgres', join('', map { "$_;" } @_));
}

my $sum = 'SELECT cardinality(gpu_prefix_sum(samples)) FROM runs WHERE id = 1';
my %engines = engines($node);

foreach my $engine (sort keys %engines)
{
	my $set = $engines{$engine};
	my ($rows, $before, $kept, $again, $less, $none);

	(undef, $before, $rows, $kept, undef, undef, $again) =
	  session($set, 'SELECT gpu_prefix_sum(samples) FROM runs WHERE id = 2',
		$look, $sum, $look, $sum, $sum, $look);
	is($rows, 10000000, "$engine: the result is whole");
	cmp_ok($kept - $before, '>', 75, "$engine: the session keeps a result's memory");
	cmp_ok($kept - $before, '<', 256 + 8, "$engine: and no more than the setting says");
	cmp_ok($again - $before, '<', 256 + 8, "$engine: the next results add no more");

	(undef, $before, undef, $less) =
	  session($set, "SET gpucompact.kept_memory = '64MB'",
		'SELECT gpu_prefix_sum(samples) FROM runs WHERE id = 2',
		$look, $sum, $look);
	cmp_ok($less - $before, '<', 8, "$engine: a larger one is given back");

	(undef, $before, undef, $none) =
	  session($set, 'SET gpucompact.kept_memory = 0',
		'SELECT gpu_prefix_sum(samples) FROM runs WHERE id = 2',
		$look, $sum, $look);
	cmp_ok($none - $before, '<', 8, "$engine: 0 gives all back");

	# Calls that are broken off leave no more.
	my $broken_off = q(
		SET statement_timeout = 5;
		SELECT cardinality(gpu_prefix_sum(samples)) FROM runs WHERE id = 1;
		SELECT cardinality(gpu_radix_sort(samples)) FROM runs WHERE id = 1;
		SET statement_timeout = 0;);
	my ($ret, $out) = $node->psql(
		'postgres', "$set; $sum;" . $broken_off x 50 . "$look;",
		on_error_stop => 0);
	($kept) = $out =~ /^resident\|(\d+)$/m;
	cmp_ok($kept - $before, '<', 256 + 8,
		"$engine: calls that are broken off leave no more");

	# Many results of one query do not add up, nor does one that is cut.
	(undef, $before, undef, undef, undef, $again) = session(
		$set,
		'SELECT gpu_prefix_sum(samples) FROM runs WHERE id = 2',
		$look,
		'SELECT count(gpu_prefix_sum(samples)) FROM runs, generate_series(1, 8)',
		'SELECT count(gpu_compact_in(samples, samples)) FROM runs',
		'SELECT max(cardinality(gpu_compact(samples))) FROM runs',
		$look);
	cmp_ok($again - $before, '<', 256 + 8, "$engine: many results keep no more");
}

survived($node);
done_testing();
