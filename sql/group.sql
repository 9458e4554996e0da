-- gpu_group: the elements of an array combined by the keys beside them
\pset format unaligned \pset tuples_only on \pset null NULL
SET quote_all_identifiers = off;

SELECT * FROM gpu_group('{3,1,3,1,2}'::integer[], '{1,2,3,4,5}'::integer[], '+') \gx
SELECT op, g.* FROM unnest('{+,*,min,max,&,|,#,count}'::text[]) WITH ORDINALITY AS o (op, i),
	gpu_group('{7,5,7,7}'::bigint[], '{1,2,3,6}'::smallint[], op) AS g ORDER BY o.i;

-- Keys of every type, and numbers.
SELECT * FROM gpu_group('{t,f,t}'::boolean[], '{1.5,2,NaN}'::real[], 'max');
SELECT * FROM gpu_group('{2024-02-29,infinity,2024-02-29}'::date[], '{1,2,3}'::bigint[], '+');
SELECT * FROM gpu_group('{b,a}'::"char"[], '{1,2}'::double precision[], '*');
SELECT * FROM gpu_group('{NaN,-0,0,NaN}'::double precision[], '{1,2,3,4}'::integer[], '+');
SELECT pg_typeof(keys), pg_typeof("values") FROM gpu_group('{1}'::oid[], '{1}'::real[], 'count');

-- NULL is a key, and the last one; NULL elements are skipped.
SELECT op, g.* FROM unnest('{+,*,min,max,&,|,#,count}'::text[]) WITH ORDINALITY AS o (op, i),
	gpu_group('{NULL,2,NULL,2,1,NULL}'::integer[], '{5,NULL,6,7,NULL,NULL}'::integer[], op) AS g
ORDER BY o.i;
SELECT * FROM gpu_group('{NULL,NULL}'::integer[], '{1,2}'::smallint[], '+');
SELECT * FROM gpu_group('{NULL,1}'::integer[], '{NULL,NULL}'::smallint[], '+');
SELECT * FROM gpu_group('{NULL,1}'::integer[], '{NULL,NULL}'::real[], 'count');

-- The least and the greatest of elements of every type that has an order.
SET datestyle = ISO;
SELECT * FROM gpu_group('{2,1,2,NULL}'::integer[], '{2024-02-28,-infinity,2024-02-29,infinity}'::date[], 'min');
SELECT * FROM gpu_group('{2,1,2,NULL}'::integer[], '{12:00,13:00,24:00,NULL}'::time[], 'max');
SELECT * FROM gpu_group('{t,f,t,f}'::boolean[], '{t,f,f,f}'::boolean[], 'max');
SELECT * FROM gpu_group('{1,2,1,3,NULL,3}'::integer[], '{t,f,f,NULL,t,NULL}'::boolean[], 'min');
SELECT * FROM gpu_group('{1,2,1}'::smallint[], '{4294967295,0,1}'::oid[], 'max');
SELECT * FROM gpu_group('{1,2,1}'::bigint[], E'{a,b,\\\\377}'::"char"[], 'max');
SELECT pg_typeof(g.values), g.values::numeric[] FROM gpu_group('{1,2,1}'::real[], '{1,2,-3}'::money[], 'min') AS g;
SELECT pg_typeof(g.values), g.values = '{infinity}' AS same FROM gpu_group('{1,1}'::oid[], '{2024-02-29,infinity}'::timestamptz[], 'max') AS g;

-- A count has the type of the elements.  Integers in their place can be counted.
SELECT * FROM gpu_group('{2,1,2,1,3}'::integer[],
						gpu_bucket('{2024-02-28,-infinity,2024-02-29,NULL,NULL}'::date[], '{}'), 'count');

-- No arrays, no elements; the lower bounds do not matter.
SELECT gpu_group(NULL::integer[], '{1}'::integer[], '+') IS NULL AS is_null,
	   gpu_group('{1}'::integer[], NULL::integer[], '+') IS NULL AS is_null;
SELECT gpu_group('{}'::integer[], '{}'::bigint[], '+'), gpu_group('{}'::bigint[], '{}'::smallint[], 'count');
SELECT gpu_group('[3:4]={1,2}'::integer[], '[0:1]={3,4}'::integer[], '+');

