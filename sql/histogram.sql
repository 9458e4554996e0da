-- gpu_histogram and gpu_bucket: the elements of an array in buckets
\getenv srcdir PG_ABS_SRCDIR \set ECHO none \i :srcdir/sql/calls.psql

-- gpu_histogram with even buckets: below, in each of them, and above.
COPY messages FROM stdin;
gpu_histogram('{1,2,5,9,10,-3,NULL}'::integer[], 0, 10, 5)
gpu_histogram('{1,2,5,9,10,-3,NULL}'::integer[], low => 10, high => 0, buckets => 5)
gpu_histogram('{1,2,5,9,10,-3,NULL}'::float8[], 0, 10, 5)
gpu_histogram('{0.1,0.2,0.3,0.3,-Infinity,Infinity}'::real[], 0.1, 0.3, 2)
-- Many more buckets than elements.
cardinality(h), h[2], h[1000001] FROM gpu_histogram('{0,999999}'::integer[], 0, 1000000, 1000000) AS h
-- Bounds are exact, and may be out of the range of the elements.
gpu_histogram('{1,2,3}'::smallint[], 1.5, 2.5, 1)
gpu_histogram('{1,2,3}'::smallint[], 1, 100000, 3)
gpu_histogram('{-32768,0,32767}'::smallint[], -100000, 100000, 4)
gpu_histogram('{-32768,0,32767}'::smallint[], 100000, 200000, 2)
gpu_histogram('{-32768,0,32767}'::smallint[], -100000, -200000, 2)
gpu_histogram('{9007199254740992,9007199254740993}'::bigint[], 9007199254740992, 9007199254740994, 2)
gpu_histogram('{-9223372036854775808,0,9223372036854775807}'::bigint[], -9223372036854775808, 9223372036854775807, 2)
gpu_histogram('{-9223372036854775808,0,9223372036854775807}'::bigint[], 9223372036854775807, -9223372036854775807, 2)
gpu_histogram('{-1.5e308,-1e308,1e308,Infinity}'::float8[], -1e308, 5e307, 3)
gpu_histogram('{-3e38,0,1}'::real[], 1e30, -1e30, 4)
gpu_histogram('{1,2}'::integer[], -1e400, 1e400, 7)
-- Bounds whose distance, or that times the buckets, is no float8.
gpu_histogram('{-1e308}'::float8[], -1.7e308, 1.7e308, 4)
gpu_histogram('{-1e308}'::float8[], 1.7e308, -1.7e308, 4)
gpu_histogram('{5e307}'::float8[], 0, 1e308, 1000) = gpu_histogram('{5e7}'::float8[], 0, 1e8, 1000) AS same
gpu_histogram('{-3e38,3e38}'::real[], -1.7e308, 1.7e308, 3)
\.
SELECT gpu_histogram('{-5e-324,0,5e-324,1e-323}'::float8[], low, high, 7),
	   gpu_histogram('{-5e-324,0,5e-324,1e-323}'::float8[], high, low, 7)
FROM (VALUES (-1e308::float8, 1e-323::float8), (1e-323, 1e308)) AS v (low, high);

-- That is what width_bucket answers: for each element of a range, and for floats
-- around the bounds of buckets.
\set ECHO none
CREATE FUNCTION core_histogram(a anyarray, low numeric, high numeric, buckets integer)
RETURNS integer[] LANGUAGE sql PARALLEL SAFE AS $$
	SELECT array_agg(n ORDER BY g)
	FROM (SELECT g, count(x)::integer AS n FROM generate_series(0, buckets + 1) AS g
		  LEFT JOIN unnest(a) AS x ON width_bucket(x::numeric, low, high, buckets) = g
		  GROUP BY g) AS counts
$$;
CREATE FUNCTION core_histogram(a anyarray, low float8, high float8, buckets integer)
RETURNS integer[] LANGUAGE sql PARALLEL SAFE AS $$
	SELECT array_agg(n ORDER BY g)
	FROM (SELECT g, count(x)::integer AS n FROM generate_series(0, buckets + 1) AS g
		  LEFT JOIN unnest(a) AS x ON width_bucket(x::float8, low, high, buckets) = g
		  GROUP BY g) AS counts
