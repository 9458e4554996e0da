/*
 * rounds_finish.h
 *	  The end of a selection in rounds (select_rounds.cu), by one block.
 */
#ifndef GPUCOMPACT_ROUNDS_FINISH_H
#define GPUCOMPACT_ROUNDS_FINISH_H

#include "kernels/select/rounds_state.h"

/* Sorts the elements that are left, and so finds all ranks. */
template <int ITEMS, typename Key>
__device__ static inline void
sort_rest(const Selection<Key> &selection,
		  typename BlockSort<Key, FINISH_THREADS, ITEMS>::Memory *memory)
{
	typedef BlockSort<Key, FINISH_THREADS, ITEMS> Sort;
	SelectState *state = selection.state;
	Key			keys[ITEMS];

	for (int i = 0; i < ITEMS; i++)
	{
		int			at = i * FINISH_THREADS + threadIdx.x;

		keys[i] = at < state->count ?
			ordered(selection.items()[at], selection.order) : (Key) ~(Key) 0;
	}
	typename Sort::Sort(*memory).Sort(keys, Less<Key>());
	for (int i = 0; i < ITEMS; i++)
	{
		int			at = threadIdx.x * ITEMS + i;

		for (int rank = 0; rank < selection.ranks; rank++)
		{
			if (!state->found[rank] && state->ranks[rank] == at)
				selection.out[rank] = restored(keys[i], selection.order);
		}
	}
}

/* Searches the elements that are left, for all ranks in turn. */
template <typename Key>
__device__ static inline void
search_rest(const Selection<Key> &selection, RankSearch<Key> *search)
{
	SelectState *state = selection.state;
	const Key  *items = selection.items();
	unsigned	count = (unsigned) state->count;
	RankRange<Key> *ranges = search->ranges;

	for (int first = 0; first < selection.ranks; first += SEARCH_RANKS)
	{
		int			rank = min(first + (int) threadIdx.x, selection.ranks - 1);

		search->clear();
		if (threadIdx.x < SEARCH_RANKS)
			ranges[threadIdx.x] = all_keys<Key>
				(state->found[rank] ? 0 : state->ranks[rank], count);
		__syncthreads();
		search->find_alone([&] (auto function) {
			for (unsigned i = threadIdx.x; i < count; i += FINISH_THREADS)
				function(ordered(items[i], selection.order));
		});
		if (threadIdx.x < SEARCH_RANKS && !state->found[rank])
			selection.out[rank] = restored(ranges[threadIdx.x].low,
										   selection.order);
		__syncthreads();
	}
}

/*
 * Finds all ranks that are left.  There may be more elements than one block
 * sorts: a sample that tells nothing of the elements, in every round, is
 * possible if hardly likely.
 */
template <typename Key>
__global__ void __launch_bounds__(FINISH_THREADS)
finish_selection(Selection<Key> selection, int rounds, long long *results)
{
	const int	few_items = SELECT_SORT_ITEMS / 2;
	__shared__ union Memory
	{
		typename BlockSort<Key, FINISH_THREADS, few_items>::Memory few;
		typename BlockSort<Key, FINISH_THREADS, SELECT_SORT_ITEMS>::Memory most;
		RankSearch<Key> search;

		__device__ Memory() {}
	}			memory;
	SelectState *state = selection.state;

	let_next_start();
	wait_for_preceding();
	take_kept(selection, rounds);
	if (state->count <= FINISH_THREADS * few_items)
		sort_rest<few_items>(selection, &memory.few);
	else if (state->count <= SORTED_ITEMS)
		sort_rest<SELECT_SORT_ITEMS>(selection, &memory.most);
	else
		search_rest(selection, &memory.search);
	if (threadIdx.x == 0)
		*results = selection.ranks;
}

#endif							/* GPUCOMPACT_ROUNDS_FINISH_H */
