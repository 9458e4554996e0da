-- gpu_radix_sort: the elements of an array in order

-- Ascending, or descending.
SELECT gpu_radix_sort('{3,1,4,1,5,9,2,6}');
SELECT gpu_radix_sort('{3,1,4,1,5,9,2,6}', true);
SELECT gpu_radix_sort('{3,1,4,1,5,9,2,6}', descending => false);
SELECT gpu_radix_sort('{-1,0,1,-2147483648,2147483647,-256,256,-65536,65536}');
SELECT gpu_radix_sort('{-1,0,1,-2147483648,2147483647,-256,256,-65536,65536}',
					  descending => true);
SELECT gpu_radix_sort('{7,7,7}'), gpu_radix_sort('{42}');
SELECT gpu_radix_sort('{1,2,3,4}'), gpu_radix_sort('{4,3,2,1}');
SELECT pg_typeof(gpu_radix_sort('{1}'));

-- No array, no order; an empty array is in order.
SELECT gpu_radix_sort(NULL) IS NULL AS is_null;
SELECT gpu_radix_sort('{2,1}', NULL) IS NULL AS is_null;
SELECT gpu_radix_sort('{2,1}', NULL, true) IS NULL AS is_null;
SELECT gpu_radix_sort('{}'), gpu_radix_sort('{}', true),
	   gpu_radix_sort('{}', true, false);

-- NULLs come last, or first when descending, as in ORDER BY ...
SELECT gpu_radix_sort('{3,NULL,1,NULL,2}');
SELECT gpu_radix_sort('{3,NULL,1,NULL,2}', true);
SELECT gpu_radix_sort('{NULL}'), gpu_radix_sort('{NULL,NULL}', true);

-- ... unless nulls_first says where.
SELECT gpu_radix_sort('{3,NULL,1,NULL,2}', false, true);
SELECT gpu_radix_sort('{3,NULL,1,NULL,2}', false, false);
SELECT gpu_radix_sort('{3,NULL,1,NULL,2}', true, true);
SELECT gpu_radix_sort('{3,NULL,1,NULL,2}', true, false);
SELECT gpu_radix_sort('{3,NULL,1,NULL,2}', nulls_first => true);
SELECT gpu_radix_sort('{3,NULL,1,NULL,2}', false, NULL);
SELECT gpu_radix_sort('{3,NULL,1,NULL,2}', true, NULL);

-- That is what ORDER BY does.
SELECT gpu_radix_sort(a) = array_agg(x ORDER BY x) AS same,
	   gpu_radix_sort(a, true) = array_agg(x ORDER BY x DESC) AS descending_same,
	   gpu_radix_sort(a, nulls_first => true) =
	   array_agg(x ORDER BY x NULLS FIRST) AS nulls_first_same,
	   gpu_radix_sort(a, true, false) =
	   array_agg(x ORDER BY x DESC NULLS LAST) AS nulls_last_same
FROM (VALUES ('{NULL,5,-2,0,NULL,5,0,9,1}'::integer[])) AS v (a), unnest(a) AS x
GROUP BY a;

-- There are as many elements as before, and they are counted from where they
-- were.
SELECT gpu_radix_sort('[0:2]={3,1,2}');
SELECT gpu_radix_sort('[-7:-4]={4,NULL,6,5}', true);
SELECT gpu_radix_sort('[5:6]={NULL,NULL}');

-- An order of two dimensions could mean several things.
SELECT gpu_radix_sort('{{2,1},{4,3}}');
SELECT gpu_radix_sort('{{1}}', true);
SELECT gpu_radix_sort((ARRAY[[2,1],[4,3]])[1:1]);

-- Domains over integer and over integer[] are what they are made of.
CREATE DOMAIN percent AS integer CHECK (VALUE BETWEEN 0 AND 100);
CREATE DOMAIN samples AS integer[] CHECK (cardinality(VALUE) < 10);
SELECT gpu_radix_sort('{3,2,NULL,1}'::percent[]);
SELECT gpu_radix_sort('{3,2,NULL,1}'::samples, true);
SELECT pg_typeof(gpu_radix_sort('{3,2}'::samples));

