/*
 * sort_agent.h
 *	  The sort of an array in one launch by thread blocks that exchange items.
 *
 * The range of the keys is divided into bins (sort_bins.h).  A pass moves the
 * items of all blocks to their bins.  The items of a bin form a group.  The
 * groups that begin in a block's part, or have their middle there, are its
 * window.  The block sorts the window by buckets, as sort_local.cu does for a
 * larger array.  The window may begin before the part, and end behind it.
 *
 * The group of a heavy key is in no window: the scatter writes its results.
 *
 * If a group is too large, or if keys are spread unevenly in a window, all
 * blocks begin again, by digits.  If a sample tells that a group is too large,
 * they begin by digits.  Each digit in which keys differ takes a pass: each
 * block sorts its part by the digit, as a tile of a larger array, and shares
 * its histogram.  The histograms tell a block the places of its bins; it
 * scatters its items to these places.
 *
 * How blocks exchange items is the agent's base: the blocks of a cluster use
 * distributed shared memory (sort_cluster.h), those of a grid global memory
 * (sort_grid.cu).  The base has the types Key, Payload and Memory, the members
 * sort, memory and own, and these:
 *
 * - puts_padding: what pads parts is put to its place, too.
 * - writes_results: the last pass writes the results where they belong.
 * - digits_unrolled: the factor by which the loop over the digits is unrolled.
 * - part(), blocks(): the items of a part, and the number of blocks.
 * - is_alone(): there is but one block.
 * - sync(): a barrier of all blocks, for what they exchange, too.
 * - merge_blocks(range): merges the ranges of all blocks, and takes a sample of
 *   the array's keys.
 * - any_block(flag): whether a block has the flag; a barrier of all blocks.
 * - share_count(count): the number of the block's items in the thread's bin,
 *   which all blocks know after their next barrier.
 * - sum_counts(): the sums of these numbers.
 * - sorted_keys(), sorted_payload(): where a block sorts its items by bins:
 *   if it is alone, to where the next pass takes them.
 * - find_window(bin): finds the window; between two barriers.
 * - first_bin(bins): the window's first bin.
 * - put<LAST>(to, from, key): moves a sorted item to its place in the array.
 * - part_key(at), part_payload(at): an item that was put into the part.
 * - window_key(begin, at): a key that was put into the window.
 * - write_payload(count): writes the payload of the sorted window.
 */
#ifndef GPUCOMPACT_SORT_AGENT_H
#define GPUCOMPACT_SORT_AGENT_H

#include <cstddef>

#include "kernels/sort/sort_choice.h"
#include "kernels/sort/sort_part.h"

/* The number of items in a bin: of all blocks, and of those before this one. */
struct BinCounts
{
	unsigned	total;
	unsigned	before;
};

/* A bin's place in the array, and its number of items. */
struct PlacedBin
{
	unsigned	start;
	unsigned	total;
};

/* The groups of a block, by their places in the array. */
struct PartWindow
{
	unsigned	begin;			/* not before the end if there are none */
	unsigned	end;
	unsigned	first_bin;
	unsigned	last_bin;
};

/*
 * Quarters of a part for which a window has room.  2^20 normal doubles, which
 * have no room in narrow ones, took 128 us on an H100 and take 55.
 */
#define WINDOW_NARROW	9
#define WINDOW_WIDE		13

/*
 * The shared memory of a block for keys, and for payloads of PAYLOAD bytes if
 * that is not 0.  Counts is the memory in which counts are summed.  A window
 * has room for QUARTERS / 4 as many items as a part, as a group may be large.
 */
template <typename Key, int PAYLOAD, int THREADS, int ITEMS, int QUARTERS,
		  typename Counts>
struct PartMemory
{
	typedef PartItems<Key, PAYLOAD, THREADS, ITEMS> Items;
	typedef typename Items::Payload Payload;
	static const int threads = THREADS;
	static const int items = ITEMS;
	static const int size = THREADS * ITEMS;

