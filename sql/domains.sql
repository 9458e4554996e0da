-- Arrays of domains
SET quote_all_identifiers = off;

-- Results that are elements of the array, or of another type.
CREATE DOMAIN percent AS integer CHECK (VALUE BETWEEN 0 AND 100);
CREATE DOMAIN percents AS percent[];
SELECT gpu_scan(a, 'max'), gpu_reduce(a, 'min'), gpu_window(a, 'min', 1),
	   gpu_window_avg(a, 1), gpu_percentile_cont(a, 0.5), gpu_downsample(a, 2),
	   gpu_radix_sort(a), gpu_compact(a, '>', 65), gpu_mode(a)
FROM (VALUES ('{60,NULL,70}'::percent[])) AS r (a);
SELECT pg_typeof(gpu_scan(a, 'max')), pg_typeof(gpu_reduce(a, 'max')),
	   pg_typeof(gpu_window(a, 'min', 1)), pg_typeof(gpu_window_avg(a, 1))
FROM (VALUES ('{60,NULL,70}'::percent[])) AS r (a);
SELECT gpu_avg_agg(a), gpu_max_agg(a), gpu_distinct_agg(a)
FROM (VALUES ('{60,NULL,70}'::percent[]), ('{100,1,0}')) AS r (a);
SELECT * FROM gpu_group('{a,b,a}'::"char"[], '{60,NULL,70}'::percent[], 'max');
SELECT gpu_reduce('{60,70}'::percents, 'max');
CREATE DOMAIN weekday AS date CHECK (extract(isodow FROM VALUE) < 6);
SELECT gpu_reduce(a, 'min') = '2024-02-28' AS min, pg_typeof(gpu_reduce(a, 'min')), pg_typeof(gpu_scan(a, 'max')),
	   pg_typeof(gpu_window(a, 'max', 1))
FROM (VALUES ('{2024-02-29,NULL,2024-02-28}'::weekday[])) AS r (a);
SELECT pg_typeof(g.values), g.values::date[] = '{2024-02-29}' AS max
FROM gpu_group('{1,1}'::integer[], '{2024-02-29,2024-02-28}'::weekday[], 'max') AS g;
DROP DOMAIN weekday;

-- 0A000: sums and the like, which may be no value of the domain.
SELECT gpu_scan('{60,70}'::percent[], '+');
\set VERBOSITY sqlstate
SELECT gpu_scan('{60,70}'::percent[], '|');
SELECT gpu_reduce('{60,70}'::percent[], '*');
SELECT gpu_delta('{60,70}'::percent[]);
SELECT gpu_window('{60,70}'::percent[], '+', 1);
SELECT gpu_group('{1,1}'::integer[], '{60,70}'::percent[], 'count');

-- 42725: where there is a function for each type of numbers, a cast says which.
SELECT gpu_prefix_sum('{60,70}'::percent[]);
SELECT gpu_stats('{60,70}'::percent[]);
SELECT gpu_histogram('{60,70}'::percent[], 0, 100, 10);
SELECT gpu_sum_agg('{60,70}'::percent[]);
\set VERBOSITY default
SELECT gpu_prefix_sum('{60,70}'::percent[]::integer[]);
DROP DOMAIN percent CASCADE;
