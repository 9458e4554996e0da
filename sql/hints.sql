-- Hints: a call that follows one returns what plain SQL returns for the first
-- question.
\getenv srcdir PG_ABS_SRCDIR \set ECHO none \i :srcdir/sql/calls.psql
SET timezone = 'UTC';

-- A value that an element does not hold: the array is cast, not the value.
COPY messages FROM stdin;
gpu_map(ARRAY[10,20,30], '*', 0.5)
gpu_map('{10,20,30}'::integer[]::double precision[], '*', 0.5) AS ours, ARRAY(SELECT x * 0.5 FROM unnest(ARRAY[10,20,30]) AS x) AS plain
gpu_map('{9007199254740993}'::bigint[], '*', 0.5)
gpu_map(2.5, '-', ARRAY[1,2])
gpu_map(2.5, '-', '{1,2}'::integer[]::double precision[]) AS ours, ARRAY(SELECT 2.5 - x FROM unnest(ARRAY[1,2]) AS x) AS plain
gpu_map('{16777217}'::bigint[], '+', 0.5::real)
gpu_map('{16777217}'::bigint[]::double precision[], '+', 0.5::real) AS ours, ARRAY[16777217::bigint + 0.5::real] AS plain
gpu_map('{0.5}'::real[], '+', 1e-9::double precision)
gpu_map('{0.5}'::real[]::double precision[], '+', 1e-9::double precision) AS ours, ARRAY[0.5::real + 1e-9::double precision] AS plain
gpu_map('{10}'::smallint[], '+', 100000)
gpu_map('{10}'::smallint[]::bigint[], '+', 100000) AS ours, ARRAY[10::smallint + 100000] AS plain
gpu_map(ARRAY[1,2], '+', '3'::text)
gpu_map(ARRAY[1], '*', money '1.5')
gpu_map('{7.5,8}'::double precision[], '%', 2)
gpu_map(ARRAY[4,2], 'sqrt')
gpu_map('{4,2}'::integer[]::double precision[], 'sqrt') AS ours, ARRAY(SELECT sqrt(x) FROM unnest(ARRAY[4,2]) AS x) AS plain
-- The same where elements are compared with a value.
gpu_compact('{2026-11-02}'::date[], '<', timestamp '2026-11-02 12:00')
gpu_compact('{2026-11-02}'::date[]::timestamp[], '<', timestamp '2026-11-02 12:00') AS ours, ARRAY[date '2026-11-02' < timestamp '2026-11-02 12:00'] AS plain
gpu_positions('{2026-11-02}'::date[], '<', timestamptz '2026-11-02 12:00')
gpu_positions('{2026-11-02}'::date[]::timestamptz[], '<', timestamptz '2026-11-02 12:00') AS ours, ARRAY[date '2026-11-02' < timestamptz '2026-11-02 12:00'] AS plain
gpu_compare('{2026-11-02 12:00}'::timestamp[], '<', timestamptz '2026-11-02 12:00+01')
gpu_compare('{2026-11-02 12:00}'::timestamp[]::timestamptz[], '<', timestamptz '2026-11-02 12:00+01') AS ours, ARRAY[timestamp '2026-11-02 12:00' < timestamptz '2026-11-02 12:00+01'] AS plain
gpu_compare('{2026-11-02 12:00}'::timestamptz[], '<', date '2026-11-03')
gpu_compare('{2026-11-02 12:00}'::timestamptz[], '<', timestamptz '2026-11-03') AS ours, ARRAY[timestamptz '2026-11-02 12:00' < date '2026-11-03'] AS plain
gpu_compact('{1,-1}'::integer[], '=', '1'::oid)
gpu_compact('{1,2}'::integer[]::oid[], '=', '1'::oid) AS ours, ARRAY(SELECT x FROM unnest(ARRAY[1,2]) AS x WHERE x = '1'::oid) AS plain
gpu_compact('{1,2}'::bigint[], '=', '1'::oid)
gpu_compact('{1,2}'::bigint[]::oid[], '=', '1'::oid) AS ours, ARRAY(SELECT x FROM unnest('{1,2}'::bigint[]) AS x WHERE x = '1'::oid) AS plain
gpu_compact(ARRAY[1,2], '=', '2'::text)
gpu_compact(ARRAY[1,2,3], '=', ARRAY[1,2])
gpu_compact_in(ARRAY[1,2,3], ARRAY[1,2]) AS ours, ARRAY(SELECT x FROM unnest(ARRAY[1,2,3]) AS x WHERE x = ANY (ARRAY[1,2])) AS plain
gpu_compact(gpu_delta('{2026-11-01,2026-11-08}'::date[]), '>', interval '5 days')
-- No cast keeps what these are.
gpu_compact('{12:00}'::time[], '<', timestamp '2026-11-02 13:00')
gpu_compact('{t}'::boolean[], '=', 2)
gpu_compact('{0.50}'::money[], '=', 0.501)
gpu_compact('{a}'::"char"[], '=', 'abc'::text)
-- Of two arrays, none is cast to a type that does not hold its elements.
gpu_compare(ARRAY[16777217], '=', '{16777216}'::real[])
gpu_compare('{16777217}'::integer[]::double precision[], '=', '{16777216}'::real[]::double precision[]) AS ours, ARRAY[16777217 = 16777216::real] AS plain
gpu_compare('{1}'::smallint[], '<', ARRAY[100000])
gpu_compare('{1}'::smallint[]::bigint[], '<', ARRAY[100000]::bigint[]) AS ours, ARRAY[1::smallint < 100000] AS plain
gpu_compare('{2026-11-02}'::date[], '<', '{2026-11-02 12:00}'::timestamp[])
gpu_compare('{2026-11-02 12:00}'::timestamp[], '>', '{2026-11-02}'::date[])
gpu_compare('{2026-11-02}'::date[]::timestamp[], '<', '{2026-11-02 12:00}'::timestamp[]) AS ours, ARRAY[date '2026-11-02' < timestamp '2026-11-02 12:00'] AS plain
gpu_compare('{t}'::boolean[], '=', ARRAY[2])
gpu_zip(ARRAY[0,1,2], 'and', ARRAY[1,1,1])
gpu_zip(gpu_compare(ARRAY[0,1], '<>', 0), 'and', gpu_compare(ARRAY[1,1], '<>', 0)) AS ours, ARRAY(SELECT x <> 0 AND y <> 0 FROM unnest(ARRAY[0,1], ARRAY[1,1]) AS u (x, y)) AS plain
-- Results that no integer holds.
gpu_map('{7,-9223372036854775808}'::bigint[], '/', -1)
gpu_reduce('{9007199254740993,1024}'::bigint[], '*')
gpu_group(ARRAY[1,1,2], ARRAY[1,2,4], 'avg')
(gpu_group_avg(ARRAY[1,1,2], ARRAY[1,2,4])).avg AS ours, ARRAY(SELECT avg(x) FROM unnest(ARRAY[1,1,2], ARRAY[1,2,4]) AS u (k, x) GROUP BY k ORDER BY k) AS plain
-- Differences with "keep", whose first elements are no differences of times.
gpu_delta('{2026-11-01 00:00,2026-11-01 00:01}'::timestamp[], 1, keep => true)
gpu_delta('{2026-11-01 00:00,2026-11-01 00:01}'::timestamp[], 1)
-- Operators that another function has, or plain SQL.
gpu_positions(ARRAY[5,6,7], 'in', ARRAY[5,7])
ARRAY(SELECT i::integer FROM unnest(ARRAY[5,6,7]) WITH ORDINALITY AS u (x, i) WHERE x = ANY (ARRAY[5,7]))
gpu_compare(ARRAY[5,6,7], 'in', ARRAY[5,7])
ARRAY(SELECT x = ANY (ARRAY[5,7]) FROM unnest(ARRAY[5,6,7]) AS x)
gpu_window('{5,NULL,7}'::integer[], 'count', 1)
gpu_window(gpu_compare('{5,NULL,7}'::integer[], 'is not null')::integer[], '+', 1, 0) AS ours, ARRAY(SELECT count(x) OVER (ORDER BY i ROWS 1 PRECEDING) FROM unnest('{5,NULL,7}'::integer[]) WITH ORDINALITY AS u (x, i)) AS plain
gpu_window(ARRAY[5,7], 'stddev', 5)
ARRAY(SELECT stddev(x) OVER (ORDER BY i ROWS 5 PRECEDING) FROM unnest(ARRAY[5,7]) WITH ORDINALITY AS u (x, i) ORDER BY i)
gpu_range_window(ARRAY[1,2,3], ARRAY[5,7,6], 'median', 1)
gpu_window_percentile_cont(gpu_interpolate(ARRAY[1,2,4], ARRAY[5,7,6], at), 0.5, 1, 0) FROM (VALUES (ARRAY[1,2,3,4])) AS g (at)
gpu_group(ARRAY[1,1,2], ARRAY[1,2,4], 'stddev')
k, stddev(x) FROM unnest(ARRAY[1,1,2], ARRAY[1,2,4]) AS u (k, x) GROUP BY k ORDER BY k
gpu_map('{1,NULL}'::float8[], 'power', 2)
ARRAY(SELECT power(x, 2) FROM unnest('{1,NULL}'::float8[]) WITH ORDINALITY AS u (x, i) ORDER BY i)
gpu_map('{1.256,NaN}'::float8[], 'round', 2)
'{1.256,NaN}'::float8[]::numeric(30, 2)[]::double precision[] AS ours, ARRAY(SELECT round(x::numeric, 2) FROM unnest('{1.256,NaN}'::float8[]) AS x) AS plain
gpu_map('{t,f,NULL}'::boolean[], 'not')
gpu_compare('{t,f,NULL}'::boolean[], '=', false) AS ours, ARRAY(SELECT NOT x FROM unnest('{t,f,NULL}'::boolean[]) AS x) AS plain
gpu_zip('{t,f,t}'::boolean[], 'xor', '{t,t,NULL}'::boolean[])
gpu_compare('{t,f,t}'::boolean[], '<>', '{t,t,NULL}'::boolean[]) AS ours, ARRAY(SELECT x <> y FROM unnest('{t,f,t}'::boolean[], '{t,t,NULL}'::boolean[]) AS u (x, y)) AS plain
-- NULLs where there must be none.
gpu_range_window_avg('{1.5,NULL,2.5}'::float8[], ARRAY[1,2,3], 1)
gpu_range_window_avg(gpu_take(x, p), gpu_take(a, p), 1) FROM (VALUES (ARRAY[1,NULL,3], ARRAY[1.5,2.5,3.5]::float8[])) AS r (x, a), gpu_positions(x, 'is not null') AS p
-- Names that mean different things elsewhere.
gpu_map('{7.5}'::double precision[], 'div', 2)
gpu_map('{1.7}'::double precision[], 'int')
-- Types that have no arrays here.
gpu_distinct(ARRAY[0.1,0.2])
\.

