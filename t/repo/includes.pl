
# A folder's files include only what ARCHITECTURE.md has an arrow to, and do not
# call each other in circles.

use strict;
use warnings;

use File::Basename qw(basename dirname);
use lib 't/lib';

use Sources;
use Test::More;

# The arrows of the drawing: of names, which have a label where they come first.
my ($drawing) = read_file("$root/ARCHITECTURE.md") =~ /```mermaid\n(.*?)```/s;
my %labels = $drawing =~ /(\w+)\["([^"]+)"\]/g;
my %drawn = map { $_ => 1 } values %labels;
my %arrows;
while ($drawing =~ /^\s*(\w+)(?:\[\S+\])? --> (\w+)/mg)
{
	die "$1 or $2 has no label" unless $labels{$1} && $labels{$2};
	$arrows{ $labels{$1} }{ $labels{$2} } = 0;
}
cmp_ok(scalar(keys %arrows), '>', 10, 'arrows are drawn');

# No folder is reached from one that it reaches itself.
sub reaches
{
	my ($from, $to, %seen) = @_;

	return 0 if $seen{$from}++;
	return scalar grep { $_ eq $to || reaches($_, $to, %seen) }
	  keys %{ $arrows{$from} // {} };
}
is(join(' ', grep { reaches($_, $_) } sort keys %arrows), '', 'no arrow turns back');

# A folder of a folder, as src/contract/operations, is a part of it.
sub folder_of
{
	return dirname(shift) =~ s{^(\w+/\w+)/.*}{$1}r;
}

# The includes of a file: one of our folders, PostgreSQL or CUDA; not the headers of
# C.
sub included
{
	my ($file, $name, $quoted) = @_;

	return $name =~ m{^(cuda|cub/|thrust/)} ? 'CUDA' : undef unless $quoted;
	foreach my $path ("src/$name", $name)
	{
		return folder_of($path) if -e "$root/$path";
	}
	return 'PostgreSQL';
}

# Files under src/gpuclient that know PostgreSQL; the others are in tests, too.
my %of_postgres = map { $_ => 1 } qw(gpu_process.c gpu_process.h worker.c);

my @files = map { glob("$root/$_/{,*/}*.c $root/$_/{,*/}*.h $root/$_/*.cu") }
  sort keys %arrows, 'src/contract';
my @wrong;
foreach my $file (@files)
{
	my $path = $file =~ s{^\Q$root\E/}{}r;
	my $folder = folder_of($path);

	foreach my $line (split /\n/, read_file($file))
	{
		my ($quote, $name) = $line =~ /^#\s*include\s+(["<])([^">]+)[">]/
		  or next;
		my $to = included($path, $name, $quote eq '"') // next;

		next if $to eq $folder;
		if (!exists $arrows{$folder}{$to}
			|| ($folder eq 'src/gpuclient' && $to eq 'PostgreSQL'
				&& !$of_postgres{ basename($path) })
			|| ($folder eq 'gpuprocess' && $to eq 'CUDA' && $path =~ /\.c$/))
		{
			push @wrong, "$path includes $name, of $to";
			next;
		}
		$arrows{$folder}{$to}++;
	}
}
cmp_ok(scalar @files, '>', 250, 'these are all sources');
my %folders = map { dirname($_) => 1 } glob("$root/{src,kernels,gpuprocess}/*.[ch] "
	  . "$root/{src,kernels,gpuprocess}/*.cu $root/{src,kernels,gpuprocess}/*/*.{c,h,cu}");
is(join("\n", grep { !$drawn{$_} } map { s{^\Q$root\E/}{}r } sort keys %folders),
	'', 'each folder is drawn');
is(join("\n", @wrong), '', 'includes follow the arrows');

# An arrow that nothing follows is not part of the picture.
is(join("\n", map { my $from = $_; map { "$from --> $_" }
			grep { !$arrows{$from}{$_} } sort keys %{ $arrows{$from} } } sort keys %arrows),
	'', 'includes follow all arrows');

# Circles of a folder's files whose functions call each other, or hand each other
# on, by the objects of the folders that make has built.
my $built = $ENV{TESTDIR} // $root;
my %files;
push @{ $files{ folder_of($_) } }, $_
  foreach map { s{^\Q$root\E/(.*)\.c$}{$1}r } glob("$root/{src/*,gpuprocess}/*.c");
my @built = grep { !grep { !-e "$built/$_.o" } @{ $files{$_} } } sort keys %files;

# The sets of files that reach each other, if each calls the files that it is
# the key of.
sub circles
{
	my (%calls) = @_;
	my %reached;

	foreach my $file (keys %calls)
	{
		my @left = ($file);

		while (defined(my $from = pop @left))
		{
			push @left, grep { !$reached{$file}{$_}++ } keys %{ $calls{$from} };
		}
	}
	my %circles = map {
		my $file = $_;
		my @together = sort grep { $reached{$file}{$_} && $reached{$_}{$file} }
		  keys %reached;
		@together > 1 ? ("@together" => 1) : ();
	} keys %reached;
	return sort keys %circles;
}

SKIP:
{
	skip 'make has built no folder', 1 unless @built;

	my (%defined, %called, %calls);
	chdir $built or die "could not change to $built: $!";
	foreach (split /\n/, `nm -gA @{[ map { "$_.o" } map { @{ $files{$_} } } @built ]}`)
	{
		my ($file, $kind, $function) = /^(.+?)\.o:.* ([TU]) (\w+)$/ or next;

		$defined{$function} = $file if $kind eq 'T';
		push @{ $called{$function} }, $file if $kind eq 'U';
	}
	foreach my $function (grep { $defined{$_} } keys %called)
	{
		my $to = $defined{$function};

		$calls{$_}{$to} = 1
		  foreach grep { folder_of($_) eq folder_of($to) } @{ $called{$function} };
	}
	note "built: @built";
	is(join("\n", circles(%calls)), '', 'no circle of calls inside a folder');
}

done_testing();
