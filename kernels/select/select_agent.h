/*
 * select_agent.h
 *	  A thread's part in a selection in one launch (select_grid.cu), and what
 *	  its blocks share.
 */
#ifndef GPUCOMPACT_SELECT_AGENT_H
#define GPUCOMPACT_SELECT_AGENT_H

#include "kernels/common/cooperative_launch.h"
#include "kernels/common/vector.h"
#include "kernels/select/rank_search.h"

#define THREADS			SEARCH_THREADS

/*
 * The ends of a bracket, which are not inside: so keys inside are few, even if
 * many are equal.
 */
template <typename Key>
struct Bracket
{
	Key			low;
	Key			high;

	/* The search begins with all keys inside. */
	__device__ RankRange<Key> range(unsigned rank, unsigned count) const
	{
		if ((Key) (high - low) < 2)
			return {low, low};
		return {(Key) (low + 1), (Key) (high - 1), rank, count};
	}
};

/* Where keys are relative to a bracket. */
struct BracketCounts
{
	unsigned	below;
	unsigned	at_low;
	unsigned	inside;
	unsigned	at_high;		/* unless the ends are the same */
};

/* The exchange of the blocks, in the scratch memory. */
template <typename Key>
struct SelectExchange
{
	bool		far;			/* each rank needs a bracket of its own */
	BracketCounts brackets[2][SEARCH_RANKS];	/* the sample's, then all */
	unsigned	counts[3][SEARCH_RANKS][THREADS];	/* of a round of three */
	KeyRange<Key> key_ranges[SEARCH_RANKS][GRID_BLOCKS];
	unsigned	nrest;
	Key			rest[SELECT_REST];
};

/* The arguments. */
template <typename Key>
struct GridSelection
{
	const Key  *in;
	long long	count;
	int			sample;			/* keys of each thread */
	long long	part;			/* elements of each block; the last has fewer */
	int			room;			/* of a block for keys, in shared memory */
	int			ranks;
	bool		far_apart;		/* far ranks may be left to another launch */
	const long long *wanted;	/* the ranks, ascending */
	KeyOrder	order;
	SelectExchange<Key> *exchange;
	Key		   *spilled;		/* keys that have no room there, by parts */
	Key		   *out;
	long long  *results;
};

/* The shared memory. */
template <typename Key>
struct SelectMemory
{
	RankSearch<Key> search;
	BracketCounts counts[SEARCH_RANKS]; /* of the block's part */
	unsigned	nkept;
	unsigned	warps[SEARCH_WARPS];
	unsigned	rest;			/* where the block's keys go */
	Key			kept[1];		/* "room" of them */
};

/*
 * A thread's part in the selection with one bracket or two, in the phases of
 * run().
 */
template <typename Key, int BRACKETS>
struct SelectAgent
{
	const GridSelection<Key> &selection;
	SelectMemory<Key> *memory;
	Bracket<Key> brackets[BRACKETS];

	__device__ static int bracket_of(int rank)
	{
		return min(rank, BRACKETS - 1);
	}

	__device__ Key *spilled() const
	{
		return selection.spilled + blockIdx.x * selection.part;
	}

	/* If there is only one rank, it is searched twice at once. */
	__device__ long long wanted(int rank) const
	{
		return selection.wanted[min(rank, selection.ranks - 1)];
	}

	__device__ void clear_exchange();
	__device__ Bracket<Key> find_bracket(const Key *keys, int low, int high);
	__device__ bool find_brackets();
	__device__ void put(unsigned at, Key key);
	template <int N>
	__device__ void append(const Vector<Key> (&vectors)[N], unsigned mask);
	__device__ void keep(KeyOrder order);
	__device__ void add_counts(int bracket, BracketCounts own);
	__device__ void keep_inside();
	template <typename Function>
	__device__ void for_each_kept(Function function) const;
	__device__ void share_bins(int round);
	__device__ bool enter(const BracketCounts *counts);
	__device__ void search_alone();
	__device__ void tighten_together();
	__device__ bool search_together(GridToken cleared);
	__device__ void hand_over();
	__device__ void finish();
	__device__ void run();
};

#endif							/* GPUCOMPACT_SELECT_AGENT_H */
