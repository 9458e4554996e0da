-- gpu_state: parts of aggregates, made where the rows are and put together elsewhere
\getenv srcdir PG_ABS_SRCDIR \set ECHO none \i :srcdir/sql/calls.psql

CREATE TABLE readings AS
SELECT i AS id, i % 12 AS shard, hashint4(i) % 500 AS x, CASE WHEN i % 7 > 0 THEN (hashint4(i) % 1000) / 8.0 END::float8 AS f,
	   date '2026-01-01' + i % 100 AS d, ARRAY[i, CASE WHEN i % 5 > 0 THEN hashint4(i) % 100 END, NULL] AS a
FROM generate_series(1, 5000) AS i;
CREATE TABLE states AS
SELECT shard, gpu_values_state(x) AS x, gpu_distinct_state(x) AS different, gpu_values_state(f) AS f, gpu_values_state(d) AS d,
	   gpu_avg_state(a) AS avg, gpu_stddev_state(a) AS stddev
FROM readings GROUP BY shard;
\d states

-- The answers are those of all rows.
SELECT gpu_median_agg(x), gpu_percentile_cont_agg(x, 0.3), gpu_percentile_cont_agg(x, '{0.9,NULL,0.1}'::float8[]),
	   gpu_count_distinct(different), gpu_count_distinct(x) FROM states;
COPY messages FROM stdin;
gpu_median_agg(x), gpu_percentile_cont_agg(x, 0.3), gpu_percentile_cont_agg(x, '{0.9,NULL,0.1}'::float8[]), gpu_count_distinct(x), gpu_count_distinct(x) FROM readings
gpu_median_agg(f), gpu_count_distinct(f), gpu_percentile_disc(gpu_array_agg(d, NULL::date[]), 0.7) FROM states
gpu_median_agg(f), gpu_count_distinct(f), gpu_percentile_disc_agg(d, 0.7) FROM readings
gpu_avg_agg(avg), gpu_stddev_agg(stddev) FROM states
gpu_avg_agg(a), gpu_stddev_agg(a) FROM readings
\.
SELECT gpu_radix_sort(gpu_array_agg(f, NULL::float8[])) = (SELECT array_agg(f ORDER BY f) FROM readings),
	   gpu_mode(gpu_array_agg(x, NULL::integer[])) = (SELECT gpu_mode_agg(x) FROM readings),
	   gpu_distinct_counts(gpu_array_agg(x, NULL::integer[]))::text = (SELECT gpu_distinct_counts_agg(x)::text FROM readings),
	   gpu_radix_sort(gpu_unpack(gpu_pack_agg(f), NULL::float8[])) = (SELECT array_agg(f ORDER BY f) FROM readings)
FROM states;
SELECT g, gpu_median_agg(x) = (SELECT gpu_median_agg(x) FROM readings WHERE shard % 3 = g) FROM (SELECT shard % 3 AS g, x FROM states) AS s
GROUP BY g ORDER BY g;

-- States of states.
CREATE TABLE upper AS
SELECT gpu_values_state(x) AS x, gpu_distinct_state(different) AS different, gpu_distinct_state(x) AS of_values, gpu_avg_state(avg) AS avg,
	   gpu_stddev_state(stddev) AS stddev
FROM states GROUP BY shard % 4;
SELECT gpu_median_agg(x), gpu_count_distinct(different), gpu_count_distinct(of_values), gpu_avg_agg(avg), gpu_stddev_agg(stddev) FROM upper;

-- In parallel.
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
ALTER TABLE readings SET (parallel_workers = 2);
ALTER TABLE states SET (parallel_workers = 2);
EXPLAIN (COSTS OFF) SELECT gpu_median_agg(x), gpu_avg_agg(avg) FROM states;
COPY messages FROM stdin;
gpu_median_agg(x), gpu_percentile_cont_agg(x, 0.3), gpu_count_distinct(different), gpu_avg_agg(avg), gpu_stddev_agg(stddev) FROM states
gpu_median_agg(x), gpu_avg_agg(avg), gpu_stddev_agg(stddev) FROM (SELECT gpu_values_state(x) AS x, gpu_avg_state(a) AS avg, gpu_stddev_state(a) AS stddev FROM readings) AS s
\.
RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size;
ALTER TABLE readings RESET (parallel_workers);
ALTER TABLE states RESET (parallel_workers);
SET max_parallel_workers_per_gather = 0;

-- Each type that avg and stddev take; sums that are wider than the elements.
SELECT gpu_avg_agg(s), gpu_stddev_agg(t)
FROM (SELECT gpu_avg_state(ARRAY[m]) AS s, gpu_stddev_state(ARRAY[m]) AS t
	  FROM unnest('{9223372036854775807,9223372036854775807,9223372036854775804}'::bigint[]) AS m GROUP BY m) AS r;
