/*
 * block_reduce.h
 *	  Reductions by a warp and by a block, of any type, in the order of threads.
 */
#ifndef GPUCOMPACT_BLOCK_REDUCE_H
#define GPUCOMPACT_BLOCK_REDUCE_H

#include "kernels/common/warp.h"

/* The value of the lane that is at this distance. */
template <typename T>
__device__ static inline T
shuffle_down(T value, int distance)
{
	const int	words = (sizeof(T) + sizeof(unsigned) - 1) / sizeof(unsigned);
	unsigned	bits[words] = {};

	memcpy(bits, &value, sizeof(T));
#pragma unroll
	for (int i = 0; i < words; i++)
		bits[i] = __shfl_down_sync(ALL_LANES, bits[i], distance);
	memcpy(&value, bits, sizeof(T));
	return value;
}

/* Reduces the values of the first lanes.  The first one has the result. */
template <typename T, typename Operator>
__device__ static inline T
warp_reduce_in_order(T value, Operator op, int lanes)
{
	int			lane = threadIdx.x % WARP;

#pragma unroll
	for (int distance = 1; distance < WARP; distance *= 2)
	{
		T			next = shuffle_down(value, distance);

		if (lane + distance < lanes)
			value = op(value, next);
	}
	return value;
}

/*
 * Reduces the values of the first threads.  The first one has the result.  The
 * block needs a barrier before it does this again.  Not inlined, so that it
 * takes no registers from loops over an array, which run before it.
 */
template <int THREADS, typename T, typename Operator>
__device__ __noinline__ static T
block_reduce(T value, Operator op, int threads = THREADS)
{
	__shared__ T warps[THREADS / WARP];
	int			warp = threadIdx.x / WARP;

	value = warp_reduce_in_order(value, op, min(threads - warp * WARP, WARP));
	if (threadIdx.x % WARP == 0)
		warps[warp] = value;
	__syncthreads();
	if (threadIdx.x == 0)
	{
#pragma unroll 1
		for (int i = 1; i * WARP < threads; i++)
			value = op(value, warps[i]);
	}
	return value;
}

#endif							/* GPUCOMPACT_BLOCK_REDUCE_H */
