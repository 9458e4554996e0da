/*
 * cpu_extremes_template.h
 *	  Finds the first of the least and of the greatest of some elements, from 1
 *	  on; for cpu_kinds.h.
 *
 * The least element is searched for only in the first block that has it.  The
 * same holds for the greatest one.
 */

#define EXTREMES_INDEX(i) \
	((KIND_BITS) (KIND_ORDER(KIND_CANONICALIZE(elements[i])) - first))

CPU_CLONES static void
KIND_NAME(find_extremes) (const void *data, int64_t count, uint64_t kind_least,
						  EngineExtremes *found)
{
	const KIND_BITS *elements = data;
	KIND_BITS	first = (KIND_BITS) kind_least;
	KIND_BITS	least = EXTREMES_INDEX(0);
	KIND_BITS	greatest = least;
	int64_t		least_at = 0;	/* where its block begins, and then itself */
	int64_t		greatest_at = 0;

	for (int64_t from = 0; from < count; from += EXTREMES_BLOCK)
	{
		int64_t		to = cpu_min(from + EXTREMES_BLOCK, count);
		KIND_BITS	low = least;
		KIND_BITS	high = greatest;

		for (int64_t i = from; i < to; i++)
		{
			KIND_BITS	index = EXTREMES_INDEX(i);

			low = index < low ? index : low;
			high = index > high ? index : high;
		}
		if (low < least)
			least_at = from;
		if (high > greatest)
			greatest_at = from;
		least = low;
		greatest = high;
	}
	while (EXTREMES_INDEX(least_at) != least)
		least_at++;
	while (EXTREMES_INDEX(greatest_at) != greatest)
		greatest_at++;
	found->least = least;
	found->greatest = greatest;
	found->least_at = (int32_t) least_at + 1;
	found->greatest_at = (int32_t) greatest_at + 1;
}

#undef EXTREMES_INDEX
