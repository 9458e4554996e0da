
# Calls that chains are made of, and what a chain answers: as one call, and as its
# calls one by one.  Nothing here needs the modules of PostgreSQL's tests.

package Chains;

use strict;
use warnings;

use Exporter qw(import);
use Arrays;
use Random;

our @EXPORT = qw(stage_calls array_calls end_calls random_chain fill_in
  chain_queries chain_functions);

# A call has the array of the call before in the place of %s.  The first arrays of
# the chain are a and, of the same length, b of integers and mask of booleans.
# What stands in braces is chosen at random, as here; {value} is one of the type.
my @small = (0 .. 4, 7, 100);
my %choices = (
	'arithmetic' => [ '+', '-', '*', '/', '%', 'least', 'greatest' ],
	'bool' => [ 'false', 'true' ],
	'compare' => [ '=', '<>', '<', '<=', '>', '>=' ],
	'fraction' => [ 0, 0.3, 0.5, 0.99, 1 ],
	'function' => [ 'abs', '-', 'sign', 'floor', 'ceil', 'round', 'trunc', 'sqrt' ],
	'lag' => [ @small, -1, 70000 ],
	'null' => [ 'is null', 'is not null' ],
	'nulls' => [ 'false', 'true', 'NULL' ],
	'number' => [ @small, -1, -5, -100, 5000, 2000000, 2000000000 ],
	'on_error' => [ 'error', 'replace', 'skip' ],
	'operator' => [ '+', '*', 'min', 'max', 'max', '&', '|', '#' ],
	'padded' => [ 100, 4000, 70000 ],
	'rank' => [ 'dense', 'min', 'first' ],
	'shape' => [ 'minmax', 'lttb' ],
	'size' => [ 2, 6, 1000, 70000 ],
	'small' => \@small,
	'window' => [ '+', 'min', 'max' ]);

# Each call has the type of the elements that it takes and, unless it ends a
# chain, that of the elements that it returns.  These types are rules of thumb,
# that most chains have an answer.  "a" is the type of a's elements, "bytes" no
# array; "" takes all, and returns the type that it has got.

# Calls that treat each element by itself, or leave elements out.
my @stages = (
	[ 'gpu_delta(%s)', 'number', '' ],
	[ q(gpu_compact(%s, '{compare}', {number})), 'number', '' ],
	[ q(gpu_compact(%s, 'between', {number}, {number})), 'number', '' ],
	[ q(gpu_map(%s, '{arithmetic}', {number})), 'number', '' ],
	[ q(gpu_map({number}, '{arithmetic}', %s)), 'number', '' ],
	[ q(gpu_map(%s, '{function}')), 'number', '' ],
	[ q(gpu_map(%s, 'abs')), 'number', '' ],
	[ q(gpu_map(%s, 'greatest', {number})), 'number', '' ],
	[ q(gpu_compare(%s, '{compare}', {number})), 'number', 'boolean' ],
	[ q(gpu_compact(%s, '{compare}', {value})), '', '' ],
	[ q(gpu_compare(%s, '{compare}', {value})), '', 'boolean' ]);

