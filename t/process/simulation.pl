
# Lanes, leases, the cache and residents in made-up orders of the steps of the GPU
# process and its sessions, with deaths and faults: 5,000 of them, others in each run.
#
# GPUCOMPACT_TEST_SEED repeats those of a run.  With GPUCOMPACT_TEST_FULL=1 in the
# environment, there are 200,000.

use lib 't/lib';

use Gpucompact;

my $simulate = built('engine/simulate');
plan skip_all => 'make t/engine/simulate has not been run' unless -x $simulate;

my $schedules = $ENV{GPUCOMPACT_TEST_FULL} ? 200_000 : 5_000;
my $seed = $ENV{GPUCOMPACT_TEST_SEED} // time . '000000';
my ($out, $said) = run_command([ $simulate, $schedules, $seed ]);

like($out, qr/^$schedules schedules, none wrong$/m, "schedules from seed $seed on");
is($said, '', 'and nothing is said');
my @happened = $out =~ /^(\d+) jobs right, (\d+) failed.* (\d+) arrays cached, (\d+) stayed;/;
cmp_ok($_, '>', $schedules / 10, 'and all of it happens') foreach @happened;
is(scalar(@happened), 4, 'as the simulation says');

done_testing();
