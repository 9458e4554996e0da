
# Arrays as large as they can be, on a machine that has the memory for it; with
# GPUCOMPACT_TEST_FULL=1 in the environment, in more calls.

use lib 't/lib';

use Gpucompact;

# Array and result take 0.5 and 1 GB, and a sort's memory comes to that.
plan skip_all => 'needs 4 GB of memory' if available_memory() < 4;

# To fill 1 GB when it is handed out, and when it is freed, takes longer than the calls;
# and so does the system's zeroing of pages, so that a session keeps 2 GB.
$ENV{MALLOC_PERTURB_} = 0;

my $node = start_server('large', 'gpucompact.kept_memory = 2047MB', 'gpucompact.max_kept_memory = 2047MB');

# The planner would compute array_fill(), and copy it several times.
$node->safe_psql('postgres', q(
	CREATE FUNCTION filled(value anyelement, dims integer[]) RETURNS anyarray
	LANGUAGE internal AS 'array_fill'));

# Calls on arrays of one value, an expression over their result s, and its value.  One
# array has as many bytes as there can be; others have as many elements.
# (PostgreSQL would write the result of a function in FROM to a file, and the numbers
# of generate_series(), too.)
my $most = 134217727;
my $ends = "array_dims(s), s[1], s[65536], s[$most]";
my @tests = (
	[ 'gpu_prefix_sum(filled(2147483647, ARRAY[134217724]))', 'cardinality(s), s[1], s[134217724]',
	  '134217724|2147483647|' . 134217724 * 2147483647 ],
	[ "gpu_prefix_sum(filled(NULL::integer, ARRAY[$most]))",
	  "cardinality(s), s[1] IS NULL, s[$most] IS NULL", "$most|t|t" ],
	[ "gpu_compact(filled(0::smallint, ARRAY[$most]))", 's', '{}' ],
	[ "gpu_run_lengths(filled(7::smallint, ARRAY[$most]))", 's', "({7},{$most})" ]);
push @tests, (
	[ 'gpu_prefix_sum(filled(1, ARRAY[2,67108861]), true)', 'array_dims(s), s[1][1], s[2][67108861]',
	  '[1:2][1:67108861]|0|134217721' ],
	[ "gpu_compact(filled(1, ARRAY[$most]))", 'array_dims(s)', "[1:$most]" ],
	[ "gpu_radix_sort(filled(-5, ARRAY[$most]))", $ends, "[1:$most]|-5|-5|-5" ],
	[ "gpu_argsort(filled(true, ARRAY[$most]))", $ends, "[1:$most]|1|65536|$most" ],
	[ "gpu_positions(filled(true, ARRAY[$most]))", $ends, "[1:$most]|1|65536|$most" ],
	[ "gpu_delta(gpu_scan(filled(1, ARRAY[$most]), '+'), 1, keep => true)", "cardinality(s), s[1], s[$most]",
	  "$most|1|1" ],
	[ "gpu_run_lengths(gpu_scan(filled(1::smallint, ARRAY[$most]), '#'))",
	  "cardinality((s).values), (s).values[1:2], (s).lengths[$most]", "$most|{1,0}|1" ],

	# a permutation: the factor and the length have no common divisor
	[ 'gpu_radix_sort(ARRAY(SELECT (generate_series(1, 16777217::bigint) * 1000003 % 16777217)
							::integer))',
	  's = ARRAY(SELECT generate_series(0, 16777216))', 't' ],
	[ 'gpu_compact(ARRAY(SELECT i * (i % 2) FROM (SELECT generate_series(1, 16777217) AS i) AS s))',
	  's = ARRAY(SELECT generate_series(1, 16777217, 2))', 't' ]) if $ENV{GPUCOMPACT_TEST_FULL};

# One step further, and there cannot be a result: of two dimensions, with a bitmap
# besides, and a row of two arrays that are as long.
my @errors = (
	[ 'gpu_prefix_sum(filled(1::smallint, ARRAY[134217725]))',
	  'array size exceeds the maximum allowed (1073741823)', 'The result would have 134217725 elements of 8 bytes.' ],
	[ 'gpu_prefix_sum(filled(1::smallint, ARRAY[2,67108862]), true)', 'array size exceeds' ],
	[ 'gpu_prefix_sum(filled(NULL::smallint, ARRAY[1]) || filled(1::smallint, ARRAY[134217723]))', 'array size exceeds' ],
	[ "gpu_run_lengths(gpu_scan(filled(1, ARRAY[$most]), '+'))",
	  'row size exceeds the maximum allowed (1073741823)', "The result would have arrays of $most elements." ]);

my $random = 'SELECT gpu_values_state(hashint8extended(i, 0)) AS s FROM generate_series(1, 1000000::bigint) AS i';

# Values in rows, which are added one by one, and results that only turn out to be too
# large at their end.
push @errors, (
	[ 'gpu_median_agg(x) FROM generate_series(1, 134217725::bigint) AS x', '' ],
	[ "gpu_union(gpu_scan(filled(1, ARRAY[67108864]), '+'), gpu_scan(filled(-1, ARRAY[67108864]), '+'))",
	  "array size exceeds the maximum allowed ($most)", 'The result would have 134217728 elements of 4 bytes.' ],
	[ "gpu_values_state(s)::text FROM ($random) AS v, generate_series(1, 101)",
	  'text of aggregate state exceeds the maximum allowed (1073741823)' ],
	[ "gpu_pack_agg(s) FROM ($random) AS v, generate_series(1, 134)",
	  'packed array size exceeds the maximum allowed (1073741819)', 'The packed array has ' ])
  if $ENV{GPUCOMPACT_TEST_FULL};

my %engines = engines($node);
delete @engines{ 'cpu_threads = 1', 'cpu_threads = 4' };
foreach my $engine (sort keys %engines)
{
	my ($status, $out, $err) = $node->psql('postgres', "\\set VERBOSITY verbose\n$engines{$engine}"
		  . join('', map { "SELECT $_->[1] FROM (SELECT $_->[0] AS s OFFSET 0) AS v;\n" } @tests)
		  . join('', map { "\\warn call:\nSELECT $_->[0]; SELECT gpu_prefix_sum('{1,2}'::integer[]);\n" } @errors),
		on_error_stop => 0);
	is($status, 0, "$engine: the session lives on to its end");
	my @answers = split(/\n/, $out);
	my (undef, @errs) = split(/^call:\n/m, $err, -1);

	is(shift(@answers), $_->[2], "$engine: $_->[0]") foreach @tests;
	foreach (@errors)
	{
		my ($call, $message, $detail) = @$_;
		my $said = shift(@errs);

		like($said, qr/ERROR:  54000: \Q$message\E/, "$engine: $call cannot be");
		like($said, qr/^DETAIL:  \Q$detail\E/m, 'and why') if $detail;
		is(shift(@answers), '{1,3}', 'and the session goes on');
	}
}

# A text whose length times three is no integer.
fails_with($node, 'XX001', "SELECT repeat('A', 715827884)::gpu_state", 'a state of a long text')
  if $ENV{GPUCOMPACT_TEST_FULL};

survived($node);

done_testing();
