-- gpu_zip: the elements of two arrays, combined
\getenv srcdir PG_ABS_SRCDIR \set ECHO none \i :srcdir/sql/calls.psql

SELECT op, gpu_zip('{7,-7,NULL,8}'::integer[], op, '{2,2,3,NULL}'::integer[])
FROM unnest('{+,-,*,/,%,least,greatest}'::text[]) WITH ORDINALITY AS o (op, n) ORDER BY n;
SELECT op, gpu_zip('{7,-7,NULL,8}'::double precision[], op, '{2,2,3,NULL}'::double precision[])
FROM unnest('{+,-,*,/,least,greatest}'::text[]) WITH ORDINALITY AS o (op, n) ORDER BY n;
COPY messages FROM stdin;
-- As in SQL, AND and OR know three values.
gpu_zip(a, 'and', b), gpu_zip(a, 'or', b) FROM (VALUES ('{t,t,t,f,f,f,NULL,NULL,NULL}'::boolean[], '{t,f,NULL,t,f,NULL,t,f,NULL}'::boolean[])) AS v (a, b)
gpu_compact('{1,2,3,4}'::integer[], gpu_zip(gpu_compare(a, '>', 1), 'and', gpu_compare(a, '<', 4))) FROM (VALUES ('{1,2,3,4}'::integer[])) AS v (a)
-- Lengths.
gpu_zip('{1,2}'::integer[], '+', '{1}')
-- The lower bound of the first array is kept.
gpu_zip('[0:1]={1,2}'::integer[], '+', '[5:6]={10,20}'), gpu_zip('[0:1]={1,NULL}'::integer[], '+', '{10,20}')
gpu_zip('[3:4]={t,NULL}'::boolean[], 'and', '{NULL,f}')
\.
SELECT pg_column_size(gpu_zip(a, '+', b)) AS sum, pg_column_size(gpu_zip(a, 'least', b)) AS least
FROM (VALUES ('{1,2,3}'::integer[], '{1,2,3}'::integer[]), ('{1,NULL,3}', '{1,2,3}'), ('{1,NULL,3}', '{1,NULL,NULL}')) AS v (a, b);

-- What is out of range, or divided by zero.
COPY messages FROM stdin;
gpu_zip('{1,32767}'::smallint[], '+', '{1,1}')
gpu_zip('{1,1}'::integer[], '/', '{1,0}')
gpu_zip('{3e38}'::real[], '*', '{10}')
gpu_zip('{NaN,Infinity,0,-0}'::double precision[], '+', '{0,-Infinity,-0,-0}')
gpu_zip('{NaN,NaN,0,-0,1}'::real[], 'least', '{0,NaN,-0,0,Infinity}')
gpu_zip('{NaN,1,0}'::double precision[], '/', '{0,Infinity,-Infinity}')
-- The first error is raised. A pair with a NULL raises none.
gpu_zip('{1,-2147483648,1}'::integer[], '/', '{1,-1,0}')
gpu_zip('{1,1,-2147483648}'::integer[], '/', '{1,0,-1}')
gpu_zip('{NULL,1}'::integer[], '/', '{0,NULL}'), gpu_zip('{NULL,1}'::integer[], '%', '{0,NULL}')
gpu_zip('{NULL,2147483647}'::integer[], '+', '{2147483647,NULL}')
gpu_zip('{NULL,1e308}'::double precision[], '/', '{0,NULL}')
gpu_zip('{NULL,1,-2147483648}'::integer[], '/', '{0,1,-1}')
gpu_zip(a || NULL::integer || 1, '/', a || 0 || 0) FROM (SELECT array_agg(i) AS a FROM generate_series(1, 100000) AS i) AS v
-- Other elements and operators.
gpu_zip('{5}'::double precision[], '%', '{2}')
gpu_zip('{t}'::boolean[], '+', '{t}')
gpu_zip('{2026-11-01}'::date[], '-', '{2026-11-01}')
gpu_zip('{1}'::integer[], '<', '{1}')
gpu_zip('{t}'::boolean[], '&&', '{t}')
gpu_zip('{1}'::integer[], 'mod', '{1}')
\.

-- Arrays of two types are combined as core's operator combines their elements.
SELECT t, u, pg_temp.outcome(format('pg_typeof(gpu_zip(''{1}''::%s[], ''+'', ''{1}''::%s[]))', t, u)) AS type,
	   bool_and(pg_temp.outcome(format('gpu_zip(%s, %L, %s)', a, op, b)) =
				pg_temp.outcome(format('ARRAY(SELECT %s FROM unnest(%s, %s) WITH ORDINALITY AS u (x, y, i) ORDER BY i)',
							  CASE WHEN op ~ 't$' THEN op || '(x, y)' ELSE format('x %s y', op) END, a, b))) AS as_core
FROM unnest('{smallint,integer,bigint,real,double precision}'::text[]) WITH ORDINALITY AS v (t, i),
	 unnest('{smallint,integer,bigint,real,double precision}'::text[]) WITH ORDINALITY AS w (u, j),
	 unnest('{+,-,*,/,least,greatest}'::text[]) AS op,
	 LATERAL (SELECT format('''{7,NULL,-3,30000}''::%s[]', t) AS a, format('''{2,5,NULL,29000}''::%s[]', u) AS b) AS arrays
WHERE t <> u
GROUP BY t, u, v.i, w.j ORDER BY v.i, w.j;
COPY messages FROM stdin;
gpu_zip('{0.5}'::real[], '+', '{16777217}'::integer[])
gpu_zip('{0.5}'::real[]::double precision[], '+', '{16777217}'::integer[]) AS ours
ARRAY[0.5::real + 16777217] AS plain
gpu_zip('{0.5}'::real[], op::varchar, '{1}'::real[]), gpu_zip('{0.5}'::real[], op::char, '{1}'::real[]) FROM (VALUES ('+')) AS o (op)
gpu_zip('{1,2}'::smallint[], 'mod', '{1,2}'::integer[])
gpu_zip('{1,2}'::smallint[], '+', '{1}'::integer[])
\.
-- In a chain, each row has an operator of its own, too.
SELECT gpu_reduce(gpu_zip(gpu_map(a, '+', 1), op::name, gpu_map(b, '*', 2)), 'max') AS ours
FROM (VALUES ('{1,2}'::integer[], '{5,NULL}'::bigint[], '+'), ('{1,NULL}', '{5,3}', '-'), ('{7}', '{3}', '*')) AS v (a, b, op);

-- gpu_compare compares two arrays.
COPY messages FROM stdin;
gpu_compare('{1,2,3,NULL,5}'::integer[], '<', '{2,2,2,2,NULL}'::integer[]), gpu_compare('{1,2}'::integer[], '!=', '{2,2}'::integer[])
gpu_compare('{1,2}'::integer[], '=', '{1}'::integer[])
gpu_compare('{1}'::integer[], '=', '{1}'::bigint[])
gpu_compare('{1}'::integer[], '=', '{a}'::text[])
gpu_compare('{1}'::integer[], 'between', '{1}'::integer[], '{1}'::integer[])
gpu_zip('{1,2}', '+', ARRAY[3,NULL])
\.
