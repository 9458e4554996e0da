/*
 * roles.h
 *	  What the threads of a single-pass kernel's block do, and the barriers at
 *	  which they meet; see lookahead.h.
 */
#ifndef GPUCOMPACT_ROLES_H
#define GPUCOMPACT_ROLES_H

#include "warp.h"

/* Workers, who are for the tiles; then the loader's warp, and the adder's. */
#define TILE_THREADS	384
#define TILE_WARPS		(TILE_THREADS / WARP)
#define LOADER			TILE_THREADS
#define ADDER			(LOADER + WARP)
#define TILES_BLOCK		(ADDER + WARP)

/*
 * The barriers of a block, by number, of which 0 is the compiler's.  All but
 * the first are for all threads, whether they wait there or only arrive.
 */
typedef enum Barrier
{
	BARRIER_TILE = 1,			/* the workers wait for each other */
	BARRIER_FILLED,				/* what the last tile lacks is filled in */
	BARRIER_SUMMED,				/* the loader waits for the workers, who have
								 * summed up the next tile */
	BARRIER_READY,				/* the workers wait for each other, and for
								 * the others: a tile may be written */
	BARRIER_WRITTEN				/* the others wait for the workers: it is */
} Barrier;

__device__ static inline void
barrier_sync(Barrier barrier)
{
	__syncwarp();
	asm volatile("bar.sync %0, %1;"
				 :: "r" ((int) barrier), "r" (TILES_BLOCK) : "memory");
}

/* For those who are waited for, but do not wait. */
__device__ static inline void
barrier_arrive(Barrier barrier)
{
	__syncwarp();
	asm volatile("bar.arrive %0, %1;"
				 :: "r" ((int) barrier), "r" (TILES_BLOCK) : "memory");
}

/* For all workers. */
__device__ static inline void
sync_tile(void)
{
	__syncwarp();
	asm volatile("bar.sync %0, %1;"
				 :: "r" ((int) BARRIER_TILE), "r" (TILE_THREADS) : "memory");
}

#endif							/* GPUCOMPACT_ROLES_H */
