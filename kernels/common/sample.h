/*
 * sample.h
 *	  Which elements of an array make a sample.
 */
#ifndef GPUCOMPACT_SAMPLE_H
#define GPUCOMPACT_SAMPLE_H

/* Tests of the engines use this file, too, and are not compiled by nvcc. */
#ifdef __CUDACC__
#define SAMPLE_FUNCTION	__host__ __device__ static inline
#else
#define SAMPLE_FUNCTION	static inline
#endif

/*
 * Some number below "count" for each number: any sequence will do.  Samples of
 * different rounds differ.
 */
SAMPLE_FUNCTION long long
sample_position(unsigned number, int round, long long count)
{
	unsigned long long bits = number + ((unsigned long long) round << 32) + 1;

	bits *= 0x9E3779B97F4A7C15ull;
	bits ^= bits >> 29;
	bits *= 0xBF58476D1CE4E5B9ull;
	bits ^= bits >> 32;
	bits *= 0x94D049BB133111EBull;
	return (long long) ((unsigned __int128) bits * count >> 64);
}

#endif							/* GPUCOMPACT_SAMPLE_H */
