/*
 * sort_buckets.h
 *	  A sort of few keys by one thread block, in shared memory.
 *
 * The range of the keys is divided into buckets of the same width, about one
 * for each key.  Each key takes a place in its bucket, in any order
 * (Dobosiewicz, "Sorting by distributive partitioning", 1978).  If keys are
 * spread evenly, each is near its place then: it takes few rounds of an
 * odd-even transposition sort, in which a thread sorts two adjacent blocks of
 * keys by a network (Batcher, "Sorting networks and their applications", 1968).
 */
#ifndef GPUCOMPACT_SORT_BUCKETS_H
#define GPUCOMPACT_SORT_BUCKETS_H

#include "kernels/common/vector.h"
#include "kernels/sort/sort.h"

/* Marks the count of a bucket whose keys are at their places. */
#define BUCKET_PLACED	(1u << 31)

/* The keys of a block of a network; a thread sorts two blocks. */
#define BUCKET_BLOCK	4

/* Where the buckets begin, and how wide they are: 1 << shift. */
template <typename Key>
struct BucketRange
{
	Key			low;
	int			shift;

	__device__ unsigned bucket_of(Key key) const
	{
		return (unsigned) ((Key) (key - low) >> shift);
	}
};

/* At most 1 << bits buckets for the keys from "low" to "high". */
template <typename Key>
__device__ static inline BucketRange<Key>
bucket_range(Key low, Key high, int bits)
{
	int			differing = 64 - __clzll((long long) (Key) (high - low));

	return {low, max(0, differing - bits)};
}

/* A block of keys, or of where they come from, that is loaded at once. */
template <typename T>
using BucketBlock = Vector<T, BUCKET_BLOCK>;

/* Two blocks of a thread: keys, and where they come from if STABLE. */
template <typename Key, bool STABLE>
struct BucketNetwork
{
	static const int count = 2 * BUCKET_BLOCK;

	Key			keys[count];
	unsigned	from[count];

	/*
	 * The block that a thread loads and stores first: so a quarter of a warp
	 * uses all banks of shared memory.
	 */
	__device__ static int first_block()
	{
		return threadIdx.x / 4 % 2;
	}

	/* Loads two blocks, aligned to a block.  Their order does not matter. */
	__device__ void load(const Key *key, const unsigned short *origin)
	{
#pragma unroll
		for (int i = 0; i < 2; i++)
		{
			int			block = i ^ first_block();
			BucketBlock<Key> block_keys =
				((const BucketBlock<Key> *) key)[block];
			BucketBlock<unsigned short> origins;

			if (STABLE)
				origins =
					((const BucketBlock<unsigned short> *) origin)[block];
#pragma unroll
			for (int j = 0; j < BUCKET_BLOCK; j++)
			{
				keys[i * BUCKET_BLOCK + j] = block_keys.items[j];
				if (STABLE)
					from[i * BUCKET_BLOCK + j] = origins.items[j];
			}
		}
	}

	__device__ void store(Key *key, unsigned short *origin) const
	{
		bool		swap = first_block() != 0;

#pragma unroll
		for (int i = 0; i < 2; i++)
		{
			BucketBlock<Key> block_keys;
			BucketBlock<unsigned short> origins;

#pragma unroll
			for (int j = 0; j < BUCKET_BLOCK; j++)
			{
				int			own = i * BUCKET_BLOCK + j;
				int			other = (1 - i) * BUCKET_BLOCK + j;

				block_keys.items[j] = swap ? keys[other] : keys[own];
				if (STABLE)
					origins.items[j] = (unsigned short)
						(swap ? from[other] : from[own]);
			}
			((BucketBlock<Key> *) key)[i ^ first_block()] = block_keys;
			if (STABLE)
				((BucketBlock<unsigned short> *) origin)[i ^ first_block()] =
					origins;
		}
	}

	__device__ void exchange(int i, int j)
	{
		Key			a = keys[i];
		Key			b = keys[j];

		if constexpr (STABLE)
		{
			unsigned	from_a = from[i];
			unsigned	from_b = from[j];
			bool		swap = b < a || (a == b && from_b < from_a);

			keys[i] = swap ? b : a;
			keys[j] = swap ? a : b;
			from[i] = swap ? from_b : from_a;
			from[j] = swap ? from_a : from_b;
		}
		else
		{
			keys[i] = min(a, b);
			keys[j] = max(a, b);
		}
	}

	/* Batcher's odd-even merge sort. */
	__device__ void sort()
	{
#pragma unroll
		for (int sorted = 1; sorted < count; sorted *= 2)
		{
#pragma unroll
			for (int apart = sorted; apart > 0; apart /= 2)
			{
#pragma unroll
				for (int i = apart % sorted; i + apart < count; i++)
				{
					if ((i - apart % sorted) / apart % 2 == 0 &&
						i / (2 * sorted) == (i + apart) / (2 * sorted))
						exchange(i, i + apart);
				}
			}
		}
	}
};

