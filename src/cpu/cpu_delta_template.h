/*
 * cpu_delta_template.h
 *	  The differences of a piece's elements, for one type; for cpu_types.h.
 *
 * Define these before including this file:
 *
 *	  DELTA_STEP(result, a, b, overflow)	sets result to a - b, and overflow
 *					to 1 if that is out of range
 *	  DELTA_INFINITE(x)	whether the element stands for infinity
 */

/* Returns whether an element stands for infinity. */
CPU_CLONES static bool
DELTA(has_infinite) (const void *elements, int64_t count)
{
	const TYPE_ELEMENT *data = elements;
	int			found = 0;

	for (int64_t i = 0; i < count; i++)
		found |= DELTA_INFINITE(data[i]);
	return found;
}

/*
 * The differences of elements, which come behind "first" ones.  The elements
 * "lag" before the first "lag" of them are in "results", unless the array
 * begins later.  Returns whether a difference is out of range.
 */
CPU_CLONES static bool
DELTA(differences) (const void *elements, int64_t count, int64_t lag,
					int64_t first, void *results)
{
	const TYPE_ELEMENT *data = elements;
	TYPE_ELEMENT *restrict out = results;
	int64_t		passed = count < lag ? count : lag;
	int64_t		at = 0;
	int			overflow = 0;

	for (; at < passed && first + at < lag; at++)
		out[at] = data[at];
	for (; at < passed; at++)
	{
		TYPE_ELEMENT result;

		DELTA_STEP(result, data[at], out[at], overflow);
		out[at] = result;
	}
	for (; at < count; at++)
	{
		TYPE_ELEMENT result;

		DELTA_STEP(result, data[at], data[at - lag], overflow);
		out[at] = result;
	}
	return overflow;
}
