-- The aggregates over arrays: gpu_sum_agg, gpu_min_agg, gpu_max_agg, gpu_avg_agg,
-- gpu_stddev_agg, gpu_count_agg, gpu_median_agg and gpu_percentile_cont_agg,
-- position by position; gpu_concat_agg and gpu_distinct_agg
\getenv srcdir PG_ABS_SRCDIR \set ECHO none \i :srcdir/sql/calls.psql

COPY messages FROM stdin;
gpu_sum_agg(a), gpu_min_agg(a), gpu_max_agg(a), gpu_avg_agg(a) FROM (VALUES ('{1,2,3}'::integer[]), ('{4,5,-6}')) AS r (a)
gpu_concat_agg(a ORDER BY i), gpu_concat_agg(a ORDER BY i DESC), gpu_distinct_agg(a) FROM (VALUES (1, '{3,1}'::integer[]), (2, '{}'), (3, '{2,NULL,3}')) AS r (i, a)
-- The types of the results.
pg_typeof(gpu_sum_agg('{1}'::smallint[])), pg_typeof(gpu_sum_agg('{1}'::integer[]))
pg_typeof(gpu_avg_agg('{1}'::smallint[])), pg_typeof(gpu_avg_agg('{1}'::real[]))
-- NULL elements are skipped; a position without a value is NULL.
gpu_sum_agg(a), gpu_min_agg(a), gpu_max_agg(a), gpu_avg_agg(a) FROM (VALUES ('{NULL,2,NULL}'::bigint[]), ('{4,NULL,NULL}'), ('{5,6,NULL}')) AS r (a)
-- NULL arrays are, too; without an array there is no result.
gpu_sum_agg(a), gpu_min_agg(a), gpu_avg_agg(a), gpu_concat_agg(a), gpu_distinct_agg(a) FROM (VALUES (NULL::integer[]), ('{7,8}'), (NULL)) AS r (a)
gpu_sum_agg(a) IS NULL, gpu_max_agg(a) IS NULL, gpu_concat_agg(a) IS NULL, gpu_distinct_agg(a) IS NULL FROM (VALUES (NULL::integer[])) AS r (a)
-- NaN is the greatest, and infinities add up as they do.
gpu_sum_agg(a), gpu_min_agg(a), gpu_max_agg(a), gpu_avg_agg(a) FROM (VALUES ('{NaN,1,Infinity,-0,Infinity}'::double precision[]), ('{2,NaN,1,-0,-Infinity}')) AS r (a)
\.

-- Averages of integers are exact before they are rounded.
SELECT gpu_avg_agg(a) FROM (VALUES ('{1,9007199254740993,-9007199254740993,NULL}'::bigint[]),
	('{1,9007199254740993,-9007199254740993,9007199254740993}'), ('{5,9007199254740993,-9007199254740993,NULL}')) AS r (a);
SELECT gpu_avg_agg(a) FROM (VALUES ('{9223372036854775807,-9223372036854775808}'::bigint[]),
	('{9223372036854775807,-9223372036854775808}'), ('{9223372036854775806,-1}')) AS r (a);
SELECT bool_and(gpu_avg_agg = ARRAY[(sum::numeric(200, 100) / n)::float8]) AS same
FROM (SELECT n, gpu_avg_agg(ARRAY[x]), sum(x)
	  FROM unnest('{3,7,49,999}'::integer[]) AS n, generate_series(1, n) AS i,
		   LATERAL (VALUES (0, 9007199254740993 + i::bigint * 1234567), (1, hashint8extended(i, n))) AS v (kind, x)
	  GROUP BY n, kind) AS averages;

