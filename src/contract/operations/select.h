/*
 * select.h
 *	  SELECT: the elements of given ranks; and the ranks of fractions.
 *
 * The table has the int64 ranks, ascending from 0 on.  The i-th result is the
 * element that has the i-th rank when the array is sorted.
 */
#ifndef GPUCOMPACT_OPERATIONS_SELECT_H
#define GPUCOMPACT_OPERATIONS_SELECT_H

#include <math.h>

#include "contract/engine.h"

/* The most ranks; for more, a sort takes less time. */
#define SELECT_MAX_RANKS	256

/*
 * The place of a fraction among the sorted elements, whose ranks begin with 0.
 */
typedef struct PercentilePlace
{
	int64_t		rank;
	int64_t		next_rank;		/* the same, or the next one */
	double		proportion;		/* of the way from the one to the other */
} PercentilePlace;

/*
 * The place among "count" elements, at least one, as percentile_cont and
 * percentile_disc compute it.
 */
static inline PercentilePlace
percentile_place(double fraction, int64_t count, bool continuous)
{
	double		at = fraction * (count - 1);
	PercentilePlace place = {0};

	if (continuous)
	{
		place.rank = (int64_t) floor(at);
		place.next_rank = (int64_t) ceil(at);
		place.proportion = at - place.rank;
	}
	else
	{
		int64_t		rank = (int64_t) ceil(fraction * count);

		place.rank = place.next_rank = rank > 1 ? rank - 1 : 0;
	}
	return place;
}

#endif							/* GPUCOMPACT_OPERATIONS_SELECT_H */
