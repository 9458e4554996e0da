-- gpu_packed: arrays in a fraction of their bytes
\getenv srcdir PG_ABS_SRCDIR \set ECHO none \i :srcdir/sql/calls.psql

-- The text has the type of the elements in front of the array.
COPY messages FROM stdin;
gpu_pack('{1,2,NULL}'::integer[]), gpu_pack(ARRAY[1,2,3]), gpu_pack('[5:6]={7,NULL}'::smallint[])
'integer:{1,2,NULL}'::gpu_packed, 'float8:[0:1]={1.5,NaN}'::gpu_packed, ' "char" :{a,b}'::gpu_packed
gpu_pack(NULL::integer[]) IS NULL, gpu_pack('{}'::integer[]), 'date:{}'::gpu_packed, gpu_pack('{NULL,NULL}'::bigint[])
-- And back.
gpu_unpack('integer:{1,2,NULL}', NULL::integer[]), gpu_unpack(p => 'real:[5:6]={1,-0}', "like" => '{7}'::real[])
gpu_unpack(NULL, NULL::integer[]) IS NULL, gpu_unpack('integer:{}', '{1}'::integer[])
pg_typeof(gpu_unpack('date:{}', NULL::date[]))
\.

-- Each type, by casts, which are explicit.
SET timezone = 'UTC';
COPY messages FROM stdin;
'{2024-02-29 12:00+00,infinity}'::timestamptz[]::gpu_packed
'smallint:{1,2}'::gpu_packed::smallint[], 'integer:{1,2}'::gpu_packed::integer[], 'bigint:{1,2}'::gpu_packed::bigint[]
'real:{1,2}'::gpu_packed::real[], 'float8:{1,2}'::gpu_packed::double precision[], 'boolean:{t,f}'::gpu_packed::boolean[]
'"char":{a,b}'::gpu_packed::"char"[], 'oid:{1,2}'::gpu_packed::oid[], 'money:{1,2}'::gpu_packed::money[]
'date:{2024-02-29}'::gpu_packed::date[], 'time:{12:00}'::gpu_packed::time[]
'timestamp:{2024-02-29 12:00}'::gpu_packed::timestamp[], 'timestamptz:{2024-02-29 12:00+00}'::gpu_packed::timestamptz[]
-- The bits come back, those of NaN, too.
gpu_to_bytes(gpu_unpack(gpu_pack(gpu_from_bytes('\\x0100c0ff000000800000c07f0100807f', NULL::real[])), NULL::real[]))
\.
-- A column: of any arrays, or of one type of elements.
CREATE TABLE packed (id integer, p gpu_packed, i gpu_packed(integer), f gpu_packed('double precision'));
\d packed
INSERT INTO packed VALUES (1, 'real:{1}', 'integer:{1,2}', 'float8:{1,2}'), (2, 'date:{2024-02-29}', '{3}'::integer[]::gpu_packed, NULL);
SELECT * FROM packed ORDER BY id;
SELECT attname, attstorage FROM pg_attribute WHERE attrelid = 'packed'::regclass AND attnum > 1 ORDER BY attnum;
SELECT 'integer:{1}'::gpu_packed(integer), 'integer:{1}'::gpu_packed(int), '{1}'::"char"[]::gpu_packed('"char"'), '{1}'::oid[]::gpu_packed(oid);
COPY messages FROM stdin;
format_type('gpu_packed'::regtype, 1082), format_type('gpu_packed'::regtype, 18)
format_type('gpu_packed'::regtype, 1184)
INSERT INTO packed (i) VALUES ('real:{1}')
INSERT INTO packed (i) SELECT p FROM packed WHERE id = 1
INSERT INTO packed (i) VALUES ('{1}'::real[]::gpu_packed)
INSERT INTO packed (i) VALUES ('nothing')
INSERT INTO packed (f) VALUES ('{1}'::real[])
INSERT INTO packed (f) SELECT '{1}'::integer[]::gpu_packed
'integer:{1}'::gpu_packed(integer, real)
'integer:{1}'::gpu_packed('timestamp(3)')
'integer:{1}'::gpu_packed(text)
gpucompact_packed_check('integer:{1}', 1, true)
gpucompact_packed_typmod_out(1)
\.

