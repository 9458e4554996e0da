-- Keys with whole blocks of NULLs, which the engines do not get, or with a bitmap
-- that has no NULL; and values with NULLs of their own.  The same as plain SQL,
-- however the arrays are stored: no row is to come.
\pset format unaligned \pset tuples_only on \pset null NULL
\set ECHO none
CREATE TABLE blocks (nulls text, keys integer[], v integer[]);
ALTER TABLE blocks ALTER keys SET STORAGE EXTERNAL, ALTER v SET STORAGE EXTERNAL;
INSERT INTO blocks
SELECT nulls, array_agg(CASE nulls WHEN 'behind' THEN CASE WHEN i <= 5000 THEN key END
							WHEN 'in front' THEN CASE WHEN i > 15000 THEN key END
							WHEN 'between' THEN CASE WHEN i <= 4096 OR i > 12288 THEN key END
							WHEN 'alternating' THEN CASE WHEN (i - 1) / 4096 % 2 = 0 THEN key END
							WHEN 'all' THEN NULL
							ELSE nullif(key, 21474) END ORDER BY i),
	   array_agg(CASE WHEN i <= 4100 OR i % 100 = 7 THEN NULL ELSE i END ORDER BY i)
FROM (SELECT i, hashint4(i) / 100000 AS key FROM generate_series(1, 20000) AS i) AS s,
	 unnest('{behind,in front,between,alternating,all,not there}'::text[]) AS nulls
GROUP BY nulls;
UPDATE blocks SET keys[9] = NULL WHERE nulls = 'not there';
UPDATE blocks SET keys[9] = 9 WHERE nulls = 'not there';
CREATE TABLE compressed (LIKE blocks);
INSERT INTO compressed SELECT nulls, keys || '{}', v || '{}' FROM blocks;
CREATE TABLE packed AS SELECT nulls, gpu_pack(keys) AS keys, gpu_pack(v) AS v FROM blocks;
CREATE VIEW forms AS
SELECT 'stored' AS form, nulls, keys, v FROM blocks
UNION ALL SELECT 'in memory', nulls, keys || '{}', v || '{}' FROM blocks
UNION ALL SELECT 'compressed', nulls, keys, v FROM compressed
UNION ALL SELECT 'packed', nulls, keys::integer[], v::integer[] FROM packed;
CREATE TABLE answers AS
SELECT nulls, ARRAY(SELECT x FROM unnest(v, keys) WITH ORDINALITY AS u (x, k, i) ORDER BY k, i) AS by_key,
	   (SELECT ROW(array_agg(k ORDER BY k), array_agg(most ORDER BY k))::text
		FROM (SELECT k, max(x) FROM unnest(v, keys) AS u (x, k) GROUP BY k) AS g (k, most)) AS most,
	   (SELECT ROW(array_agg(k ORDER BY k), array_agg(n ORDER BY k))::text
		FROM (SELECT k, count(x) FROM unnest(v, keys) AS u (x, k) GROUP BY k) AS g (k, n)) AS counts,
	   ARRAY(SELECT (rank() OVER (ORDER BY k))::integer FROM unnest(keys) WITH ORDINALITY AS u (k, i) ORDER BY i) AS ranks,
	   ARRAY(SELECT (row_number() OVER (ORDER BY k, i))::integer
			 FROM unnest(keys) WITH ORDINALITY AS u (k, i) ORDER BY i) AS numbers,
	   ARRAY(SELECT DISTINCT k FROM unnest(keys) AS k ORDER BY k) AS keys
FROM blocks;
SELECT form, nulls FROM forms JOIN answers AS a USING (nulls)
WHERE gpu_sort_by_key(v, forms.keys) IS DISTINCT FROM by_key OR
	  (SELECT g::text FROM gpu_group(forms.keys, v, 'max') AS g) IS DISTINCT FROM most OR
	  (SELECT g::text FROM gpu_group(forms.keys, v, 'count') AS g) IS DISTINCT FROM counts OR
	  gpu_rank(forms.keys, 'min') IS DISTINCT FROM ranks OR gpu_rank(forms.keys, 'first') IS DISTINCT FROM numbers OR
	  gpu_distinct(forms.keys) IS DISTINCT FROM a.keys;
DROP VIEW forms;
DROP TABLE blocks, compressed, packed, answers;
\set ECHO all
