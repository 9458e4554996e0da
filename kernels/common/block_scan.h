/*
 * block_scan.h
 *	  Scans and sums by all threads of a block.
 */
#ifndef GPUCOMPACT_BLOCK_SCAN_H
#define GPUCOMPACT_BLOCK_SCAN_H

#include "kernels/common/warp.h"

/*
 * The exclusive prefix of each thread.  Only the values of the first WARPS
 * warps may differ from zero.  "warps" has room for all warps, and may be
 * reused after the next barrier.  If the warps are as many as the lanes of a
 * warp, a scan of their sums takes less time than a loop.
 */
template <int WARPS, typename T>
__device__ static inline T
block_exclusive_scan(T value, T *warps)
{
	int			warp = threadIdx.x / WARP;
	T			inclusive = warp_inclusive_scan(value);
	T			before = 0;

	if (threadIdx.x % WARP == WARP - 1)
		warps[warp] = inclusive;
	__syncthreads();
	if constexpr (WARPS == WARP)
	{
		T			sum = warps[threadIdx.x % WARP];

		before = __shfl_sync(ALL_LANES, warp_inclusive_scan(sum) - sum, warp);
	}
	else
	{
		for (int i = 0; i < WARPS; i++)
			before += i < warp ? warps[i] : 0;
	}
	return before + inclusive - value;
}

/* The sum of all values, after block_exclusive_scan. */
template <int WARPS, typename T>
__device__ static inline T
block_sum(const T *warps)
{
	if constexpr (WARPS == WARP)
		return warp_sum(warps[threadIdx.x % WARP]);
	else
	{
		T			sum = 0;

		for (int i = 0; i < WARPS; i++)
			sum += warps[i];
		return sum;
	}
}

#endif							/* GPUCOMPACT_BLOCK_SCAN_H */
