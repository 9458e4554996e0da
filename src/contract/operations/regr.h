/*
 * regr.h
 *	  REGR: the moments of pairs, whose y is from the first input and whose x is
 *	  from the second one; its summary is an EngineRegr.
 *
 * The inputs are numbers of any kinds.  Each is converted to double
 * precision.  The moments of y and of x alone are those of floats in stats.h.
 * The products are in the same order: those of a segment are the sum of (y -
 * sy / n) * (x - sx / n) over its n pairs, from left to right, where sy and sx
 * are the sums of its y and x; and merging is that of core's
 * float8_regr_combine.  What overflows is, as in stats.h, an operation on the
 * way to these.
 */
#ifndef GPUCOMPACT_OPERATIONS_REGR_H
#define GPUCOMPACT_OPERATIONS_REGR_H

#include "contract/operations/stats.h"

typedef struct PairMoments
{
	Moments		y;
	Moments		x;
	double		products;		/* of the differences from the means, summed */
} PairMoments;

/*
 * The sums of squares of equal numbers are exactly zero only if their means
 * are exact.  So the summary also says whether the numbers differ.
 */
typedef struct EngineRegr
{
	PairMoments moments;
	uint64_t	first_y;		/* the bits of the first pair */
	uint64_t	first_x;
	uint64_t	y_differs;		/* 1 if the bits of some y are others, else 0 */
	uint64_t	x_differs;
} EngineRegr;

/* What two sums of products lack: the product of the means' differences. */
ENGINES_INLINE double
products_between(Moments a_y, Moments a_x, Moments b_y, Moments b_x)
{
	double		y_apart = a_y.sum / a_y.count - b_y.sum / b_y.count;
	double		x_apart = a_x.sum / a_x.count - b_x.sum / b_x.count;

	return a_y.count * b_y.count * x_apart * y_apart /
		(a_y.count + b_y.count);
}

/* Core's float8_regr_combine; notes whether it overflows. */
ENGINES_INLINE PairMoments
pair_moments_merge(PairMoments a, PairMoments b, bool *overflow)
{
	PairMoments both;

	if (a.y.count == 0)
		return b;
	if (b.y.count == 0)
		return a;
	both.y = moments_merge(a.y, b.y, overflow);
	both.x = moments_merge(a.x, b.x, overflow);
	both.products = a.products + b.products +
		products_between(a.y, a.x, b.y, b.x);
	*overflow |= stats_overflow(both.products, a.products, b.products);
	return both;
}

#endif							/* GPUCOMPACT_OPERATIONS_REGR_H */
