/*
 * rank_search.h
 *	  The search for the keys of two ranks by all threads of a thread block.
 *
 * The range in which a key may be is divided into bins of the same width.  The
 * numbers of keys in the bins say which bin has the rank; that bin is divided
 * next.  A warp compares the last few keys with each other.  Keys may be
 * anywhere: the caller goes through them.  If other blocks have some of the
 * keys, the caller sums the counts of all blocks.
 */
#ifndef GPUCOMPACT_RANK_SEARCH_H
#define GPUCOMPACT_RANK_SEARCH_H

#include "kernels/common/block_scan.h"
#include "kernels/sort/key_range.h"
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
	unsigned	had;			/* of the keys before the last division */

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
			rank - before, bin_count, count};
	}

	__device__ bool is_crowded() const
	{
		return !is_found() && count > had / SEARCH_CROWDED_PART;
	}
};

template <typename Key>
__device__ static inline RankRange<Key>
all_keys(unsigned rank, unsigned count)
{
	return {0, (Key) ~(Key) 0, rank, count, count};
}

/*
 * A search, in shared memory.  All threads call what changes it, which ends
 * with a barrier; but one thread calls tighten(), and a warp find_few().
 */
template <typename Key>
struct RankSearch
{
	RankRange<Key> ranges[SEARCH_RANKS];
	unsigned	counts[SEARCH_RANKS][SEARCH_THREADS];	/* 0 between rounds */
	unsigned	warps[SEARCH_RANKS][SEARCH_WARPS];
	KeyRange<Key> key_ranges[SEARCH_RANKS][SEARCH_WARPS];
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

	__device__ bool is_crowded() const
	{
		return ranges[0].is_crowded() || ranges[1].is_crowded();
	}

	/* Returns the range of the thread's keys in a rank's range. */
	template <typename ForEach>
	__device__ KeyRange<Key> find_key_range(int rank, ForEach for_each) const
	{
		RankRange<Key> range = ranges[rank];
		KeyRange<Key> found;

		for_each([&] (Key key) {
			if (range.has(key))
				found.merge({key, key});
		});
		return found;
	}

	/*
	 * Merges the key ranges of all threads, for each rank whose range is
	 * divided.  One thread gets the merged ranges.
	 */
	template <typename Take>
	__device__ void merge_key_ranges(KeyRange<Key> (&own)[SEARCH_RANKS],
									 Take take)
	{
		int			warp = threadIdx.x / WARP;
		int			lane = threadIdx.x % WARP;
		bool		divided[SEARCH_RANKS];

#pragma unroll
		for (int i = 0; i < SEARCH_RANKS; i++)
		{
			divided[i] = is_divided(i);
			if (!divided[i])
				continue;
			own[i] = warp_merge(own[i]);
			if (lane == 0)
				key_ranges[i][warp] = own[i];
		}
		__syncthreads();
#pragma unroll
		for (int i = 0; i < SEARCH_RANKS; i++)
		{
			KeyRange<Key> merged;

			if (warp > 0 || !divided[i])
				continue;
			merged = warp_merge(key_ranges[i][lane]);
			if (lane == 0)
				take(i, merged);
		}
		__syncthreads();
	}

	/*
	 * Cuts off the ends of a range, which have no keys; and of the other
	 * range, if both are equal.
	 */
	__device__ void tighten(int rank, KeyRange<Key> merged)
	{
		Key			low = ranges[rank].low;
		Key			high = ranges[rank].high;

		for (int i = rank; i < SEARCH_RANKS; i++)
		{
			if (ranges[i].low == low && ranges[i].high == high)
			{
				ranges[i].low = merged.least;
				ranges[i].high = merged.greatest;
			}
		}
	}

	template <typename ForEach>
	__device__ void tighten_alone(ForEach for_each)
	{
		KeyRange<Key> own[SEARCH_RANKS];

		for (int i = 0; i < SEARCH_RANKS; i++)
		{
			if (is_divided(i))
				own[i] = find_key_range(i, for_each);
		}
		merge_key_ranges(own, [&] (int rank, KeyRange<Key> merged) {
			tighten(rank, merged);
		});
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
			if (is_crowded())
				tighten_alone(for_each);
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
