-- gpu_utf8_*: bytes of UTF-8, and the code points that they are
\getenv srcdir PG_ABS_SRCDIR \set ECHO none \i :srcdir/sql/calls.psql

-- Bytes to code points, and back.
COPY messages FROM stdin;
gpu_utf8_decode('naïve'), gpu_utf8_decode('€ 𝄞')
gpu_utf8_decode('\\x24c2a2e282acf09d849e'::bytea)
gpu_utf8_encode('{36,162,8364,119070}')
gpu_utf8_encode('{0,127,128,2047,2048,55295,57344,65535,65536,1114111}')
gpu_utf8_decode('\\x007fc280dfbfe0a080ed9fbfee8080efbfbff0908080f48fbfbf'::bytea)
pg_typeof(gpu_utf8_decode('a')), pg_typeof(gpu_utf8_encode('{97}')), pg_typeof(gpu_utf8_repair('a'))
-- Nothing of nothing, and NULL of NULL.
gpu_utf8_decode(''), gpu_utf8_decode(''::bytea), gpu_utf8_encode('{}'), gpu_utf8_repair('') = '' AS repaired
gpu_utf8_is_valid('') AS valid
count(*) FROM gpu_utf8_errors('')
count(*) FROM gpu_utf8_errors(NULL)
\.

-- What is invalid: maximal subparts.  (utf8.pl has all sequences.)
SELECT bytes, gpu_utf8_is_valid(bytes) AS valid,
	   gpu_utf8_decode(bytes, 'replace') AS replaced,
	   gpu_utf8_decode(bytes, 'skip') AS skipped,
	   ARRAY(SELECT byte_offset || '+' || length
			 FROM gpu_utf8_errors(bytes)) AS errors
FROM (VALUES
	('\x41'::bytea),
	('\xc0af41'),				-- overlong: of no code point
	('\xeda080'),				-- a surrogate
	('\xf4908080'),				-- above 10FFFF
	('\x80'),					-- nothing before it
	('\x41e282'),				-- nothing after it
	('\xf0e282ac'),				-- one within another
	('\x61f18080e180c26280'),	-- from the standard: table 3-11
	('\x00')
) AS v (bytes);

-- An error is in core's words, and says where.
COPY messages FROM stdin;
gpu_utf8_decode('\\x6162e28241'::bytea)
gpu_utf8_decode('\\x61ff'::bytea, on_error => 'error')
gpu_utf8_repair('\\xc3', 'error')
gpu_utf8_repair('\\x6100', 'error')
convert_from('\\x6162e28241', 'UTF8')
\.
SELECT count(*) AS as_in_core
FROM unnest('{80,c0,c1af,e0a0,e08080,e2,e282,e28241,eda080,f09d,f09d8441,f4908080,f5,f8888080,fe,ff8080,c328,61c3}'::text[]) AS hex
WHERE starts_with(pg_temp.outcome(format('gpu_utf8_decode(%L::bytea)', '\x' || hex)), pg_temp.outcome(format('convert_from(%L, ''UTF8'')', '\x' || hex)));

-- A text has no byte 0: it is invalid where one is made, and only there.
COPY messages FROM stdin;
gpu_utf8_repair('\\x61e2826200ff63'), gpu_utf8_repair('\\x61e2826200ff63', 'skip')
gpu_utf8_is_valid('\\x00'), gpu_utf8_decode('\\x00'::bytea)
gpu_utf8_repair('naïve'::bytea), gpu_utf8_repair('naïve'::bytea, 'error')
octet_length(gpu_utf8_repair('\\xffff80')), length(gpu_utf8_repair('\\xffff80'))
-- Code points that are none.
gpu_utf8_encode('{97,-1,55296,57343,1114112,2147483647,-2147483648,98}', 'replace')
gpu_utf8_encode('{97,-1,55296,57343,1114112,2147483647,-2147483648,98}', 'skip')
gpu_utf8_encode('{97,55296}')
gpu_utf8_encode('[5:6]={97,-1}', 'error')
gpu_utf8_encode('{97,NULL}', 'skip')
gpu_utf8_encode('[5:6]={97,98}')
-- What is to become of errors: one of three.
gpu_utf8_decode('a', 'ignore')
gpu_utf8_decode('\\x61'::bytea, 'Skip')
gpu_utf8_encode('{}', '')
gpu_utf8_repair('\\x61', 'strict')
\.

-- Domains are what they are made of.
CREATE DOMAIN entry AS bytea CHECK (length(VALUE) < 100);
CREATE DOMAIN code_point AS integer CHECK (VALUE BETWEEN 0 AND 1114111);
SELECT gpu_utf8_decode('\xe282ac'::entry), gpu_utf8_is_valid('\xe2'::entry), gpu_utf8_encode('{8364}'::code_point[]);

-- All scalar values, there and back: in order, and as core makes them.
CREATE TABLE scalars AS
SELECT ARRAY(SELECT i FROM generate_series(0, 1114111) AS i
			 WHERE i NOT BETWEEN 55296 AND 57343) AS a;