-- An array that is assigned to a column is packed.
\set ECHO none
CREATE TYPE moment AS (name text, p gpu_packed(date));
CREATE DOMAIN small AS gpu_packed(smallint) CHECK (cardinality(VALUE::smallint[]) < 3);
CREATE DOMAIN digits AS integer[];
CREATE TABLE assigned (id serial, p gpu_packed DEFAULT ARRAY[7], i gpu_packed(integer), q small, m moment, ps gpu_packed(real)[],
					   sum gpu_packed(bigint) GENERATED ALWAYS AS (gpu_prefix_sum(i::integer[])) STORED);
INSERT INTO assigned (p) VALUES ('{1,NULL}'::smallint[]), ('{1,NULL}'::integer[]), ('{1,NULL}'::bigint[]), ('{1.5,NULL}'::real[]),
	   ('{1.5,NaN}'::double precision[]), ('{t,NULL}'::boolean[]), ('{a,NULL}'::"char"[]), ('{4294967295}'::oid[]),
	   ('{$1.25}'::money[]), ('{2024-02-29}'::date[]), ('{24:00}'::time[]), ('{2024-02-29 12:00}'::timestamp[]),
	   ('{2024-02-29 12:00+00}'::timestamptz[]), ('[5:6]={1,2}'::integer[]), ('{}'::real[]), (NULL::integer[]), ('{8,9}'::digits), (DEFAULT);
INSERT INTO assigned (i, q, m.p) VALUES ('{3,1,2}'::integer[], '{1,2}'::smallint[], ARRAY['2024-02-29'::date]);
INSERT INTO assigned (ps) VALUES (ARRAY[ARRAY[1.5]::real[]::gpu_packed]);
UPDATE assigned SET p = gpu_radix_sort(i::integer[]), i = i::integer[] || 4, ps[2] = ARRAY[2.5]::real[] WHERE i IS NOT NULL;
\set ECHO all
SELECT p, i, q, (m).p, ps, sum FROM assigned ORDER BY id;
ALTER TABLE assigned ALTER p DROP DEFAULT, ALTER p TYPE bigint[] USING sum::bigint[];
ALTER TABLE assigned ALTER p TYPE gpu_packed(bigint);
SELECT p FROM assigned WHERE p IS NOT NULL;
DO $$
DECLARE
	p gpu_packed(integer);
BEGIN
	p := ARRAY[3,2,1];
	RAISE NOTICE '%', p;
	p := ARRAY[1.5::real];
END $$;

-- 42804: another type, of the elements or of all; 0A000: several dimensions; 23514.
COPY sqlstates FROM stdin;
INSERT INTO assigned (i) VALUES ('{1}'::bigint[])
INSERT INTO assigned (i) VALUES ('{}'::real[])
INSERT INTO assigned (i) VALUES ('{1}'::numeric[])
INSERT INTO assigned (i) VALUES ('{1}'::text)
INSERT INTO assigned (i) VALUES ('{{1}}'::integer[])
INSERT INTO assigned (q) VALUES ('{1,2,3}'::smallint[])
INSERT INTO assigned (q) VALUES ('{1}'::integer[])
INSERT INTO assigned (m.p) VALUES ('{2024-02-29 12:00}'::timestamp[])
\.
DROP TABLE assigned;
DROP TYPE moment;
DROP DOMAIN small, digits;

-- Equality is that of the arrays.
SELECT p = q AS equal, p <> q AS different
FROM (VALUES ('integer:{1,2,NULL}'::gpu_packed, '{1,2,NULL}'::integer[]::gpu_packed), ('real:{NaN,0}', 'real:{NaN,-0}'),
			 ('integer:{1,2}', 'integer:{1,3}'), ('integer:{1,2}', 'integer:{1,2,3}'), ('integer:{1,NULL}', 'integer:{1,1}'),
			 ('integer:{1,NULL,2}', 'integer:{NULL,1,2}'), ('integer:{1,2}', 'integer:[0:1]={1,2}'), ('integer:{1}', 'oid:{1}'), ('integer:{}', 'integer:{}'),
			 ('integer:{}', 'real:{}')) AS r (p, q);
