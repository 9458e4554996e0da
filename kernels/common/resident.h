/*
 * resident.h
 *	  Thread blocks that a multiprocessor runs at the same time.
 */
#ifndef GPUCOMPACT_RESIDENT_H
#define GPUCOMPACT_RESIDENT_H

/* Its threads, by compute capability: 7.5; 8.6 to 8.9, from 11.0 on; others. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define RESIDENT_THREADS	1024
#elif defined(__CUDA_ARCH__) && ((__CUDA_ARCH__ > 800 && \
								  __CUDA_ARCH__ < 900) || __CUDA_ARCH__ >= 1100)
#define RESIDENT_THREADS	1536
#else
#define RESIDENT_THREADS	2048
#endif

/* For launch bounds: "blocks" of them, or as many as there may be. */
constexpr int
resident_blocks(int blocks, int threads)
{
	return blocks * threads <= RESIDENT_THREADS ? blocks :
		RESIDENT_THREADS / threads;
}

#endif							/* GPUCOMPACT_RESIDENT_H */
