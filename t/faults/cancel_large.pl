
# However large an array is, and wherever a call is with it: within 100 ms of
# its timeout it is over, and the next call is right; and within 100 ms of being
# told to go, its session has gone.  By default with 2^24 elements and some
# calls; with GPUCOMPACT_TEST_FULL=1 in the environment, with nearly 2^27, and
# all calls, on a machine that has 8 GB of memory for it.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../lib";

use Cancel;
use Calls;
use Gpucompact;

my $full = $ENV{GPUCOMPACT_TEST_FULL};
my $count = $full ? 134217724 : 1 << 24;

my $node = start_with_gpu('cancel_large');
my %small_calls = calls();

# Calls on arrays in which NULLs stand side by side, and how many of them there
# are is all that takes time; they are made by one thread.
my %null_calls = (
	'argsort_of_nulls' => 'gpu_argsort(nothing)',
	'sort_by_null_keys' => 'gpu_sort_by_key(points, nothing)',
	'delta_across_nulls' => 'gpu_delta(ends)',
	'positions_behind_null' => q(gpu_positions(behind, '>', 0)));

# Buckets that mostly cannot have an element, so that writing their zeros takes time.
my %bucket_calls = ('empty_buckets' => 'gpu_histogram(samples, 2147483640, 4000000000, ' . ($full ? 134000000 : 60000000) . ')');

my %calls = (%small_calls, %null_calls, %bucket_calls);

# The next call of the session, on a small array, which has to be right.
my %next = map { $_ => $small_calls{$_} ? $_ : 'argsort' } keys %calls;

my @names =
  $full ? sort keys %calls :
  ('prefix_sum', 'radix_sort', 'sort_by_null_keys', 'delta_across_nulls', 'empty_buckets');

# SQL that fills a column, if a call reads it.
sub if_read
{
	my ($column, $sql) = @_;

	return (grep { $calls{$_} =~ /\b$column\b/ } @names) ? $sql : '';
}

# Each sample is there twice, because the values of all runs and their lengths have to
# fit into one row.  Some samples are NULL, but not the first: all sums leave no room
# for a bitmap.  The differences of the points do not overflow.  (Twice as many elements
# would be too many for one step, and so would be all columns in one row before they are
# stored.)
load_runs($node, 1000);
my $mask = if_read('mask', qq(
		m := ARRAY(SELECT i % 3 = 0 FROM generate_series(1, 1048576) AS i);
		WHILE cardinality(m) < $count / 2 LOOP
			m := m || m;
		END LOOP;
		UPDATE large SET mask = m || m[1:$count - cardinality(m)];));
my $bytes = if_read('bytes', qq(
		WHILE octet_length(b) < 9 * ($count / 5) LOOP
			b := b || b;
		END LOOP;
		UPDATE large SET bytes = b;));
my $behind = if_read('behind', qq(
	UPDATE large SET behind = ARRAY[NULL::integer] || points[2:$count / 32 * 31];));
$node->safe_psql('postgres', qq(
	CREATE UNLOGGED TABLE large (LIKE runs INCLUDING ALL);
	ALTER TABLE large
		ALTER samples SET STORAGE EXTERNAL, ALTER mask SET STORAGE EXTERNAL,
		ALTER points SET STORAGE EXTERNAL, ALTER bytes SET STORAGE EXTERNAL;
	DO \$\$
	DECLARE
		a integer[] := ARRAY(SELECT CASE WHEN i % 100 <> 7 THEN hashint4(i / 2) END
							 FROM generate_series(1, 1048576) AS i);
		p integer[] := ARRAY(SELECT hashint4(i) % 1200000
							 FROM generate_series(1, 1048576) AS i);
		m boolean[];
		b bytea := decode(repeat('61c3a9e282acf09f9880', 400000), 'hex');
	BEGIN
		WHILE cardinality(a) < $count / 2 LOOP
			a := a || a;
			p := p || p;
		END LOOP;
		INSERT INTO large VALUES (1, a || a[1:$count - cardinality(a)]);
		UPDATE large SET points = p || p[1:$count - cardinality(p)];
		$mask
		$bytes
	END \$\$;
	ALTER TABLE large ADD nothing integer[], ADD ends integer[],
		ADD behind integer[];
	ALTER TABLE large
		ALTER nothing SET STORAGE EXTERNAL, ALTER ends SET STORAGE EXTERNAL,
		ALTER behind SET STORAGE EXTERNAL;
	UPDATE large SET nothing = array_fill(NULL::integer, ARRAY[$count]);
	UPDATE large SET ends = ARRAY[1] || nothing[2:$count - 1] || ARRAY[2];
	$behind));

make_terminate($node);

# As many threads as can be set: they must not keep the session's own from
# running.  A GPU has kept the arrays from the call before, or not.
my %engines = (
	engines($node),
	'cpu_threads = 64' =>
	  'SET gpucompact.engine = cpu; SET gpucompact.cpu_threads = 64;');
if (exists $engines{'cuda'})
{
	$engines{'cuda, kept'} = $engines{'cuda'};
	$engines{'cuda'} .= ' SELECT gpu_cache_clear();';
}
my @engines = $full ? sort keys %engines : ('cpu_threads = 2', 'cpu_threads = 64', 'cuda');
foreach my $engine (grep { exists $engines{$_} } @engines)
{
	foreach my $name (@names)
	{
		my $next = $next{$name};

		# One thread does the same as one of 64.
		next if !$full && $engine =~ /64/ && $null_calls{$name};
		ends_at_once(
			$node,
			"$engine, $name",
			{
				set => $engines{$engine},
				call => $calls{$name},
				next => "SELECT $small_calls{$next} IS NOT DISTINCT FROM answers.$next
						 FROM runs JOIN answers USING (id) WHERE id = 1",
				steps => $full ? 16 : 4,
				times => $full ? 3 : 1,
				# A query of the kept memory may take less than 1 ms.
				quick => $engine eq 'cuda, kept'
			});
	}
}

survived($node);
done_testing();
