/*
 * rounds_state.h
 *	  What the kernels of a selection in rounds share (select_rounds.cu).
 */
#ifndef GPUCOMPACT_ROUNDS_STATE_H
#define GPUCOMPACT_ROUNDS_STATE_H

#include "contract/operations/select.h"
#include "kernels/common/resident.h"
#include "kernels/select/rank_search.h"
#include "kernels/select/select.h"

#define SELECT_WARPS	(SELECT_THREADS / WARP)

/* Ranges of about as many elements, and bins of the same width in each. */
#define RANGES			(1 << RANGE_BITS)
#define BINS			(1 << (RANGE_BITS + RANGE_BIN_BITS))

/* The bins of a thread, where one block goes through all. */
#define THREAD_BINS		(BINS / SELECT_THREADS)

static_assert(SELECT_THREADS >= SELECT_MAX_RANKS, "a thread for each rank");

/*
 * The facts about the ranks and the remaining elements: first all elements,
 * then the elements that the last round kept, ordered by bin.
 */
template <typename Key>
struct __align__(16) SelectState
{
	unsigned	counts[BINS];
	unsigned	places[BINS];	/* where the next element of a bin is kept */
	bool		keep[BINS];		/* a rank's element is one of several there */
	Key			borders[RANGES];	/* between ranges; the last is not used */
	unsigned	count;			/* elements at hand */
	unsigned	kept;			/* elements that the round keeps */
	unsigned	most;			/* of one bin */
	unsigned	done;			/* thread blocks that have counted */
	int			selector;		/* the elements at hand: in the second buffer */
	bool		runs;			/* the round is needed */
	unsigned	ranks[SELECT_MAX_RANKS];	/* among the elements at hand */
	unsigned	begins[SELECT_MAX_RANKS];	/* of the ranks' bins, as kept */
	RankRange<Key> ranges[SELECT_MAX_RANKS];	/* the ranks' bins */
};

/* The memory of a selection, and its input. */
template <typename Key>
struct Selection
{
	unsigned	count;
	const long long *wanted;	/* the ranks */
	SelectState<Key> *state;
	Key		   *buffers[2];
	Key		   *out;
	int			ranks;
	KeyOrder	order;

	__device__ const Key *items() const
	{
		return state->selector ? buffers[1] : buffers[0];
	}

	/* The buffer to which kept elements are written. */
	__device__ Key *other() const
	{
		return state->selector ? buffers[0] : buffers[1];
	}

	/* Thread blocks that go through the elements: each has some of them. */
	__device__ unsigned blocks() const
	{
		const unsigned each = SELECT_MIN_ITEMS * SELECT_THREADS;

		return min(gridDim.x, (state->count - 1) / each + 1);
	}
};

#endif							/* GPUCOMPACT_ROUNDS_STATE_H */