	static const int room = size / 4 * QUARTERS;
	typedef Buckets<Key, PAYLOAD != 0, THREADS, room> Groups;

	/* What a pass needs until its items are at their places. */
	struct Pass
	{
		typename Items::Ranks ranks;
		Counts		counts;
		Key			sorted[size];	/* of this block, by their bins */
		Payload		sorted_payload[PAYLOAD ? size : 1];
	};

	union
	{
		Pass		pass;
		Groups		groups;		/* after the only pass */
	};
	unsigned	places[SORT_BINS];	/* in the array, less in the block */
	unsigned	warps[THREADS / WARP];
	SortRange<Key> warp_ranges[THREADS / WARP];
	SortRange<Key> range;		/* of the array */
	Key			base;			/* that was subtracted from the keys */
	PartWindow	window;
	Key			sample[WARP];	/* of the array's keys */

	/* The buckets are cleared while the pass goes on. */
	static_assert(offsetof(Groups, keys) <= offsetof(Pass, counts),
				  "no more than what the scatter does without");
};

/* A thread's part in the sort, in the phases of run(). */
template <typename Exchange>
struct SortAgent : Exchange
{
	typedef typename Exchange::Key Key;
	typedef typename Exchange::Memory Memory;
	using Exchange::sort;
	using Exchange::memory;
	using Exchange::own;

	__device__ SortRange<Key> find_range();
	template <typename BinOf> __device__ unsigned sort_by_bins(BinOf bin_of);
	__device__ PlacedBin place_bins(unsigned bin_start);
	template <bool LAST, typename BinOf>
	__device__ void scatter(BinOf bin_of, Key base);
	__device__ void take();
	template <typename BinOf> __device__ void finish(BinOf bin_of);
	__device__ void sort_by_digits(SortRange<Key> range);
	template <typename Bins> __device__ bool move_to_bins(Bins bins,
														  Key greatest);
	__device__ void write_window(int count);
	template <typename Bins> __device__ bool sort_window(Bins bins);
	template <typename Bins> __device__ bool sort_in_groups(Bins bins,
															Key greatest);
	template <bool GROUPS> __device__ void run();
};

/* Turns the keys into sort keys.  Returns the range of the array's keys. */
template <typename Exchange>
__device__ SortRange<typename Exchange::Key>
SortAgent<Exchange>::find_range()
{
	SortRange<Key> range = own.order_keys();

	return this->merge_blocks(block_merge<Memory::threads>
							  (range, memory->warp_ranges));
}

/*
 * Sorts the block's items by their bins, in shared memory, and shares their
 * counts.  Returns the place of this thread's bin in the block.
 */
template <typename Exchange>
template <typename BinOf>
__device__ unsigned
SortAgent<Exchange>::sort_by_bins(BinOf bin_of)
{
	auto	   *pass = &memory->pass;
	unsigned	bin_count = own.rank(bin_of, &pass->ranks);
	unsigned	bin_start;

	if (own.has_bin())
		this->share_count(bin_count);
	bin_start = own.start_bins(bin_count, &pass->ranks);
	own.scatter(bin_of, &pass->ranks, this->sorted_keys(),
				this->sorted_payload());
	this->sync();
	return bin_start;
}

/*
 * Finds the places of the block's bins in the array, from all histograms.
 * Returns this thread's bin, if it has one; a barrier has to follow.
 */
template <typename Exchange>
__device__ PlacedBin
SortAgent<Exchange>::place_bins(unsigned bin_start)
{
	BinCounts	counts = this->sum_counts();
	unsigned	start = block_exclusive_scan<SORT_BINS / WARP>(counts.total,
															   memory->warps);

	if (own.has_bin())
		memory->places[threadIdx.x] = start + counts.before - bin_start;
	return {start, counts.total};
}

/*
 * Scatters the sorted items to their places.  If LAST, the items are written as
 * results; "base" was subtracted from their keys.  The keys of a bin that has
 * but one are results anyway.
 */
