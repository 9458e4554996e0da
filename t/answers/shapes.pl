
# Lower bounds and dimensions: a result has those of its argument where the
# number of elements stays, and is counted from 1 where it may change; on
# every engine and form.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../lib";

use Arrays;
use Gpucompact;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $seed = 0.17;
my $node = start_server('shapes');

# Arrays of one dimension by length, and of more by the length of each.  The
# longest ones are read in slices, and their bitmap of NULLs does not fit into
# the first; as they take long, there are few of them.
$node->safe_psql(
	'postgres', expanding_functions() . qq(
	SELECT setseed($seed);

	CREATE FUNCTION element(nulls double precision) RETURNS integer
	LANGUAGE sql VOLATILE AS
	'SELECT CASE WHEN random() >= nulls THEN (random() * 20)::integer - 10 END';

	CREATE TABLE flat AS
	SELECT n, nulls, ARRAY(SELECT element(nulls)
						   FROM generate_series(1, n) AS i) AS a
	FROM unnest('{1,7,8,9,33,257,4097}'::integer[]) AS n,
		 unnest('{0,0.2,1}'::double precision[]) AS nulls
	UNION ALL
	SELECT 255400, nulls, ARRAY(SELECT element(nulls)
								FROM generate_series(1, 255400) AS i)
	FROM (VALUES (0.2)) AS v (nulls);

	CREATE TABLE shaped (id serial, ndim integer, nulls double precision,
						 a integer[]);

	-- in the array's text form, its bounds come first
	INSERT INTO shaped (ndim, nulls, a)
	SELECT 1, nulls, format('[%s:%s]=%s', first, first + n - 1, a)::integer[]
	FROM flat, unnest('{-5,0,2,2147000000}'::integer[]) AS first
	WHERE n < 10000 OR first = -5;

	INSERT INTO shaped (ndim, nulls, a)
	SELECT 2, nulls,
		   (SELECT array_agg(ARRAY(SELECT element(nulls)
								   FROM generate_series(row, row + columns - 1)))
			FROM generate_series(1, rows) AS row)
	FROM (VALUES (1, 1), (1, 9), (9, 1), (3, 11), (16, 16), (100, 81),
				 (400, 650)) AS v (rows, columns),
		 unnest('{0,0.2,1}'::double precision[]) AS nulls
	WHERE rows < 400 OR nulls = 0.2;
	INSERT INTO shaped (ndim, nulls, a)
	SELECT 2, nulls, format('[%s:%s][-3:%s]=%s', 0, array_length(a, 1) - 1,
							array_length(a, 2) - 4, a)::integer[]
	FROM shaped WHERE ndim = 2 AND cardinality(a) < 10000;
	INSERT INTO shaped (ndim, nulls, a)
	SELECT 3, nulls, ARRAY(SELECT a FROM generate_series(1, 3))
	FROM shaped
	WHERE ndim = 2 AND cardinality(a) < 10000 AND array_lower(a, 2) = 1;
	INSERT INTO shaped (ndim, nulls, a)
	SELECT 6, 0, array_fill(7, ARRAY[2,3,4,5,6,7], ARRAY[1,0,-1,-2,3,4]);

	CREATE TABLE stored_external (LIKE shaped);
	ALTER TABLE stored_external ALTER a SET STORAGE EXTERNAL;
	INSERT INTO stored_external SELECT * FROM shaped;

	-- What plain SQL answers, which is the same for each engine and form.
	CREATE TABLE plain (id integer PRIMARY KEY, sums bigint[],
						exclusive_sums bigint[], exclusive_max integer[],
						deltas integer[], ascending text, descending text,
						sorted_positions text, positions integer[],
						compacted integer[]);
	ALTER TABLE plain
		ALTER sums SET STORAGE EXTERNAL,
		ALTER exclusive_sums SET STORAGE EXTERNAL,
		ALTER exclusive_max SET STORAGE EXTERNAL,
		ALTER deltas SET STORAGE EXTERNAL, ALTER ascending SET STORAGE EXTERNAL,
		ALTER descending SET STORAGE EXTERNAL,
		ALTER sorted_positions SET STORAGE EXTERNAL,
		ALTER positions SET STORAGE EXTERNAL,
		ALTER compacted SET STORAGE EXTERNAL;
	INSERT INTO plain (id, sums, exclusive_sums, exclusive_max, deltas)
	SELECT id,
		   ARRAY(SELECT sum(x) OVER (ORDER BY i)
				 FROM unnest(a) WITH ORDINALITY AS u (x, i) ORDER BY i),
		   ARRAY(SELECT coalesce(sum(x) OVER (ORDER BY i ROWS BETWEEN
											  UNBOUNDED PRECEDING AND
											  1 PRECEDING), 0)
				 FROM unnest(a) WITH ORDINALITY AS u (x, i) ORDER BY i),
		   ARRAY(SELECT max(x) OVER (ORDER BY i ROWS BETWEEN UNBOUNDED
									 PRECEDING AND 1 PRECEDING)
				 FROM unnest(a) WITH ORDINALITY AS u (x, i) ORDER BY i),
		   ARRAY(SELECT CASE i WHEN 1 THEN x
							   ELSE x - lag(x) OVER (ORDER BY i) END
				 FROM unnest(a) WITH ORDINALITY AS u (x, i) ORDER BY i)
	FROM shaped;
	UPDATE plain
	SET ascending = format('[%s:%s]=%s', array_lower(a, 1), array_upper(a, 1),
						   ARRAY(SELECT x FROM unnest(a) AS x ORDER BY x)),
		descending = format('[%s:%s]=%s', array_lower(a, 1), array_upper(a, 1),
							ARRAY(SELECT x FROM unnest(a) AS x ORDER BY x DESC)),
		sorted_positions =
		format('[%s:%s]=%s', array_lower(a, 1), array_upper(a, 1),
			   ARRAY(SELECT i FROM unnest(a) WITH ORDINALITY AS u (x, i)
					 ORDER BY x, i)),
		positions = ARRAY(SELECT i FROM unnest(a) WITH ORDINALITY AS u (x, i)
						  WHERE x > 0 ORDER BY i)::integer[],
		compacted = ARRAY(SELECT x FROM unnest(a) WITH ORDINALITY AS u (x, i)
						  WHERE x <> 0 ORDER BY i)
	FROM shaped
	WHERE shaped.id = plain.id AND ndim = 1;));

