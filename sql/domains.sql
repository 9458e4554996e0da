-- Arrays of domains
\getenv srcdir PG_ABS_SRCDIR \set ECHO none \i :srcdir/sql/calls.psql

-- Results that are elements of the array, or of another type.
CREATE DOMAIN percent AS integer CHECK (VALUE BETWEEN 0 AND 100);
CREATE DOMAIN percents AS percent[];
CREATE DOMAIN samples AS integer[] CHECK (cardinality(VALUE) < 10);
SELECT gpu_scan(a, 'max'), gpu_reduce(a, 'min'), gpu_window(a, 'min', 1),
	   gpu_window_avg(a, 1), gpu_percentile_cont(a, 0.5), gpu_downsample(a, 2),
	   gpu_radix_sort(a), gpu_compact(a, '>', 65), gpu_mode(a)
FROM (VALUES ('{60,NULL,70}'::percent[])) AS r (a);
SELECT pg_typeof(gpu_scan(a, 'max')), pg_typeof(gpu_reduce(a, 'max')),
	   pg_typeof(gpu_window(a, 'min', 1)), pg_typeof(gpu_window_avg(a, 1)),
	   pg_typeof(gpu_compact(a)), pg_typeof(gpu_radix_sort(a)), pg_typeof(gpu_distinct(a)),
	   pg_typeof(gpu_compact('{60}'::percents)), pg_typeof(gpu_radix_sort('{60}'::percents)),
	   pg_typeof(gpu_prefix_sum('{60}'::samples))
FROM (VALUES ('{60,NULL,70}'::percent[])) AS r (a);
COPY messages FROM stdin;
gpu_avg_agg(a), gpu_max_agg(a), gpu_distinct_agg(a) FROM (VALUES ('{60,NULL,70}'::percent[]), ('{100,1,0}')) AS r (a)
* FROM gpu_group('{a,b,a}'::"char"[], '{60,NULL,70}'::percent[], 'max')
gpu_reduce('{60,70}'::percents, 'max')
\.
CREATE DOMAIN weekday AS date CHECK (extract(isodow FROM VALUE) < 6);
SELECT gpu_reduce(a, 'min') = '2024-02-28' AS min, pg_typeof(gpu_reduce(a, 'min')), pg_typeof(gpu_scan(a, 'max')),
	   pg_typeof(gpu_window(a, 'max', 1))
FROM (VALUES ('{2024-02-29,NULL,2024-02-28}'::weekday[])) AS r (a);
SELECT pg_typeof(g.values), g.values::date[] = '{2024-02-29}' AS max
FROM gpu_group('{1,1}'::integer[], '{2024-02-29,2024-02-28}'::weekday[], 'max') AS g;
DROP DOMAIN weekday;

-- 0A000: sums and the like, which may be no value of the domain.
SELECT gpu_scan('{60,70}'::percent[], '+');
COPY sqlstates FROM stdin;
gpu_scan('{60,70}'::percent[], '|')
gpu_reduce('{60,70}'::percent[], '*')
gpu_delta('{60,70}'::percent[])
gpu_window('{60,70}'::percent[], '+', 1)
gpu_group('{1,1}'::integer[], '{60,70}'::percent[], 'count')
-- 42725: where there is a function for each type of numbers, a cast says which.
gpu_prefix_sum('{60,70}'::percent[])
gpu_stats('{60,70}'::percent[])
gpu_histogram('{60,70}'::percent[], 0, 100, 10)
gpu_sum_agg('{60,70}'::percent[])
gpu_prefix_sum('{60,70}'::percent[]::integer[])
\.
DROP DOMAIN percent, samples CASCADE;

-- Values of domains, over domains and over arrays of a domain, are values of their base
-- types: alone and in chains, from tables, in prepared statements and in PL/pgSQL.
\set ECHO none
CREATE DOMAIN packing AS gpu_packed;
CREATE DOMAIN packed AS packing;
CREATE DOMAIN item AS integer;
CREATE DOMAIN items AS item[];
CREATE DOMAIN list AS integer[];
CREATE DOMAIN flag AS boolean;
CREATE DOMAIN flags AS flag[];
CREATE TABLE of_domains (p packed, a list, e items, m flags, op text, v item, fractions float8[]);
INSERT INTO of_domains VALUES
	(gpu_pack('{3,1,NULL,2}'::integer[]), '{3,1,NULL,2}', '{3,1,NULL,2}', '{t,f,t,NULL}', '>', 1, '{0,1}');