template <typename Exchange>
template <bool LAST, typename BinOf>
__device__ void
SortAgent<Exchange>::scatter(BinOf bin_of, Key base)
{
#pragma unroll
	for (int j = 0; j < Memory::items; j++)
	{
		unsigned	from = threadIdx.x + j * Memory::threads;
		unsigned	bin;
		Key			key;

		if (j >= sort.rows)
			break;
		key = memory->pass.sorted[from];
		bin = bin_of(key);
		this->template put<LAST>(memory->places[bin] + from, from,
								 LAST ? key + base :
								 has_one_key(bin_of, bin) ?
								 restored(key, sort.order) : key);
	}
}

/* Takes the items of the next pass. */
template <typename Exchange>
__device__ void
SortAgent<Exchange>::take()
{
	if (!Exchange::puts_padding)
		own.pad((Key) ~(Key) 0);
#pragma unroll
	for (int j = 0; j < Memory::items; j++)
	{
		if (Exchange::puts_padding ? j >= sort.rows : !own.exists(j))
			continue;
		own.keys[j] = this->part_key(own.at(j));
		if (Exchange::has_payload)
			own.payload[j] = this->part_payload(own.at(j));
	}
}

/* Moves the sorted items to their places, where they are results. */
template <typename Exchange>
template <typename BinOf>
__device__ void
SortAgent<Exchange>::finish(BinOf bin_of)
{
	scatter<Exchange::writes_results>(bin_of, 0);
	if (Exchange::writes_results)
		return;
	this->sync();
	take();
	own.write(0);
}

/*
 * Passes over the digits in which keys differ; or, if that saves passes, in
 * which their distances from the least key may differ.
 */
template <typename Exchange>
__device__ void
SortAgent<Exchange>::sort_by_digits(SortRange<Key> range)
{
	bool		saves = range.saves_digits();
	Key			differing = saves ? range.differing_distances() :
		range.differing;
	int			last = digit_count(differing) - 1;
	Key			base = saves ? range.least : 0;

	if (threadIdx.x == 0)
		memory->base = base;
	own.subtract(base);
	__syncthreads();
#pragma unroll Exchange::digits_unrolled
	for (int digit = 0; digit < (int) sizeof(Key); digit++)
	{
		DigitBins	bins = {digit};
		unsigned	bin_start;

		if (digit_of(differing, digit) == 0)
			continue;
		bin_start = sort_by_bins(bins);
		if (this->is_alone())
		{
			take();
			continue;
		}
		(void) place_bins(bin_start);
		__syncthreads();
		if (Exchange::writes_results && digit == last)
		{
			scatter<true>(bins, memory->base);

			/* To return takes more registers with a payload, fewer without. */
			if constexpr (!Exchange::has_payload)
				return;
		}
		else
		{
			scatter<false>(bins, 0);
			this->sync();
			take();
		}
	}
	if (!Exchange::writes_results)
		own.write(memory->base);
}

/*
 * Moves the items to their bins, stably, and clears the buckets.  Returns
 * false, in all blocks, if a bin is too large; or if a heavy key's is not
 * larger than a part, so that a window could have bins on both of its sides.
 * Items in bins of one key each are sorted then, and are written.  The items
 * that pad parts are at the end of the greatest key's bin, and belong to no
 * window.
 */
template <typename Exchange>
template <typename Bins>
__device__ bool
SortAgent<Exchange>::move_to_bins(Bins bins, Key greatest)
{
	PlacedBin	bin;
	bool		fits;

	if (threadIdx.x == 0)
		memory->window = {~0u, 0, ~0u, 0};
	own.pad(greatest);
	bin = place_bins(sort_by_bins(bins));
	if (bins.are_single())
	{
		__syncthreads();
		finish(bins);
		return true;
	}
	if (threadIdx.x == bins(greatest))
		bin.total -= this->part() * this->blocks() - sort.count;
	if (has_one_key(bins, threadIdx.x))
		fits = bin.total > this->part();
	else
	{
		this->find_window(bin);
		fits = bin.total <= Memory::room - this->part();
	}
	if (!__syncthreads_and(fits))
		return false;
	memory->groups.clear();
	scatter<false>(bins, 0);
	this->sync();
	return true;
}

