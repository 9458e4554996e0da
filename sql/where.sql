-- gpu_where: elements chosen by a mask
\getenv srcdir PG_ABS_SRCDIR \set ECHO none \i :srcdir/sql/calls.psql

COPY messages FROM stdin;
gpu_where('{t,f,NULL}'::boolean[], '{1,2,3}'::integer[], '{10,20,30}'::integer[])
gpu_where('{t,f,NULL}'::boolean[], '{1,2,3}'::integer[], 0)
gpu_where('{t,f,NULL}', '{1,2,3}'::integer[], '{10,20,30}'::integer[]), gpu_where('{t,f,NULL}', '{1,2,3}'::integer[], 0)
-- NULLs are elements; a NULL value makes NULLs.
gpu_where('{t,f,t,f}'::boolean[], '{1,2,NULL,NULL}'::integer[], '{10,NULL,30,NULL}'::integer[])
gpu_where('{t,f,NULL,t}'::boolean[], '{1,2,3,NULL}'::integer[], NULL), gpu_where('{t,t}'::boolean[], '{1,2}'::integer[], NULL)
gpu_where('{f,f}'::boolean[], '{1,2}'::integer[], NULL::integer)
\.
SELECT pg_column_size(gpu_where(m, a, b)) AS bytes
FROM (VALUES ('{t,t}'::boolean[], '{1,2}'::integer[], '{NULL,NULL}'::integer[]), ('{f,t}', '{1,2}', '{NULL,NULL}'),
			 ('{f,f}', '{1,2}', '{NULL,NULL}')) AS v (m, a, b);

-- Types are brought together as by CASE.
SELECT pg_typeof(gpu_where('{t}'::boolean[], '{1}'::smallint[], 70000)), gpu_where('{f}'::boolean[], '{1}'::smallint[], 70000),
	   pg_typeof(gpu_where('{t}'::boolean[], '{1}'::integer[], '{1}'::double precision[])),
	   pg_typeof(gpu_where('{t}'::boolean[], '{1}'::real[], 0.5)), gpu_where('{f}'::boolean[], '{1}'::real[], 0.5);
CREATE DOMAIN tiny AS integer CHECK (VALUE < 10);
SELECT gpu_where('{t,f}'::boolean[], '{1,2}'::tiny[], '{3,4}'::tiny[]), gpu_where('{t,f}'::boolean[], '{1,2}'::tiny[], 7);
DROP DOMAIN tiny;

-- The lower bound of "a" is kept; lengths.
COPY messages FROM stdin;
gpu_where('[5:6]={t,f}'::boolean[], '[0:1]={1,2}'::integer[], '[3:4]={10,20}'::integer[])
gpu_where('{t}'::boolean[], '{1,2}'::integer[], '{1,2}'::integer[])
gpu_where('{t,f}'::boolean[], '{1,2}'::integer[], '{1}'::integer[])
gpu_where('{t}'::boolean[], '{1,2}'::integer[], 1)
-- Other arguments.
gpu_where('{1,0}'::integer[], '{1,2}'::integer[], '{1,2}'::integer[])
gpu_where('{t,f}'::boolean[], '{1,2}'::integer[], 1.5)
gpu_where('{t,f}'::boolean[], '{1,2}'::integer[], true)
gpu_where('{t,x}', '{1,2}'::integer[], '{1,2}'::integer[])
gpu_where(gpu_compare(a, '<', 0), gpu_map(a, '-'), a), gpu_where(gpu_compare(a, 'is null'), '{0,0,0}', a) FROM (VALUES ('{-1,NULL,3}'::integer[])) AS v (a)
gpu_where('{t,f}', '{1,2}', 7), gpu_where('{t,f}'::boolean[], ARRAY[1,2], '7')
\.
