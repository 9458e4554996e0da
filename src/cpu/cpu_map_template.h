/*
 * cpu_map_template.h
 *	  Loops for the operators of one type, which map.h describes.
 *
 * Define these before including this file:
 *
 *	  MAP_PREFIX	the prefix of names
 *	  MAP_ELEMENT	the elements' type
 *	  MAP_BITS		the signed integer of an element's width
 *
 * A loop combines "count" elements, and returns whether there is an error.  An
 * error sets the sign of "error", an integer as wide as an element, so that the
 * loop can be vectorised.  A function of one operand gets it as both.
 */
#define MAP_LOOP(name, step) \
	CPU_CLONES static bool \
	MAP(name) (const void *first, const void *second, void *results, \
			   int64_t count) \
	{ \
		const MAP_ELEMENT *a = first; \
		const MAP_ELEMENT *b = second; \
		MAP_ELEMENT *restrict out = results; \
		MAP_BITS	error = 0; \
\
		for (int64_t i = 0; i < count; i++) \
		{ \
			MAP_ELEMENT x = a[i]; \
			MAP_ELEMENT y = b[i]; \
			MAP_ELEMENT result; \
\
			(void) y; \
			step; \
			out[i] = result; \
		} \
		return error < 0; \
	}

/*
 * A loop that divides by one value, which is neither 0 nor -1.  A reciprocal
 * that is not too small makes no quotient too small, and one that is too great
 * by two units in its last place makes none so great that it reaches the next
 * integer: a float of more bits than elements have is exact enough for that.
 */
#define MAP_BY_VALUE(name, step) \
	CPU_CLONES static bool \
	MAP(name) (const void *first, const void *second, void *results, \
			   int64_t count) \
	{ \
		const MAP_ELEMENT *a = first; \
		MAP_ELEMENT y = *(const MAP_ELEMENT *) second; \
		MAP_FLOAT	reciprocal = MAP_AWAY(1 / (MAP_FLOAT) y); \
		MAP_ELEMENT *restrict out = results; \
\
		for (int64_t i = 0; i < count; i++) \
		{ \
			MAP_ELEMENT x = a[i]; \
			MAP_ELEMENT quotient = (MAP_ELEMENT) (x * reciprocal); \
			MAP_ELEMENT result; \
\
			step; \
			out[i] = result; \
		} \
		return false; \
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

#ifdef MAP_AWAY
MAP_BY_VALUE(divide_by, result = quotient)
MAP_BY_VALUE(modulo_by, result = x - y * quotient)
#endif

#ifdef MAP_SQRT
MAP_LOOP(floor, result = MAP_CLEAN(MAP_MATH(floor) (x)))
MAP_LOOP(ceil, result = MAP_CLEAN(MAP_MATH(ceil) (x)))
MAP_LOOP(round, result = MAP_CLEAN(MAP_MATH(rint) (x)))
MAP_LOOP(trunc, result = MAP_CLEAN(MAP_MATH(trunc) (x)))
MAP_LOOP(sqrt, MAP_SQRT(result, x, error))
#endif

#undef MAP_LOOP
#undef MAP_BY_VALUE
#undef MAP_PREFIX
#undef MAP_ELEMENT
#undef MAP_BITS
