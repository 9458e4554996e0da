
# The examples in README.md and in docs/: each is run, and what psql prints is
# compared with the page.  An example is in a fence, and looks like this:
#
#	=# SELECT x, NULL
#	   FROM generate_series(1, 2) AS x;
#	 1 | NULL
#	 2 | NULL
#
# A query begins with "=# " and ends with a semicolon at the end of a line or
# before a comment; its other lines are indented.  Each row of the result is
# indented by a space, and so is each line of an error or a notice; its detail
# and its hint may be left out.  A result may also be printed with its columns'
# names, as a table or with \x, where the number of spaces and dashes does not
# matter.
#
# An example to paste is a fence that begins with ```sql, which may have several
# statements, and then one that begins with ```text, which is what psql prints for
# them by default.
#
# What depends on the machine is marked: "..." in a result stands for any text
# within the line and, alone on a line, for any lines; and if the text before
# the fence says "figures vary", each number stands for any number.
#
# Each page has a database and a session of its own, in which its examples run in
# the order of the page.
#
# And then: no setting lacks its description, and what the pages say of settings
# is what the server says.

use lib 't/lib';

use Gpucompact;

# Between the answers in psql's output.
my $end_of_answer = '-- end of answer --';

# Takes a page apart: returns its examples, and their faults.  An example is a hash:
# the line where it begins, its query and its result.
sub examples_of
{
	my ($text) = @_;
	my (@examples, @faults, $fence, $example, $in_query);
	my $number = 0;
	my $before = '';	# the paragraph before a fence

	my $finish = sub {
		push @faults, "line $example->{line}: a query without a semicolon" if $in_query;
		($example, $in_query) = ();
	};
	foreach my $line (split(/\n/, $text))
	{
		$number++;
		if ($line =~ /^\s*```/)
		{
			$finish->();
			$fence = $fence ? undef
			  : { line => $number, varies => scalar($before =~ /figures\s+vary/) };
			$before = '';
		}
		elsif ($line =~ /^\s*\w*=#/ && ($line !~ /^=# \S/ || !$fence))
		{
			push @faults, "line $number: a query that is in no fence, "
			  . 'or does not begin with "=# "';
		}
		elsif ($line =~ s/^=# //)
		{
			push @faults, "line $number: text before the first query" if $fence->{other};
			$finish->();
			$example = {
				line => $number, varies => $fence->{varies},
				query => $line, result => []
			};
			push @examples, $example;
			$in_query = 1;
		}
		elsif (!$fence)
		{
			$before = '' if $before =~ /\n\n$/;
			$before .= "$line\n";
		}
		elsif (!$example)
		{
			$fence->{other} = 1 if $line =~ /\S/;
		}
		elsif ($in_query)
		{
			push @faults, "line $number: a query's line that is not indented" if $line =~ /^\S/;
			$example->{query} .= "\n$line";
		}
		else
		{
			push @{ $example->{result} }, $line;
		}

		# A semicolon may also be in the body of a function.
		$in_query = 0
		  if $in_query && $line =~ /;\s*(--.*)?$/ &&
		  (() = $example->{query} =~ /\$\$/g) % 2 == 0;
	}
	push @faults, "line $fence->{line}: a fence without an end" if $fence;

	foreach my $of (@examples)
	{
		my $result = $of->{result};

		pop @$result while @$result && $result->[-1] !~ /\S/;
		$of->{form} =
			"@$result" =~ /^-\[ RECORD/             ? 'expanded'
		  : @$result > 1 && $result->[1] =~ /^-[-+]+$/ ? 'aligned'
		  :                                         'rows';
		next if $of->{form} ne 'rows';
		push @faults, "line $of->{line}: a result that is not indented"
		  if grep { !s/^ // } @$result;
	}
	return (\@examples, \@faults);
}

# The examples of a page that a reader pastes.
sub pasted_examples_of
{
	my ($text) = @_;
	my @examples;

	while ($text =~ /^```sql\n(.*?)^```\n\n```text\n(.*?)^```$/msg)
	{
		my $line = 1 + (substr($text, 0, $-[0]) =~ tr/\n//);

		push @examples,
		  { line => $line, form => 'pasted', query => $1, result => [ split(/\n/, $2) ] };
	}
	return @examples;
}

# The output of psql for each example, all in one session: a list of lines each.
sub run_examples
{
	my ($connection, @examples) = @_;
	my %formats = (
		rows => '\pset format unaligned \pset tuples_only on'
		  . ' \pset expanded off \pset null NULL',
		aligned => '\pset format aligned \pset tuples_only off'
		  . q( \pset expanded off \pset null ''),
		expanded => '\pset format aligned \pset tuples_only off'
		  . q( \pset expanded on \pset null ''));
	my $script = "\\pset fieldsep ' | '\n";

	$formats{pasted} = $formats{aligned};
	my ($out, $err);

	foreach my $example (@examples)
	{
		$script .= join("\n",
			split(/ (?=\\)/, $formats{ $example->{form} }),
			'\pset footer ' . ($example->{form} eq 'pasted' ? 'on' : 'off'),
			$example->{query},
			"\\echo $end_of_answer",
			"\\warn $end_of_answer", '');
	}

	# PGOPTIONS may have chosen an engine for the whole run.
	local $ENV{PGOPTIONS} = '';
	IPC::Run::run([ 'psql', '-Xq', '-d', $connection ],
		'<' => \$script, '>' => \$out, '2>' => \$err);
	my @out = split(/^\Q$end_of_answer\E\n/m, $out, -1);
	my @err = split(/^\Q$end_of_answer\E\n/m, $err, -1);
	return map { [ split(/\n/, ($err[$_] // '') . ($out[$_] // 'nothing')) ] }
	  0 .. $#examples;
}

# Does psql print what the example says?
sub agrees
{
	my ($example, $printed) = @_;
	my @says = @{ $example->{result} };
	my @prints = @$printed;

	# Details and hints of an error are compared only if the example has them.
	@prints = grep { !/^(LINE \d+: | *\^$)/ } @prints;
	foreach my $part (qw(DETAIL HINT CONTEXT))
	{
		@prints = grep { !/^$part: / } @prints if !grep { /^$part: / } @says;
	}
	foreach (@says, @prints)
	{
		s/\s+$//;
		s/ +/ /g, s/-+/-/g, s/^ //, s/\|$/| / if $example->{form} ne 'rows';
	}
	@prints = grep { $_ ne '' } @prints if $example->{form} ne 'rows';
	@says = grep { $_ ne '' } @says if $example->{form} eq 'pasted';

	my $pattern = join('', map { /^ ?\.\.\.$/ ? '(.*\n)*' : quotemeta . '\n' } @says);
	$pattern =~ s/\\\.\\\.\\\./.*/g;
	$pattern =~ s/\d+(\\\.\d+)?/\\d+(\\.\\d+)?/g if $example->{varies};
	return join('', map { "$_\n" } @prints) =~ /^$pattern\z/;
}

# This test can fail: a page on which one thing is right, and each other wrong.
my $page_of_all = <<'END';
```
=# SELECT 1,
   NULL;  -- two columns
 1 | NULL

=# SELECT x FROM generate_series(1, 3) x;
 1
 ...
=# SELECT 1 / 0;
 ERROR:  division by ...
=# SELECT 1 AS a, 'x' AS b;
 a |    b
---+--
 1 | x
=# DO $$ BEGIN
   RAISE NOTICE 'hello';
   END $$;
 NOTICE:  hello

=# SELECT 1;
 2
=# SELECT 1;
=# SELECT x FROM generate_series(1, 3) x;
 1
=# SELECT x FROM generate_series(1, 3) x;
 ...
 2
=# SELECT 1 / 0;
 0
=# SELECT 1 / 0;
 ERROR:  division by zero
 HINT:  Try another number.
=# SELECT 1 AS a, 'x' AS b;
 a | c
---+---
 1 | x
=# CREATE TABLE t (a integer);
 CREATE TABLE
```
The figures vary:
```
=# SELECT 1.5, 'a';
 23 | a
=# SELECT 1, 'a';
 1 | b
=# SELECT NULL;
 2
```

```sql
CREATE TABLE pasted (a integer);
SELECT 1 AS a,
   NULL AS b;
```

```text
 a | b
---+---
 1 |
(1 row)

```

```sql
SELECT 1 AS a;
```

```text
 a
---
 1
(2 rows)
```

```sql
SELECT 1 / 0;
```
END
my ($examples, $faults) = examples_of($page_of_all);
push @$examples, pasted_examples_of($page_of_all);
my $node = start_with_gpu('docs', 'gpucompact.device = 0');
is("@$faults", '', 'examples that are well-formed');
my @printed = run_examples($node->connstr('postgres'), @$examples);
is(join(' ', map { agrees($examples->[$_], $printed[$_]) ? 'yes' : 'no' }
		  0 .. $#$examples),
	'yes yes yes yes yes no no no no no no no no yes no no yes no',
	'and results that differ are seen');

foreach my $malformed (
	"=# SELECT 1;\n 1\n", "```\n=#SELECT 1;\n 1\n```\n",
	"```\npostgres=# SELECT 1;\n 1\n```\n", "```\n  =# SELECT 1;\n 1\n```\n",
	"```\n=# SELECT 1\n 1\n```\n", "```\n=# SELECT 1;\n1\n```\n",
	"```\n=# SELECT\n1;\n 1\n```\n", "```\n=# SELECT 1;\n 1\n",
	"```\nFirst:\n=# SELECT 1;\n 1\n```\n")
{
	(undef, $faults) = examples_of($malformed);
	ok(@$faults > 0, 'malformed: ' . $malformed =~ s/\n/\\n/gr);
}

# On the pages a GPU is up: the machine's, or the CPU in its place.
$node->safe_psql('postgres',
	q(SET gpucompact.engine = cuda; SELECT gpu_reduce('{1,2,3}'::integer[], '+')));
gpu_pid($node);

my $root = $Gpucompact::source;
foreach my $page ("$root/README.md", sort glob("$root/docs/*.md"))
{
	my $name = $page =~ s{^\Q$root\E/}{}r;
	my $database = lc($name) =~ s/\W/_/gr;

	($examples, $faults) = examples_of(slurp_file($page));
	push @$examples, pasted_examples_of(slurp_file($page));
	@$examples = sort { $a->{line} <=> $b->{line} } @$examples;
	is(join("\n", @$faults), '', "$name is well-formed");
	next if !@$examples;

	$node->safe_psql('postgres', "CREATE DATABASE $database TEMPLATE postgres");
	@printed = run_examples($node->connstr($database), @$examples);
	my @wrong = grep { !agrees($examples->[$_], $printed[$_]) } 0 .. $#$examples;
	is(scalar(@wrong), 0, "$name: " . @$examples . ' examples');
	diag(join("\n",
		"$name, line $examples->[$_]{line}: $examples->[$_]{query}",
		'the page says:', @{ $examples->[$_]{result} },
		'psql prints:', @{ $printed[$_] }))
	  foreach @wrong;
}

# The mistakes in docs/functions.md: the statements in the first column fail as the
# second one says, and the statements in the third work.  An expression is over the
# table of that section.
my ($mistakes) = slurp_file("$root/docs/functions.md") =~
  /^\| you write \|.*\n\|[-|]+\n((?:\|.*\n)+)/m;
my @mistakes = split(/\n/, $mistakes);

cmp_ok(scalar(@mistakes), '>', 15, 'mistakes in docs/functions.md');
foreach my $line (@mistakes)
{
	my ($wrong, $says, $right) = $line =~ /^\| (.*?) \| (.*?) \| (.*) \|$/;
	my ($sqlstate) = $says =~ /\((\w{5})\)$/;
	my ($mistakes, $statements) = map {
		[ map { /^SELECT/ ? $_ : "SELECT $_ FROM sensor_day" } /`([^`]*[(\[*][^`]*)`/g ]
	} $wrong, $right;

	foreach my $mistake (@$mistakes)
	{
		my ($status, $out, $err) = $node->psql('docs_functions_md',
			"\\set VERBOSITY sqlstate\n$mistake;");

		like($err, qr/ERROR:  $sqlstate$/, "as the page says: $mistake");
	}
	foreach my $statement (@$statements)
	{
		my ($status, $out, $err) = $node->psql('docs_functions_md', "$statement;");

		is($err, '', "what it says instead: $statement");
		isnt($out, '', 'has an answer');
	}
}

# docs/settings.md has a section on each setting, and its table the default and
# who may set it.
my %who = (user => 'anyone', superuser => 'superusers', sighup => 'the server');

# A default as SHOW prints it.
sub shown
{
	my ($value, $unit) = @_;

	return $value if $value <= 0;
	foreach ([ 'kB', 1024, 'MB' ], [ 's', 60, 'min' ])
	{
		my ($small, $factor, $large) = @$_;

		($value, $unit) = ($value / $factor, $large)
		  if $unit eq $small && $value % $factor == 0;
	}
	return "$value$unit";
}

my %settings = map {
	my ($name, $type, $value, $unit, $context) = split(/\|/, $_, -1);

	$value = shown($value, $unit) if $type eq 'integer';
	($name => [ $value, $who{$context} ])
} split(/\n/, $node->safe_psql('postgres', q(
	SELECT gpu_compact('{}'::integer[]) \\g /dev/null
	SELECT name, vartype, boot_val, unit, context FROM pg_settings
	WHERE name LIKE 'gpucompact.%')));
my $settings = slurp_file("$root/docs/settings.md");
my %rows = $settings =~ /^\| \[`([\w.]+)`\]\(#\w+\) \| (`\S+` \| [\w ]+?) \|/mg;
is(join("\n", map { "$_: $rows{$_}" } sort keys %rows),
	join("\n", map { "$_: `$settings{$_}[0]` | $settings{$_}[1]" } sort keys %settings),
	'docs/settings.md lists all settings');
is(join("\n", sort $settings =~ /^### (gpucompact\.\w+)$/mg),
	join("\n", sort keys %settings), 'and tells of each');

# The defaults in the tables of a page that have a column for them, as "name:
# default"; and the settings that a page names, but not the files of these names.
sub defaults_in
{
	my ($text) = @_;
	my @defaults;

	while ($text =~ /^\|[^|\n]*\| default \|.*\n\|[-|]+\n((?:\|.*\n)+)/mg)
	{
		my $lines = $1;

		push @defaults, "$1: " . $2 =~ s/[` ]//gr
		  while $lines =~ /^\|[^|]*`(gpucompact\.\w+)`[^|]*\| ([^|]*) \|/mg;
	}
	return @defaults;
}

sub settings_in
{
	my ($text) = @_;

	$text =~ s/^```.*?^```//msg;
	return grep { !/\.(?:c|control|gpu\d*|h|so)$/ } $text =~ /`(gpucompact\.\w+)/g;
}

is(join(', ', defaults_in("| a | default |\n|---|---|\n| [`gpucompact.x`](y) | `1` |\n| `gpucompact.y` | 2 MB | z |\n")),
	'gpucompact.x: 1, gpucompact.y: 2MB', 'defaults are found');
foreach my $page ("$root/README.md", sort glob("$root/docs/*.md"))
{
	my $text = slurp_file($page);
	my $name = $page =~ s{^\Q$root\E/}{}r;

	is(join(', ', grep { !$settings{$_} } settings_in($text)), '', "$name names settings that exist");
	is(join(', ', grep { /^(\S+): (.*)/ && ($settings{$1} || [''])->[0] ne $2 } defaults_in($text)),
		'', 'and their defaults');
}

survived($node);
done_testing();