-- Arrays as they come in queries.
CREATE TABLE runs (id integer PRIMARY KEY, samples integer[]);
INSERT INTO runs VALUES
	(1, '{3,2,1}'),
	(2, '{}'),
	(3, NULL),
	(4, '{NULL,7}');
INSERT INTO runs
SELECT 5, array_agg(i * 17 % 100003 ORDER BY i)
FROM generate_series(1, 100000) AS i;
SELECT id, gpu_radix_sort(samples, id % 2 = 1) FROM runs WHERE id < 5 ORDER BY id;
SELECT id, cardinality(sorted), sorted[:5] AS begin, sorted[99996:] AS end
FROM runs, gpu_radix_sort(samples) AS sorted WHERE id = 5;
SELECT gpu_radix_sort(samples[2:]) FROM runs WHERE id = 1;
SELECT gpu_radix_sort(array_agg(id), true) FROM runs;
SELECT gpu_radix_sort(gpu_radix_sort(samples), true) FROM runs WHERE id = 1;

-- The functions are immutable: an index, a generated column and a constant
-- may rest on them.
ALTER TABLE runs ADD sorted integer[]
	  GENERATED ALWAYS AS (gpu_radix_sort(samples)) STORED;
CREATE INDEX ON runs (gpu_radix_sort(samples[1:2]));
UPDATE runs SET samples = samples || 0 WHERE id < 5;
SELECT id, samples, sorted FROM runs WHERE id < 5 ORDER BY id;
PREPARE sort_constant AS SELECT gpu_radix_sort('{2,1}');
EXECUTE sort_constant;
EXECUTE sort_constant;
DEALLOCATE sort_constant;

-- The same as core, whatever the length and the range: no row is to come.
CREATE TABLE edges AS
SELECT n, kind,
	   ARRAY(SELECT CASE kind
					WHEN 'any' THEN hashint4(i)
					WHEN 'few' THEN hashint4(i) % 4
					WHEN 'high bits' THEN (hashint4(i) >> 24) << 24
					WHEN 'positive' THEN hashint4(i) & 65535
					WHEN 'constant' THEN -1
					WHEN 'sorted' THEN i - n / 2
					WHEN 'reversed' THEN n / 2 - i
					WHEN 'nulls' THEN nullif(hashint4(i) % 3, 1)
					END
			 FROM generate_series(1, n) AS i) AS a
FROM unnest('{0,1,2,7,8,9,31,32,33,63,64,65,127,128,129,255,256,257,
			  511,512,513,1023,1024,1025,2047,2048,2049,
			  4095,4096,4097}'::integer[]) AS n,
	 unnest('{any,few,high bits,positive,constant,sorted,reversed,
			  nulls}'::text[]) AS kind;
SELECT kind, n
FROM edges
WHERE gpu_radix_sort(a) IS DISTINCT FROM
	  ARRAY(SELECT x FROM unnest(a) AS x ORDER BY x)
ORDER BY kind, n;
SELECT kind, n
FROM edges
WHERE gpu_radix_sort(a, true) IS DISTINCT FROM
	  ARRAY(SELECT x FROM unnest(a) AS x ORDER BY x DESC)
ORDER BY kind, n;
SELECT n
FROM edges
WHERE kind = 'nulls' AND
	  gpu_radix_sort(a, false, true) IS DISTINCT FROM
	  ARRAY(SELECT x FROM unnest(a) AS x ORDER BY x NULLS FIRST)
ORDER BY n;
SELECT n
FROM edges
WHERE kind = 'nulls' AND
	  gpu_radix_sort(a, true, false) IS DISTINCT FROM
	  ARRAY(SELECT x FROM unnest(a) AS x ORDER BY x DESC NULLS LAST)
ORDER BY n;

DROP TABLE edges, runs;
DROP DOMAIN percent, samples;
