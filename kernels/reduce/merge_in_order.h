/*
 * merge_in_order.h
 *	  Parts that a thread block merges one after the other, as stats.h and
 *	  regr.h say.
 *
 * A part has sums, and sums of squares of the differences from the means.  To
 * merge two parts, their sums are added; and their squares, with the square of
 * the difference of their means.  A kind of sums is a struct.  It has a count,
 * which is zero if a part has no elements, and these:
 *
 *	  none			the sums of no elements: to add them changes nothing
 *	  Squares		the type of the squares
 *	  add			adds the sums of two parts
 *	  between		returns what the squares of two parts lack; notes whether
 *					the addition of their sums overflows
 *	  add_squares	adds the squares of two parts and what they lack
 *	  overflows		whether that overflows
 *	  all_finite	whether squares are finite; after an overflow they never are
 *
 * One thread adds part after part.  A part without elements has the sums of
 * none, and zero squares, so that this thread needs no branch, for which it
 * would have to wait.
 *
 * A first kernel makes the moments of tiles.  A second kernel, of one block,
 * merges them.  What they make is a struct, the source of the elements:
 *
 *	  Sums			the kind of sums
 *	  Facts			what else is known of elements, in any order: none() of no
 *					elements; () merges two
 *	  Summary		the result
 *	  sum_segment	returns the part of the thread's segment in a tile, adds to
 *					its facts, and notes an overflow; for all threads
 *	  put			puts the summary
 */
#ifndef GPUCOMPACT_MERGE_IN_ORDER_H
#define GPUCOMPACT_MERGE_IN_ORDER_H

#include "kernels/common/block.h"
#include "kernels/common/launch.h"
#include "kernels/common/segmented_tile.h"
#include "kernels/common/vector.h"

template <typename Sums>
struct Part
{
	Sums		sums;
	typename Sums::Squares squares;
};

/* A part that is merged with all before it. */
template <typename Sums>
struct Merge
{
	Part<Sums>	part;
	Sums		before;			/* of all before it */
	typename Sums::Squares between;
};

template <typename Sums>
__device__ static inline Part<Sums>
no_part()
{
	return {Sums::none(), {}};
}

/* Makes the sums before each part; for one thread. */
template <typename Sums>
__device__ static inline void
add_sums(Merge<Sums> *merges, int nmerges, Sums *all)
{
	Sums		sums = *all;

#pragma unroll 8
	for (int i = 0; i < nmerges; i++)
	{
		merges[i].before = sums;
		sums = Sums::add(sums, merges[i].part.sums);
	}
	*all = sums;
}

/*
 * Compares the means of each part with the means of all parts before it; for
 * one of several threads.
 */
template <typename Sums>
__device__ static inline void
compare_means(Merge<Sums> *merges, int nmerges, int thread, int threads,
			  bool *overflow)
{
	for (int i = thread; i < nmerges; i += threads)
	{
		Merge<Sums> *merge = &merges[i];

		merge->between = {};
		if (merge->before.count != 0 && merge->part.sums.count != 0)
			merge->between = Sums::between(merge->before, merge->part.sums,
										   overflow);
	}
}

/*
 * Adds up the squares; for one thread.  It looks for an overflow only if the
 * result is not finite.
 */
template <typename Sums>
__device__ static inline void
add_squares(const Merge<Sums> *merges, int nmerges,
			typename Sums::Squares *all, bool *overflow)
{
	typename Sums::Squares squares = *all;

#pragma unroll 8
	for (int i = 0; i < nmerges; i++)
		squares = Sums::add_squares(squares, merges[i].part.squares,
									merges[i].between);
	if (!Sums::all_finite(squares))
	{
		squares = *all;
		for (int i = 0; i < nmerges; i++)
		{
			const Merge<Sums> *merge = &merges[i];
			typename Sums::Squares both =
				Sums::add_squares(squares, merge->part.squares, merge->between);

			*overflow |= Sums::overflows(both, squares, merge->part.squares);
			squares = both;
		}
	}
	*all = squares;
}

/*
 * Merges parts in shared memory, each with all before it.  All threads compare
 * the means, whose divisions take long; one thread does the rest.
 */
template <typename Sums>
__device__ static inline void
merge_in_order(Merge<Sums> *merges, int nmerges, Part<Sums> *all,
			   bool *overflow)
{
	if (threadIdx.x == 0)
	{
		*all = no_part<Sums>();
		add_sums(merges, nmerges, &all->sums);
	}
	__syncthreads();
	compare_means(merges, nmerges, threadIdx.x, blockDim.x, overflow);
	__syncthreads();
	if (threadIdx.x == 0)
		add_squares(merges, nmerges, &all->squares, overflow);
	__syncthreads();
}

/* Batches of parts are under way: one in each step of a merge. */
#define MERGE_STEPS		4

/*
 * Merges very many parts, as merge_in_order does, in batches.  In each turn one
 * warp adds the sums of a batch, another one adds the squares of the batch two
 * turns ahead, and all others load a batch and compare the means of one.
 *
 * load(i) returns part i.
 */
