
# Calls that treat elements one by one: comparisons, arithmetic, choices between
# arrays; and those that leave elements out.

package Calls::Elements;

use strict;
use warnings;

our @records = (

	# Comparisons with values, and of two arrays.
	[ q(gpu_compare(a, '{null}')), each => 'x {null}', chain => 'boolean',
	  run => { compare_by_null => q(gpu_compare(samples, 'is null')) } ],
	[ q(gpu_compare(a, '{compare}', value)), each => 'x {compare} value', stage => 'boolean',
	  run => { compare => q(gpu_compare(samples, '>', 0)) } ],
	[ q(gpu_compare(%s, '{compare}', {any_number})), stage => 'boolean', takes => 'number' ],
	[ q(gpu_compare(a, 'between', {between})), each => 'x BETWEEN {BETWEEN}',
	  run => { compare_between => q(gpu_compare(samples, 'between', -7, 1000000000)) } ],
	[ q(gpu_compare(a, '{compare}', {backwards})), each => 'x {compare} y', of => 'a, {backwards}',
	  run => { compare_arrays => q(gpu_compare(samples, '>', points)) } ],
	[ q(gpu_compare(%s, '{compare}', b)), chain => 'boolean', takes => 'int4' ],
	[ q(gpu_compare(a, '{compare}', %s)), chain => 'boolean', takes => 'a' ],

	# Choices between two arrays.
	[ 'gpu_where(mask, a, {backwards})', each => 'CASE WHEN z THEN x ELSE y END',
	  of => 'a, {backwards}, mask', run => { where => 'gpu_where(mask, samples, points)' } ],
	[ 'gpu_where(mask, a, value)', each => 'CASE WHEN y THEN x ELSE value END', of => 'a, mask',
	  run => { where_value => 'gpu_where(mask, samples, 7)' } ],
	[ 'gpu_where(mask, a, NULL)', each => 'CASE WHEN y THEN x END', of => 'a, mask' ],
	[ q(gpu_zip(mask, '{logical}', gpu_compare(a, '>', value))), each => 'x {logical} y > value',
	  of => 'mask, a' ],
	[ q(gpu_zip(mask, 'and', %s)), chain => '', takes => 'boolean' ],
	[ 'gpu_where(mask, %s, b)', chain => '', takes => 'int4' ],
	[ 'gpu_where(mask, a, %s)', chain => '', takes => 'a' ],
	[ 'gpu_where(mask, %s, {any_number})', chain => '', takes => 'number' ],
	[ 'gpu_where(%s, a, a)', chain => 'a', takes => 'boolean' ],
	[ q(gpu_where(gpu_compare(%s, '<', {any_number}), b, %s)), chain => '', takes => 'int4' ],

	# Arithmetic.
	[ q(gpu_map(s, '{operator}', {number})), each => 'x {operator} {number}::{type}', of => 's',
	  types => 'number', fails => 'number', run => { map => q(gpu_map(samples, 'greatest', -7)) } ],
	[ q(gpu_map(7, '{operator}', p)), each => '7::{type} {operator} x', of => 'p',
	  types => 'number', fails => 'number' ],
	[ q(gpu_zip(s, '{operator}', p)), each => 'x {operator} y', of => 's, p',
	  types => 'number', fails => 'number', run => { zip => q(gpu_zip(samples, 'least', points)) } ],
	[ q(gpu_zip(s, '{operator}', b)), each => 'x {operator} y', of => 's, b', types => 'integer' ],
	[ q(gpu_map(s, '{quotient}', {number})), each => 'x {quotient} {number}::{type}', of => 's',
	  types => 'number', fails => 'number' ],
	[ q(gpu_map(7, '{quotient}', {divisors})), each => '7::{type} {quotient} x',
	  of => '{divisors}', types => 'number', fails => 'number' ],
	[ q(gpu_zip(s, '{quotient}', {divisors})), each => 'x {quotient} y',
	  of => 's, {divisors}', types => 'number', fails => 'number' ],
	[ q(gpu_map(%s, '{arithmetic}', {any_number})), stage => '', takes => 'number' ],
	[ q(gpu_date_bin(a, '{period}', '2000-01-01 12:30+00')), types => 'timestamp', own => 1,
	  each => q(date_bin('{period}', x, '2000-01-01 12:30+00')) ],
	[ 'gpu_date_bin(a, 65536)', types => 'binned', own => 1,
	  each => '(x::numeric - mod(mod(x::numeric, 65536) + 65536, 65536))::{type}',
	  run => { date_bin => 'gpu_date_bin(samples, 65536)' } ],
	[ 'gpu_date_bin(%s, {stride})', stage => '', takes => 'binned' ],
	[ q(gpu_map({any_number}, '{arithmetic}', %s)), stage => '', takes => 'number' ],
	[ q(gpu_zip(%s, '{arithmetic}', b)), chain => '', takes => 'int4' ],
	[ q(gpu_zip(%s, '{arithmetic}', %s)), chain => '', takes => 'number' ],
	[ q(gpu_zip(a, '{arithmetic}', %s)), chain => '', takes => 'a' ],

	# (A NULL value makes NULL, whatever the array is.)
	[ q(gpu_map(a, '{smaller}', coalesce(value, 3::{type}))),
	  each => '{smaller}(x, coalesce(value, 3::{type}))', types => 'number', equal => 'any', own => 1 ],
	[ q(gpu_map(coalesce(value, 3::{type}), '{smaller}', a)),
	  each => '{smaller}(coalesce(value, 3::{type}), x)', types => 'number', equal => 'any', own => 1 ],
	[ q(gpu_zip(a, '{smaller}', {backwards})), each => '{smaller}(x, y)', of => 'a, {backwards}',
	  types => 'number', equal => 'any', own => 1 ],
	[ q(gpu_map(%s, 'greatest', {any_number})), stage => '', takes => 'number' ],

	# Functions.
	[ q(gpu_map(s, '{function}')), each => '{function}(x)::{type}', of => 's', types => 'number',
	  run => { map_function => q(gpu_map(points, '-')) } ],
	[ q(gpu_map(s, '{magnitude}')), each => '{magnitude}(x)', of => 's', types => 'none',
	  fails => 'number' ],
	[ q(gpu_map(a, '{function}')), each => '{function}(x)::{type}', types => 'float',
	  equal => 'any', own => 1 ],
	[ q(gpu_map(gpu_map(a, 'abs'), 'sqrt')), each => 'sqrt(abs(x))::{type}', types => 'float',
	  equal => 'any', own => 1 ],
	[ q(gpu_map(s, 'sqrt')), each => 'sqrt(x)::{type}', of => 's', types => 'none', fails => 'float' ],
	[ q(gpu_map(%s, '{any_function}')), stage => '', takes => 'number' ],
	[ q(gpu_map(%s, 'abs')), stage => '', takes => 'number' ],

	# Differences.
	[ 'gpu_delta(s{lag})', of => 's', each => 'x - lag(x, {LAG}) OVER (ORDER BY i)',
	  types => 'number', fails => 'number', shaped => 1, long => 1,
	  run => { delta => 'gpu_delta(points)' } ],
	[ 'gpu_delta(s, 5)', each => 'x - lag(x, 5) OVER (ORDER BY i)',
	  of => 's', types => 'none', fails => 'number', shaped => 1 ],
	[ 'gpu_delta(s, 2, true)', of => 's', types => 'number', shaped => 1, long => 1,
	  each => 'CASE WHEN i <= 2 THEN x ELSE x - lag(x, 2) OVER (ORDER BY i) END',
	  run => { delta_keep => 'gpu_delta(points, 1, keep => true)' } ],
	[ 'gpu_delta({finite}{lag})', each => 'x - lag(x, {LAG}) OVER (ORDER BY i)', of => '{finite}',
	  types => 'date', own => 1, shaped => 1 ],
	[ 'gpu_delta({finite}{lag})', of => '{finite}', types => 'clock', own => 1, shaped => 1,
	  each => '(extract(epoch FROM x - lag(x, {LAG}) OVER (ORDER BY i)) * 1000000)::bigint' ],
	[ 'gpu_delta(%s)', stage => '', takes => 'number' ],
	[ 'gpu_delta(%s, {any_lag})', chain => '', takes => 'number' ],
	[ 'gpu_delta(%s, 1, true)', stage => '', takes => 'number' ],

	# Elements that are something, and their positions.
	[ 'gpu_compact(a)', list => 'x | WHERE x <> 0::{type}', types => 'zero', long => 1,
	  chain => '', takes => 'number', run => { compact => 'gpu_compact(samples)' } ],
	[ 'gpu_compact_nulls(a)', list => 'x | WHERE x IS NOT NULL', chain => '',
	  run => { compact_nulls => 'gpu_compact_nulls(samples)' } ],
	[ q(gpu_compact(a, '{null}')), list => 'x | WHERE x {null}', chain => '' ],
	[ q(gpu_positions(a, '{null}')), list => 'i::integer | WHERE x {null}', chain => 'integer',
	  run => { positions_by_null => q(gpu_positions(samples, 'is null')) } ],
	[ q(gpu_compact(a, '{compare}', value)), list => 'x | WHERE x {compare} value', stage => '',
	  run => { compact_by_value => q(gpu_compact(samples, '>', 0)) } ],
	[ q(gpu_positions(a, '{compare}', value)), list => 'i::integer | WHERE x {compare} value',
	  long => 1, run => { positions => q(gpu_positions(samples, '>', 0)) } ],
	[ q(gpu_compact(a, 'between', {between})), list => 'x | WHERE x BETWEEN {BETWEEN}',
	  run => { compact_between => q(gpu_compact(samples, 'between', -7, 1000000000)) } ],
	[ q(gpu_positions(a, 'between', {between})), list => 'i::integer | WHERE x BETWEEN {BETWEEN}',
	  run => { positions_between => q(gpu_positions(samples, 'between', -7, 1000000000)) } ],
	[ 'gpu_compact(a, mask)', list => 'x | WHERE y', of => 'a, mask', long => 1, chain => '',
	  run => { compact_by_mask => 'gpu_compact(samples, mask)' } ],
	[ 'gpu_compact(b, mask)', list => 'x | WHERE y', of => 'b, mask', types => 'boolean' ],
	[ 'gpu_positions(mask)', list => 'i::integer | WHERE x', of => 'mask',
	  run => { positions_by_mask => 'gpu_positions(mask)' } ],
	[ q(gpu_positions(gpu_compare(a, '=', {literal}))), list => 'i::integer | WHERE x = {literal}' ],
	[ q(gpu_compact(%s, '{compare}', {any_number})), stage => '', takes => 'number' ],
	[ q(gpu_compact(%s, 'between', {any_number}, {any_number})), stage => '', takes => 'number' ],
	[ q(gpu_compact(%s, gpu_compare(%s, '{compare}', {any_number}))), chain => '', takes => 'number' ],
	[ q(gpu_positions(%s, '{compare}', {any_number})), chain => 'integer', takes => 'number' ],
	[ 'gpu_positions(%s)', chain => 'integer', takes => 'boolean' ],
	[ 'gpu_compact(a, mask || true)', fails => '2202E' ],
	[ q(gpu_compact(a, '==', value)), fails => '22023' ],
	[ q(gpu_positions(a, '', value)), fails => '22023' ],

	# By membership.  IN hashes a long list, but not odd booleans as it should; and
	# money only as numeric, where x and -x have the same hash value.  So each value is
	# in the list once.
	[ 'gpu_compact_in(a, {list}{in})', list => 'x | WHERE x{cast} {IN}({list}){cast}{close}',
	  run => { compact_by_members => 'gpu_compact_in(samples, points)' } ],
	[ 'gpu_compact_in(a, b{in})', list => 'x + 0::integer | WHERE x {IN}(b){close}', types => 'integer' ],
	[ 'gpu_compact_in(%s, %s, {bool})', chain => '' ],
	[ 'gpu_compact_in(%s, b, {bool})', chain => '', takes => 'int4' ],
	[ 'gpu_compact_in(%s, a)', chain => '', takes => 'a' ],

	# Values in the place of NULLs: those up to each element are a group, or from it on.
	[ 'gpu_fill(a{direction})',
	  plain => 'moved(ARRAY(SELECT first_value(x) OVER (PARTITION BY run ORDER BY {DIRECTION})
			FROM (SELECT x, i, count(x) OVER (ORDER BY {DIRECTION}) AS run
				  FROM unnest(a) WITH ORDINALITY AS u (x, i)) AS numbered ORDER BY i), a)',
	  run => { fill => 'gpu_fill(samples)' } ],
	(map {
		[ "gpu_fill(a, $_->[0], {small})",
		  plain => "moved(ARRAY(SELECT CASE WHEN row_number() OVER w <= {small} + 1 THEN first_value(x) OVER w END
				FROM (SELECT x, i, count(x) OVER (ORDER BY $_->[1]) AS run
					  FROM unnest(a) WITH ORDINALITY AS u (x, i)) AS numbered
				WINDOW w AS (PARTITION BY run ORDER BY $_->[1]) ORDER BY i), a)" ]
	} [ 'false', 'i' ], [ 'true', 'i DESC' ]),
	[ 'gpu_fill(%s, {bool})', chain => '' ],
	[ 'gpu_fill(%s, {bool}, {small})', chain => '', run => { fill_some => 'gpu_fill(samples, true, 3)' } ],

	# Linear interpolation.
	[ 'gpu_interpolate({interpolate})', plain => '{INTERPOLATE}', equal => 'any', shaped => 1,
	  run => { interpolate => 'gpu_interpolate(gpu_radix_sort(points), points, samples)' } ],
	[ 'gpu_interpolate(gpu_radix_sort(gpu_argsort(%s)), gpu_rank(%s), gpu_argsort(%s))',
	  chain => 'double precision' ],
	[ q(gpu_interpolate(gpu_positions(%s, 'is not null'), gpu_compact_nulls(%s),
						'{1,2,3,NULL,9}'::integer[], 2)),
	  chain => 'double precision', takes => 'number' ],
	[ 'gpu_interpolate(a, b, %s)', chain => 'double precision', takes => 'a' ],
	[ 'gpu_interpolate(%s, b, a)', chain => 'double precision', takes => 'a' ]);

1;
