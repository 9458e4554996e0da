/*
 * sort_cluster.h
 *	  The sort of a small array in shared memory by digits, and what the other
 *	  ways share with it.
 *
 * Those are in sort_cluster.cu, for a block alone, and sort_cluster_groups.h.
 */
#ifndef GPUCOMPACT_SORT_CLUSTER_H
#define GPUCOMPACT_SORT_CLUSTER_H

#include <cstddef>
#include <type_traits>

#include "cluster.h"
#include "sort.h"
#include "sort_buckets.h"

#define CLUSTER_WARPS	(CLUSTER_THREADS / WARP)

template <typename Key>
struct KeyRange
{
	Key			least;
	Key			greatest;
};

/* A bin's place in the cluster, and its number of items. */
struct ClusterBin
{
	unsigned	start;
	unsigned	total;
};

/* The groups that begin in a block's part, by their places in the array. */
struct ClusterWindow
{
	unsigned	begin;
	unsigned	end;			/* may be after the array's */
	unsigned	last_bin;
};

/*
 * A block's part in shared memory, of keys, and of payloads of PAYLOAD bytes if
 * that is not 0.
 */
template <typename Key, int PAYLOAD>
struct ClusterTile
{
	typedef std::conditional_t<PAYLOAD == 8, int64_t, int> Payload;
	static const int items = sizeof(Key) + PAYLOAD <= 8 ? CLUSTER_ITEMS_8 :
		CLUSTER_ITEMS_16;
	static const int size = CLUSTER_THREADS * items;

	/* The items of a window: more than a part, as a group may be longer. */
	static const int room = size / 4 * 9;
	typedef Buckets<Key, PAYLOAD != 0, CLUSTER_THREADS, room> Groups;

	/* What a pass needs until its items are at their places. */
	struct Pass
	{
		unsigned	bins[CLUSTER_WARPS][SORT_BINS];	/* as in sort_move.cu */
		unsigned	peers[CLUSTER_WARPS][SORT_BINS];
		unsigned	counts[CLUSTER_BLOCKS][SORT_BINS];	/* of the blocks */
		Key			sorted[size];	/* of this block, by their bins */
		Payload		sorted_payload[PAYLOAD ? size : 1];
	};

	union
	{
		Pass		pass;
		Groups		groups;		/* after the only pass */
	};

	/* Of the next pass, from all blocks; other blocks read them, too. */
	Key			keys[size];
	Payload		payload[PAYLOAD ? size : 1];
	unsigned	places[SORT_BINS];	/* in the cluster, less in the block */
	unsigned	warps[2][CLUSTER_WARPS];
	unsigned long long differing[CLUSTER_BLOCKS];	/* bits in which keys differ
													 * from the first one */
	KeyRange<Key> warp_ranges[CLUSTER_WARPS];
	KeyRange<Key> ranges[CLUSTER_BLOCKS];
	ClusterWindow window;
	unsigned	uneven;			/* are any block's keys? */

	/* The buckets are cleared while the pass goes on. */
	static_assert(offsetof(Groups, keys) <= offsetof(Pass, counts),
				  "no more than what the scatter does without");
};

/* The same of a block alone that sorts by buckets. */
template <typename Key, int PAYLOAD>
struct BucketTile
{
	typedef ClusterTile<Key, PAYLOAD> Tile;

	Buckets<Key, PAYLOAD != 0, CLUSTER_THREADS, Tile::size> buckets;
	typename Tile::Payload payload[PAYLOAD ? Tile::size : 1];
	unsigned long long least;	/* key */
	unsigned long long greatest;
};

template <typename Key, int PAYLOAD>
union ClusterMemory
{
	ClusterTile<Key, PAYLOAD> tile;
	BucketTile<Key, PAYLOAD> alone;
};

/* The arguments. */
template <typename Key>
struct ClusterSort
{
	const Key  *keys;
	Key		   *keys_out;
	const void *payload;
	void	   *payload_out;
	int			count;
	int			part_bits;		/* a block's part has 1 << part_bits items, */
	int			rows;			/* of which a warp has so many rows */
	KeyOrder	order;
	SortPlan   *plan;
	bool		positions;		/* are the payloads the positions? */
	KernelEnd  *end;			/* to tell; or NULL */
	unsigned	end_number;
};

