
# The library of the laboratory's algorithms, which the GPU process loads when a
# call names one of them: it is missing, something else, or of another version.

use File::Copy qw(copy);
use lib 't/lib';

use Gpucompact;

plan skip_all => 'make t/engine/gpu_on_cpu has not been run' unless -e built('engine/gpu_on_cpu');

my $node = start_faulty('lab', 'gpu_on_cpu', @small_lanes);
my $directory = $node->safe_psql('postgres',
	"SELECT DISTINCT probin FROM pg_proc WHERE proname = 'gpu_radix_sort'")
  =~ s{/[^/]*$}{}r;
my $library = "$directory/gpucompact_lab.so";
my $naive = "SET gpucompact.engine = auto; SET gpucompact.algorithm = naive;
	SELECT gpu_radix_sort('{2,1}'::integer[])";

$node->safe_psql('postgres', "SELECT set_fault('begin lab')");

# The call fails, for a reason that names the file.
sub refused
{
	my ($what, $why) = @_;

	like(fails_with($node, '0A000', $naive, "$what: the call fails"),
		$why, "$what: for that reason");
	return;
}

refused('no library',
	qr/not supported by the algorithm that is set
DETAIL:  The library of this algorithm could not be loaded: \Q$library\E: .*No such file.*
HINT:  Set "gpucompact.algorithm" and "gpucompact.engine" to "auto"\.$/m);
append_to_file($library, "This is not a library.\n");
refused('text', qr/could not be loaded: \Q$library\E: /);
unlink $library;

SKIP:
{
	my $compiler = $ENV{CC} || 'cc';

	skip("no C compiler: $@", 1) unless eval { run_command([ $compiler, '--version' ]); 1 };

	my $other = qr/The library of this algorithm, "\Q$library\E", is of another version\./;
	my %sources = (
		'another library' => 'int nothing;',
		'another version' =>
		  'struct { unsigned version; void *operation; } gpucompact_lab = {4711, 0};');
	my $file = PostgreSQL::Test::Utils::tempdir() . '/lab.c';

	foreach my $what (sort keys %sources)
	{
		unlink $file;
		append_to_file($file, "$sources{$what}\n");
		run_command([ $compiler, '-shared', '-fPIC', '-o', $library, $file ]);
		refused($what, $other);
		unlink $library;
	}
}

# The process goes on, and looks for the library again.
is($node->safe_psql('postgres', "
		SELECT set_fault('none none');
		SET gpucompact.engine = cuda;
		SELECT gpu_radix_sort('{2,1}'::integer[])"),
	"\n{1,2}", 'no library: other calls need none');
SKIP:
{
	skip('make gpucompact_lab.so has not been run', 1) unless -e built('../gpucompact_lab.so');

	copy(built('../gpucompact_lab.so'), $library) or die "$library: $!";
	is($node->safe_psql('postgres', "SELECT set_fault('begin lab'); $naive"),
		"\n{1,2}", 'a library of this version is loaded');
}

survived($node);

# A process that ends by itself says what it has run, for script/coverage.
$node->stop;

done_testing();