-- A row can be stored, and read again.
CREATE TYPE of_two AS (keys smallint[], "values" double precision[]);
CREATE TABLE rows AS
SELECT i, ROW(g.keys, g.values)::of_two AS r, gpu_group(k, v, '+')::text AS t
FROM generate_series(0, 9) AS i,
	 LATERAL (SELECT array_agg(n::smallint) AS k, array_agg(n::double precision) AS v
			  FROM generate_series(1, i) AS n WHERE i > 0) AS a, gpu_group(k, v, '+') AS g;
SELECT count(*), bool_and((r).keys::float8[] = (r).values AND r::text = t) AS same FROM rows;
DROP TABLE rows;
DROP TYPE of_two;

-- Many keys, and few, with arrays stored in each way: beside the idiom.
CREATE TABLE runs (id integer, k integer[], a integer[], f double precision[], r real[], b bigint[], s smallint[]);
INSERT INTO runs
SELECT id, array_agg(CASE WHEN i % 50 > 0 OR id > 3 THEN hashint4(i) % d END ORDER BY i),
	   array_agg(CASE WHEN i % 7 > 0 OR id > 2 THEN hashint4(i + 1) % 1000 END ORDER BY i),
	   array_agg(hashint4(i + 2) * 0.1::double precision ORDER BY i),
	   array_agg(CASE WHEN i % 9 > 0 THEN (hashint4(i + 2) * 0.1)::real END ORDER BY i),
	   array_agg(hashint4(i + 3)::bigint ORDER BY i),
	   array_agg(CASE WHEN i % 5 > 0 THEN hashint4(i + 4) % 30 END ORDER BY i)
FROM unnest('{1,2,30,5000,2147483647}'::integer[]) WITH ORDINALITY AS u (d, id),
	 generate_series(1, 40000) AS i GROUP BY id;
ALTER TABLE runs ALTER k SET STORAGE EXTERNAL, ALTER f SET STORAGE EXTERNAL;
INSERT INTO runs SELECT id + 5, k, a, f, r, b, s FROM runs;
SELECT id, g.keys = ARRAY(SELECT DISTINCT x FROM unnest(k) AS x ORDER BY x) AS keys,
	   g.values = ARRAY(SELECT sum(y)::integer FROM unnest(k, a) AS u (x, y) GROUP BY x ORDER BY x) AS sums,
	   c.values = ARRAY(SELECT count(y)::smallint FROM unnest(k, s) AS u (x, y) GROUP BY x ORDER BY x) AS counts,
	   m.values = ARRAY(SELECT min(y) FROM unnest(k, s) AS u (x, y) GROUP BY x ORDER BY x) AS mins,
	   x.values = ARRAY(SELECT bit_xor(y) FROM unnest(k, b) AS u (x, y) GROUP BY x ORDER BY x) AS xors
FROM runs, gpu_group(k, a, '+') AS g, gpu_group(k, CASE WHEN id % 5 > 2 THEN s END, 'count') AS c,
	 gpu_group(k, s, 'min') AS m, gpu_group(k, b, '#') AS x
ORDER BY id;

SELECT id, b.values = ARRAY(SELECT bool_or(y % 50 = 1) FROM unnest(k, a) AS u (x, y) GROUP BY x ORDER BY x) AS booleans,
	   d.values = ARRAY(SELECT date '2000-01-01' + min(y) FROM unnest(k, a) AS u (x, y) GROUP BY x ORDER BY x) AS dates
FROM runs, LATERAL (SELECT array_agg(y % 50 = 1 ORDER BY i) AS flags, array_agg(date '2000-01-01' + y ORDER BY i) AS dates
					FROM unnest(a) WITH ORDINALITY AS u (y, i)) AS v,
	 gpu_group(k, flags, 'max') AS b, gpu_group(k, dates, 'min') AS d
ORDER BY id;

-- Sums of floats are those of gpu_reduce over the elements of a key, with -0 in
-- place of NULL; for any number of threads.
CREATE FUNCTION sums_are_reductions() RETURNS boolean LANGUAGE sql AS $$
	SELECT bool_and(record_image_eq(ROW(g.values),
			ROW(ARRAY(SELECT gpu_reduce(array_agg(y ORDER BY i), '+')
					  FROM unnest(k, f) WITH ORDINALITY AS u (x, y, i) GROUP BY x ORDER BY x))) AND
		record_image_eq(ROW(h.values),
			ROW(ARRAY(SELECT CASE WHEN count(y) > 0 THEN
							 gpu_reduce(array_agg(coalesce(y, '-0') ORDER BY i), '+') END
					  FROM unnest(k, r) WITH ORDINALITY AS u (x, y, i) GROUP BY x ORDER BY x))))
	FROM runs, gpu_group(k, f, '+') AS g, gpu_group(k, r, '+') AS h WHERE id < 5 $$;
