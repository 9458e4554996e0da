/*
 * warp.h
 *	  Warp-wide reductions and scans.
 */
#ifndef GPUCOMPACT_WARP_H
#define GPUCOMPACT_WARP_H

#include "kernels/common/tuning.h"

#define WARP			32
#define ALL_LANES		0xFFFFFFFFu

/* The widest load or store of a thread. */
#define VECTOR_BYTES	16

/* Reduces the values of all lanes by an operator that commutes. */
template <typename T, typename Operator>
__device__ static inline T
warp_reduce(T value, Operator op)
{
	for (int distance = WARP / 2; distance > 0; distance /= 2)
		value = op(value, (T) __shfl_xor_sync(ALL_LANES, value, distance));
	return value;
}

template <typename T>
__device__ static inline T
warp_sum(T value)
{
	return warp_reduce(value, [] (T a, T b) { return (T) (a + b); });
}

template <typename T>
__device__ static inline T
warp_min(T value)
{
	return warp_reduce(value, [] (T a, T b) { return min(a, b); });
}

template <typename T>
__device__ static inline T
warp_max(T value)
{
	return warp_reduce(value, [] (T a, T b) { return max(a, b); });
}

/* These take one instruction. */
#if __CUDA_ARCH__ >= 800

__device__ static inline unsigned
warp_sum(unsigned value)
{
	return __reduce_add_sync(ALL_LANES, value);
}

__device__ static inline unsigned
warp_min(unsigned value)
{
	return __reduce_min_sync(ALL_LANES, value);
}

__device__ static inline unsigned
warp_max(unsigned value)
{
	return __reduce_max_sync(ALL_LANES, value);
}

#endif

/* The inclusive prefix of each lane (Hillis and Steele, 1986). */
template <typename T>
__device__ static inline T
warp_inclusive_scan(T value)
{
	int			lane = threadIdx.x % WARP;

	for (int distance = 1; distance < WARP; distance *= 2)
	{
		T			before = __shfl_up_sync(ALL_LANES, value, distance);

		if (lane >= distance)
			value += before;
	}
	return value;
}

#endif							/* GPUCOMPACT_WARP_H */