-- An aggregate whose arguments are in the wrong order.
CREATE TABLE hints (v double precision, n integer, price numeric);
INSERT INTO hints SELECT i / 10.0, i, i / 3.0 FROM generate_series(1, 9) AS i;
COPY messages FROM stdin;
gpu_percentile_cont_agg(0.99, v) FROM hints
gpu_percentile_disc_agg(0.5, n) FROM hints
gpu_percentile_cont_agg(0.99::double precision, v) FROM hints
gpu_top_k_agg(3, n, n) FROM hints
gpu_percentile_cont_agg(v, 0.99) AS ours, percentile_cont(0.99) WITHIN GROUP (ORDER BY v) AS plain FROM hints
-- One whose values are no integers and no floats.
gpu_count_distinct(price) FROM hints
gpu_count_distinct(price::double precision) AS ours, count(DISTINCT price) AS plain FROM hints
gpu_count_distinct(price::text) FROM hints
gpu_top_k_agg(n, 1, NULL) FROM hints
gpu_percentile_cont_agg(date '2026-11-01' + n, 0.5) FROM hints
gpu_percentile_disc_agg(date '2026-11-01' + n, 0.5) AS ours, percentile_disc(0.5) WITHIN GROUP (ORDER BY date '2026-11-01' + n) AS plain FROM hints
gpu_percentile_cont('{2026-11-01,2026-11-03,2026-11-02}'::date[], 0.5)
gpu_percentile_disc(ARRAY(SELECT date '2026-11-01' + n FROM hints), 0.5)
gpu_percentile_cont(ARRAY[1,2], true)
\.
DROP TABLE hints;

