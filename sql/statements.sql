-- What somebody who stores sensors' readings in arrays writes, one statement
-- after the other: each gives its answer, or says what to write instead
\getenv srcdir PG_ABS_SRCDIR \set ECHO none \i :srcdir/sql/calls.psql
\set ECHO none
SET datestyle = ISO;
SET timezone = 'UTC';
SET extra_float_digits = 1;

-- A row for a sensor and a day, with a reading every ten minutes; some are NULL,
-- one is NaN, and one sensor lacks its last one.
CREATE TABLE sensor_day (
	sensor text, day date, ts timestamptz[], temp float8[], cnt integer[],
	num numeric[], status text[]);
INSERT INTO sensor_day
SELECT sensor, day, array_agg(at ORDER BY i), array_agg(temp ORDER BY i),
	   array_agg(i * i % 7 ORDER BY i), array_agg(round(temp::numeric, 1) ORDER BY i),
	   array_agg(CASE WHEN i % 10 = 3 THEN 'fault' ELSE 'ok' END ORDER BY i)
FROM unnest('{a,b}'::text[]) AS sensor,
	 unnest('{2026-11-01,2026-11-02}'::date[]) AS day,
	 generate_series(1, CASE sensor WHEN 'a' THEN 144 ELSE 143 END) AS i,
	 LATERAL (SELECT day::timestamp AT TIME ZONE 'UTC' + (i - 1) * interval '10 minutes' AS at,
					 CASE WHEN i % 50 = 49 THEN NULL
						  WHEN sensor = 'a' AND day = '2026-11-01' AND i = 71 THEN 'NaN'
						  ELSE 15 + i * 37 % 100 / 10.0 + (sensor = 'b')::integer END AS temp) AS r
GROUP BY sensor, day;
CREATE VIEW one AS SELECT * FROM sensor_day WHERE sensor = 'a' AND day = '2026-11-01';
CREATE VIEW other AS SELECT * FROM sensor_day WHERE sensor = 'a' AND day = '2026-11-02';
\set ECHO all

