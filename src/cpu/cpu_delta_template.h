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
 * Makes the differences of "count" elements.  The first "alone" elements have
 * none before them.  The elements "lag" before the others of the first "lag"
 * are in "results".  Returns whether a difference is out of range.
 */
CPU_CLONES static bool
DELTA(differences) (const void *elements, int64_t count, int64_t lag,
					int64_t alone, void *results)
{
	const TYPE_ELEMENT *data = elements;
	TYPE_ELEMENT *restrict out = results;
	int64_t		passed = count < lag ? count : lag;
	int64_t		at = alone;
	int			overflow = 0;

	for (; at < passed; at++)
	{
		TYPE_ELEMENT result;

		DELTA_STEP(result, data[at], out[at - alone], overflow);
		out[at - alone] = result;
	}
	for (; at < count; at++)
	{
		TYPE_ELEMENT result;

		DELTA_STEP(result, data[at], data[at - lag], overflow);
		out[at - alone] = result;
	}
	return overflow;
}
