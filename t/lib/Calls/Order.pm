
# Calls that order elements: sorts, ranks, percentiles, kinds of elements, sets.

package Calls::Order;

use strict;
use warnings;

my $runs = '(SELECT x, i, count(*) FILTER (WHERE begins) OVER (ORDER BY i) AS run
			 FROM (SELECT x, i, i = 1 OR x IS DISTINCT FROM lag(x) OVER (ORDER BY i) AS begins
				   FROM unnest(a) WITH ORDINALITY AS u (x, i)) AS marked) AS numbered
			GROUP BY run ORDER BY run';

# As && and @>, which take the product of both lengths.
my $overlaps = 'EXISTS (SELECT y FROM unnest(%s) AS y WHERE y IS NOT NULL INTERSECT SELECT unnest(%s))';
my $contains = 'NOT EXISTS (SELECT unnest(%2$s) EXCEPT
							SELECT y FROM unnest(%1$s) AS y WHERE y IS NOT NULL)';

our @records = (

	# An order of the elements, and by it.
	[ 'gpu_radix_sort(a{order})', each => 'x | ORDER BY x {ORDER}', equal => 'float', long => 1,
	  run => { radix_sort => 'gpu_radix_sort(samples)' } ],
	[ 'gpu_argsort(a{order})', each => 'i::integer | ORDER BY x {ORDER}, i', long => 1,
	  run => { argsort => 'gpu_argsort(samples)' } ],
	[ 'gpu_sort_by_key(b, a{order})', list => 'y | ORDER BY x {ORDER}, i', of => 'a, b',
	  run => { sort_by_key => 'gpu_sort_by_key(points, samples)' } ],
	[ 'gpu_sort_by_key(a, b{order})', each => 'x | ORDER BY y {ORDER}, i', of => 'a, b' ],
	[ 'gpu_radix_sort(%s, {bool}, {nulls})', chain => '' ],
	[ 'gpu_argsort(%s, {bool}, {nulls})', chain => 'integer' ],
	[ 'gpu_argsort(gpu_argsort(%s))', chain => 'integer' ],
	[ 'gpu_sort_by_key(%s, b, {bool})', chain => '' ],
	[ 'gpu_sort_by_key(b, %s)', chain => 'integer' ],
	[ 'gpu_sort_by_key(a, b || 1)', fails => '2202E' ],

	# The place of each element in the order, and elements by places.
	[ q(gpu_rank(a, '{rank}')), each => '({RANK})::integer', chain => 'integer',
	  run => { rank => 'gpu_rank(samples)' } ],
	[ 'gpu_rank_avg(a)', each => '(rank() OVER w + count(*) OVER w) / 2::double precision | WINDOW w AS (ORDER BY x) ORDER BY i',
	  chain => 'double precision', run => { rank_avg => 'gpu_rank_avg(samples)' } ],
	[ 'gpu_take(a, b)', chain => '', run => { take => 'gpu_take(samples, points)' },
	  plain => 'ARRAY(SELECT x FROM unnest(b) WITH ORDINALITY AS p (position, j)
			LEFT JOIN unnest(a) WITH ORDINALITY AS u (x, i) ON i = position ORDER BY j)' ],
	[ 'gpu_take(a, gpu_argsort(b))', list => 'x | ORDER BY y, i', of => 'a, b' ],
	[ q(gpu_take(%s, '{3,1,NULL,9}'::integer[])), chain => '' ],
	[ 'gpu_take(a, %s)', chain => 'a', takes => 'int4' ],
	[ 'gpu_take(b, gpu_argsort(%s))', chain => 'integer' ],
	[ 'gpu_take(%s, %s::integer[])', chain => '', takes => 'number' ],
	[ 'gpu_take(%s, gpu_argsort(%s))', chain => '' ],

	# Kinds of elements, and runs of equal ones.
	[ 'gpu_distinct(a)', list => 'DISTINCT x | ORDER BY x', equal => 'float',
	  run => { distinct => 'gpu_distinct(samples)' } ],
	[ 'gpu_distinct(a, false)', list => 'DISTINCT x | ORDER BY x', equal => 'float' ],
	[ 'gpu_distinct(a, true)', list => '(array_agg(x ORDER BY i))[1] | GROUP BY x ORDER BY min(i)',
	  run => { distinct_in_order => 'gpu_distinct(samples, true)' } ],
	[ 'gpu_distinct(%s, {bool})', chain => '' ],
	[ '(SELECT values FROM gpu_distinct_counts(a))', list => 'DISTINCT x | ORDER BY x',
	  equal => 'float', run => { distinct_counts => '(gpu_distinct_counts(samples)).counts' } ],
	[ '(SELECT counts FROM gpu_distinct_counts(a))',
	  list => 'count(*)::integer | GROUP BY x ORDER BY x' ],
	[ q((SELECT counts FROM gpu_distinct_counts(gpu_compact(a, '<>', {literal})))),
	  list => 'count(*)::integer | WHERE x <> {literal} GROUP BY x ORDER BY x' ],
	[ 'gpu_distinct_counts(%s)', end => 1 ],
	[ '(SELECT values FROM gpu_run_lengths(a))', equal => 'float', long => 1,
	  plain => "ARRAY(SELECT (array_agg(x ORDER BY i))[1] FROM $runs)",
	  run => { run_lengths => '(gpu_run_lengths(samples)).lengths' } ],
	[ '(SELECT lengths FROM gpu_run_lengths(a))', long => 1,
	  plain => "ARRAY(SELECT count(*)::integer FROM $runs)" ],
	[ 'gpu_run_lengths(%s)', end => 1 ],
	[ 'gpu_mode(a)', one => 'mode() WITHIN GROUP (ORDER BY x)', equal => 'float', end => 1,
	  run => { mode => 'gpu_mode(samples)' } ],

	# The greatest elements, and the least.
	[ '(SELECT values FROM gpu_top_k(a, {top}, {descending}))', equal => 'float',
	  list => 'x | WHERE x IS NOT NULL ORDER BY x {DESCENDING}, i LIMIT {top}',
	  run => { top_k => '(gpu_top_k(samples, 100)).positions' } ],
	[ '(SELECT positions FROM gpu_top_k(a, {top}, {descending}))',
	  list => 'i::integer | WHERE x IS NOT NULL ORDER BY x {DESCENDING}, i LIMIT {top}' ],
	[ 'gpu_top_k(%s, {small}, {bool})', end => 1 ],
	[ '(SELECT t FROM gpu_top_k(%s, {small}) AS t)', end => 1 ],

	# Percentiles.
	[ 'gpu_percentile_disc(a, {fraction})', equal => 'float',
	  one => 'percentile_disc({FRACTION}) WITHIN GROUP (ORDER BY x)' ],
	[ 'gpu_percentile_cont(a, {fraction})', types => 'number', equal => 'any',
	  one => 'percentile_cont({FRACTION}) WITHIN GROUP (ORDER BY x)',
	  run => { percentile_cont => 'gpu_percentile_cont(samples, 0.3)' } ],
	[ 'gpu_percentile_disc(a, {fractions})', equal => 'float',
	  plain => '(SELECT percentile_disc({fractions}) WITHIN GROUP (ORDER BY x) FROM unnest(a) AS x)',
	  run => { percentile_disc => q(gpu_percentile_disc(samples, '{0.1,0.5,0.9}'::float8[])) } ],
	[ 'gpu_percentile_cont(a, {fractions})', types => 'number', equal => 'any',
	  plain => '(SELECT percentile_cont({fractions}) WITHIN GROUP (ORDER BY x) FROM unnest(a) AS x)' ],
	[ 'ARRAY[gpu_percentile_disc(a, ARRAY(SELECT i % 5 FROM generate_series(1, cardinality(a)) AS i), 0.3)]',
	  equal => 'float',
	  plain => 'ARRAY(SELECT percentile_disc(0.3) WITHIN GROUP (ORDER BY x)
				 FROM unnest(a) WITH ORDINALITY AS u (x, i), generate_series(1, i % 5))',
	  run => { percentile_disc_counted => 'gpu_percentile_disc(samples, gpu_map(points, \'abs\'), 0.3)' } ],
	[ 'ARRAY[gpu_percentile_cont(a, ARRAY(SELECT CASE WHEN i % 7 > 0 THEN i % 3 END
									FROM generate_series(1, cardinality(a)) AS i), 0.3)]',
	  types => 'number', equal => 'any',
	  plain => 'ARRAY(SELECT percentile_cont(0.3) WITHIN GROUP (ORDER BY x)
				 FROM unnest(a) WITH ORDINALITY AS u (x, i), generate_series(1, CASE WHEN i % 7 > 0 THEN i % 3 END))',
	  run => { percentile_cont_counted => 'gpu_percentile_cont(samples, gpu_map(points, \'abs\'), 0.3)' } ],
	[ "gpu_percentile_cont(%s, gpu_map(gpu_argsort(%s), '+', 7), {any_fraction})", end => 1, takes => 'number' ],
	[ 'gpu_percentile_disc(%s, gpu_argsort(%s), {any_fraction})', end => 1 ],
	[ q(gpu_percentile_disc(%s, '{0.1,0.9}'::float8[])), chain => '' ],
	[ q(gpu_percentile_cont(%s, '{0.2,0.5}'::float8[])), chain => 'double precision',
	  takes => 'number' ],
	[ 'gpu_percentile_cont(%s, {any_fraction})', end => 1, takes => 'number' ],
	[ 'gpu_percentile_disc(%s, {any_fraction})', end => 1 ],

	# Two arrays as sets.
	[ 'gpu_{set}(a, {other})', equal => 'float',
	  plain => 'ARRAY(SELECT unnest(a) {SET} SELECT unnest({other}) ORDER BY 1)',
	  run => {
		set_except => 'gpu_except(samples, points)',
		set_intersect => 'gpu_intersect(samples, points)',
		set_union => 'gpu_union(samples, points)'
	  } ],
	[ 'gpu_{set}(a, b)', equal => 'float', types => 'number',
	  plain => 'ARRAY(SELECT unnest(a) {SET} SELECT unnest(b) ORDER BY 1)' ],
	[ 'gpu_{set}(gpu_distinct({other}), gpu_radix_sort(a))', equal => 'float',
	  plain => 'ARRAY(SELECT unnest({other}) {SET} SELECT unnest(a) ORDER BY 1)' ],
	[ 'ARRAY[gpu_intersect_count(a, {other})]',
	  plain => 'ARRAY[cardinality(ARRAY(SELECT unnest(a) INTERSECT SELECT unnest({other})))]',
	  run => { set_intersect_count => 'gpu_intersect_count(samples, points)' } ],
	[ 'ARRAY[gpu_overlaps(a, {other}), gpu_contains(a, {other}), gpu_contains({other}, a)]',
	  plain => 'ARRAY[' . join(', ', sprintf($overlaps, 'a', '{other}'),
		sprintf($contains, 'a', '{other}'), sprintf($contains, '{other}', 'a')) . ']', shaped => 1,
	  run => {
		set_overlaps => q(gpu_overlaps(samples, '{3,1200000}')),	# it has neither
		set_contains => 'gpu_contains(samples, points)'
	  } ],
	[ 'ARRAY[gpu_overlaps(gpu_distinct({other}), a), gpu_contains(a, gpu_distinct({other}))]',
	  plain => 'ARRAY[' . join(', ', sprintf($overlaps, '{other}', 'a'),
		sprintf($contains, 'a', '{other}')) . ']', shaped => 1 ],
	[ 'gpu_union(%s, %s)', chain => '' ],
	[ 'gpu_union(a, %s)', chain => '', takes => 'a' ],
	[ 'gpu_intersect(%s, b)', chain => '', takes => 'int4' ],
	[ 'gpu_except(b, %s)', chain => '', takes => 'int4' ],
	[ 'gpu_overlaps(%s, %s)', end => 1 ],
	[ 'gpu_contains(%s, %s)', end => 1 ],
	[ 'gpu_contains(%s, gpu_distinct(%s))', end => 1 ],
	[ 'gpu_overlaps(%s, b)', end => 1, takes => 'int4' ],
	[ 'gpu_contains(b, %s)', end => 1, takes => 'int4' ],
	[ 'gpu_intersect_count(%s, %s)', end => 1 ],
	[ 'gpu_intersect_count(b, %s)', end => 1, takes => 'int4' ]);

1;