-- NULLs and zeros: to drop the one is not to drop the other.
COPY messages FROM stdin;
gpu_compact(ARRAY[0,NULL,21]), gpu_compact_nulls(ARRAY[0,NULL,21]), gpu_to_bytes(gpu_compact_nulls(ARRAY[0,NULL,21]))
cardinality(temp), cardinality(gpu_compact_nulls(temp)), cardinality(gpu_compact_nulls(ts)) FROM one
-- Keys come first in gpu_group, and second in gpu_sort_by_key.
g.keys, g.values FROM gpu_group('{1,1,2,2}'::integer[], '{1.5,2.5,10.5,20.5}'::float8[], '+') AS g
gpu_sort_by_key('{1.5,2.5,10.5,20.5}'::float8[], '{4,3,2,1}'::integer[])
g.keys, g.values FROM one, gpu_group(cnt, temp, 'min') AS g
(gpu_sort_by_key(temp, cnt))[1:3] FROM other
-- Dates and times: their extremes, their differences, their counts.
gpu_reduce(ts, 'min'), gpu_reduce(ts, 'max') FROM one
gpu_percentile_disc(ts, 0), gpu_percentile_disc(ts, 0.5) FROM one
(gpu_delta(ts))[2:4] FROM one
(gpu_delta(ARRAY[day, day + 7, NULL, day + 1]))[2:] FROM one
gpu_positions(gpu_delta(ts), '>', 600000000) FROM one
(gpu_scan(ts, 'max'))[144], (gpu_window(ts, 'min', 5))[144] FROM one
g.keys, g.values[1] FROM one, gpu_group(cnt, ts, 'max') AS g
g.keys, g.values FROM one, gpu_group(cnt, ts, 'count') AS g
(gpu_min_agg(ts))[1:2], (gpu_max_agg(ts))[144] FROM sensor_day WHERE sensor = 'a'
gpu_stats(ts) FROM one
gpu_percentile_cont(ts, 0.5) FROM one
-- numeric and text, for which there is a cast or a way around.
gpu_radix_sort(ARRAY[2.5, 1.5]::double precision[])
gpu_stats(num) FROM one
gpu_group(status, temp, 'max') FROM one
gpu_group(temp, status, 'count') FROM one
r.values, r.lengths FROM gpu_run_lengths(ARRAY(SELECT x = 'ok' FROM unnest(ARRAY['ok','ok','fault']) WITH ORDINALITY AS u (x, i) ORDER BY i)) AS r
-- Operators by other names, and what another function does.
gpu_reduce(cnt, 'sum'), (gpu_scan(cnt, 'sum'))[144], (gpu_window(cnt, 'sum', 5))[144] FROM one
g.values FROM one, gpu_group(cnt, cnt, 'sum') AS g
cardinality(gpu_compact(cnt, '!=', 0)), cardinality(gpu_compact(cnt, '<>', 0)) FROM one
cardinality(gpu_compact(temp, 'between', 20, 21)) FROM other
gpu_positions(temp, 'between', 20, 20.5) FROM other
gpu_positions(temp, '=', NULL) FROM one
gpu_positions(temp, 'is null'), cardinality(gpu_positions(temp, 'is not null')) FROM one
gpu_reduce(ARRAY[2147483647, 1]::bigint[], '+'), (gpu_stats(ARRAY[2147483647, 1])).sum
-- NaN is greater than all numbers, and can be left out.
gpu_positions(temp, '>', 24.8) FROM one
t.values, t.positions FROM one, gpu_top_k(temp, 2) AS t
s.count, s.nulls, s.avg FROM one, gpu_stats(temp) AS s
s.count, s.nulls, round(s.avg::numeric, 3) FROM one, gpu_stats(gpu_compact(temp, '<>', 'NaN')) AS s
\.
SET max_parallel_workers_per_gather = 0; -- gpu_last_call() is of this process
SELECT gpu_histogram(temp, 40, 40, 3) FROM one;
SELECT function, error FROM gpu_last_call();
RESET max_parallel_workers_per_gather;
COPY messages FROM stdin;
gpu_histogram(gpu_compact(temp, '<>', 'NaN'), 10, 40, 3) FROM one
-- A part of a day.
cardinality(gpu_take(temp, gpu_intersect(gpu_positions(ts, '>=', '2026-11-01 06:00+00'), gpu_positions(ts, '<', '2026-11-01 12:00+00')))) FROM one
cardinality(gpu_take(temp, gpu_positions(ts, 'between', '2026-11-01 06:00+00', '2026-11-01 11:50+00'))) FROM one
cardinality(gpu_compact(ts, '>=', '2026-11-01 06:00+00')), gpu_compact(ts, '>=', now() + interval '100 years') FROM one
(gpu_window_avg(temp, preceding => 5, following => 0))[6] FROM other
gpu_percentile_cont(temp[10:20], 0.5), gpu_positions(temp[10:20], '=', temp[12]) FROM other
-- Each hour of a day, by buckets of times.
g.keys[1:3], g.values[1:3] FROM other, gpu_group(gpu_bucket(ts, ARRAY(SELECT generate_series(ts[1], ts[144], interval '1 hour'))), temp, 'max') AS g
-- Percentiles: fractions as numbers, in an array, as a text.
gpu_percentile_cont(temp, 0.95), gpu_percentile_cont(temp, ARRAY[0.5,0.9]), gpu_percentile_cont(temp, '{0.5,0.9}'), gpu_percentile_cont(temp, '0.95'::text) FROM other
gpu_percentile_cont(temp, 95) FROM other
gpu_percentile_cont(temp, '{0.5,0.9}'::text) FROM other
-- Charts: positions, or points; with an array of x, positions.
gpu_downsample(temp, 6) FROM one
p.positions, p.values FROM one, gpu_downsample_points(temp, 6) AS p
p.positions, p.values FROM other, gpu_downsample_points(temp, 6, 'lttb') AS p
gpu_take(ts, p) FROM other, gpu_downsample(temp, 3, 'lttb') AS p
gpu_downsample(temp, 6, 'mean') FROM one
-- Gaps.
gpu_fill(temp[48:50]), gpu_fill(temp[48:50], true) FROM one
(array_replace(temp, NULL, 0))[48:50] FROM one
\.
SELECT (array_agg(coalesce(x, low + (high - low) * (i - low_at) / (high_at - low_at)) ORDER BY i))[48:50]
FROM one,
	 LATERAL (SELECT ARRAY(SELECT CASE WHEN x IS NOT NULL THEN i END
						   FROM unnest(temp) WITH ORDINALITY AS u (x, i) ORDER BY i) AS at) AS p,
	 unnest(temp, gpu_fill(temp), gpu_fill(temp, true), gpu_fill(at), gpu_fill(at, true))
	 WITH ORDINALITY AS u (x, low, high, low_at, high_at, i);