\set ECHO all
SELECT p::integer[], gpu_reduce(p::integer[], 'max'), gpu_reduce(a::gpu_packed::integer[], 'max'),
	   gpu_reduce(gpu_unpack(a::packed, NULL::list), 'max'), gpu_slice(p, v, v, a)
FROM of_domains;
SELECT gpu_reduce(gpu_compact(p::integer[], op, v), '+'), gpu_reduce(gpu_compact(gpu_fill(p::integer[]), op, v)::bigint[], '+'),
	   gpu_stats(gpu_compact(p::integer[], op, v)), gpu_top_k(p::integer[], v), gpu_dot(p::integer[], a),
	   gpu_percentile_disc(gpu_compact(p::integer[], op, v), fractions)
FROM of_domains;
COPY messages FROM stdin;
gpu_where(m, a, a || NULL), gpu_where(m, e, e), gpu_where(m, e, v), gpu_compact(e, m), gpu_positions(m), gpu_reduce(gpu_where(m, a, p::integer[]), 'max') FROM of_domains
\.
SELECT pg_typeof(gpu_compact(a, op, v)), pg_typeof(gpu_compact(e, op, v)), pg_typeof(gpu_unpack(p, a)),
	   pg_typeof(gpu_reduce(p::integer[], 'max')), pg_typeof(gpu_reduce(gpu_fill(e), 'max'))
FROM of_domains;
SET plan_cache_mode = force_generic_plan;
PREPARE rest (packed, item, list) AS
SELECT gpu_reduce(gpu_compact($1::integer[], '>', $2), 'min'), gpu_reduce(gpu_compact($3, '>', $2), 'min');
EXECUTE rest ('integer:{3,1,NULL,2}', 1, '{5,1}');
DEALLOCATE rest;
RESET plan_cache_mode;
DO $$
DECLARE
	p packed := (SELECT p FROM of_domains);
	v item := 1;
BEGIN
	FOR i IN 1 .. 2 LOOP
		RAISE NOTICE '%, %', gpu_reduce(p::integer[], 'max'), gpu_reduce(gpu_compact(p::integer[], '>', v), 'min');
		v := v + 1;
	END LOOP;
END $$;

-- What arrives by postgres_fdw: leaves without the casts that were implicit, and of a
-- column's own type.
SELECT gpucompact_chain(NULL::integer, 'gpu_reduce(gpu_delta($1, $2, $3), $4)', a, 1::smallint, false, 'max'),
	   gpucompact_chain(NULL::integer, 'gpu_reduce(gpu_compact($1, $2), $3)', e, m, 'max'),
	   gpucompact_chain(NULL::integer, 'gpu_reduce(gpu_compact($1, $2, $3), $4)', e, op::varchar, 2, 'max'),
	   gpucompact_chain(NULL::float8[], 'gpu_percentile_cont(gpu_compact_nulls($1), $2)', a, '{0,1}'::numeric[])
FROM of_domains;
\set VERBOSITY terse
SELECT gpucompact_chain(NULL::bigint, 'gpu_reduce(gpu_compact_nulls($1), $2)', e, 'max') FROM of_domains;
SELECT gpucompact_chain(NULL::integer[], 'gpu_compact_nulls(gpu_compact_nulls($1))', e) FROM of_domains;
SELECT gpucompact_chain(NULL::float8[], 'gpu_percentile_cont($1, gpu_compact_nulls($2))', a, a) FROM of_domains;
DROP TABLE of_domains;
\set VERBOSITY default
DROP DOMAIN packing, list, item, flag CASCADE;