$$;
\set ECHO all
SELECT low, high, buckets, gpu_histogram(a, low, high, buckets) = core_histogram(a, low, high, buckets) AS same,
	   gpu_histogram(a, high, low, buckets) = core_histogram(a, high, low, buckets)
	   AS same_reversed
FROM (SELECT array_agg(i) AS a FROM generate_series(-300, 300) AS i) AS arrays,
	 (VALUES (0, 100, 7), (-100, 100, 1), (-250.75, 250.1, 13), (-3, 3, 1000),
			 (0.1, 0.2, 3), (-1e25, 1e25, 5), (-299.999999999999999999, 7, 17))
	 AS v (low, high, buckets);
SELECT low, high, buckets, gpu_histogram(a, low, high, buckets) = core_histogram(a, low, high, buckets) AS same,
	   gpu_histogram(a, high, low, buckets) = core_histogram(a, high, low, buckets)
	   AS same_reversed, gpu_histogram(a::real[], low, high, buckets) =
	   core_histogram(a::real[], low, high, buckets) AS same_real
FROM (VALUES (0::float8, 1::float8, 10), (-1, 2, 7), (0.1, 0.7, 100), (-1e-30, 1e30, 3),
			 (-1000000, 0.1, 30), (1e-30, 1, 49), (-5e37, 3e38, 1000))
	 AS v (low, high, buckets),
	 LATERAL (SELECT array_agg(low + (high - low) * (i / 7) / buckets * (1 + (i % 7 - 3) * 1.2e-16)) AS a
			  FROM generate_series(-14, 7 * buckets + 14) AS i) AS arrays;

-- Before PostgreSQL 16, core rounds 0 to the bucket behind high. Nothing overflows here.
SELECT gpu_histogram('{0,1e298}'::float8[], 1e299, -1e-63, 10) =
	   core_histogram('{0,1e298}'::float8[], 1e299, -1e-63, 10) AS same;

-- And of these bounds, in parts of a size that no version of it overflows by.
SELECT low, high, buckets,
	   gpu_histogram(a, low, high, buckets) = core_histogram(parts, low / part, high / part, buckets) AS same,
	   gpu_histogram(a, high, low, buckets) = core_histogram(parts, high / part, low / part, buckets) AS same_reversed,
	   (SELECT gpu_histogram_agg(x, low, high, buckets) FROM unnest(a) AS x) =
	   core_histogram(parts, low / part, high / part, buckets)::bigint[] AS same_agg
FROM (VALUES (-1.7e308::float8, 1.7e308::float8, 4), (-1.7e308, 1.7e308, 1000), (0, 1e308, 1000), (-1e308, 0, 30),
			 (1.797e308, -1.797e308, 7), (1e308, 1.7e308, 100000)) AS v (low, high, buckets),
	 LATERAL (SELECT 2::float8 ^ 40 AS part) AS p,
	 LATERAL (SELECT array_agg(part_of * part) AS a, array_agg(part_of) AS parts
			  FROM generate_series(-14, 7014) AS i,
				   LATERAL (SELECT low / part + (high / part - low / part) * ((i + i % 7 * 1e-13) / 7000) AS part_of) AS elements
			  WHERE abs(part_of) < 1.79e308 / part) AS arrays;

-- A cached table of buckets is only used for the same bounds.
SELECT low, high, buckets, gpu_histogram('{1,2,3,4}'::integer[], low, high, buckets)
FROM (VALUES (1, 3, 2), (1, 3, 2), (1, 4, 2), (1, 4, 3), (2, 4, 3), (1, 3, 2))
	 AS v (low, high, buckets);