COPY messages FROM stdin;
-- Days of different lengths, position by position.
gpu_avg_agg(temp ORDER BY sensor, day) FROM sensor_day
(gpu_avg_agg(gpu_pad(temp, 144)))[144], (gpu_sum_agg(gpu_pad(cnt, 144)))[1:3] FROM sensor_day
\.
SELECT sensor, cardinality(gpu_sum_agg(cnt)), cardinality(gpu_concat_agg(cnt)), gpu_distinct_agg(cnt)
FROM sensor_day GROUP BY sensor ORDER BY sensor;
SELECT sensor, day, (gpu_sum_agg(cnt) OVER (PARTITION BY sensor ORDER BY day))[2:4] FROM sensor_day ORDER BY sensor, day;

COPY messages FROM stdin;
-- Sets, and NULL in each place where it may be.
gpu_union(ARRAY[1,2], '{3}'), gpu_intersect(ARRAY[1,NULL], ARRAY[NULL,1])
gpu_compact_in(ARRAY[1,NULL], ARRAY[NULL,1]), gpu_compact_in(ARRAY[1,2], ARRAY[NULL,1], negate => true)
gpu_radix_sort(cnt, NULL), gpu_rank(cnt, NULL), gpu_window(cnt, '+', NULL), gpu_compact(cnt, '>', NULL), gpu_union(cnt, NULL) FROM one
\.

-- A GPU, which is not here, or is: SHOW says what was set.
SET gpucompact.engine = gpu;
SHOW gpucompact.engine;
RESET gpucompact.engine;

