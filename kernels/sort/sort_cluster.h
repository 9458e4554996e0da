/*
 * sort_cluster.h
 *	  How the blocks of a thread block cluster exchange the items of a sort: by
 *	  distributed shared memory.
 */
#ifndef GPUCOMPACT_SORT_CLUSTER_H
#define GPUCOMPACT_SORT_CLUSTER_H

#include "kernels/common/cluster.h"
#include "kernels/sort/sort_agent.h"

/*
 * The threads of a thread block, their items, and the thread blocks of a
 * cluster.  With 1,024 threads, 2^16 keys took 32.6 us instead of 29.2.
 */
#define CLUSTER_THREADS		512
#define CLUSTER_ITEMS		8
#define CLUSTER_BLOCKS		16

/* A block's part in shared memory. */
template <typename Key, int PAYLOAD>
struct ClusterTile : PartMemory<Key, PAYLOAD, CLUSTER_THREADS, CLUSTER_ITEMS,
	PAYLOAD ? WINDOW_NARROW : WINDOW_WIDE, unsigned[CLUSTER_BLOCKS][SORT_BINS]>
{
	/* The items of the next pass, from all blocks, which read them, too. */
	Key			keys[ClusterTile::size];
	typename ClusterTile::Payload payload[PAYLOAD ? ClusterTile::size : 1];
	SortRange<Key> ranges[CLUSTER_BLOCKS];	/* of the blocks */
	unsigned	flag;			/* a block has it (any_block) */
};

/* The arguments. */
template <typename Key>
struct ClusterSort : PartSort<Key>
{
	int			part_bits;		/* a block's part has 1 << part_bits items */
	KernelTimer  *end;			/* to tell; or NULL */
	unsigned	timer_number;
};

/* A base of SortAgent. */
template <typename SortKey, int PAYLOAD>
struct ClusterExchange
{
	typedef SortKey Key;
	typedef ClusterTile<Key, PAYLOAD> Memory;
	typedef typename Memory::Payload Payload;
	static const bool has_payload = PAYLOAD != 0;
	static const bool puts_padding = true;
	static const bool writes_results = false;
	static const int digits_unrolled = 1;

	const ClusterSort<Key> &sort;
	Memory	   *memory;
	typename Memory::Items own;

	__device__ unsigned part() const
	{
		return 1u << sort.part_bits;
	}

	__device__ static unsigned blocks()
	{
		return cluster_blocks();
	}

	__device__ static bool is_alone()
	{
		return cluster_blocks() == 1;
	}

	__device__ static void sync()
	{
		cluster_sync();
	}

	__device__ Key *sorted_keys() const
	{
		return is_alone() ? memory->keys : memory->pass.sorted;
	}

	__device__ Payload *sorted_payload() const
	{
		return is_alone() ? memory->payload : memory->pass.sorted_payload;
	}

	__device__ Key part_key(int at) const
	{
		return memory->keys[at];
	}

	__device__ Payload part_payload(int at) const
	{
		return memory->payload[at];
	}

	/* Returns an item of the block's part, or of a following part. */
	template <typename T>
	__device__ T item(T *items, int at) const
	{
		if (at < (int) part())
			return items[at];
		return of_block(items, cluster_block() + (at >> sort.part_bits))
			[at & (part() - 1)];
	}

	__device__ Key window_key(int begin, int at) const
	{
		return item(memory->keys, begin - own.first + at);
	}

	template <typename Bins>
	__device__ unsigned first_bin(Bins bins) const
	{
		return bins(memory->keys[memory->window.begin - own.first]);
	}

	__device__ void begin();
	__device__ SortRange<Key> merge_blocks(SortRange<Key> range);
	__device__ bool any_block(bool flag);
	__device__ void share_count(unsigned count);
	__device__ BinCounts sum_counts() const;
	__device__ void find_window(PlacedBin bin);
	template <bool LAST>
	__device__ void put(unsigned to, unsigned from, Key key);
	__device__ void write_payload(int count) const;
};

/*
 * No block uses the memory of another block before that block begins: the other
 * half of this barrier is in merge_blocks().
 */
template <typename Key, int PAYLOAD>
__device__ void
ClusterExchange<Key, PAYLOAD>::begin()
{
	if (threadIdx.x == 0)
		memory->flag = 0;
	cluster_arrive();
}