/* How to begin; what is not spread evenly is sorted by digits then. */
enum ClusterWay
{
	BY_DIGITS,
	IN_BUCKETS,					/* by a block alone */
	IN_GROUPS					/* by a cluster */
};

/* The bins of the only pass: of the same width. */
template <typename Key>
struct GroupBins : BucketRange<Key>
{
	__device__ unsigned operator()(Key key) const
	{
		return this->bucket_of(key);
	}
};

/* The range of two ranges. */
template <typename Key>
__device__ static inline KeyRange<Key>
united(KeyRange<Key> a, KeyRange<Key> b)
{
	return {min(a.least, b.least), max(a.greatest, b.greatest)};
}

/* The range of the ranges of all lanes. */
template <typename Key>
__device__ static inline KeyRange<Key>
warp_united(KeyRange<Key> range)
{
	for (int distance = WARP / 2; distance > 0; distance /= 2)
	{
		KeyRange<Key> other = {
			__shfl_xor_sync(ALL_LANES, range.least, distance),
			__shfl_xor_sync(ALL_LANES, range.greatest, distance)
		};

		range = united(range, other);
	}
	return range;
}

/*
 * A thread's part in the sort, in the phases of run().  A thread has one item
 * of each row of its warp; and the bin of its number, if there is one.
 */
template <typename Key, int PAYLOAD>
struct ClusterAgent
{
	typedef ClusterTile<Key, PAYLOAD> Tile;
	typedef typename Tile::Payload Payload;
	static const int items = Tile::items;

	const ClusterSort<Key> &sort;
	Tile	   *memory;
	BucketTile<Key, PAYLOAD> *alone;
	Key			own[items];
	Payload		payload[PAYLOAD ? items : 1];
	unsigned short ranks[items];

	__device__ int warp() const
	{
		return threadIdx.x / WARP;
	}

	/* This thread's first item in the block's part. */
	__device__ int at() const
	{
		return warp() * sort.rows * WARP + threadIdx.x % WARP;
	}

	/* The block's first item in the array. */
	__device__ int first() const
	{
		return cluster_block() << sort.part_bits;
	}

	__device__ bool has_bin() const
	{
		return threadIdx.x < SORT_BINS;
	}

	__device__ bool exists(int row) const
	{
		return row < sort.rows && first() + at() + row * WARP < sort.count;
	}

	__device__ int part() const
	{
		return 1 << sort.part_bits;
	}

	__device__ void load();
	__device__ KeyRange<Key> order_keys();
	__device__ void clear();
	template <bool ORDER> __device__ void find_differing();
	__device__ void send_differing();
	template <typename BinOf> __device__ unsigned rank(BinOf bin_of);
	template <typename BinOf> __device__ void scatter_to_shared(BinOf bin_of);
	__device__ ClusterBin place_bins(unsigned bin_start);
	template <typename BinOf> __device__ void scatter(BinOf bin_of);
	__device__ void take();
	__device__ void write() const;
	__device__ void end_writes() const;
	template <bool ORDER> __device__ void sort_by_digits();

	/* sort_cluster_groups.h */
	__device__ void begin_groups();
	__device__ KeyRange<Key> find_common_range();
	__device__ void pad(Key greatest);
	__device__ void find_window(ClusterBin bin);
	__device__ bool is_too_large(ClusterBin bin, unsigned last_bin) const;
	__device__ bool move_to_bins(GroupBins<Key> bins, Key greatest);
	__device__ BucketRange<Key> window_range(int begin, GroupBins<Key> bins,
											 Key greatest) const;
	template <typename T> __device__ T window_item(T *items, int i) const;
	__device__ bool put_window(int begin, int end, BucketRange<Key> range);
	__device__ void write_window(int begin, int end) const;
	__device__ void sort_window(GroupBins<Key> bins, Key greatest);
	__device__ bool sort_in_groups();