SELECT cardinality(a), gpu_utf8_decode(gpu_utf8_encode(a)) = a AS same, gpu_utf8_is_valid(gpu_utf8_encode(a)) AS valid,
	   gpu_utf8_decode(string_agg) = a[2:] AS as_chr, gpu_utf8_repair(gpu_utf8_encode(a[2:])) = string_agg AS as_text
FROM scalars, (SELECT string_agg(chr(i), '' ORDER BY i)
			   FROM scalars, unnest(a[2:]) AS i) AS v;

-- The same however stored, and wherever something invalid stands: no row of the
-- second is to come.
\set ECHO none
CREATE TABLE lines (n integer, bytes bytea);
CREATE TABLE lines_external (LIKE lines);
ALTER TABLE lines_external ALTER bytes SET STORAGE EXTERNAL;
INSERT INTO lines (n, bytes)
SELECT n, substr(text || '\xffe282'::bytea || text, length(text) - n + 1, n + 40000)
FROM (SELECT convert_to(repeat('kurz, кратко, 短い, 𝄞; ', 5000), 'UTF8') AS text) AS v,
	 unnest('{1,2,3,15,16,17,126,127,128,1995,1996,1997,31935,31936,31937,
			  65535,65536,65537,99999}'::integer[]) AS n;
INSERT INTO lines_external SELECT * FROM lines;
CREATE FUNCTION plain_repair(bytes bytea) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	errors integer[] := '{}';
	lengths integer[] := '{}';
	result text := '';
	at integer := 0;
BEGIN
	SELECT array_agg(byte_offset ORDER BY byte_offset),
		   array_agg(length ORDER BY byte_offset)
	INTO errors, lengths FROM gpu_utf8_errors(bytes);
	FOR i IN 1 .. coalesce(cardinality(errors), 0) LOOP
		result := result ||
			convert_from(substr(bytes, at + 1, errors[i] - at), 'UTF8') ||
			U&'\FFFD';
		at := errors[i] + lengths[i];
	END LOOP;
	RETURN result || convert_from(substr(bytes, at + 1), 'UTF8');
END $$;
\set ECHO all
SELECT count(*) FROM lines AS l, gpu_utf8_errors(l.bytes);
\set ECHO none
SELECT n, storage
FROM (SELECT n, 'external' AS storage, bytes FROM lines_external
	  UNION ALL SELECT n, 'compressed', bytes FROM lines
	  UNION ALL SELECT n, 'none', bytes || '' FROM lines) AS v
WHERE gpu_utf8_repair(bytes) <> plain_repair(bytes) OR
	  gpu_utf8_encode(gpu_utf8_decode(bytes, 'replace')) <>
	  convert_to(plain_repair(bytes), 'UTF8') OR
	  gpu_utf8_repair(bytes, 'skip') <> replace(plain_repair(bytes), U&'\FFFD', '') OR
	  gpu_utf8_is_valid(bytes) <> (plain_repair(bytes) NOT LIKE U&'%\FFFD%');

-- Errors are found as they are asked for, across what is looked at at a time.
CREATE TABLE large (n integer, bytes bytea);
ALTER TABLE large ALTER bytes SET STORAGE EXTERNAL;
INSERT INTO large
SELECT n, convert_to(repeat('€', 349523), 'UTF8') ||
	   substr('\x6162636465666768'::bytea, 1, n) || '\xf09d849ef09d84'::bytea ||
	   convert_to(repeat('€', 400000), 'UTF8') || '\xe2'::bytea
FROM generate_series(0, 8) AS n;
CREATE TABLE large_compressed AS SELECT n, bytes || '' AS bytes FROM large;
\set ECHO all
SELECT n, array_agg(byte_offset - 1048576) AS offsets, array_agg(length) AS lengths
FROM (SELECT n, (gpu_utf8_errors(bytes)).* FROM large) AS v
GROUP BY n ORDER BY n;
SELECT count(*) FROM large AS l JOIN large_compressed AS c USING (n)
WHERE ARRAY(SELECT gpu_utf8_errors(l.bytes)) = ARRAY(SELECT gpu_utf8_errors(c.bytes));
SELECT (gpu_utf8_errors(bytes)).* FROM large WHERE n = 0 LIMIT 1 \gx
SELECT byte_offset, length FROM large, gpu_utf8_errors(bytes) WHERE n = 1;
SELECT count(*), min(byte_offset), max(byte_offset), sum(length) FROM gpu_utf8_errors(decode(repeat('80', 1100000), 'hex'));
SELECT (gpu_utf8_errors(bytes)).byte_offset, (gpu_utf8_errors('\xff80')).length FROM large WHERE n = 0;

-- Repaired text may be longer, or shorter, than what it was.
SELECT length(gpu_utf8_repair(bytes)), octet_length(gpu_utf8_repair(bytes)),
	   length(gpu_utf8_repair(bytes, 'skip')) AS skipped
FROM (VALUES (decode(repeat('ff', 1000000), 'hex')),
			 (decode(repeat('f09d84', 1000000), 'hex'))) AS v (bytes);

DROP TABLE large, large_compressed, lines, lines_external, scalars;
DROP FUNCTION plain_repair;
DROP DOMAIN entry, code_point;