COPY messages FROM stdin;
gpu_avg_agg(s), gpu_stddev_agg(t) FROM (SELECT gpu_avg_state(ARRAY[m]) AS s, gpu_stddev_state(ARRAY[m]) AS t FROM unnest('{1,2,4}'::smallint[]) AS m GROUP BY m) AS r
gpu_avg_agg(s), gpu_stddev_agg(t) FROM (SELECT gpu_avg_state(ARRAY[m]) AS s, gpu_stddev_state(ARRAY[m]) AS t FROM unnest('{1.5,2.5,NULL,3.5}'::real[]) AS m GROUP BY m) AS r
gpu_avg_agg(s), gpu_stddev_agg(t) FROM (SELECT gpu_avg_state(ARRAY[m]) AS s, gpu_stddev_state(ARRAY[m]) AS t FROM unnest('{1.5,NaN,Infinity,4}'::float8[]) AS m GROUP BY m) AS r
-- NULLs, no rows, no arrays.
gpu_values_state(x), gpu_distinct_state(x), gpu_avg_state(a), gpu_stddev_state(a) FROM readings WHERE false
gpu_avg_state(a), gpu_stddev_state(a) FROM (VALUES (NULL::integer[]), (NULL)) AS r (a)
\.
SELECT gpu_median_agg(s), gpu_percentile_cont_agg(s, 0.5), gpu_percentile_cont_agg(s, '{0.5}'::float8[]), gpu_count_distinct(s),
	   gpu_array_agg(s, NULL::integer[]), gpu_pack_agg(s), gpu_avg_agg(s), gpu_stddev_agg(s), gpu_values_state(s), gpu_distinct_state(s),
	   gpu_avg_state(s), gpu_stddev_state(s)
FROM (VALUES (NULL::gpu_state), (NULL)) AS r (s);
SELECT gpu_median_agg(s), gpu_count_distinct(s), gpu_array_agg(s, NULL::integer[]), gpu_pack_agg(s), gpu_count_distinct(d)
FROM (SELECT gpu_values_state(x) AS s, gpu_distinct_state(x) AS d FROM (VALUES (NULL::integer), (NULL)) AS r (x)) AS r;
COPY messages FROM stdin;
gpu_avg_agg(s), gpu_stddev_agg(t) FROM (SELECT gpu_avg_state(a) AS s, gpu_stddev_state(a) AS t FROM (VALUES (1, '{}'::integer[]), (2, '{}')) AS r (g, a) GROUP BY g) AS r
gpu_percentile_cont_agg(x, NULL::float8), gpu_percentile_cont_agg(x, NULL::float8[]) FROM states
\.
SELECT gpu_array_agg(s, NULL::integer[] ORDER BY n)
FROM (VALUES (1, NULL), (2, (SELECT gpu_values_state(i) FROM generate_series(1, 3) AS i)), (3, (SELECT gpu_values_state(NULL::integer)))) AS r (n, s);

-- A domain's values are of its base type.
CREATE DOMAIN small_reading AS integer CHECK (VALUE < 1000);
SELECT gpu_array_agg(s, NULL::integer[]), gpu_avg_agg(t)
FROM (SELECT gpu_values_state(x::small_reading) AS s, gpu_avg_state(ARRAY[x::small_reading]) AS t FROM generate_series(1, 3) AS x) AS r;
CREATE DOMAIN reading_list AS integer[];
SELECT gpu_array_agg(x, NULL::reading_list) = gpu_array_agg(x, NULL::integer[]) FROM states;
SELECT gpu_array_agg(x, NULL::small_reading[]) FROM states;

-- As a window.
SELECT shard, gpu_median_agg(x) OVER (ORDER BY shard) = (SELECT gpu_median_agg(x) FROM readings AS r WHERE r.shard <= s.shard)
FROM states AS s ORDER BY shard LIMIT 3;

-- Text and bytes come back.
SELECT bool_and(x::text::gpu_state::text = x::text AND gpucompact_state_send(x::text::gpu_state) = gpucompact_state_send(x)) FROM states;
SELECT gpu_median_agg(x::text::gpu_state), gpu_avg_agg(avg::text::gpu_state) FROM states;
SELECT translate(encode(gpucompact_state_send(s), 'base64'), E'\n', '') = s::text, s, length(gpucompact_state_send(s))
FROM (SELECT gpu_values_state(i) AS s FROM generate_series(1, 3) AS i) AS r;

-- Other states than an aggregate takes; other types.
COPY messages FROM stdin;
gpu_median_agg(different) FROM states
gpu_avg_agg(stddev) FROM states
gpu_count_distinct(avg) FROM states
gpu_array_agg(x, NULL::bigint[]) FROM states
gpu_array_agg(s, NULL::int2vector) FROM (SELECT gpu_values_state(1::smallint)) AS r (s)
gpu_median_agg(s) FROM (SELECT x AS s FROM states UNION ALL SELECT f FROM states) AS r
gpu_avg_agg(s) FROM (SELECT gpu_avg_state(a) AS s FROM readings UNION ALL SELECT gpu_avg_state(ARRAY[1.5]::float8[])) AS r
gpu_avg_agg(s) FROM (SELECT gpu_avg_state(a) AS s FROM readings UNION ALL SELECT gpu_avg_state(ARRAY[1])) AS r
gpu_median_agg(d) FROM states
\.
SELECT g, gpu_median_agg(s)
FROM (SELECT 1 AS g, gpu_values_state(1.5::real) AS s UNION ALL SELECT 2, gpu_values_state(7) UNION ALL SELECT 3, gpu_values_state(2::bigint)) AS r
GROUP BY g ORDER BY g;
SET enable_hashagg = off;
SELECT g, gpu_median_agg(s) FROM (SELECT 1 AS g, x AS s FROM states UNION ALL SELECT 2, d FROM states) AS r GROUP BY g ORDER BY g;
RESET enable_hashagg;
COPY messages FROM stdin;
gpu_percentile_cont_agg(x, shard / 20.0) FROM states
gpu_percentile_cont_agg(x, 1.5) FROM states
gpu_values_state(x::numeric), gpu_values_state('text'::text) FROM readings
gpu_avg_state(ARRAY[d]) FROM readings
-- What is no state.
''::gpu_state
'R1BT*'::gpu_state
'R1BT'::gpu_state
gpu_values_state(i)::text::bytea::text::gpu_state FROM generate_series(1, 3) AS i
\.