	/* sort_cluster.cu */
	__device__ void clear_buckets();
	__device__ BucketRange<Key> find_range();
	__device__ bool sort_in_buckets();
	template <ClusterWay WAY> __device__ bool sort_items();
	template <ClusterWay WAY> __device__ void run();
};

/* Pads the last parts with the greatest key, which comes last. */
template <typename Key, int PAYLOAD>
__device__ void
ClusterAgent<Key, PAYLOAD>::load()
{
	const Payload *from = (const Payload *) sort.payload;

#pragma unroll
	for (int j = 0; j < items; j++)
	{
		int			i = first() + at() + j * WARP;

		own[j] = (Key) ~(Key) 0;
		if (exists(j))
			own[j] = sort.keys[i];
		if (PAYLOAD && exists(j))
			payload[j] = sort.positions ? (Payload) i + 1 : from[i];
	}
}

/* Orders the keys.  Returns the range of the warp's. */
template <typename Key, int PAYLOAD>
__device__ KeyRange<Key>
ClusterAgent<Key, PAYLOAD>::order_keys()
{
	KeyRange<Key> range = {(Key) ~(Key) 0, 0};

#pragma unroll
	for (int j = 0; j < items; j++)
	{
		if (exists(j))
		{
			own[j] = ordered(own[j], sort.order);
			range = united(range, {own[j], own[j]});
		}
	}
	return warp_united(range);
}

/* Clears the shared memory of passes; a barrier has to follow. */
template <typename Key, int PAYLOAD>
__device__ void
ClusterAgent<Key, PAYLOAD>::clear()
{
	for (int i = threadIdx.x % WARP; i < SORT_BINS; i += WARP)
		memory->pass.peers[warp()][i] = 0;
	if (threadIdx.x < CLUSTER_BLOCKS)
		memory->differing[threadIdx.x] = 0;
}

/*
 * Finds the bits in which the block's keys differ from the array's first.  If
 * ORDER, the keys are not yet ordered.
 */
template <typename Key, int PAYLOAD>
template <bool ORDER>
__device__ void
ClusterAgent<Key, PAYLOAD>::find_differing()
{
	Key			first_key = ordered(sort.keys[0], sort.order);
	unsigned long long differing = 0;

#pragma unroll
	for (int j = 0; j < items; j++)
	{
		if (exists(j))
		{
			if (ORDER)
				own[j] = ordered(own[j], sort.order);
			differing |= own[j] ^ first_key;
		}
	}
	differing = warp_or(differing);
	if (threadIdx.x % WARP == 0 && differing != 0)
		atomicOr(&memory->differing[cluster_block()], differing);
}

/* Sends the differing bits to the other blocks, after a barrier. */
template <typename Key, int PAYLOAD>
__device__ void
ClusterAgent<Key, PAYLOAD>::send_differing()
{
	if (threadIdx.x < cluster_blocks() && threadIdx.x != cluster_block())
		*of_block(&memory->differing[cluster_block()], threadIdx.x) =
			memory->differing[cluster_block()];
}

/*
 * Ranks the keys of a warp by their bins; turns the warps' histograms into the
 * place of each warp's first key of each bin in the block; and sends the
 * block's histogram to all blocks.  Returns the place of this thread's bin in
 * the block.
 */
template <typename Key, int PAYLOAD>
template <typename BinOf>
__device__ unsigned
ClusterAgent<Key, PAYLOAD>::rank(BinOf bin_of)
{
	unsigned	sum = 0;
	unsigned	start;

	for (int i = threadIdx.x % WARP; i < SORT_BINS; i += WARP)
		memory->pass.bins[warp()][i] = 0;
	__syncwarp();
	rank_keys<items>(own, sort.rows, bin_of, memory->pass.bins[warp()],
					 memory->pass.peers[warp()], ranks);
	__syncthreads();
	if (has_bin())
	{
#pragma unroll
		for (int i = 0; i < CLUSTER_WARPS; i++)
		{
			unsigned	warp_count = memory->pass.bins[i][threadIdx.x];

			memory->pass.bins[i][threadIdx.x] = sum;
			sum += warp_count;
		}
		for (unsigned i = 0; i < cluster_blocks(); i++)
			of_block(memory, i)->pass.counts[cluster_block()][threadIdx.x] =
				sum;
	}
	start = block_exclusive_scan<SORT_BINS / WARP>(sum, memory->warps[0]);
	if (has_bin())
	{
#pragma unroll
		for (int i = 0; i < CLUSTER_WARPS; i++)
			memory->pass.bins[i][threadIdx.x] += start;
	}
	__syncthreads();
	return start;
}

