
# Tables of arrays, what plain SQL answers for them, and how calls differ from that.
# The answers are computed once, and then compared with the calls' on each engine and
# form: how an array is stored or passed.

package Answers;

use strict;
use warnings;

use Exporter qw(import);
use Arrays;
use Calls;
use Idioms;
use Random;
use Test::More;

our @EXPORT = qw(answer_functions new_arrays insert_arrays plain_answers compressed
  answers_equal);

my %types = element_types();
my @arrays = ('a', 'b', 'mask', 's', 'p');

# SQL that makes the functions and domains that the others need.
sub answer_functions
{
	return idiom_functions() . expanding_functions() . domains('gpu_packed', sort keys %types)
	  . outcome_function(q(SQLSTATE || ': ' || SQLERRM))
	  . 'CREATE CAST ("char" AS boolean) WITHOUT FUNCTION;';
}

# SQL that makes the table: arrays of a type, and what goes with them; values to
# compare with, perhaps of another type.  On arrays of several dimensions, only calls
# that take these are made; odd booleans have other bytes than 0 and 1, and so may
# results.
sub new_arrays
{
	my ($type, $value_type) = @_;

	$value_type //= $type;
	return "DROP TABLE IF EXISTS arrays;
		CREATE UNLOGGED TABLE arrays (id serial, shaped boolean, odd boolean,
			value $value_type, other $value_type, a $type\[], b integer[], mask boolean[],
			s $type\[], p $type\[]);
		ALTER TABLE arrays " . join(', ', map { "ALTER $_ SET STORAGE EXTERNAL" } @arrays) . ';';
}

# SQL that inserts arrays whose elements an expression makes, some of them NULL: an
# array for each list of dimensions.  One array in five has another lower bound than 1.
sub insert_arrays
{
	my ($type, $element, $null, @dims) = @_;
	my $odd = $element =~ /"char"::boolean/ ? 'true' : 'false';
	my $dims = join(', ', map { "('{$_}'::integer[])" } @dims);
	my $array = 'moved(ARRAY(SELECT CASE WHEN NOT (%s) THEN %s END
							 FROM generate_series(1, n) AS i), bounds)';
	my @elements = ($element, is_number($type) ? numbers_in_range($type) : ());

	return "INSERT INTO arrays (shaped, odd, value, other, b, mask, a, s, p)
		SELECT cardinality(dims) > 1, $odd, $element, $element,
			   ARRAY(SELECT CASE WHEN random() < 0.9 THEN (random() * 10)::integer END
					 FROM generate_series(1, n) AS i),
			   ARRAY(SELECT CASE WHEN random() < 0.9 THEN "
	  . ($odd eq 'true' ? $element : 'random() < 0.5') . ' END FROM generate_series(1, n) AS i), '
	  . join(",\n", map { sprintf($array, $null, $_) } @elements)
	  . (@elements == 1 ? ', NULL, NULL' : '') . "
		FROM (VALUES $dims) AS v (dims),
			 LATERAL (SELECT CASE WHEN random() >= 0.2 THEN 1
								  ELSE (ARRAY[-5, 0, 2, 2147483000 - product(d)::integer])
									   [1 + floor(random() * 4)] END AS first,
							 product(d)::integer AS n, (1 + random() * max(d))::integer AS i,
							 '$types{$type}[0]'::$type\[] AS pool
					  FROM unnest(dims) AS d) AS w,
			 LATERAL (SELECT array_fill(0, dims, array_fill(first, ARRAY[cardinality(dims)]))
							 AS bounds OFFSET 0) AS x;";
}

