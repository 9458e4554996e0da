
# The CPU engine without a server, built by a cross compiler for arm64, which qemu plays:
# all operations, compared with plain loops.  With GPUCOMPACT_TEST_FULL=1 in the
# environment.

use lib 't/lib';

use Gpucompact;

plan skip_all => 'takes minutes: wants GPUCOMPACT_TEST_FULL=1' if !$ENV{GPUCOMPACT_TEST_FULL};

my $engines = built('engine/engines_arm64');
plan skip_all => 'make t/engine/engines_arm64 has not been run' unless -x $engines;
plan skip_all => 'there is no qemu-aarch64'
  unless grep { -x "$_/qemu-aarch64" } split(/:/, $ENV{PATH});

foreach my $size ('1-33', '257-257', '511-513', '1023-1025', '4097-4097')
{
	my ($out, $said) = run_command([ 'qemu-aarch64', $engines, 'cpu', $size ]);

	like($out, qr/^cpu: [1-9]\d+ tests, 0 failures$/m, "$size elements: as plain loops");
	is($said, '', "$size elements: and nothing is said");
}

done_testing();
