/*
 * cpu_sort_plan.c
 *	  Which digits a radix sort has to go by.
 */
#include <string.h>

#include "cpu_engine.h"

/*
 * Lays digits over the bits that are set, from the lowest on.  Returns their
 * number, and for each by how much keys are to be shifted.
 */
static int
lay_digits(uint64_t bits, int shifts[SORT_PASSES])
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
static KeyStatistics
all_bits(const CpuSort *sort)
{
	KeyStatistics all = sort->chunks[0].statistics;

	for (int i = 1; i < sort->nchunks; i++)
	{
		const KeyStatistics *bits = &sort->chunks[i].statistics;

		all.any |= bits->any;
		all.all &= bits->all;
		if (bits->least < all.least)
			all.least = bits->least;
		if (bits->greatest > all.greatest)
			all.greatest = bits->greatest;
	}
	return all;
}

/*
 * Plans a pass for each digit that has a bit in which any two keys differ.
 *
 * Of small integers, some of them negative, that is every digit.  So the least
 * key is subtracted from all, if fewer passes do then: they differ in no bit
 * above the highest of the greatest, and in none below the lowest in which
 * they differed before.
 */
void
cpu_sort_plan(CpuSort *sort)
{
	KeyStatistics	bits = all_bits(sort);
	uint64_t	live = bits.any ^ bits.all;
	uint64_t	lowest = live & -live;
	uint64_t	range = bits.greatest - bits.least;
	int			shifts[SORT_PASSES];
	int			npasses;

	sort->npasses = lay_digits(live, sort->shifts);
	if (live == 0)
		return;
	npasses = lay_digits(UINT64_MAX >> __builtin_clzll(range) & -lowest,
						 shifts);
	if (npasses < sort->npasses)
	{
		sort->npasses = npasses;
		sort->base = bits.least;
		memcpy(sort->shifts, shifts, sizeof(shifts));
	}
}
