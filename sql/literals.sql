-- Array literals without a type
\getenv srcdir PG_ABS_SRCDIR \set ECHO none \i :srcdir/sql/calls.psql

-- Another argument may give a literal its type.
COPY messages FROM stdin;
gpu_union('{0.5}', ARRAY[1.5::real]), gpu_compact_in('{1,0,2}', ARRAY[1,2]), gpu_dot('{1,2}', ARRAY[3,4])
gpu_zip('{1,2}', '+', ARRAY[3,4]), gpu_bucket(ARRAY[1,2,3], '{2}')
gpu_compact('{0.5,1}', '>', 0.6::real), gpu_positions('{1,0,2}', '>', 1)
gpu_compact('{1,0,2}', 'between', 1, 2), gpu_compare('{1,NULL,0}', '=', 1), gpu_map('{1,NULL,4}', '+', 1)
gpu_map(10, '-', '{1,NULL,4}')
-- And so may the function, if it takes one type alone there.
gpu_take(ARRAY[5,6,7], '{3,1}'), gpu_compact(ARRAY[1,0,2], '{t,f,NULL}'), gpu_positions('{t,f}')
gpu_where('{t,f}', ARRAY[1,2], 0), gpu_percentile_disc(ARRAY[1,2], '{0,0.5}'), gpu_utf8_encode('{233}')
-- Else it has none, as for core's functions.
array_length('{3,1,2}', 1)
gpu_radix_sort('{3,1,2}')
gpu_prefix_sum('{3,1,2}')
\.

-- No function takes such literals for arrays of a type that it happens to prefer:
-- of those for several types, the parser finds none, takes them for texts, or goes
-- by the types of the other arguments.
SELECT member FROM members
WHERE prokind = 'f' AND proname ~ '^gpu_' AND
	  EXISTS (SELECT FROM unnest(proargtypes) AS t
			  WHERE t::regtype::text IN ('anyarray', 'anycompatiblearray') OR
					t::regtype::text LIKE '%[]') AND
	  pg_temp.outcome(format('%I(%s)', proname,
		  (SELECT string_agg(CASE WHEN t::regtype::text ~ '^any|\[\]$' THEN '''{}''' ELSE 'NULL::' || t::regtype END, ', ' ORDER BY i)
		   FROM unnest(proargtypes) WITH ORDINALITY AS u (t, i))), false) NOT IN (': 42725', ': 42804')
ORDER BY member;
SELECT gpu_union('{1,2}', '{2,3}');

-- A parameter has no type, either, and a text is no array.
\set VERBOSITY sqlstate
PREPARE sorted AS SELECT gpu_radix_sort($1);
SELECT gpu_radix_sort('{1}'::text);
PREPARE sorted AS SELECT gpu_radix_sort($1::integer[]);
EXECUTE sorted('{2,1}');
DEALLOCATE sorted;
