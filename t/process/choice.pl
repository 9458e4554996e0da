
# auto looks at a sample of an array before it chooses, where ASCII, or integers
# in a narrow range, would run on another engine than others; and it knows that
# packed arrays have fewer bytes to read, which a CPU has to unpack.  The CPU stands
# in for the GPU, and the estimates are those of a GPU.

use lib 't/lib';

use Gpucompact;

plan skip_all => 'make t/engine/gpu_on_cpu has not been run' unless -e built('engine/gpu_on_cpu');

my $node = start_faulty('choice', 'gpu_on_cpu', 'gpucompact.gpu_cache_size = 0', @small_lanes);

# 240,000 bytes of each text; and integers.
$node->safe_psql('postgres', q(
	CREATE TABLE texts (name text, bytes bytea);
	ALTER TABLE texts ALTER bytes SET STORAGE EXTERNAL;
	INSERT INTO texts VALUES
		('ascii', convert_to(repeat('plain text; ', 20000), 'UTF8')),
		('letters', convert_to(repeat(E'\u0416\u0417\u0418', 40000), 'UTF8')),
		('some letters',
		 convert_to(repeat(repeat('plain text; ', 250) ||
						   repeat(E'\u0416', 1500), 40), 'UTF8')),
		('one letter',
		 convert_to(E'\u0416' || repeat('plain text; ', 20000), 'UTF8'));
	SET default_toast_compression = pglz;	-- by lz4, they would be stored inline
	CREATE TABLE compressed AS SELECT * FROM texts;
	CREATE TABLE numbers (name text, a integer[]);
	ALTER TABLE numbers ALTER a SET STORAGE EXTERNAL;
	INSERT INTO numbers
	SELECT 'narrow', array_agg(hashint4(i) & 1023) FROM generate_series(1, 16384) AS i
	UNION ALL
	SELECT 'wide', array_agg(hashint4(i)) FROM generate_series(1, 16384) AS i
	UNION ALL
	SELECT 'negative', array_agg(-1000000 - (hashint4(i) & 1023))
	FROM generate_series(1, 16384) AS i
	UNION ALL
	SELECT 'few elements', array_agg(i & 1) FROM generate_series(1, 4000) AS i
	UNION ALL
	SELECT 'many', array_agg(hashint4(i)) FROM generate_series(1, 65536) AS i
	UNION ALL
	SELECT 'many, narrow', array_agg(hashint4(i) & 1023) FROM generate_series(1, 262144) AS i;
	CREATE TABLE floats AS
	SELECT name, a::double precision[] AS a FROM numbers;
	ALTER TABLE floats ALTER a SET STORAGE EXTERNAL;
	CREATE TABLE packed AS SELECT name, gpu_pack(a) AS a FROM numbers;));

# The engine that auto chooses for a call on a row, and the estimates.
sub choice
{
	my ($call, $table, $name) = @_;

	return $node->safe_psql('postgres', qq(
		SET gpucompact.cpu_threads = 1;
		SET gpucompact.engine = cuda;
		SELECT gpu_radix_sort('{2,1}'::integer[]) \\g /dev/null
		SET gpucompact.engine = auto;
		SELECT $call FROM $table WHERE name = '$name' \\g /dev/null
		SELECT reason FROM gpu_last_call()));
}

my ($decode, $valid, $sort, $map, $distinct, $argsort, $mode) = (
	'gpu_utf8_decode(bytes)', 'gpu_utf8_is_valid(bytes)', 'gpu_radix_sort(a)',
	q(gpu_map(a, '/', 2)), 'gpu_distinct(a)', 'gpu_argsort(a)', 'gpu_mode(a)');