# The queries return what is wrong, where "arrays" has the answers beside them.
my %wrong = (
	'sums have the dimensions of the array' => q(
		SELECT array_dims(a), nulls FROM arrays
		WHERE array_dims(gpu_prefix_sum(a)) IS DISTINCT FROM array_dims(a) OR
			  array_dims(gpu_prefix_sum(a, true)) IS DISTINCT FROM array_dims(a)),
	'sums go row by row' => q(
		SELECT array_dims(a), nulls FROM arrays
		WHERE ARRAY(SELECT unnest(gpu_prefix_sum(a))) IS DISTINCT FROM sums),
	'exclusive sums go row by row' => q(
		SELECT array_dims(a), nulls FROM arrays
		WHERE ARRAY(SELECT unnest(gpu_prefix_sum(a, true))) IS DISTINCT FROM
			  exclusive_sums),

	'scans and differences have the dimensions of the array' => q(
		SELECT array_dims(a), nulls FROM arrays
		WHERE array_dims(gpu_scan(a, 'max')) IS DISTINCT FROM array_dims(a) OR
			  array_dims(gpu_scan(a, 'min', true)) IS DISTINCT FROM array_dims(a) OR
			  array_dims(gpu_delta(a)) IS DISTINCT FROM array_dims(a)),
	'scans without a start go row by row' => q(
		SELECT array_dims(a), nulls FROM arrays
		WHERE ARRAY(SELECT unnest(gpu_scan(a, 'max', true))) IS DISTINCT FROM
			  exclusive_max),
	'differences go row by row' => q(
		SELECT array_dims(a), nulls FROM arrays
		WHERE ARRAY(SELECT unnest(gpu_delta(a))) IS DISTINCT FROM deltas),

	# With NULLs, the header is followed by a bitmap.
	'sums are as large as they should be' => q(
		SELECT array_dims(a), nulls
		FROM arrays,
			 LATERAL (SELECT count(*) AS elements, count(x) AS values
					  FROM unnest(gpu_prefix_sum(a)) AS x) AS counts
		WHERE pg_column_size(gpu_prefix_sum(a)) <>
			  8 * values + 8 * ceil((16 + 8 * ndim +
									 CASE WHEN elements > values
									 THEN ceil(elements / 8.0) ELSE 0 END) / 8)),
	'sorted arrays have the lower bound of the array' => q(
		SELECT array_dims(a), nulls FROM arrays
		WHERE ndim = 1 AND
			  gpu_radix_sort(a)::text IS DISTINCT FROM ascending),
	'descending ones too' => q(
		SELECT array_dims(a), nulls FROM arrays
		WHERE ndim = 1 AND
			  gpu_radix_sort(a, true)::text IS DISTINCT FROM descending),
	'sorted positions too' => q(
		SELECT array_dims(a), nulls FROM arrays
		WHERE ndim = 1 AND
			  gpu_argsort(a)::text IS DISTINCT FROM sorted_positions),
	'runs and positions are counted from 1' => q(
		SELECT array_dims(a), nulls FROM arrays, gpu_run_lengths(a) AS r
		WHERE ndim = 1 AND
			  (array_lower(r.values, 1) <> 1 OR array_lower(r.lengths, 1) <> 1 OR
			   gpu_positions(a, '>', 0) IS DISTINCT FROM positions)),
	'compacted arrays are counted from 1' => q(
		SELECT array_dims(a), nulls FROM arrays
		WHERE ndim = 1 AND gpu_compact(a) IS DISTINCT FROM compacted));

my %forms = (
	'compressed' => 'SELECT * FROM shaped',
	'external' => 'SELECT * FROM stored_external',
	'taken apart' =>
	  'SELECT id, ndim, nulls, taken_apart(a) AS a FROM stored_external OFFSET 0'
);

my %engines = engines($node);
foreach my $engine (sort keys %engines)
{
	foreach my $form (sort keys %forms)
	{
		my $sql = $engines{$engine};

		$sql .= "\\echo $_\nWITH arrays AS NOT MATERIALIZED (
			SELECT * FROM ($forms{$form}) AS form LEFT JOIN plain USING (id))"
		  . "$wrong{$_} ORDER BY id LIMIT 5;\n"
		  foreach sort keys %wrong;
		is($node->safe_psql('postgres', $sql),
			join("\n", sort keys %wrong),
			"$engine, $form: shapes (seed $seed)");
	}
}

survived($node);

done_testing();
