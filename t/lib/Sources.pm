
# What the tests of the sources share.  Nothing here needs a server, nor the modules
# of PostgreSQL's tests.

package Sources;

use strict;
use warnings;

use Cwd qw(abs_path);
use Exporter qw(import);
use File::Basename qw(dirname);

our @EXPORT = qw($root read_file);

# The source tree.
our $root = dirname(dirname(dirname(abs_path(__FILE__))));

sub read_file
{
	my ($path) = @_;

	open my $file, '<', $path or die "could not open $path: $!";
	local $/;
	return scalar <$file>;
}

1;
