-- Errors: each one's SQLSTATE, and the session goes on
\set VERBOSITY sqlstate

-- 42883: no function for these types, or this number of arguments.
SELECT gpu_prefix_sum('{a}'::text[]);
SELECT gpu_compact('{a}'::text[]);
SELECT gpu_radix_sort('{a}'::text[]);
SELECT gpu_prefix_sum('{1}'::bigint[]);
SELECT gpu_compact('{1}'::bigint[]);
SELECT gpu_radix_sort('{1}'::bigint[]);
SELECT gpu_prefix_sum('{1.5}'::double precision[]);
SELECT gpu_compact(1);
SELECT gpu_prefix_sum();
SELECT gpu_compact('{1}', '{1}', '{1}', '{1}');
SELECT gpu_radix_sort('{1}', true, true, true);
SELECT gpu_radix_sort('{1}', ascending => true);

-- 22P02: text that is no array of integers; 22003: no integer.
SELECT gpu_compact('{a}');
SELECT gpu_compact('1,2');
SELECT gpu_compact('{3000000000}');
SELECT gpu_radix_sort('{1}', 'perhaps');

-- 0A000: more than one dimension.
SELECT gpu_compact('{{1,2},{3,4}}');
SELECT gpu_radix_sort('{{1,2},{3,4}}');
SELECT gpu_radix_sort('{{1,2},{3,4}}', true, true);

-- 54000: the result would not fit into an array.
SELECT gpu_prefix_sum(array_fill(1, ARRAY[134217725]));
SELECT gpu_prefix_sum(array_fill(1, ARRAY[134217725]), true);

-- An error in the middle of a query leaves no trace.
CREATE TABLE runs (id integer, samples integer[]);
ALTER TABLE runs ALTER samples SET STORAGE EXTERNAL;
INSERT INTO runs
SELECT id, array_agg(hashint4(i)) FROM generate_series(1, 10) AS id,
	   generate_series(1, 20000) AS i
GROUP BY id;
INSERT INTO runs SELECT 11, array_agg(ARRAY[i, -i])
FROM generate_series(1, 10000) AS i;
SELECT sum(cardinality(gpu_radix_sort(samples))) FROM runs;
SELECT sum(cardinality(gpu_radix_sort(samples))) FROM runs WHERE id < 11;
SELECT sum(cardinality(gpu_prefix_sum(samples))) FROM runs;

-- In a transaction it is undone up to a savepoint, and PL/pgSQL can handle it.
BEGIN;
SAVEPOINT before;
SELECT gpu_compact(samples) FROM runs WHERE id = 11;
SELECT gpu_compact('{0,1}');
ROLLBACK TO before;
SELECT gpu_compact('{0,1}');
COMMIT;
CREATE FUNCTION failing_runs() RETURNS SETOF integer LANGUAGE plpgsql AS $$
DECLARE
	run runs;
BEGIN
	FOR run IN SELECT * FROM runs ORDER BY id LOOP
		BEGIN
			PERFORM gpu_compact(run.samples);
			PERFORM gpu_compact(samples) FROM runs WHERE id = 12 - run.id;
		EXCEPTION WHEN feature_not_supported THEN
			RETURN NEXT run.id;
		END;
	END LOOP;
END $$;
SELECT failing_runs();

-- The session goes on.
SELECT gpu_prefix_sum('{1,2,3}'), gpu_compact('{0,1,2}'), gpu_radix_sort('{3,1,2}');

DROP FUNCTION failing_runs;
DROP TABLE runs;
