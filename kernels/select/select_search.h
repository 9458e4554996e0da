/*
 * select_search.h
 *	  The second part of a selection in one launch (select_grid.cu): the search
 *	  among the keys inside the brackets, by all blocks and then by the first.
 */
#ifndef GPUCOMPACT_SELECT_SEARCH_H
#define GPUCOMPACT_SELECT_SEARCH_H

#include "kernels/select/select_brackets.h"

/*
 * Clears the exchange of the first round.  The exchange of each next round is
 * cleared in the round before.
 */
template <typename Key, int BRACKETS>
__device__ void
SelectAgent<Key, BRACKETS>::clear_exchange()
{
	SelectExchange<Key> *exchange = selection.exchange;

	if (blockIdx.x > 0)
		return;
	for (int i = 0; i < SEARCH_RANKS; i++)
		exchange->counts[0][i][threadIdx.x] = 0;
	if (threadIdx.x < 2 * SEARCH_RANKS)
		exchange->brackets[0][threadIdx.x] = {};
	if (threadIdx.x == 0)
		exchange->nrest = 0;
}

/*
 * Begins the search in the ranges that have the ranks.  Returns false if a rank
 * is outside of its bracket.
 */
template <typename Key, int BRACKETS>
__device__ bool
SelectAgent<Key, BRACKETS>::enter(const BracketCounts *counts)
{
	bool		outside = false;

#pragma unroll
	for (int i = 0; i < SEARCH_RANKS; i++)
	{
		Bracket<Key> bracket = brackets[bracket_of(i)];
		BracketCounts count = counts[bracket_of(i)];
		RankRange<Key> *range = &memory->search.ranges[i];
		unsigned	rank = (unsigned) wanted(i) - count.below;

		if (threadIdx.x != i)
			continue;
		outside = wanted(i) < count.below;
		if (rank < count.at_low)
			*range = {bracket.low, bracket.low};
		else if (rank - count.at_low < count.inside)
			*range = bracket.range(rank - count.at_low, count.inside);
		else
		{
			*range = {bracket.high, bracket.high};
			outside |= rank - count.at_low - count.inside >= count.at_high;
		}
	}
	return !__syncthreads_or(outside);
}

/* Searches the keys that the first block keeps: all that are left. */
template <typename Key, int BRACKETS>
__device__ void
SelectAgent<Key, BRACKETS>::finish()
{
	RankRange<Key> *ranges = memory->search.ranges;

	memory->search.find_alone([&] (auto function) { for_each_kept(function); });
	if (threadIdx.x < selection.ranks)
		selection.out[threadIdx.x] = restored(ranges[threadIdx.x].low,
											  selection.order);
	if (threadIdx.x == 0)
		*selection.results = selection.ranks;
}

/* If there is one block, it keeps all keys. */
template <typename Key, int BRACKETS>
__device__ void
SelectAgent<Key, BRACKETS>::search_alone()
{
	unsigned	count = (unsigned) selection.count;

#pragma unroll 4
	for (unsigned i = threadIdx.x; i < count; i += THREADS)
		put(i, ordered(selection.in[i], selection.order));
	if (threadIdx.x == 0)
		memory->nkept = count;
	if (threadIdx.x < SEARCH_RANKS)
		memory->search.ranges[threadIdx.x] = all_keys<Key>
			((unsigned) wanted(threadIdx.x), count);
	__syncthreads();
	finish();
}

/* Adds the block's counts to the counts of all blocks. */
template <typename Key, int BRACKETS>
__device__ void
SelectAgent<Key, BRACKETS>::share_bins(int round)
{
	SelectExchange<Key> *exchange = selection.exchange;

	for (int i = 0; i < SEARCH_RANKS; i++)
	{
		unsigned	count = memory->search.take_count(i);

		if (count > 0)
			atomicAdd(&exchange->counts[round % 3][i][threadIdx.x], count);
		if (blockIdx.x == 0)
			exchange->counts[(round + 1) % 3][i][threadIdx.x] = 0;
	}
}