# SQL that makes the answers of plain SQL.  To compress them, and to look at them for
# the planner, would take as long as to compute them.  Hashes of odd booleans that are
# equal are not.  A row has no room for all, so that "answers" is a view of tables.
sub plain_answers
{
	my (@calls) = @_;
	my @numbers = (0 .. $#calls);
	my (@tables, $sql);

	while (my @part = splice(@numbers, 0, 200))
	{
		my $table = 'answers_' . @tables;
		my $answers = 'SELECT id' . join('', map {
				my $tried = $calls[$_]{'shaped'} ? 'true' : 'NOT shaped';

				", CASE WHEN $tried THEN $calls[$_]{'idiom'} END AS answer_$_"
			} @part) . ' FROM arrays';

		push @tables, $table;
		$sql .= "DROP TABLE IF EXISTS $table;
			CREATE UNLOGGED TABLE $table AS $answers WITH NO DATA;
			ALTER TABLE $table "
		  . join(', ', map { "ALTER answer_$_ SET STORAGE EXTERNAL" } @part)
		  . "; INSERT INTO $table $answers; ANALYZE $table (id);";
	}
	return "SET enable_hashagg = off; DROP VIEW IF EXISTS answers; $sql ANALYZE arrays (id);
		CREATE VIEW answers AS SELECT * FROM "
	  . join(' JOIN ', $tables[0], map { "$_ USING (id)" } @tables[ 1 .. $#tables ]) . ';';
}

# The forms of arrays, by name: an array %1$s, of type %2$s and with the domain %3$s.
my %forms = (
	'stored' => '%1$s',
	'in memory' => q(%1$s || '{}'),
	'expanded' => 'expanded(%1$s)',
	'taken apart' => 'taken_apart(%1$s)',
	'packed' => 'gpu_pack(%1$s)::"element of gpu_packed"::%2$s[]',
	'domains over arrays' => '%1$s::%3$s',
	'arrays of a domain' => '%1$s::%3$s');

# The arrays of a type in a form, as a query, on a condition; stored by a method of
# compression if they are in no other form.
sub form
{
	my ($form, $type, $condition) = @_;
	my %types_of = ('a' => $type, 'b' => 'integer', 'mask' => 'boolean', 's' => $type, 'p' => $type);
	my $of_domain = $form eq 'arrays of a domain';
	my $values = join(', ', map { "$_ AS $_" } 'value', 'other');

	$values =~ s/(\w+) AS/"$1::" . domain('element', $type) . ' AS'/ge if $form =~ /domain/;
	my $arrays = join(', ', map {
			my $domain = domain($of_domain ? 'elements' : 'array', $types_of{$_});
			my $expression = $of_domain && $_ ne 'a' ? '%1$s' : $forms{$form} // '%1$s';

			sprintf("$expression AS %1\$s", $_, $types_of{$_}, $domain)
		} @arrays);
	my $table = $forms{$form} ? 'arrays' : $form;
	my $packed = $form eq 'packed' ? 'AND NOT shaped' : '';

	return "(SELECT id, shaped, odd, $values, $arrays FROM $table WHERE $condition $packed OFFSET 0)";
}

# SQL that copies the arrays into a table where they are compressed by a method: only
# what is made is, and not what has been stored otherwise.
sub compressed
{
	my ($method, $type) = @_;

	return "DROP TABLE IF EXISTS $method;
		CREATE UNLOGGED TABLE $method AS TABLE arrays WITH NO DATA;
		ALTER TABLE $method " . join(', ', map { "ALTER $_ SET COMPRESSION $method" } @arrays)
	  . "; INSERT INTO $method " . form('in memory', $type, 'true') . ';';
}

# The forms in which the calls are one query, by the name of that: all but those whose
# types, or calls, are others.
sub prepared_as { return $_[0] =~ /domain|^packed/ ? $_[0] : 'any form' }

# SQL that prepares a query for what differs from these answers in a form, $1, if each
# call is on one of $2 arrays.  If "a" is an array of a domain, so are results, and not
# all calls take it.  In the form of packed arrays, these are of a domain in calls that
# take them as they are.
sub prepare_differences
{
	my ($name, $type, $forms, @calls) = @_;
	my $of_domain = $name eq 'arrays of a domain';
	my $arrays = join(' UNION ALL ', map { form($_, $type, "\$1 = '$_'") } @$forms);
	my $differences = join(",\n", map {
		my $call = $calls[$_];
		my $differs = $of_domain ? 'true THEN got::text IS DISTINCT FROM core::text' :
		  'odd THEN got IS DISTINCT FROM core ELSE ' . differs($call && $call->{'exact'});
		my $suits = $call && $call->{'shaped'} ? 'true' : 'NOT shaped';
		my $text = $call ? $call->{'call'} : '';

		$text =~ s/\bgpu_pack\(\w\)/$&::"element of gpu_packed"/g if $name eq 'packed';
		!$call || $of_domain && ($call->{'own'} || !$call->{'exact'}) ? () :
		  "CASE WHEN id % \$2 = $_ % \$2 AND $suits THEN
		   (SELECT format('%s of array %s: %s, not %s', \$call\$$text\$call\$, id,
						  left(got::text, 200), left(core::text, 200))
			FROM (SELECT $text AS got, answer_$_ AS core OFFSET 0) AS result
			WHERE CASE WHEN $differs END) END"
	} 0 .. $#calls);

	return "PREPARE \"$name\" (text, integer) AS SELECT difference
		FROM ($arrays) AS arrays JOIN answers USING (id),
			 LATERAL unnest(ARRAY[$differences]) AS difference
		WHERE difference IS NOT NULL LIMIT 5;";
}

# Tests that calls have these answers in some ways: each a name, settings, a form, and
# of how many arrays each call is on one.  To plan hundreds of calls takes longer than to
# run them, so that they are planned once for all ways; and without Memoize, whose cost is
# found by comparing all of their arguments with each other.
sub answers_equal
{
	my ($node, $type, $ways, @calls) = @_;
	my (%forms, $sql);

	$forms{ prepared_as($_->[2]) }{ $_->[2] } = 1 foreach @$ways;
	$sql .= prepare_differences($_, $type, [ sort keys %{ $forms{$_} } ], @calls)
	  foreach sort keys %forms;
	foreach my $way (@$ways)
	{
		my ($name, $settings, $form, $many) = @$way;

		$sql .= "\n\\echo way:\nRESET ALL; SET plan_cache_mode = force_generic_plan;
			SET enable_memoize = off; $settings
			EXECUTE \"@{[prepared_as($form)]}\" ('$form', $many);";
	}
	my (undef, @differences) = split(/^way:\n?/m, $node->safe_psql('postgres', $sql), -1);

	is($differences[$_], '', "$ways->[$_][0]: " . @calls . ' calls as plain SQL') foreach 0 .. $#$ways;
	return;
}

1;
