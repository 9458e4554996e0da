/*
 * sort_range.h
 *	  A sort of a part of an array by one thread block, in global memory.
 *
 * It is a radix sort from the least significant digit, for items that have no
 * room in shared memory.  It may be slow.
 */
#ifndef GPUCOMPACT_SORT_RANGE_H
#define GPUCOMPACT_SORT_RANGE_H

#include "kernels/sort/sort_part.h"

template <typename Key, int THREADS>
struct RangeMemory
{
	typedef PartItems<Key, 0, THREADS, RANGE_ITEMS> Items;

	typename Items::Memory items;	/* of a tile */
	unsigned	places[SORT_BINS];	/* of the next key of each bin */
	SortRange<Key> warps[THREADS / WARP];
};

/*
 * The sort of the items from "begin" to "end", which have sort keys in the
 * buffer "source".  The buffer "to" gets the result.
 */
template <typename Key, typename Payload, int THREADS>
struct RangeSort
{
	typedef RangeMemory<Key, THREADS> Memory;
	static const bool has_payload = sizeof(Payload) > 1;

	const SortBuffers<Key> &sort;
	Memory	   *memory;
	long long	begin;
	long long	end;
	int			source;			/* the buffer that has the items */
	int			to;

	__device__ Payload *payloads(int buffer) const
	{
		return (Payload *) sort.payloads[buffer];
	}

	/* Returns the bits in which keys differ. */
	__device__ Key find_differing()
	{
		const Key  *in = sort.keys[source];
		SortRange<Key> range;

		for (long long i = begin + threadIdx.x; i < end; i += THREADS)
			range.merge(range_of_key(in[i], in[begin]));
		return block_merge<THREADS>(range, memory->warps).differing;
	}

	__device__ void count_bins(int digit)
	{
		const Key  *in = sort.keys[source];
		unsigned	count = 0;
		unsigned	before;

		if (threadIdx.x < SORT_BINS)
			memory->places[threadIdx.x] = 0;
		__syncthreads();
		for (long long i = begin + threadIdx.x; i < end; i += THREADS)
			atomicAdd(&memory->places[digit_of(in[i], digit)], 1);
		__syncthreads();
		if (threadIdx.x < SORT_BINS)
			count = memory->places[threadIdx.x];
		before = block_exclusive_scan<SORT_BINS / WARP>
			(count, memory->items.scan);
		if (threadIdx.x < SORT_BINS)
			memory->places[threadIdx.x] = (unsigned) begin + before;
		__syncthreads();
	}

	/* Sorts by a digit, stably, into the other buffer. */
	__device__ void move(int digit)
	{
		DigitBins	bins = {digit};
		PartSort<Key> part = {
			.keys = sort.keys[source] + begin,
			.count = (int) (end - begin),
			.rows = RANGE_ITEMS
		};
		typename Memory::Items own = {part};

		count_bins(digit);
		for (; own.first < part.count; own.first += Memory::Items::size)
		{
			unsigned	count;

			own.load();
			count = own.rank(own.keys, bins, &memory->items);
			if (own.has_bin())
			{
				for (int i = 0; i < THREADS / WARP; i++)
					memory->items.bins[i][threadIdx.x] +=
						memory->places[threadIdx.x];
				memory->places[threadIdx.x] += count;
			}
			__syncthreads();
#pragma unroll
			for (int j = 0; j < RANGE_ITEMS; j++)
			{
				long long	i = begin + own.first + own.at(j);
				unsigned	to = own.ranks[j] +
					memory->items.bins[own.warp()][bins(own.keys[j])];

				if (!own.exists(j))
					break;
				sort.keys[!source][to] = own.keys[j];
				if (has_payload)
					payloads(!source)[to] = payloads(source)[i];
			}
			__syncthreads();
		}
		source = !source;
	}

	/*
	 * Writes the sorted items.  If they have a payload, only that is written.
	 */
	__device__ void write()
	{
		for (long long i = begin + threadIdx.x; i < end; i += THREADS)
		{
			if (!has_payload)
				sort.keys[to][i] = restored(sort.keys[source][i], sort.order);
			else if (source != to)
				payloads(to)[i] = payloads(source)[i];
		}
	}

	/*
	 * Not inlined, so that it takes no registers from code that has to be
	 * fast.
	 */
	__device__ __noinline__ void run()
	{
		Key			differing = find_differing();

		for (int digit = 0; digit < (int) sizeof(Key); digit++)
		{
			if (digit_of(differing, digit) != 0)
				move(digit);
		}
		write();
		__syncthreads();
	}
};

#endif							/* GPUCOMPACT_SORT_RANGE_H */