SELECT p, count(*) FROM (VALUES ('float8:{0}'::gpu_packed), ('float8:{-0}'), ('real:{0}'), ('float8:{NULL}'), ('float8:{0,NULL}'), ('float8:{NULL}')) AS r (p)
GROUP BY p ORDER BY p::text COLLATE "C";
SELECT count(*) FROM (SELECT DISTINCT gpu_pack(ARRAY[i % 10, i % 3]) FROM generate_series(1, 300) AS i) AS r;
SET enable_nestloop = off;
SET enable_mergejoin = off;
SELECT count(*) FROM (SELECT gpu_pack(ARRAY[i]) AS p FROM generate_series(1, 100) AS i) AS a
JOIN (SELECT gpu_pack(ARRAY[i]) AS p FROM generate_series(51, 200) AS i) AS b USING (p);
RESET enable_nestloop;
RESET enable_mergejoin;

-- The order is that of the arrays: of each type, with NULLs, lower bounds and other lengths.
\set ECHO none
CREATE TABLE ordered (type text, a text, p gpu_packed);
DO $$
DECLARE
	type text;
	three text;
	wrong bigint;
BEGIN
	FOR type, three IN VALUES ('smallint', '{-32768,0,32767}'), ('integer', '{-2147483648,0,2147483647}'), ('bigint', '{-9223372036854775808,0,7}'),
		('real', '{-Infinity,0,NaN}'), ('double precision', '{-1.5,0,NaN}'), ('boolean', '{f,t}'), ('"char"', '{a,B,\\377}'), ('oid', '{0,7,4294967295}'),
		('money', '{-1,0,$1.25}'), ('date', '{-infinity,2024-02-29,infinity}'), ('time', '{0:00,12:00,24:00}'),
		('timestamp', '{-infinity,2024-02-29 12:00,infinity}'), ('timestamptz', '{-infinity,2024-02-29 12:00+00,infinity}')
	LOOP
		EXECUTE format($q$
			INSERT INTO ordered
			SELECT DISTINCT %1$L, a::text, p
			FROM (SELECT %2$L::%1$s[] AS v) AS s, generate_series(0, 3) AS i, generate_series(0, 3) AS j,
				 unnest(ARRAY[gpu_pack(ARRAY[v[i]]), ARRAY[v[i], v[j]]::gpu_packed, v[:0]::gpu_packed, '[0:0]={NULL}'::%1$s[]::gpu_packed]) AS p,
				 LATERAL (SELECT p::%1$s[] AS a) AS b$q$, type, three);
		EXECUTE format($q$
			SELECT count(*)
			FROM (SELECT p, a::%1$s[] FROM ordered WHERE type = %1$L) AS x, (SELECT p AS q, a::%1$s[] AS b FROM ordered WHERE type = %1$L) AS y
			WHERE (p < q, p <= q, p = q, p <> q, p >= q, p > q, gpucompact_packed_cmp(p, q)) <>
				  (a < b, a <= b, a = b, a <> b, a >= b, a > b, btarraycmp(a, b))$q$, type)
		INTO wrong;
		IF wrong > 0 THEN
			RAISE NOTICE '%: % pairs in another order', type, wrong;
		END IF;
	END LOOP;
END $$;
\set ECHO all
SELECT DISTINCT p FROM ordered WHERE type = 'real' ORDER BY p;
INSERT INTO ordered VALUES ('real', '{-0}', 'real:{-0}');
SELECT count(*) AS all, count(DISTINCT p) AS distinct, count(DISTINCT ROW(type, p)) FROM ordered;

-- By the first element that differs, at the borders of what is compared together.
SELECT n, p < q AS less, q > p AS greater, p < r AS less_than_null, p < s AS less_than_longer, t < p AS shorter
FROM unnest('{1,7,8,9,16383,16384,16385,40000}'::integer[]) AS n, array_fill(1, ARRAY[n]) AS a,
	 LATERAL (SELECT gpu_pack(a) AS p, gpu_pack(a[:n - 1] || 2) AS q, gpu_pack(a[:n - 1] || NULL::integer) AS r, gpu_pack(a || NULL::integer) AS s, gpu_pack(a[:n - 1]) AS t) AS made;