-- 22003: a sum is out of range, of integers beyond bigint.
COPY messages FROM stdin;
gpu_sum_agg(a) FROM (VALUES ('{1,32767}'::smallint[]), ('{1,32767}')) AS r (a)
gpu_sum_agg(a) FROM (VALUES ('{1,9223372036854775807}'::bigint[]), ('{1,1}')) AS r (a)
gpu_sum_agg(a) FROM (VALUES ('{3e38}'::real[]), ('{3e38}')) AS r (a)
gpu_avg_agg(a) FROM (VALUES ('{3e38}'::real[]), ('{3e38}')) AS r (a)
-- 2202E: lengths that differ.  All rows of a group count, and those of a window
-- frame, in the order in which the aggregate gets them.
gpu_sum_agg(a) FROM (VALUES ('{1,2}'::integer[]), ('{1}')) AS r (a)
gpu_max_agg(a ORDER BY i) FROM (VALUES (4, '{1,2}'::bigint[]), (3, NULL), (2, '{1}'), (1, NULL)) AS r (i, a)
\.
SELECT i % 2 AS g, gpu_avg_agg(a ORDER BY i) FILTER (WHERE i <> 4)
FROM (VALUES (1, '{1,2}'::real[]), (2, '{1}'), (3, '{1,2}'), (4, NULL), (6, '{2}'), (8, '{1,2,3}')) AS r (i, a)
GROUP BY g ORDER BY g;
COPY messages FROM stdin;
i, gpu_sum_agg(a) OVER (ORDER BY i ROWS 1 PRECEDING) FROM (VALUES (1, '{1}'::integer[]), (2, '{2}'), (3, '{4}'), (4, '{1,2}')) AS r (i, a)
-- gpu_pad: a row's array with NULLs at its end.
gpu_avg_agg(gpu_pad(a, 3)), gpu_sum_agg(gpu_pad(a, 3)), gpu_max_agg(gpu_pad(a, 3)) FROM (VALUES ('{1,2,3}'::integer[]), ('{3}'), ('{}'), (NULL), ('{NULL,4}')) AS r (a)
gpu_pad('{1,2}'::integer[], 4), gpu_pad('{1,NULL}'::real[], 3), gpu_pad('{t,f}'::boolean[], 2)
-- It starts at 1.
gpu_pad('[2147483646:2147483646]={1}'::integer[], 2)
-- 2202E: a longer array.  22023: no length.  54000: too long.
gpu_pad('{1,2,3}'::integer[], 2)
gpu_pad('{}'::integer[], -1)
gpu_pad('{1}'::integer[], 134217728)
cardinality(gpu_pad('{1}'::integer[], 134217727)), pg_column_size(gpu_pad('{1}'::integer[], 134217727))
-- 0A000: types that have no sums.
gpu_sum_agg('{1.5}'::numeric[])
gpu_avg_agg('{2024-02-29}'::date[])
\.

-- 42804: a column of arrays of several types.
\set VERBOSITY sqlstate
SELECT gpu_concat_agg(most_common_vals) FROM pg_stats
WHERE tablename = 'pg_proc' AND attname IN ('pronamespace', 'prokind', 'provolatile');

-- As a window function, in groups, and with a filter.
SELECT i, gpu_sum_agg(a) OVER (ORDER BY i), gpu_concat_agg(a) OVER (ORDER BY i), gpu_distinct_agg(a) OVER (ORDER BY i)
FROM (VALUES (1, '{1,2}'::integer[]), (2, '{NULL,1}'), (3, '{1,7}')) AS r (i, a);
SELECT i % 3 AS g, gpu_sum_agg(ARRAY[i, -i]) FILTER (WHERE i < 8) AS sum, gpu_distinct_agg(ARRAY[i / 4, 1]) AS distinct
FROM generate_series(1, 12) AS i GROUP BY g ORDER BY g;

-- Arrays stored in each way: each aggregate equals its idiom.
\set ECHO none
CREATE TABLE runs (id integer, part integer, a integer[] COMPRESSION pglz) PARTITION BY LIST (part);
CREATE TABLE runs_0 PARTITION OF runs FOR VALUES IN (0);
CREATE TABLE runs_1 PARTITION OF runs FOR VALUES IN (1);
ALTER TABLE runs_0 ALTER a SET STORAGE EXTERNAL;
ALTER TABLE runs_1 ALTER a SET STORAGE EXTENDED;
INSERT INTO runs
SELECT id, id % 2, ARRAY(SELECT CASE WHEN (i + id) % 11 > 0 OR id < 20 THEN hashint4(i * id % 500) END
						 FROM generate_series(1, 20000) AS i)
