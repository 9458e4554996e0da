-- gpu_slice: the elements of an array from one position to another
\getenv srcdir PG_ABS_SRCDIR \set ECHO none \i :srcdir/sql/calls.psql

COPY messages FROM stdin;
gpu_slice('{10,20,30,40}'::integer[], 2, 3), gpu_slice('{10,20,30,40}'::integer[], 4, 4)
gpu_slice('{10,20,30,40}'::integer[], first => 1, last => 4)
-- Positions where there is no element are left out.
gpu_slice('{10,20,30}'::integer[], 0, 2), gpu_slice('{10,20,30}'::integer[], -2147483648, 2147483647)
gpu_slice('{10,20,30}'::integer[], 3, 9), gpu_slice('{10,20,30}'::integer[], 4, 9)
gpu_slice('{10,20,30}'::integer[], -3, 0), gpu_slice('{10,20,30}'::integer[], -2147483648, -2147483648)
gpu_slice('{10,20,30}'::integer[], 2147483647, 2147483647)
gpu_slice('{10,20,30}'::integer[], 3, 2), gpu_slice('{10,20,30}'::integer[], 2147483647, -2147483648)
-- There is no bitmap where there is no NULL.
pg_column_size(gpu_slice('{NULL,2,3}'::integer[], 2, 3)) = pg_column_size('{2,3}'::integer[]) AS same
\.
CREATE DOMAIN tiny AS integer CHECK (VALUE < 10);
SELECT gpu_slice('{1,2,3}'::tiny[], 2, 3), pg_typeof(gpu_slice('{1,2,3}'::tiny[], 2, 3));
DROP DOMAIN tiny;

-- The same as core, in whatever way the array is stored, around the borders of
-- chunks and of the bitmap: no row is to come.
\set ECHO none
CREATE TABLE slices (id serial, a integer[], b bigint[], c smallint[]);
CREATE TABLE compressed_slices (LIKE slices);
ALTER TABLE slices ALTER a SET STORAGE EXTERNAL, ALTER b SET STORAGE EXTERNAL, ALTER c SET STORAGE EXTERNAL;
INSERT INTO slices (a, b, c)
SELECT array_agg(x ORDER BY i), array_agg(x::bigint ORDER BY i), array_agg(x::smallint ORDER BY i)
FROM unnest('{1,8,63,500,5000,40000}'::integer[]) AS n, generate_series(0, 4) AS nulls,
	 generate_series(1, n) AS i,
	 LATERAL (SELECT CASE WHEN nulls = 1 AND i % 7 = 0 OR nulls = 2 AND i % 7 > 0 OR
							   nulls = 3 AND i < n / 2 OR nulls = 4 AND i > n / 2 THEN NULL ELSE i % 30000 END) AS v (x)
GROUP BY n, nulls;
INSERT INTO compressed_slices SELECT * FROM slices;
CREATE VIEW all_slices AS
SELECT * FROM slices UNION ALL SELECT * FROM compressed_slices UNION ALL
SELECT id, a || '{}', b || '{}', c || '{}' FROM slices;
CREATE VIEW bounds AS
SELECT f AS first, f + n - 1 AS last
FROM unnest('{-1,1,2,8,9,64,494,495,496,15800,16001,39999,40000}'::integer[]) AS f,
	 unnest('{0,1,8,9,500,20001}'::integer[]) AS n;
SELECT id, first, last FROM all_slices, bounds
WHERE gpu_slice(a, first, last) IS DISTINCT FROM a[first:last] OR
	  pg_column_size(gpu_slice(a, first, last)) <> pg_column_size(ARRAY(SELECT unnest(a[first:last])));
SELECT id, first, last FROM all_slices, bounds
WHERE gpu_slice(b, first, last) IS DISTINCT FROM b[first:last] OR gpu_slice(c, first, last) IS DISTINCT FROM c[first:last];
\set ECHO all

-- As a part of a chain, at either end.
SELECT gpu_reduce(gpu_slice(a, 11, 20), '+'), gpu_slice(gpu_map(a, '*', 2), 4999, 5001), gpu_slice(gpu_compact(a, '>', 100), 2, 3),
	   gpu_stats(gpu_slice(gpu_slice(a, 11, 40), 2, 30))
FROM slices WHERE cardinality(a) = 40000 AND array_position(a, NULL) IS NULL;
DROP VIEW all_slices, bounds;
DROP TABLE slices, compressed_slices;

-- 0A000: a vector; 42883: other positions.
COPY sqlstates FROM stdin;
gpu_slice('1 2'::int2vector, 1, 1)
gpu_slice('{1}'::integer[], 1::bigint, 1)
\.