SET enable_hashagg = off;
SET enable_hashjoin = off;
SET enable_nestloop = off;
EXPLAIN (COSTS off) SELECT DISTINCT x.p FROM ordered AS x JOIN ordered AS y USING (p) ORDER BY p;
COPY messages FROM stdin;
count(*), count(DISTINCT p) FROM ordered AS x JOIN ordered AS y USING (p)
count(*) FROM (SELECT p FROM ordered UNION SELECT p FROM ordered) AS r
count(*) FROM (SELECT p FROM ordered EXCEPT SELECT p FROM ordered WHERE type <> 'date') AS r
count(*) FROM (SELECT p FROM ordered GROUP BY p HAVING count(*) > 1) AS r
\.
RESET enable_hashagg;
RESET enable_hashjoin;
RESET enable_nestloop;

-- A key: 23505; 54000 if it is long.
CREATE TABLE keyed (p gpu_packed(float8) PRIMARY KEY, n integer);
INSERT INTO keyed SELECT ARRAY[i % 10, i]::float8[], i FROM generate_series(0, 999) AS i;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
EXPLAIN (COSTS off) SELECT n FROM keyed WHERE p = 'float8:{7,17}';
SELECT n FROM keyed WHERE p = 'float8:{7,17}';
SELECT n FROM keyed WHERE p >= 'float8:{9,990}' ORDER BY p;
SELECT n FROM keyed WHERE p < 'float8:{0,NULL}' ORDER BY p DESC LIMIT 2;
RESET enable_seqscan;
RESET enable_bitmapscan;
INSERT INTO keyed VALUES ('float8:{0,0}') ON CONFLICT (p) DO UPDATE SET n = -1;
SELECT p, n FROM keyed WHERE n < 1;
\set VERBOSITY sqlstate
INSERT INTO keyed VALUES ('float8:{-0,0}');
INSERT INTO keyed SELECT array_agg(hashint4(i) * 1e-9 ORDER BY i)::float8[] FROM generate_series(1, 1000) AS i;
CREATE TABLE parts (p gpu_packed(float8)) PARTITION BY HASH (p);
CREATE TABLE parts_0 PARTITION OF parts FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO parts SELECT p FROM keyed WHERE n >= 0;
SELECT tableoid::regclass, count(*) BETWEEN 400 AND 600 FROM parts GROUP BY 1 ORDER BY 1;
SELECT count(*) FROM parts WHERE p = 'float8:{7,17}';
DROP TABLE keyed, ordered, parts;

-- As stored, large and with NULLs; slices around the borders of blocks.
CREATE TABLE runs (id integer, a integer[], p gpu_packed(integer));
ALTER TABLE runs ALTER a SET STORAGE EXTERNAL;
INSERT INTO runs SELECT id, array_agg(CASE WHEN id = 2 AND hashint4(i) % 7 = 0 THEN NULL ELSE hashint4(i) % 1000 + 100000 END ORDER BY i)
FROM generate_series(1, 2) AS id, generate_series(1, 150000) AS i GROUP BY id;
INSERT INTO runs VALUES (3, '{5,NULL,7}'), (4, '{}');
UPDATE runs SET p = gpu_pack(a);
SELECT id, gpu_unpack(p, a) = a AS same, p = gpu_pack(a) AS equal FROM runs ORDER BY id;
SELECT array_agg(id ORDER BY p) AS by_packed, array_agg(id ORDER BY a) AS by_array FROM runs;
SELECT id, pg_column_size(p) * 2 < pg_column_size(a) AS small FROM runs WHERE id < 3 ORDER BY id;
CREATE TABLE compressed AS SELECT id, a, p FROM runs;
ALTER TABLE compressed ALTER p SET STORAGE EXTENDED;
INSERT INTO compressed SELECT 5, array_fill(7, ARRAY[100000]), gpu_pack(array_fill(7, ARRAY[100000]));
SELECT id, gpu_unpack(p, a) = a AS same, p = gpu_pack(a) AS equal FROM compressed ORDER BY id;
SELECT id, first, last FROM (SELECT id, p, a || '{}' AS a FROM runs OFFSET 0) AS runs,
	 unnest('{-5,0,1,2,1023,1024,1025,1026,65536,65537,131073,149999,150000,150001,2147483647}'::integer[]) WITH ORDINALITY AS f (first, i) JOIN
	 unnest('{-1,0,1,2,1023,1024,1025,2049,65536,65537,140000,150000,150001,2147483647}'::integer[]) WITH ORDINALITY AS l (last, j)
	 ON abs(i - j) < 3 OR first = 2 OR last = 150000
