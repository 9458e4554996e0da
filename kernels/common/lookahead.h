/*
 * lookahead.h
 *	  What launches of single-pass kernels share on a device.
 *
 * The kernels themselves are instances of tiles_kernel.h.
 */
#ifndef GPUCOMPACT_LOOKAHEAD_H
#define GPUCOMPACT_LOOKAHEAD_H

#include <pthread.h>

#include <cuda_runtime.h>

#include "kernels/common/device_fact.h"
#include "kernels/common/tuning.h"

/* The launches must be on one stream. */
typedef struct LookAhead
{
	pthread_mutex_t lock;		/* from a change of "epoch" to the launch */
	void	   *descriptors;	/* on the device, enough for any array */
	unsigned	epoch;			/* of the last launch; 0 before the first */
	int			device;
	int			multiprocessors;
	bool		small_only;		/* has shared memory for small tiles only */
} LookAhead;

/* The number of a kernel's thread blocks that a device can hold at once. */
typedef struct Resident
{
	int			blocks[MAX_DEVICES];	/* 0: not known yet */
} Resident;

/* lookahead.cu */
extern cudaError_t lookahead_open(LookAhead *ahead);
extern void lookahead_close(LookAhead *ahead);
extern cudaError_t lookahead_launch(cudaStream_t stream, LookAhead *ahead,
									const void *kernel, size_t shared,
									int64_t tiles, void **arguments,
									unsigned *epoch, Resident *resident);

/* Returns whether an array of "items" items is divided into small tiles. */
static inline bool
takes_small_tiles(const LookAhead *ahead, int64_t items)
{
	return items <= SMALL_TILE_ITEMS || ahead->small_only;
}

/* The rows of a warp in a tile, for an array of "items" items. */
static inline int
choose_tile_rows(const LookAhead *ahead, int64_t items)
{
	return takes_small_tiles(ahead, items) ? SMALL_TILE_ROWS :
		items <= MIDDLE_TILE_ITEMS ? MIDDLE_TILE_ROWS : LARGE_TILE_ROWS;
}

#endif							/* GPUCOMPACT_LOOKAHEAD_H */
