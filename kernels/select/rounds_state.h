/*
 * rounds_state.h
 *	  What the kernels of a selection in rounds share (select_rounds.cu).
 */
#ifndef GPUCOMPACT_ROUNDS_STATE_H
#define GPUCOMPACT_ROUNDS_STATE_H

#include <cub/block/block_merge_sort.cuh>

#include "contract/operations/select.h"
#include "kernels/select/rank_search.h"
#include "kernels/select/select.h"

/*
 * h200-selection.md; a bracket's margin and blocks:
 * h200-kernels-statistics.md.  The buffers of the warps fit into
 * 48 kB.  The median is within 96 of where it is expected in the sample with a
 * probability of 0.99998; with 64, of 0.995.  With two thread blocks on a
 * multiprocessor a bracket is faster than with three, whose threads have fewer
 * registers.
 */
#define SELECT_BIN_BITS			9
#define SELECT_THREADS			(1 << SELECT_BIN_BITS)
#define SELECT_SAMPLE_ITEMS		4
#define SELECT_BRACKET_MARGIN	96
#define SELECT_BRACKET			(4 * SELECT_BRACKET_MARGIN)
#define SELECT_BRACKET_ITEMS	((int64_t) 4 * 1024 * 1024)
#define SELECT_BRACKET_BUFFER	2048
#define SELECT_KEEP_BUFFER		1024
#define SELECT_VECTORS			2
#define SELECT_MIN_ITEMS		8
#define SELECT_SORT_ITEMS		4
#define SELECT_RESIDENT_BLOCKS	2
#define SELECT_BLOCKS_PER_SM	4

#define SAMPLE			(SELECT_THREADS * SELECT_SAMPLE_ITEMS)
#define SELECT_WARPS	(SELECT_THREADS / WARP)

/* Bins, with a splitter between each two of them: one for each thread. */
#define BINS			SELECT_THREADS

/* The bin between two splitters that bracket the ranks. */
#define BRACKET_BIN		1

/* Bits of the bins if few splitters differ. */
#define FEW_BITS		5
#define FEW_BINS		(1 << FEW_BITS)

/* One block sorts up to SORTED_ITEMS elements. */
#define FINISH_THREADS	SEARCH_THREADS
#define SORTED_ITEMS	(FINISH_THREADS * SELECT_SORT_ITEMS)

static_assert(SELECT_THREADS >= SELECT_MAX_RANKS, "a thread for each rank");

/* What is known of the ranks, and of the elements that are left. */
typedef struct __align__(16) SelectState
{
	long long	count;			/* elements at hand */
	unsigned long long kept;	/* written to the other buffer so far */
	long long	next_count;		/* elements to be kept */
	int			selector;		/* the elements at hand: in the second buffer */
	int			splitters;
	bool		bracketed;		/* only two splitters, which bracket ranks */
	bool		must_keep;		/* elements that hold answers are not kept */
	int			borders;		/* splitters with a bin to keep on one side */
	long long	ranks[SELECT_MAX_RANKS];	/* among those at hand */
	bool		found[SELECT_MAX_RANKS];
	unsigned	counts[BINS];
	bool		keep[BINS];
} SelectState;

template <typename Key>
struct Less
{
	__device__ bool operator() (Key a, Key b) const
	{
		return a < b;
	}
};

/* A block's sort of up to ITEMS elements for each thread, and its memory. */
template <typename Key, int THREADS, int ITEMS>
struct BlockSort
{
	typedef cub::BlockMergeSort<Key, THREADS, ITEMS> Sort;
	typedef typename Sort::TempStorage Memory;
};

/* The memory of a selection, and its input. */
template <typename Key>
struct Selection
{
	long long	count;
	const long long *wanted;	/* the ranks */
	SelectState *state;
	Key		   *splitters;
	Key		   *buffers[2];
	Key		   *out;
	int			ranks;
	KeyOrder	order;

	__device__ const Key *items(void) const
	{
		return state->selector ? buffers[1] : buffers[0];
	}

	/* The buffer to which kept elements are written. */
	__device__ Key *other(void) const
	{
		return state->selector ? buffers[0] : buffers[1];
	}

	/* Thread blocks that go through the elements: each has some of them. */
	__device__ unsigned blocks(void) const
	{
		long long	each = SELECT_MIN_ITEMS * SELECT_THREADS;

		return (unsigned) min((long long) gridDim.x,
							  (state->count + each - 1) / each);
	}

	__device__ bool needs_round(void) const
	{
		return state->count > SORTED_ITEMS;
	}
};

#endif							/* GPUCOMPACT_ROUNDS_STATE_H */