-- Arrays of two types, as ARRAY[...] and drivers make them: psycopg sends [3, 5] as a
-- smallint[], and [0.5, 1.5] as a double precision[].
COPY messages FROM stdin;
(gpu_zip(cnt, '+', temp))[1:3], (gpu_bucket(temp, ARRAY[20,25]))[1:4], gpu_histogram(temp, ARRAY[20.5,25]), gpu_histogram(cnt, '{3,5}'::smallint[]) FROM other
cardinality(gpu_compact_in(cnt, '{2,5}'::smallint[])), gpu_intersect(cnt, '{2,5}'::smallint[]) FROM other
gpu_union(cnt, ARRAY[2,10000000000]), gpu_intersect_count(cnt, ARRAY[1,2]::bigint[]) FROM other
gpu_reduce('{30000,30000}'::smallint[], 'sum')
gpu_reduce('{30000,30000}'::smallint[]::integer[], 'sum'), (gpu_stats('{30000,30000}'::smallint[])).sum
gpu_compact(ts, '>=', timestamp '2026-11-01 23:50') FROM one
gpu_compact(ts, '>=', (timestamp '2026-11-01 23:50')::timestamptz) FROM one
cardinality(gpu_compact(temp, '>', 24.5)), cardinality(gpu_compact(ts, '>', '2026-11-01 12:00+00'::text::timestamptz)) FROM one
gpu_compact(ts, '>', '2026-11-01 12:00+00'::text) FROM one
-- What means something else than elsewhere: five elements are four before and the
-- element itself; keys come first; ranks are dense; bounds come before the number of
-- buckets; a position is no subscript; NaN is greatest; gaps are bridged.
(gpu_window_avg(ARRAY[1,2,3,4,5,6], 4))[6] AS rolling_5, (gpu_window_avg(ARRAY[1,2,3,4,5,6], 5))[6] AS rolling_6, (gpu_window(ARRAY[1,2,3,4,5,6], '+', 4))[6] AS sum_5
g FROM gpu_group(ARRAY[10,20,30], ARRAY[1,1,2], 'sum') AS g
g FROM gpu_group(ARRAY[1,1,2], ARRAY[10,20,30], 'sum') AS g
gpu_rank(ARRAY[10,10,20]), gpu_rank(ARRAY[10,10,20], 'min')
cardinality(gpu_histogram(temp, 10, 0, 100)), gpu_histogram(temp, 0, 100, 10) FROM other
gpu_positions('[0:2]={5,6,7}'::integer[], '=', 6), gpu_take('[0:2]={5,6,7}'::integer[], '{2}')
(gpu_top_k('{1,NaN}'::float8[], 1)).values, (gpu_top_k(gpu_compact('{1,NaN}'::float8[], '<>', 'NaN'), 1)).values
gpu_interpolate(ARRAY[0,40], ARRAY[1,2], ARRAY[20]), gpu_interpolate(ARRAY[0,40], ARRAY[1,2], ARRAY[20], 30)
gpu_dot('{16777217}'::integer[], '{1}'::real[]), gpu_dot('{16777217}'::integer[], '{1}'::float8[])
-- Errors of PostgreSQL's parser, which no function sees: each with what to write
-- instead.  (What else they say depends on the version of PostgreSQL.)
gpu_median(temp) FROM other
gpu_percentile_cont(temp, 0.5) FROM other
gpu_percentile_disc(ts, '{0.1,0.9}') FROM other
gpu_percentile_disc(ts, ARRAY[0.1,0.9]) FROM other
gpu_sort(temp) FROM other
gpu_radix_sort(temp, 'desc') FROM other
(gpu_radix_sort(temp, descending => true))[1:4] FROM other
gpu_rank(temp, descending => true) FROM other
(gpu_argsort(gpu_argsort(temp, descending => true, nulls_first => false)))[1:4] FROM other
gpu_take(temp, 3) FROM other
temp[3], gpu_take(temp, ARRAY[3]) FROM other
gpu_fill(temp, 'linear') FROM other
gpu_fill(temp, 0) FROM other
gpu_histogram(temp, 10) FROM other
gpu_histogram(temp, s.min, s.max, 10) FROM other, gpu_stats(temp) AS s
gpu_bucket(ts, '6 hours') FROM other
d.counts FROM other, gpu_distinct_counts(gpu_bucket(ts, ARRAY(SELECT generate_series(ts[1], ts[144], interval '6 hours')))) AS d
gpu_window_avg(temp) FROM other
temp * 1.8 + 32 FROM other
(ARRAY(SELECT x * 1.8 + 32 FROM unnest(temp) WITH ORDINALITY AS u (x, i) ORDER BY i))[1:2] FROM other
gpu_compact(temp, temp > 24.8) FROM other
gpu_filter(temp, '>', 24.8) FROM other
gpu_cumsum(cnt) FROM other
(gpu_prefix_sum(cnt))[1:3] FROM other
gpu_unique(cnt) FROM other
gpu_diff(temp) FROM other
(gpu_delta(temp))[2:3] FROM other
gpu_rolling(temp, 5) FROM other
(gpu_window_avg(temp, 4))[5] FROM other
gpu_reduce('max', temp) FROM other
gpu_percentile_cont(0.5, temp) FROM other
gpu_top_k(5, temp) FROM other
(gpu_top_k(temp, 2)).values FROM other
gpu_window(temp, 5, 'max') FROM other
(gpu_window(temp, 'max', 4))[5] FROM other
gpu_fill(temp, method => 'ffill') FROM other
gpu_downsample(ts, temp, 6) FROM other
gpu_take(temp, p) AS temp, p FROM other, gpu_downsample(temp, 3) AS p
gpu_interpolate(ts, temp, interval '8 hours') FROM other
gpu_interpolate(ts, temp, ARRAY(SELECT generate_series(ts[1], ts[144], interval '8 hours'))) FROM other
gpu_percentile_cont(0.5) WITHIN GROUP (ORDER BY x) FROM other, unnest(temp) AS x
gpu_median_agg(x), gpu_percentile_cont_agg(x, 0.5) FROM other, unnest(temp) AS x
gpu_sum_agg(x) FROM other, unnest(cnt) AS x
sum(x) FROM other, unnest(cnt) AS x
gpu_prefix_sum(x) OVER (ORDER BY i) FROM other, unnest(cnt) WITH ORDINALITY AS u (x, i)
gpu_unpack(gpu_pack(temp)) FROM other
gpu_reduce(gpu_pack(temp), 'max') FROM other
gpu_reduce(gpu_pack(temp)::float8[], 'max') FROM other
\.

DROP TABLE sensor_day CASCADE;
