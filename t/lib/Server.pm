
# A server of a test, as PostgreSQL::Test::Cluster has it, with one psql for most queries,
# each in a session of its own: to start psql takes longer than a short query.  When psql
# has answered, it begins the next session.

package Server;

use strict;
use warnings;

# (What is imported would be a method.)
use IPC::Open3 ();
use PostgreSQL::Test::Cluster ();
use PostgreSQL::Test::Utils ();
use Test::More ();
use Time::HiRes ();

our @ISA = ('PostgreSQL::Test::Cluster');

# What psql prints around its answer, and behind its errors: the next session may not begin.
my ($begin, $end) = map { "$_ of the answer $$" } 'begin', 'end';

# These have a psql of their own: what psql would keep for the next query, or what a
# session is begun with.
my $alone = qr/\\(?:!|setenv|pset|o\b|c\b|copy\b)|\bALTER (?:DATABASE|ROLE)\b/;

# The settings of the environment that sessions have.
sub environment
{
	return join("\n", map { "$_=$ENV{$_}" } grep { /^PG(?:OPTIONS|CLIENT|TZ|DATESTYLE)/ } sort keys %ENV);
}

# Starts it, connected to a database.
sub start_psql
{
	my ($self, $connection) = @_;
	my $directory = PostgreSQL::Test::Utils::tempdir();
	my %psql = (
		file => "$directory/sql",
		said => "$directory/said",
		environment => environment());

	open(my $errors, '>>', $psql{said}) or die "could not open $psql{said}: $!";
	$psql{pid} = IPC::Open3::open3($psql{to}, $psql{from}, '>&' . fileno($errors),
		'psql', '-XAtq', '-d', $connection, '-f', '-');
	binmode($_) foreach $psql{to}, $psql{from};
	return $self->{one_psql} = \%psql;
}

sub stop_psql
{
	my ($self) = @_;
	my $psql = delete $self->{one_psql};

	return unless $psql;
	close($psql->{$_}) foreach 'to', 'from';
	waitpid($psql->{pid}, 0);
	return;
}

# What psql has printed, its errors, and its exit status if it ended, which it does by the
# end of a session, and by an error if this is asked for; or nothing if it had no session.
sub ask
{
	my ($self, $sql, $on_error_stop) = @_;
	my $connection = $self->connstr('postgres');
	my $psql = $self->{one_psql} || $self->start_psql($connection);
	my $again = $connection =~ s/\\/\\\\/gr =~ s/'/''/gr;

	unlink($psql->{file});
	PostgreSQL::Test::Utils::append_to_file($psql->{file}, $sql);
	truncate($psql->{said}, 0);
	{
		local $SIG{PIPE} = 'IGNORE';

		syswrite($psql->{to}, "\\set VERBOSITY default
			\\set ON_ERROR_STOP 1
			SELECT \\g /dev/null
			\\echo $begin
			\\set ON_ERROR_STOP $on_error_stop
			\\i $psql->{file}
			\\warn $end
			\\echo $end
			\\c '$again'\n");
	}

	my ($out, $status) = ('', 0);
	do
	{
		if (!sysread($psql->{from}, $out, 65536, length($out)))
		{
			$self->stop_psql;
			$status = $?;
		}
	} while ($self->{one_psql} && substr($out, -length("$end\n")) ne "$end\n");

	$out =~ s/^$begin\n// or return;
	my $err = PostgreSQL::Test::Utils::slurp_file($psql->{said});

	$err =~ s/^$end\n.*//sm;
	return ($out =~ s/$end\n\z//r, $err =~ s/^psql:\Q$psql->{file}\E:/psql:<stdin>:/mgr, $status);
}

sub psql
{
	my ($self, $database, $sql, %params) = @_;
	my %mine = (on_error_stop => 1, stdout => \my $out, stderr => \my $err, on_error_die => 0, %params);
	my $shares = $database eq 'postgres' && $sql !~ $alone && keys %mine == 4;

	$self->stop_psql unless $shares && $self->{one_psql} && $self->{one_psql}{environment} eq environment();
	my @said = $shares ? $self->ask($sql, $mine{on_error_stop} ? 1 : 0) : ();
	return $self->SUPER::psql($database, $sql, %params) unless @said;

	my $status = pop(@said);
	chomp(@said);
	(${ $mine{stdout} }, ${ $mine{stderr} }) = @said;
	die "psql was killed by signal $status: $said[1]" if $status & 127;
	die "psql ended with $status: $said[1]\nwhile it ran: $sql" if $status && $mine{on_error_die};
	return wantarray ? ($status >> 8, @said) : $status >> 8;
}

# The session that has begun would go on.
foreach my $change ('stop', 'restart', 'kill9')
{
	my $do_it = "SUPER::$change";

	no strict 'refs';
	*$change = sub {
		my ($self, @arguments) = @_;

		$self->stop_psql;
		return $self->$do_it(@arguments);
	};
}

sub poll_query_until
{
	my ($self, $database, $query, $expected) = @_;
	my @said;

	$expected //= 't';
	for (my $i = 0; $i < 10 * $PostgreSQL::Test::Utils::timeout_default; $i++)
	{
		@said = $self->psql($database, $query, on_error_stop => 0);
		return 1 if $said[1] eq $expected && $said[2] eq '';
		Time::HiRes::sleep(0.1);
	}
	Test::More::diag("no $expected from $query, but: @said");
	return 0;
}

1;
