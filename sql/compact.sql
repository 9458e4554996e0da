-- gpu_compact: the elements of an array that are neither zero nor NULL

-- What is left keeps its order.
SELECT gpu_compact('{0,3,0,0,-1,4,0}');
SELECT gpu_compact('{3,1,3,1}');
SELECT gpu_compact('{0,0,0,5}'), gpu_compact('{5,0,0,0}');
SELECT gpu_compact('{2147483647,0,-2147483648}');
SELECT pg_typeof(gpu_compact('{1}'));

-- No array, nothing to compact; of an empty array, or one of zeros, nothing
-- is left.
SELECT gpu_compact(NULL) IS NULL AS is_null;
SELECT gpu_compact('{}'), gpu_compact('{0}'), gpu_compact('{0,0,0}');
SELECT gpu_compact(array_fill(0, ARRAY[100000]));
SELECT gpu_compact('{}') = '{}' AS empty,
	   gpu_compact('{0,NULL}') = '{}' AS also_empty;

-- A NULL is not known to be something other than zero: WHERE drops it too.
SELECT gpu_compact('{1,NULL,0,2,NULL}');
SELECT gpu_compact('{NULL,NULL,NULL}');
SELECT gpu_compact('{NULL,0,NULL,0}');
SELECT gpu_compact(a) = ARRAY(SELECT x
							  FROM unnest(a) WITH ORDINALITY AS u (x, i)
							  WHERE x <> 0 ORDER BY i) AS same
FROM (VALUES ('{NULL,5,-2,0,NULL,0,0,9,1}'::integer[])) AS v (a);

-- Elements move, so that they are counted from 1.
SELECT gpu_compact('[0:3]={1,0,2,0}');
SELECT gpu_compact('[-7:-5]={4,5,6}');
SELECT gpu_compact('[5:6]={0,NULL}');
SELECT array_lower(gpu_compact('[5:6]={0,1}'), 1) AS lower,
	   array_upper(gpu_compact('[5:6]={0,1}'), 1) AS upper;

-- There is no array of two dimensions with rows of different lengths.
SELECT gpu_compact('{{1,0},{0,1}}');
SELECT gpu_compact('{{0}}');
SELECT gpu_compact((ARRAY[[1,0],[0,1]])[1:1]);

-- Domains over integer and over integer[] are what they are made of.
CREATE DOMAIN percent AS integer CHECK (VALUE BETWEEN 0 AND 100);
CREATE DOMAIN samples AS integer[] CHECK (cardinality(VALUE) < 10);
SELECT gpu_compact('{0,2,NULL,3}'::percent[]);
SELECT gpu_compact('{0,2,NULL,3}'::samples);
SELECT pg_typeof(gpu_compact('{0,2}'::samples));

-- Arrays as they come in queries.
CREATE TABLE runs (id integer PRIMARY KEY, samples integer[]);
INSERT INTO runs VALUES
	(1, '{0,2,0}'),
	(2, '{}'),
	(3, NULL),
	(4, '{NULL,7}');
INSERT INTO runs
SELECT 5, array_agg(CASE WHEN i % 25000 = 0 THEN i ELSE 0 END ORDER BY i)
FROM generate_series(1, 100000) AS i;
SELECT id, gpu_compact(samples) FROM runs ORDER BY id;
SELECT gpu_compact(samples[2:2]) FROM runs WHERE id = 1;
SELECT gpu_compact(array_agg(id % 2 ORDER BY id)) FROM runs;
SELECT gpu_compact(gpu_compact(samples)) FROM runs WHERE id = 5;
UPDATE runs SET samples = gpu_compact(samples);
SELECT id, samples FROM runs ORDER BY id;

-- The same as core, whatever the length and whatever the part that is left:
-- no row is to come.
CREATE TABLE edges AS
SELECT n, kind,
	   ARRAY(SELECT CASE kind
					WHEN 'half zeros' THEN hashint4(i) % 2
					WHEN 'few zeros' THEN hashint4(i) % 100
					WHEN 'few values' THEN greatest(i % 100 - 98, 0)
					WHEN 'no zeros' THEN i
					WHEN 'last of all' THEN (i = n)::integer
					WHEN 'nulls' THEN nullif(hashint4(i) % 3, 1)
					END
			 FROM generate_series(1, n) AS i) AS a
FROM unnest('{0,1,2,7,8,9,31,32,33,63,64,65,127,128,129,255,256,257,
			  511,512,513,1023,1024,1025,2047,2048,2049,
			  4095,4096,4097}'::integer[]) AS n,
	 unnest('{half zeros,few zeros,few values,no zeros,last of all,
			  nulls}'::text[]) AS kind;
SELECT kind, n
FROM edges
WHERE gpu_compact(a) IS DISTINCT FROM
	  ARRAY(SELECT x
			FROM unnest(a) WITH ORDINALITY AS u (x, i)
			WHERE x <> 0 ORDER BY i)
ORDER BY kind, n;

DROP TABLE edges, runs;
DROP DOMAIN percent, samples;
