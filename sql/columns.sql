-- The aggregates over the values of rows: gpu_array_agg, gpu_pack_agg,
-- gpu_percentile_cont_agg, gpu_percentile_disc_agg, gpu_median_agg,
-- gpu_mode_agg, gpu_count_distinct, gpu_distinct_counts_agg, gpu_top_k_agg and
-- gpu_histogram_agg
\getenv srcdir PG_ABS_SRCDIR \set ECHO none \i :srcdir/sql/calls.psql

CREATE TABLE v (id integer, x integer, k real);
INSERT INTO v VALUES (1, 5, 2), (2, NULL, 1), (3, 7, NULL), (4, 5, 'NaN'), (5, -2, 1);
SELECT gpu_array_agg(x ORDER BY id), gpu_array_agg(x, k ORDER BY id), gpu_array_agg(k, x ORDER BY id) FROM v;
SELECT gpu_pack_agg(x ORDER BY id), gpu_pack_agg(x, k ORDER BY id), gpu_pack_agg(k, x ORDER BY id), gpu_pack_agg(id) FROM v WHERE id < 5;
SELECT gpu_percentile_cont_agg(x, 0.3), gpu_percentile_cont_agg(x, ARRAY[0, 0.5, NULL, 1]),
	   gpu_percentile_disc_agg(x, 0.3), gpu_percentile_disc_agg(x, '[3:4]={0.9,0.1}'::double precision[]),
	   gpu_median_agg(x), gpu_mode_agg(x), gpu_count_distinct(x) FROM v;

SELECT gpu_distinct_counts_agg(x), (gpu_distinct_counts_agg(k)).counts, gpu_top_k_agg(x, 2), gpu_top_k_agg(x, 2, id) AS ids, gpu_top_k_agg(k, 10), gpu_top_k_agg(k, 10, x) AS x,
	   gpu_histogram_agg(x, 0, 8, 4), gpu_histogram_agg(x, 8, 0, 2) FROM v \gx

-- Without rows, and without values.
SELECT gpu_array_agg(x), gpu_array_agg(x, k), gpu_percentile_cont_agg(x, 0.3), gpu_percentile_disc_agg(x, '{0.3}'::float8[]),
	   gpu_median_agg(x), gpu_mode_agg(x), gpu_count_distinct(x) FROM v WHERE false;
SELECT gpu_array_agg(x), gpu_array_agg(x, k), gpu_percentile_cont_agg(x, 0.3), gpu_percentile_disc_agg(x, '{0.3}'::float8[]),
	   gpu_median_agg(x), gpu_mode_agg(x), gpu_count_distinct(x) FROM v WHERE x IS NULL;

COPY messages FROM stdin;
gpu_pack_agg(x), gpu_pack_agg(x, k) FROM v WHERE false
gpu_pack_agg(x), gpu_pack_agg(x, k) FROM v WHERE x IS NULL
gpu_distinct_counts_agg(x), gpu_top_k_agg(x, 2), gpu_top_k_agg(x, 2, id), gpu_histogram_agg(x, 0, 8, 4) FROM v WHERE false
gpu_distinct_counts_agg(x), gpu_top_k_agg(x, 2), gpu_top_k_agg(x, 2, id), gpu_histogram_agg(x, 0, 8, 2) FROM v WHERE x IS NULL
\.
SELECT gpu_top_k_agg(x, 0), gpu_top_k_agg(x, 0, id), gpu_top_k_agg(x, NULL), gpu_top_k_agg(x, NULL, id), gpu_histogram_agg(x, NULL, 8, 2),
	   gpu_top_k_agg(x, 2147483647), gpu_top_k_agg(x, 2147483647, NULL::bigint) FROM v;

-- A payload of any type: the least of equal values first, in the order of its type, and NULL last.
SELECT gpu_top_k_agg(x, 4, -1.5 * id::float8), gpu_top_k_agg(x, 3, k), gpu_top_k_agg(x, 4, id > 2) FROM v;
CREATE VIEW top AS SELECT gpu_top_k_agg(x, 2) AS values, gpu_top_k_agg(x, 2, k) AS payloads FROM v;
SELECT *, pg_typeof(payloads) FROM top;
DROP VIEW top;
-- All bytes but 0 are true.
BEGIN;
CREATE CAST ("char" AS boolean) WITHOUT FUNCTION;
SELECT gpu_top_k_agg(c::boolean, 2, id), gpu_top_k_agg(id % 3, 3, c::boolean), gpu_count_distinct(c::boolean), gpu_mode_agg(c::boolean),
	   gpu_distinct_agg(ARRAY[c::boolean]) FROM (VALUES (1, 'a'::"char"), (2, ''), (3, 'b'), (4, 'c')) AS r (id, c);
ROLLBACK;
CREATE DOMAIN small AS integer CHECK (value < 10);
SELECT gpu_array_agg(x), pg_typeof(gpu_array_agg(x)), gpu_mode_agg(x), pg_typeof(gpu_mode_agg(x)), gpu_array_agg(x, x),
	   gpu_percentile_cont_agg(x, 0.5), gpu_count_distinct(x)
