
# How much memory of its large results a session keeps, and for how long:
# gpucompact.kept_memory, gpucompact.max_kept_memory and
# gpucompact.kept_memory_timeout.

use lib 't/lib';

use Gpucompact;

plan skip_all => 'there is no /proc here' unless -r '/proc/self/status';
plan skip_all => 'the C library is not glibc'
  unless `getconf GNU_LIBC_VERSION 2>/dev/null` =~ /^glibc/;

# To fill the memory of large results takes half of the time.
$ENV{MALLOC_PERTURB_} = 0;

my $node = start_with_gpu('kept_memory');

# As integers, 40 MB; their prefix sums take 80 MB.
$node->safe_psql('postgres', q(
	CREATE TABLE runs (id integer, samples integer[]);
	ALTER TABLE runs ALTER samples SET STORAGE EXTERNAL;
	INSERT INTO runs SELECT 1, array_agg(i) FROM generate_series(1, 10000000) AS i;
	INSERT INTO runs VALUES (2, '{3,1,2}');));

# MB of the session's memory.
my $look = q(SELECT 'resident', substring(pg_read_file('/proc/self/status')
				FROM 'RssAnon:\s+([0-9]+)')::integer / 1024);

# A small call, and one with a large result.
my $warm = 'SELECT gpu_prefix_sum(samples) FROM runs WHERE id = 2';
my $sum = 'SELECT cardinality(gpu_prefix_sum(samples)) FROM runs WHERE id = 1';

# Returns the results of statements.
sub session
{
	return map { s/^resident\|//r } split /\n/,
	  $node->safe_psql('postgres', join('', map { "$_;" } @_));
}

# The same of another process.
sub resident
{
	my ($pid) = @_;
	my ($kb) = slurp_file("/proc/$pid/status") =~ /^RssAnon:\s+(\d+)/m;

	return $kb / 1024;
}

# How many threads it has, its first one among them.
sub threads
{
	my ($pid) = @_;
	my @threads = glob("/proc/$pid/task/*");

	return scalar(@threads);
}

# Starts a session that runs statements, and then is idle until idle_no_more().
# What it had before is looked at after the first of them.
sub idle
{
	my ($first, @sql) = @_;
	my $directory = PostgreSQL::Test::Utils::tempdir();
	my $session = background(
		$node,
		join('',
			map { "$_;\n" } $first,
			"COPY (SELECT pg_backend_pid()) TO '$directory/pid'",
			"COPY ($look) TO '$directory/before'", @sql)
		  . "\\! touch $directory/idle\n"
		  . "\\! while [ ! -e $directory/end ]; do sleep 0.1; done\n"
		  . "SET gpucompact.kept_memory_timeout = 3600; $sum; $look;\n");

	becomes_true(sub { -e "$directory/idle" }) or die 'a session is not idle';
	$session->{directory} = $directory;
	($session->{pid}) = slurp_file("$directory/pid") =~ /(\d+)/;
	($session->{before}) = slurp_file("$directory/before") =~ /(\d+)/;
	return $session;
}

# Has it make a large result again, and returns the session's memory then.
sub idle_no_more
{
	my ($session) = @_;

	append_to_file("$session->{directory}/end", '');
	my @resident = finish_background($session) =~ /^resident\|(\d+)$/mg;
	return $resident[-1];
}

# A session keeps the same with four threads as with two.
my %engines = engines($node);
delete $engines{'cpu_threads = 2'};

foreach my $engine (sort keys %engines)
{
	my $set = $engines{$engine};
	my ($rows, $before, $kept, $again);

	(undef, $before, $rows, $kept, undef, undef, $again) =
	  session($set, $warm, $look, $sum, $look, $sum, $sum, $look);
	is($rows, 10000000, "$engine: the result is whole");
	cmp_ok($kept - $before, '>', 75, "$engine: the session keeps a result's memory");
	cmp_ok($kept - $before, '<', 256 + 8, "$engine: and no more than the setting says");
	cmp_ok($again - $before, '<', 256 + 8, "$engine: the next results add no more");

	foreach my $limit (
		[ 'a larger one is given back', "SET gpucompact.kept_memory = '64MB'" ],
		[ '0 gives all back', 'SET gpucompact.kept_memory = 0' ],
		[ 'so does a limit that is less', "SET gpucompact.kept_memory = '1GB'",
			"SET gpucompact.max_kept_memory = '64MB'" ])
	{
		my ($what, @settings) = @$limit;

		(undef, $before, undef, $kept) = session($set, @settings, $warm, $look, $sum, $look);
		cmp_ok($kept - $before, '<', 8, "$engine: $what");
	}

	# Calls that are broken off leave no more.
	my $broken_off = qq(
		SET statement_timeout = 5;
		SELECT cardinality(gpu_prefix_sum(samples)) FROM runs WHERE id = 1;
		SELECT cardinality(gpu_radix_sort(samples)) FROM runs WHERE id = 1;
		$no_timeout);
	my ($ret, $out) = $node->psql('postgres', "$set; $sum;" . $broken_off x 50 . "$look;",
		on_error_stop => 0);
	($kept) = $out =~ /^resident\|(\d+)$/m;
	cmp_ok($kept - $before, '<', 256 + 8, "$engine: calls that are broken off leave no more");

	# Many results of one query do not add up, and neither does a result that is cut.
	(undef, $before, undef, undef, undef, $again) = session(
		$set, $warm, $look,
		'SELECT count(gpu_prefix_sum(samples)) FROM runs, generate_series(1, 8)',
		'SELECT count(gpu_compact_in(samples, samples)) FROM runs',
		'SELECT max(cardinality(gpu_compact(samples))) FROM runs',
		$look);
	cmp_ok($again - $before, '<', 256 + 8, "$engine: many results keep no more");
}

# An idle session gives it back by itself, and keeps it again after its next
# large result.
foreach my $begin ('SELECT 0', 'BEGIN')
{
	my $session = idle("$warm; SET gpucompact.kept_memory_timeout = 1", $begin, $sum);

	ok(becomes_true(
			sub { resident($session->{pid}) - $session->{before} < 8 }),
		"$begin: it gives the memory back");
	ok(becomes_true(sub { threads($session->{pid}) == 1 }), "$begin: and has no thread any more");
	cmp_ok(idle_no_more($session) - $session->{before},
		'>', 75, "$begin: and keeps that of its next result");
}
foreach my $timeout (0, 3600)
{
	my $session = idle("$warm; SET gpucompact.kept_memory_timeout = $timeout", $sum);

	sleep(2);
	cmp_ok(resident($session->{pid}) - $session->{before},
		'>', 75, "after 2 s, a timeout of $timeout s keeps it");
	idle_no_more($session);
}

# A shorter timeout counts from the next result on.
my $session = idle("$warm; SET gpucompact.kept_memory_timeout = 3600",
	$sum, 'SET gpucompact.kept_memory_timeout = 1', $sum);
ok(becomes_true(sub { resident($session->{pid}) - $session->{before} < 8 }),
	"a shorter timeout counts from the next result on");
idle_no_more($session);

survived($node);
done_testing();