# Other calls whose result is an array or bytes.
my @arrays = (
	[ 'gpu_delta(%s, {lag})', 'number', '' ],
	[ q(gpu_scan(%s, '{operator}', {bool})), 'number', '' ],
	[ q(gpu_scan(%s, 'max')), '', '' ],
	[ 'gpu_prefix_sum(%s, {bool})', 'number', 'bigint' ],
	[ 'gpu_compact(%s)', 'number', '' ],
	[ 'gpu_compact_nulls(%s)', '', '' ],
	[ 'gpu_compact(%s, mask)', '', '' ],
	[ q(gpu_compact(%s, gpu_compare(%s, '{compare}', {number}))), 'number', '' ],
	[ q(gpu_compact(%s, '{null}')), '', '' ],
	[ 'gpu_compact_in(%s, %s, {bool})', '', '' ],
	[ 'gpu_compact_in(%s, b, {bool})', 'integer', '' ],
	[ 'gpu_compact_in(%s, a)', 'a', '' ],
	[ q(gpu_compare(%s, '{null}')), '', 'boolean' ],
	[ q(gpu_compare(%s, '{compare}', b)), 'integer', 'boolean' ],
	[ q(gpu_compare(a, '{compare}', %s)), 'a', 'boolean' ],
	[ q(gpu_positions(%s, '{compare}', {number})), 'number', 'integer' ],
	[ q(gpu_positions(%s, '{null}')), '', 'integer' ],
	[ 'gpu_positions(%s)', 'boolean', 'integer' ],
	[ q(gpu_take(%s, '{3,1,NULL,9}'::integer[])), '', '' ],
	[ 'gpu_take(%s, b)', '', '' ],
	[ 'gpu_take(a, %s)', 'integer', 'a' ],
	[ 'gpu_take(b, gpu_argsort(%s))', '', 'integer' ],
	[ 'gpu_take(%s, %s::integer[])', 'number', '' ],
	[ 'gpu_take(%s, gpu_argsort(%s))', '', '' ],
	[ 'gpu_argsort(gpu_argsort(%s))', '', 'integer' ],
	[ 'gpu_radix_sort(%s, {bool}, {nulls})', '', '' ],
	[ 'gpu_argsort(%s, {bool}, {nulls})', '', 'integer' ],
	[ 'gpu_sort_by_key(%s, b, {bool})', '', '' ],
	[ 'gpu_sort_by_key(b, %s)', '', 'integer' ],
	[ q(gpu_rank(%s, '{rank}')), '', 'integer' ],
	[ 'gpu_distinct(%s, {bool})', '', '' ],
	[ 'gpu_union(%s, %s)', '', '' ],
	[ 'gpu_union(a, %s)', 'a', '' ],
	[ 'gpu_intersect(%s, b)', 'integer', '' ],
	[ 'gpu_except(b, %s)', 'integer', '' ],
	[ q(gpu_percentile_disc(%s, '{0.1,0.9}'::float8[])), '', '' ],
	[ q(gpu_percentile_cont(%s, '{0.2,0.5}'::float8[])), 'number', 'double precision' ],
	[ 'gpu_histogram(%s, -{small}, {small}, 4)', 'number', 'integer' ],
	[ q(gpu_histogram(%s, '{-9,0,9}')), 'number', 'integer' ],
	[ q(gpu_bucket(%s, '{-1,4}')), 'number', 'integer' ],
	[ 'gpu_fill(%s, {bool})', '', '' ],
	[ q(gpu_window(%s, '{window}', {small}, {small})), 'number', '' ],
	[ 'gpu_window_avg(%s, {small})', 'number', 'double precision' ],
	[ q(gpu_downsample(%s, {size}, '{shape}')), 'number', 'integer' ],
	[ 'gpu_pad(%s, {padded})', '', '' ],
	[ 'gpu_slice(%s, {small}, 90000)', '', '' ],
	[ 'gpu_interpolate(gpu_radix_sort(gpu_argsort(%s)), gpu_rank(%s), gpu_argsort(%s))', '', 'double precision' ],
	[ q(gpu_interpolate(gpu_positions(%s, 'is not null'), gpu_compact_nulls(%s), '{1,2,3,NULL,9}'::integer[], 2)), 'number', 'double precision' ],
	[ 'gpu_interpolate(a, b, %s)', 'a', 'double precision' ],
	[ 'gpu_interpolate(%s, b, a)', 'a', 'double precision' ],
	[ 'gpu_unpack(gpu_pack(%s), %s)', '', '' ],
	[ 'gpu_unpack(gpu_pack(%s), NULL::integer[])', 'integer', '' ],
	[ '%s::gpu_packed::integer[]', 'integer', '' ],
	[ 'gpu_slice(gpu_pack(%s), {small}, 90000, a)', 'a', '' ],
	[ 'gpu_from_bytes(gpu_to_bytes(gpu_compact_nulls(%s)), NULL::integer[])', '', 'integer' ],
	[ 'gpu_to_bytes(%s)', '', 'bytes' ],
	[ 'gpu_from_bytes(%s, NULL::integer[])', 'bytes', 'integer' ],
	[ 'gpu_from_bytes(%s, NULL::float8[])', 'bytes', 'double precision' ],
	[ q(gpu_utf8_encode(%s, '{on_error}')), 'integer', 'bytes' ],
	[ 'gpu_utf8_decode(gpu_utf8_encode(gpu_compact_nulls(%s)))', 'integer', '' ],
	[ q(gpu_utf8_decode(%s, '{on_error}')), 'bytes', 'integer' ],
	[ q(gpu_utf8_decode(gpu_utf8_repair(%s))), 'bytes', 'integer' ],
	[ q(gpu_zip(%s, '{arithmetic}', b)), 'integer', '' ],
	[ q(gpu_zip(%s, '{arithmetic}', %s)), 'number', '' ],
	[ q(gpu_zip(a, '{arithmetic}', %s)), 'a', '' ],
	[ q(gpu_zip(mask, 'and', %s)), 'boolean', '' ],
	[ 'gpu_where(mask, %s, b)', 'integer', '' ],
	[ 'gpu_where(mask, a, %s)', 'a', '' ],
	[ 'gpu_where(mask, %s, {number})', 'number', '' ],
	[ 'gpu_where(%s, a, a)', 'boolean', 'a' ],
	[ q(gpu_where(gpu_compare(%s, '<', {number}), b, %s)), 'integer', '' ],
	[ '%s::float8[]', 'number', 'double precision' ],
	[ '%s::real[]', 'number', 'real' ],
	[ '%s::bigint[]', 'number', 'bigint' ],
	[ '%s::integer[]', 'number', 'integer' ],
	[ '%s::smallint[]', 'number', 'smallint' ],
	[ '%s::integer[]', 'boolean', 'integer' ],
	[ '(%s)[{small}:90000]', '', '' ]);