foreach my $case (
	[ $decode, 'texts', 'ascii', 'cpu: 240,000', '131 us', '206 us' ],
	[ $decode, 'texts', 'one letter', 'cpu: 240,002', '131 us', '206 us' ],
	[ $decode, 'texts', 'letters', 'cuda: 240,000', '489 us', '170 us' ],
	[ $decode, 'texts', 'some letters', 'cuda: 240,000', '275 us', '163 us' ],
	[ $decode, 'compressed', 'ascii', 'cuda: 240,000', '275 us', '163 us' ],
	[ $valid, 'texts', 'ascii', 'cpu: 240,000', '62 us', '98 us' ],
	[ $valid, 'texts', 'letters', 'cuda: 240,000', '151 us', '98 us' ],
	[ $sort, 'numbers', 'narrow', 'cpu: 16,384', '40 us', '62 us' ],
	[ $sort, 'numbers', 'negative', 'cpu: 16,384', '40 us', '62 us' ],
	[ $sort, 'numbers', 'wide', 'cuda: 16,384', '211 us', '62 us' ],
	[ $sort, 'floats', 'narrow', 'cuda: 16,384', '223 us', '73 us' ],
	[ 'gpu_prefix_sum(a)', 'floats', 'narrow', 'cpu: 16,384', '50 us', '95 us' ],
	[ $sort, 'numbers', 'few elements', 'cuda: 4,000', '52 us', '47 us' ],
	[ $map, 'numbers', 'few elements', 'cpu: 4,000', '7.2 us', '37 us' ],
	[ $distinct, 'numbers', 'narrow', 'cpu: 16,384', '46 us', '83 us' ],
	[ $distinct, 'numbers', 'wide', 'cuda: 16,384', '151 us', '83 us' ],
	[ $argsort, 'numbers', 'narrow', 'cuda: 16,384', '263 us', '62 us' ],
	[ $mode, 'numbers', 'narrow', 'cpu: 16,384', '46 us', '83 us' ],
	[ 'gpu_downsample(a, 50)', 'numbers', 'many', 'cpu: 65,536', '47 us', '98 us' ],
	[ "gpu_downsample(a, 50, 'lttb')", 'numbers', 'many', 'cpu: 65,536', '130 us', '187 us' ],
	[ "gpu_downsample(a, 1000, 'lttb')", 'numbers', 'many', 'cpu: 65,536', '130 us', '1.1 ms' ],
	[ "gpu_downsample(a, 50, 'lttb')", 'numbers', 'many, narrow', 'cuda: 262,144', '503 us', '335 us' ],
	[ 'gpu_stats(a)', 'numbers', 'many', 'cpu: 65,536', '54 us', '88 us' ],
	[ 'gpu_stats(a::integer[])', 'packed', 'many', 'cpu: 65,536', '73 us', '108 us' ],
	[ 'gpu_stats(a)', 'numbers', 'many, narrow', 'cpu: 262,144', '200 us', '215 us' ],
	[ 'gpu_stats(a::integer[])', 'packed', 'many, narrow', 'cuda: 262,144', '209 us', '107 us' ])
{
	my ($call, $table, $name, $elements, $cpu, $cuda) = @$case;

	is(choice($call, $table, $name),
		"$elements elements, estimated cpu $cpu, cuda $cuda", "$call of $table, $name");
}

# The engines of a chain's calls.
sub chain_engines
{
	my ($chain) = @_;

	return $node->safe_psql('postgres', qq(
		SET gpucompact.cpu_threads = 1;
		SET gpucompact.engine = cuda;
		SELECT gpu_radix_sort('{2,1}'::integer[]) \\g /dev/null
		SET gpucompact.engine = auto;
		DO \$\$ BEGIN PERFORM $chain FROM numbers WHERE name = 'many'; END \$\$;
		SELECT regexp_replace(coalesce(chain, engine), ', [0-9.]+ ms', '', 'g')
		FROM gpu_last_call()));
}

is(chain_engines(q(gpu_map(a, '/', 2))), 'cpu', 'a call that is none of a chain');
is(chain_engines(q(gpu_radix_sort(gpu_map(a, '/', 2)))),
	'gpu_map (cuda, toast pages), gpu_radix_sort (cuda, on the GPU)',
	'the same call in front of one that the GPU does faster');
is(chain_engines(q(gpu_reduce(gpu_map(a, '/', 2), 'max'))),
	'gpu_map (with the next call), gpu_reduce (cpu, streamed)',
	'the same call in front of one that the CPU does faster');
survived($node);
done_testing();
