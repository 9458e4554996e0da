/*
 * wide_sum.h
 *	  Sums of bigint that need not fit into one, and averages of integers, for
 *	  both engines.
 */
#ifndef GPUCOMPACT_WIDE_SUM_H
#define GPUCOMPACT_WIDE_SUM_H

#include <math.h>

#include "contract/kinds.h"

__extension__ typedef __int128 WideSum;

/* All integers of no greater magnitude are doubles. */
#define WIDE_SUM_EXACT		((int64_t) 1 << 53)

/* The bits of a number that is not zero. */
ENGINES_INLINE int
wide_bits(unsigned __int128 number)
{
	uint64_t	high = (uint64_t) (number >> 64);
	uint64_t	word = high != 0 ? high : (uint64_t) number;

#ifdef __CUDA_ARCH__
	return (high != 0 ? 128 : 64) - __clzll((long long) word);
#else
	return (high != 0 ? 128 : 64) - __builtin_clzll(word);
#endif
}

/* The double nearest to the average of fewer than 2^53 integers; of 0, NaN. */
ENGINES_INLINE double
wide_sum_average(WideSum sum, int64_t count)
{
	unsigned __int128 magnitude = sum < 0 ?
		-(unsigned __int128) sum : (unsigned __int128) sum;
	unsigned __int128 divisor = count;
	unsigned __int128 quotient;
	int			exponent;
	double		average;

	if (magnitude <= WIDE_SUM_EXACT)
		return (double) (int64_t) sum / (double) count;

	/*
	 * The quotient gets 63 or 64 bits, so many that what is left over counts
	 * as its last bit.
	 */
	exponent = wide_bits(magnitude) - wide_bits(divisor) - 63;
	if (exponent < 0)
		magnitude <<= -exponent;
	else
		divisor <<= exponent;
	quotient = magnitude / divisor;
	quotient |= quotient * divisor != magnitude;
	average = ldexp((double) (uint64_t) quotient, exponent);
	return sum < 0 ? -average : average;
}

#endif							/* GPUCOMPACT_WIDE_SUM_H */
