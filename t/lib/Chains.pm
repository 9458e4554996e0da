
# Random chains of calls, and what a chain answers: as one call, and as its calls one
# by one.  Nothing here needs the modules of PostgreSQL's tests.

package Chains;

use strict;
use warnings;

use Exporter qw(import);
use Calls;
use Calls::Choices;
use Random;

our @EXPORT = qw(random_chain chain_queries chain_functions);

# Calls by kinds, as a random chain chooses from them.  The first arrays of a chain are
# "a" and, of the same length, "b" of integers and "mask" of booleans.
my @stages = chain_calls('stage');
my @arrays = chain_calls('chain');
my @ends = chain_calls('end');

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
		my @suiting = grep {
			$_->{'takes'} eq 'a' ? $type eq $type_of_a : in_class($type, $_->{'takes'})
		} @$table or next;
		my ($call, $gives) = @{ one_of(@suiting) }{ 'call', 'gives' };

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
	my ($chain, $steps) = ($column, "SELECT a, b, mask, $column AS x $from OFFSET 0");

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
	-- SQL of the bytes of an answer, as a digest behind its text, if that is not long.
	CREATE FUNCTION digest_of(x text) RETURNS text LANGUAGE sql AS $$
		SELECT format('(SELECT concat(CASE WHEN pg_column_size(x) < 1000
										   THEN replace(left(x::text, 80), chr(10), '' '') END, '' '',
									  md5(record_send(ROW(x, ARRAY[x]))))
						FROM (SELECT %s AS x OFFSET 0) AS digested)', x) $$;

	-- The bytes of a query's answers, or its error, in one line.
	CREATE FUNCTION answer_of(query text, array_id integer DEFAULT NULL)
	RETURNS text LANGUAGE plpgsql AS $$
	DECLARE
		answer text;
	BEGIN
		EXECUTE 'SELECT string_agg(' || digest_of('x') || ', '', '')
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