FROM generate_series(1, 24) AS id;
ANALYZE runs;
CREATE TABLE answers AS
SELECT array_agg(sum ORDER BY i) AS sums, array_agg(min ORDER BY i) AS mins,
	   array_agg(max ORDER BY i) AS maxs, array_agg(sum::float8 / count ORDER BY i) AS avgs,
	   array_agg(stddev::float8 ORDER BY i) AS stddevs, array_agg(count ORDER BY i) AS counts,
	   array_agg(median ORDER BY i) AS medians, array_agg(tenth ORDER BY i) AS tenths
FROM (SELECT i, sum(x) AS sum, min(x) AS min, max(x) AS max, count(x) AS count, stddev(x) AS stddev,
			 percentile_cont(0.5) WITHIN GROUP (ORDER BY x) AS median,
			 percentile_cont(0.1) WITHIN GROUP (ORDER BY x) AS tenth
	  FROM runs, unnest(a) WITH ORDINALITY AS u (x, i) GROUP BY i) AS positions;
CREATE VIEW verdicts AS
SELECT gpu_sum_agg(a) = (SELECT sums FROM answers) AS sums, gpu_min_agg(a) = (SELECT mins FROM answers) AS mins,
	   gpu_max_agg(a) = (SELECT maxs FROM answers) AS maxs, gpu_avg_agg(a) = (SELECT avgs FROM answers) AS avgs,
	   gpu_distinct_agg(a) = (SELECT array_agg(DISTINCT x) FROM runs, unnest(a) AS x) AS distincts
FROM runs;
CREATE VIEW more_verdicts AS
SELECT gpu_stddev_agg(a) = (SELECT stddevs FROM answers) AS stddevs,
	   gpu_count_agg(a) = (SELECT counts FROM answers) AS counts,
	   gpu_median_agg(a) = (SELECT medians FROM answers) AS medians,
	   gpu_percentile_cont_agg(a, 0.1) = (SELECT tenths FROM answers) AS tenths
FROM runs;
\set ECHO all
SELECT * FROM verdicts, more_verdicts;
\set VERBOSITY default
COPY messages FROM stdin;
gpu_concat_agg(a ORDER BY id DESC) = (SELECT array_agg(x ORDER BY id DESC, i) FROM runs, unnest(a) WITH ORDINALITY AS u (x, i)) AS concatenated FROM runs
\.

-- Groups that are hashed, and frames of windows, in which the arrays stay.
SELECT count(*), bool_and(m = ARRAY[p, p] AND n = ARRAY[q, 0] AND d IS NOT DISTINCT FROM ARRAY[s, NULL] AND f IS NOT DISTINCT FROM ARRAY[t, t])
FROM (SELECT i % 500 AS g, gpu_median_agg(ARRAY[hashint4(i), hashint4(i)]) AS m, gpu_count_agg(ARRAY[i, NULL]) AS n,
			 gpu_stddev_agg(ARRAY[hashint8(i)::bigint << 30, NULL]) AS d,
			 gpu_stddev_agg(ARRAY[hashint4(i) * 1.1e-3::float8, hashint4(i) * 1.1e-3::float8] ORDER BY i) AS f,
			 percentile_cont(0.5) WITHIN GROUP (ORDER BY hashint4(i)) AS p, count(i) AS q,
			 stddev(hashint8(i)::bigint << 30)::float8 AS s, stddev(hashint4(i) * 1.1e-3::float8 ORDER BY i) AS t
	  FROM generate_series(1, 20000) AS i GROUP BY 1) AS groups;
SELECT i, gpu_median_agg(ARRAY[i * i, -i]) OVER w, gpu_count_agg(ARRAY[i, NULL]) OVER w, gpu_stddev_agg(ARRAY[i, 7]) OVER w
FROM generate_series(1, 4) AS i WINDOW w AS (ORDER BY i ROWS 2 PRECEDING) ORDER BY i;

