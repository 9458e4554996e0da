-- What script/demo asks, of gpucompact and of plain SQL.  It fails if an answer of
-- the two is not the same.

-- One row of arrays of 2,000,000 integers, and as many rows of one integer.
CREATE TABLE arrays (samples integer[], counter integer[], packed gpu_packed);
-- Out of line and not compressed: the quickest to read.
ALTER TABLE arrays ALTER samples SET STORAGE EXTERNAL, ALTER counter SET STORAGE EXTERNAL;
SELECT setseed(0.5) \g /dev/null
CREATE TABLE rows AS
SELECT i AS id, i % 100 AS device, (random() * 1000000)::integer AS reading
FROM generate_series(1, 2000000) AS i;
INSERT INTO arrays
SELECT array_agg(reading ORDER BY id), array_agg(id * 50 + reading % 40 ORDER BY id)
FROM rows;
UPDATE arrays SET packed = gpu_pack(counter);
VACUUM ANALYZE arrays, rows;

CREATE TABLE results (question text, ours double precision, plain double precision);

-- The median time of three runs of a query, in milliseconds.
CREATE FUNCTION median_ms(query text) RETURNS double precision
LANGUAGE plpgsql AS $$
DECLARE
	start timestamptz;
	ms double precision[];
BEGIN
	FOR i IN 1..3 LOOP
		start := clock_timestamp();
		EXECUTE format('SELECT count(answer) FROM (%s OFFSET 0) AS a (answer)', query);
		ms[i] := extract(epoch FROM clock_timestamp() - start) * 1000;
	END LOOP;
	RETURN percentile_cont(0.5) WITHIN GROUP (ORDER BY t) FROM unnest(ms) AS t;
END $$;

-- Shows what our query answers, checks that the query in plain SQL answers the same,
-- and times both.
CREATE FUNCTION ask(question text, ours text, plain text) RETURNS SETOF text
LANGUAGE plpgsql AS $$
DECLARE
	answer text;
	same boolean;
BEGIN
	EXECUTE format('SELECT (%s)::text, (%1$s) IS NOT DISTINCT FROM (%s)', ours, plain)
	INTO answer, same;
	IF NOT same THEN
		RAISE 'the answers differ: % and %', ours, plain;
	END IF;
	INSERT INTO results VALUES (question, median_ms(ours), median_ms(plain));
	RETURN NEXT E'\n' || question || E':\n    ' || ours || ';';
	RETURN NEXT '    ' || CASE WHEN length(answer) > 60
		THEN left(answer, 60) || '...' ELSE answer END;
END $$;

\pset tuples_only on
\pset format unaligned

-- The first call on a GPU waits until the GPU process has started.
SELECT set_config('gpucompact.engine', 'cuda', false), gpu_compact('{1}'::integer[])
FROM gpu_devices() WHERE index = 0 \g /dev/null
RESET gpucompact.engine;

SELECT ask('Sort an array',
	'SELECT gpu_radix_sort(samples) FROM arrays',
	'SELECT array_agg(x ORDER BY x) FROM arrays, unnest(samples) AS x');
SELECT ask('Running sums',
	'SELECT gpu_prefix_sum(samples) FROM arrays',
	'SELECT array_agg(s ORDER BY i)
	 FROM (SELECT i, sum(x) OVER (ORDER BY i)
		   FROM arrays, unnest(samples) WITH ORDINALITY AS u (x, i)) AS v (i, s)');
SELECT ask('A chain: a filter, differences, the greatest',
	$$SELECT gpu_reduce(gpu_delta(gpu_compact(samples, '<', 500000)), 'max') FROM arrays$$,
	'SELECT max(d)
	 FROM (SELECT x - lag(x) OVER (ORDER BY i)
		   FROM arrays, unnest(samples) WITH ORDINALITY AS u (x, i) WHERE x < 500000) AS v (d)');
SELECT ask('A chain on a packed array',
	$$SELECT gpu_reduce(gpu_delta(gpu_unpack(packed, NULL::integer[])), 'max') FROM arrays$$,
	'SELECT max(d)
	 FROM (SELECT x - lag(x) OVER (ORDER BY i)
		   FROM arrays, unnest(counter) WITH ORDINALITY AS u (x, i)) AS v (d)');
SELECT ask('Ten elements of a packed array',
	'SELECT gpu_slice(packed, 1000001, 1000010, NULL::integer[]) FROM arrays',
	'SELECT counter[1000001:1000010] FROM arrays');
SELECT ask('The median of rows',
	'SELECT gpu_median_agg(reading) FROM rows',
	'SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY reading) FROM rows');
SELECT ask('How many distinct values rows have',
	'SELECT gpu_count_distinct(reading) FROM rows',
	'SELECT count(DISTINCT reading) FROM rows');

SELECT E'\nThe packed array takes ' || pg_size_pretty(pg_column_size(packed)::bigint)
	|| '; the array it was made of, ' || pg_size_pretty(pg_column_size(counter)::bigint) || E'.\n'
FROM arrays;

\pset tuples_only off
\pset format aligned
\pset footer off
SELECT question, round(ours::numeric, 2) AS "gpucompact ms",
	   round(plain::numeric, 2) AS "plain SQL ms",
	   round((plain / ours)::numeric, 1) AS "times as fast", 'equal' AS answer
FROM results;
