/*
 * select_brackets.h
 *	  The first part of a selection in one launch (select_grid.cu): brackets out
 *	  of a sample of the keys, and the keys inside the brackets.
 */
#ifndef GPUCOMPACT_SELECT_BRACKETS_H
#define GPUCOMPACT_SELECT_BRACKETS_H

#include "kernels/common/sample.h"
#include "kernels/select/select_agent.h"

/* Vectors that a lane loads at once. */
template <typename Key>
constexpr int grid_vectors = Vector<Key>::count >= SELECT_GRID_ITEMS ? 1 :
	SELECT_GRID_ITEMS / Vector<Key>::count;

/*
 * The margin of a rank in a sample, on each side of its expected place: four
 * standard deviations of a binomial distribution, and some more for a
 * distribution that is not normal.
 */
__device__ static inline int
bracket_margin(int place, int sample)
{
	float		expected = (float) place / sample;

	return (int) (4 * sqrtf(place * (1 - expected))) + 10;
}

/*
 * The bracket from one place in the sample to another.  The places may be
 * outside of the sample.
 */
template <typename Key, int BRACKETS>
__device__ Bracket<Key>
SelectAgent<Key, BRACKETS>::find_bracket(const Key *keys, int low, int high)
{
	RankSearch<Key> *search = &memory->search;
	unsigned	sample = selection.sample * THREADS;
	Bracket<Key> bracket;

	if (threadIdx.x == 0)
	{
		search->ranges[0] = all_keys<Key>(low, sample);
		search->ranges[1] = all_keys<Key>(high, sample);
		if (low < 0)
			search->ranges[0].high = 0;
		if (high >= (int) sample)
			search->ranges[1].low = (Key) ~(Key) 0;
	}
	__syncthreads();
	search->narrow_alone(SELECT_ENDS, [&] (auto function) {
#pragma unroll
		for (int i = 0; i < SELECT_MAX_SAMPLE; i++)
		{
			if (i < selection.sample)
				function(keys[i]);
		}
	});
	bracket = {search->ranges[0].low, search->ranges[1].high};
	__syncthreads();
	return bracket;
}

/*
 * All blocks take the same sample.  Returns false if the ranks are far from
 * each other, and are left to another launch.
 */
template <typename Key, int BRACKETS>
__device__ bool
SelectAgent<Key, BRACKETS>::find_brackets()
{
	long long	count = selection.count;
	int			sample = selection.sample * THREADS;
	int			low[SEARCH_RANKS];
	int			high[SEARCH_RANKS];
	bool		far;
	Key			keys[SELECT_MAX_SAMPLE] = {};

#pragma unroll
	for (int i = 0; i < SELECT_MAX_SAMPLE; i++)
	{
		if (i < selection.sample)
			keys[i] = selection.in[sample_position(i * THREADS + threadIdx.x,
												   0, count)];
	}
#pragma unroll
	for (int i = 0; i < SEARCH_RANKS; i++)
	{
		/* Floats are exact enough, and all threads divide. */
		int			place = (int) (wanted(i) * ((float) sample / count));
		int			margin = bracket_margin(place, sample);

		low[i] = place - margin;
		high[i] = place + margin;
	}
	far = selection.far_apart && high[0] < low[1];
	if (BRACKETS == 1 && blockIdx.x == 0 && threadIdx.x == 0)
		selection.exchange->far = far;
	if (BRACKETS == 1 && far)
		return false;
#pragma unroll
	for (int i = 0; i < SELECT_MAX_SAMPLE; i++)
		keys[i] = ordered(keys[i], selection.order);
	if (BRACKETS == 1)
		brackets[0] = find_bracket(keys, low[0], high[1]);
	else
	{
#pragma unroll
		for (int i = 0; i < BRACKETS; i++)
			brackets[i] = find_bracket(keys, low[i], high[i]);
	}
	return true;
}

template <typename Key, int BRACKETS>
__device__ void
SelectAgent<Key, BRACKETS>::put(unsigned at, Key key)
{
	if (at < selection.room)
		memory->kept[at] = key;
	else
		spilled()[at - selection.room] = key;
}

template <typename Key, int BRACKETS>
template <typename Function>
__device__ void
SelectAgent<Key, BRACKETS>::for_each_kept(Function function) const
{
	unsigned	kept = memory->nkept;
	unsigned	room = min(kept, (unsigned) selection.room);
	const Key  *rest = spilled() - room;

#pragma unroll 4
	for (unsigned i = threadIdx.x; i < room; i += THREADS)
		function(memory->kept[i]);
	for (unsigned i = room + threadIdx.x; i < kept; i += THREADS)
		function(rest[i]);
}

