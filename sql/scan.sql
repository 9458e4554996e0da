-- gpu_prefix_sum, gpu_scan and gpu_reduce: an operator over an array
SET quote_all_identifiers = off;

-- gpu_prefix_sum: the running sums of an array

-- The sum of the elements up to each one, itself included.
SELECT gpu_prefix_sum('{3,1,4,1,5}'::integer[]);
SELECT gpu_prefix_sum('{3,1,4,1,5}'::integer[], exclusive => false);
SELECT gpu_prefix_sum('{-3,3,0,-7}'::integer[]);
SELECT gpu_prefix_sum(ARRAY[42]);
SELECT pg_typeof(gpu_prefix_sum('{1}'::integer[]));

-- Exclusive sums leave the element itself out, and so begin at 0.
SELECT gpu_prefix_sum('{3,1,4,1,5}'::integer[], exclusive => true);
SELECT gpu_prefix_sum('{42}'::integer[], true);

-- No array, no sums; an empty array has none.
SELECT gpu_prefix_sum(NULL::integer[]) IS NULL AS is_null;
SELECT gpu_prefix_sum('{1,2}'::integer[], NULL) IS NULL AS is_null;
SELECT gpu_prefix_sum('{}'::integer[]), gpu_prefix_sum('{}'::integer[], true);

-- At a NULL element the sum stays what it was, and before the first value
-- there is none.
SELECT gpu_prefix_sum('{1,NULL,2,NULL}'::integer[]);
SELECT gpu_prefix_sum('{NULL,NULL,1,NULL,2}'::integer[]);
SELECT gpu_prefix_sum('{NULL,0,NULL}'::integer[]);
SELECT gpu_prefix_sum('{NULL}'::integer[]);
SELECT gpu_prefix_sum('{NULL,NULL,NULL}'::integer[]);

-- An exclusive sum of nothing is 0, so there is always one.
SELECT gpu_prefix_sum('{1,NULL,2,NULL}'::integer[], true);
SELECT gpu_prefix_sum('{NULL,NULL,1,NULL,2}'::integer[], true);
SELECT gpu_prefix_sum('{NULL,NULL,NULL}'::integer[], true);

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
SELECT gpu_prefix_sum('{2147483647,2147483647,2147483647}'::integer[]);
SELECT gpu_prefix_sum('{-2147483648,-2147483648,-2147483648}'::integer[]);
SELECT gpu_prefix_sum('{2147483647,-2147483648,2147483647}'::integer[], true);
SELECT sums[100000] AS last, sums[100000] = 100000 * 2147483647::bigint AS right
FROM gpu_prefix_sum(array_fill(2147483647, ARRAY[100000])) AS sums;
SELECT sums[100000] AS last, sums[100000] = 100000 * -2147483648::bigint AS right
FROM gpu_prefix_sum(array_fill(-2147483648, ARRAY[100000])) AS sums;

-- The result has the shape of the argument; of an array with more dimensions
-- the elements are summed as they are stored, row by row.
SELECT gpu_prefix_sum('[0:2]={1,2,3}'::integer[]);
SELECT gpu_prefix_sum('[-5:-3]={1,NULL,3}'::integer[]);
SELECT gpu_prefix_sum('[5:6]={NULL,NULL}'::integer[]);
SELECT gpu_prefix_sum('{{1,2},{3,4}}'::integer[]);
SELECT gpu_prefix_sum('{{1,2},{3,4}}'::integer[], true);
SELECT gpu_prefix_sum('{{{1,2},{3,4}},{{5,6},{7,8}}}'::integer[]);
SELECT gpu_prefix_sum('[0:1][-2:0]={{NULL,1,2},{3,NULL,4}}'::integer[]);
SELECT gpu_prefix_sum('[0:1][-2:0]={{NULL,1,2},{3,NULL,4}}'::integer[],
					  true);
SELECT array_dims(gpu_prefix_sum(array_fill(1, ARRAY[2,3,4,5,6,7],
											ARRAY[1,0,-1,2,3,4])));

-- A domain over integer[] is what it is made of.  As there is a function for
-- each type of numbers, an array of a domain over integer is to be cast.
CREATE DOMAIN percent AS integer CHECK (VALUE BETWEEN 0 AND 100);
CREATE DOMAIN samples AS integer[] CHECK (cardinality(VALUE) < 10);
\set VERBOSITY sqlstate
SELECT gpu_prefix_sum('{1,2,NULL,3}'::percent[]);
\set VERBOSITY default
SELECT gpu_prefix_sum('{1,2,NULL,98}'::percent[]::integer[]);
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

-- The sums of integers are of type bigint; those of floats, of their own.
SELECT gpu_prefix_sum('{32767,NULL,32767}'::smallint[]) AS sums,
	   pg_typeof(gpu_prefix_sum('{1}'::smallint[])) AS type
