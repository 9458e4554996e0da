/*
 * rounds_keep.h
 *	  The end of a round of a selection (select_rounds.cu): the elements of the
 *	  ranks' bins are kept, ordered by bin.
 */
#ifndef GPUCOMPACT_ROUNDS_KEEP_H
#define GPUCOMPACT_ROUNDS_KEEP_H

#include "kernels/select/rounds_count.h"

/* The shared memory. */
template <typename Key>
struct KeepMemory
{
	static const int room = SELECT_WARP_BUFFER / sizeof(Key);

	RangeBins<Key> bins;
	bool		keep[BINS];
	Key			buffers[SELECT_WARPS][room];
};

/*
 * The keys that a warp keeps.  They are gathered in shared memory, and take
 * places in their bins when there are many.  All lanes call this together.
 */
template <typename Key>
struct WarpBuffer
{
	const Selection<Key> &selection;
	const KeepMemory<Key> &memory;
	BinSearch<Key> search;
	Key		   *keys;
	int			count;

	__device__ bool is_wanted(Key key) const
	{
		return memory.keep[search.bin_of(key)];
	}

	__device__ void add(Key key, bool wanted)
	{
		unsigned	lanes = __ballot_sync(ALL_LANES, wanted);
		unsigned	own_lane = 1u << threadIdx.x % WARP;

		if (lanes == 0)
			return;
		if (wanted)
			keys[count + __popc(lanes & (own_lane - 1))] = key;
		count += __popc(lanes);
	}

	/* The lanes with keys of one bin get places there at once. */
	__device__ void empty()
	{
		Key		   *kept = selection.other();
		int			lane = threadIdx.x % WARP;

		__syncwarp();
		for (int first = 0; first < count; first += WARP)
		{
			bool		exists = first + lane < count;
			Key			key = exists ? keys[first + lane] : 0;
			int			bin = exists ? search.bin_of(key) : BINS;
			unsigned	peers = __match_any_sync(ALL_LANES, bin);
			int			leader = __ffs((int) peers) - 1;
			unsigned	place = 0;

			if (exists && lane == leader)
				place = atomicAdd(&selection.state->places[bin],
								  __popc(peers));
			place = __shfl_sync(ALL_LANES, place, leader) +
				__popc(peers & ((1u << lane) - 1));
			if (exists)
				kept[place] = restored(key, selection.order);
		}
		__syncwarp();
		count = 0;
	}

	/* Keeps the wanted ones of the first "number" elements of a vector. */
	__device__ __forceinline__ void add_vector(const Vector<Key> &vector,
											   int number, KeyOrder order)
	{
#pragma unroll
		for (int i = 0; i < Vector<Key>::count; i++)
		{
			Key			key = ordered(vector.items[i], order);

			add(key, i < number && is_wanted(key));
		}
		if (count > KeepMemory<Key>::room - WARP * Vector<Key>::count)
			empty();
	}
};

/* Keeps the elements of the ranks' bins. */
template <typename Key>
__global__ void
__launch_bounds__(SELECT_THREADS,
				  resident_blocks(SELECT_BLOCKS_PER_SM, SELECT_THREADS))
keep_elements(const __grid_constant__ Selection<Key> selection)
{
	__shared__ KeepMemory<Key> memory;
	SelectState<Key> *state = selection.state;

	let_next_start();
	wait_for_preceding();
	if (!state->runs || state->kept == 0 || blockIdx.x >= selection.blocks())
		return;
	for (int i = 0; i < THREAD_BINS; i++)
		memory.keep[i * SELECT_THREADS + threadIdx.x] =
			state->keep[i * SELECT_THREADS + threadIdx.x];
	memory.bins.load(state->borders);

	WarpBuffer<Key> buffer = {
		selection, memory, BinSearch<Key>(memory.bins),
		memory.buffers[threadIdx.x / WARP], 0
	};

	with_order(selection.order, [&] (KeyOrder order) {
		for_each_at_hand(selection, 0, state->count,
						 [&] (const Vector<Key> &vector, int number) {
			buffer.add_vector(vector, number, order);
		});
	});
	buffer.empty();
}

#endif							/* GPUCOMPACT_ROUNDS_KEEP_H */
