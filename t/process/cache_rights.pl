
# Who may see, fill and clear the GPU process's cache, and from when on; and the
# errors without a GPU or without its program.

use lib 't/lib';

use Gpucompact;
use GpuCache;

my $node = start_cache('cache_rights');
make_external($node);

$node->safe_psql('postgres', q(
	CREATE ROLE anyone; CREATE ROLE monitor IN ROLE pg_monitor;));
fails_with($node, '42501', 'SET ROLE anyone; SELECT * FROM gpu_cache()',
	'gpu_cache(): not for everyone');
fails_with($node, '42501', "SET ROLE $_; SELECT gpu_cache_clear()",
	"gpu_cache_clear(): not for $_")
  foreach 'anyone', 'monitor';
is($node->safe_psql('postgres', qq(
		SELECT gpu_cache_clear();
		GRANT SELECT ON external TO anyone;
		SET ROLE anyone;
		SELECT gpu_cache_load(samples), gpu_cache_load(bytes),
			   gpu_cache_load(letters), gpu_cache_load(mask) FROM external;
		$cuda
		DO 'BEGIN PERFORM gpu_delta(samples), gpu_reduce(samples, ''max'')
			FROM external; END';
		SET ROLE monitor;
		SELECT database = (SELECT oid FROM pg_database WHERE datname = 'postgres'),
			   toast_relation = (SELECT reltoastrelid FROM pg_class
								 WHERE oid = 'external'::regclass),
			   bytes, hits, last_use BETWEEN now() - interval '1 minute' AND
											 now() + interval '1 second'
		FROM gpu_cache() ORDER BY bytes;
		SELECT sum(cache_bytes) FROM gpu_processes();
		RESET ROLE;
		SELECT gpu_cache_clear();
		SELECT count(*) FROM gpu_cache();
		SELECT sum(cache_bytes) FROM gpu_processes();)),
	join("\n", '', '264000|134973|209958|66000', 't|t|66000|0|t', 't|t|134973|0|t',
		't|t|209958|0|t', 't|t|264000|2|t', 674931, '', 0, 0),
	'gpu_cache_load(), gpu_cache() and gpu_cache_clear()');

survived($node);
$node->stop;

$node = start_faulty_cache('cache_missing');
my $ask = verdict('changing');

# It is seen, and can be cleared, as soon as there is a process.
is(answers($node, "$cuda SELECT gpu_cache_load(a) FROM changing;
		SELECT count(*) FROM gpu_cache(); SELECT gpu_cache_clear(); $ask $source"),
	"80000\n1\nt\ntoast pages", 'gpu_cache() and gpu_cache_clear() of a new process');
gpu_pid($node);

# Without a GPU, and then without a program.
{
	my $library = $node->safe_psql('postgres',
		q(SELECT probin FROM pg_proc WHERE proname = 'gpu_cache'));

	stop_gpu($node);
	$node->safe_psql('postgres', "SELECT set_fault('open no_device')");
	not_loaded($node, 'the test has it so: open', "SELECT gpu_cache_load($_)",
		'without a GPU') foreach '(SELECT a FROM changing)', q('{1}'::integer[]);
	$node->safe_psql('postgres', $no_fault);
	unlink(($library =~ s{/[^/]*$}{}r) . '/gpucompact_gpu');
	not_loaded($node, 'no GPU program is installed', "SELECT gpu_cache_load($_)",
		'without a GPU program')
	  foreach '(SELECT a FROM changing)', q('{1}'::integer[]);
	is($node->safe_psql('postgres',
			"SET gpucompact.engine = auto;
			$ask SELECT gpu_cache_clear(); SELECT count(*) FROM gpu_cache();"),
		"t\n\n0", 'without a GPU program: nothing is cached');
}
$node->stop;
done_testing();
