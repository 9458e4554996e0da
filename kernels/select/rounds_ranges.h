/*
 * rounds_ranges.h
 *	  The beginning of a round of a selection (select_rounds.cu): ranges of
 *	  keys, out of a sample of the elements, and their bins.
 */
#ifndef GPUCOMPACT_ROUNDS_RANGES_H
#define GPUCOMPACT_ROUNDS_RANGES_H

#include "kernels/common/sample.h"
#include "kernels/select/rounds_state.h"

/*
 * The remaining elements: in the first round all; later the elements that were
 * kept, if a bin has many.
 */
template <typename Key>
__device__ static inline void
begin_round(const Selection<Key> &selection, int round)
{
	SelectState<Key> *state = selection.state;

	if (round == 0 && threadIdx.x < selection.ranks)
	{
		unsigned	rank = (unsigned) selection.wanted[threadIdx.x];

		state->ranks[threadIdx.x] = rank;
		state->ranges[threadIdx.x] = all_keys<Key>(rank, selection.count);
	}
	if (threadIdx.x == 0)
	{
		state->runs = round == 0 || state->most > SELECT_FEW_ITEMS;
		if (round == 0)
		{
			state->count = selection.count;
			state->selector = 0;
			state->done = 0;
		}
		else if (state->runs)
		{
			state->count = state->kept;
			state->selector = !state->selector;
		}
	}
	__syncthreads();
}

/*
 * Samples the remaining elements.  The borders of the ranges are the least and
 * the greatest key of the sample, and others at even distances in its order.
 * A key that is a border again becomes the next key, so that no other key is
 * in the range between the two.
 */
template <typename Key>
__global__ void __launch_bounds__(SELECT_THREADS)
make_ranges(const __grid_constant__ Selection<Key> selection, int round)
{
	__shared__ Key sample[ROUND_SAMPLE];
	__shared__ Key sorted[ROUND_SAMPLE];
	SelectState<Key> *state = selection.state;
	int			thread = threadIdx.x;
	Key			key;

	let_next_start();
	wait_for_preceding();
	begin_round(selection, round);
	if (!state->runs)
		return;
	if (thread < ROUND_SAMPLE)
	{
		long long	at = sample_position(thread, round, state->count);

		key = ordered(selection.items()[at], selection.order);
		sample[thread] = key;
	}
	for (int i = 0; i < THREAD_BINS; i++)
		state->counts[i * SELECT_THREADS + thread] = 0;
	__syncthreads();
	if (thread < ROUND_SAMPLE)
	{
		int			before = 0;

#pragma unroll 16
		for (int i = 0; i < ROUND_SAMPLE; i++)
			before += sample[i] < key || (sample[i] == key && i < thread);
		sorted[before] = key;
	}
	__syncthreads();
	if (thread < RANGES - 1)
	{
		const int	last = RANGES - 2;
		Key			border = sorted[thread * (ROUND_SAMPLE - 1) / last];
		bool		again = thread > 0 &&
			border == sorted[(thread - 1) * (ROUND_SAMPLE - 1) / last];

		state->borders[thread] = border + (again && border < (Key) ~(Key) 0);
	}
}

/*
 * The ranges and their bins, in shared memory.  A gap of one divides the ranges
 * into halves: so the wide keys that a step of a search compares with are in
 * different banks.
 */
template <typename Key>
struct RangeBins
{
	Key			lows[RANGES + 1];	/* the first key of each range */
	Key			lasts[RANGES + 1];
	int			shifts[RANGES + 1];	/* logarithm of the width of bins */

	__device__ static constexpr int place(int range)
	{
		return range + range / (RANGES / 2);
	}

	/*
	 * All threads of a block call this; it ends with a barrier.  No key is in
	 * a range whose last key is less than the first.
	 */
	__device__ void load(const Key *borders)
	{
		int			range = threadIdx.x;

		if (range < RANGES)
		{
			Key			low = range > 0 ? borders[range - 1] : 0;
			Key			last = range < RANGES - 1 ? borders[range] - 1 :
				(Key) ~(Key) 0;

			lows[place(range)] = low;
			lasts[place(range)] = last;
			shifts[place(range)] =
				bucket_range(low, last, RANGE_BIN_BITS).shift;
		}
		__syncthreads();
	}

	/* The keys of a bin with "count" of "all" elements, in which a rank is. */
	__device__ RankRange<Key> keys_of(int bin, unsigned rank, unsigned count,
									  unsigned all) const
	{
		int			at = place(bin >> RANGE_BIN_BITS);
		Key			number = (Key) (bin & ((1 << RANGE_BIN_BITS) - 1));
		Key			first = lows[at] + (number << shifts[at]);
		Key			width = (Key) ((Key) 1 << shifts[at]) - 1;
		Key			left = lasts[at] - first;

		return {first, (Key) (first + min(width, left)), rank, count, all};
	}
};

/*
 * A thread's search for bins, without branches.  It has the keys of the first
 * two steps in registers.  (Sanders and Winkel, "Super scalar sample sort",
 * 2004.)
 */
template <typename Key>
struct BinSearch
{
	static const unsigned size = sizeof(Key);
	typedef RangeBins<Key> Bins;

	const Bins &bins;
	Key			quarters[3];

	__device__ BinSearch(const Bins &loaded) : bins(loaded)
	{
		for (int i = 0; i < 3; i++)
			quarters[i] = bins.lows[Bins::place((i + 1) * RANGES / 4)];
	}

	__device__ Key low_at(unsigned bytes) const
	{
		return *(const Key *) ((const char *) bins.lows + bytes);
	}

	/*
	 * A greater key is in the same bin or in a later one.  The key's range is
	 * the last one that does not begin behind the key.  Its place is in bytes,
	 * as addresses are: that takes the fewest instructions.
	 */
	__device__ int bin_of(Key key) const
	{
		bool		high = quarters[1] <= key;
		unsigned	at = high ? Bins::place(RANGES / 2) * size : 0;
		int			place;

		at += (high ? quarters[2] : quarters[0]) <= key ? RANGES / 4 * size : 0;
#pragma unroll
		for (int step = RANGES / 8; step > 0; step /= 2)
			at = low_at(at + step * size) <= key ? at + step * size : at;
		place = at / size;
		return ((place - high) << RANGE_BIN_BITS) +
			(int) ((Key) (key - low_at(at)) >> bins.shifts[place]);
	}
};

#endif							/* GPUCOMPACT_ROUNDS_RANGES_H */
