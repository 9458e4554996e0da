-- gpu_top_k and gpu_rank: the order of elements, and where they are
\pset format unaligned \pset tuples_only on \pset null NULL

-- gpu_top_k: the greatest elements with their positions, or the least

SELECT * FROM gpu_top_k('{3,1,4,1,5,9,2,6}'::integer[], 3) \gx
SELECT * FROM gpu_top_k('{3,1,4,1,5,9,2,6}'::integer[], 3, descending => false);
SELECT * FROM gpu_top_k('{2024-02-29,2023-12-31,2024-01-01}'::date[], 1);
SELECT * FROM gpu_top_k('{f,t,f,t}'::boolean[], 3);

-- Of equal elements the first ones.
SELECT * FROM gpu_top_k('{7,8,7,8,7}'::bigint[], 3);
SELECT * FROM gpu_top_k('{7,8,7,8,7}'::bigint[], 2, false);
SELECT * FROM gpu_top_k('{NaN,1,-0,Infinity,NaN,0}'::real[], 3);
SELECT * FROM gpu_top_k('{NaN,1,-0,Infinity,0}'::double precision[], 2, false);

-- NULLs are left out, but have positions.
SELECT * FROM gpu_top_k('{NULL,3,NULL,5,4}'::integer[], 2);
SELECT * FROM gpu_top_k('[-3:0]={NULL,3,5,4}'::integer[], 2);

-- There may be fewer than that, or none.
SELECT * FROM gpu_top_k('{NULL,3,5}'::integer[], 100);
SELECT * FROM gpu_top_k('{3,5}'::integer[], 2147483647, false);
SELECT * FROM gpu_top_k('{3,5}'::integer[], 0);
SELECT * FROM gpu_top_k('{NULL}'::integer[], 3);
SELECT * FROM gpu_top_k('{}'::integer[], 3);
SELECT gpu_top_k(NULL::integer[], 3) IS NULL AS is_null,
	   gpu_top_k('{1}'::integer[], NULL) IS NULL AS is_null;
SELECT gpu_top_k('{1}'::integer[], -1);
SELECT gpu_top_k('{{1,2}}'::integer[], 1);
SELECT pg_typeof("values") AS "values", pg_typeof(positions) AS positions
FROM gpu_top_k('{1}'::smallint[], 1);

-- gpu_rank: where each element is in the order of all

SELECT gpu_rank('{30,10,20,10}'::integer[]),
	   gpu_rank('{30,10,20,10}'::integer[], 'dense') AS dense,
	   gpu_rank('{30,10,20,10}'::integer[], 'min') AS min,
	   gpu_rank('{30,10,20,10}'::integer[], 'first') AS first;
SELECT gpu_rank('{NaN,0,-0,NaN,Infinity}'::real[]),
	   gpu_rank('{NaN,0,-0,NaN,Infinity}'::double precision[], 'min');
SELECT gpu_rank('{b,a,b}'::"char"[]), gpu_rank('{t,f,t}'::boolean[], 'min');

-- NULLs come last, and are equal to each other.
SELECT gpu_rank('{NULL,3,NULL,1,3}'::integer[]),
	   gpu_rank('{NULL,3,NULL,1,3}'::integer[], 'min') AS min,
	   gpu_rank('{NULL,3,NULL,1,3}'::integer[], 'first') AS first;
SELECT gpu_rank('{NULL,NULL}'::integer[]), gpu_rank('{NULL,NULL}'::integer[], 'min');

-- There are as many ranks as elements, counted from where these are.
SELECT gpu_rank('[5:7]={3,1,2}'::integer[]), gpu_rank('{}'::bigint[]),
	   gpu_rank(NULL::integer[]) IS NULL AS is_null,
	   gpu_rank('{1}'::integer[], NULL) IS NULL AS is_null;
SELECT gpu_rank('{1}'::integer[], 'max');
SELECT gpu_rank('{{1,2}}'::integer[]);

-- A few of many: what a sample has does not matter, nor how the elements are
-- stored.  No row is to come.
CREATE TABLE many AS
SELECT kind,
	   ARRAY(SELECT CASE kind
					WHEN 'random' THEN hashint4(i)
					WHEN 'few' THEN i % 2
					WHEN 'ascending' THEN i
					WHEN 'descending' THEN -i
					WHEN 'peak' THEN nullif(abs(i - 77777), 5)
					WHEN 'plateau' THEN least(abs(i - 77777), 3)
					WHEN 'nulls' THEN nullif(hashint4(i), hashint4(i / 2 * 2))
					END
			 FROM generate_series(1, 140000) AS i) AS a
FROM unnest('{random,few,ascending,descending,peak,plateau,nulls}'::text[]) AS kind;
CREATE TABLE stored (kind text, b integer[]);
ALTER TABLE stored ALTER b SET STORAGE EXTERNAL;
INSERT INTO stored SELECT * FROM many;
SELECT kind, k, descending
FROM many JOIN stored USING (kind),
	 unnest('{1,2,3}'::integer[]) AS k, unnest('{f,t}'::boolean[]) AS descending,
	 LATERAL gpu_top_k(a, k, descending) AS top
WHERE top IS DISTINCT FROM gpu_top_k(b, k, descending) OR
	  (top."values", top.positions) IS DISTINCT FROM
	  (SELECT ROW(array_agg(x), array_agg(i::integer))
	   FROM (SELECT x, i FROM unnest(a) WITH ORDINALITY AS u (x, i)
			 WHERE x IS NOT NULL
			 ORDER BY CASE WHEN descending THEN -x::bigint ELSE x END, i LIMIT k) AS s)
ORDER BY kind, k, descending;
DROP TABLE many, stored;