-- 23502 and 23514: no result has a NULL that its domain does not have.
CREATE DOMAIN needed AS integer NOT NULL;
CREATE DOMAIN neededs AS needed[];
CREATE DOMAIN there AS integer CHECK (VALUE IS NOT NULL);
COPY messages FROM stdin;
gpu_pad('{1}'::needed[], 1), gpu_take('{1,2}'::needed[], '{2}'), gpu_scan('{1}'::needed[], 'max')
gpu_scan('{}'::needed[], 'max', true)
gpu_interpolate('{1,3}'::needed[], '{1,3}'::needed[], '{2,9}'::needed[])
gpu_pad('{1}'::needed[], 2)
gpu_pad('{1}'::there[], 2)
gpu_pad('{1}'::neededs, 2)
gpu_compact_nulls(gpu_pad('{1}'::needed[], 2))
gpu_take('{1}'::needed[], '{1,2}')
gpu_take('{1}'::needed[], '{1,NULL}')
gpu_scan('{1,2}'::needed[], 'max', true)
gpu_percentile_disc('{1,2}'::needed[], '{0.5,NULL}'::float8[])
gpu_where('{t,f}'::boolean[], '{1,2}'::needed[], (SELECT x FROM (SELECT 3::needed AS x) AS r WHERE x < 3))
\.

-- A constraint that makes a call is no part of the call that asks for it.
SET max_parallel_workers_per_gather = 0;		-- this session calls
CREATE FUNCTION is_item(x integer) RETURNS boolean LANGUAGE sql IMMUTABLE AS
$$ SELECT gpu_count(ARRAY[x, 1, 1]) = current_setting('gpucompact_test.count')::integer $$;
CREATE DOMAIN counted AS integer CHECK (is_item(VALUE));
SET gpucompact_test.count = 3;
CREATE TABLE of_counted AS SELECT '{1}'::counted[] AS a;
SET gpucompact_test.count = 2;
SELECT gpu_pad(a, 2) FROM of_counted;
SELECT function, elements, error FROM gpu_last_call();
COPY sqlstates FROM stdin;
gpu_pad(a, 2), 1 / (cardinality(a) - 1) FROM of_counted
SET gpucompact_test.count = 3
gpu_pad(a, 2) FROM of_counted
\.
SELECT function, elements, error FROM gpu_last_call();
RESET max_parallel_workers_per_gather;
DROP TABLE of_counted;
DROP DOMAIN counted;
DROP FUNCTION is_item;

-- A join makes NULLs of any domain.  What skips them is as before.
CREATE VIEW joined AS
SELECT i, x FROM generate_series(1, 3) AS i LEFT JOIN (VALUES (1, 7::needed), (3, 9::needed)) AS r (i, x) USING (i);
CREATE VIEW arrays AS SELECT array_agg(x ORDER BY i) AS a FROM joined;
COPY messages FROM stdin;
gpu_mode_agg(x), gpu_percentile_disc_agg(x, 1), gpu_count_distinct(x), gpu_top_k_agg(x, 1, i), gpu_array_agg(i, x) FROM joined
a, gpu_compact_nulls(a), gpu_fill(a), gpu_mode(a), gpu_reduce(a, 'max'), gpu_slice(a, 1, 1), gpu_argsort(a) FROM arrays
gpu_array_agg(x) FROM joined
gpu_array_agg(x, i) FROM joined
gpu_percentile_disc_agg(x, '{NULL}'::float8[]) FROM joined
gpu_radix_sort(a) FROM arrays
gpu_distinct(a) FROM arrays
gpu_distinct_counts(a) FROM arrays
gpu_run_lengths(a) FROM arrays
gpu_group(a, '{1,2,3}'::integer[], 'max') FROM arrays
gpu_group('{1,2,3}'::integer[], a, 'max') FROM arrays
gpu_union(a, a) FROM arrays
gpu_window(a, 'max', 0) FROM arrays
gpu_slice(a, 1, 2) FROM arrays
gpu_concat_agg(a) FROM arrays
gpu_distinct_agg(a) FROM arrays
gpu_max_agg(a) FROM arrays
\.
DROP VIEW arrays, joined;
DROP DOMAIN neededs, needed, there;