# Calls that end a chain.
my @ends = (
	[ q(gpu_reduce(%s, '{operator}')), 'number' ],
	[ q(gpu_reduce(%s, 'max')), '' ],
	[ q(gpu_reduce(%s, 'no operator')), '' ],
	[ 'gpu_mode(%s)', '' ],
	[ 'gpu_percentile_cont(%s, {fraction})', 'number' ],
	[ 'gpu_percentile_disc(%s, {fraction})', '' ],
	[ 'gpu_histogram(%s, -100, {number}, {small})', 'number' ],
	[ 'gpu_stats(%s)', 'number' ],
	[ '(gpu_stats(%s)).variance', 'number' ],
	[ '(SELECT s FROM gpu_stats(%s) AS s)', 'number' ],
	[ 'gpu_top_k(%s, {small}, {bool})', '' ],
	[ '(SELECT t FROM gpu_top_k(%s, {small}) AS t)', '' ],
	[ 'gpu_distinct_counts(%s)', '' ],
	[ 'gpu_run_lengths(%s)', '' ],
	[ q(gpu_group(%s, %s, 'max')), '' ],
	[ q(gpu_group(%s, b, '{operator}')), '' ],
	[ q(gpu_group(b, %s, '{operator}')), 'number' ],
	[ q(gpu_downsample_points(%s, {size}, '{shape}')), 'number' ],
	[ 'gpu_intersect_count(%s, %s)', '' ],
	[ 'gpu_dot(%s, %s)', 'number' ],
	[ q(gpu_dot(%s, gpu_map(%s, 'abs'))), 'number' ],
	[ 'gpu_dot(%s, b)', 'integer' ],
	[ 'gpu_regr(%s, %s)', 'number' ],
	[ q(gpu_regr(gpu_map(%s, '-'), %s)), 'number' ],
	[ 'gpu_regr(%s, b)', 'number' ],
	[ 'gpu_regr(b, %s)', 'number' ],
	[ 'gpu_intersect_count(b, %s)', 'integer' ],
	[ '(SELECT gpu_max_agg(x) FROM (VALUES (%s)) AS v (x))', 'number' ],
	[ 'gpu_to_bytes(%s)', '' ],
	[ 'gpu_pack(%s)', '' ],
	[ 'ARRAY[gpu_pack(%s)]', '' ],
	[ '%s::gpu_packed', '' ],
	[ 'gpu_utf8_is_valid(gpu_to_bytes(%s))', '' ],
	[ 'gpu_utf8_is_valid(%s)', 'bytes' ],
	[ q(gpu_utf8_repair(%s, '{on_error}')), 'bytes' ],
	[ '%s', '' ]);

