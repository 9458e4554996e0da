
# What the tests of the GPU process's cache share: servers, functions in SQL, and
# questions to the cache.

package GpuCache;

use Exporter qw(import);
use Gpucompact;

our @EXPORT = qw($cuda $short $source $nothing $clear $no_fault start_cache
  start_faulty_cache make_external make_changing verdict answers counters
  set_cache_size not_loaded);

our $cuda = 'SET gpucompact.engine = cuda;';
our $short = q(SELECT gpu_radix_sort('{2,1}'::integer[]););
our $source = 'SELECT source FROM gpu_last_call();';

# Is the cache empty?
our $nothing = 'SELECT sum(cache_bytes), (SELECT count(*) FROM gpu_cache())
	FROM gpu_processes();';

# Without a line of output.
our $clear = 'DO $$ BEGIN PERFORM gpu_cache_clear(); END $$;';
our $no_fault = q(DO $$ BEGIN PERFORM set_fault('none none'); END $$;);

# The size is written down, so that ALTER SYSTEM knows it.
my @conf = ('gpucompact.gpu_cache_size = -1', 'gpucompact.gpu_idle_timeout = 0');

# 80 kB, which is enough to be cached.
my $many = 20000;

# Functions that all of these tests use.
sub functions
{
	my $crafted = built('crafted.so');

	plan skip_all => 'make t/crafted.so has not been run' unless -e $crafted;
	return qq(
		CREATE FUNCTION set_next_oid(next oid) RETURNS void
		AS '$crafted' LANGUAGE C STRICT;

		-- Elements that are not the same for two seeds.
		CREATE FUNCTION numbers(seed integer, n integer DEFAULT $many)
		RETURNS integer[] LANGUAGE sql AS \$\$
			SELECT array_agg(hashint4(i + seed * 1000003) % 1000 ORDER BY i)
			FROM generate_series(1, n) AS i \$\$;

		-- Where the first chunks of a table's values are, and which values these are.
		CREATE FUNCTION places(relation regclass)
		RETURNS TABLE (value oid, place tid, writer xid) LANGUAGE plpgsql AS \$\$
		BEGIN
			RETURN QUERY EXECUTE (
				SELECT format('SELECT chunk_id, ctid, xmin FROM %s
							   WHERE chunk_seq = 0', reltoastrelid::regclass)
				FROM pg_class WHERE oid = relation);
		END \$\$;

		-- What a call comes to on the first use of a relation's values, and on the
		-- second: is it as the CPU has it, how often does the cache serve, and is
		-- the first input one of those?
		CREATE FUNCTION twice(call text, relation regclass) RETURNS text
		LANGUAGE plpgsql AS \$\$
		DECLARE
			verdict text := '';
			is_right boolean;
			hits bigint;
		BEGIN
			PERFORM gpu_cache_clear();
			SET LOCAL gpucompact.engine = cpu;
			EXECUTE format('CREATE TEMPORARY TABLE expected AS
							SELECT %s AS answer FROM %s', call, relation);
			SET LOCAL gpucompact.engine = cuda;
			FOR i IN 1 .. 2 LOOP
				SELECT sum(cache_hits) INTO hits FROM gpu_processes();
				EXECUTE format('SELECT %s IS NOT DISTINCT FROM answer
								FROM %s, expected', call, relation) INTO is_right;
				verdict := verdict || (CASE WHEN is_right THEN 'right' ELSE 'wrong' END)
					|| ' ' || (SELECT sum(cache_hits) FROM gpu_processes()) - hits
					|| (SELECT CASE source WHEN 'cache' THEN ' cache, '
										   ELSE ', ' END FROM gpu_last_call());
			END LOOP;
			DROP TABLE expected;
			RETURN verdict;
		END \$\$;);
}

# A server whose GPU, or the CPU in its place, serves and caches.
sub start_cache
{
	my ($name, @more) = @_;
	my $node = start_with_gpu($name, 'gpucompact.device = 0', @conf, @more);

	if ($node->safe_psql('postgres',
			'SELECT count(*) FROM gpu_devices() WHERE index IS NOT NULL') == 0)
	{
		$node->stop;
		plan skip_all => 'there is no GPU, nor a program that stands in for it';
	}
	$node->safe_psql('postgres', functions() . $cuda . $short);
	gpu_pid($node);
	return $node;
}

# A server with the CPU in the place of a GPU, for faults, and with a value in the
# table "changing".  The test is done if that program has not been built.
sub start_faulty_cache
{
	my ($name) = @_;

	if (!-e built('engine/gpu_on_cpu'))
	{
		note('make t/engine/gpu_on_cpu has not been run: no faults');
		done_testing();
		exit;
	}
	my $node = start_faulty($name, 'gpu_on_cpu', @small_lanes, @conf);

	$node->safe_psql('postgres', functions());
	make_changing($node);
	$node->safe_psql('postgres', 'INSERT INTO changing VALUES (1, numbers(1))');
	return $node;
}

# A table of values that change.
sub make_changing
{
	my ($node) = @_;

	$node->safe_psql('postgres', q(
		CREATE TABLE changing (id integer PRIMARY KEY, a integer[]);
		ALTER TABLE changing ALTER a SET STORAGE EXTERNAL;));
	return;
}

# A table with a row of long values of several types, in the order of columns: what
# other tables copy.  Returns its columns.
sub make_external
{
	my ($node) = @_;
	my $columns = 'samples integer[], points integer[], mask boolean[],
		keys real[], bytes bytea, letters text';
	my @columns = $columns =~ /(\w+) \w/g;
	my $n = 66000;				# as many booleans are enough, too

	$node->safe_psql('postgres', qq(
		CREATE TABLE external ($columns);
		@{[ map { "ALTER TABLE external ALTER $_ SET STORAGE EXTERNAL;" } @columns ]}
		INSERT INTO external
		SELECT array_agg(hashint4(i / 8) & 4095), array_agg(hashint4(-i / 8) & 65535),
			   array_agg(hashint4(i) % 3 = 0),
			   array_agg((hashint4(i / 4) & 1023)::real),
			   string_agg('\\x61c3a9e282acf09f9880ff'
						  || decode(md5((i / 2)::text), 'hex'), '')
				   FILTER (WHERE i < 5000),
			   string_agg(U&'a\\00e9\\20ac\\+01f600' || md5((i / 2)::text), '')
				   FILTER (WHERE i < 5000)
		FROM generate_series(1, $n) AS i;));
	return @columns;
}

# A query whether the array "a" of each row of a table is what core says it is.
sub verdict
{
	my ($table) = @_;

	return "SELECT bool_and(gpu_compact(a) =
		ARRAY(SELECT x FROM unnest(a) AS x WHERE x <> 0)) FROM $table;";
}

# What some SQL says, but for what is void.
sub answers
{
	my ($node, $sql) = @_;

	return $node->safe_psql('postgres', $sql) =~ s/^\n//mgr;
}

# The counters of the cache of all GPUs.
sub counters
{
	my ($node, $columns) = @_;
	my $sums = join(', ', map { "sum($_)" } split(/, /, $columns));

	return $node->safe_psql('postgres', "SELECT $sums FROM gpu_processes()");
}

# Changes the setting in a server that runs, and waits until its process has
# heard of it.  It is in MB.
sub set_cache_size
{
	my ($node, $size) = @_;

	$node->safe_psql('postgres', "ALTER SYSTEM SET gpucompact.gpu_cache_size = '$size'");
	$node->reload;
	$node->poll_query_until('postgres', "
		SELECT bool_and(cache_limit = ${size}::bigint << 20)
		FROM gpu_processes() WHERE state = 'serving'")
	  or die 'the setting does not arrive';
	return;
}

# What gpu_cache_load() does not load, and why.
sub not_loaded
{
	my ($node, $why_not, $query, $what) = @_;
	my ($rc, $out, $err) = $node->psql('postgres', $query);

	$err =~ s/^psql:\S+ //mg;
	$err =~ s/^WARNING:  using index .* despite IgnoreSystemIndexes\n//mg;
	is($out . $err,
		"NOTICE:  the value is not cached by a GPU: $why_not", "gpu_cache_load(), $what");
	return;
}

1;
