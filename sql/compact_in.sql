-- gpu_compact_in: the elements of an array that another one has, or has not
\getenv srcdir PG_ABS_SRCDIR \set ECHO none \i :srcdir/sql/calls.psql

COPY messages FROM stdin;
gpu_compact_in('{5,1,7,5,2}'::integer[], '{7,5,9}')
gpu_compact_in('{5,1,7,5,2}'::integer[], '{7,5,9}', negate => true)
pg_typeof(gpu_compact_in('{1}'::smallint[], '{1}')), gpu_compact_in(ARRAY[1,3,70000], '{3,5}'::smallint[])
-- SQL's NULLs: one is equal to nothing, and with one, nothing is known to be
-- different from all.
gpu_compact_in('{5,NULL,1}'::integer[], '{5,NULL}'), gpu_compact_in('{5,NULL,1}'::integer[], '{5}', true)
gpu_compact_in('{5,NULL,1}'::integer[], '{5,NULL}', true), gpu_compact_in('{5,NULL,1}'::integer[], '{NULL}')
gpu_compact_in('{5,NULL,1}'::integer[], '{NULL}', true), gpu_compact_in('{NULL}'::integer[], '{5}', true)
-- But all are different from nothing, and NULL is, too.
gpu_compact_in('{5,NULL,1}'::integer[], '{}'), gpu_compact_in('[7:9]={5,NULL,1}'::integer[], '{}', true)
gpu_compact_in('{5,1}'::integer[], '{}', true)
-- No array, and no elements.
gpu_compact_in('{}'::integer[], '{1}'), gpu_compact_in('{}'::integer[], '{}', true)
gpu_compact_in('{}'::integer[], '{NULL}', true)
-- NaN is equal to NaN, and -0 to 0.
gpu_compact_in('{NaN,-0,0,1}'::float8[], '{0,NaN}'), gpu_compact_in('{NaN,-0,0,1}'::real[], '{-0}', true)
-- The result counts from 1.
gpu_compact_in('[7:9]={1,2,3}'::integer[], '[0:1]={3,1}')
-- 42883: arrays of two types, if neither is cast to the other.
gpu_compact_in('{1}'::integer[], '{t}'::boolean[])
\.