# The calls alone.
sub stage_calls { return map { $_->[0] } @stages }
sub array_calls { return map { $_->[0] } @arrays }
sub end_calls { return map { $_->[0] } @ends }

# A call on elements of a type, without braces.
sub fill_in
{
	my ($call, $type) = @_;

	return $call =~
	  s/\{([a-z_]+)\}/one_of($1 eq 'value' ? literals($type) : @{ $choices{$1} })/ger;
}

# May a call be made of elements of a type, which a's may have, too?
sub suits
{
	my ($call, $type, $type_of_a) = @_;
	my $takes = $call->[1];

	return $takes eq 'a' ? $type eq $type_of_a :
	  $takes eq 'number' ? is_number($type) :
	  $takes eq '' ? $type ne 'bytes' : $type eq $takes;
}

# The calls of a random chain on an array, from the inner one on; in some chains
# most are stages.  Calls whose array is there twice are few, as its calls are, too.
#
#	length		how many
#	type		of the elements
#	type_of_a	of a's, if the array is another one
sub random_chain
{
	my ($length, $type, $type_of_a) = @_;
	my $stages = one_of(0.3, 0.9);
	my $twice = 0;
	my @calls;

	$type_of_a //= $type;
	while (@calls < $length)
	{
		my $table = @calls == $length - 1 && chance(0.8) ? \@ends :
		  chance($stages) ? \@stages : \@arrays;
		my @suiting = grep { suits($_, $type, $type_of_a) } @$table;
		next if !@suiting;
		my ($call, undef, $gives) = @{ one_of(@suiting) };

		next if $call =~ /%s.*%s/ && $twice++ > 1;
		push @calls, fill_in($call, $type);
		$type = $gives eq 'a' ? $type_of_a : $gives if $gives;
	}
	return @calls;
}

# A query of a chain of calls on a column, from the inner one on; and one that
# keeps them apart.  Both return it as x, for each row of FROM.
sub chain_queries
{
	my ($column, $from, @calls) = @_;
	my ($chain, $steps) =
	  ($column, "SELECT a, b, mask, $column AS x $from OFFSET 0");

	foreach my $call (@calls)
	{
		$chain = $call =~ s/%s/$chain/gr;
		$steps = 'SELECT a, b, mask, ' . ($call =~ s/%s/x/gr) .
		  " AS x FROM ($steps) AS s OFFSET 0";
	}
	return ("SELECT $chain AS x $from OFFSET 0", $steps);
}

# SQL that makes functions for what becomes of queries.
sub chain_functions
{
	return q(
	-- The bytes of a query's answers, in short and as a digest, or its error, in one
	-- line.
	CREATE FUNCTION answer_of(query text, array_id integer DEFAULT NULL)
	RETURNS text LANGUAGE plpgsql AS $$
	DECLARE
		answer text;
	BEGIN
		EXECUTE 'SELECT string_agg(concat(left(x::text, 80), '' '',
										  md5(record_send(ROW(x, ARRAY[x])))), '', '')
				 FROM (' || query || ') AS q' INTO answer USING array_id;
		RETURN replace(answer, chr(10), ' ');
	EXCEPTION WHEN OTHERS THEN
		RETURN SQLSTATE || ': ' || SQLERRM;
	END $$;

	-- Whether a query is one call for the planner, or calls apart, or wrong.
	CREATE FUNCTION plan_of(query text) RETURNS text LANGUAGE plpgsql AS $$
	DECLARE
		line text;
		kind text := 'apart';
	BEGIN
		FOR line IN EXECUTE 'EXPLAIN (VERBOSE, COSTS OFF) ' ||
			replace(query, '$1', '1') LOOP
			IF line ~ 'gpucompact_chain' THEN
				kind := 'fused';
			END IF;
		END LOOP;
		RETURN kind;
	EXCEPTION WHEN OTHERS THEN
		RETURN 'wrong';
	END $$;);
}

1;
