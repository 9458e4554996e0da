/*
 * bench.h
 *	  The code that the benchmarks without a server share.
 */
#ifndef GPUCOMPACT_BENCH_H
#define GPUCOMPACT_BENCH_H

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

#define CHECK(call) \
	do { \
		cudaError_t error_ = (call); \
		if (error_ != cudaSuccess) \
		{ \
			fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error_)); \
			exit(1); \
		} \
	} while (0)

static int
compare_floats(const void *a, const void *b)
{
	float		x = *(const float *) a;
	float		y = *(const float *) b;

	return (x > y) - (x < y);
}

/*
 * Buffers that a contender uses in turn: all together are larger than the
 * second-level cache.
 */
#define ROTATION	((size_t) 512 * 1024 * 1024)

/*
 * Returns whether another set of buffers is needed.  A set has "bytes" bytes,
 * and there are at most "most" sets.
 */
static inline bool
needs_set(int nsets, int most, size_t bytes)
{
	return nsets < most && (nsets < 2 || nsets * bytes < ROTATION);
}

static cudaEvent_t timer_begin;
static cudaEvent_t timer_end;

static inline void
start_timer(void)
{
	if (timer_begin == NULL)
	{
		CHECK(cudaEventCreate(&timer_begin));
		CHECK(cudaEventCreate(&timer_end));
	}
	CHECK(cudaEventRecord(timer_begin));
}

/*
 * Waits for the device.  Returns the us of each of "calls" calls since
 * start_timer().
 */
static inline float
stop_timer(int calls)
{
	float		ms;

	CHECK(cudaEventRecord(timer_end));
	CHECK(cudaEventSynchronize(timer_end));
	CHECK(cudaEventElapsedTime(&ms, timer_begin, timer_end));
	return ms * 1000 / calls;
}

/*
 * The i-th of a sequence of random numbers: mixed as SplitMix64 does (Steele
 * et al. 2014), without its last step.
 */
static __host__ __device__ inline unsigned long long
random_bits(int64_t i, unsigned salt)
{
	unsigned long long x = (i + 1) * 0x9E3779B97F4A7C15ull + salt;

	x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ull;
	return (x ^ x >> 27) * 0x94D049BB133111EBull;
}

/* Sorts the values, too: the first and the last are their range. */
static inline float
median(float *values, int count)
{
	qsort(values, count, sizeof(float), compare_floats);
	return values[count / 2];
}

#endif							/* GPUCOMPACT_BENCH_H */
