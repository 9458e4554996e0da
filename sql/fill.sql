-- gpu_fill: the last value before each NULL, or the next one, in its place
SET quote_all_identifiers = off;

SELECT gpu_fill('{NULL,3,NULL,NULL,5,NULL}'::integer[]),
	   gpu_fill('{NULL,3,NULL,NULL,5,NULL}'::integer[], true);
SELECT gpu_fill('{1,NULL}'::integer[], backward => false);
SELECT pg_typeof(gpu_fill('{1}'::smallint[]));

-- Elements of every type; NaN and infinities are values.
SELECT gpu_fill('{1.5,NULL,NaN,NULL}'::real[]), gpu_fill('{NULL,-0,Infinity,NULL}'::float8[]),
	   gpu_fill('{t,NULL,f,NULL}'::boolean[]), gpu_fill('{NULL,a,NULL,b}'::"char"[], true);
SELECT gpu_fill('{2024-02-29,NULL,infinity}'::date[]), gpu_fill('{4294967295,NULL}'::oid[]),
	   gpu_fill('{1.25,NULL,-3}'::money[], true);

-- Nothing but NULLs, and nothing to fill in.
SELECT gpu_fill('{NULL}'::integer[]), gpu_fill('{NULL,NULL}'::integer[], true),
	   gpu_fill('{1,2}'::integer[]), gpu_fill('{1,2}'::integer[], true);
SELECT gpu_fill(NULL::integer[]) IS NULL AS is_null,
	   gpu_fill('{1}'::integer[], NULL) IS NULL AS is_null;
SELECT gpu_fill('{}'::integer[]), gpu_fill('{}'::integer[], true);

-- The lower bound stays.
SELECT gpu_fill('[0:2]={1,NULL,3}'::integer[]), gpu_fill('[-1:1]={1,2,NULL}'::bigint[], true);

-- An array without NULLs in the result has no bitmap of them.
SELECT pg_column_size(gpu_fill('{1,NULL,3}'::integer[])) =
	   pg_column_size('{1,1,3}'::integer[]) AS same;

-- The same as core, whatever the length, and wherever the NULLs: no row is to
-- come.
CREATE TABLE edges AS
SELECT n, kind,
	   ARRAY(SELECT CASE WHEN kind = 'nulls' AND i % 7 IN (1, 2) THEN NULL
						 WHEN kind = 'many nulls' AND i % 3 <> 0 THEN NULL
						 WHEN kind = 'bytes' AND i % 40 BETWEEN 7 AND 30 THEN NULL
						 WHEN kind = 'one value' AND i <> n / 2 THEN NULL
						 WHEN kind = 'first value' AND i > 1 THEN NULL
						 WHEN kind = 'last value' AND i < n THEN NULL
						 ELSE i END
			 FROM generate_series(1, n) AS i) AS a
FROM unnest('{1,2,7,8,9,15,16,17,63,64,65,4095,4096,4097,
			  65536,131073}'::integer[]) AS n,
	 unnest('{values,nulls,many nulls,bytes,one value,first value,last value}'::text[])
	 AS kind;
ALTER TABLE edges ADD b bigint[], ADD stored integer[];
ALTER TABLE edges ALTER b SET STORAGE EXTERNAL, ALTER stored SET STORAGE EXTERNAL;
UPDATE edges SET b = a, stored = a;
SELECT kind, n
FROM edges
WHERE gpu_fill(a) IS DISTINCT FROM
	  ARRAY(SELECT max(x) OVER (ORDER BY i)
			FROM unnest(a) WITH ORDINALITY AS u (x, i) ORDER BY i) OR
	  gpu_fill(a, true) IS DISTINCT FROM
	  ARRAY(SELECT min(x) OVER (ORDER BY i DESC)
			FROM unnest(a) WITH ORDINALITY AS u (x, i) ORDER BY i) OR
	  gpu_fill(b)::integer[] <> gpu_fill(a) OR
	  gpu_fill(b, true)::integer[] <> gpu_fill(a, true) OR
	  gpu_fill(stored) <> gpu_fill(a) OR
	  gpu_fill(stored, true) <> gpu_fill(a, true)
ORDER BY kind, n;
DROP TABLE edges;

-- 0A000: several dimensions, and types that are not supported.
\set VERBOSITY sqlstate
SELECT gpu_fill('{{1,NULL}}'::integer[]);
SELECT gpu_fill('{a}'::text[]);
SELECT gpu_fill('1 2'::int2vector);
