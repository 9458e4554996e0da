/*
 * sorts.h
 *	  Our sorts and CUB's, for the benchmarks.
 */
#ifndef GPUCOMPACT_BENCH_SORTS_H
#define GPUCOMPACT_BENCH_SORTS_H

#include <cub/cub.cuh>

#include "kernels/common/kernels.h"
#include "bench.h"

/* The buffers of one call. */
typedef struct Buffers
{
	void	   *in;
	void	   *keys[2];		/* a sort destroys the first, a copy of "in" */
	int		   *payloads[2];
	void	   *scratch;
} Buffers;

/* Of all calls.  CUB says here what it needs if there is no scratch memory. */
static size_t scratch_bytes;

/* Which of two has the result of the last sort; on the host. */
static int *selector;

static Sort
sort_of(const Buffers *b, ElementKind kind, bool payload, int64_t n)
{
	Sort		sort = {
		kind, false, payload ? 4 : 0, payload, n, {b->keys[0], b->keys[1]},
		{b->payloads[0], b->payloads[1]}, b->scratch
	};

	return sort;
}

template <ElementKind KIND, bool PAYLOAD>
static void
our_sort(const Buffers *b, int64_t n)
{
	Sort		sort = sort_of(b, KIND, PAYLOAD, n);

	*selector = 1;
	CHECK(sort_array(0, &sort));
	if (!sort_takes_one_launch(&sort))
		CHECK(cudaMemcpyAsync(selector, sort_selector(&sort), sizeof(*selector),
							  cudaMemcpyDeviceToHost));
}

template <typename Key, bool PAYLOAD>
static void
cub_sort(const Buffers *b, int64_t n)
{
	cub::DoubleBuffer<Key> keys((Key *) b->keys[0], (Key *) b->keys[1]);
	cub::DoubleBuffer<int> values(b->payloads[0], b->payloads[1]);

	if constexpr (PAYLOAD)
		CHECK(cub::DeviceRadixSort::SortPairs(b->scratch, scratch_bytes, keys,
											  values, n));
	else
		CHECK(cub::DeviceRadixSort::SortKeys(b->scratch, scratch_bytes, keys,
											 n));
	*selector = PAYLOAD ? values.selector : keys.selector;
}

/* A normal deviate, by Box and Muller (1958). */
__device__ static inline double
normal_deviate(unsigned long long bits)
{
	double		u = ((unsigned) bits + 0.5) * 0x1p-32;

	return sqrt(-2 * log(u)) * cospi((unsigned) (bits >> 32) * 0x1p-31);
}

#endif							/* GPUCOMPACT_BENCH_SORTS_H */