template <typename Key, int PAYLOAD>
__device__ SortRange<Key>
ClusterExchange<Key, PAYLOAD>::merge_blocks(SortRange<Key> range)
{
	unsigned	each = WARP / cluster_blocks();
	unsigned	first = cluster_block() * each;

	cluster_wait();
	if (threadIdx.x < cluster_blocks())
		*of_block(&memory->ranges[cluster_block()], threadIdx.x) = range;
	if (threadIdx.x / WARP == sort.seed / WARP % (CLUSTER_THREADS / WARP))
	{
		unsigned	lane = threadIdx.x % WARP;
		Key			key = own.any_key();

		for (unsigned i = 0; i < each; i++)
		{
			Key			sampled = __shfl_sync(ALL_LANES, key,
											  (sort.seed + i) % WARP);

			if (lane < cluster_blocks())
				*of_block(&memory->sample[first + i], lane) = sampled;
		}
	}
	cluster_sync();
	return array_merge(memory->ranges, (int) cluster_blocks());
}

template <typename Key, int PAYLOAD>
__device__ bool
ClusterExchange<Key, PAYLOAD>::any_block(bool flag)
{
	if (flag && threadIdx.x < cluster_blocks())
		*of_block(&memory->flag, threadIdx.x) = 1;
	cluster_sync();
	return memory->flag != 0;
}

template <typename Key, int PAYLOAD>
__device__ void
ClusterExchange<Key, PAYLOAD>::share_count(unsigned count)
{
	for (unsigned i = 0; i < cluster_blocks(); i++)
		of_block(memory, i)->pass.counts[cluster_block()][threadIdx.x] = count;
}

template <typename Key, int PAYLOAD>
__device__ BinCounts
ClusterExchange<Key, PAYLOAD>::sum_counts() const
{
	BinCounts	sums = {0, 0};

	if (!own.has_bin())
		return sums;
#pragma unroll
	for (unsigned i = 0; i < CLUSTER_BLOCKS; i++)
	{
		unsigned	count = i < cluster_blocks() ?
			memory->pass.counts[i][threadIdx.x] : 0;

		sums.total += count;
		sums.before += i < cluster_block() ? count : 0;
	}
	return sums;
}

/*
 * The window has the groups that begin in the part.  So it reaches into
 * following parts alone, and a long tail of the keys has a window without what
 * is before it.  It begins where the bin of the last item before the part ends,
 * and ends where the bin of the part's last item does.  Each of these bins has
 * one thread.
 */
template <typename Key, int PAYLOAD>
__device__ void
ClusterExchange<Key, PAYLOAD>::find_window(PlacedBin bin)
{
	unsigned	bin_end = bin.start + bin.total;
	unsigned	begin = min((unsigned) own.first, (unsigned) sort.count);
	unsigned	end = min(own.first + part(), (unsigned) sort.count);

	if (threadIdx.x == 0 && begin == 0)
		memory->window.begin = 0;
	if (bin.start < begin && begin <= bin_end)
		memory->window.begin = bin_end;
	if (bin.start < end && end <= bin_end)
	{
		memory->window.end = bin_end;
		memory->window.last_bin = threadIdx.x;
	}
}

template <typename Key, int PAYLOAD>
template <bool LAST>
__device__ void
ClusterExchange<Key, PAYLOAD>::put(unsigned to, unsigned from, Key key)
{
	unsigned	block = to >> sort.part_bits;
	unsigned	at = to & (part() - 1);

	of_block(memory->keys, block)[at] = key;
	if (PAYLOAD)
		of_block(memory->payload, block)[at] =
			memory->pass.sorted_payload[from];
}

template <typename Key, int PAYLOAD>
__device__ void
ClusterExchange<Key, PAYLOAD>::write_payload(int count) const
{
	int			begin = memory->window.begin;
	Payload    *to = (Payload *) sort.payload_out + begin;

#pragma unroll 4
	for (int i = threadIdx.x; i < count; i += CLUSTER_THREADS)
		to[i] = item(memory->payload,
					 begin - own.first + memory->groups.from[i]);
}

#endif							/* GPUCOMPACT_SORT_CLUSTER_H */
