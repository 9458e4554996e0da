
# gpu_slice reads only the chunks of its result: all other chunks of a stored array
# may be missing.

use lib 't/lib';

use Gpucompact;

my $node = start_server('slices', 'allow_system_table_mods = on');

$node->safe_psql('postgres', q(
	CREATE TABLE arrays (a integer[]);
	ALTER TABLE arrays ALTER a SET STORAGE EXTERNAL;

	-- Leaves of the stored array these chunks.
	CREATE FUNCTION leave(chunks integer[]) RETURNS void LANGUAGE plpgsql AS $$
	DECLARE
		toast regclass := (SELECT reltoastrelid FROM pg_class
						   WHERE oid = 'arrays'::regclass);
	BEGIN
		UPDATE pg_class SET relkind = 'r' WHERE oid = toast;
		EXECUTE format('DELETE FROM %s WHERE chunk_seq <> ALL ($1)', toast)
		USING chunks;
		UPDATE pg_class SET relkind = 't' WHERE oid = toast;
	END $$;));

# A slice, and the SQLSTATE of another one, if an array of 100,000 elements has only
# these chunks.
sub slices_of
{
	my ($array, $chunks, $slice, $other) = @_;

	$node->safe_psql('postgres', qq(
		TRUNCATE arrays;
		INSERT INTO arrays SELECT array_agg($array ORDER BY i)
		FROM generate_series(1, 100000) AS i));
	$node->safe_psql('postgres', $_) foreach "SELECT leave('{$chunks}')", 'VACUUM arrays';

	my $query = "WITH s AS MATERIALIZED (SELECT gpu_slice(a, %s) AS s FROM arrays)
		SELECT cardinality(s), s[1], s[cardinality(s)] FROM s;";
	my ($status, $out, $err) = $node->psql('postgres',
		"\\set VERBOSITY sqlstate\n" . sprintf($query, $slice) .
		sprintf($query, $other), on_error_stop => 0);

	return $out . '|' . ($err =~ /ERROR:  (\w+)/)[0];
}

# A chunk has 1996 bytes, and the header 20 of the first one.  So the elements
# from 495 on are in the second chunk, and those from 994 on in the third.
is(slices_of('i', '0', '1, 494', '1, 495'), '494|1|494|XX001', 'a slice in the first chunk');
is(slices_of('i', '0,1', '495, 993', '495, 994'), '499|495|993|XX001',
	'a slice that is the second chunk');
is(slices_of('i', '0,99,100', '49500, 50000', '49000, 50000'),
	'501|49500|50000|XX001', 'a slice on two chunks');
is(slices_of('i', '0,200', '99900, 200000', '99000, 200000'),
	'101|99900|100000|XX001', 'a slice of the last chunk');
is(slices_of('i', '0', '100001, 200000', '100000, 200000'), '0|||XX001', 'a slice behind the end');

# The bitmap has 12,500 bytes, so that it ends in the seventh chunk.  One element
# in ten is a value.
my $nulls = 'CASE WHEN i % 10 = 0 THEN i END';
is(slices_of($nulls, '0,6', '10, 100', '80000, 80010'), '91|10|100|XX001',
	'a slice of an array with NULLs, whose values begin in the seventh chunk');
is(slices_of($nulls, '0,1,2,3,4,16', '50000, 50010', '60000, 60010'),
	'11|50000|50010|XX001', 'a slice behind NULLs');
is(slices_of($nulls, '0', '1, 9', '1, 10'), '9|||XX001', 'a slice of NULLs');

survived($node);
$node->stop;
done_testing();