WHERE gpu_slice(p, first, last, a) IS DISTINCT FROM a[first:last] OR gpu_slice(p::integer[], first, last) IS DISTINCT FROM a[first:last];
SELECT gpu_slice('integer:[5:8]={1,2,NULL,4}'::gpu_packed, 2, 3, NULL::integer[]), gpu_slice('integer:{1,2}', -1, 9, NULL::integer[]),
	   gpu_slice('integer:{1,2}', 2, 1, NULL::integer[]), gpu_slice('integer:{1,NULL,3}', 3, 3, NULL::integer[]);
SELECT gpu_slice(NULL::gpu_packed, 1, 2, NULL::integer[]) IS NULL AS p, gpu_slice('integer:{1}'::gpu_packed, NULL, 2, NULL::integer[]) IS NULL AS first,
	   gpu_slice('integer:{1}'::gpu_packed, 1, NULL, NULL::integer[]) IS NULL AS last;

-- What they are made of.
SELECT element_type, elements, nulls, bits_per_element < 13 AS few_bits, blocks, decimal_blocks, minimum, maximum
FROM runs, gpu_packed_info(p) WHERE id < 3 ORDER BY id;
SELECT element_type, elements, nulls, bits_per_element IS NULL AS no_bits, blocks, decimal_blocks, minimum, maximum FROM gpu_packed_info('date:{}');
SELECT element_type, elements, nulls, decimal_blocks, minimum, maximum FROM gpu_packed_info('"char":{b,NULL,a}');
SELECT decimal_blocks, minimum, maximum, bits_per_element < 12 AS few_bits
FROM (SELECT gpu_pack(array_agg(i / 100.0 ORDER BY i)::float8[]) AS p FROM generate_series(1, 3000) AS i) AS r, gpu_packed_info(p);
SELECT (gpu_packed_info(NULL)).elements IS NULL AS is_null;

-- Functions over arrays take them without unpacking first.
EXPLAIN (VERBOSE, COSTS OFF) SELECT gpu_reduce(gpu_unpack(p, NULL::integer[]), 'max'), gpu_stats(p::integer[]) FROM runs;
EXPLAIN (VERBOSE, COSTS OFF) SELECT gpu_pack(gpu_delta(a)), gpu_delta(a)::gpu_packed FROM runs;
SELECT id, gpu_reduce(p::integer[], 'max') = gpu_reduce(a, 'max') AS reduce, gpu_stats(p::integer[]) = gpu_stats(a) AS stats,
	   gpu_compact(gpu_delta(p::integer[]), '>', 900) = gpu_compact(gpu_delta(a), '>', 900) AS compact,
	   gpu_radix_sort(p::integer[]) = gpu_radix_sort(a) AS sort, gpu_zip(p::integer[], '-', gpu_unpack(p, a)) = gpu_zip(a, '-', a) AS zip,
	   gpu_unpack(gpu_pack(gpu_delta(p::integer[])), a) = gpu_delta(a) AS pack
FROM runs ORDER BY id;
DROP TABLE runs, compressed;

-- Large ones of several types: a sort is the first to read them, and others read
-- them again; two of them as one input; and some blocks alone.  No row is to come.
\set ECHO none
CREATE TABLE large AS
SELECT id, array_agg((hashint4(i) % (id * 1000))::smallint) AS s, array_agg(i * 3 + hashint4(i) % 3) AS i,
	   array_agg(i * 1000000007::bigint) AS b, array_agg((hashint4(i / 50) % 100)::real) AS r,
	   array_agg(hashint4(i) % 100000 / 100.0::float8) AS f
FROM generate_series(1, 2) AS id, generate_series(1, 140000) AS i GROUP BY id;
CREATE TABLE large_packed AS
SELECT id, gpu_pack(s) AS s, gpu_pack(i) AS i, gpu_pack(b) AS b, gpu_pack(r) AS r, gpu_pack(f) AS f FROM large;
SELECT id FROM large AS a JOIN large_packed AS p USING (id)
WHERE gpu_radix_sort(p.s::smallint[]) <> gpu_radix_sort(a.s) OR gpu_delta(p.s::smallint[]) <> gpu_delta(a.s) OR
	  gpu_radix_sort(p.i::integer[]) <> gpu_radix_sort(a.i) OR gpu_delta(p.i::integer[]) <> gpu_delta(a.i) OR
	  gpu_radix_sort(p.b::bigint[]) <> gpu_radix_sort(a.b) OR gpu_delta(p.b::bigint[]) <> gpu_delta(a.b) OR
	  gpu_radix_sort(p.r::real[]) <> gpu_radix_sort(a.r) OR gpu_delta(p.r::real[]) <> gpu_delta(a.r) OR
	  gpu_delta(p.f::float8[]) <> gpu_delta(a.f) OR gpu_radix_sort(p.f::float8[]) <> gpu_radix_sort(a.f);
