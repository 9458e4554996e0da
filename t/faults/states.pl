
# States of aggregates that are damaged: what takes one says so, or answers right, and no
# process dies.  Every byte of small states is changed, and each is cut anywhere; and
# headers are forged, with right checksums.  (t/crafted.c damages them.)
#
# With GPUCOMPACT_TEST_FULL=1 in the environment, every bit is changed.

use lib 't/lib';

use Gpucompact;

plan skip_all => 'make t/crafted.so has not been run' unless -e built('crafted.so');
my $crafted = built('crafted.so');
my @bits = $ENV{GPUCOMPACT_TEST_FULL} ? map { 1 << $_ } 0 .. 7 : (1, 128);
my $node = start_server('states', 'restart_after_crash = on');

# What takes each state: aggregates, and the input of text and of bytes.
my %calls = (
	'values' => [
		'gpu_median_agg(s)', q(gpu_percentile_cont_agg(s, '{0.1,0.9}'::float8[])),
		'gpu_count_distinct(s)', 'gpu_array_agg(s, NULL::integer[])', 'gpu_values_state(s)'
	],
	'nulls' => [ 'gpu_pack_agg(s)', 'gpu_array_agg(s, NULL::timestamptz[])', 'gpu_distinct_state(s)' ],
	'different' => ['gpu_count_distinct(s)'],
	'avg' => [ 'gpu_avg_agg(s)', 'gpu_avg_state(s)' ],
	'stddev' => ['gpu_stddev_agg(s)'],
	'floats' => [ 'gpu_stddev_agg(s)', 'gpu_stddev_state(s)' ]);
my @inputs = ('received(gpucompact_state_send($1), NULL::gpu_state)', '$1::text::gpu_state');

$node->safe_psql('postgres', crafted('changed', 'cut', 'received') . qq(
	CREATE FUNCTION passed(value bytea) RETURNS gpu_state AS '$crafted', 'passed_off' LANGUAGE C STRICT;) . q(

	-- What comes of a call on what "damage" makes of a state, s, and of numbers, n.
	CREATE FUNCTION outcomes(call text, s gpu_state, damage text, numbers integer[])
	RETURNS text LANGUAGE plpgsql AS $$
	DECLARE
		query text := 'SELECT (' || call || ')::text FROM (VALUES (' || damage || '), ($3)) AS v (s)';
		expected text;
		answer text;
		number integer;
		seen text[] := '{}';
	BEGIN
		EXECUTE query INTO expected USING s, -1, s;
		FOREACH number IN ARRAY numbers LOOP
			BEGIN
				EXECUTE query INTO answer USING s, number, s;
				answer := CASE WHEN answer IS NOT DISTINCT FROM expected THEN 'right' ELSE 'wrong' END;
			EXCEPTION WHEN OTHERS THEN
				answer := SQLSTATE;
			END;
			IF answer <> ALL (seen) THEN
				seen := seen || answer;
			END IF;
		END LOOP;
		RETURN array_to_string(seen, ' ');
	END $$;

	CREATE TABLE small AS
	SELECT gpu_values_state(hashint4(i) % 100) AS "values",
		   gpu_values_state(CASE WHEN i % 3 > 0 THEN timestamptz '2026-01-01' + i * interval '1 hour' END) AS nulls,
		   gpu_distinct_state(hashint4(i) % 20) AS different, gpu_avg_state(ARRAY[i, NULL]::bigint[]) AS avg,
		   gpu_stddev_state(ARRAY[i, 7, CASE WHEN i % 3 > 0 THEN i END]) AS stddev,
		   gpu_stddev_state(ARRAY[i / 3.0, NULL]::float8[]) AS floats
	FROM generate_series(1, 50) AS i;));

