/*
 * sort_cluster.h
 *	  The sort of a small array in shared memory by digits, and the code that
 *	  the other ways share with it.
 *
 * The other ways are in sort_cluster.cu, for a block alone, and in
 * sort_cluster_groups.h.
 */
#ifndef GPUCOMPACT_SORT_CLUSTER_H
#define GPUCOMPACT_SORT_CLUSTER_H

#include <cstddef>

#include "kernels/common/cluster.h"
#include "kernels/sort/sort_part.h"

#define CLUSTER_WARPS	(CLUSTER_THREADS / WARP)

/* The groups that begin in a block's part, by their places in the array. */
struct ClusterWindow
{
	unsigned	begin;
	unsigned	end;			/* may be after the array's end */
	unsigned	last_bin;
};

/*
 * A block's part in shared memory, of keys, and of payloads of PAYLOAD bytes if
 * that is not 0.
 */
template <typename Key, int PAYLOAD>
struct ClusterTile
{
	typedef PartItems<Key, PAYLOAD, CLUSTER_THREADS, CLUSTER_ITEMS> Items;
	typedef typename Items::Payload Payload;
	static const int size = CLUSTER_THREADS * CLUSTER_ITEMS;

	/* The items of a window: more than a part, as a group may be longer. */
	static const int room = size / 4 * 9;
	typedef Buckets<Key, PAYLOAD != 0, CLUSTER_THREADS, room> Groups;

	/* What a pass needs until its items are at their places. */
	struct Pass
	{
		typename Items::Ranks ranks;
		unsigned	counts[CLUSTER_BLOCKS][SORT_BINS];	/* of the blocks */
		Key			sorted[size];	/* of this block, by their bins */
		Payload		sorted_payload[PAYLOAD ? size : 1];
	};

	union
	{
		Pass		pass;
		Groups		groups;		/* after the only pass */
	};

	/* The items of the next pass, from all blocks, which read them, too. */
	Key			keys[size];
	Payload		payload[PAYLOAD ? size : 1];
	unsigned	places[SORT_BINS];	/* in the cluster, less in the block */
	unsigned	warps[CLUSTER_WARPS];
	KeySpread<Key> warp_spreads[CLUSTER_WARPS];
	KeySpread<Key> spreads[CLUSTER_BLOCKS];	/* of the blocks */
	ClusterWindow window;
	unsigned	uneven;			/* a block's keys are not spread evenly */

	/* The buckets are cleared while the pass goes on. */
	static_assert(offsetof(Groups, keys) <= offsetof(Pass, counts),
				  "no more than what the scatter does without");
};

/* The shared memory of a block alone that sorts by buckets. */
template <typename Key, int PAYLOAD>
struct BucketTile
{
	typedef ClusterTile<Key, PAYLOAD> Tile;

	Buckets<Key, PAYLOAD != 0, CLUSTER_THREADS, Tile::size> buckets;
	typename Tile::Payload payload[PAYLOAD ? Tile::size : 1];
	KeySpread<Key> warp_spreads[CLUSTER_WARPS];
};

template <typename Key, int PAYLOAD>
union ClusterMemory
{
	ClusterTile<Key, PAYLOAD> tile;
	BucketTile<Key, PAYLOAD> alone;
};

/* The arguments. */
template <typename Key>
struct ClusterSort : PartSort<Key>
{
	int			part_bits;		/* a block's part has 1 << part_bits items */
	KernelTimer  *end;			/* to tell; or NULL */
	unsigned	timer_number;
};

/* How to begin.  Keys that are not spread evenly are sorted by digits then. */
enum ClusterWay
{
	BY_DIGITS,
	IN_BUCKETS,					/* by a block alone */
	IN_GROUPS					/* by a cluster */
};

/* A thread's part in the sort, in the phases of run(). */
template <typename Key, int PAYLOAD>
struct ClusterAgent
{
	typedef ClusterTile<Key, PAYLOAD> Tile;
	typedef typename Tile::Payload Payload;

	const ClusterSort<Key> &sort;
	Tile	   *memory;
	BucketTile<Key, PAYLOAD> *alone;
	typename Tile::Items own;

	__device__ int part() const
	{
		return 1 << sort.part_bits;
	}

	__device__ KeySpread<Key> find_spread();
	template <typename BinOf> __device__ unsigned rank(BinOf bin_of);
	template <typename BinOf> __device__ void scatter_to_shared(BinOf bin_of);
	__device__ PlacedBin place_bins(unsigned bin_start);
	template <typename BinOf> __device__ void scatter(BinOf bin_of);
	__device__ void take();
	__device__ void end_writes() const;
	__device__ void sort_by_digits(Key differing);

	/* sort_cluster_groups.h */
	__device__ void find_window(PlacedBin bin);
	__device__ bool is_too_large(PlacedBin bin, unsigned last_bin) const;
	__device__ bool move_to_bins(GroupBins<Key> bins, Key greatest);
	template <typename T> __device__ T window_item(T *items, int i) const;
	__device__ void write_window(int begin, int end) const;
	__device__ void sort_window(GroupBins<Key> bins, Key greatest);
	__device__ bool sort_in_groups(KeySpread<Key> spread);

