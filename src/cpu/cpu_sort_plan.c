/*
 * cpu_sort_plan.c
 *	  The digits by which a radix sort moves elements.
 */
#include <string.h>

#include "cpu/cpu_engine.h"

/*
 * Covers the bits that are set with digits, from the lowest bit on.  Returns
 * the number of digits, and the shift of each.
 */
static int
choose_digits(uint64_t bits, int shifts[SORT_PASSES])
{
	int			digits = 0;

	while (bits != 0)
	{
		uint64_t	lowest = bits & -bits;

		shifts[digits++] = __builtin_ctzll(bits);
		bits &= ~(lowest * (SORT_BINS - 1));
	}
	return digits;
}

/* The statistics of all keys. */
KeyStatistics
cpu_sort_statistics(const CpuSort *sort)
{
	KeyStatistics all = sort->chunks[0].statistics;

	for (int i = 1; i < sort->phases->nchunks; i++)
	{
		const KeyStatistics *keys = &sort->chunks[i].statistics;

		all.any |= keys->any;
		all.all &= keys->all;
		if (keys->least < all.least)
			all.least = keys->least;
		if (keys->greatest > all.greatest)
			all.greatest = keys->greatest;
	}
	return all;
}

/*
 * Plans a pass for each digit that has a bit in which any two keys differ.
 *
 * For small integers of either sign, that would be every digit.  So the least
 * key is subtracted from all keys if that leaves fewer passes.  The
 * differences have no bit above the highest one of the range, and none below
 * the lowest one in which the keys differ.
 */
void
cpu_sort_plan(CpuSort *sort)
{
	KeyStatistics keys = cpu_sort_statistics(sort);
	uint64_t	live = keys.any ^ keys.all;
	uint64_t	lowest = live & -live;
	uint64_t	bits = live;
	uint64_t	range = keys.greatest - keys.least;
	int			shifts[SORT_PASSES];
	int			npasses;

	sort->npasses = choose_digits(live, sort->shifts);
	if (live == 0)
		return;
	range = UINT64_MAX >> __builtin_clzll(range) & -lowest;
	npasses = choose_digits(range, shifts);
	if (npasses < sort->npasses)
	{
		sort->npasses = npasses;
		sort->base = keys.least;
		memcpy(sort->shifts, shifts, sizeof(shifts));
		bits = range;
	}
	sort->lowest = sort->shifts[0];
	sort->highest = 63 - __builtin_clzll(bits);
}