SELECT id FROM large AS a JOIN large_packed AS p USING (id)
WHERE gpu_union(p.i::integer[], a.i[2:1000]) <> gpu_union(a.i, a.i[2:1000]) OR
	  gpu_compact(p.b::bigint[], 'between', 3000000000000, 50000000000000) <> gpu_compact(a.b, 'between', 3000000000000, 50000000000000);
DROP TABLE large, large_packed;

-- What the directory says: extremes, and which blocks have no element that is
-- wanted.  No row is to come.
CREATE TABLE ascending (id integer, a bigint[], f float8[], p gpu_packed, q gpu_packed);
INSERT INTO ascending
SELECT id, array_agg(CASE WHEN i % 11 > id * 10 THEN NULL ELSE i + hashint4(i) % 50 END ORDER BY i),
	   array_agg(CASE WHEN i % 11 > id * 10 THEN NULL WHEN i % 5000 = 1 THEN 'NaN' ELSE (i + hashint4(i) % 50) / 100.0 - 200 END ORDER BY i)
FROM generate_series(0, 1) AS id, generate_series(1, 40000) AS i GROUP BY id;
INSERT INTO ascending VALUES (2, '{-9223372036854775808,NULL,9223372036854775807}', '{-Infinity,0,-0,5e-324}'), (3, '{NULL}', '{-0}'), (4, '{}', '{NaN,Infinity}');
UPDATE ascending SET p = gpu_pack(a), q = gpu_pack(f);
SELECT id, op, value FROM ascending, unnest('{=,<>,<,<=,>,>=}'::text[]) AS op,
	 unnest('{-9223372036854775808,-200,0,1,1024,1025,20000,39999,40100,9223372036854775807}'::bigint[]) AS value
WHERE gpu_compact(p::bigint[], op, value) IS DISTINCT FROM gpu_compact(a, op, value) OR
	  gpu_positions(p::bigint[], op, value) IS DISTINCT FROM gpu_positions(a, op, value) OR
	  gpu_compact(q::float8[], op, value / 100.0 - 200) IS DISTINCT FROM gpu_compact(f, op, value / 100.0 - 200) OR
	  gpu_positions(q::float8[], op, value / 100.0 - 200) IS DISTINCT FROM gpu_positions(f, op, value / 100.0 - 200) OR
	  gpu_reduce(gpu_compact(p::bigint[], op, value), 'max') IS DISTINCT FROM gpu_reduce(gpu_compact(a, op, value), 'max');
SELECT id, low, high FROM ascending, unnest('{-1,0,1000,39000}'::bigint[]) AS low, unnest('{-1,0,1100,50000}'::bigint[]) AS high
WHERE gpu_compact(p::bigint[], 'between', low, high) IS DISTINCT FROM gpu_compact(a, 'between', low, high) OR
	  gpu_positions(p::bigint[], 'between', low, high) IS DISTINCT FROM gpu_positions(a, 'between', low, high) OR
	  gpu_positions(q::float8[], 'between', 'NaN'::float8, 'NaN'::float8) IS DISTINCT FROM gpu_positions(f, 'between', 'NaN'::float8, 'NaN'::float8) OR
	  gpu_compact(p::bigint[], '<>', 1e30) IS DISTINCT FROM gpu_compact(a, '<>', 1e30) OR
	  gpu_compact(p::bigint[], '=', 1e30) IS DISTINCT FROM gpu_compact(a, '=', 1e30);
SELECT id FROM ascending
WHERE gpu_reduce(p::bigint[], 'min') IS DISTINCT FROM gpu_reduce(a, 'min') OR gpu_reduce(p::bigint[], 'max') IS DISTINCT FROM gpu_reduce(a, 'max') OR
	  gpu_reduce(q::float8[], 'min')::text IS DISTINCT FROM gpu_reduce(f, 'min')::text OR gpu_reduce(q::float8[], 'max')::text IS DISTINCT FROM gpu_reduce(f, 'max')::text;
