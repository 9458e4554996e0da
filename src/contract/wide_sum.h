/*
 * wide_sum.h
 *	  Sums of bigint that need not fit into one, for both engines.
 */
#ifndef GPUCOMPACT_WIDE_SUM_H
#define GPUCOMPACT_WIDE_SUM_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __CUDACC__
#define WIDE_SUM_INLINE __host__ __device__ static inline
#else
#define WIDE_SUM_INLINE static inline
#endif

__extension__ typedef __int128 WideSum;

/* The nearest double, rounded once. */
WIDE_SUM_INLINE double
wide_sum_to_double(WideSum sum)
{
	bool		negative = sum < 0;
	unsigned __int128 magnitude = negative ?
		-(unsigned __int128) sum : (unsigned __int128) sum;
	double		scale = 1;
	double		result;

	if (sum == (int64_t) sum)
		return (double) (int64_t) sum;

	/* What is shifted out counts as half of the last bit, at most. */
	while (magnitude >> 64 != 0)
	{
		magnitude = magnitude >> 1 | (magnitude & 1);
		scale *= 2;
	}
	result = (double) (uint64_t) magnitude * scale;
	return negative ? -result : result;
}

#endif							/* GPUCOMPACT_WIDE_SUM_H */