FROM (SELECT unnest('{3,2,NULL}'::small[]) AS x) AS r;
SELECT gpu_pack_agg(x) FROM (SELECT unnest('{3,2,NULL}'::small[]) AS x) AS r;
SELECT gpu_pack_agg(x::integer, x) FROM (SELECT unnest('{3,2,NULL}'::small[]) AS x) AS r;
DROP DOMAIN small;

-- FILTER, DISTINCT, windows, and grouping sets.
SELECT gpu_array_agg(x ORDER BY id) FILTER (WHERE x > 4), gpu_array_agg(DISTINCT x), gpu_median_agg(x) FILTER (WHERE x > 5),
	   gpu_median_agg(DISTINCT x), gpu_count_distinct(DISTINCT x) FROM v;
SELECT id, gpu_array_agg(x) OVER w, gpu_array_agg(x, k) OVER w, gpu_median_agg(x) OVER w, gpu_mode_agg(x) OVER w,
	   gpu_count_distinct(x) OVER w, gpu_percentile_disc_agg(x, 0.5) OVER w, gpu_median_agg(x) OVER ()
FROM v WINDOW w AS (ORDER BY id) ORDER BY id;
SELECT id, gpu_pack_agg(x) FILTER (WHERE id > 1) OVER w, gpu_pack_agg(x, k) OVER w, gpu_pack_agg(x) OVER () = gpu_pack_agg(x, id) OVER () AS same
FROM v WINDOW w AS (ORDER BY id) ORDER BY id;
SELECT gpu_pack_agg(x, id) FROM v;
SELECT function, elements FROM gpu_last_call();
SELECT x, gpu_array_agg(id ORDER BY id), gpu_count_distinct(k), gpu_median_agg(id)
FROM v GROUP BY GROUPING SETS ((x), ()) ORDER BY x, 2;

-- A fraction is the same for all rows of a group.
SELECT x, gpu_percentile_cont_agg(id, x / 10.0), gpu_percentile_disc_agg(id, ARRAY[x / 10.0, 0]) FROM v WHERE x > 0 GROUP BY x ORDER BY x;
COPY messages FROM stdin;
gpu_percentile_cont_agg(x, NULL::float8), gpu_percentile_cont_agg(x, NULL::float8[]) FROM v
gpu_percentile_cont_agg(x, id / 10.0) FROM v
gpu_percentile_disc_agg(x, nullif(id, 5) * 0.0) FROM v
gpu_percentile_disc_agg(x, ARRAY[id / 10.0]) FROM v
gpu_percentile_disc_agg(x, CASE WHEN id < 5 THEN ARRAY[0.5] END) FROM v
gpu_percentile_cont_agg(x, 1.5) FROM v
gpu_percentile_disc_agg(x, '{0.5,-1}'::float8[]) FROM v
-- And so are the arguments of the others.
gpu_top_k_agg(x, id, id) FROM v
gpu_top_k_agg(x, -1, id) FROM v
gpu_top_k_agg(x, -1) FROM v
gpu_histogram_agg(x, 0, id, 2) FROM v
gpu_histogram_agg(x, 0, 10, nullif(id, 3)) FROM v
-- 54000: more buckets than an array has elements.
gpu_histogram_agg(x, 0, 10, 2147483647) FROM v
gpu_histogram_agg(x::float8, 0, 10, 2147483647) FROM v
\.
-- Bounds that are equal are the same: 0 and -0.
SELECT gpu_histogram_agg(x::float8, CASE WHEN id % 2 = 0 THEN 0::float8 ELSE '-0' END, 8, 4) = gpu_histogram_agg(x, 0, 8, 4) FROM v;
SELECT gpu_histogram_agg(id, x, 10, 2) FROM v WHERE x > 0 GROUP BY x ORDER BY x;
SELECT gpu_histogram_agg(x, 0, CASE WHEN id = 1 THEN 10 ELSE 10.0 END, 2) FROM v;
SELECT gpu_histogram_agg(x, 0, 0, 2) FROM v;
SELECT gpu_histogram_agg(x, 0, 1, 0) FROM v;
-- NaN is an error or in the last bucket, as for gpu_histogram().
SELECT pg_temp.outcome('gpu_histogram_agg(k, 0, 1, 1) FROM v', false) IN (': 2201G', ' = {0,0,4}') AND
	   pg_temp.outcome('gpu_histogram_agg(k, 0, 1, 1) FROM v') = pg_temp.outcome('gpu_histogram(array_agg(k), 0, 1, 1) FROM v') AS as_gpu_histogram;