/*
 * The shared memory, and the phases, which all threads of a block go through
 * with a barrier between any two.  If STABLE, equal keys keep their order.
 */
template <typename Key, bool STABLE, int THREADS, int ROOM>
struct Buckets
{
	typedef BucketNetwork<Key, STABLE> Network;
	static const int each = (1 << SORT_BUCKET_BITS) / THREADS;
	static_assert(ROOM < 1 << 16, "16 bits for an index");
	static_assert(each % 4 == 0, "vectors of counts for each thread");

	/* Then, where the next key of each bucket goes. */
	__align__(16) unsigned counts[1 << SORT_BUCKET_BITS];
	unsigned	most;			/* keys in a bucket */
	unsigned	warps[THREADS / WARP];
	__align__(16) Key keys[ROOM + Network::count];
	__align__(16) unsigned short from[STABLE ? ROOM + Network::count : 1];

	/* The buckets of keys from "low" to "high". */
	__device__ static BucketRange<Key> range_of(Key low, Key high)
	{
		return bucket_range(low, high, SORT_BUCKET_BITS);
	}

	__device__ void clear()
	{
#pragma unroll
		for (int i = 0; i < each / 4; i++)
			((uint4 *) counts)[i * THREADS + threadIdx.x] =
				make_uint4(0, 0, 0, 0);
		if (threadIdx.x == 0)
			most = 0;
	}

	__device__ void count(unsigned bucket)
	{
		atomicAdd(&counts[bucket], 1);
	}

	/* Turns the counts into places; ends with a barrier. */
	__device__ void scan()
	{
		uint4	   *own = (uint4 *) (counts + threadIdx.x * each);
		__align__(16) unsigned places[each];
		unsigned	greatest = 0;
		unsigned	sum = 0;

#pragma unroll
		for (int i = 0; i < each / 4; i++)
			*(uint4 *) (places + i * 4) = own[i];
#pragma unroll
		for (int i = 0; i < each; i++)
		{
			if (places[i] & BUCKET_PLACED)
				places[i] -= BUCKET_PLACED;
			else
				greatest = max(greatest, places[i]);
			sum += places[i];
		}
		sum = block_exclusive_scan<THREADS / WARP>(sum, warps);
#pragma unroll
		for (int i = 0; i < each; i++)
		{
			unsigned	next = sum + places[i];

			places[i] = sum;
			sum = next;
		}
#pragma unroll
		for (int i = 0; i < each / 4; i++)
			own[i] = *(uint4 *) (places + i * 4);
		greatest = warp_max(greatest);
		if (threadIdx.x % WARP == 0)
			atomicMax(&most, greatest);
		__syncthreads();
	}

	/*
	 * Returns whether a bucket has too many keys.  Another way to sort is
	 * better then.
	 */
	__device__ bool is_uneven() const
	{
		return most > SORT_BUCKET_MAX;
	}

	/* Puts the key at "at" into its bucket. */
	__device__ void put(Key key, unsigned at, unsigned bucket)
	{
		unsigned	to = atomicAdd(&counts[bucket], 1);

		keys[to] = key;
		if (STABLE)
			from[to] = (unsigned short) at;
	}

	/*
	 * Puts keys into the buckets, which are cleared.  Returns false, in all
	 * threads of the block, if the keys are not spread evenly.
	 * "for_each" calls a function with each of the thread's keys; the keys are
	 * loaded twice, so that a thread needs no registers for them.
	 */
	template <typename Range, typename ForEach>
	__device__ bool fill(Range range, ForEach for_each)
	{
		for_each([&] (Key key, int) { count(range.bucket_of(key)); });
		__syncthreads();
		scan();
		if (is_uneven())
			return false;
		for_each([&] (Key key, int at) {
			put(key, at, range.bucket_of(key));
		});
		return true;
	}

	/* Sorts two blocks of keys. */
	__device__ void sort_blocks(int at)
	{
		Network		network;

		network.load(keys + at, from + at);
		network.sort();
		network.store(keys + at, from + at);
	}

	/*
	 * Sorts all keys, after they were put.  The number of rounds is no less
	 * than the number of adjacent blocks that have keys of one bucket.
	 */
	__device__ void sort(int nkeys)
	{
		int			rounds = most < 2 ? 0 :
			(most - 2) / BUCKET_BLOCK + 2;

		/* The padding of the last blocks comes last. */
		if (threadIdx.x < Network::count)
		{
			keys[nkeys + threadIdx.x] = (Key) ~(Key) 0;
			if (STABLE)
				from[nkeys + threadIdx.x] = 0xFFFF;
		}
		__syncthreads();
		for (int round = 0; round < rounds; round++)
		{
			for (int at = round % 2 * BUCKET_BLOCK +
				 threadIdx.x * Network::count; at < nkeys;
				 at += THREADS * Network::count)
				sort_blocks(at);
			__syncthreads();
		}
	}
};

#endif							/* GPUCOMPACT_SORT_BUCKETS_H */
