/*
 * rank_search.h
 *	  The search for the keys of two ranks by all threads of a thread block.
 *
 * The range in which a key may be, at first that of all keys, is divided into
 * bins of the same width.  The numbers of keys in the bins say which bin has
 * the rank; that bin is divided next.  A warp compares the last few keys with
 * each other.  Keys may be anywhere: the caller goes through them.  If other
 * blocks have some of the keys, the caller sums the counts of all blocks.
 */
#ifndef GPUCOMPACT_RANK_SEARCH_H
#define GPUCOMPACT_RANK_SEARCH_H

#include "kernels/common/block.h"
#include "kernels/sort/sort_buckets.h"

/* Ranks that are searched at once.  Both ranks may be equal. */
#define SEARCH_RANKS	2

/* A bin for each thread, and a lane for each warp. */
#define SEARCH_THREADS	(1 << SEARCH_BIN_BITS)
#define SEARCH_WARPS	(SEARCH_THREADS / WARP)

static_assert(SEARCH_WARPS == WARP, "a lane for each warp");

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

/* Where the key of a rank may be: it is found if "low" is "high". */
template <typename Key>
struct RankRange
{
	Key			low;
	Key			high;
	unsigned	rank;			/* among the keys from "low" to "high" */
	unsigned	count;			/* of these keys */

	__device__ bool is_found() const
	{
		return low == high;
	}

	__device__ bool has(Key key) const
	{
		return (Key) (key - low) <= (Key) (high - low);
	}

	__device__ BucketRange<Key> bins() const
	{
		return bucket_range(low, high, SEARCH_BIN_BITS);
	}

	/* The range of a bin of "bin_count" keys, with "before" keys before it. */
	__device__ RankRange<Key> bin(unsigned number, unsigned before,
								  unsigned bin_count) const
	{
		int			shift = bins().shift;
		Key			first = low + ((Key) number << shift);
		Key			width = (Key) ((Key) 1 << shift) - 1;

		return {first, (Key) (first + min(width, (Key) (high - first))),
			rank - before, bin_count};
	}
};

template <typename Key>
__device__ static inline RankRange<Key>
all_keys(unsigned rank, unsigned count)
{
	return {0, (Key) ~(Key) 0, rank, count};
}

/*
 * A search, in shared memory.  All threads call what changes it, which ends
 * with a barrier; but a warp calls find_few().
 */
template <typename Key>
struct RankSearch
{
	RankRange<Key> ranges[SEARCH_RANKS];
	unsigned	counts[SEARCH_RANKS][SEARCH_THREADS];	/* 0 between rounds */
	unsigned	warps[SEARCH_RANKS][SEARCH_WARPS];
	KeyRange<Key> key_ranges[SEARCH_WARPS];
	Key			few[SEARCH_RANKS][WARP];

	__device__ void clear()
	{
		for (int i = 0; i < SEARCH_RANKS; i++)
			counts[i][threadIdx.x] = 0;
		__syncthreads();
	}

	/* Ranges that are the same are divided once. */
	__device__ bool is_divided(int rank) const
	{
		return !ranges[rank].is_found() &&
			(rank == 0 || ranges[rank].low != ranges[0].low ||
			 ranges[rank].high != ranges[0].high);
	}

	/* The number of keys in ranges that have more than enough of them. */
	__device__ unsigned keys_left(unsigned enough) const
	{
		unsigned	left = 0;

		for (int i = 0; i < SEARCH_RANKS; i++)
		{
			if (is_divided(i) && ranges[i].count > enough)
				left += ranges[i].count;
		}
		return left;
	}

	/* Returns the count of the thread's bin, and sets it to zero. */
	__device__ unsigned take_count(int rank)
	{
		unsigned	count = counts[rank][threadIdx.x];

		counts[rank][threadIdx.x] = 0;
		return count;
	}

	/* Begins a search for two ranks among "count" keys, which this block has. */
	template <typename ForEach>
	__device__ void begin(unsigned first, unsigned second, unsigned count,
						  ForEach for_each)
	{
		KeyRange<Key> range;

		for_each([&] (Key key) { range.merge({key, key}); });
		range = block_merge<SEARCH_THREADS>(range, key_ranges);
		if (threadIdx.x < SEARCH_RANKS)
			ranges[threadIdx.x] = {range.least, range.greatest,
				threadIdx.x == 0 ? first : second, count};
		__syncthreads();
	}

