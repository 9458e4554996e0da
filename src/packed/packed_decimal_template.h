/*
 * packed_decimal_template.h
 *	  Loops between floats and integers, for one type of floats and one way of
 *	  scaling.  Define these before including this file:
 *
 *		DECIMAL_NAME(name)		the name with a suffix
 *		DECIMAL_FLOAT			float or double
 *		DECIMAL_BITS			unsigned integer of its width
 *		DECIMAL_SCALED(a, b)	a divided or multiplied by b
 */

/* The bits of the float of an integer. */
PACKED_INLINE DECIMAL_BITS
DECIMAL_NAME(bits_of_integer) (uint64_t integer, double number)
{
	double		decimal = decimal_of_integer(integer);
	DECIMAL_FLOAT scaled = (DECIMAL_FLOAT) DECIMAL_SCALED(decimal, number);
	DECIMAL_BITS bits;

	memcpy(&bits, &scaled, sizeof(bits));
	return bits;
}

/* Finds the integer of a float.  Returns false if there is none. */
PACKED_INLINE bool
DECIMAL_NAME(find_integer) (DECIMAL_FLOAT element, const DecimalScale *scale,
							int64_t *integer)
{
	double		scaled = (double) element * scale->factor;
	bool		fits = scaled > -DECIMAL_LIMIT && scaled < DECIMAL_LIMIT;
	uint64_t	found = integer_of_decimal(fits ? scaled : 0);
	DECIMAL_BITS bits;

	memcpy(&bits, &element, sizeof(bits));
	*integer = (int64_t) found;
	return fits &
		(DECIMAL_NAME(bits_of_integer) (found, scale->number) == bits);
}

CPU_CLONES static void
DECIMAL_NAME(floats_of_integers) (const DecimalScale *scale,
								  const uint64_t *restrict integers,
								  int count, void *floats)
{
	DECIMAL_BITS *restrict bits = floats;

	for (int i = 0; i < count; i++)
		bits[i] = DECIMAL_NAME(bits_of_integer) (integers[i], scale->number);
}

/* Returns the number of floats that are not made by an integer. */
CPU_CLONES static int64_t
DECIMAL_NAME(integers_of_floats) (const DecimalScale *scale,
								  const void *floats, int count,
								  int64_t *restrict integers)
{
	const DECIMAL_FLOAT *restrict elements = floats;
	int64_t		failures = 0;

	for (int i = 0; i < count; i++)
		failures += !DECIMAL_NAME(find_integer) (elements[i], scale,
												 &integers[i]);
	return failures;
}

static bool
DECIMAL_NAME(has_integer) (const DecimalScale *scale, const void *floats,
						   int position)
{
	const DECIMAL_FLOAT *elements = floats;
	int64_t		integer;

	return DECIMAL_NAME(find_integer) (elements[position], scale, &integer);
}

/*
 * Finds the floats that their integers do not make, and gives them the integer
 * of a neighbour.
 */
static void
DECIMAL_NAME(find_exceptions) (const DecimalScale *scale, const void *floats,
							   int count, int64_t *integers,
							   DecimalExceptions *exceptions)
{
	const DECIMAL_BITS *bits = floats;
	DECIMAL_BITS found[PACKED_BLOCK];
	int			last = 0;		/* one that is none */

	DECIMAL_NAME(floats_of_integers) (scale, (const uint64_t *) integers,
									  count, found);
	while (last < count - 1 && found[last] != bits[last])
		last++;
	for (int i = 0; i < count; i++)
	{
		if (found[i] == bits[i])
			last = i;
		else
		{
			exceptions->positions[exceptions->count++] = (uint16_t) i;
			integers[i] = integers[last];
		}
	}
}

#undef DECIMAL_NAME
#undef DECIMAL_FLOAT
#undef DECIMAL_BITS
#undef DECIMAL_SCALED
