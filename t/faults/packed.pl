
# Packed arrays that are damaged: a call on one is an error, or its right answer,
# and no process dies.  Every byte of small values of each scheme is changed, each
# is cut anywhere, and bytes at random of large ones.  (t/crafted.c damages them.)
#
# With GPUCOMPACT_TEST_FULL=1 in the environment, more bytes are changed.

use lib 't/lib';

use Gpucompact;

plan skip_all => 'make t/crafted.so has not been run' unless -e built('crafted.so');
my $crafted = built('crafted.so');
my $full = $ENV{GPUCOMPACT_TEST_FULL};
my $seed = $ENV{GPUCOMPACT_TEST_SEED} // time % 1000000;
my @bits = $full ? (1, 2, 16, 64, 128, 255) : (1, 128);
my $changes = $full ? 2000 : 50;

my $node = start_server('packed_faults', 'restart_after_crash = on');
$node->safe_psql('postgres', crafted('changed', 'cut', 'overwritten', 'received') . q(

	-- How often a call comes to what: "right", "wrong" or an SQLSTATE.  The call
	-- is of $1, in whose place is what "damage" makes of it and of each number, $2.
	CREATE FUNCTION outcomes(call text, p gpu_packed, damage text, numbers integer[])
	RETURNS TABLE (outcome text, times bigint) LANGUAGE plpgsql AS $$
	DECLARE
		query text := 'SELECT (' || replace(call, '$1', damage) || ')::text';
		expected text;
		answer text;
		number integer;
		counts jsonb := '{}';
	BEGIN
		EXECUTE 'SELECT (' || call || ')::text' INTO expected USING p;
		FOREACH number IN ARRAY numbers LOOP
			BEGIN
				EXECUTE query INTO answer USING p, number;
				answer := CASE WHEN answer IS NOT DISTINCT FROM expected
							   THEN 'right' ELSE 'wrong' END;
			EXCEPTION WHEN OTHERS THEN
				answer := SQLSTATE;
			END;
			counts := counts || jsonb_build_object(answer, coalesce((counts->>answer)::integer, 0) + 1);
		END LOOP;
		RETURN QUERY SELECT key, value::bigint FROM jsonb_each_text(counts) AS c (key, value);
	END $$;

	CREATE TABLE small (scheme text, p gpu_packed);
	INSERT INTO small
	SELECT scheme, gpu_pack(array_agg(
			CASE scheme WHEN 'constant' THEN 7
						WHEN 'frame' THEN hashint4(i) % 10
						WHEN 'delta' THEN i * 1000000007::bigint + hashint4(i) % 3
						WHEN 'dictionary' THEN (ARRAY[3, 7000000000, -5000000000000])[1 + abs(hashint4(i)) % 3]
						WHEN 'runs' THEN i / 40 * 1234567890123
						WHEN 'raw' THEN hashint8(i) * 4294967296 + hashint4(i) END ORDER BY i)::bigint[])
	FROM generate_series(1, 90) AS i,
		 unnest('{constant,frame,delta,dictionary,runs,raw}'::text[]) AS scheme
	GROUP BY scheme;
	INSERT INTO small
	SELECT 'decimals', gpu_pack(array_agg(hashint4(i) % 1000 / 100.0 ORDER BY i)::float8[])
	FROM generate_series(1, 50) AS i;
	INSERT INTO small
	SELECT 'NULLs', gpu_pack(array_agg(CASE WHEN i % 3 > 0 THEN i END ORDER BY i))
	FROM generate_series(1, 100) AS i;
	INSERT INTO small VALUES ('bounds', 'boolean:[5:7]={t,f,t}'), ('no element', 'date:{}'),
		('NULLs alone', 'real:{NULL,NULL}');));

# Calls on $1, of the type of elements that %s is.
my @calls = (
	'$1', 'gpu_unpack($1, NULL::%s[])', '$1::%s[]',
	'gpu_slice($1, 3, 8, NULL::%s[])',
	q(gpu_compact(gpu_unpack($1, NULL::%s[]), 'is null')),
	'gpu_radix_sort($1::%s[])', q(gpu_reduce($1::%s[], 'max')),
	'gpu_packed_info($1)', '$1 = $1', 'gpucompact_packed_hash($1)',
	'received(gpucompact_packed_send($1), NULL::gpu_packed)');

# The tries, many in each session: a new session takes longer than a try.
my @tries;

# Has a call tried on damaged values: it has to answer right, or with one of the
# SQLSTATEs.
#
#	from		the row that has the value
#	damage		an expression for the damaged one, as above
#	numbers		a query for the numbers in it
#
# Ends with finish_tries, which tests what came of it.
sub try_call
{
	my ($call, $name, %try) = @_;
	my $number = @tries;

	push @tries, {
		name => "$name: $call",
		allowed => 'XX001|right' . ($call =~ /^received/ ? '|22P03' : ''),
		sql => qq(
		SELECT $number, outcome, times
		FROM (SELECT p, ARRAY($try{numbers}) AS numbers FROM $try{from}) AS d,
			 outcomes(\$call\$$call\$call\$, p, \$damage\$$try{damage}\$damage\$, numbers);)
	};
	return;
}