# Tests that nothing else than "allowed" comes of calls on a state that is damaged by each of
# some numbers, and that each call refuses some: a list of calls and damages.
sub test_outcomes
{
	my ($state, $numbers, $allowed, @tried) = @_;
	my ($status, $out, $err) = $node->psql('postgres', join('', map {
				"SELECT outcomes(\$call\$$_->[0]\$call\$, $state, \$d\$$_->[1]\$d\$, ARRAY($numbers)) FROM small;\n"
			} @tried), on_error_stop => 0);
	my @outcomes = split(/\n/, $out);

	foreach (0 .. $#tried)
	{
		my ($call, $damage) = @{ $tried[$_] };
		my $outcome = $outcomes[$_] // $err;

		is(join(' ', grep { !/^(?:$allowed)$/ } split(/ /, $outcome)), '',
			"$state: $call: " . substr($damage, 0, 120) . ": $outcome");
		like($outcome, qr/XX001/, 'and something does');
	}
	$node->poll_query_until('postgres', 'SELECT true') if $status;
	return;
}

# Every byte changed, and the state cut anywhere.
foreach my $state (sort keys %calls)
{
	my @tried;

	foreach my $call (@{ $calls{$state} })
	{
		foreach my $damage ((map { "changed(\$1, \$2, $_)" } @bits), 'cut($1, $2)')
		{
			push @tried, map { [ $call, s/\$1/CASE WHEN \$2 < 0 THEN \$1 ELSE $damage END/r ] } '$1', @inputs;
		}
	}
	test_outcomes($state, "SELECT generate_series(4, length(gpucompact_state_send($state)) + 3) FROM small",
		'XX001', @tried);
}

# CRC32C of bytes.
sub checksum
{
	my ($bytes) = @_;
	my $sum = 0xffffffff;

	foreach my $byte (unpack('C*', $bytes))
	{
		$sum ^= $byte;
		$sum = $sum & 1 ? $sum >> 1 ^ 0x82f63b78 : $sum >> 1 foreach 1 .. 8;
	}
	return $sum ^ 0xffffffff;
}

# Headers that say something else: where, and what is there instead.  Another kind, type or
# count may be read, or is of no sense to an aggregate.
my @forged = (
	(map { [ 4, pack('L<', $_) ] } 0 .. 5, 256), [ 0, 'X' ], [ 3, pack('C', 2) ],
	(map { [ 16, pack('L<', $_) ] } 0, 16, 21, 23, 25, 701, 1082, 0xffffffff),
	(map { [ 20, pack('L<2', @$_) ] } [ 0, 0 ], [ 8, 0 ], [ 32, 0 ], [ 0, 64 ], [ 0xffffffff, 0xffffffff ]),
	(map { [ 8, pack('q<', $_) ] } 0, 1, -1, 1 << 53, (1 << 53) + 1, -1 << 63));

foreach my $state (sort keys %calls)
{
	my $bytes = pack('H*', $node->safe_psql('postgres', "SELECT encode(gpucompact_state_send($state), 'hex') FROM small"));
	my @values = map {
		my $header = substr($bytes, 0, 28);

		substr($header, $_->[0], length($_->[1])) = $_->[1];
		"'\\x" . unpack('H*', $header . pack('L<', checksum($header)) . substr($bytes, 32)) . "'::bytea"
	} @forged;
	my ($newer) = grep { $forged[$_][0] == 3 } 0 .. $#forged;
	like(fails_with($node, 'XX001', "SELECT $calls{$state}[0] FROM (SELECT passed($values[$newer]) AS s) AS v",
			"$state: another version"),
		qr/ aggregate state is of version 2, which is not known here
HINT:  A newer version of gpucompact may be able to read it\.$/m, 'and it is said');
	my $made = 'CASE WHEN $2 < 0 THEN $1 ELSE passed((ARRAY[' . join(', ', @values) . '])[$2]) END';
	my $numbers = 'SELECT generate_series(1, ' . @values . ')';

	test_outcomes($state, $numbers, 'XX001|right|wrong|22023|42804|22003|2201F',
		map { [ $_, $made ] } @{ $calls{$state} });
}

survived($node);

done_testing();
