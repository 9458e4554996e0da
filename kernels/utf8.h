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
#define REPLACEMENT_BYTES	0xBDBFEF	/* the first one lowest */

/*
 * Notes errors: how many each lane of a warp has, and where the first of them
 * is, which is before those of the lanes behind.
 */
__device__ static inline void
note_errors(Utf8State *state, int errors, long long first)
{
	unsigned	lanes = __ballot_sync(ALL_LANES, errors > 0);

	errors = warp_sum(errors);
	if ((int) threadIdx.x % WARP == __ffs((int) lanes) - 1)
	{
		atomicAdd(&state->errors, (unsigned long long) errors);
		atomicMin(&state->first_error, (unsigned long long) first);
	}
}

/* The results of the warps before this one, of a tile. */
__device__ static inline int
results_before(const long long *warps)
{
	int			warp = threadIdx.x / WARP;
	int			lane = threadIdx.x % WARP;

	return warp_sum(lane < warp ? (int) warps[lane] : 0);
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
