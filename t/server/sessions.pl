
# Many short sessions, one after another and several at once: each one opens its
# engine, and leaves nothing behind.

use lib 't/lib';

use Gpucompact;

my $node = start_with_gpu('sessions');

# The array is large enough to be shared by threads.
$node->safe_psql('postgres', q(
	CREATE TABLE runs AS
	SELECT array_agg(hashint4(i) ORDER BY i) AS samples
	FROM generate_series(1, 300000) AS i;
	CREATE TABLE answers AS
	SELECT array_agg(x ORDER BY x) AS sorted FROM runs, unnest(samples) AS x;

	-- There is an error, which pgbench reports, unless all is well.
	CREATE FUNCTION check_answers() RETURNS void LANGUAGE plpgsql AS $$
	BEGIN
		ASSERT gpu_prefix_sum('{1,2,3}'::integer[]) = '{1,3,6}', 'wrong sums';
		ASSERT gpu_compact('{0,2,0}'::integer[]) = '{2}', 'wrongly compacted';
		ASSERT (SELECT gpu_radix_sort(samples) = sorted FROM runs, answers),
			'wrong order';
	END $$;));

my %engines = engines($node);
my @runs = ([ 'cpu_threads = 2', 100, 20 ]);
push @runs, [ 'cuda', 20, 4 ] if exists $engines{'cuda'};

foreach my $run (@runs)
{
	my ($engine, $one_by_one, $each_of_eight) = @$run;
	my $script = $engine =~ s/\W+/_/gr;

	$node->pgbench(
		"--no-vacuum --connect --client=1 --transactions=$one_by_one",
		0,
		[qr{processed: $one_by_one/$one_by_one}],
		[qr{^(?!.*(aborted|ERROR))}s],
		"$engine: $one_by_one sessions, one after another",
		{ "${script}_one_by_one" => "$engines{$engine}\nSELECT check_answers();\n" });

	my $all = 8 * $each_of_eight;
	$node->pgbench(
		"--no-vacuum --connect --client=8 --jobs=2 --transactions=$each_of_eight",
		0,
		[qr{processed: $all/$all}],
		[qr{^(?!.*(aborted|ERROR))}s],
		"$engine: $all sessions, eight at once",
		{ "${script}_at_once" => "$engines{$engine}\nSELECT check_answers();\n" });
}

survived($node);

done_testing();
