
# The calls that tests make of functions on arrays, each a record in a file of Calls/,
# by topics.  A new function takes one record, and all tests that go over functions have
# it: this module's functions are views of the list.  A record has a call, with words in
# braces for which Choices.pm has texts, and some of these:
#
#	each, one, list, plain	the plain SQL that it equals: of each element, as one value,
#			as a list (what is behind "|" follows FROM), or all of it
#	of		the arrays in it, with elements x, y, z at i; "a" if not given
#	types	the class of types of elements that the call takes; all if not given
#	equal	the class of those that are compared by =, not by bytes: of several equal
#			elements, such as 0 and -0, plain SQL does not say which one is there
#	shaped, own, long	it takes several dimensions, takes no array of a domain, and is
#			quick enough in plain SQL for long arrays
#	fails	the class of types for which it fails on some numbers, as plain SQL does; or
#			the SQLSTATE with which it fails always
#	stage, chain, end	what it gives in a chain: a type of elements, '' for what it has
#			got; "stage" if it goes element by element, "end" if it gives no array
#	takes	the class of types that it takes there, unless "types" says so.  The array of
#			the call before is %s or, where there is none, each of "a", "s" and "p"
#	run		by names, calls on the columns of the table "runs", for the tests of faults
#
# "a" is any array of the type, as "value" and "other" are values; the sums of "s", and
# the products of "p", are in range; "b" has integers, and "mask" booleans.

package Calls;

use strict;
use warnings;

use Exporter qw(import);
use Arrays;
use Calls::Choices;
use Calls::Elements;
use Calls::Numbers;
use Calls::Order;
use Calls::Stored;
use Random;

our @EXPORT = qw(calls calls_on chain_calls cpu_alone failing_calls fill_in load_runs);

my @records = map {
	my ($call, %record) = @$_;
	{ call => $call =~ s{\s+}{ }gr, %record }
} @Calls::Elements::records, @Calls::Numbers::records, @Calls::Order::records,
  @Calls::Stored::records;

