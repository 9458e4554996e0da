/*
 * sort_cluster_groups.h
 *	  The sort of a small array by a thread block cluster, in one pass.
 *
 * The range of the keys is divided into bins of the same width, and a pass
 * moves the items of all blocks to them.  The items of a bin form a group.
 * Each block sorts the groups that begin in its part, its window, by buckets,
 * as sort_local.cu does for a larger array.  The last group may end in a
 * following block's part; the block reads it there.
 *
 * If a group is too large, or if keys are spread unevenly in a window, all
 * blocks begin again, and sort by digits.
 */
#ifndef GPUCOMPACT_SORT_CLUSTER_GROUPS_H
#define GPUCOMPACT_SORT_CLUSTER_GROUPS_H

#include "kernels/sort/sort_cluster.h"

/*
 * Finds the block's window.  It begins where the bin of the last item before
 * the part ends, and ends where the bin of the part's last item does.  Each of
 * these bins has one thread.
 */
template <typename Key, int PAYLOAD>
__device__ void
ClusterAgent<Key, PAYLOAD>::find_window(PlacedBin bin)
{
	unsigned	bin_end = bin.start + bin.total;
	unsigned	begin = own.first;
	unsigned	end = own.first + part();

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

/*
 * Returns whether a window that ends with this bin may have no room in shared
 * memory.  The padding of the parts is in the last bin, and is not counted,
 * because it belongs to no window.
 */
template <typename Key, int PAYLOAD>
__device__ bool
ClusterAgent<Key, PAYLOAD>::is_too_large(PlacedBin bin,
										 unsigned last_bin) const
{
	int			padding = part() * (int) cluster_blocks() - sort.count;
	int			total = (int) bin.total;

	if (threadIdx.x == last_bin)
		total -= padding;
	return total > Tile::room - part();
}

/*
 * Moves the items to their bins in the cluster, stably, and clears the buckets.
 * Returns false, in all blocks, if a bin is too large.  Bins of one key each
 * are never too large.
 */
template <typename Key, int PAYLOAD>
__device__ bool
ClusterAgent<Key, PAYLOAD>::move_to_bins(GroupBins<Key> bins, Key greatest)
{
	unsigned	bin_start;
	PlacedBin	bin;

	own.pad(greatest);
	bin_start = rank(bins);
	scatter_to_shared(bins);
	cluster_sync();
	bin = place_bins(bin_start);
	find_window(bin);
	if (__syncthreads_or(bins.shift > 0 && is_too_large(bin, bins(greatest))))
		return false;
	memory->groups.clear();
	scatter(bins);
	cluster_sync();
	return true;
}

/* An item of the block's part, or of a following part. */
template <typename Key, int PAYLOAD>
template <typename T>
__device__ T
ClusterAgent<Key, PAYLOAD>::window_item(T *items, int i) const
{
	if (i < part())
		return items[i];
	return of_block(items, cluster_block() + (i >> sort.part_bits))
		[i & (part() - 1)];
}

template <typename Key, int PAYLOAD>
__device__ void
ClusterAgent<Key, PAYLOAD>::write_window(int begin, int end) const
{
	const auto *buckets = &memory->groups;
	int			to = own.first + begin;

#pragma unroll 4
	for (int i = threadIdx.x; i < end - begin; i += CLUSTER_THREADS)
	{
		if (PAYLOAD)
			((Payload *) sort.payload_out)[to + i] =
				window_item(memory->payload, buckets->from[i]);
		else
			sort.keys_out[to + i] = restored(buckets->keys[i], sort.order);
	}
}

/*
 * Sorts and writes the window, or tells all blocks that its keys are not spread
 * evenly.
 */
template <typename Key, int PAYLOAD>
__device__ void
ClusterAgent<Key, PAYLOAD>::sort_window(GroupBins<Key> bins, Key greatest)
{
	unsigned	count = sort.count;
	int			begin = (int) min(memory->window.begin, count) - own.first;
	int			end = (int) min(memory->window.end, count) - own.first;
	BucketRange<Key> range;

	if (begin >= end)
		return;
	range = buckets_of_bins(bins, bins(memory->keys[begin]),
							memory->window.last_bin, greatest);
	if (memory->groups.fill(begin, end, range, [&] (int i) {
			return window_item(memory->keys, i);
		}))
	{
		memory->groups.sort(end - begin);
		write_window(begin, end);
	}
	else if (threadIdx.x < cluster_blocks())
		*of_block(&memory->uneven, threadIdx.x) = 1;
}

/*
 * Returns false, in all blocks, if the items are to be loaded again and sorted
 * by digits.  Some of them may have been written by then.
 */
template <typename Key, int PAYLOAD>
__device__ bool
ClusterAgent<Key, PAYLOAD>::sort_in_groups(KeySpread<Key> spread)
{
	GroupBins<Key> bins = {
		bucket_range(spread.least, spread.greatest, SORT_BITS)
	};

	if (!move_to_bins(bins, spread.greatest))
		return false;
	if (bins.shift > 0)
		sort_window(bins, spread.greatest);
	else
	{
		/* The keys of each bin are equal. */
		take();
		own.write();
	}

	/* No block ends while another one may read its items. */
	cluster_sync();
	return memory->uneven == 0;
}

#endif							/* GPUCOMPACT_SORT_CLUSTER_GROUPS_H */
