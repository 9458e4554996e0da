/*
 * warp_specialization.h
 *	  The roles of a single-pass kernel's warps, and the named barriers at
 *	  which they synchronize; see tiles_kernel.h.
 */
#ifndef GPUCOMPACT_WARP_SPECIALIZATION_H
#define GPUCOMPACT_WARP_SPECIALIZATION_H

#include "kernels/common/warp.h"

/* The consumer warps come first, then the producer and the look-ahead warp. */
#define CONSUMER_WARPS		(CONSUMER_THREADS / WARP)
#define PRODUCER_THREAD		CONSUMER_THREADS
#define LOOKAHEAD_THREAD	(PRODUCER_THREAD + WARP)
#define TILE_THREADS		(LOOKAHEAD_THREAD + WARP)

/*
 * The named barriers of a thread block, by number; __syncthreads() uses number
 * 0.  All threads take part in each of them except the first, and either wait
 * or only arrive.
 *
 * Warps wait at a barrier in different places of the code, as PTX allows.
 * compute-sanitizer's synccheck (of CUDA 13.0) reports that, even of a kernel
 * that has but two warps and a barrier in two places; with "barrier.sync" in
 * place of "bar.sync", which makes scans a quarter longer, it reports nothing.
 */
typedef enum Barrier
{
	BARRIER_CONSUMERS = 1,		/* the consumer warps wait for each other */
	BARRIER_PADDED,				/* the last tile has been padded */
	BARRIER_REDUCED,			/* the producer warp waits until the consumer
								 * warps have reduced the next tile */
	BARRIER_READY,				/* the consumer warps wait for each other and
								 * the other two warps: a tile may be written */
	BARRIER_WRITTEN				/* the other two warps wait until it is
								 * written */
} Barrier;

__device__ static inline void
barrier_sync(Barrier barrier)
{
	__syncwarp();
	asm volatile("bar.sync %0, %1;"
				 :: "r" ((int) barrier), "r" (TILE_THREADS) : "memory");
}

/* Arrives, and does not wait. */
__device__ static inline void
barrier_arrive(Barrier barrier)
{
	__syncwarp();
	asm volatile("bar.arrive %0, %1;"
				 :: "r" ((int) barrier), "r" (TILE_THREADS) : "memory");
}

/* For all consumer warps. */
__device__ static inline void
sync_consumers(void)
{
	__syncwarp();
	asm volatile("bar.sync %0, %1;"
				 :: "r" ((int) BARRIER_CONSUMERS), "r" (CONSUMER_THREADS)
				 : "memory");
}

#endif							/* GPUCOMPACT_WARP_SPECIALIZATION_H */
