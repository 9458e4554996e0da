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

/* A rank among "count" elements; above 2^53, its double may be above all. */
static inline int64_t
clamp_rank(double rank, int64_t count)
{
	return rank >= (double) (count - 1) ? count - 1 :
		rank > 0 ? (int64_t) rank : 0;
}

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
		place.rank = clamp_rank(floor(at), count);
		place.next_rank = clamp_rank(ceil(at), count);
		place.proportion = at - floor(at);
	}
	else
		place.rank = place.next_rank =
			clamp_rank(ceil(fraction * count) - 1, count);
	return place;
}

#endif							/* GPUCOMPACT_OPERATIONS_SELECT_H */
