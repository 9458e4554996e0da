/*
 * segmented_tile.h
 *	  A tile of float_order.h, for one thread block.  The names s, r and c are
 *	  defined there.
 */
#ifndef GPUCOMPACT_SEGMENTED_TILE_H
#define GPUCOMPACT_SEGMENTED_TILE_H

#include "kernels/common/combine.h"
#include "kernels/common/scan_aggregates.h"

/* A thread block has a tile, and a thread has a segment of it. */
#define SEGMENT_THREADS	FLOAT_SEGMENTS

/* The results of a tile's segments, in shared memory. */
template <typename T>
struct TileEnds
{
	T			last_s[FLOAT_SEGMENTS];
	T			r[FLOAT_SEGMENTS];
};

/* The number of items in this thread block's tile. */
__device__ static inline int
tile_items(long long count)
{
	return (int) min((long long) FLOAT_TILE,
					 count - (long long) blockIdx.x * FLOAT_TILE);
}

__device__ static inline int
segments_of(int items)
{
	return (items + FLOAT_SEGMENT - 1) / FLOAT_SEGMENT;
}

__device__ static inline int
segment_items(int items)
{
	return max(0, min(FLOAT_SEGMENT,
					  items - (int) threadIdx.x * FLOAT_SEGMENT));
}

/* Combines; adds an overflow to *seen if "checks". */
template <bool checks, typename T>
__device__ static inline T
combine_step(ScanOperator op, T a, T b, Overflows *seen)
{
	return checks ? combine_checked(op, a, b, seen) : combine(op, a, b);
}

/*
 * Computes r of each segment from the last s of the segments before, which is
 * the identity for those behind the last element.  For one thread.  The last
 * segment's own s adds to no r, so that step is not checked.
 */
template <bool checks, typename T>
__device__ static inline void
chain_segments(ScanOperator op, int segments, const T last_s[FLOAT_SEGMENTS],
			   T r[FLOAT_SEGMENTS], Overflows *seen)
{
	T			running = identity<T>(op);

	for (int first = 0; first < segments; first += CHAINED_STEPS)
	{
		T			own[CHAINED_STEPS];

#pragma unroll
		for (int i = 0; i < CHAINED_STEPS; i++)
			own[i] = last_s[first + i];
#pragma unroll
		for (int i = 0; i < CHAINED_STEPS; i++)
		{
			Overflows	seen_here = 0;

			r[first + i] = running;
			running = combine_step<checks>(op, running, own[i], &seen_here);
			if (checks && first + i < segments - 1)
				*seen |= seen_here;
		}
	}
}

/*
 * Computes each segment's last s and its r.  "own" are the items of this
 * thread's segment.
 */
template <bool checks, typename T>
__device__ static inline void
reduce_segments(TileEnds<T> *ends, ScanOperator op, const T *own, int items,
				Overflows *seen)
{
	int			own_items = segment_items(items);
	T			s = identity<T>(op);

	for (int i = 0; i < own_items; i++)
		s = combine(op, s, own[i]);
	ends->last_s[threadIdx.x] = s;
	__syncthreads();
	if (threadIdx.x == 0)
		chain_segments<checks>(op, segments_of(items), ends->last_s, ends->r,
							   seen);
	__syncthreads();
}

/*
 * Scans a tile from its prefix.  Writes this thread's results to "out", which
 * may be "own", unless it is NULL.  Returns which overflows occur.
 *
 * For floats, each operation that contributes to a result is checked here.
 * For integers, only the step from the preceding result is.  That result may
 * have wrapped, but the first one of the array that is out of range is
 * noticed, because all results before it are right; and if none is out of
 * range, no step overflows.
 */
template <bool checks, typename T>
__device__ static inline Overflows
scan_tile(TileEnds<T> *ends, ScanOperator op, const T *own, int items,
		  T before, T *out)
{
	const bool	checks_all = checks && Number<T>::is_float;
	int			own_items = segment_items(items);
	Overflows	seen = 0;
	T			s = identity<T>(op);

	reduce_segments<checks_all>(ends, op, own, items, &seen);
	if (own_items > 0)
		before = combine_step<checks_all>(op, before, ends->r[threadIdx.x],
										  &seen);
	for (int i = 0; i < own_items; i++)
	{
		T			result;

		if (Number<T>::is_float)
		{
			s = combine_step<checks>(op, s, own[i], &seen);
			result = combine_step<checks>(op, before, s, &seen);
		}
		else
			result = before = combine_step<checks>(op, before, own[i], &seen);
		if (out)
			out[i] = canonical_nan(op, result);
	}
	return seen;
}

#endif							/* GPUCOMPACT_SEGMENTED_TILE_H */
