/*
 * dot.h
 *	  DOT: the sum of the products of two inputs' elements, which are numbers of
 *	  one kind; its summary is an EngineDot.
 *
 * The sum of integers is exact.
 *
 * Each product of floats is rounded to their type.  The products are added in
 * the order of float_order.h, and the sum is the result at the last element.
 * What overflows is a product, or an addition on the way to the sum: at each s
 * of a segment, at each r of a tile, and in (c + r) + s at a tile's last
 * element.  A product underflows if it is zero and neither factor is.
 */
#ifndef GPUCOMPACT_OPERATIONS_DOT_H
#define GPUCOMPACT_OPERATIONS_DOT_H

#include "contract/operations/stats.h"
#include "contract/wide_sum.h"

typedef struct EngineDot
{
	WideInteger integers;		/* the sum of integers */
	double		floats;			/* the sum of floats; any NaN is one */
} EngineDot;

ENGINES_INLINE WideInteger
wide_of_sum(WideSum sum)
{
	uint64_t	sign = sum < 0 ? UINT64_MAX : 0;
	WideInteger wide = {{(uint64_t) sum, (uint64_t) (sum >> 64), sign}};

	return wide;
}

/*
 * The sum of products of integers of "size" bytes, whose halves were added
 * apart: "low" of the lower halves, which are not negative, and "high" of the
 * upper ones.  A half has 32 bits, or 64 if the integers have, so neither sum
 * of fewer than 2^31 products overflows.
 */
ENGINES_INLINE WideInteger
dot_total(WideSum low, WideSum high, int size)
{
	WideInteger total = wide_of_sum(low);
	WideInteger upper = {{0, (uint64_t) high, (uint64_t) (high >> 64)}};

	if (size < (int) sizeof(int64_t))
		upper = wide_of_sum(high * ((WideSum) 1 << 32));
	wide_add(&total, upper);
	return total;
}

#endif							/* GPUCOMPACT_OPERATIONS_DOT_H */
