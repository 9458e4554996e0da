/*
 * rounds_finish.h
 *	  The end of a selection in rounds (select_rounds.cu): a thread block for
 *	  each rank.
 */
#ifndef GPUCOMPACT_ROUNDS_FINISH_H
#define GPUCOMPACT_ROUNDS_FINISH_H

#include "kernels/select/rounds_state.h"

/*
 * Searches a rank's bin.  The bin may have many elements if the samples of all
 * rounds missed them, which is very unlikely.
 */
template <typename Key>
__global__ void __launch_bounds__(SEARCH_THREADS)
finish_selection(const __grid_constant__ Selection<Key> selection,
				 long long *results)
{
	__shared__ union Memory
	{
		RankSearch<Key> search;

		__device__ Memory() {}
	}			memory;
	RankSearch<Key> &search = memory.search;
	int			rank = blockIdx.x;
	RankRange<Key> range;

	let_next_start();
	wait_for_preceding();
	range = selection.state->ranges[rank];
	if (!range.is_found())
	{
		const Key  *items = selection.other() + selection.state->begins[rank];
		Key			keys[FINISH_ITEMS];

#pragma unroll
		for (int i = 0; i < FINISH_ITEMS; i++)
		{
			unsigned	at = i * SEARCH_THREADS + threadIdx.x;

			if (at < range.count)
				keys[i] = ordered(items[at], selection.order);
		}
		if (threadIdx.x < SEARCH_RANKS)
			search.ranges[threadIdx.x] = range;
		search.clear();
		search.find_alone([&] (auto function) {
			unsigned	at = threadIdx.x;

#pragma unroll
			for (int i = 0; i < FINISH_ITEMS; i++, at += SEARCH_THREADS)
			{
				if (at < range.count)
					function(keys[i]);
			}
			for (; at < range.count; at += SEARCH_THREADS)
				function(ordered(items[at], selection.order));
		});
		range = search.ranges[0];
	}
	if (threadIdx.x > 0)
		return;
	selection.out[rank] = restored(range.low, selection.order);
	if (rank == 0)
		*results = selection.ranks;
}

#endif							/* GPUCOMPACT_ROUNDS_FINISH_H */