-- Types that are not supported.
COPY messages FROM stdin;
gpu_distinct_counts_agg(x::numeric) FROM v
gpu_top_k_agg(x::numeric, 1, 1) FROM v
gpu_top_k_agg(x, 1, x::numeric) FROM v
gpu_top_k_agg(x, 1, NULL) FROM v
gpu_histogram_agg(x::numeric, 0, 10, 2) FROM v
gpu_array_agg(x::numeric) FROM v
gpu_array_agg(x, x::text) FROM v
gpu_pack_agg(x::numeric) FROM v
gpu_pack_agg(x, x::text) FROM v
gpu_median_agg(current_date + x) FROM v
gpu_percentile_cont_agg(x::numeric, 0.5) FROM v
gpu_mode_agg(x * interval '1 day') FROM v
\.
\set VERBOSITY sqlstate
SELECT gpu_array_agg(ARRAY[x]) FROM v;

-- States whose rows are all in a worker, partly, or not at all.
CREATE TABLE many AS SELECT i AS id, nullif(hashint4(i) % 100, 7) AS x, hashint4(-i) AS k FROM generate_series(1, 20000) AS i;
ALTER TABLE many SET (parallel_workers = 2);
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
EXPLAIN (COSTS OFF) SELECT gpu_array_agg(x), gpu_array_agg(x, k), gpu_pack_agg(x), gpu_pack_agg(x, k), gpu_median_agg(x), gpu_count_distinct(k) FROM many;
CREATE VIEW ours AS
SELECT gpu_radix_sort(gpu_array_agg(x)) AS all, gpu_array_agg(id, k) AS keyed, gpu_pack_agg(x, id) AS packed, gpu_median_agg(x) AS median,
	   gpu_mode_agg(x) AS mode, gpu_count_distinct(k) AS count FROM many;
CREATE VIEW core AS
SELECT array_agg(x ORDER BY x) AS all, array_agg(id ORDER BY k, id) AS keyed, gpu_pack(array_agg(x ORDER BY id)) AS packed, percentile_cont(0.5) WITHIN GROUP (ORDER BY x) AS median,
	   mode() WITHIN GROUP (ORDER BY x) AS mode, count(DISTINCT k) AS count FROM many;
SELECT ours = core AS same FROM ours, core;
SELECT gpu_array_agg(x) FILTER (WHERE id = 1), gpu_array_agg(x, k) FILTER (WHERE id > 20000),
	   gpu_percentile_disc_agg(x, '{0.5,0}'::float8[]) FILTER (WHERE id IN (5, 19000)), gpu_count_distinct(x) FILTER (WHERE id = 0)
FROM many;
\set VERBOSITY default
COPY sqlstates FROM stdin;
gpu_percentile_disc_agg(x, id * 0.00001) FROM many
gpu_top_k_agg(x, id, id) FROM many
gpu_histogram_agg(x, 0, id, 10) FROM many
gpu_percentile_disc_agg(x, ARRAY[id * 0.00001]) FROM many
\.
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;

-- The planner knows which states grow with the rows: PostgreSQL 19 and later do not put them below a join.  0 is for numeric, which raises an error.
SELECT aggtransspace, string_agg(DISTINCT proname, ' ' ORDER BY proname) FROM pg_aggregate, pg_proc
WHERE pg_proc.oid = aggfnoid AND proname LIKE 'gpu\_%' GROUP BY aggtransspace ORDER BY aggtransspace;

-- Several figures of one column: its values are gathered once, as often as x is computed.
CREATE SEQUENCE computed;
CREATE FUNCTION noted(x integer) RETURNS integer LANGUAGE plpgsql IMMUTABLE PARALLEL UNSAFE AS $$
BEGIN
	PERFORM nextval('computed');
	RETURN x;
END $$;
SELECT gpu_median_agg(noted(x)), gpu_mode_agg(noted(x)), gpu_array_agg(noted(x)), gpu_percentile_cont(gpu_array_agg(noted(x)), 0.9),
	   gpu_unpack(gpu_pack_agg(noted(x)), NULL::integer[]), gpu_distinct_counts_agg(noted(x)), gpu_stats(array_agg(noted(x))), lastval() = count(*) AS once
FROM v \gx
COPY messages FROM stdin;
gpu_percentile_cont_agg(noted(x), 0.9), gpu_percentile_disc_agg(noted(x), 0.9), lastval() = 2 * count(*) AS once FROM v
gpu_percentile_cont_agg(noted(x), '{0.1,0.9}'::float8[]), gpu_percentile_disc_agg(noted(x), '{0.1,0.9}'::float8[]), lastval() = 3 * count(*) AS once FROM v
\.
SELECT g, gpu_median_agg(noted(x)), gpu_mode_agg(noted(x)), gpu_percentile_cont(gpu_array_agg(noted(x)), 0.9) FROM v, generate_series(1, 2) AS g GROUP BY g ORDER BY g;
SELECT id, gpu_median_agg(x) OVER w, gpu_mode_agg(x) OVER w, gpu_percentile_cont(gpu_array_agg(x) OVER w, 0.9)
FROM v WINDOW w AS (ORDER BY id ROWS 1 PRECEDING) ORDER BY id;
DROP FUNCTION noted;
DROP SEQUENCE computed;
DROP VIEW ours, core;
DROP TABLE many, v;
