/*
 * utf8.h
 *	  What decoding and encoding UTF-8 share.
 */
#ifndef GPUCOMPACT_UTF8_H
#define GPUCOMPACT_UTF8_H

#include "kernels.h"
#include "lookahead.h"

/* What stands for what is invalid, and the bytes of it. */
#define REPLACEMENT			0xFFFD
#define REPLACEMENT_BYTES	0xBDBFEFu	/* the first one lowest */

/* Errors that a warp finds in its part of a tile, and where in the tile the
 * first of them is. */
typedef struct WarpErrors
{
	int			count;
	int			first;
} WarpErrors;

/* Those of all warps, by stage. */
typedef struct TileErrors
{
	WarpErrors	warps[STAGES][TILE_WARPS];
} TileErrors;

/* In which stage is the tile with these sums? */
template <typename Work>
__device__ static inline int
stage_of(const long long *warps)
{
	extern __shared__ __align__(LEAD_ROOM) char shared[];
	const TileMemory<Work> *memory = (const TileMemory<Work> *) shared;

	return (int) (warps - memory->warps[0]) / (TILE_WARPS + 1);
}

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

/* Notes a tile's errors, once, as many blocks do that in one place. */
__device__ static inline void
note_errors(Utf8State *state, const TileErrors *kept, int stage,
			long long tile_start)
{
	WarpErrors	errors = {0, 0};
	WarpErrors	tile_errors = {0, 0};

	if (threadIdx.x >= WARP)
		return;
	if (threadIdx.x < TILE_WARPS)
		errors = kept->warps[stage][threadIdx.x];
	add_errors(&tile_errors, errors.count, errors.first);
	if (tile_errors.count > 0 && threadIdx.x == 0)
	{
		atomicAdd(&state->errors, (unsigned long long) tile_errors.count);
		atomicMin(&state->first_error,
				  (unsigned long long) (tile_start + tile_errors.first));
	}
}

/* The least of what the lanes of a warp have. */
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

/* Copies what a warp has put side by side to where it belongs. */
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
