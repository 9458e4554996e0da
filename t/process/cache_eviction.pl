
# The room of the GPU process's cache: how much there is, what goes when it is full
# or memory is short, and that nothing goes which a call uses.

use lib 't/lib';

use Gpucompact;
use GpuCache;

my $node = start_cache('cache_eviction');

is($node->safe_psql('postgres', '
		SELECT cache_limit > 0 AND cache_limit <= memory_total / 2
		FROM gpu_processes() JOIN gpu_devices() ON gpu = index'),
	't', 'half of the memory is for the cache, at most');

# Less room than all take together.  What was used last stays.
{
	my $mb = 262144;			# elements

	$node->safe_psql('postgres', qq(
		CREATE TABLE full_cache (id integer, a integer[]);
		ALTER TABLE full_cache ALTER a SET STORAGE EXTERNAL;
		INSERT INTO full_cache SELECT i, numbers(i, $mb / 4)
		FROM generate_series(1, 6) AS i;
		INSERT INTO full_cache SELECT 7, numbers(7, $mb + 1);
		CREATE FUNCTION sources(ids integer[]) RETURNS text
		LANGUAGE plpgsql AS \$\$
		DECLARE
			verdict text := '';
			use integer;
			is_right boolean;
		BEGIN
			FOREACH use IN ARRAY ids LOOP
				SELECT gpu_compact(a) = ARRAY(SELECT x FROM unnest(a) AS x
											  WHERE x <> 0)
				INTO is_right FROM full_cache WHERE id = use;
				verdict := verdict || use || CASE WHEN is_right THEN ' ' ELSE '!' END
					|| CASE (SELECT source FROM gpu_last_call())
					   WHEN 'cache' THEN 'cached ' ELSE 'read ' END;
				IF (SELECT bool_or(cache_bytes > cache_limit) FROM gpu_processes()) THEN
					RAISE 'the cache is larger than it may be';
				END IF;
			END LOOP;
			RETURN verdict || (SELECT sum(cache_bytes)::bigint / 1024 FROM gpu_processes());
		END \$\$;));
	set_cache_size($node, 1);
	is($node->safe_psql('postgres', "$cuda SELECT sources('{1,2,3,4,1,2,3,4}')"),
		'1 read 2 read 3 read 4 read 1 cached 2 cached 3 cached 4 cached 1024',
		'four values fit in');
	is($node->safe_psql('postgres', "$cuda SELECT sources('{1,5,2,5,1,3,4}')"),
		'1 cached 5 read 2 read 5 cached 1 cached 3 read 4 read 1024',
		'a fifth has the one go that was not used for longest');
	is($node->safe_psql('postgres', "$cuda SELECT sources('{7,7,1,3,4,5}')"),
		'7 read 7 read 1 cached 3 cached 4 cached 5 cached 1024',
		'a value that is larger than the cache is not cached, nor has others go');
	not_loaded($node, 'it is larger than the cache, which has 1048576 bytes',
		'SELECT gpu_cache_load(a) FROM full_cache WHERE id = 7', 'too large');

	set_cache_size($node, 2);
	is($node->safe_psql('postgres', "$cuda SELECT sources('{1,3,4,5,2,6,7,7,6}')"),
		'1 cached 3 cached 4 cached 5 cached 2 read 6 read 7 read 7 cached 6 cached 1792',
		'a larger cache has room for more');
	set_cache_size($node, 1);
	is(counters($node, 'cache_bytes') <= 1048576, 1, 'a smaller cache gives room back');
	set_cache_size($node, 0);
	is(counters($node, 'cache_bytes'), 0, 'none gives back all');
	is($node->safe_psql('postgres', "$cuda SELECT sources('{1,1}')"),
		'1 read 1 read 0', 'none keeps nothing');
	not_loaded($node, '"gpucompact.gpu_cache_size" is zero',
		'SELECT gpu_cache_load(a) FROM full_cache WHERE id = 1', 'without a cache');
}

survived($node);
$node->stop;

$node = start_faulty_cache('cache_memory');
my $ask = verdict('changing');
$node->safe_psql('postgres', "$cuda $short");
gpu_pid($node);

# Half of the memory that is free when the process starts is for the cache.
my $half = 'SELECT cache_limit >> 20, memory_total >> 20
	FROM gpu_processes() JOIN gpu_devices() ON gpu = index';
is($node->safe_psql('postgres', $half), '512|1024', 'half of the memory is for the cache');
stop_gpu($node);
$node->safe_psql('postgres', "SELECT set_fault('open crowded 26'); $cuda $short");
gpu_pid($node);
is($node->safe_psql('postgres', $half), '13|1024',
	'half of what others have left is for the cache');
$node->safe_psql('postgres', "SELECT set_fault('none none')");

# A sort needs twice 10 MB, and then there is no room for another 10 MB.
$node->safe_psql('postgres', '
	CREATE TABLE wide (a integer[]);
	ALTER TABLE wide ALTER a SET STORAGE EXTERNAL;
	INSERT INTO wide SELECT numbers(1, 2600000)');
is(answers($node, "$cuda SELECT cardinality(gpu_radix_sort(a)) FROM wide;
		$source $nothing DROP TABLE wide;"),
	"2600000\ntoast pages\n0|0", 'a call has memory before the cache has');

# No memory for what would be cached.
is(answers($node, "$clear SELECT set_fault('begin no_cache');
		$cuda $ask $ask $source $nothing"),
	"t\nt\ntoast pages\n0|0", 'no memory for the cache: what core sees');
not_loaded($node, 'the GPU has no memory for it',
	'SELECT gpu_cache_load(a) FROM changing', 'without memory');
is($node->safe_psql('postgres', "$cuda $no_fault $ask $ask $source"), "t\nt\ncache",
	'and then there is memory');

# Cached values give way to a call that lacks memory, except the values that this
# call uses.
is(answers($node, "
		CREATE TABLE beside AS SELECT a || 1 AS a FROM changing;
		$cuda SELECT gpu_cache_load(a) > 0 FROM beside; $ask
		SELECT count(*) FROM gpu_cache(); SELECT set_fault('begin tight');
		$ask $source
		SELECT toast_relation = (SELECT reltoastrelid FROM pg_class
								 WHERE oid = 'changing'::regclass)
		FROM gpu_cache(); $no_fault"),
	"t\nt\n2\nt\ncache\nt", 'what is cached gives way, but not what is in use');

# The values that a call uses are not evicted.
sub hold_call
{
	my ($step) = @_;

	$node->safe_psql('postgres', "SELECT set_fault('$step held')");
	my $call = background($node, "$cuda $ask $source");
	wait_for_calls($node, 1, 0) or die 'the lane is not held';
	return $call;
}
foreach my $cached (1, 0)
{
	my $step = $cached ? 'finish' : 'push';
	my $what = $cached ? 'what a call uses' : 'what a call brings in';
	my $from = $cached ? 'cache' : 'toast pages';

	foreach my $how ('cleared', 'smaller')
	{
		$node->safe_psql('postgres', $cached ?
			"$clear SELECT gpu_cache_load(a) FROM changing" : $clear);
		my $call = hold_call($step);

		$how eq 'cleared' ? $node->safe_psql('postgres', $clear) :
		  set_cache_size($node, 0);
		my $meanwhile = $node->safe_psql('postgres', $nothing);
		is($meanwhile, '80000|' . ($how eq 'cleared' || !$cached ? 0 : 1),
			"$how: $what stays in memory");
		$node->safe_psql('postgres', $no_fault);
		is(finish_background($call), "t\n$from\n", "$how: what core sees");
		lanes_are_free($node, $how);
		is($node->safe_psql('postgres', $nothing), '0|0', "$how: $what goes with the call");
		set_cache_size($node, 100);
	}
}

# A call that has found the elements that it takes from, and then waits for a
# lane, has to be given them if they are gone by then.
{
	$node->safe_psql('postgres',
		"$clear SELECT gpu_cache_load(a) FROM changing; SELECT set_fault('begin held')");
	my @others = map { background($node, "$cuda $short") } 1 .. 4;
	wait_for_calls($node, 4, 0) or die 'the lanes are not held';
	my $call = background($node, "$cuda
		SELECT gpu_take(a, '{3,20000,1}') = ARRAY[a[3], a[20000], a[1]] FROM changing;
		$source");
	wait_for_calls($node, 4, 1) or die 'the call does not wait';
	$node->safe_psql('postgres', $clear);
	$node->safe_psql('postgres', $no_fault);
	is(finish_background($call), "t\ntoast pages\n", 'gone while a call waits');
	finish_background($_) foreach @others;
	ok(becomes_true(sub {
				$node->safe_psql('postgres', "$cuda
					SELECT gpu_take(a, '{3,20000,1}') = ARRAY[a[3], a[20000], a[1]] FROM changing;
					$source") eq "t\ncache" }), 'they are brought in again');
	$node->safe_psql('postgres', $clear);
}

# The values that a call uses do not give way to a value that is loaded meanwhile.
{
	set_cache_size($node, 1);
	$node->safe_psql('postgres', "
		CREATE TABLE large (a integer[]);
		ALTER TABLE large ALTER a SET STORAGE EXTERNAL;
		INSERT INTO large SELECT numbers(1, 260000);
		$clear SELECT set_fault('finish held')");
	my @calls = background($node, "$cuda SELECT gpu_reduce(a, 'max') FROM large;");

	wait_for_calls($node, 1, 0) or die 'the lane is not held';
	push @calls, background($node,
		"\\set VERBOSITY default\nSELECT gpu_cache_load(a) FROM changing;");
	wait_for_calls($node, 2, 0) or die 'the lane is not held';
	$node->safe_psql('postgres', $no_fault);
	like(finish_background($calls[1]),
		qr/NOTICE:  the value is not cached by a GPU: calls use what it would replace$/m,
		'gpu_cache_load(), while others use the cache');
	is(finish_background($calls[0]), "999\n", 'which is as right');
	is($node->safe_psql('postgres', 'SELECT gpu_cache_load(a) FROM changing'), 80000,
		'gpu_cache_load(), when they have ended');
}
$node->stop;
done_testing();
