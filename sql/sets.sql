-- gpu_union, gpu_intersect, gpu_except and gpu_intersect_count: arrays as sets
\pset format unaligned \pset tuples_only on \pset null NULL
SET quote_all_identifiers = off;

SELECT gpu_union('{3,1,3}'::integer[], '{2,3}'),
	   gpu_intersect('{3,1,3}'::integer[], '{2,3}'),
	   gpu_except('{3,1,3}'::integer[], '{2,3}'),
	   gpu_intersect_count('{3,1,3}'::integer[], '{2,3}');
SELECT pg_typeof(gpu_union('{1}'::smallint[], '{2}')),
	   pg_typeof(gpu_intersect_count('{1}'::smallint[], '{2}'));

-- The same of arrays in order.
SELECT gpu_union('{1,1,3}'::integer[], '{2,3,3,4}'),
	   gpu_intersect('{1,1,3}'::integer[], '{2,3,3,4}'),
	   gpu_except('{1,1,3}'::integer[], '{2,3,3,4}'),
	   gpu_intersect_count('{1,1,3}'::integer[], '{2,3,3,4}');

-- NULL is equal to NULL, and comes last.
SELECT gpu_union('{NULL,2,NULL}'::integer[], '{1}'), gpu_union('{1}'::integer[], '{NULL}'),
	   gpu_union('{NULL,1}'::integer[], '{NULL,1}');
SELECT gpu_intersect('{NULL,2,1}'::integer[], '{1,NULL,NULL}'),
	   gpu_intersect('{NULL,1}'::integer[], '{1}'),
	   gpu_intersect('{NULL}'::integer[], '{NULL}');
SELECT gpu_except('{NULL,2,1}'::integer[], '{1,NULL}'),
	   gpu_except('{NULL,2,1}'::integer[], '{1}'),
	   gpu_except('{NULL}'::integer[], '{1}'), gpu_except('{1}'::integer[], '{NULL}');
SELECT gpu_intersect_count('{NULL,2,1}'::integer[], '{1,NULL,NULL}'),
	   gpu_intersect_count('{NULL,1}'::integer[], '{1}'),
	   gpu_intersect_count('{NULL}'::integer[], '{NULL}');

-- No array, and no elements.
SELECT gpu_union(NULL::integer[], '{1}') IS NULL AS is_null,
	   gpu_except('{1}'::integer[], NULL) IS NULL AS is_null,
	   gpu_intersect_count(NULL::integer[], NULL) IS NULL AS is_null;
SELECT gpu_union('{}'::integer[], '{}'), gpu_union('{}'::integer[], '{2,1,2}'),
	   gpu_union('{1,2,2}'::integer[], '{}');
SELECT gpu_intersect('{}'::integer[], '{1}'), gpu_intersect('{1}'::integer[], '{}'),
	   gpu_intersect_count('{}'::integer[], '{}');
SELECT gpu_except('{}'::integer[], '{1}'), gpu_except('{2,1,2}'::integer[], '{}'),
	   gpu_except('{1}'::integer[], '{1}');

-- Elements of every type.
SELECT gpu_union('{-1,32767}'::smallint[], '{-32768,-1}'),
	   gpu_intersect('{9223372036854775807,-9223372036854775808}'::bigint[],
					 '{-9223372036854775808}'),
	   gpu_except('{t,f}'::boolean[], '{f}'), gpu_union('{b,a}'::"char"[], '{c,a}'),
	   gpu_union('{4294967295}'::oid[], '{1,4294967295}'),
	   gpu_intersect('{1.25,-3}'::money[], '{-3,1}');
SELECT gpu_union('{2024-02-29,infinity}'::date[], '{-infinity,2024-02-29}'),
	   gpu_except('{24:00,00:00}'::time[], '{00:00}');

-- NaN is greatest, and equal to NaN; -0 is equal to 0.
SELECT gpu_union('{NaN,-Infinity,1.5}'::float8[], '{Infinity,NaN}'),
	   gpu_intersect('{NaN,1,0}'::float8[], '{-0,NaN}'),
	   gpu_except('{0,NaN,2}'::real[], '{-0,NaN}'),
	   gpu_intersect_count('{-0,NaN,2}'::real[], '{0,NaN}');

-- The result counts from 1.
SELECT gpu_union('[7:8]={2,1}'::integer[], '[0:0]={3}'), gpu_union('[7:8]={1,2}'::integer[], '{}'),
	   gpu_except('[7:8]={1,2}'::integer[], '[3:3]={1}');

-- The same as SQL's, of arrays in order and not, of lengths that are close and
-- far apart, with runs of equal elements, and with one that is out of its place.
CREATE TEMPORARY TABLE arrays AS
SELECT n, kind,
	   array_agg(CASE kind WHEN 'sorted' THEN i * 3 WHEN 'runs' THEN i / 1000
						   WHEN 'late' THEN i % (n - 10) WHEN 'equal' THEN 7
						   WHEN 'nulls' THEN nullif(hashint4(i) % 5000, 0)
						   ELSE hashint4(i) % 50000 END ORDER BY i) AS a
FROM unnest(ARRAY[15, 1000, 9000]) AS n,
	 unnest('{sorted,runs,late,equal,nulls,random}'::text[]) AS kind,
	 generate_series(1, n) AS i
GROUP BY n, kind;
SELECT count(*),
	   bool_and(gpu_union(v.a, w.a) =
				ARRAY(SELECT unnest(v.a) UNION SELECT unnest(w.a) ORDER BY 1)) AS "union",
	   bool_and(gpu_intersect(v.a, w.a) =
				ARRAY(SELECT unnest(v.a) INTERSECT SELECT unnest(w.a) ORDER BY 1)) AS "intersect",
	   bool_and(gpu_except(v.a, w.a) =
				ARRAY(SELECT unnest(v.a) EXCEPT SELECT unnest(w.a) ORDER BY 1)) AS "except",
	   bool_and(gpu_intersect_count(v.a, w.a) =
				cardinality(gpu_intersect(v.a, w.a))) AS intersect_count
FROM arrays AS v, arrays AS w;

-- 0A000: several dimensions, and types that are not supported; 42883: arrays of
-- different types.
\set VERBOSITY sqlstate
SELECT gpu_union('{{1}}'::integer[], '{1}');
SELECT gpu_intersect('{1}'::integer[], '{{1}}');
SELECT gpu_except('{a}'::text[], '{b}');
SELECT gpu_intersect_count('1 2'::int2vector, '1 2'::int2vector);
SELECT gpu_union('{1}'::integer[], '{1}'::bigint[]);
