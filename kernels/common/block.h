/*
 * block.h
 *	  Scans and sums by a warp, and by all threads of a block; reductions of
 *	  any type, in the order of threads; and what the last thread block of a
 *	  grid does for all of them.
 */
#ifndef GPUCOMPACT_BLOCK_H
#define GPUCOMPACT_BLOCK_H

#include "kernels/common/tuning.h"

/* No macro, as CUB has parameters of this name. */
constexpr int WARP = 32;
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

/*
 * The first of some numbers for which a function returns true, as it does for
 * all behind; or their end.
 */
template <typename Count, typename Is>
__device__ static inline Count
first_that(Count from, Count to, Is is)
{
	while (from < to)
	{
		Count		middle = from + (to - from) / 2;

		if (is(middle))
			to = middle;
		else
			from = middle + 1;
	}
	return from;
}

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

/*
 * Returns whether this thread block is the last one of the grid to be done.  If
 * so, it sees what all blocks have written.  *done is 0 before and after the
 * kernel.
 */
__device__ static inline bool
is_last_block(unsigned *done)
{
	__shared__ bool last;

	__syncthreads();
	if (threadIdx.x == 0)
	{
		__threadfence();
		last = atomicInc(done, gridDim.x - 1) == gridDim.x - 1;
		__threadfence();
	}
	__syncthreads();
	return last;
}

/*
 * Merges the parts that the first threads of all blocks have, in the order of
 * the blocks.  The last block to be done does so, by way of "parts"; its first
 * thread gets the result in *part, and true.
 */
template <int THREADS, typename Part, typename Merge>
__device__ static inline bool
merge_blocks(Part *part, Part *parts, unsigned *done, Merge merge)
{
	int			nparts = gridDim.x;
	int			each = (nparts + THREADS - 1) / THREADS;
	int			first = threadIdx.x * each;

	if (threadIdx.x == 0)
		parts[blockIdx.x] = *part;
	if (!is_last_block(done))
		return false;
	for (int i = first; i < min(first + each, nparts); i++)
		*part = i == first ? parts[i] : merge(*part, parts[i]);
	*part = block_reduce<THREADS>(*part, merge, (nparts + each - 1) / each);
	return threadIdx.x == 0;
}

#endif							/* GPUCOMPACT_BLOCK_H */
