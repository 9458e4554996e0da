-- gpu_date_bin: the beginning of the bin of each element
\getenv srcdir PG_ABS_SRCDIR \set ECHO none \i :srcdir/sql/calls.psql
SET datestyle = ISO;
SET timezone = 'Asia/Kolkata';

COPY messages FROM stdin;
gpu_date_bin('{2026-01-01 00:05,NULL,2026-01-01 00:59:59.999999,2026-01-01 01:00}'::timestamp[], '1 hour')
gpu_date_bin('{2026-01-01 00:05+05:30,2026-01-01 05:30+05:30}'::timestamptz[], '1 day')
gpu_date_bin('{2026-01-01 00:05+05:30,2026-01-01 05:30+05:30}'::timestamptz[], '1 day', '2026-01-01 00:00+05:30')
gpu_date_bin('{-11,-10,-1,0,NULL,9,10}'::integer[], 10), gpu_date_bin('{-11,-10,-1,0,9,10}'::bigint[], 10, -3)
\.

-- Before the origin, and at it; infinite times.
SELECT gpu_date_bin(a, interval '2 days 01:00', '2020-02-29 12:00') = ARRAY(SELECT date_bin('2 days 01:00', x, '2020-02-29 12:00') FROM unnest(a) AS x)
FROM (SELECT array_agg(timestamp '2020-02-29 12:00' + i * interval '7 hours' ORDER BY i) AS a FROM generate_series(-1000, 1000) AS i) AS arrays;
COPY messages FROM stdin;
gpu_date_bin('{1999-12-31 23:00,1999-12-31 22:59:59.999999,2000-01-01}'::timestamp[], '1 hour')
gpu_date_bin('{infinity,-infinity,2000-01-01,294276-12-31 23:59:59.999999,4713-01-01 BC}'::timestamp[], '1 day')
gpu_date_bin('{infinity}'::timestamp[], '1000000 days'), gpu_date_bin('{9223372036854775807,-9223372036854775808}'::bigint[], 1)
-- Arrays of all lengths and shapes.
gpu_date_bin(NULL::integer[], 1) IS NULL AS is_null, gpu_date_bin('{1}'::integer[], NULL) IS NULL
\.
SELECT n FROM unnest('{1,511,4096,4097,65536,65537,262145}'::integer[]) AS n,
	LATERAL (SELECT array_agg(hashint8(i) ORDER BY i) AS a, array_agg(floor(hashint8(i) / 97.0::float8)::integer * 97 ORDER BY i) AS bins
			 FROM generate_series(1, n::bigint) AS i) AS arrays
WHERE gpu_date_bin(a, 97) IS DISTINCT FROM bins;

-- In a chain, as a step of the next call.
EXPLAIN (VERBOSE, COSTS OFF) SELECT gpu_distinct(gpu_date_bin(ARRAY[i, 12], 10)) FROM generate_series(1, 2) AS i;
COPY messages FROM stdin;
gpu_reduce(gpu_date_bin(gpu_map(array_agg(i), '+', 1), 1000), 'max') FROM generate_series(1, 100000) AS i
-- 22008 and 22003: bins that begin out of range.
gpu_date_bin('{2026-01-01,4714-11-24 00:00:00 BC}'::timestamp[], '7 days')
gpu_date_bin('{1,-2147483648}'::integer[], 10)
gpu_date_bin('{-9223372036854775808}'::bigint[], 10)
gpu_reduce(gpu_date_bin(array_agg(CASE WHEN i = 100000 THEN -2147483648 ELSE i END::integer), 10), 'max') FROM generate_series(1, 100000) AS i
-- Strides and origins that core refuses, too; 22023 for integers.
gpu_date_bin('{2026-01-01}'::timestamp[], '1 month')
gpu_date_bin('{2026-01-01}'::timestamp[], '-1 hour')
gpu_date_bin('{2026-01-01}'::timestamptz[], '1 hour', '-infinity')
gpu_date_bin('{1}'::integer[], 0)
-- The least bigint is not in the bin of the greatest one.
gpu_date_bin('{9223372036854775807,-9223372036854775808}'::bigint[], 433200493468, 386613166845)
\.
