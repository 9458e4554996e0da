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
-- No array, and no elements.
gpu_compact_in('{}'::integer[], '{1}'), gpu_compact_in('{}'::integer[], '{}', true)
gpu_compact_in('{}'::integer[], '{NULL}', true)
-- 42883: arrays of two types, if neither is cast to the other.
gpu_compact_in('{1}'::integer[], '{t}'::boolean[])
\.