UNION ALL
SELECT gpu_prefix_sum('{4611686018427387904,NULL,4611686018427387903}'::bigint[]),
	   pg_typeof(gpu_prefix_sum('{1}'::bigint[]));
SELECT gpu_prefix_sum('{0.5,NULL,-2}'::real[]) AS sums,
	   pg_typeof(gpu_prefix_sum('{1}'::real[])) AS type;
SELECT gpu_prefix_sum('{0.5,NULL,-2}'::double precision[], true) AS sums,
	   pg_typeof(gpu_prefix_sum('{1}'::double precision[])) AS type;
SELECT gpu_prefix_sum(ARRAY[]::smallint[]), gpu_prefix_sum(ARRAY[]::real[]);

-- As with sum(), a sum that is no bigint is an error, and so is one of finite
-- floats that is not finite.
SELECT gpu_prefix_sum('{9223372036854775807,1,-1}'::bigint[]);
SELECT gpu_prefix_sum('{-9223372036854775807,-1,NULL,-1}'::bigint[]);
SELECT gpu_prefix_sum('{3e38,3e38}'::real[]);
SELECT gpu_prefix_sum('{1e308,-1e308,1e308,1e308}'::double precision[]);
-- An exclusive scan needs no sum of all.
SELECT gpu_prefix_sum('{9223372036854775807,1}'::bigint[], true);
SELECT gpu_prefix_sum('{3e38,3e38}'::real[], true);

-- Infinity and NaN are values.
SELECT gpu_prefix_sum('{1,Infinity,1,-Infinity,1}'::real[]);
SELECT gpu_prefix_sum('{1,NaN,1}'::double precision[]);
SELECT gpu_prefix_sum('{-Infinity,3e38,3e38}'::real[]);

-- -0 is the sum of -0 alone, whether or not there are NULLs.
SELECT gpu_prefix_sum('{-0,-0,0,-0}'::real[]);
SELECT gpu_prefix_sum('{-0,NULL,-0,NULL}'::double precision[]);
SELECT gpu_prefix_sum('{-0,NULL}'::double precision[], true);

-- gpu_scan: running results of an operator, in the type of the elements
SELECT op,
	   gpu_scan('{6,3,NULL,-1,5}'::integer[], op) AS inclusive,
	   gpu_scan('{6,3,NULL,-1,5}'::integer[], op, exclusive => true) AS exclusive
FROM unnest('{+,*,min,max,&,|,#}'::text[]) AS op;
SELECT pg_typeof(gpu_scan('{1}'::smallint[], '+')) AS smallint,
	   pg_typeof(gpu_scan('{1}'::bigint[], 'max')) AS bigint,
	   pg_typeof(gpu_scan('{1}'::real[], '*')) AS real,
	   pg_typeof(gpu_scan('{1}'::double precision[], 'min')) AS double;

-- Before the first value there is none.  An exclusive scan starts with what
-- the operator makes of nothing: for the least and the greatest, NULL.
SELECT op,
	   gpu_scan('{NULL,NULL,6,NULL,3}'::smallint[], op) AS inclusive,
	   gpu_scan('{NULL,NULL,6,NULL,3}'::smallint[], op, true) AS exclusive
FROM unnest('{+,*,min,max,&,|,#}'::text[]) AS op;
SELECT op,
	   gpu_scan('{NULL,NULL}'::bigint[], op) AS inclusive,
	   gpu_scan('{NULL,NULL}'::bigint[], op, true) AS exclusive,
	   gpu_scan('{7}'::bigint[], op, true) AS of_one,
	   gpu_scan('{}'::bigint[], op, true) AS of_none
FROM unnest('{+,*,min,max,&,|,#}'::text[]) AS op;
SELECT op,
	   gpu_scan('{NULL,2,NULL,0.5}'::real[], op) AS inclusive,
	   gpu_scan('{NULL,2,NULL,0.5}'::real[], op, true) AS exclusive
FROM unnest('{+,*,min,max}'::text[]) AS op;

-- At a NULL the result stays, however great or little it is.
SELECT op,
	   gpu_scan('{32767,NULL,-32768,NULL}'::smallint[], op) AS smallint,
	   gpu_scan('{NaN,NULL,-Infinity,NULL}'::real[], op) AS real
FROM unnest('{min,max}'::text[]) AS op;

-- Of floats NaN is the greatest, and -0 is 0.
SELECT gpu_scan('{Infinity,NaN,1}'::real[], 'max'),
	   gpu_scan('{NaN,Infinity,1,-Infinity}'::double precision[], 'min'),
	   gpu_scan('{0,-0}'::real[], 'min') = '{0,0}' AS zeros;

-- That is what window functions do.
SELECT gpu_scan(array_agg(x ORDER BY i), 'min') =
	   array_agg(least ORDER BY i) AS min,
	   gpu_scan(array_agg(x ORDER BY i), 'max', true)
	   IS NOT DISTINCT FROM array_agg(greatest ORDER BY i) AS max,
	   gpu_scan(array_agg(x ORDER BY i), '&') =
	   array_agg(anded ORDER BY i) AS "and"
