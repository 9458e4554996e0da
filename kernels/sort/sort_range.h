/*
 * sort_range.h
 *	  A sort of a part of an array by one thread block, in global memory.
 *
 * It is a radix sort from the least significant digit, for items that have no
 * room in shared memory.  It may be slow.
 */
#ifndef GPUCOMPACT_SORT_RANGE_H
#define GPUCOMPACT_SORT_RANGE_H

#include "kernels/sort/sort.h"

template <int THREADS>
struct RangeMemory
{
	static const int nwarps = THREADS / WARP;

	unsigned	bins[nwarps][SORT_BINS];	/* as in sort_move.cu */
	unsigned	peers[nwarps][SORT_BINS];
	unsigned	places[SORT_BINS];	/* of the next key of each bin */
	unsigned	warps[nwarps];
	unsigned long long differing;	/* bits in which keys differ */
};

/*
 * The sort of the items from "begin" to "end", which have sort keys in the
 * buffer "source".  The buffer "to" gets the result.
 */
template <typename Key, typename Payload, int THREADS>
struct RangeSort
{
	static const int items = RANGE_ITEMS;
	static const bool has_payload = sizeof(Payload) > 1;

	const SortBuffers<Key> &sort;
	RangeMemory<THREADS> *memory;
	long long	begin;
	long long	end;
	int			source;			/* the buffer that has the items */
	int			to;

	__device__ Payload *payloads(int buffer) const
	{
		return (Payload *) sort.payloads[buffer];
	}

	__device__ void find_differing()
	{
		const Key  *in = sort.keys[source];
		Key			first = in[begin];
		Key			differing = 0;

		if (threadIdx.x == 0)
			memory->differing = 0;
		__syncthreads();
		for (long long i = begin + threadIdx.x; i < end; i += THREADS)
			differing |= in[i] ^ first;
		if (differing != 0)
			atomicOr(&memory->differing, (unsigned long long) differing);
		__syncthreads();
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
		before = block_exclusive_scan<SORT_BINS / WARP>(count, memory->warps);
		if (threadIdx.x < SORT_BINS)
			memory->places[threadIdx.x] = (unsigned) begin + before;
		__syncthreads();
	}

	/*
	 * Turns the warps' counts into the places of their first keys of each bin.
	 */
	__device__ void place_warps()
	{
		unsigned	next;

		if (threadIdx.x >= SORT_BINS)
			return;
		next = memory->places[threadIdx.x];
		for (int i = 0; i < THREADS / WARP; i++)
		{
			unsigned	count = memory->bins[i][threadIdx.x];

			memory->bins[i][threadIdx.x] = next;
			next += count;
		}
		memory->places[threadIdx.x] = next;
	}

	/* Sorts by a digit, stably, into the other buffer. */
	__device__ void move(int digit)
	{
		int			warp = threadIdx.x / WARP;
		int			lane = threadIdx.x % WARP;
		const Key  *in = sort.keys[source];
		Key		   *out = sort.keys[!source];

		count_bins(digit);
		for (long long tile = begin; tile < end; tile += THREADS * items)
		{
			long long	first = tile + warp * items * WARP + lane;
			Key			own[items];
			KeyRanks<items> ranks;

			/* The padding of the last tile comes last. */
			for (int j = 0; j < items; j++)
				own[j] = first + j * WARP < end ? in[first + j * WARP] :
					(Key) ~(Key) 0;
			for (int i = lane; i < SORT_BINS; i += WARP)
			{
				memory->bins[warp][i] = 0;
				memory->peers[warp][i] = 0;
			}
			__syncwarp();
			rank_keys<items>(own, items, DigitBins{digit}, FirstBin{},
							 memory->bins[warp], memory->peers[warp], &ranks);
			__syncthreads();
			place_warps();
			__syncthreads();
			for (int j = 0; j < items; j++)
			{
				long long	i = first + j * WARP;
				unsigned	to = memory->bins[warp][digit_of(own[j], digit)] +
					ranks[j];

				if (i >= end)
					break;
				out[to] = own[j];
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
		find_differing();
		for (int digit = 0; digit < (int) sizeof(Key); digit++)
		{
			if (digit_of(memory->differing, digit) != 0)
				move(digit);
		}
		write();
		__syncthreads();
	}
};

#endif							/* GPUCOMPACT_SORT_RANGE_H */