	/* sort_cluster.cu */
	__device__ bool sort_in_buckets(KeySpread<Key> spread);
	__device__ void sort_alone();
	template <ClusterWay WAY> __device__ void sort_together();
	template <ClusterWay WAY> __device__ void run();
};

/* Turns the keys into sort keys.  Returns the spread of the cluster's keys. */
template <typename Key, int PAYLOAD>
__device__ KeySpread<Key>
ClusterAgent<Key, PAYLOAD>::find_spread()
{
	KeySpread<Key> spread =
		block_united<CLUSTER_THREADS>(own.order_keys(), memory->warp_spreads);

	/* No block uses the memory of another block before that block begins. */
	cluster_wait();
	if (threadIdx.x < cluster_blocks())
		*of_block(&memory->spreads[cluster_block()], threadIdx.x) = spread;
	cluster_sync();
	return array_united(memory->spreads, (int) cluster_blocks());
}

/*
 * Ranks the items, and sends the block's histogram to all blocks.  Returns the
 * place of this thread's bin in the block.
 */
template <typename Key, int PAYLOAD>
template <typename BinOf>
__device__ unsigned
ClusterAgent<Key, PAYLOAD>::rank(BinOf bin_of)
{
	unsigned	bin_count = own.rank(bin_of, &memory->pass.ranks);

	if (own.has_bin())
	{
		for (unsigned i = 0; i < cluster_blocks(); i++)
			of_block(memory, i)->pass.counts[cluster_block()][threadIdx.x] =
				bin_count;
	}
	return own.start_bins(bin_count, &memory->pass.ranks);
}

/* A block alone sorts to where the items are taken from. */
template <typename Key, int PAYLOAD>
template <typename BinOf>
__device__ void
ClusterAgent<Key, PAYLOAD>::scatter_to_shared(BinOf bin_of)
{
	bool		alone = cluster_blocks() == 1;

	own.scatter(bin_of, &memory->pass.ranks,
				alone ? memory->keys : memory->pass.sorted,
				alone ? memory->payload : memory->pass.sorted_payload);
}

/*
 * Finds the places of the block's bins in the cluster, from all histograms.
 * Returns this thread's bin, if it has one; a barrier has to follow.
 */
template <typename Key, int PAYLOAD>
__device__ PlacedBin
ClusterAgent<Key, PAYLOAD>::place_bins(unsigned bin_start)
{
	unsigned	before = 0;
	unsigned	total = 0;
	unsigned	start;

	if (own.has_bin())
	{
#pragma unroll
		for (unsigned i = 0; i < CLUSTER_BLOCKS; i++)
		{
			unsigned	count = i < cluster_blocks() ?
				memory->pass.counts[i][threadIdx.x] : 0;

			total += count;
			before += i < cluster_block() ? count : 0;
		}
	}
	start = block_exclusive_scan<SORT_BINS / WARP>(total, memory->warps);
	if (own.has_bin())
		memory->places[threadIdx.x] = start + before - bin_start;
	return {start, total};
}

/* Scatters the sorted items to their places in the cluster. */
template <typename Key, int PAYLOAD>
template <typename BinOf>
__device__ void
ClusterAgent<Key, PAYLOAD>::scatter(BinOf bin_of)
{
#pragma unroll
	for (int j = 0; j < CLUSTER_ITEMS; j++)
	{
		unsigned	at = threadIdx.x + j * CLUSTER_THREADS;
		Key			key;
		unsigned	to;
		unsigned	block;
		unsigned	i;

		if (j >= sort.rows)
			break;
		key = memory->pass.sorted[at];
		to = memory->places[bin_of(key)] + at;
		block = to >> sort.part_bits;
		i = to & (part() - 1);
		of_block(memory->keys, block)[i] = key;
		if (PAYLOAD)
			of_block(memory->payload, block)[i] =
				memory->pass.sorted_payload[at];
	}
}

/* Takes the items of the next pass. */
template <typename Key, int PAYLOAD>
__device__ void
ClusterAgent<Key, PAYLOAD>::take()
{
#pragma unroll
	for (int j = 0; j < CLUSTER_ITEMS; j++)
	{
		if (j >= sort.rows)
			break;
		own.keys[j] = memory->keys[own.at(j)];
		if (PAYLOAD)
			own.payload[j] = memory->payload[own.at(j)];
	}
}

/* When this returns, all blocks have written, and the kernel may tell. */
template <typename Key, int PAYLOAD>
__device__ void
ClusterAgent<Key, PAYLOAD>::end_writes() const
{
	if (sort.end != NULL)
		__threadfence_system();
	cluster_sync();
}

/* Passes over the digits in which keys differ. */
template <typename Key, int PAYLOAD>
__device__ void
ClusterAgent<Key, PAYLOAD>::sort_by_digits(Key differing)
{
	for (int digit = 0; digit < (int) sizeof(Key); digit++)
	{
		DigitBins	bins = {digit};
		unsigned	bin_start;

		if (digit_of(differing, digit) == 0)
			continue;
		bin_start = rank(bins);
		scatter_to_shared(bins);
		cluster_sync();
		if (cluster_blocks() > 1)
		{
			(void) place_bins(bin_start);
			__syncthreads();
			scatter(bins);
			cluster_sync();
		}
		take();
	}
	own.write();
}

#endif							/* GPUCOMPACT_SORT_CLUSTER_H */
