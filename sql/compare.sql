-- gpu_compare: whether each element of an array compares with a value
\getenv srcdir PG_ABS_SRCDIR \set ECHO none \i :srcdir/sql/calls.psql

SELECT op, gpu_compare('{3,1,NULL,4,1,5}'::integer[], op, 3)
FROM unnest('{=,<>,!=,<,<=,>,>=}'::text[]) WITH ORDINALITY AS o (op, n) ORDER BY n;
COPY messages FROM stdin;
gpu_compare('{3,1,NULL,4}'::integer[], 'between', 1, 3)
gpu_compare('{3,1,NULL,4}'::integer[], 'between', 3, 1), gpu_compare('{3,1,NULL,4}'::integer[], 'is null')
gpu_compare('{3,1,NULL,4}'::integer[], 'is not null')
-- No array, no element, one element.
gpu_compare(NULL::integer[], '=', 1) IS NULL AS no_array
gpu_compare('{1}'::integer[], NULL, 1) IS NULL AS no_operator
gpu_compare(NULL::integer[], 'is null') IS NULL AS nor_here
gpu_compare('{}'::integer[], 'between', 1, NULL), gpu_compare('{}'::integer[], '=', NULL)
-- A comparison with NULL is NULL; between two bounds, one of them NULL, it is false or
-- NULL.
gpu_compare('{3,1,NULL,4}'::integer[], '<>', NULL)
gpu_compare('{3,1,NULL,4}'::integer[], 'between', NULL, NULL)
gpu_compare('{3,1,NULL,4}'::integer[], 'between', 2, NULL)
gpu_compare('{3,1,NULL,4}'::integer[], 'between', NULL, 3)
\.
SELECT pg_column_size(gpu_compare(a, '>', 1)) AS bytes
FROM (VALUES ('{1,2,3}'::integer[]), ('{1,NULL,3}'), ('{NULL,NULL}')) AS v (a);

-- The lower bound is kept.
COPY messages FROM stdin;
gpu_compare('[5:6]={1,2}'::integer[], '>', NULL), gpu_compare('[5:6]={1,2}'::integer[], 'between', NULL, 1)
-- Extremes of integers, and values of other types.
gpu_compare('{-32768,0,32767}'::smallint[], '<', 40000)
gpu_compare('{-32768,0,32767}'::smallint[], '>', -1.5)
gpu_compare('{-9223372036854775808,9223372036854775807}'::bigint[], '<', 9223372036854775807.5)
gpu_compare('{0.1,0.2}'::real[], '=', 0.1), gpu_compare('{0.1,0.2}'::real[], '=', '0.1')
\.

-- Domains.
CREATE DOMAIN percent_of AS integer CHECK (VALUE BETWEEN 0 AND 100);
SELECT gpu_compare('{0,50,NULL}'::percent_of[], '>', 10), gpu_compare('{0,50,NULL}'::percent_of[], '=', 50::percent_of),
	   gpu_compare('{0,50,NULL}'::percent_of[], 'is null');
DROP DOMAIN percent_of;

-- Wrong arguments.
COPY messages FROM stdin;
gpu_compare('{1}'::integer[], '~', 1)
gpu_compare('{1}'::integer[], '==', 1)
gpu_compare('{1}'::integer[], 'is null', 1)
gpu_compare('{1}'::integer[], 'between', 1)
gpu_compare('{1}'::integer[], '=')
gpu_compare('{1}'::integer[], '=', date '2026-11-01')
\.

-- A mask for others.
SELECT gpu_compact(a, gpu_compare(a, '>', 2)), gpu_positions(gpu_compare(a, '>', 2)), r.lengths
FROM (VALUES ('{3,4,NULL,1,5}'::integer[])) AS v (a),
	 gpu_run_lengths(gpu_compare(a, '>', 2)) AS r;
SELECT gpu_compare('{1,NULL,0}', '=', 1);

-- An interval is compared with differences of timestamps, which are microseconds,
-- and with times, as core compares intervals: a day has 24 hours, a month 30 days.
SELECT value, string_agg(op, ' ' ORDER BY n) AS as_core
FROM unnest('{0,5 min,-1 microsecond,1 day,1 month -1 day -23:59:59.999999,9223372036854775807 microseconds,178000000 years,-178000000 years}'::interval[]) WITH ORDINALITY AS v (value, m),
	 unnest('{=,<>,<,<=,>,>=}'::text[]) WITH ORDINALITY AS o (op, n),
	 LATERAL (SELECT gpu_compare('{-9223372036854775807,-1,0,1,300000000,300000001,86400000000,86399999999,2592000000000,9223372036854775807,NULL}'::bigint[], op, value) AS ours) AS c
WHERE ours = ARRAY(SELECT CASE op WHEN '=' THEN x = value WHEN '<>' THEN x <> value WHEN '<' THEN x < value
								  WHEN '<=' THEN x <= value WHEN '>' THEN x > value ELSE x >= value END
				   FROM unnest('{-9223372036854775807,-1,0,1,300000000,300000001,86400000000,86399999999,2592000000000,9223372036854775807,NULL}'::bigint[]) WITH ORDINALITY AS u (d, i),
						LATERAL CAST(d || ' microseconds' AS interval) AS x ORDER BY i)
GROUP BY value, m ORDER BY m;
WITH times AS (SELECT '{2026-11-01 12:00,2026-11-01 12:05,2026-11-01 12:11,NULL,2026-11-03,2026-11-10 00:00:01}'::timestamp[] AS ts)
SELECT gpu_positions(gpu_delta(ts), '>', interval '5 min') AS ours,
	   ARRAY(SELECT i FROM (SELECT i, x - lag(x) OVER (ORDER BY i) AS d FROM unnest(ts) WITH ORDINALITY AS u (x, i)) AS s
			 WHERE d > interval '5 min') AS plain,
	   gpu_compact(gpu_delta(ts), 'between', interval '1 week', 700000000000) AS between_week_and_number
FROM times;
COPY messages FROM stdin;
gpu_compact('{12:00,24:00}'::time[], '<', interval '1 day'), gpu_compare('{12:00,24:00}'::time[], '=', interval '1 day')
gpu_compare('{1}'::integer[], '<', interval '1 day')
gpu_compare('{1}'::bigint[], '<', NULL::interval)
\.
