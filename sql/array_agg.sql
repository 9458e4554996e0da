-- array_agg(x) as the array of a call: gpu_array_agg takes its place
\getenv srcdir PG_ABS_SRCDIR \set ECHO none \i :srcdir/sql/calls.psql

CREATE TABLE v AS
SELECT i AS id, i % 3 AS g, nullif(i * 7 % 11, 4) AS x, i * 7 % 5 AS k, i * 0.5::float8 AS f
FROM generate_series(1, 20) AS i;

COPY messages FROM stdin;
pg_temp.plan('SELECT gpu_percentile_cont(array_agg(x), 0.5) FROM v')
gpu_percentile_cont(array_agg(x), 0.5) AS ours, percentile_cont(0.5) WITHIN GROUP (ORDER BY x) FROM v
gpu_percentile_cont(array_agg(x), 0.5) IS NULL AS is_null FROM v WHERE id > 20
gpu_median(array_agg(x)) FROM v
pg_temp.plan('SELECT gpu_median(array_agg(x)) FROM v')
\.

-- With FILTER, in groups, in HAVING and ORDER BY, and in chains.
SELECT pg_temp.plan($$SELECT g, gpu_radix_sort(array_agg(x) FILTER (WHERE k > 1)), (gpu_stats(array_agg(k))).max
			  FROM v GROUP BY g HAVING gpu_mode(array_agg(x)) < 9 ORDER BY gpu_distinct(array_agg(k)), g$$);
SELECT g, gpu_radix_sort(array_agg(x) FILTER (WHERE k > 1)), (gpu_stats(array_agg(k))).max
FROM v GROUP BY g HAVING gpu_mode(array_agg(x)) < 9 ORDER BY gpu_distinct(array_agg(k)), g;
SELECT g, array_agg(x ORDER BY x) FILTER (WHERE k > 1), max(k), mode() WITHIN GROUP (ORDER BY x)
FROM v GROUP BY g ORDER BY array_agg(DISTINCT k), g;
COPY messages FROM stdin;
pg_temp.plan('SELECT gpu_reduce(gpu_delta(gpu_radix_sort(array_agg(x))), ''max'') FROM v')
gpu_reduce(gpu_delta(gpu_radix_sort(array_agg(x))), 'max') FROM v
-- Grouping sets.
pg_temp.plan('SELECT g, k, gpu_mode(array_agg(x)) FROM v GROUP BY ROLLUP (g, k)')
\.
SELECT g, gpu_mode(array_agg(x)), mode() WITHIN GROUP (ORDER BY x) FROM v GROUP BY ROLLUP (g) ORDER BY g;

-- A subquery and a view have aggregates of their own.
CREATE VIEW medians AS SELECT g, gpu_percentile_disc(array_agg(x), 0.5) AS median FROM v GROUP BY g;
SELECT pg_get_viewdef('medians') ~ 'gpu_percentile_disc\(array_agg' AS stays;
SELECT pg_temp.plan('SELECT array_agg(median) FROM medians');
SELECT array_agg(median ORDER BY g) FROM medians;
SELECT pg_temp.plan('SELECT (SELECT gpu_mode(array_agg(w.x)) FROM v AS w WHERE w.g = v.g), array_agg(k) FROM v GROUP BY g');

-- Parts of it are computed by workers.
ALTER TABLE v SET (parallel_workers = 2);
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT pg_temp.plan('SELECT gpu_histogram(array_agg(x), 0, 10, 5) FROM v');
SELECT gpu_histogram(array_agg(x), 0, 10, 5), gpu_radix_sort(array_agg(f)) = array(SELECT f FROM v ORDER BY f) AS same FROM v;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;

-- array_agg stays: where the order of elements matters, or is asked for,
COPY messages FROM stdin;
pg_temp.plan('SELECT gpu_prefix_sum(array_agg(x)), gpu_distinct(array_agg(k), true) FROM v')
pg_temp.plan('SELECT gpu_stats(array_agg(f)) FROM v')
pg_temp.plan('SELECT gpu_radix_sort(array_agg(x ORDER BY id)), gpu_mode(array_agg(DISTINCT x)) FROM v')
-- where the array is used otherwise, too,
pg_temp.plan('SELECT gpu_radix_sort(array_agg(x)), array_agg(k) FROM v')
\.
SELECT pg_temp.plan('SELECT gpu_radix_sort(array_agg(x)) FROM v GROUP BY g HAVING cardinality(array_agg(x)) > 1');
SELECT pg_temp.plan('SELECT gpu_mode(array_agg(x)) FROM v HAVING (SELECT cardinality(array_agg(v.x)) > 1 FROM v AS w LIMIT 1)');
SELECT gpu_radix_sort(array_agg(x)), cardinality(array_agg(x)) FROM v WHERE id < 5;

-- where it belongs to an outer query,
SELECT pg_temp.plan('SELECT (SELECT gpu_mode(array_agg(v.x)) FROM v AS w LIMIT 1) FROM v');

-- in a window, and where values are arrays or of a domain.
SELECT DISTINCT gpu_mode(array_agg(x) OVER ()) FROM v;
SELECT pg_temp.plan('SELECT gpu_mode((array_agg(ARRAY[x]))[1:1]) FROM v');
CREATE DOMAIN reading AS integer;
SELECT pg_temp.plan('SELECT gpu_mode(array_agg(x::reading)) FROM v');
SELECT gpu_mode(array_agg(x::reading)) FROM v;

-- Who may not call one of the two aggregates gets the other, or an error.
SET plan_cache_mode = force_generic_plan;
PREPARE middle AS SELECT gpu_percentile_disc(array_agg(x), 0.5) FROM v;
CREATE ROLE regress_array_agg;
GRANT SELECT ON v TO regress_array_agg;
SET ROLE regress_array_agg;
EXECUTE middle;
RESET ROLE;
REVOKE EXECUTE ON FUNCTION gpu_array_agg(anynonarray) FROM PUBLIC;
SELECT pg_temp.plan('EXECUTE middle');
SET ROLE regress_array_agg;
SELECT pg_temp.plan('EXECUTE middle');
EXECUTE middle;
RESET ROLE;
GRANT EXECUTE ON FUNCTION gpu_array_agg(anynonarray) TO PUBLIC;
BEGIN;
REVOKE EXECUTE ON FUNCTION array_agg(anynonarray) FROM PUBLIC;
SET LOCAL ROLE regress_array_agg;
EXECUTE middle;
ROLLBACK;
RESET plan_cache_mode;

-- A query is searched once, and not again for each of its calls: that took 135 MB.
DO $$
DECLARE
	used bigint;
BEGIN
	EXECUTE 'SELECT (SELECT sum(used_bytes) FROM pg_backend_memory_contexts), ARRAY['
		|| repeat('gpu_percentile_disc(array_agg(x), 0.5), ', 1000) || '0] FROM v' INTO used;
	ASSERT used < 40000000, used;
END $$;

DROP TABLE v CASCADE;
DROP DOMAIN reading;
DROP ROLE regress_array_agg;
