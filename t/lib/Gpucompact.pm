
# What the tests of gpucompact share: a server with the extension in it, and
# the engines that there are on this machine.

package Gpucompact;

use strict;
use warnings;

use Exporter qw(import);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

our @EXPORT = qw(new_server start_server engines fails_with survived);

# A server that is not started yet.
sub new_server
{
	my ($name) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name);

	$node->init(extra => [ '--locale=C', '--encoding=UTF8' ]);

	# Nothing that runs on its own, and no compiling of queries.
	$node->append_conf('postgresql.conf', "autovacuum = off\njit = off\n");
	return $node;
}

# A started one with the extension.
sub start_server
{
	my ($name) = @_;
	my $node = new_server($name);

	$node->start;
	$node->safe_psql('postgres', 'CREATE EXTENSION gpucompact');
	return $node;
}

# The engines that this machine has, in a hash: a name for each, and the
# settings that choose it.  PGOPTIONS may have chosen another one for the
# whole run, so that a test of an engine has to say which.
sub engines
{
	my ($node) = @_;
	my %engines;

	foreach my $threads (1, 2, 4)
	{
		$engines{"cpu_threads = $threads"} =
		  "SET gpucompact.engine = cpu; SET gpucompact.cpu_threads = $threads;";
	}

	my $gpus = $node->safe_psql('postgres',
		'SELECT count(*) FROM gpu_devices() WHERE index IS NOT NULL');
	if ($gpus > 0)
	{
		$engines{'cuda'} = 'SET gpucompact.engine = cuda;';
	}
	else
	{
		note('no GPU here: only the CPU engine is tested');
	}
	return %engines;
}

# Runs SQL that has to fail with the SQLSTATE, and returns all that psql said
# of the failure.
sub fails_with
{
	my ($node, $sqlstate, $sql, $name) = @_;
	my ($status, $out, $err) = $node->psql('postgres',
		"\\set VERBOSITY verbose\n$sql");

	like($err, qr/ERROR:  \Q$sqlstate\E:/, $name);
	return $err;
}

# No process of the server may have died of a test.
sub survived
{
	my ($node) = @_;
	my $log = slurp_file($node->logfile);

	is($node->safe_psql('postgres', 'SELECT 1'), '1', 'the server is up');
	unlike($log, qr/terminated by signal|PANIC:|TRAP:/,
		'no process of the server has died');
	return;
}

1;
