/*
 * bench.h
 *	  The code that the benchmarks without a server share.
 */
#ifndef GPUCOMPACT_BENCH_H
#define GPUCOMPACT_BENCH_H

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

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

/* An argument, or "" if there are fewer. */
#define ARGUMENT(i)		(argc > (i) ? argv[i] : "")

#define CUB_NUMBERS \
	CUB_VERSION / 100000, CUB_VERSION / 100 % 1000, CUB_VERSION % 100

/* What a kernel does with each item. */
#define EACH_ITEM(i, n) \
	(int64_t i = blockIdx.x * (int64_t) blockDim.x + threadIdx.x; i < (n); \
	 i += (int64_t) gridDim.x * blockDim.x)

static std::vector<void *> device_memory;

/* Takes memory of the device, until free_memory(). */
template <typename Item>
static inline void
take_memory(Item **memory, size_t bytes)
{
	CHECK(cudaMalloc((void **) memory, bytes));
	device_memory.push_back(*memory);
}

static inline void
free_memory(void)
{
	for (void *memory : device_memory)
		CHECK(cudaFree(memory));
	device_memory.clear();
}

/*
 * Measures all sizes, or the one that an argument names, itself or by its
 * logarithm; 0 is all.
 */
template <int SIZES, typename Measure>
static inline void
for_sizes(const int64_t (&sizes)[SIZES], const char *argument, Measure measure)
{
	int64_t		only = atoll(argument);

	for (int i = 0; i < (only > 0 ? 1 : SIZES); i++)
		measure(only <= 0 ? sizes[i] : only < 64 ? (int64_t) 1 << only : only);
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

/* Returns the us of each of "calls" calls, run(0) and so on. */
template <typename Run>
static inline float
us_of_each(int calls, Run run)
{
	static cudaEvent_t begin;
	static cudaEvent_t end;
	float		ms;

	if (begin == NULL)
	{
		CHECK(cudaEventCreate(&begin));
		CHECK(cudaEventCreate(&end));
	}
	CHECK(cudaEventRecord(begin));
	for (int i = 0; i < calls; i++)
		run(i);
	CHECK(cudaEventRecord(end));
	CHECK(cudaEventSynchronize(end));
	CHECK(cudaEventElapsedTime(&ms, begin, end));
	return ms * 1000 / calls;
}

static int
compare_floats(const void *a, const void *b)
{
	float		x = *(const float *) a;
	float		y = *(const float *) b;

	return (x > y) - (x < y);
}

/* Sorts the values, too: the first and the last are their range. */
static inline float
median(float *values, int count)
{
	qsort(values, count, sizeof(float), compare_floats);
	return values[count / 2];
}

/* The us of a contender: the median of the rounds, and their range over it. */
typedef struct Times
{
	float		us;
	float		spread;
} Times;

/*
 * Measures contenders in turn, after a round that warms up unless "first" is 0.
 * measure(i) returns the us of a call of the i-th.
 */
template <int ROUNDS, int CONTENDERS, typename Measure>
static inline void
take_turns(Times (&times)[CONTENDERS], Measure measure, int first = -1)
{
	float		us[CONTENDERS][ROUNDS];

	for (int round = first; round < ROUNDS; round++)
	{
		for (int i = 0; i < CONTENDERS; i++)
		{
			float		time = measure(i);

			if (round >= 0)
				us[i][round] = time;
		}
	}
	for (int i = 0; i < CONTENDERS; i++)
	{
		times[i].us = median(us[i], ROUNDS);
		times[i].spread = (us[i][ROUNDS - 1] - us[i][0]) / times[i].us;
	}
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

/* A random number from 0 to 1. */
static __host__ __device__ inline double
unit_number(unsigned long long bits)
{
	return (bits >> 11) * 0x1p-53;
}

#endif							/* GPUCOMPACT_BENCH_H */