-- Thresholds: as many elements as are below the first, from there to the second, ...
COPY messages FROM stdin;
gpu_histogram('{1,2,5,9,10,-3,NULL}'::integer[], '{1,5,6}')
gpu_histogram('{1,2,3}'::integer[], '{2,2,2}'), gpu_histogram('{1,2,3}'::integer[], '{}')
-- gpu_bucket: in which of these each element is.
gpu_bucket('{1,2,5,9,10,-3,NULL}'::integer[], '{1,5,6}')
-- 2201G: what is no bound, or no number.
gpu_histogram('{1}'::integer[], 0, 1, 0)
gpu_histogram('{1}'::integer[], 1, 1, 1)
gpu_histogram('{1}'::float8[], 0, 1, -1)
gpu_histogram('{1}'::float8[], 1, 1, 1)
gpu_histogram('{}'::float8[], 0, 'Infinity', 1)
\.
-- The words are those of this server's width_bucket.
COPY sqlstates FROM stdin;
gpu_histogram('{1}'::integer[], 'NaN', 1, 1)
gpu_histogram('{1}'::float8[], 'NaN', 1, 1)
\.
-- NaN is an error or in the last bucket, as width_bucket of this server has it.
SELECT pg_temp.outcome($$gpu_histogram('{NaN}'::real[], 0, 1, 1)$$, false) IN (': 2201G', ' = {0,0,1}') AND
	   pg_temp.outcome($$gpu_histogram('{NaN}'::real[], 0, 1, 1)$$, false) LIKE ':%' =
	   pg_temp.outcome($$width_bucket('NaN'::float8, 0, 1, 1)$$, false) LIKE ':%' AS as_core;
-- 22023, 22004: thresholds out of order, or NULL.
COPY messages FROM stdin;
gpu_histogram('{1}'::integer[], '{2,1}')
gpu_bucket('{1}'::float8[], '{NaN,1}')
gpu_bucket('{1}'::float8[], '{1,NULL}')
-- 0A000: what to cast these to.
gpu_histogram('{1}'::numeric[], 0, 1, 1)
-- 42725: several functions for the type.
gpu_histogram('1 2'::int2vector, 0, 1, 1)
-- 54000: more buckets than an array has elements.
gpu_histogram('{1}'::integer[], 0, 1, 2147483647)
\.
DROP FUNCTION core_histogram(anyarray, numeric, numeric, integer);
DROP FUNCTION core_histogram(anyarray, float8, float8, integer);
-- Millions of buckets of all widths, up or down, and after a chain's call.
CREATE FUNCTION filled_as_core(h integer[], a anyarray, low float8, high float8, buckets integer)
RETURNS boolean LANGUAGE sql AS $$
	SELECT cardinality(h) = buckets + 2 AND
		   gpu_positions(h, '>', 0) = array_agg(bucket + 1 ORDER BY bucket) AND
		   gpu_compact(h) = array_agg(n::integer ORDER BY bucket)
	FROM (SELECT width_bucket(x::numeric, low::numeric, high::numeric, buckets) AS bucket, count(*) AS n
		  FROM unnest(a) AS u (x) WHERE x IS NOT NULL GROUP BY 1) AS core $$;
SELECT low, high, buckets, filled_as_core(gpu_histogram(a, low, high, buckets), a, low, high, buckets) AS integers,
	   CASE buckets WHEN 4194304 THEN
	   filled_as_core(gpu_histogram(a::float4[], low, high, buckets), a, low, high, buckets) END AS floats,
	   CASE low WHEN 0 THEN
	   filled_as_core(gpu_histogram(gpu_compact(a, '>', 9), low, high, buckets),
					  gpu_compact(a, '>', 9), low, high, buckets) END AS chain
FROM (SELECT array_agg(x ORDER BY hashint4(x)) || NULL::integer || 7 AS a
	  FROM unnest('{-1,4194300,8388600,9437180,9999999}'::integer[]) AS part,
		   LATERAL generate_series(part - 2, part + 8) AS x OFFSET 0) AS arrays,
	 (VALUES (0, 10000000, 10000000), (10000000, 0, 10000000), (-3, 9000000, 4194304),
			 (0, 3000000, 9437184), (5, 4194308, 4194303)) AS v (low, high, buckets);
DROP FUNCTION filled_as_core;