# The call and the plain SQL of a record, with choices in them still.
sub templates
{
	my ($record) = @_;
	my ($call, $plain) = @$record{ 'call', 'plain' };
	my ($kind) = grep { exists $record->{$_} } 'each', 'list', 'one' or return ($call, $plain);
	my @of = split(/, */, $record->{'of'} // 'a');
	my ($what, $behind) = split(/ \| /, $record->{$kind}, 2);

	$behind //= '';
	$behind .= ' ORDER BY i' if $kind ne 'one' && $behind !~ /ORDER BY/;
	$plain = "(SELECT $what FROM unnest(" . join(', ', @of) . ') WITH ORDINALITY AS u ('
	  . join(', ', ('x', 'y', 'z')[ 0 .. $#of ], 'i') . ") $behind)";
	return $kind eq 'one' ? ("ARRAY[$call]", "ARRAY[$plain]") :
	  $kind eq 'list' ? ($call, "ARRAY$plain") : ($call, "moved(ARRAY$plain, $of[0])");
}

# Texts with all choices made: in all ways, or in one at random.
sub choose
{
	my ($type, $random, @texts) = @_;
	my ($name) = join(' ', @texts) =~ /\{([a-z_]{2,})\}/i or return \@texts;
	my @ways = choices(lc $name, $type, $random);

	return map {
		my ($here, $there) = ref ? @$_ : ($_, $_);

		choose($type, $random,
			map { s/\{\L$name\E\}/$here/gr =~ s/\{\U$name\E\}/$there/gr } @texts)
	} $random ? one_of(@ways) : @ways;
}

# The calls for a type, each with its plain SQL as "idiom", and whether bytes are
# compared, as "exact"; of one record, with its choices made at random, if this is
# asked for; or of each record one call.  A call that "may_fail" is made of values that
# are not in range.
sub calls_on
{
	my ($type, %like) = @_;
	my $class = $like{'may_fail'} ? 'fails' : 'types';
	my @suiting = grep {
		my $of = $_->{$class} // ($class eq 'types' ? 'any' : 'none');

		in_class($type, $of) && (templates($_))[1]
	} @records;

	@suiting = one_of(@suiting) if $like{'random'};
	return map {
		my $record = $_;
		my $equal = $record->{'equal'} // ($like{'may_fail'} ? 'float' : 'none');
		my @texts = templates($record);

		@texts = map { s/\bs\b/a/gr =~ s/\bp\b|\{divisors\}/{backwards}/gr } @texts
		  if $like{'may_fail'};
		map {
			{   %$record,
				call => $_->[0], idiom => $_->[1],
				exact => !in_class($type, $equal), own => $record->{'own'} || $like{'may_fail'} }
		} choose($type, $like{'random'} || $like{'one_each'}, @texts)
	} @suiting;
}

# The calls for a type that always fail, with their SQLSTATEs.
sub failing_calls
{
	my ($type) = @_;

	return grep {
		($_->{'fails'} // '') =~ /^\w{5}$/ && in_class($type, $_->{'types'} // 'any')
	} @records;
}

# The calls of chains, or those of a kind: each with what it takes and gives, and with
# %s where the array of the call before is.
sub chain_calls
{
	my (@kinds) = @_;
	my @calls;

	foreach my $record (@records)
	{
		my ($kind) = grep { exists $record->{$_} } @kinds or next;
		my $call = $record->{'call'};

		$call =~ s/\b[asp]\b(?!')/%s/g if $call !~ /%s/;
		push @calls, {
			call => $call =~ s/\b(value|other)\b/{literal}/gr,
			takes => $record->{'takes'} // $record->{'types'} // 'any',
			gives => $record->{$kind} };
	}
	return @calls;
}

# The call of a chain on elements of a type, without braces.
sub fill_in
{
	my ($call, $type) = @_;

	return $call =~ s/\{([a-z_]{2,})\}/first_of(one_of(choices($1, $type, 1)))/ger;
}

sub first_of { return ref $_[0] ? $_[0][0] : $_[0] }

# A call of each function on the columns of a row of "runs", in a hash: its name for
# tests, and the call.  Or those of some names.
sub calls
{
	my (@names) = @_;
	my %calls = map { %{ $_->{'run'} // {} } } @records;

	return map { $_ => $calls{$_} =~ s/\s+/ /gr } @names ? @names : keys %calls;
}

# The calls that no GPU ever serves.
sub cpu_alone
{
	return qw(avg_agg compare_by_null concat_agg count count_agg count_packed from_bytes max_agg
	  min_agg pack packed_slice pad positions_by_null resample slice stddev_agg sum_agg to_bytes
	  window_percentile_disc);
}

# Makes the table "runs", for the calls: arrays of a given length, stored out
# of line, and with them a few that are stored in other ways.  In the table
# "answers" is what the CPU engine answers, in a column for each call, or for those
# given; to compress that would take longer than to compute it.
sub load_runs
{
	my ($node, $count, %calls) = @_;
	%calls = calls() unless %calls;
	my @names = sort keys %calls;
	my $answers = 'SELECT id, '
	  . join(', ', map { "$calls{$_} AS $_" } @names) . ' FROM runs';

	$node->safe_psql('postgres', qq(
		CREATE TABLE runs (id integer, samples integer[], mask boolean[],
						   points integer[], bytes bytea);
		ALTER TABLE runs
			ALTER samples SET STORAGE EXTERNAL, ALTER mask SET STORAGE EXTERNAL,
			ALTER points SET STORAGE EXTERNAL, ALTER bytes SET STORAGE EXTERNAL;
		INSERT INTO runs
		SELECT id,
			   array_agg(CASE WHEN i % 7 = 3 THEN 0
							  WHEN i % 100 < id THEN NULL
							  ELSE hashint4(i) END ORDER BY i),
			   array_agg(i % 3 = 0 ORDER BY i),
			   array_agg(hashint4(i) % 1200000 ORDER BY i),
			   decode(repeat('61c3a9e282acf09f9880ff', n / 2), 'hex')
		FROM unnest(ARRAY[$count, 5, 20000]) WITH ORDINALITY AS u (n, id),
			 generate_series(1, n) AS i
		GROUP BY id, n;
		ALTER TABLE runs
			ALTER samples SET STORAGE EXTENDED, ALTER mask SET STORAGE EXTENDED,
			ALTER points SET STORAGE EXTENDED, ALTER bytes SET STORAGE EXTENDED;
		INSERT INTO runs
		SELECT 4, array_fill(7, ARRAY[20000]), array_fill(true, ARRAY[20000]),
			   array_fill(7, ARRAY[20000]), convert_to(repeat('a', 20000), 'UTF8');
		SET gpucompact.engine = cpu;
		CREATE TABLE answers AS $answers WITH NO DATA;
		DO \$\$
		DECLARE
			name text;
		BEGIN
			FOR name IN SELECT attname FROM pg_attribute
				WHERE attrelid = 'answers'::regclass AND attnum > 0 AND attstorage = 'x' LOOP
				EXECUTE format('ALTER TABLE answers ALTER %I SET STORAGE EXTERNAL', name);
			END LOOP;
		END \$\$;
		INSERT INTO answers $answers;));
	return;
}

1;
