/*
 * wide_sum.h
 *	  Sums of bigint that need not fit into one, and averages of integers, for
 *	  both engines.
 */
#ifndef GPUCOMPACT_WIDE_SUM_H
#define GPUCOMPACT_WIDE_SUM_H

#include <stdint.h>

#ifdef __CUDACC__
#define WIDE_SUM_INLINE __host__ __device__ static inline
#else
#define WIDE_SUM_INLINE static inline
#endif

__extension__ typedef __int128 WideSum;

/* All integers of no greater magnitude are doubles. */
#define WIDE_SUM_EXACT		((int64_t) 1 << 53)

/* The double nearest to the average of fewer than 2^53 integers; of 0, NaN. */
WIDE_SUM_INLINE double
wide_sum_average(WideSum sum, int64_t count)
{
	unsigned __int128 magnitude = sum < 0 ?
		-(unsigned __int128) sum : (unsigned __int128) sum;
	unsigned __int128 quotient;
	double		scale = 1;
	double		average;

	if (magnitude <= WIDE_SUM_EXACT)
		return (double) (int64_t) sum / (double) count;

	/* Digits enough that what is left over counts as half of the last one. */
	while (magnitude >> 127 == 0)
	{
		magnitude <<= 1;
		scale /= 2;
	}
	quotient = magnitude / count;
	quotient |= magnitude % count != 0;
	while (quotient >> 64 != 0)
	{
		quotient = quotient >> 1 | (quotient & 1);
		scale *= 2;
	}
	average = (double) (uint64_t) quotient * scale;
	return sum < 0 ? -average : average;
}

#endif							/* GPUCOMPACT_WIDE_SUM_H */
