/*
 * utf8.h
 *	  The code that the decoder and the encoder of UTF-8 share.
 */
#ifndef GPUCOMPACT_UTF8_H
#define GPUCOMPACT_UTF8_H

#include "kernels/common/kernels.h"
#include "kernels/common/tiles_kernel.h"

/* U+FFFD replaces an error. */
#define REPLACEMENT			0xFFFD
#define REPLACEMENT_LENGTH	3	/* bytes */
#define REPLACEMENT_BYTES	0xBDBFEFu	/* the first one lowest */

#define MAX_UNIT_BYTES		4

/*
 * The errors in a warp's part of a tile: their number, and the index in the
 * tile of the first one.
 */
typedef struct WarpErrors
{
	int			count;
	int			first;
} WarpErrors;

/* The errors of all warps, by stage. */
typedef struct TileErrors
{
	WarpErrors	warps[TILE_STAGES][CONSUMER_WARPS];
} TileErrors;

/*
 * Adds the errors of a row to a warp's errors.  Each lane has a number of
 * errors and the index of its first one; lower lanes come first.
 */
__device__ static inline void
add_errors(WarpErrors *errors, int count, int first)
{
	unsigned	lanes = __ballot_sync(ALL_LANES, count > 0);

	if (lanes == 0)
		return;
	first = __shfl_sync(ALL_LANES, first, __ffs((int) lanes) - 1);
	if (errors->count == 0)
		errors->first = first;
	errors->count += warp_sum(count);
}

__device__ static inline void
keep_errors(TileErrors *kept, int stage, const WarpErrors *errors)
{
	if (threadIdx.x % WARP == 0)
		kept->warps[stage][threadIdx.x / WARP] = *errors;
}

/*
 * Adds the errors of a tile to all.  One thread does so for its thread
 * block, because atomic operations on the same word are serialized.
 */
__device__ static inline void
note_errors(DeviceErrors *all, const TileErrors *kept, int stage,
			long long tile_start)
{
	WarpErrors	errors = {0, 0};
	WarpErrors	tile_errors = {0, 0};

	if (threadIdx.x >= WARP)
		return;
	if (threadIdx.x < CONSUMER_WARPS)
		errors = kept->warps[stage][threadIdx.x];
	add_errors(&tile_errors, errors.count, errors.first);
	if (tile_errors.count > 0 && threadIdx.x == 0)
	{
		atomicAdd(&all->count, (unsigned long long) tile_errors.count);
		atomicMax(&all->first,
				  ~(unsigned long long) (tile_start + tile_errors.first));
	}
}

/* Writes up to four bytes; the lowest bits come first. */
__device__ static inline void
put_bytes(unsigned char *to, unsigned bytes, int count)
{
	for (int i = 0; i < 4; i++)
	{
		if (i < count)
			to[i] = (unsigned char) (bytes >> 8 * i);
	}
}

/* Copies items that a warp has compacted to their places. */
template <typename T>
__device__ static inline void
copy_row(T *to, const T *from, int count)
{
	__syncwarp();
	for (int i = threadIdx.x % WARP; i < count; i += WARP)
		to[i] = from[i];
	__syncwarp();
}

#endif							/* GPUCOMPACT_UTF8_H */