/* Writes the items of the window, which are sorted. */
template <typename Exchange>
__device__ void
SortAgent<Exchange>::write_window(int count)
{
	if constexpr (Exchange::has_payload)
		this->write_payload(count);
	else
	{
		Key		   *to = sort.keys_out + memory->window.begin;

#pragma unroll 4
		for (int i = threadIdx.x; i < count; i += Memory::threads)
			to[i] = restored(memory->groups.keys[i], sort.order);
	}
}

/* Sorts and writes the window.  Returns false if it is not spread evenly. */
template <typename Exchange>
template <typename Bins>
__device__ bool
SortAgent<Exchange>::sort_window(Bins bins)
{
	auto	   *buckets = &memory->groups;
	int			begin = memory->window.begin;
	int			count = memory->window.end - begin;

	if (memory->window.begin >= memory->window.end)
		return true;
	if (!buckets->template fill<Bins::takes_equal>
		(count, bins.buckets_of(this->first_bin(bins),
								memory->window.last_bin), true,
		 [&] (auto use) {
#pragma unroll 4
			for (int i = threadIdx.x; i < count; i += Memory::threads)
				use(this->window_key(begin, i), i);
		}))
		return false;
	buckets->sort(count);
	write_window(count);
	return true;
}

/*
 * Returns false, in all blocks, if the items are to be loaded again and sorted
 * by digits.  Some of them may have been written by then.  No block ends while
 * another one may read its items.
 */
template <typename Exchange>
template <typename Bins>
__device__ bool
SortAgent<Exchange>::sort_in_groups(Bins bins, Key greatest)
{
	if (!move_to_bins(bins, greatest))
		return false;
	return bins.are_single() || !this->any_block(!sort_window(bins));
}

/*
 * GROUPS are for keys of more than two digits.  Integers with a payload have no
 * codes, as many of them may be equal, but around a heavy key.  There are no
 * bins around one in a cluster, where a scatter does not write results.
 */
template <typename Exchange>
template <bool GROUPS>
__device__ void
SortAgent<Exchange>::run()
{
	SortRange<Key> range;

	own.load();
	range = find_range();
	if (Exchange::writes_results && range.differing == 0)
	{
		own.write(0);
		return;
	}
	if constexpr (GROUPS)
	{
		const bool	around = Exchange::writes_results;
		KeyCodes<Key> codes;
		Key			heavy;
		BinsOf		bins = range.differing == 0 ? NO_BINS :
			choose_bins<Key>(range, sort.order,
							 memory->sample[threadIdx.x % WARP],
							 !Exchange::has_payload || sort.order.is_float,
							 sort.count, Memory::room - (int) this->part(),
							 &codes, around ? &heavy : NULL);

		if (bins != NO_BINS)
		{
			bool		sorted = false;

			if (threadIdx.x == 0)
				memory->range = range;
			switch (bins)
			{
				case BINS_OF_KEYS:
					sorted = sort_in_groups(even_bins<Key>(range, SORT_BITS),
											range.greatest);
					break;
				case BINS_OF_CODES:
					sorted = sort_in_groups(CodeBins<Key>
											(codes, range.greatest),
											range.greatest);
					break;
				default:
					if constexpr (around)
						sorted = sort_in_groups(BinsAround<Key>
												{{codes, range.greatest},
												 heavy}, range.greatest);
			}
			if (sorted)
				return;
			own.load();
			(void) own.order_keys();

			/* No block still reads what another one shares again. */
			this->sync();
			range = memory->range;
		}
	}
	sort_by_digits(range);
}

#endif							/* GPUCOMPACT_SORT_AGENT_H */
