
# bench/pages: figures of new results replace those of old ones in the pages, and
# nothing else changes.

use strict;
use warnings;

use File::Path qw(make_path);
use File::Temp qw(tempdir);
use FindBin;
use lib "$FindBin::RealBin/../lib";

use Sources;
use Test::More;

my $python = $ENV{PYTHON3} // 'python3';
plan skip_all => "needs $python" if system("'$python' --version >/dev/null 2>&1");

sub write_file
{
	my ($path, $text) = @_;

	open(my $file, '>', $path) or die "$path: $!";
	print $file $text;
	close($file) or die "$path: $!";
	return;
}

my $directory = tempdir(CLEANUP => 1);
make_path(map { "$directory/$_" } 'docs', 'old', 'bench/results');

# Measured once, with a figure that a result has by chance.
my $tried = <<'END';
| what | median |
|---|---|
| `h(a)` | 25 ms |
END

# What bench/pages makes of a page, and what it says, when a result changes.
sub pages
{
	my ($page, $old, $new) = @_;

	write_file("$directory/README.md", "# None\n");
	write_file("$directory/docs/performance.md", $page);
	write_file("$directory/old/a.md", $old);
	write_file("$directory/bench/results/a.md", $new);
	write_file("$directory/bench/tried.md", $tried);
	my $said = `'$python' '$root/bench/pages' '$directory/old' --root '$directory' 2>&1`;
	return (read_file("$directory/docs/performance.md"), $said);
}

my $old = <<'END';
### normal
| what | median | min .. max | as fast as |
|---|---|---|---|
| `f(a)` | 11 ms | 9 ms .. 14 ms | 26x SQL |
| `g(a)` | 14 ms | 11 ms .. 15 ms | 9x SQL |
### uniform
| what | median | min .. max | as fast as |
|---|---|---|---|
| `f(a)` | 25 ms | 20 ms .. 26 ms | 7x SQL |
END
my $new = $old =~ s/11 ms \| 9 ms/900 us | 800 us/r =~ s/26x/31x/r =~
  s/25 ms \|/27 ms |/r;
my $page = <<'END';
## One
Here `f(a)` takes 11 ms, of 2^24 elements.

| call | takes | ratio |
|---|---|---|
| `f(a)`, normal | 11 ms | 26 |
| `f(a)`, uniform | 25 ms | 7 |
| `g(a)` | 14 ms | 9 |

[a](../bench/results/a.md)
## Two
| `f(a)` | 11 ms |
|---|---|
| `f(a)` | 11 ms |
END

my ($same, $nothing) = pages($page, $old, $old);
is($same, $page, 'without new results a page stays as it is');
is($nothing, '', 'and there is nothing to say');

my ($changed, $by_hand) = pages($page, $old, $new);
is($changed, $page =~ s/normal \| 11 ms \| 26/normal | 900 us | 31/r =~ s/25 ms/27 ms/r,
	'figures become those in the same places; other sections stay');
is($by_hand, '', 'a figure in the text that a new result has is left');

(undef, $by_hand) = pages($page, $old, $new =~ s/11 ms/12 ms/gr);
like($by_hand, qr/^docs\/performance.md: 11 ms: Here `f\(a\)`/, 'others are printed');

my $once = "## One\n$tried\n[a](../bench/results/a.md), [tried](../bench/tried.md#x)\n";
($changed, $by_hand) = pages($once, $old, $new);
is($changed, $once, 'a figure of bench/tried.md stays');
is($by_hand, '', 'and is not printed');

# Results of programs in C have tables between fences.
$old = <<'END';
```
CUB 3.5.0
operation data        n by        us checked
scan      random   4096 ours    3.47 yes
scan      random   4096 cub     8.55 yes
scan      narrow  16384 ours    3.47 yes
sort      random   4096 ours   12.50 yes
```
END
$new = $old =~ s/12\.50/11.20/r =~ s/random   4096 ours    3\.47/random   4096 ours    3.50/r;
$page = <<'END';
## One
| | ours |
|---|---|
| sort | 12.50 |
| scan | 3.47 |

[a](../bench/results/a.md)
END

($changed, $by_hand) = pages($page, $old, $new);
is($changed, $page =~ s/12\.50/11.20/r, 'figures of a table between fences');
like($by_hand, qr/^docs\/performance.md: 3\.47: \| scan/,
	'one that is in two places is printed');

# What bench/release keeps of a long answer.
sub compact
{
	my ($of, $answer) = @_;

	write_file("$directory/answer", $answer);
	local $ENV{PYTHONDONTWRITEBYTECODE} = 1;
	local $ENV{PYTHONPATH} = "$root/bench";
	return `'$python' -c 'import sys; from measure import compact; print(compact.$of(sys.stdin.read()))' < '$directory/answer'`;
}

my $kernels = compact('kernels', <<'END');
CUB 3.5.0
operation data        n by        us spread checked
sort      random   4096 ours   12.50  0.010 yes
sort      random   4096 cub    13.00  0.010 yes
sort      random   4096 copy    1.00  0.010 yes
sort      random  16384 ours   20.00  0.030 yes
sort      random  16384 cub    21.00  0.010 yes
sort      sorted  16384 ours   19.00  0.020 NO
END
like($kernels, qr/^CUB 3\.5\.0; .*Wrong results: 1\..* 0\.020\.$/m, 'what is wrong is said');
like($kernels, qr/^\| operation \| data \| 2\^12 \| CUB \| 2\^14 \| CUB \|$/m, 'sizes are columns');
like($kernels, qr/^\| sort \| random \| 12\.50 \| 13\.00 \| 20\.00 \| 21\.00 \|\n\| sort \| sorted \|  \|  \| 19\.00 \|  \|$/m,
	'and operations and data are rows');

my $crossover = compact('crossover', <<'END');
| call | elements | CPU, 1 thread | CPU, 4 | GPU, 1 | GPU, 4 | auto, 1 | auto, 4 | CPU, cached | GPU, cached | auto, cached |
|---|---|---|---|---|---|---|---|---|---|---|
| `f(a)` | 2^10 | 10.0 | 20.0 | 30.0 | 10.0 | 10.0 | 10.0 | 9.0 | 8.0 | 8.0 |
| `f(a)` | 2^12 | 40.0 | 30.0 | 50.0 | 40.0 | 60.0 | 30.0 | 9.5 | 8.5 | 8.5 |
| `f(a)` | 2^14 | 80.0 | 50.0 | 90.0 | 40.0 | 80.0 | 40.0 | 9.9 | 8.9 | 8.9 |

| auto / the better engine, of 9 cases | |
|---|---|
| median | 1.00 |
END
like($crossover, qr/^\| `f\(a\)` \| - \|  \| 80\.0, 90\.0 \| 2\^14 \| 50\.0, 40\.0 \| 30\.0, 40\.0 \| 2\^10 \| 9\.0, 8\.0 \|  \|$/m,
	'the sizes next to that from which on a GPU is faster');
like($crossover, qr/^\| median \| 1\.00 \|\n\n.*\n\n.*\n.*\n\| `f\(a\)` \| 2\^12 \| one thread \| 40\.0 \| 50\.0 \| 60\.0 \|$/m,
	'and where auto is far off');

done_testing();