/* Cuts off the ends of the ranges in which no block has keys. */
template <typename Key, int BRACKETS>
__device__ void
SelectAgent<Key, BRACKETS>::tighten_together()
{
	RankSearch<Key> *search = &memory->search;
	SelectExchange<Key> *exchange = selection.exchange;
	auto		kept = [&] (auto function) { for_each_kept(function); };
	KeyRange<Key> own[SEARCH_RANKS];

	for (int i = 0; i < SEARCH_RANKS; i++)
		own[i] = search->find_key_range(i, kept);
	search->merge_key_ranges(own, [&] (int rank, KeyRange<Key> merged) {
		exchange->key_ranges[rank][blockIdx.x] = merged;
	});
	grid_sync();
	for (int i = 0; i < SEARCH_RANKS; i++)
	{
		own[i] = {};
		if (threadIdx.x < gridDim.x)
			own[i] = exchange->key_ranges[i][threadIdx.x];
	}
	search->merge_key_ranges(own, [&] (int rank, KeyRange<Key> merged) {
		search->tighten(rank, merged);
	});
}

/*
 * Searches until few keys are left.  Returns false if the search is left to
 * another launch.
 */
template <typename Key, int BRACKETS>
__device__ bool
SelectAgent<Key, BRACKETS>::search_together(GridToken cleared)
{
	RankSearch<Key> *search = &memory->search;
	auto		kept = [&] (auto function) { for_each_kept(function); };
	SelectExchange<Key> *exchange = selection.exchange;
	unsigned	counts[SEARCH_RANKS];
	int			round = 0;

	if (!find_brackets())
		return false;
	for (;; round++)
	{
		keep_inside();
		search->count_bins(kept);
		if (round == 0)
			grid_wait(std::move(cleared));
		share_bins(round);
		if (threadIdx.x < sizeof(memory->counts) / sizeof(unsigned))
			atomicAdd((unsigned *) exchange->brackets[round] + threadIdx.x,
					  ((const unsigned *) memory->counts)[threadIdx.x]);
		grid_sync();

		/* Ranges that were the same were divided as the first one. */
#pragma unroll
		for (int i = 0; i < SEARCH_RANKS; i++)
			counts[i] =
				exchange->counts[round % 3][bracket_of(i)][threadIdx.x];
		if (enter(exchange->brackets[round]))
			break;
#pragma unroll
		for (int i = 0; i < BRACKETS; i++)
			brackets[i] = {0, (Key) ~(Key) 0};
	}
	search->narrow([&] (int rank) { return counts[rank]; });
	while (search->keys_left(0) > SELECT_REST)
	{
		if (search->is_crowded())
			tighten_together();
		round++;
		search->count_bins(kept);
		share_bins(round);
		grid_sync();
		search->narrow([&] (int rank) {
			return exchange->counts[round % 3][rank][threadIdx.x];
		});
	}
	return true;
}

/*
 * Gives the first block the keys that are left.  The keys may spill into the
 * parts of other blocks, which no longer need them.
 */
template <typename Key, int BRACKETS>
__device__ void
SelectAgent<Key, BRACKETS>::hand_over()
{
	SelectExchange<Key> *exchange = selection.exchange;
	const RankSearch<Key> *search = &memory->search;
	RankRange<Key> ranges[SEARCH_RANKS];
	bool		left[SEARCH_RANKS];
	unsigned	count = 0;
	unsigned	before;

	for (int i = 0; i < SEARCH_RANKS; i++)
	{
		ranges[i] = search->ranges[i];
		left[i] = search->is_divided(i);
	}
	auto		is_left = [&] (Key key) {
		return (left[0] && ranges[0].has(key)) ||
			(left[1] && ranges[1].has(key));
	};

	for_each_kept([&] (Key key) { count += is_left(key); });
	before = block_exclusive_scan<SEARCH_WARPS>(count, memory->warps);
	if (threadIdx.x == THREADS - 1)
		memory->rest = atomicAdd(&exchange->nrest, before + count);
	__syncthreads();
	before += memory->rest;
	for_each_kept([&] (Key key) {
		if (is_left(key))
			exchange->rest[before++] = key;
	});
	grid_sync();
	if (blockIdx.x > 0)
		return;
	for (unsigned i = threadIdx.x; i < exchange->nrest; i += THREADS)
		put(i, exchange->rest[i]);
	if (threadIdx.x == 0)
		memory->nkept = exchange->nrest;
	__syncthreads();
}

#endif							/* GPUCOMPACT_SELECT_SEARCH_H */