\set ECHO all
SELECT gpu_reduce(gpu_unpack(p, a), 'min'), gpu_reduce(gpu_unpack(q, f), 'min'), gpu_reduce(gpu_unpack(q, f), 'max') FROM ascending ORDER BY id;
DROP TABLE ascending;

-- A variable of PL/pgSQL, and an array of packed arrays.
\set VERBOSITY default
DO $$
DECLARE
	p gpu_packed(integer) := 'integer:{3,2,1}';
	a integer[];
BEGIN
	a := gpu_unpack(p, a);
	a[2] := 5;
	p := gpu_pack(a);
	RAISE NOTICE '%, %', p, ARRAY[p, 'real:{1}'::gpu_packed];
END $$;

-- Functions whose results have a type of their own take packed arrays as they are,
-- of the type that a row happens to have.  No row is to come.
\set ECHO none
CREATE TABLE mixed (id integer, p gpu_packed, a float8[]);
INSERT INTO mixed VALUES (1, NULL, NULL), (2, '{}'::integer[], '{}'), (3, '{NULL,NULL}'::smallint[], '{NULL,NULL}'), (4, '[3:5]={7,NULL,-1}'::bigint[], '{7,NULL,-1}'),
	   (5, '{-0,NaN,Infinity,NULL,1.5}'::real[], '{-0,NaN,Infinity,NULL,1.5}'), (6, '{NULL,5}'::smallint[], '{NULL,5}'),
	   (7, '{9007199254740993}'::bigint[], '{9007199254740992}');
INSERT INTO mixed
SELECT 10 * n + m, CASE m WHEN 0 THEN gpu_pack(a) WHEN 1 THEN gpu_pack(a::integer[]) WHEN 2 THEN gpu_pack(a::bigint[]) WHEN 3 THEN gpu_pack(a::real[]) ELSE gpu_pack(a::smallint[]) END, a
FROM unnest('{1,1023,1024,1025,4096,4097,65537}'::integer[]) AS n, generate_series(0, 4) AS m,
	 LATERAL (SELECT ARRAY(SELECT CASE WHEN m = 2 AND hashint4(i) % 7 = 0 THEN NULL ELSE i / 100 + hashint4(i) % 40 END
						   FROM generate_series(1, n) AS i)::float8[] AS a OFFSET 0) AS arrays;
SELECT id FROM mixed, gpu_stats(p) AS s, gpu_stats(a) AS t
WHERE gpu_count(p) IS DISTINCT FROM t.count OR s.count IS DISTINCT FROM t.count OR s.nulls IS DISTINCT FROM t.nulls OR s.sum IS DISTINCT FROM t.sum AND abs(s.sum - t.sum) > t.sum / 1e5 OR
	  s.min IS DISTINCT FROM t.min OR s.max IS DISTINCT FROM t.max OR s.avg IS DISTINCT FROM t.avg OR abs(s.variance - t.variance) > t.variance / 1e12 OR
	  gpu_percentile_cont(p, 0.3) IS DISTINCT FROM gpu_percentile_cont(a, 0.3) OR
	  gpu_positions(p, '>', 100) IS DISTINCT FROM gpu_positions(a, '>', 100) OR gpu_positions(p, '=', 7.5) IS DISTINCT FROM gpu_positions(a, '=', 7.5) OR
	  gpu_positions(p, 'between', 3, 17::bigint) IS DISTINCT FROM gpu_positions(a, 'between', 3, 17) OR
	  gpu_positions(p, '<', NULL) IS DISTINCT FROM gpu_positions(a, '<', NULL::float8) OR
	  CASE WHEN id <> 5 THEN gpu_histogram(p, -5, 500.5, 17) IS DISTINCT FROM gpu_histogram(a, -5, 500.5, 17) OR
		   id = 655373 AND gpu_histogram(p, 500, 0.5, 5000000) IS DISTINCT FROM gpu_histogram(a, 500, 0.5, 5000000) END;