FROM (SELECT i, x,
			 min(x) OVER (ORDER BY i) AS least,
			 max(x) OVER (ORDER BY i ROWS BETWEEN UNBOUNDED PRECEDING AND
						  1 PRECEDING) AS greatest,
			 bit_and(x) OVER (ORDER BY i) AS anded
	  FROM unnest('{NULL,5,-2,NULL,NULL,9,0,1}'::integer[])
		   WITH ORDINALITY AS u (x, i)) AS core;

-- A result has to be of the type of the elements.
SELECT gpu_scan('{32767,1}'::smallint[], '+');
SELECT gpu_scan('{-32768,-1}'::smallint[], '*');
SELECT gpu_scan('{2147483647,1,-1}'::integer[], '+');
SELECT gpu_scan('{65536,65536}'::integer[], '*');
SELECT gpu_scan('{4294967296,4294967296}'::bigint[], '*');
SELECT gpu_scan('{1e20,1e20}'::real[], '*');
SELECT gpu_scan('{1e-30,1e-30}'::real[], '*');
SELECT gpu_scan('{1e-200,1e-200}'::double precision[], '*');
SELECT gpu_scan('{32767,1}'::smallint[], '+', exclusive => true);
SELECT gpu_scan('{2147483647,NULL,-2147483647,-1,2147483647}'::integer[], '+');
SELECT gpu_scan('{1e-30,0,1e-30}'::real[], '*');
SELECT gpu_scan(array_fill(1, ARRAY[9999]) || 2147483647, '+');

-- The shape is kept.
SELECT gpu_scan('[0:1][-2:0]={{NULL,3,2},{1,NULL,4}}'::integer[], 'min');
SELECT gpu_scan('[0:1][-2:0]={{NULL,3,2},{1,NULL,4}}'::bigint[], 'max', true);
SELECT gpu_scan('[5:6]={2,3}'::double precision[], '*');

-- No array or no operator, no result.
SELECT gpu_scan(NULL::integer[], '+') IS NULL AND
	   gpu_scan('{1}'::integer[], NULL) IS NULL AND
	   gpu_scan('{1}'::integer[], '+', NULL) IS NULL AS is_null;

-- Operators that there are not, or not for floats.
SELECT gpu_scan('{1}'::integer[], '-');
SELECT gpu_scan('{1}'::integer[], '');
SELECT gpu_scan('{1}'::integer[], 'MIN');
SELECT gpu_scan('{1}'::real[], '&');
SELECT gpu_scan('{}'::double precision[], '|');
SELECT gpu_reduce('{1}'::real[], '#');
SELECT gpu_reduce('{1}'::integer[], 'avg');

-- gpu_reduce: what a scan ends with, or NULL if there is no value
SELECT op,
	   gpu_reduce('{6,3,NULL,-1,5}'::integer[], op) AS integer,
	   gpu_reduce('{NULL,6,3,NULL}'::smallint[], op) AS smallint,
	   gpu_reduce('{7}'::bigint[], op) AS bigint,
	   gpu_reduce('{NULL,NULL}'::bigint[], op) AS of_nulls,
	   gpu_reduce('{}'::integer[], op) AS of_none
FROM unnest('{+,*,min,max,&,|,#}'::text[]) AS op;
SELECT op,
	   gpu_reduce('{0.5,NULL,2,-4}'::real[], op) AS real,
	   gpu_reduce('{NULL,NaN,0.5}'::double precision[], op) AS double,
	   gpu_reduce('{NULL}'::double precision[], op) AS of_null
FROM unnest('{+,*,min,max}'::text[]) AS op;
SELECT pg_typeof(gpu_reduce('{1}'::smallint[], '+')) AS smallint,
	   pg_typeof(gpu_reduce('{1}'::double precision[], 'max')) AS double;
SELECT gpu_reduce('{{1,2},{3,4}}'::integer[], '+');
SELECT gpu_reduce(NULL::integer[], '+') IS NULL AND
	   gpu_reduce('{1}'::integer[], NULL) IS NULL AS is_null;
SELECT gpu_reduce('{2147483647,1}'::integer[], '+');
SELECT gpu_reduce('{2147483647,1,-1}'::integer[], '+');
SELECT gpu_reduce('{3e38,3e38,-3e38}'::real[], '+');
SELECT gpu_reduce('{1e-200,1e-200}'::double precision[], '*');
SELECT gpu_reduce('{-0,NULL,-0}'::real[], '+');
SELECT gpu_reduce(a, '+') = (gpu_scan(a, '+'))[100000] AS same
FROM (SELECT array_agg(sin(i) ORDER BY i)
	  FROM generate_series(1, 100000) AS i) AS v (a);