/* Sorts the block's items by their bins, a stable sort. */
template <typename Key, int PAYLOAD>
template <typename BinOf>
__device__ void
ClusterAgent<Key, PAYLOAD>::scatter_to_shared(BinOf bin_of)
{
	bool		alone = cluster_blocks() == 1;
	Key		   *to = alone ? memory->keys : memory->pass.sorted;
	Payload    *payload_to = alone ? memory->payload :
		memory->pass.sorted_payload;

#pragma unroll
	for (int j = 0; j < items; j++)
	{
		unsigned	i;

		if (j >= sort.rows)
			break;
		i = memory->pass.bins[warp()][bin_of(own[j])] + ranks[j];
		to[i] = own[j];
		if (PAYLOAD)
			payload_to[i] = payload[j];
	}
}

/*
 * Finds the places of the block's bins in the cluster, from all histograms.
 * Returns this thread's bin, if it has one; a barrier has to follow.
 */
template <typename Key, int PAYLOAD>
__device__ ClusterBin
ClusterAgent<Key, PAYLOAD>::place_bins(unsigned bin_start)
{
	unsigned	before = 0;
	unsigned	total = 0;
	unsigned	start;

	if (has_bin())
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
	start = block_exclusive_scan<SORT_BINS / WARP>(total, memory->warps[1]);
	if (has_bin())
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
	for (int j = 0; j < items; j++)
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
	for (int j = 0; j < items; j++)
	{
		if (j >= sort.rows)
			break;
		own[j] = memory->keys[at() + j * WARP];
		if (PAYLOAD)
			payload[j] = memory->payload[at() + j * WARP];
	}
}

/* Writes the sorted items; of those with a payload, that alone. */
template <typename Key, int PAYLOAD>
__device__ void
ClusterAgent<Key, PAYLOAD>::write() const
{
#pragma unroll
	for (int j = 0; j < items; j++)
	{
		int			i = first() + at() + j * WARP;

		if (!exists(j))
			continue;
		if (PAYLOAD)
			((Payload *) sort.payload_out)[i] = payload[j];
		else
			sort.keys_out[i] = restored(own[j], sort.order);
	}
}

/* When this returns, all blocks have written, and the kernel may say so. */
template <typename Key, int PAYLOAD>
__device__ void
ClusterAgent<Key, PAYLOAD>::end_writes() const
{
	if (sort.end != NULL)
		__threadfence_system();
	cluster_sync();
}

template <typename Key, int PAYLOAD>
template <bool ORDER>
__device__ void
ClusterAgent<Key, PAYLOAD>::sort_by_digits()
{
	unsigned long long differing = 0;

	find_differing<ORDER>();
	for (int digit = 0; digit < (int) sizeof(Key); digit++)
	{
		DigitBins	bins = {digit};
		unsigned	bin_start;

		if (digit > 0 && digit_of(differing, digit) == 0)
			continue;
		bin_start = rank(bins);
		if (digit == 0)
			send_differing();
		scatter_to_shared(bins);
		cluster_sync();
		if (digit == 0)
		{
			for (unsigned i = 0; i < cluster_blocks(); i++)
				differing |= memory->differing[i];
		}
		if (cluster_blocks() > 1)
		{
			(void) place_bins(bin_start);
			__syncthreads();
			scatter(bins);
			cluster_sync();
		}
		take();
	}
	write();
}

#endif							/* GPUCOMPACT_SORT_CLUSTER_H */
