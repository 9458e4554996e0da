
# Idioms of calls on elements one by one: comparisons.

package Idioms::Elements;

use strict;
use warnings;

use Exporter qw(import);
use Arrays;
use Idioms::Order;

our @EXPORT = qw(comparison_calls);

my $elements = 'unnest(a) WITH ORDINALITY AS u (x, i)';

# Calls that compare each element with values.
sub comparison_calls
{
	my ($type) = @_;
	my @calls = map {
		[ "gpu_compare(a, '$_')",
			"moved(ARRAY(SELECT x $_ FROM $elements ORDER BY i), a)", 1 ]
	} 'is null', 'is not null';

	push @calls, map {
		[ "gpu_compare(a, '$_', value)",
			"moved(ARRAY(SELECT x $_ value FROM $elements ORDER BY i), a)", 1 ]
	} '=', '<>', '<', '<=', '>', '>=';
	push @calls, map {
		my ($low, $high) = @$_;

		[ "gpu_compare(a, 'between', $low, $high)",
			"moved(ARRAY(SELECT x BETWEEN $low AND $high FROM $elements
						 ORDER BY i), a)", 1 ]
	} bounds_on($type), [ 'value', 'NULL' ], [ 'NULL', 'value' ];
	return @calls;
}

1;
