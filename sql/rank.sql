-- gpu_top_k, gpu_rank, gpu_rank_avg: the order of elements, and where they are
\getenv srcdir PG_ABS_SRCDIR \set ECHO none \i :srcdir/sql/calls.psql

-- gpu_top_k: the greatest elements with their positions, or the least

SELECT * FROM gpu_top_k('{3,1,4,1,5,9,2,6}'::integer[], 3) \gx
COPY messages FROM stdin;
* FROM gpu_top_k('{3,1,4,1,5,9,2,6}'::integer[], 3, descending => false)
-- Of equal elements the first ones.
* FROM gpu_top_k('{7,8,7,8,7}'::bigint[], 3)
-- NULLs are left out, but have positions.
* FROM gpu_top_k('{NULL,3,NULL,5,4}'::integer[], 2)
gpu_top_k('{1}'::integer[], -1)
-- gpu_rank, gpu_rank_avg: where each element is in the order of all
gpu_rank('{30,10,20,10}'::integer[]), gpu_rank('{30,10,20,10}'::integer[], 'dense') AS dense
gpu_rank('{30,10,20,10}'::integer[], 'min') AS min, gpu_rank('{30,10,20,10}'::integer[], 'max') AS max
gpu_rank_avg('{30,10,20,10}'::integer[]) AS avg, gpu_rank('{30,10,20,10}'::integer[], 'first') AS first
-- NULLs come last, and are equal to each other.
gpu_rank('{NULL,3,NULL,1,3}'::integer[]), gpu_rank('{NULL,3,NULL,1,3}'::integer[], 'min') AS min
\.

-- Equal elements over the borders of pieces, for any number of threads: their ranks
-- are those of the sorted elements.  No row is to come.
\set ECHO none
CREATE TABLE tied AS
SELECT count, kinds, nulls,
	   ARRAY(SELECT CASE WHEN nulls = 0 OR i % nulls > 0 THEN i % kinds END FROM generate_series(1, count) AS i) AS a
FROM unnest('{4097,65537}'::integer[]) AS count, unnest('{1,5,30000}'::integer[]) AS kinds, unnest('{0,5}'::integer[]) AS nulls;
CREATE TABLE ranked AS
SELECT count, kinds, nulls, a, plain.*
FROM tied, LATERAL (SELECT array_agg(low::integer), array_agg(high::integer), array_agg((low + high) / 2.0::double precision)
					FROM (SELECT i, rank() OVER w, count(*) OVER w
						  FROM unnest(a) WITH ORDINALITY AS u (x, i)
						  WINDOW w AS (ORDER BY x) ORDER BY i) AS r (i, low, high)) AS plain (least, greatest, average);
PREPARE wrong AS SELECT count, kinds, nulls FROM ranked
WHERE gpu_rank(a, 'min') <> least OR gpu_rank(a, 'max') <> greatest OR gpu_rank_avg(a) <> average;
EXECUTE wrong;
SET gpucompact.cpu_threads = 4;
EXECUTE wrong;
RESET gpucompact.cpu_threads;
DEALLOCATE wrong;
DROP TABLE tied, ranked;

-- A few of many: what a sample has does not matter, nor how the elements are
-- stored.  No row is to come.
CREATE TABLE many AS
SELECT kind, ARRAY(SELECT CASE kind
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
	 unnest('{f,t}'::boolean[]) AS descending,
	 LATERAL (SELECT array_agg(x) AS first, array_agg(i::integer) AS places
			  FROM (SELECT x, i FROM unnest(a) WITH ORDINALITY AS u (x, i)
					WHERE x IS NOT NULL
					ORDER BY CASE WHEN descending THEN -x::bigint ELSE x END, i LIMIT 3) AS s OFFSET 0) AS plain,
	 unnest('{1,2,3}'::integer[]) AS k, LATERAL gpu_top_k(a, k, descending) AS top
WHERE top IS DISTINCT FROM gpu_top_k(b, k, descending) OR
	  (top."values", top.positions) IS DISTINCT FROM (first[:k], places[:k])
ORDER BY kind, k, descending;
DROP TABLE many, stored;
\set ECHO all