SELECT sums_are_reductions();
SET gpucompact.cpu_threads = 4;
SELECT sums_are_reductions();
SET gpucompact.cpu_threads = 1;
SELECT sums_are_reductions();
RESET gpucompact.cpu_threads;
DROP FUNCTION sums_are_reductions;
DROP TABLE runs;

-- Few, half and nearly all of many elements are NULL, and so are some keys.
CREATE TABLE sparse (percent integer, k integer[], a real[]);
ALTER TABLE sparse ALTER k SET STORAGE EXTERNAL, ALTER a SET STORAGE EXTERNAL;
INSERT INTO sparse
SELECT percent, array_agg(CASE WHEN hashint4(i) % 20 <> 0 THEN hashint4(i) % 300 END ORDER BY i),
	   array_agg(CASE WHEN abs(hashint4(-i) % 100) >= percent THEN i % 1000 END ORDER BY i)
FROM unnest('{2,50,98}'::integer[]) AS percent, generate_series(1, 20000) AS i GROUP BY percent;
SELECT percent, most.values = ARRAY(SELECT max(y) FROM unnest(k, a) AS u (x, y) GROUP BY x ORDER BY x) AS most,
	   counts.values = ARRAY(SELECT count(y)::real FROM unnest(k, a) AS u (x, y) GROUP BY x ORDER BY x) AS counts,
	   without = counts AND in_memory = counts AS ways
FROM sparse, gpu_group(k, a, 'max') AS most, gpu_group(k, a, 'count') AS counts, gpu_group(k || '{}', a || '{}', 'count') AS in_memory,
	 LATERAL (SELECT array_agg(coalesce(x, 1000) ORDER BY i) FROM unnest(k) WITH ORDINALITY AS u (x, i)) AS filled (k_filled),
	 LATERAL (SELECT (array_replace(g.keys, 1000, NULL), g.values) FROM gpu_group(k_filled, a, 'count') AS g) AS w (without)
ORDER BY percent;
DROP TABLE sparse;

-- 22003: a result, or one on the way to it, is out of range.
SELECT * FROM gpu_group('{1,2,1}'::integer[], '{32767,5,1}'::smallint[], '+');
SELECT * FROM gpu_group('{1,2,1,1}'::integer[], '{2147483647,5,1,-1}'::integer[], '+');
SELECT * FROM gpu_group('{1,2,1}'::integer[], '{2147483647,5,2}'::integer[], '*');
SELECT * FROM gpu_group('{NULL,NULL}'::integer[], '{9223372036854775807,1}'::bigint[], '+');
SELECT * FROM gpu_group('{1,1}'::integer[], '{3e38,3e38}'::real[], '+');
SELECT * FROM gpu_group('{1,1}'::integer[], '{1e-30,1e-30}'::real[], '*');
SELECT gpu_group(array_fill(1, ARRAY[40000]), array_fill(1::smallint, ARRAY[40000]), 'count');

-- 22023: an unknown operator; 2202E: lengths that differ.
SELECT gpu_group('{1}'::integer[], '{1}'::integer[], 'avg');
SELECT gpu_group('{1}'::integer[], '{1,2}'::integer[], '+');

-- 0A000: elements for which there is no such operator.
SELECT gpu_group('{1}'::integer[], '{2024-02-29}'::date[], '+');
SELECT gpu_group('{1}'::integer[], '{2024-02-29}'::date[], 'count');

-- 0A000: types of keys and of elements that are not supported.
SELECT gpu_group('{a}'::text[], '{1}'::integer[], '+');
SELECT gpu_group(ARRAY[0.5], '{1}'::integer[], '+');
SELECT gpu_group('{1}'::integer[], ARRAY[0.5], '+');

-- 0A000: bits of floats, several dimensions, and domains.
\set VERBOSITY sqlstate
SELECT gpu_group('{1}'::integer[], '{1}'::real[], '&');
SELECT gpu_group('{{1}}'::integer[], '{1}'::real[], '+');
SELECT gpu_group('{1}'::integer[], '{{1}}'::real[], '+');
CREATE DOMAIN percent AS integer;
SELECT gpu_group('{1}'::integer[], '{1}'::percent[], 'count');
SELECT gpu_group('{1}'::integer[], '{1}'::percent[], '+');
DROP DOMAIN percent;
