-- gpu_prefix_sum: the running sums of an array

-- The sum of the elements up to each one, itself included.
SELECT gpu_prefix_sum('{3,1,4,1,5}');
SELECT gpu_prefix_sum('{3,1,4,1,5}', exclusive => false);
SELECT gpu_prefix_sum('{-3,3,0,-7}');
SELECT gpu_prefix_sum(ARRAY[42]);
SELECT pg_typeof(gpu_prefix_sum('{1}'));

-- Exclusive sums leave the element itself out, and so begin at 0.
SELECT gpu_prefix_sum('{3,1,4,1,5}', exclusive => true);
SELECT gpu_prefix_sum('{42}', true);

-- No array, no sums; an empty array has none.
SELECT gpu_prefix_sum(NULL) IS NULL AS is_null;
SELECT gpu_prefix_sum('{1,2}', NULL) IS NULL AS is_null;
SELECT gpu_prefix_sum('{}'), gpu_prefix_sum('{}', true);

-- At a NULL element the sum stays what it was, and before the first value
-- there is none.
SELECT gpu_prefix_sum('{1,NULL,2,NULL}');
SELECT gpu_prefix_sum('{NULL,NULL,1,NULL,2}');
SELECT gpu_prefix_sum('{NULL,0,NULL}');
SELECT gpu_prefix_sum('{NULL}');
SELECT gpu_prefix_sum('{NULL,NULL,NULL}');

-- An exclusive sum of nothing is 0, so there is always one.
SELECT gpu_prefix_sum('{1,NULL,2,NULL}', true);
SELECT gpu_prefix_sum('{NULL,NULL,1,NULL,2}', true);
SELECT gpu_prefix_sum('{NULL,NULL,NULL}', true);

-- That is what sum() OVER does.
SELECT gpu_prefix_sum(array_agg(x ORDER BY i)) =
	   array_agg(inclusive ORDER BY i) AS same,
	   gpu_prefix_sum(array_agg(x ORDER BY i), true) =
	   array_agg(exclusive ORDER BY i) AS exclusive_same
FROM (SELECT i, x,
			 sum(x) OVER (ORDER BY i) AS inclusive,
			 coalesce(sum(x) OVER (ORDER BY i ROWS BETWEEN
								   UNBOUNDED PRECEDING AND 1 PRECEDING),
					  0) AS exclusive
	  FROM unnest('{NULL,5,-2,NULL,NULL,9,0,1}'::integer[])
		   WITH ORDINALITY AS u (x, i)) AS core;

-- No array is long enough for its integers to add up to more than a bigint.
SELECT gpu_prefix_sum('{2147483647,2147483647,2147483647}');
SELECT gpu_prefix_sum('{-2147483648,-2147483648,-2147483648}');
SELECT gpu_prefix_sum('{2147483647,-2147483648,2147483647}', true);
SELECT sums[100000] AS last, sums[100000] = 100000 * 2147483647::bigint AS right
FROM gpu_prefix_sum(array_fill(2147483647, ARRAY[100000])) AS sums;
SELECT sums[100000] AS last, sums[100000] = 100000 * -2147483648::bigint AS right
FROM gpu_prefix_sum(array_fill(-2147483648, ARRAY[100000])) AS sums;

-- The result has the shape of the argument; of an array with more dimensions
-- the elements are summed as they are stored, row by row.
SELECT gpu_prefix_sum('[0:2]={1,2,3}');
SELECT gpu_prefix_sum('[-5:-3]={1,NULL,3}');
SELECT gpu_prefix_sum('[5:6]={NULL,NULL}');
SELECT gpu_prefix_sum('{{1,2},{3,4}}');
SELECT gpu_prefix_sum('{{1,2},{3,4}}', true);
SELECT gpu_prefix_sum('{{{1,2},{3,4}},{{5,6},{7,8}}}');
SELECT gpu_prefix_sum('[0:1][-2:0]={{NULL,1,2},{3,NULL,4}}');
SELECT gpu_prefix_sum('[0:1][-2:0]={{NULL,1,2},{3,NULL,4}}', true);
SELECT array_dims(gpu_prefix_sum(array_fill(1, ARRAY[2,3,4,5,6,7],
											ARRAY[1,0,-1,2,3,4])));

-- Domains over integer and over integer[] are what they are made of.
CREATE DOMAIN percent AS integer CHECK (VALUE BETWEEN 0 AND 100);
CREATE DOMAIN samples AS integer[] CHECK (cardinality(VALUE) < 10);
SELECT gpu_prefix_sum('{1,2,NULL,3}'::percent[]);
SELECT gpu_prefix_sum('{1,2,NULL,3}'::samples);
SELECT pg_typeof(gpu_prefix_sum('{1,2}'::samples));

-- Arrays as they come in queries: of a column, an aggregate, a slice, an
-- element-wise assignment.
CREATE TABLE runs (id integer PRIMARY KEY, samples integer[]);
INSERT INTO runs VALUES
	(1, '{1,2,3}'),
	(2, '{}'),
	(3, NULL),
	(4, '{NULL,7}'),
	(5, array_fill(1, ARRAY[100000]));
SELECT id, gpu_prefix_sum(samples) FROM runs WHERE id < 5 ORDER BY id;
SELECT id, cardinality(sums), sums[1] AS first, sums[99999:] AS end
FROM runs, gpu_prefix_sum(samples) AS sums WHERE id = 5;
SELECT gpu_prefix_sum(samples[2:]) FROM runs WHERE id = 1;
SELECT gpu_prefix_sum(array_agg(id ORDER BY id)) FROM runs;
UPDATE runs SET samples[5] = 9 WHERE id = 1;
SELECT samples, gpu_prefix_sum(samples) FROM runs WHERE id = 1;
UPDATE runs SET samples[4] = 4 WHERE id = 1;
SELECT samples, gpu_prefix_sum(samples) FROM runs WHERE id = 1;

-- The same as core, whatever the length: no row is to come.
CREATE TABLE edges AS
SELECT n, kind,
	   ARRAY(SELECT CASE WHEN kind = 'nulls' AND i % 7 IN (1, 2) THEN NULL
						 WHEN i % 5 = 0 THEN 0
						 ELSE hashint4(i) END
			 FROM generate_series(1, n) AS i) AS a
FROM unnest('{0,1,2,7,8,9,31,32,33,63,64,65,127,128,129,255,256,257,
			  511,512,513,1023,1024,1025,2047,2048,2049,
			  4095,4096,4097}'::integer[]) AS n,
	 unnest('{values,nulls}'::text[]) AS kind;
SELECT kind, n
FROM edges
WHERE gpu_prefix_sum(a) IS DISTINCT FROM
	  ARRAY(SELECT sum(x) OVER (ORDER BY i)
			FROM unnest(a) WITH ORDINALITY AS u (x, i) ORDER BY i)
ORDER BY kind, n;
SELECT kind, n
FROM edges
WHERE gpu_prefix_sum(a, true) IS DISTINCT FROM
	  ARRAY(SELECT coalesce(sum(x) OVER (ORDER BY i ROWS BETWEEN
										 UNBOUNDED PRECEDING AND
										 1 PRECEDING), 0)
			FROM unnest(a) WITH ORDINALITY AS u (x, i) ORDER BY i)
ORDER BY kind, n;

DROP TABLE edges, runs;
DROP DOMAIN percent, samples;
