/*
 * rounds_count.h
 *	  The middle of a round of a selection (select_rounds.cu): counts the
 *	  elements of each bin, and finds the bins that have the ranks.
 */
#ifndef GPUCOMPACT_ROUNDS_COUNT_H
#define GPUCOMPACT_ROUNDS_COUNT_H

#include "kernels/common/last_block.h"
#include "kernels/common/vector.h"
#include "kernels/select/rounds_ranges.h"

/*
 * Goes through the elements from "begin" to "end", both multiples of a vector
 * or the end of all, with all threads of the thread blocks that do so.  The
 * function gets a vector and the number of its elements, in all lanes of a warp
 * together.
 */
template <typename Key, typename Function>
__device__ static __forceinline__ void
for_each_at_hand(const Selection<Key> &selection, long long begin,
				 long long end, Function function)
{
	const int	each = Vector<Key>::count;
	const long long step = SELECT_VECTORS * WARP * each;
	long long	first = blockIdx.x * SELECT_WARPS + threadIdx.x / WARP;

	for_each_of_warp<SELECT_VECTORS>(selection.items(), begin + first * step,
									 selection.blocks() * SELECT_WARPS * step,
									 end, [&] (auto &vectors, int left) {
#pragma unroll
		for (int i = 0; i < SELECT_VECTORS; i++)
			function(vectors[i], min(max(left - i * WARP * each, 0), each));
	});
}

/* Calls a function with the order, known as one of floats or of integers. */
template <typename Function>
__device__ static __forceinline__ void
with_order(KeyOrder order, Function function)
{
	if (order.is_float)
		function(KeyOrder{true, order.canonicalize, order.flip});
	else
		function(KeyOrder{false, false, order.flip});
}

/* The last bin that begins at the rank or before it, which is not empty. */
__device__ static inline int
find_bin(const unsigned starts[BINS], unsigned rank)
{
	int			bin = 0;

	for (int step = BINS / 2; step > 0; step /= 2)
		bin += starts[bin + step] <= rank ? step : 0;
	return bin;
}

/* The shared memory. */
template <typename Key>
struct CountMemory
{
	RangeBins<Key> bins;
	unsigned	counts[BINS];	/* of the block; then where bins begin */
	bool		keep[BINS];
	unsigned	warps[SELECT_WARPS];
	unsigned	most;

	/* The beginning of each bin, from the threads' counts of its elements. */
	__device__ unsigned begin_bins(const unsigned (&own)[THREAD_BINS])
	{
		unsigned	sum = 0;
		unsigned	before;

		for (int i = 0; i < THREAD_BINS; i++)
			sum += own[i];
		before = block_exclusive_scan<SELECT_WARPS>(sum, warps);
		for (int i = 0; i < THREAD_BINS; i++)
		{
			counts[threadIdx.x * THREAD_BINS + i] = before;
			before += own[i];
		}
		__syncthreads();
		return block_sum<SELECT_WARPS>(warps);
	}
};

/*
 * Finds the bins of the ranks, once all elements are counted.  The elements of
 * a bin are kept, unless only one key can be in the bin.
 */
template <typename Key>
__device__ static inline void
find_ranks(const Selection<Key> &selection, CountMemory<Key> *memory)
{
	SelectState<Key> *state = selection.state;
	const int	first = threadIdx.x * THREAD_BINS;
	unsigned	own[THREAD_BINS];
	unsigned	most = 0;
	unsigned	kept;
	int			bin = -1;		/* of the thread's rank, if it is kept */
	RankRange<Key> range;

	for (int i = 0; i < THREAD_BINS; i++)
		own[i] = __ldcg(&state->counts[first + i]);
	for (int i = 0; i < THREAD_BINS; i++)
		memory->keep[first + i] = false;
	if (threadIdx.x == 0)
		memory->most = 0;
	memory->begin_bins(own);
	if (threadIdx.x < selection.ranks &&
		!state->ranges[threadIdx.x].is_found())
	{
		unsigned	rank = state->ranks[threadIdx.x];

		bin = find_bin(memory->counts, rank);
		range = memory->bins.keys_of(bin, rank - memory->counts[bin],
									 __ldcg(&state->counts[bin]),
									 state->count);
		if (range.is_found())
			bin = -1;
		else
			memory->keep[bin] = true;
		state->ranges[threadIdx.x] = range;
	}
	__syncthreads();
	for (int i = 0; i < THREAD_BINS; i++)
	{
		bool		keep = memory->keep[first + i];

		state->keep[first + i] = keep;
		own[i] = keep ? own[i] : 0;
		most = max(most, own[i]);
	}
	atomicMax(&memory->most, most);
	kept = memory->begin_bins(own);
	for (int i = 0; i < THREAD_BINS; i++)
		state->places[first + i] = memory->counts[first + i];
	if (bin >= 0)
	{
		state->begins[threadIdx.x] = memory->counts[bin];
		state->ranks[threadIdx.x] = memory->counts[bin] + range.rank;
	}
	if (threadIdx.x == 0)
	{
		state->kept = kept;
		state->most = memory->most;
	}
}

/* Counts the elements of each bin; the last block finds the ranks' bins. */
template <typename Key>
__global__ void
__launch_bounds__(SELECT_THREADS,
				  resident_blocks(SELECT_BLOCKS_PER_SM, SELECT_THREADS))
count_bins(const __grid_constant__ Selection<Key> selection)
{
	__shared__ CountMemory<Key> memory;
	SelectState<Key> *state = selection.state;

	let_next_start();
	wait_for_preceding();
	if (!state->runs)
		return;
	for (int i = 0; i < THREAD_BINS; i++)
		memory.counts[i * SELECT_THREADS + threadIdx.x] = 0;
	memory.bins.load(state->borders);
	if (blockIdx.x < selection.blocks())
		with_order(selection.order, [&] (KeyOrder order) {
			BinSearch<Key> search(memory.bins);
			unsigned	half = state->count / 2 / WARP * WARP;
			auto		count = [&] (const Vector<Key> &vector, int number) {
#pragma unroll
				for (int i = 0; i < Vector<Key>::count; i++)
				{
					Key			key = ordered(vector.items[i], order);
					int			bin = search.bin_of(key);

					if (i < number)
						atomicAdd(&memory.counts[bin], 1u);
				}
			};

			/* The first half is in the cache when it is read again. */
			for_each_at_hand(selection, half, state->count, count);
			for_each_at_hand(selection, 0, half, count);
		});
	__syncthreads();
	for (int i = 0; i < THREAD_BINS; i++)
	{
		int			bin = i * SELECT_THREADS + threadIdx.x;

		if (memory.counts[bin] > 0)
			atomicAdd(&state->counts[bin], memory.counts[bin]);
	}
	if (is_last_block(&state->done))
		find_ranks(selection, &memory);
}

#endif							/* GPUCOMPACT_ROUNDS_COUNT_H */
