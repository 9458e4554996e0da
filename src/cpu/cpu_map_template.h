/*
 * cpu_map_template.h
 *	  Loops for the operators of one type, which map.h describes; for
 *	  cpu_types.h.
 *
 * A loop combines "count" elements, and returns whether there is an error.  An
 * error sets the sign of "error", which is as wide as an element, so that the
 * loop can be vectorised.  A function of one operand gets it as both.
 */
#define MAP_LOOP(name, step) \
	CPU_CLONES static bool \
	MAP(name) (const void *first, const void *second, void *results, \
			   int64_t count) \
	{ \
		const TYPE_ELEMENT *a = first; \
		const TYPE_ELEMENT *b = second; \
		TYPE_ELEMENT *restrict out = results; \
		MAP_BITS	error = 0; \
\
		for (int64_t i = 0; i < count; i++) \
		{ \
			TYPE_ELEMENT x = a[i]; \
			TYPE_ELEMENT y = b[i]; \
			TYPE_ELEMENT result; \
\
			(void) y; \
			step; \
			out[i] = result; \
		} \
		return error >> (8 * sizeof(error) - 1) != 0; \
	}

MAP_LOOP(least, result = MAP_CLEAN(MAP_LESS(y, x) ? y : x))
MAP_LOOP(greatest, result = MAP_CLEAN(MAP_LESS(x, y) ? y : x))

#ifdef MAP_ADD
MAP_LOOP(add, MAP_ADD(result, x, y, error))
MAP_LOOP(subtract, MAP_SUBTRACT(result, x, y, error))
MAP_LOOP(multiply, MAP_MULTIPLY(result, x, y, error))
MAP_LOOP(divide, MAP_DIVIDE(result, x, y, error))
MAP_LOOP(abs, MAP_ABS(result, x, error))
MAP_LOOP(negate, MAP_NEGATE(result, x, error))
MAP_LOOP(sign, result = (x > 0) - (x < 0))
#endif

#ifdef MAP_MODULO
MAP_LOOP(modulo, MAP_MODULO(result, x, y, error))
#endif

#ifdef MAP_SQRT
MAP_LOOP(floor, result = MAP_CLEAN(floor(x)))
MAP_LOOP(ceil, result = MAP_CLEAN(ceil(x)))
MAP_LOOP(round, result = MAP_CLEAN(rint(x)))
MAP_LOOP(trunc, result = MAP_CLEAN(trunc(x)))
MAP_LOOP(sqrt, MAP_SQRT(result, x, error))
#endif

#undef MAP_LOOP
