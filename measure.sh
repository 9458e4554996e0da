#!/bin/bash
# gpu_take, 2^24: medians of 9; answers as on the CPU. o: 0.1 % out of range; m: and 0.1 % NULL
psql -XqAt -v ON_ERROR_STOP=1 <<'E'
CREATE EXTENSION IF NOT EXISTS gpucompact;
DROP TABLE IF EXISTS tk, tm, tr;
CREATE TABLE tk (a int[], p int[], m int[], o int[]);
ALTER TABLE tk ALTER a SET STORAGE EXTERNAL, ALTER p SET STORAGE EXTERNAL,
 ALTER m SET STORAGE EXTERNAL, ALTER o SET STORAGE EXTERNAL;
INSERT INTO tk SELECT array_agg(i # 7), array_agg(q),
 array_agg(CASE i % 1000 WHEN 0 THEN q + 16777216 WHEN 1 THEN NULL ELSE q END),
 array_agg(CASE i % 1000 WHEN 0 THEN q + 16777216 ELSE q END)
FROM (SELECT i, (i * 7919::bigint % 16777216 + 1)::int AS q FROM generate_series(1, 16777216) AS i) AS s;
CREATE TABLE tm (c text, k int, e text, t float8, ok bool);
CREATE TABLE tr (c text, r int[]);
DO $$ DECLARE c text; BEGIN
FOREACH c IN ARRAY '{"a,p","a,m","a,o","m,p"}'::text[] LOOP
 SET gpucompact.engine = cpu;
 EXECUTE format('INSERT INTO tr SELECT %L, gpu_take(%s) FROM tk', c, c);
 SET gpucompact.engine = cuda;
 FOR k IN 1..12 LOOP
  EXECUTE format('SELECT gpu_take(%s) FROM tk', c);
  INSERT INTO tm SELECT c, k, engine, total_ms FROM gpu_last_call();
 END LOOP;
 EXECUTE format('UPDATE tm SET ok = (SELECT gpu_take(%s) = r FROM tk, tr WHERE tr.c = %L) WHERE c = %2$L', c, c);
END LOOP; END $$;
SELECT c, min(e), percentile_cont(0.5) WITHIN GROUP (ORDER BY t) AS median_ms, bool_and(ok) FROM tm WHERE k > 3 GROUP BY c ORDER BY c;
E
