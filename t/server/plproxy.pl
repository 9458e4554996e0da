
# Rows on several servers, by PL/Proxy: functions run queries where the arrays are,
# and the answers equal those of one table.  The setup and the queries are from
# docs/scaling.md.
#
# This needs PL/Proxy: Debian has it as postgresql-15-plproxy.

use lib 't/lib';

use Gpucompact;
use Scaling;

my ($sharedir) = run_command([ 'pg_config', '--sharedir' ]);

plan skip_all => 'PL/Proxy is not installed' unless -e "$sharedir/extension/plproxy.control";

my ($queries, %blocks) = page_of('PL/Proxy');
my ($front, @servers) = map { new_server($_) } 'front', 'one', 'two', 'three';
$_->start foreach $front, @servers;
$_->safe_psql('postgres', $blocks{'on each server'}) foreach @servers;
$front->safe_psql('postgres', with_hosts($blocks{'on the front'}, @servers));

# Each server has its part of the rows.
load_alone($front);
foreach my $number (0 .. $#servers)
{
	foreach my $table ('runs', 'events')
	{
		my $rows = $front->safe_psql('postgres',
			"COPY (SELECT * FROM alone.$table WHERE abs(sensor % 3) = $number) TO STDOUT");

		$servers[$number]->safe_psql('postgres', "COPY $table FROM STDIN;\n$rows\n\\.\n");
	}
}

# One server that has all answers as the servers together do: the queries of the functions
# there, in functions of the same names.
my $alone = $blocks{'on the front'} =~ s/^.*?(?=^-- Any expression)//msr;
$alone =~ s/LANGUAGE plproxy AS \$\$\n.*?(?=^SELECT)/LANGUAGE sql AS \$\$\n/msg;
$alone =~ s/e\.sensor = sensor/e.sensor = \$1/;
$alone =~ s/> above/> \$1/;
$front->safe_psql('postgres', "SET search_path = alone, public; SET check_function_bodies = off; $alone");
answers_agree($front, @$queries);

is($front->safe_psql('postgres', 'SELECT count(*) FROM reading_parts()'),
	3, 'each server answers for all of its rows');
my ($failed) = answers($front, 'public', 'SELECT * FROM run_facts(2147483647)', 'SELECT sensor_median(0)');
is($failed, '00000', 'no row');

# An error of a server is the query's.
$servers[1]->safe_psql('postgres', q(UPDATE events SET reading = NULL; DROP TABLE runs));
isnt((answers($front, 'public', 'SELECT * FROM run_facts(0)'))[0], '00000', 'an error of a server is an error of the query');
survived($_) foreach $front, @servers;

done_testing();