\set ECHO all
SELECT id, gpu_stats(p), gpu_count(p), gpu_percentile_cont(p, 0.5) FROM mixed WHERE id < 10 ORDER BY id;
SELECT gpu_stats('bigint:{9223372036854775807,9223372036854775807}'::gpu_packed), gpu_stats('float8:{5e-324}'::gpu_packed), gpu_histogram('smallint:{1,2,9}'::gpu_packed, 0.1, 9, 3);
SELECT gpu_positions('date:{2024-02-29,NULL,2024-03-01}'::gpu_packed, '>', '2024-02-29'::date), gpu_positions('"char":{a,b}'::gpu_packed, '=', 'b'),
	   gpu_positions('boolean:{t,f}'::gpu_packed, '<>', true), gpu_positions('timestamp:{2024-02-29 12:00}'::gpu_packed, '<', '2024-03-01'::date);
SELECT gpu_percentile_cont(p, 0.5) IS NULL AS is_null FROM mixed WHERE id = 655372;
SELECT function, elements, bytes_in < 3 * elements AS few_bytes FROM gpu_last_call();

-- In chains, a call on a packed array is not deferred with that as its source.
SELECT id FROM mixed WHERE gpu_reduce(gpu_positions(p, '>', 100), 'max') IS DISTINCT FROM gpu_reduce(gpu_positions(a, '>', 100), 'max') OR
	   gpu_reduce(gpu_compact(gpu_positions(gpu_pack(a), '>', 100), '<', 90000), '#') IS DISTINCT FROM
	   gpu_reduce(gpu_compact(gpu_positions(a, '>', 100), '<', 90000), '#');

-- A call is found for an argument without a type by the others.
COPY sqlstates FROM stdin;
gpu_positions('{1,5,2}', '>', 1), gpu_histogram('{1,5,2}', ARRAY[2,3])
-- 42804: other elements or values; 0A000: elements that are no numbers; 2201G; 22003;
-- 22023; 42725: literals without a type.
gpu_positions('integer:{1}'::gpu_packed, '>', 'a'::text)
gpu_positions('integer:{1}'::gpu_packed, '>', VARIADIC ARRAY[1,2])
gpu_stats('date:{}'::gpu_packed)
gpu_percentile_cont('date:{}'::gpu_packed, 0.5)
gpu_histogram('oid:{}'::gpu_packed, 1, 2, 3)
gpu_histogram('integer:{}'::gpu_packed, 1, 1, 3)
gpu_histogram('integer:{}'::gpu_packed, 'NaN', 1, 3)
gpu_histogram('integer:{}'::gpu_packed, '-Infinity', 1, 3)
gpu_percentile_cont('integer:{1}'::gpu_packed, 1.5)
gpu_stats('real:{3e38,3e38}'::gpu_packed)
gpu_positions('integer:{1}'::gpu_packed, '>', 1, 2)
gpu_positions('integer:{1}'::gpu_packed, '>', 1, 2, 3)
gpu_stats('{1}')
gpu_percentile_cont('{1}', 0.5)
\.
DROP TABLE mixed;

-- Other types of elements, other texts.
COPY messages FROM stdin;
gpu_unpack('integer:{1}', NULL::bigint[])
'integer:{1}'::gpu_packed::bigint[]
gpu_slice('integer:{1}'::gpu_packed, 1, 1, NULL::text[])
'{1,2}'::gpu_packed
'integer:{1,x}'::gpu_packed
'nothing:{1}'::gpu_packed
'integer:{{1},{2}}'::gpu_packed
\.
CREATE DOMAIN percent AS integer;
COPY messages FROM stdin;
gpu_pack('{1}'::percent[])
'percent:{1}'::gpu_packed
\.

-- 0A000: other types; 42804: other elements; 22P02; 42704;
-- 22023; 42846: no implicit casts.
COPY sqlstates FROM stdin;
gpu_pack('1 2'::int2vector)
gpu_unpack('smallint:{1}', '1 2'::int2vector)
'text:{1}'::gpu_packed
gpu_unpack('integer:{1}', NULL::percent[])
gpu_unpack('integer:{1}', NULL::real[])
'integer'::gpu_packed
''::gpu_packed
gpu_radix_sort('integer:{1}'::gpu_packed)
'integer:{1}'::gpu_packed::text[]
'{a}'::text[]::gpu_packed
\.
DROP DOMAIN percent;
DROP TABLE packed;