-- In parts: by parallel workers, and partition by partition.
CREATE FUNCTION plan_has(pattern text, query text) RETURNS boolean LANGUAGE sql AS
$$ SELECT coalesce(bool_or(line ~ pattern), false) FROM pg_temp.plan(query) AS line $$;
BEGIN;
SET LOCAL enable_partitionwise_aggregate = on;
SET LOCAL max_parallel_workers_per_gather = 0;
SELECT plan_has('Partial Aggregate', 'SELECT gpu_sum_agg(a), gpu_min_agg(a), gpu_max_agg(a),
					  gpu_avg_agg(a), gpu_distinct_agg(a) FROM runs') AS partial,
	   plan_has('Partial Aggregate', 'SELECT * FROM more_verdicts') AS partial_more,
	   plan_has('Partial', 'SELECT gpu_concat_agg(a) FROM runs') AS partial_concat;
SELECT * FROM verdicts, more_verdicts;
SELECT part, gpu_sum_agg(a) = (SELECT gpu_sum_agg(a) FROM runs_0) AS same FROM runs GROUP BY part ORDER BY part;
COMMIT;
BEGIN;
SET LOCAL max_parallel_workers_per_gather = 2;
SET LOCAL parallel_setup_cost = 0;
SET LOCAL parallel_tuple_cost = 0;
SET LOCAL min_parallel_table_scan_size = 0;
SELECT plan_has('Partial Aggregate', 'SELECT * FROM verdicts') AS partial,
	   plan_has('Gather', 'SELECT * FROM verdicts') AS gather,
	   plan_has('Partial Aggregate', 'SELECT * FROM more_verdicts') AS partial_more;
SELECT * FROM verdicts, more_verdicts;
-- Workers that have no array, and others that have; lengths that differ.
SELECT gpu_sum_agg(a) FILTER (WHERE id = 3) = (SELECT a::bigint[] FROM runs WHERE id = 3) AS one,
	   gpu_sum_agg(a) FILTER (WHERE id > 30) IS NULL AS none, gpu_distinct_agg(a[1:5]) FILTER (WHERE id = 3) =
	   (SELECT gpu_distinct(a[1:5]) FROM runs WHERE id = 3) AS one_distinct,
	   gpu_distinct_agg(a) FILTER (WHERE id > 30) IS NULL AS no_distinct,
	   gpu_median_agg(a[1:5]) FILTER (WHERE id = 3) = (SELECT a[1:5]::float8[] FROM runs WHERE id = 3) AS one_median,
	   gpu_stddev_agg(a[1:2]) FILTER (WHERE id = 3) AS one_stddev, gpu_count_agg(a[1:2]) FILTER (WHERE id = 3) AS one_count
FROM runs;
-- Sums of more than 64 bits, and moments of floats.
SELECT gpu_sum_agg(a[1:3]::bigint[])::text = gpu_sum_agg(a[1:3])::text AS wide,
	   gpu_stddev_agg(a[1:2]::float8[])::integer[] = gpu_stddev_agg(a[1:2])::integer[] AS moments
FROM runs;
COPY sqlstates FROM stdin;
gpu_median_agg(a[1:id]) FROM runs
gpu_percentile_cont_agg(a, id / 100.0) FROM runs
gpu_sum_agg(a[1:id]) FROM runs
\.
COMMIT;
-- In parts the rows of the group are not counted.
BEGIN;
SET LOCAL enable_partitionwise_aggregate = on;
SET LOCAL max_parallel_workers_per_gather = 0;
COPY messages FROM stdin;
gpu_sum_agg(CASE WHEN id < 24 THEN a[1:2] ELSE a[1:3] END) FROM runs
gpu_sum_agg(a[1:2 + part]) FROM runs
gpu_median_agg(a[1:2 + part]) FROM runs
\.
-- Parts without an array count for nothing.
SELECT gpu_sum_agg(CASE WHEN part = 1 THEN a[1:2] END) = gpu_sum_agg(a[1:2]) FILTER (WHERE part = 1) AS one,
	   gpu_min_agg(CASE WHEN part = 0 THEN a[1:2] END) = gpu_min_agg(a[1:2]) FILTER (WHERE part = 0) AS other,
	   gpu_max_agg(CASE WHEN part > 1 THEN a[1:2] END) IS NULL AS none
FROM runs;
COMMIT;
DROP VIEW verdicts, more_verdicts;
DROP TABLE runs, answers;
DROP FUNCTION plan_has;

-- The kinds of elements; arrays or values; what becomes of NULLs, NaN and the range.
SELECT gpu_stddev_agg(a), gpu_median_agg(a), gpu_percentile_cont_agg(a, 0.25), gpu_percentile_cont_agg(a, NULL::float8), gpu_count_agg(a)
FROM (VALUES ('{32767,NULL,1,NULL}'::smallint[]), ('[5:8]={-32768,5,NULL,NULL}'), (NULL), ('{0,7,NULL,NULL}')) AS r (a);
COPY messages FROM stdin;
gpu_stddev_agg(a), gpu_median_agg(a) FROM (VALUES ('{9223372036854775807,9223372036854775807,5}'::bigint[]), ('{-9223372036854775808,9223372036854775807,5}')) AS r (a)
gpu_stddev_agg(a), gpu_median_agg(a), gpu_count_agg(a) FROM (VALUES ('{NaN,1e30,-0,1,NULL,0.1}'::real[]), ('{1,Infinity,-0,2,NULL,0.1}'), ('{2,1,0,NULL,1,0.1}')) AS r (a)
gpu_stddev_agg(a), gpu_median_agg(a) FROM (VALUES ('{1e160,NULL,1e160}'::float8[]), ('{NULL,1e160,1e160}'), ('{1e160,NULL,1e160}')) AS r (a)
gpu_stddev_agg(a), gpu_median_agg(a), gpu_percentile_cont_agg(a, 7), gpu_count_agg(a) FROM (VALUES ('{}'::integer[]), ('{}')) AS r (a)
gpu_stddev_agg(a) IS NULL, gpu_median_agg(a) IS NULL, gpu_percentile_cont_agg(a, 0.1) IS NULL, gpu_count_agg(a) IS NULL FROM (VALUES (NULL::integer[])) AS r (a)
\.
COPY sqlstates FROM stdin;
gpu_stddev_agg(a) FROM (VALUES ('{1e200}'::float8[]), ('{-1e200}')) AS r (a)
gpu_percentile_cont_agg(a, 1.5) FROM (VALUES ('{1}'::integer[])) AS r (a)
gpu_median_agg(a) FROM (VALUES ('{1}'::integer[]), ('{1,2}')) AS r (a)
gpu_stddev_agg(a) FROM (VALUES ('{1}'::integer[]), ('{}')) AS r (a)
gpu_count_agg(a) FROM (VALUES ('{1}'::integer[]), ('{}')) AS r (a)
gpu_median_agg('{2024-02-29}'::date[])
gpu_stddev_agg('{2024-02-29}'::date[])
gpu_median_agg(NULL)
\.

-- A state does not grow with the rows.
SELECT max(bytes) - min(bytes) < 100000 AS no_growth, count(bytes), cardinality(gpu_sum_agg(a)),
	   cardinality(gpu_avg_agg(a)), cardinality(gpu_distinct_agg(a))
FROM (SELECT ARRAY[i % 7, NULL, 3] || array_fill(1, ARRAY[1000]) AS a,
			 CASE WHEN i % 5000 = 1000 THEN
			 (SELECT sum(total_bytes) FROM pg_backend_memory_contexts WHERE i > 0) END AS bytes
	  FROM generate_series(1, 20000) AS i) AS r;

-- 54000: more than an array may have.
\set VERBOSITY default
SELECT cardinality(gpu_concat_agg(a)) FROM (SELECT array_fill(true, ARRAY[50000000]) AS a) AS large, generate_series(1, 3);
