/*
 * utf8.h
 *	  What decoding and encoding UTF-8 share.
 */
#ifndef GPUCOMPACT_UTF8_H
#define GPUCOMPACT_UTF8_H

#include "kernels.h"

/* U+FFFD replaces what is invalid. */
#define REPLACEMENT			0xFFFD
#define REPLACEMENT_BYTES	0xBDBFEFu	/* the first one lowest */

/*
 * The errors in a warp's part of a tile: their number, and where in the tile the
 * first of them is.
 */
typedef struct WarpErrors
{
	int			count;
	int			first;
} WarpErrors;

/* The errors of all warps, by stage. */
typedef struct TileErrors
{
	WarpErrors	warps[TILE_STAGES][COMPUTE_WARPS];
} TileErrors;

/*
 * Adds to a warp's errors how many each lane has in a row, and where the first
 * of them is, which is before those of the lanes behind.
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
 * Notes the errors of a tile.  One thread does so for all, as the blocks' atomic
 * operations meet in one place.
 */
__device__ static inline void
note_errors(Utf8State *state, const TileErrors *kept, int stage,
			long long tile_start)
{
	WarpErrors	errors = {0, 0};
	WarpErrors	tile_errors = {0, 0};

	if (threadIdx.x >= WARP)
		return;
	if (threadIdx.x < COMPUTE_WARPS)
		errors = kept->warps[stage][threadIdx.x];
	add_errors(&tile_errors, errors.count, errors.first);
	if (tile_errors.count > 0 && threadIdx.x == 0)
	{
		atomicAdd(&state->errors, (unsigned long long) tile_errors.count);
		atomicMax(&state->first_error,
				  ~(unsigned long long) (tile_start + tile_errors.first));
	}
}

/* The least value of the lanes of a warp. */
__device__ static inline int
warp_min(int value)
{
	for (int distance = WARP / 2; distance > 0; distance /= 2)
		value = min(value, __shfl_xor_sync(ALL_LANES, value, distance));
	return value;
}

/* Writes bytes, the first one from the lowest bits. */
__device__ static inline void
put_bytes(unsigned char *to, unsigned bytes, int count)
{
	for (int i = 0; i < 4; i++)
	{
		if (i < count)
			to[i] = (unsigned char) (bytes >> 8 * i);
	}
}

/* Copies items that a warp has put side by side to where they belong. */
template <typename T>
__device__ static inline void
copy_row(T *to, const T *from, int count)
{
	__syncwarp();
	for (int i = threadIdx.x % WARP; i < count; i += WARP)
		to[i] = from[i];
	__syncwarp();
}

/* utf8.cu: tells the host of the errors in all pieces, after the last one */
extern cudaError_t utf8_report_errors(const DeviceWork *work);

#endif							/* GPUCOMPACT_UTF8_H */
