/*
 * warp_specialization.h
 *	  The roles of a single-pass kernel's warps, and the barriers at which they
 *	  meet; see lookahead.h.
 */
#ifndef GPUCOMPACT_WARP_SPECIALIZATION_H
#define GPUCOMPACT_WARP_SPECIALIZATION_H

#include "tuning.h"
#include "warp.h"

/* Compute warps, which work on tiles; the load warp; the look-ahead warp. */
#define COMPUTE_WARPS		(COMPUTE_THREADS / WARP)
#define LOAD_THREAD			COMPUTE_THREADS
#define LOOKAHEAD_THREAD	(LOAD_THREAD + WARP)
#define TILE_BLOCK			(LOOKAHEAD_THREAD + WARP)

/*
 * The barriers of a block, by number; the compiler has number 0.  All threads
 * meet at each but the first, whether they wait there or only arrive.
 */
typedef enum Barrier
{
	BARRIER_COMPUTE = 1,		/* compute warps wait for each other */
	BARRIER_FILLED,				/* the end of the last tile is filled in */
	BARRIER_SUMMED,				/* the load warp waits for the sum of the next
								 * tile from the compute warps */
	BARRIER_READY,				/* compute warps wait for each other and for
								 * the other two: a tile may be written */
	BARRIER_WRITTEN				/* the other two wait until it is written */
} Barrier;

__device__ static inline void
barrier_sync(Barrier barrier)
{
	__syncwarp();
	asm volatile("bar.sync %0, %1;"
				 :: "r" ((int) barrier), "r" (TILE_BLOCK) : "memory");
}

/* For threads that others wait for. */
__device__ static inline void
barrier_arrive(Barrier barrier)
{
	__syncwarp();
	asm volatile("bar.arrive %0, %1;"
				 :: "r" ((int) barrier), "r" (TILE_BLOCK) : "memory");
}

/* For all compute warps. */
__device__ static inline void
sync_compute(void)
{
	__syncwarp();
	asm volatile("bar.sync %0, %1;"
				 :: "r" ((int) BARRIER_COMPUTE), "r" (COMPUTE_THREADS)
				 : "memory");
}

#endif							/* GPUCOMPACT_WARP_SPECIALIZATION_H */
