/*
 * rounds_splitters.h
 *	  The beginning of a round of a selection (select_rounds.cu): splitters out
 *	  of a sample of the elements.
 */
#ifndef GPUCOMPACT_ROUNDS_SPLITTERS_H
#define GPUCOMPACT_ROUNDS_SPLITTERS_H

#include "kernels/common/sample.h"
#include "kernels/select/rounds_state.h"

/*
 * In the first round all elements are at hand, and no rank is found.  Later the
 * elements that were kept are at hand.
 */
template <typename Key>
__device__ static inline void
take_kept(const Selection<Key> &selection, int round)
{
	SelectState *state = selection.state;

	if (round == 0 && threadIdx.x < selection.ranks)
	{
		state->ranks[threadIdx.x] = selection.wanted[threadIdx.x];
		state->found[threadIdx.x] = false;
	}
	if (round == 0 && threadIdx.x == 0)
	{
		state->count = selection.count;
		state->selector = 0;
	}
	if (round > 0 && threadIdx.x == 0 && selection.needs_round())
	{
		state->count = state->next_count;
		state->selector = !state->selector;
	}
	__syncthreads();
}

/* The ends of a bracket, as places in the sample, or outside of it. */
typedef struct BracketPlaces
{
	int			low;
	int			high;
} BracketPlaces;

/* The bracket of all ranks that are not found. */
template <typename Key>
__device__ static inline BracketPlaces
find_bracket(const Selection<Key> &selection)
{
	const SelectState *state = selection.state;
	BracketPlaces bracket = {SAMPLE, -1};

	for (int rank = 0; rank < selection.ranks; rank++)
	{
		int			place = (int) (state->ranks[rank] * SAMPLE /
								   state->count);

		if (state->found[rank])
			continue;
		bracket.low = min(bracket.low, place - SELECT_BRACKET_MARGIN);
		bracket.high = max(bracket.high, place + SELECT_BRACKET_MARGIN);
	}
	return bracket;
}

template <typename Key>
__device__ static inline Key
next_key(Key key)
{
	return key == (Key) ~(Key) 0 ? key : key + 1;
}

/*
 * Makes splitters of a bracket's ends.  Returns false if the ranks are far from
 * each other, or if the sample has many more keys between the ends: that is,
 * many equal ones.
 */
template <typename Key>
__device__ static inline bool
put_bracket(const Selection<Key> &selection, const Key *keys)
{
	__shared__ Key ends[2];
	BracketPlaces bracket = find_bracket(selection);
	int			inside = 0;

	if (bracket.high - bracket.low > SELECT_BRACKET)
		return false;
	if (threadIdx.x == 0)
	{
		ends[0] = 0;
		ends[1] = (Key) ~(Key) 0;
	}
	__syncthreads();
	for (int i = 0; i < SELECT_SAMPLE_ITEMS; i++)
	{
		int			at = threadIdx.x * SELECT_SAMPLE_ITEMS + i;

		if (at == bracket.low)
			ends[0] = keys[i];
		if (at == bracket.high)
			ends[1] = next_key(keys[i]);
	}
	__syncthreads();
	for (int i = 0; i < SELECT_SAMPLE_ITEMS; i++)
		inside += __syncthreads_count(ends[0] <= keys[i] && keys[i] < ends[1]);
	if (threadIdx.x < 2)
		selection.splitters[threadIdx.x] = ends[threadIdx.x];
	return inside <= 2 * (bracket.high - bracket.low);
}

/*
 * Makes splitters of the keys with which the threads' parts of the sample
 * begin.  An equal one becomes the next key, so that no other key is in the
 * bin; of those that are equal then, one is taken.  The last key fills up the
 * tree.  Returns the number of splitters.
 */
template <typename Key>
__device__ static inline int
put_splitters(const Selection<Key> &selection, Key key)
{
	__shared__ Key keys[BINS];
	__shared__ int warps[SELECT_WARPS];
	int			thread = threadIdx.x;
	bool		differs;
	int			before;
	int			all;

	keys[thread] = key;
	__syncthreads();
	if (thread > 1 && key == keys[thread - 1])
		key = next_key(key);
	__syncthreads();
	keys[thread] = key;
	__syncthreads();
	differs = thread == 1 || (thread > 1 && key != keys[thread - 1]);
	before = block_exclusive_scan<SELECT_WARPS>((int) differs, warps);
	all = block_sum<SELECT_WARPS>(warps);
	if (differs)
		selection.splitters[before] = key;
	if (thread >= all)
		selection.splitters[thread] = (Key) ~(Key) 0;
	return (all < FEW_BINS ? FEW_BINS : BINS) - 1;
}

/* Samples the elements at hand: some keys become splitters. */
template <typename Key>
__global__ void __launch_bounds__(SELECT_THREADS)
make_splitters(Selection<Key> selection, int round)
{
	typedef BlockSort<Key, SELECT_THREADS, SELECT_SAMPLE_ITEMS> Sort;
	__shared__ typename Sort::Memory shared;
	SelectState *state = selection.state;
	Key			keys[SELECT_SAMPLE_ITEMS];
	bool		bracketed;
	int			splitters = 2;

	let_next_start();
	wait_for_preceding();
	take_kept(selection, round);
	if (!selection.needs_round())
		return;
	for (int i = 0; i < SELECT_SAMPLE_ITEMS; i++)
	{
		long long	at = sample_position(threadIdx.x * SELECT_SAMPLE_ITEMS + i,
										 round, state->count);

		keys[i] = ordered(selection.items()[at], selection.order);
	}
	typename Sort::Sort(shared).Sort(keys, Less<Key>());
	__syncthreads();
	bracketed = state->count >= SELECT_BRACKET_ITEMS &&
		put_bracket(selection, keys);
	if (!bracketed)
		splitters = put_splitters(selection, keys[0]);
	state->counts[threadIdx.x] = 0;
	state->keep[threadIdx.x] = bracketed && threadIdx.x == BRACKET_BIN;
	if (threadIdx.x == 0)
	{
		state->splitters = splitters;
		state->bracketed = bracketed;
		state->kept = 0;
	}
}

#endif							/* GPUCOMPACT_ROUNDS_SPLITTERS_H */