sub finish_tries
{
	my ($status, $out, $err) = $node->psql('postgres', join('', map { $_->{'sql'} } @tries));

	foreach my $number (0 .. $#tries)
	{
		my ($name, $allowed, $sql) = @{ $tries[$number] }{ 'name', 'allowed', 'sql' };

		# Which one the session ended at shows if each has one of its own.
		if ($status != 0)
		{
			$node->poll_query_until('postgres', 'SELECT true');
			(my $alone, $out, $err) = $node->psql('postgres', $sql);
			if ($alone != 0)
			{
				is($err, '', $name);
				next;
			}
		}
		my @outcomes = $out =~ /^$number\|(.*)$/mg;

		is(@outcomes ?
			  join(' ', grep { !/^(?:$allowed)\|/ } @outcomes) : 'no outcome',
			'', "$name, " . join(', ', @outcomes));
	}
	@tries = ();
	return;
}

my %schemes = $node->safe_psql('postgres',
	'SELECT scheme, element_type FROM small, gpu_packed_info(p)') =~ /^(.*)\|(.*)$/mg;
my $bytes = 'SELECT generate_series(4, length(gpucompact_packed_send(p)) + 3)';

foreach my $scheme (sort keys %schemes)
{
	foreach my $call (map { s/%s/$schemes{$scheme}/gr } @calls)
	{
		try_call($call, "$scheme, bits $_ of every byte",
			from => "small WHERE scheme = '$scheme'",
			damage => "changed(\$1, \$2, $_)",
			numbers => $bytes) foreach @bits;
		try_call($call, "$scheme, cut anywhere",
			from => "small WHERE scheme = '$scheme'",
			damage => 'cut($1, $2)',
			numbers => $bytes);
	}
	finish_tries();
}

# Large ones, which are stored, unpacked by one thread and by several.
$node->safe_psql('postgres', qq(
	CREATE TABLE large (id integer, p gpu_packed);
	INSERT INTO large
	SELECT 1, gpu_pack(array_agg(hashint4(i) % 1000 ORDER BY i))
	FROM generate_series(1, 300000) AS i
	UNION ALL
	SELECT 2, gpu_pack(array_agg(CASE WHEN hashint4(i) % 5 <> 0 THEN hashint4(i) END ORDER BY i))
	FROM generate_series(1, 200000) AS i;
	SELECT setseed($seed / 1000000.0);
	CREATE TABLE damaged (number serial, id integer, p gpu_packed);
	INSERT INTO damaged (id, p)
	SELECT id, changed(p, 4 + (random() * (length(gpucompact_packed_send(p)) - 1))::integer,
					   1 << (random() * 7)::integer)
	FROM large, generate_series(1, $changes);
	INSERT INTO damaged (id, p)
	SELECT id, changed(p, 4 + (random() * 12000)::integer, 1 << (random() * 7)::integer)
	FROM large, generate_series(1, $changes);
	INSERT INTO damaged (id, p)
	SELECT id, cut(p, 4 + (random() * (length(gpucompact_packed_send(p)) - 1))::integer)
	FROM large, generate_series(1, $changes);
	ALTER TABLE damaged ADD PRIMARY KEY (number);));
foreach my $threads (1, 3)
{
	$node->safe_psql('postgres', "ALTER DATABASE postgres SET gpucompact.cpu_threads = $threads");
	foreach my $id (1, 2)
	{
		foreach my $call (
			'md5($1::integer[]::text)', q(gpu_reduce($1::integer[], 'max')),
			'gpu_stats(gpu_unpack($1, NULL::integer[]))',
			q(gpu_reduce(gpu_compact(gpu_map($1::integer[], 'greatest', 5), '>', 7), 'min')),
			'md5(gpu_radix_sort($1::integer[])::text)',
			'gpu_slice($1, 100000, 100010, NULL::integer[])',
			'gpucompact_packed_hash($1)')
		{
			try_call($call, "large $id, $threads threads, seed $seed",
				from => "large WHERE id = $id",
				damage => '(SELECT p FROM damaged WHERE number = $2)',
				numbers => "SELECT number FROM damaged WHERE id = $id");
		}
	}
	finish_tries();
}

# Bits that are no element of the type, also far behind others that are.
my %bits = (
	'date' => [ 1082, 'integer', 0, -2451546, 2145031949, 2147483646 ],
	'time' => [ 1083, 'bigint', 0, -1, 86400000001 ],
	'timestamp' => [ 1114, 'bigint', 0, -211813488000000001, 9223371331200000000 ],
	'timestamptz' => [ 1184, 'bigint', 0, -211813488000000001, 9223371331200000000 ]);
foreach my $type (sort keys %bits)
{
	my ($oid, $integers, $good, @bad) = @{ $bits{$type} };

	$node->safe_psql('postgres', "CREATE FUNCTION \"as $type\"(value anyarray) RETURNS $type\[] "
		  . "AS '$crafted', 'passed_off' LANGUAGE C STRICT");
	my @outcomes = try_queries($node, '', '', map {
		"SELECT gpucompact_packed_send(received(gpucompact_packed_send(p), p)) = gpucompact_packed_send(p)
		 FROM gpu_pack(overwritten(\"as $type\"($_), 12, $oid)) AS p"
	} map({ "ARRAY[0, $_]::$integers\[]" } $good, @bad),
		"array_fill(0::$integers, ARRAY[20000]) || $bad[0]::$integers");
	is_deeply(\@outcomes, [ 'true', ('22P03') x (@bad + 1) ], "received: elements of type $type");
}

# What the errors say.
like(fails_with($node, '22P03',
		"SELECT received(gpucompact_packed_send(p), p)
		 FROM gpu_pack(overwritten(\"as date\"(ARRAY[2147483646]), 12, 1082)) AS p", 'received: no date'),
	qr/ packed array has an element that is out of range for type date$/m, 'and it is said');
like(fails_with($node, 'XX001',
		q(SELECT changed(p, 7, 3) FROM small WHERE scheme = 'raw'), 'another version'),
	qr/ packed array is of an unknown version\nHINT:  A newer version of gpucompact may be able to read it\.$/m,
	'and it is said');

survived($node);

done_testing();