-- What surprises: the calls of the table in docs/functions.md, each with what to write instead.
COPY messages FROM stdin;
gpu_window_avg(ARRAY[1,2,3,4,5,6,7], 5), gpu_window_avg(ARRAY[1,2,3,4,5,6,7], 4)
gpu_rank(ARRAY[10,10,20]), gpu_rank(ARRAY[10,10,20], 'min'), gpu_rank_avg(ARRAY[10,10,20])
gpu_avg_agg(a), gpu_median_agg(a), gpu_avg(gpu_concat_agg(a)) FROM (VALUES ('{1,2}'::float8[]), ('{3,6}')) AS r (a)
gpu_reduce(ARRAY[2000000000,2000000000], '+')
gpu_sum(ARRAY[2000000000,2000000000]), gpu_reduce(ARRAY[2000000000,2000000000]::bigint[], '+')
gpu_max(a), gpu_avg(a), gpu_max(array_replace(a, 'NaN', NULL)) FROM (VALUES ('{1,NaN,3}'::float8[])) AS r (a)
gpu_count(gpu_compare(a, '>', 20)), gpu_count(gpu_compact(a, '>', 20)) FROM (VALUES (ARRAY[10,20,30,NULL])) AS r (a)
gpu_where(gpu_compare(a, '>', 99), NULL, a), gpu_where(gpu_compare(a, '<=', 99), a, NULL) FROM (VALUES (ARRAY[1,999,NULL,3])) AS r (a)
keys, values FROM gpu_group(ARRAY[10,20,30], ARRAY[1,1,2], '+')
keys, values FROM gpu_group(keys => ARRAY[1,1,2], a => ARRAY[10,20,30], op => '+')
gpu_interpolate(x, y, at), gpu_interpolate(x, y, at, max_gap => 30) FROM (VALUES (ARRAY[0,10,100], '{1,2,5}'::float8[], ARRAY[5,40,100])) AS r (x, y, at)
gpu_compact(ARRAY[5,0,NULL,3]), gpu_compact_nulls(ARRAY[5,0,NULL,3])
gpu_positions(gpu_compact_nulls(gpu_delta(a)), '>', 3), gpu_positions(gpu_delta(a), '>', 3) FROM (VALUES (ARRAY[100,103,107])) AS r (a)
gpu_max(gpu_delta(ARRAY[100,103,107], 1, keep => true)), gpu_max(gpu_delta(ARRAY[100,103,107]))
gpu_map(ARRAY[10,20,30], '/', 20), gpu_map(ARRAY[10,20,30]::float8[], '/', 20)
\.