template <typename Sums, int batch, typename Load>
__device__ static inline void
merge_stream(Merge<Sums> (&merges)[MERGE_STEPS][batch], int nparts,
			 Part<Sums> *all, bool *overflow, Load load)
{
	int			nbatches = (nparts + batch - 1) / batch;
	int			warp = threadIdx.x / WARP;
	bool		is_first = threadIdx.x % WARP == 0;
	int			thread = threadIdx.x - 2 * WARP;	/* of the others */
	int			threads = blockDim.x - 2 * WARP;

	if (threadIdx.x == 0)
		*all = no_part<Sums>();
	__syncthreads();
	for (int turn = 0; turn < nbatches + MERGE_STEPS - 1; turn++)
	{
		Merge<Sums> *at[MERGE_STEPS];
		int			count[MERGE_STEPS];

#pragma unroll
		for (int step = 0; step < MERGE_STEPS; step++)
		{
			int			number = turn - step;
			bool		is_batch = number >= 0 && number < nbatches;

			at[step] = merges[is_batch ? number % MERGE_STEPS : 0];
			count[step] = is_batch ? min(batch, nparts - number * batch) : 0;
		}
		if (warp == 0)
		{
			if (is_first)
				add_sums(at[1], count[1], &all->sums);
		}
		else if (warp == 1)
		{
			if (is_first)
				add_squares(at[3], count[3], &all->squares, overflow);
		}
		else
		{
			for (int i = thread; i < count[0]; i += threads)
				at[0][i].part = load(turn * batch + i);
			compare_means(at[2], count[2], thread, threads, overflow);
		}
		__syncthreads();
	}
}

/* A tile: all its segments but the last, merged; and the last. */
template <typename Source>
struct TileMoments
{
	Part<typename Source::Sums> r;
	Part<typename Source::Sums> s;
	typename Source::Facts facts;
};

template <typename Source>
__global__ void __launch_bounds__(SEGMENT_THREADS)
sum_tiles(Source source, TileMoments<Source> *tiles, int *overflow)
{
	typedef typename Source::Facts Facts;
	__shared__ Merge<typename Source::Sums> merges[FLOAT_SEGMENTS];
	__shared__ Part<typename Source::Sums> r;
	int			segments = segments_of(tile_items(source.count));
	Facts		facts = Facts::none();
	bool		over = false;

	merges[threadIdx.x].part = source.sum_segment(&facts, &over);
	facts = block_reduce<SEGMENT_THREADS>(facts, Facts());
	__syncthreads();
	merge_in_order(merges, segments - 1, &r, &over);
	if (threadIdx.x == 0)
		tiles[blockIdx.x] = {r, merges[segments - 1].part, facts};
	if (over)
		overflow[OVERFLOW_UP] = 1;
}

/* Merges the tiles, in their order. */
template <typename Source>
__global__ void __launch_bounds__(REDUCE_THREADS)
merge_tiles(Source source, const TileMoments<Source> *tiles, int ntiles,
			typename Source::Summary *summary, int *overflow)
{
	typedef typename Source::Facts Facts;
	typedef Merge<typename Source::Sums> OwnMerge;
	const int	batch = sizeof(OwnMerge) > 64 ? MERGE_BATCH / 2 : MERGE_BATCH;
	__shared__ OwnMerge merges[MERGE_STEPS][batch];
	__shared__ Part<typename Source::Sums> all;
	Facts		facts = Facts::none();
	bool		over = false;

	merge_stream(merges, 2 * ntiles, &all, &over, [&] (int i) {
		const TileMoments<Source> *tile = &tiles[i / 2];

		if (i % 2 == 0)
			facts = Facts()(facts, tile->facts);
		return i % 2 == 0 ? tile->r : tile->s;
	});
	facts = block_reduce<REDUCE_THREADS>(facts, Facts());
	if (threadIdx.x == 0)
		source.put(summary, all, facts);
	if (over)
		overflow[OVERFLOW_UP] = 1;
}

template <typename Source>
static size_t
moments_scratch_bytes(int64_t count)
{
	return count_tiles(count, FLOAT_TILE) * sizeof(TileMoments<Source>);
}

/* Queues the kernels. */
template <typename Source>
static cudaError_t
find_moments(const DeviceWork *work, Source source)
{
	TileMoments<Source> *tiles = (TileMoments<Source> *) work->scratch;
	int			ntiles = (int) count_tiles(work->count, FLOAT_TILE);

	TRY(launch_kernel(work->stream, sum_tiles<Source>, ntiles, SEGMENT_THREADS,
					  0, source, tiles, work->report->overflow));
	return launch_kernel(work->stream, merge_tiles<Source>, 1, REDUCE_THREADS,
						 0, source, tiles, ntiles,
						 (typename Source::Summary *) work->summary,
						 work->report->overflow);
}

#endif							/* GPUCOMPACT_MERGE_IN_ORDER_H */