/* Appends the keys of a lane that are in the mask, in any order. */
template <typename Key, int BRACKETS>
template <int N>
__device__ __forceinline__ void
SelectAgent<Key, BRACKETS>::append(const Vector<Key> (&vectors)[N],
								   unsigned mask)
{
	const int	each = Vector<Key>::count;
	unsigned	count = __popc(mask);
	unsigned	through = warp_inclusive_scan(count);
	unsigned	to = 0;

	if (threadIdx.x % WARP == WARP - 1)
		to = atomicAdd(&memory->nkept, through);
	to = __shfl_sync(ALL_LANES, to, WARP - 1) + through - count;
#pragma unroll
	for (int i = 0; i < N * each; i++)
	{
		if (mask >> i & 1)
			put(to++, vectors[i / each].items[i % each]);
	}
}

/* Adds a thread's counts of a bracket to the block's. */
template <typename Key, int BRACKETS>
__device__ __forceinline__ void
SelectAgent<Key, BRACKETS>::add_counts(int bracket, BracketCounts own)
{
	BracketCounts *all = &memory->counts[bracket];
	bool		single = brackets[bracket].low == brackets[bracket].high;

	own = {warp_sum(own.below), warp_sum(own.at_low),
		BRACKETS > 1 ? warp_sum(own.inside) : 0,
		single ? 0 : warp_sum(own.at_high)};
	if (threadIdx.x % WARP > 0)
		return;
	atomicAdd(&all->below, own.below);
	atomicAdd(&all->at_low, own.at_low);
	atomicAdd(&all->at_high, own.at_high);
	if (BRACKETS > 1)
		atomicAdd(&all->inside, own.inside);
}

/* Counts the keys of the block's part, and keeps those inside. */
template <typename Key, int BRACKETS>
__device__ __forceinline__ void
SelectAgent<Key, BRACKETS>::keep(KeyOrder order)
{
	const int	vectors_at_once = grid_vectors<Key>;
	const int	each = Vector<Key>::count;
	const int	step = vectors_at_once * WARP * each;
	long long	begin = blockIdx.x * selection.part;
	long long	end = min(begin + selection.part, selection.count);
	BracketCounts own[BRACKETS] = {};

	for_each_of_warp<vectors_at_once>(selection.in,
									  begin + threadIdx.x / WARP * step,
									  SEARCH_WARPS * step, end,
									  [&] (auto &vectors, int left) {
		unsigned	mask = 0;

#pragma unroll
		for (int i = 0; i < vectors_at_once * each; i++)
		{
			Key		   &key = vectors[i / each].items[i % each];
			bool		exists = i / each * WARP * each + i % each < left;

			key = ordered(key, order);
#pragma unroll
			for (int n = 0; n < BRACKETS; n++)
			{
				Bracket<Key> bracket = brackets[n];
				bool		inside = exists && key > bracket.low &&
					key < bracket.high;

				own[n].below += exists && key < bracket.low;
				own[n].at_low += exists && key == bracket.low;
				own[n].at_high += exists && key == bracket.high;
				if (BRACKETS > 1)
					own[n].inside += inside;
				if (inside)
					mask |= 1u << i;
			}
		}
		if (__any_sync(ALL_LANES, mask != 0))
			append(vectors, mask);
	});
#pragma unroll
	for (int n = 0; n < BRACKETS; n++)
		add_counts(n, own[n]);
	__syncthreads();
	if (BRACKETS == 1 && threadIdx.x == 0)
		memory->counts[0].inside = memory->nkept;
}

/* Keeps the keys inside the brackets.  Then the search may begin. */
template <typename Key, int BRACKETS>
__device__ void
SelectAgent<Key, BRACKETS>::keep_inside()
{
	const KeyOrder &order = selection.order;

#pragma unroll
	for (int i = 0; i < SEARCH_RANKS; i++)
	{
		if (threadIdx.x == i)
		{
			memory->counts[i] = {};
			memory->search.ranges[i] = brackets[bracket_of(i)].range(0, 0);
		}
	}
	if (threadIdx.x == 0)
		memory->nkept = 0;
	__syncthreads();
	if (order.is_float)
		keep({true, order.canonicalize, order.flip});
	else
		keep({false, false, order.flip});
	__syncthreads();
}

#endif							/* GPUCOMPACT_SELECT_BRACKETS_H */
