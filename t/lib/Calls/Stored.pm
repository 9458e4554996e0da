
# Calls on how arrays are stored and what they are made of: slices, packed arrays,
# bytes, UTF-8.  What is not in a record is in Utf8.pm and in the tests of packed arrays.

package Calls::Stored;

use strict;
use warnings;

# Arrays that are packed: those without a bitmap of NULLs where there are none, as
# core's arrays may have.
our @records = (
	[ 'gpu_slice(a, {slice})', list => 'x | WHERE i BETWEEN {SLICE}',
	  run => { slice => 'gpu_slice(samples, 2, 2147483647)' } ],
	[ 'gpu_slice(gpu_pack(a), {slice}, a)', list => 'x | WHERE i BETWEEN {SLICE}', own => 1,
	  run => { packed_slice => 'gpu_slice(gpu_pack(samples), 2, 70000, samples)' } ],
	[ 'gpu_unpack(gpu_pack(a), a)', each => 'x', own => 1, run => {
		pack => 'gpu_unpack(gpu_pack(samples), samples)',
		pack_chain => q(gpu_reduce(gpu_unpack(gpu_pack(samples), samples), '#'))
	  } ],
	[ 'gpu_pad(a, cardinality(a) + {more})',
	  plain => 'ARRAY(SELECT unnest(a)) || array_fill(NULL::{type}, ARRAY[{more}])',
	  run => { pad => '(gpu_pad(samples, 134217727))[1:100000]' } ],
	[ 'gpu_pad(%s, {padded})', chain => '' ],
	[ 'gpu_slice(%s, {small}, 90000)', chain => '' ],
	[ 'gpu_unpack(gpu_pack(%s), %s)', chain => '' ],
	[ 'gpu_unpack(gpu_pack(%s), NULL::integer[])', chain => '', takes => 'int4' ],
	[ '%s::gpu_packed::integer[]', chain => '', takes => 'int4' ],
	[ 'gpu_slice(gpu_pack(%s), {small}, 90000, a)', chain => '', takes => 'a' ],
	[ 'gpu_pack(%s)', end => 1 ],
	[ 'ARRAY[gpu_pack(%s)]', end => 1 ],
	[ '%s::gpu_packed', end => 1 ],

	# Packed arrays where a function takes them as they are.
	[ 'gpu_count(gpu_pack(a))', one => 'count(x)', own => 1,
	  run => { count_packed => 'gpu_count(gpu_pack(samples))' } ],
	[ '(SELECT t::text FROM gpu_stats(gpu_pack(s)) AS t)', types => 'number', own => 1,
	  plain => '(SELECT ROW(t.count, t.nulls, t.sum::float8, t.min::float8, t.max::float8, t.avg::float8,
							t.variance::float8, t.stddev::float8)::text FROM gpu_stats(s) AS t)',
	  run => { stats_packed => 'gpu_stats(gpu_pack(samples))::text' } ],
	[ 'gpu_percentile_cont(gpu_pack(a), 0.3)', types => 'number', equal => 'any', own => 1,
	  one => 'percentile_cont(0.3) WITHIN GROUP (ORDER BY x)',
	  run => { percentile_cont_packed => 'gpu_percentile_cont(gpu_pack(samples), 0.3)' } ],
	[ 'gpu_histogram(gpu_pack(s), -1000.5, 1e5, 40)', types => 'number', own => 1,
	  plain => 'gpu_histogram(s, -1000.5, 1e5, 40)',
	  run => { histogram_packed => 'gpu_histogram(gpu_pack(samples), -2147483648, 2147483647, 2000)' } ],
	[ q(gpu_positions(gpu_pack(a), '{compare}', value)), list => 'i::integer | WHERE x {compare} value',
	  own => 1, run => { positions_packed => q(gpu_positions(gpu_pack(samples), '>', 0)) } ],
	[ q(gpu_positions(gpu_pack(a), 'between', {between})), list => 'i::integer | WHERE x BETWEEN {BETWEEN}',
	  own => 1 ],
	[ q(gpu_positions(gpu_pack(%s), '{compare}', {any_number})), chain => 'integer', takes => 'number' ],
	[ 'gpu_stats(gpu_pack(%s))', end => 1, takes => 'number' ],
	[ 'gpu_count(gpu_pack(%s))', end => 1 ],

	# Values as bytes, and back.
	[ 'gpu_to_bytes(array_remove(a, NULL))', types => 'bytes',
	  plain => q(coalesce((SELECT string_agg(reversed({send}(x)), '' ORDER BY i)
						   FROM unnest(a) WITH ORDINALITY AS u (x, i) WHERE x IS NOT NULL), '')),
	  run => { to_bytes => 'gpu_to_bytes(points)' } ],
	[ 'gpu_from_bytes(gpu_to_bytes(array_remove(a, NULL)), NULL::{type}[])', types => 'bytes',
	  list => 'x | WHERE x IS NOT NULL',
	  run => { from_bytes => 'gpu_from_bytes(gpu_to_bytes(points), NULL::integer[])' } ],
	[ 'gpu_from_bytes(gpu_to_bytes(gpu_compact_nulls(%s)), NULL::integer[])', chain => 'integer' ],
	[ 'gpu_to_bytes(%s)', chain => 'bytea' ],
	[ 'gpu_to_bytes(%s)', end => 1 ],
	[ 'gpu_from_bytes(%s, NULL::integer[])', chain => 'integer', takes => 'bytea' ],
	[ 'gpu_from_bytes(%s, NULL::float8[])', chain => 'double precision', takes => 'bytea' ],

	# UTF-8.
	[ q(gpu_utf8_encode(%s, '{on_error}')), chain => 'bytea', takes => 'int4',
	  run => { utf8_encode => q(gpu_utf8_encode(points, 'skip')) } ],
	[ 'gpu_utf8_encode(points || NULL::integer)', types => 'int4', fails => '22004' ],
	[ 'gpu_utf8_decode(gpu_utf8_encode(gpu_compact_nulls(%s)))', chain => '', takes => 'int4' ],
	[ q(gpu_utf8_decode(%s, '{on_error}')), chain => 'integer', takes => 'bytea',
	  run => { utf8_decode => q(gpu_utf8_decode(bytes, 'replace')) } ],
	[ q(gpu_utf8_decode(gpu_utf8_repair(%s))), chain => 'integer', takes => 'bytea', run => {
		utf8_errors => '(SELECT array_agg(byte_offset * 8::bigint + length)
						 FROM gpu_utf8_errors(bytes))',
		utf8_repair => 'gpu_utf8_repair(bytes)'
	  } ],
	[ 'gpu_utf8_is_valid(gpu_to_bytes(%s))', end => 1 ],
	[ 'gpu_utf8_is_valid(%s)', end => 1, takes => 'bytea',
	  run => { utf8_is_valid => 'gpu_utf8_is_valid(bytes)' } ],
	[ q(gpu_utf8_repair(%s, '{on_error}')), end => 1, takes => 'bytea' ],

	# Casts, subscripts, and no call.
	(map { [ "%s::$_\[]", chain => $_, takes => 'number' ] }
		  'double precision', 'real', 'bigint', 'integer', 'smallint'),
	[ '%s::integer[]', chain => 'integer', takes => 'boolean' ],
	[ '(%s)[{small}:90000]', chain => '' ],
	[ '%s', end => 1 ]);

1;