	template <typename ForEach>
	__device__ void count_bins(ForEach for_each)
	{
		RankRange<Key> own[SEARCH_RANKS];
		BucketRange<Key> bins[SEARCH_RANKS];
		bool		divided[SEARCH_RANKS];

		for (int i = 0; i < SEARCH_RANKS; i++)
		{
			own[i] = ranges[i];
			bins[i] = own[i].bins();
			divided[i] = is_divided(i);
		}
		for_each([&] (Key key) {
#pragma unroll
			for (int i = 0; i < SEARCH_RANKS; i++)
			{
				if (divided[i] && own[i].has(key))
					atomicAdd(&counts[i][bins[i].bucket_of(key)], 1u);
			}
		});
		__syncthreads();
	}

	/*
	 * Continues with the bins that have the ranks.  The function returns how
	 * many keys of a divided range are in the bin of the thread.
	 */
	template <typename CountOf>
	__device__ void narrow(CountOf count_of)
	{
		RankRange<Key> own[SEARCH_RANKS];
		bool		divided[SEARCH_RANKS];
		unsigned	count = 0;
		unsigned	before = 0;

#pragma unroll
		for (int i = 0; i < SEARCH_RANKS; i++)
		{
			own[i] = ranges[i];
			divided[i] = is_divided(i);
		}

		/* Before the first barrier all threads have read the ranges. */
#pragma unroll
		for (int i = 0; i < SEARCH_RANKS; i++)
		{
			if (divided[i])
			{
				count = count_of(i);
				before = block_exclusive_scan<SEARCH_WARPS>(count, warps[i]);
			}
			if (!own[i].is_found() && before <= own[i].rank &&
				own[i].rank - before < count)
				ranges[i] = own[i].bin(threadIdx.x, before, count);
		}
		__syncthreads();
	}

	/*
	 * Narrows ranges until they have few keys, if this block has all of them.
	 */
	template <typename ForEach>
	__device__ void narrow_alone(unsigned enough, ForEach for_each)
	{
		while (keys_left(enough) > 0)
		{
			count_bins(for_each);
			narrow([&] (int rank) { return take_count(rank); });
		}
	}

	/* Finds a key among few, with a lane of the warp for each. */
	__device__ void find_few(int rank, RankRange<Key> range, const Key *keys)
	{
		int			lane = threadIdx.x % WARP;
		Key			key = keys[lane];
		unsigned	before = 0;

		for (int i = 0; i < (int) range.count; i++)
		{
			Key			other = __shfl_sync(ALL_LANES, key, i);

			before += other < key || (other == key && i < lane);
		}
		if (lane < range.count && before == range.rank)
			ranges[rank].low = ranges[rank].high = key;
	}

	/*
	 * Finds the keys, if this block has all of them.  This is the end of a
	 * search.
	 */
	template <typename ForEach>
	__device__ void find_alone(ForEach for_each)
	{
		RankRange<Key> own[SEARCH_RANKS];
		bool		divided[SEARCH_RANKS];

		narrow_alone(WARP, for_each);
		if (keys_left(0) == 0)
			return;
#pragma unroll
		for (int i = 0; i < SEARCH_RANKS; i++)
		{
			own[i] = ranges[i];
			divided[i] = is_divided(i);
		}
		for_each([&] (Key key) {
#pragma unroll
			for (int i = 0; i < SEARCH_RANKS; i++)
			{
				if (divided[i] && own[i].has(key))
					few[i][atomicAdd(&counts[i][0], 1u)] = key;
			}
		});
		__syncthreads();
#pragma unroll
		for (int i = 0; i < SEARCH_RANKS; i++)
		{
			if (threadIdx.x / WARP == i && !own[i].is_found())
				find_few(i, own[i], few[divided[i] ? i : 0]);
		}
		__syncthreads();
	}
};

#endif							/* GPUCOMPACT_RANK_SEARCH_H */
