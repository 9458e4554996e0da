-- gpu_to_bytes and gpu_from_bytes: the elements of an array as bytes
\getenv srcdir PG_ABS_SRCDIR \set ECHO none \i :srcdir/sql/calls.psql

COPY messages FROM stdin;
gpu_to_bytes('{1,-2,258}'::integer[])
gpu_to_bytes('{1,-2}'::smallint[]), gpu_to_bytes('{1,-2}'::bigint[])
gpu_to_bytes('{1,-0}'::real[]), gpu_to_bytes('{1,-0}'::double precision[])
gpu_to_bytes('{t,f,t}'::boolean[])
-- And back.
gpu_from_bytes('\\x01000000feffffff02010000', NULL::integer[])
gpu_from_bytes('\\x0100feff', "like" => '{7}'::smallint[])
gpu_from_bytes('\\x010000000000f03f', '{}'::double precision[])
gpu_from_bytes('\\x010001', NULL::boolean[])
-- The bits stay, of NaN and -0, too.
gpu_from_bytes(gpu_to_bytes(a), a) FROM (SELECT '{NaN,-0,0,Infinity,-Infinity,1e-45,3.4028235e38}'::real[] AS a) AS arrays
gpu_to_bytes(gpu_from_bytes('\\x0100c0ff000000800000c07f', NULL::real[]))
-- No array, no bytes, no elements.
gpu_from_bytes(NULL, '{1}'::integer[]) IS NULL
gpu_to_bytes('{}'::integer[]), gpu_from_bytes('', NULL::integer[])
\.

-- A domain over an array is the array.
CREATE DOMAIN samples AS integer[];
CREATE DOMAIN sample AS integer;
SELECT gpu_to_bytes('{1}'::samples), pg_typeof(gpu_from_bytes('\x01000000', '{2}'::samples));
SELECT gpu_to_bytes('{1}'::sample[]);

-- Stored in each way, short and long.
CREATE TABLE runs (kind text, a integer[] COMPRESSION pglz, b bytea COMPRESSION pglz);
ALTER TABLE runs ALTER a SET STORAGE EXTERNAL, ALTER b SET STORAGE EXTERNAL;
INSERT INTO runs SELECT 'external', array_agg(hashint4(i) ORDER BY i) FROM generate_series(1, 100001) AS i;
INSERT INTO runs VALUES ('short', '{3,2,1}');
ALTER TABLE runs ALTER a SET STORAGE EXTENDED, ALTER b SET STORAGE EXTENDED;
INSERT INTO runs SELECT 'compressed', array_fill(1, ARRAY[100001]);
UPDATE runs SET b = gpu_to_bytes(a);
SELECT kind, length(b) = 4 * cardinality(a) AS length, gpu_from_bytes(b, a) = a AS same,
	   b = (SELECT string_agg(substr(s, 4, 1) || substr(s, 3, 1) || substr(s, 2, 1) ||
							  substr(s, 1, 1), '' ORDER BY i)
			FROM unnest(a) WITH ORDINALITY AS u (x, i), int4send(x) AS s) AS bytes
FROM runs ORDER BY kind COLLATE "C";
SELECT function, elements, bytes_in, bytes_out FROM gpu_last_call();
DROP TABLE runs;

-- Packed arrays are unpacked to where the bytes are, and elements of eight bytes are
-- not aligned there.  No row is to come.
CREATE TABLE series AS
SELECT array_agg(i) AS differences, array_agg(hashint8(i % 50)::bigint << 30) AS values_of_few,
	   array_agg(i / 100.0::float8) AS decimals, array_agg(1 / i::float8) AS floats
FROM generate_series(1::bigint, 70001) AS i;
SELECT 'wrong' FROM series
WHERE gpu_to_bytes(gpu_pack(differences)::bigint[]) <> gpu_to_bytes(differences)
   OR gpu_to_bytes(gpu_pack(values_of_few)::bigint[]) <> gpu_to_bytes(values_of_few)
   OR gpu_to_bytes(gpu_pack(decimals)::float8[]) <> gpu_to_bytes(decimals)
   OR gpu_to_bytes(gpu_pack(floats)::float8[]) <> gpu_to_bytes(floats);
DROP TABLE series;

-- A variable of PL/pgSQL.
DO $$
DECLARE
	a integer[] := '{3,2,1}';
BEGIN
	a[2] := 4;
	RAISE NOTICE '%, %', gpu_to_bytes(a), gpu_from_bytes('\x05000000', a);
END $$;

-- A NULL has no bytes; an element must be whole, and a boolean be one.
COPY messages FROM stdin;
gpu_to_bytes('{1,NULL}'::integer[])
gpu_from_bytes('\\x0102030405', NULL::integer[])
gpu_from_bytes('\\x000102', NULL::boolean[])
gpu_from_bytes('\\x01000000', NULL::sample[])
gpu_from_bytes('\\x01000000', NULL::date[])
\.

-- 0A000; and 54000.
COPY sqlstates FROM stdin;
gpu_to_bytes('{2024-02-29}'::date[])
gpu_to_bytes('1 2'::int2vector)
gpu_from_bytes('\\x01000000', NULL::oid[])
gpu_from_bytes('\\x0100', NULL::int2vector)
-- More elements than an array may have: 54000.  (A constant would be in the plan that
-- parallel workers get, as text.)
gpu_from_bytes(convert_to(repeat(chr(1), n), 'UTF8'), NULL::boolean[]) FROM (SELECT 134217728 AS n OFFSET 0) AS many
\.
DROP DOMAIN samples, sample;
