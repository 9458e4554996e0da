/*
 * bench.h
 *	  What the benchmarks without a server share.
 */
#ifndef GPUCOMPACT_BENCH_H
#define GPUCOMPACT_BENCH_H

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

/* Sorts the values, too: the first and the last are their range. */
static inline float
median(float *values, int count)
{
	qsort(values, count, sizeof(float), compare_floats);
	return values[count / 2];
}

#endif							/* GPUCOMPACT_BENCH_H */
