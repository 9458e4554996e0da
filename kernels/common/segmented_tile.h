/*
 * segmented_tile.h
 *	  A tile of float_order.h, for one thread block; and the prefixes of the
 *	  tiles of an array, or of each of several groups, from the aggregates that
 *	  another kernel has made of them.  The names s, r and c are defined there.
 */
#ifndef GPUCOMPACT_SEGMENTED_TILE_H
#define GPUCOMPACT_SEGMENTED_TILE_H

#include "kernels/common/combine.h"
#include "kernels/common/launch.h"
#include "kernels/common/block.h"

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

/* A tile whose prefix is c has the inclusive prefix (c op r) op s. */
template <typename T>
struct TileAggregate
{
	T			r;				/* of the last segment */
	T			s;				/* at the last element */
	T			bound;			/* of |r| + |s|, if floats are added */
};

template <typename T>
__device__ static inline T
magnitude(T value)
{
	return is_negative(value) ? -value : value;
}

/*
 * The prefixes of a batch of tiles, one after the other; returns the last.
 * There are aggregates for whole groups of CHAINED_STEPS.
 */
template <typename T>
__device__ static inline T
scan_batch(ScanOperator op, const TileAggregate<T> *aggregates, int tiles,
		   T *c, T running)
{
	for (int first = 0; first < tiles; first += CHAINED_STEPS)
	{
		T			r[CHAINED_STEPS];
		T			s[CHAINED_STEPS];

#pragma unroll
		for (int i = 0; i < CHAINED_STEPS; i++)
		{
			r[i] = aggregates[first + i].r;
			s[i] = aggregates[first + i].s;
		}
#pragma unroll
		for (int i = 0; i < CHAINED_STEPS; i++)
		{
			c[first + i] = running;
			running = combine(op, combine(op, running, r[i]), s[i]);
		}
	}
	return running;
}

/* The aggregate of no elements, which changes no prefix. */
template <typename T>
__device__ static inline TileAggregate<T>
no_aggregate(ScanOperator op)
{
	return {identity<T>(op), identity<T>(op), 0};
}

/*
 * Returns whether a partial sum of a tile may overflow.  The partial sums of
 * its bound, and of what precedes it, are rounded up to three times.
 */
template <typename T>
__device__ static inline bool
may_overflow(ScanOperator op, const TileAggregate<T> &aggregate, T c)
{
	return op != SCAN_ADD ||
		!(aggregate.bound + magnitude(c) <= Number<T>::largest / 2);
}

/* Batches of aggregates under way: one is scanned, one loaded or stored. */
#define AGGREGATE_BATCHES	2

/* A batch of aggregates, and then of the prefixes of their tiles. */
template <typename T>
struct AggregateBatch
{
	TileAggregate<T> aggregates[AGGREGATE_BATCH];
	T			c[AGGREGATE_BATCH];
};

/*
 * Loads aggregates; for all threads from "thread" on.  Repeating the last one
 * changes no minimum, not even the bits of a NaN.
 */
template <typename T>
__device__ static inline void
load_batch(AggregateBatch<T> *batch, ScanOperator op,
		   const TileAggregate<T> *aggregates, int tiles, int thread)
{
	bool		selects = op == SCAN_MIN || op == SCAN_MAX;

	for (int i = threadIdx.x - thread; i < AGGREGATE_BATCH;
		 i += AGGREGATE_THREADS - thread)
		batch->aggregates[i] = i < tiles || selects ?
			aggregates[min(i, tiles - 1)] : no_aggregate<T>(op);
}

/*
 * Stores the prefixes of a batch; for all threads from "thread" on.  Returns
 * whether a partial result may overflow.
 */
template <typename T>
__device__ static inline bool
store_batch(const AggregateBatch<T> *batch, ScanOperator op, T *c, int tiles,
			int thread)
{
	bool		seen = false;

	for (int i = threadIdx.x - thread; i < min(tiles, AGGREGATE_BATCH);
		 i += AGGREGATE_THREADS - thread)
	{
		c[i] = batch->c[i];
		seen = seen || may_overflow(op, batch->aggregates[i], batch->c[i]);
	}
	return seen;
}

/* Adjacent tiles whose prefixes a thread block makes. */
template <typename T>
struct TileRange
{
	const TileAggregate<T> *aggregates;
	int			tiles;
	T		   *c;				/* the prefix of each tile */
	T		   *end;			/* the result of all tiles */
	int		   *needs_check;	/* whether a partial result may overflow, or
								 * NULL */
	const T    *start;			/* the first tile's prefix; NULL: it has none */

	/* If it is all tiles of an array, it is the only one. */
	__device__ TileRange own() const
	{
		return *this;
	}
};

/*
 * Scans the aggregates of the thread block's own range.  One thread scans a
 * batch, while the threads of other warps store the previous batch and load the
 * next one.
 */
template <typename T, typename Ranges>
__global__ void __launch_bounds__(AGGREGATE_THREADS)
scan_ranges(ScanOperator op, Ranges ranges)
{
	__shared__ AggregateBatch<T> batches[AGGREGATE_BATCHES];
	TileRange<T> range = ranges.own();
	const TileAggregate<T> *aggregates = range.aggregates;
	int			tiles = range.tiles;
	T		   *c = range.c;
	T			running = range.start ? *range.start : identity<T>(op);
	bool		seen = false;
	int			number = 0;

	if (tiles == 0)
		return;
	load_batch(&batches[0], op, aggregates, tiles, 0);
	__syncthreads();
	for (int first = 0; first < tiles; first += AGGREGATE_BATCH, number++)
	{
		AggregateBatch<T> *batch = &batches[number % AGGREGATE_BATCHES];
		AggregateBatch<T> *other = &batches[(number + 1) % AGGREGATE_BATCHES];
		int			before = first - AGGREGATE_BATCH;
		int			next = first + AGGREGATE_BATCH;

		if (threadIdx.x >= WARP)
		{
			if (before >= 0)
				seen |= store_batch(other, op, c + before, tiles - before,
									WARP);
			load_batch(other, op, aggregates + next, tiles - next, WARP);
		}
		else if (threadIdx.x == 0)
			running = with_operator(op, [&] (auto own_op) {
				return scan_batch(own_op, batch->aggregates,
								  min(AGGREGATE_BATCH, tiles - first),
								  batch->c, running);
			});
		__syncthreads();
	}
	if (number > 0)
	{
		int			last = (number - 1) * AGGREGATE_BATCH;

		seen |= store_batch(&batches[(number - 1) % AGGREGATE_BATCHES], op,
							c + last, tiles - last, 0);
	}
	seen = __syncthreads_or(seen);
	if (threadIdx.x == 0)
	{
		*range.end = canonical_nan(op, running);
		if (range.needs_check)
			*range.needs_check = seen;
	}
}

/* Queues the scan of "count" ranges. */
template <template <typename> typename Ranges, typename T>
static cudaError_t
scan_aggregates(cudaStream_t stream, ScanOperator op, int64_t count,
				Ranges<T> ranges)
{
	return launch_kernel(stream, scan_ranges<T, Ranges<T>>, count,
						 AGGREGATE_THREADS, 0, op, ranges);
}

#endif							/* GPUCOMPACT_SEGMENTED_TILE_H */
