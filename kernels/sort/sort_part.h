/*
 * sort_part.h
 *	  A thread block's part of an array: its items in registers, and their ranks
 *	  by bins.
 *
 * A block alone has one (sort_block.cu), and each block of a grid.  Items that
 * a block sorts after others have moved them are a window.
 */
#ifndef GPUCOMPACT_SORT_PART_H
#define GPUCOMPACT_SORT_PART_H

#include <type_traits>

#include "kernels/sort/sort.h"

template <typename Key>
struct PartSort
{
	const Key  *keys;
	Key		   *keys_out;
	const void *payload;
	void	   *payload_out;
	int			count;
	int			rows;			/* of a warp, in a part */
	KeyOrder	order;
	bool		positions;		/* the payloads are the keys' positions */
	SortPlan   *plan;
	int			seed;			/* chooses the keys of a sample */
	KernelTimer  *end;			/* to report the end; or NULL */
	unsigned	timer_number;
};

template <typename Key>
static PartSort<Key>
part_sort(const Sort *sort, int rows)
{
	return {
		.keys = (const Key *) sort->keys[0],
		.keys_out = (Key *) sort->keys[1],
		.payload = sort->payloads[0],
		.payload_out = sort->payloads[1],
		.count = (int) sort->count,
		.rows = rows,
		.order = sort_order(sort),
		.positions = sort->positions,
		.plan = (SortPlan *) sort->scratch,
		.seed = sort_seed(),
		.end = sort->end,
		.timer_number = sort->timer_number
	};
}

/* For one thread: the second buffers have the result. */
__device__ static inline void
select_other(SortPlan *plan)
{
	plan->selector = 1;
	plan->in_first = 0;
}

/* The number of digits of the numbers up to "greatest". */
template <typename Key>
__device__ static inline int
digit_count(Key greatest)
{
	int			bits = 64 - __clzll((long long) greatest);

	return (bits + SORT_BITS - 1) / SORT_BITS;
}

/* The range of some keys: of a thread, a warp, a block or the array. */
template <typename Key>
struct SortRange : KeyRange<Key>
{
	Key			differing = 0;	/* bits in which keys differ from the first */

	/* The number of digits of the distances of the keys from the least key. */
	__device__ int distance_digits() const
	{
		return digit_count((Key) (this->greatest - this->least));
	}

	/* Returns whether distances have fewer digits than the keys differ in. */
	__device__ bool saves_digits() const
	{
		int			live = 0;

		for (int digit = 0; digit < (int) sizeof(Key); digit++)
			live += digit_of(differing, digit) != 0;
		return distance_digits() < live;
	}

	/*
	 * The bits in which distances may differ.  The lowest of them is the
	 * lowest one of the keys.
	 */
	__device__ Key differing_distances() const
	{
		return (differing | -differing) & (Key) ~(Key) 0 >>
			((int) sizeof(Key) - distance_digits()) * SORT_BITS;
	}

	__device__ void merge(SortRange other)
	{
		KeyRange<Key>::merge(other);
		differing |= other.differing;
	}

	__device__ SortRange of_lane(int distance) const
	{
		return {KeyRange<Key>::of_lane(distance),
			(Key) __shfl_xor_sync(ALL_LANES, differing, distance)};
	}
};

/* The range of one key.  "first" is the array's first key. */
template <typename Key>
__device__ static inline SortRange<Key>
range_of_key(Key key, Key first)
{
	return {{key, key}, (Key) (key ^ first)};
}

template <int PAYLOAD>
using PayloadOf = std::conditional_t<PAYLOAD == 8, int64_t,
	std::conditional_t<PAYLOAD == 2, unsigned short, int>>;

/*
 * A thread's items of its block's part: one of each row of its warp; and the
 * bin of its number, if there is one.
 */
template <typename Key, int PAYLOAD, int THREADS, int ITEMS>
struct PartItems
{
	typedef PayloadOf<PAYLOAD> Payload;
	static const int items = ITEMS;
	static const int size = THREADS * ITEMS;
	static const int warps = THREADS / WARP;

	/*
	 * Shared memory, in which the items are ranked, as in sort_move.cu, and
	 * then sorted.
	 */
	struct Memory
	{
		unsigned	bins[warps][SORT_BINS];
		unsigned	scan[warps];
		union
		{
			unsigned	peers[warps][SORT_BINS];
			struct
			{
				Key			sorted[size];
				Payload		sorted_payload[PAYLOAD ? size : 1];
			};
		};
	};

	const PartSort<Key> &sort;
	int			first;			/* the part's first item in the array */
	Key			first_key;		/* of the array, not ordered */
	Key			keys[ITEMS];
	Payload		payload[PAYLOAD ? ITEMS : 1];
	KeyRanks<ITEMS> ranks;

	__device__ static int warp()
	{
		return threadIdx.x / WARP;
	}

	__device__ static bool has_bin()
	{
		return threadIdx.x < SORT_BINS;
	}

	/* This thread's item of a row, in the part. */
	__device__ int at(int row) const
	{
		return warp() * sort.rows * WARP + threadIdx.x % WARP + row * WARP;
	}

	__device__ bool exists(int row) const
	{
		return row < sort.rows && first + at(row) < sort.count;
	}

	/* Calls a function with the number of each row. */
	template <typename Function>
	__device__ void for_each_row(Function function) const
	{
#pragma unroll
		for (int j = 0; j < ITEMS; j++)
		{
			if (j >= sort.rows)
				break;
			function(j);
		}
	}

	/* Pads the last part with the greatest key, which comes last. */
	__device__ void load()
	{
		const Payload *from = (const Payload *) sort.payload;

		first_key = sort.keys[0];
		for_each_row([&] (int j) {
			int			i = first + at(j);

			keys[j] = (Key) ~(Key) 0;
			if (exists(j))
				keys[j] = sort.keys[i];
			if (PAYLOAD && exists(j))
				payload[j] = sort.positions ? (Payload) i + 1 : from[i];
		});
	}

	/*
	 * Turns the keys into sort keys.  Returns the range of the thread's keys.
	 */
	__device__ SortRange<Key> order_keys()
	{
		Key			origin = ordered(first_key, sort.order);
		SortRange<Key> range;

		for_each_row([&] (int j) {
			if (exists(j))
			{
				keys[j] = ordered(keys[j], sort.order);
				range.merge(range_of_key(keys[j], origin));
			}
		});
		return range;
	}

	/* Padding remains the greatest key. */
	__device__ void subtract(Key base)
	{
		for_each_row([&] (int j) {
			if (exists(j))
				keys[j] -= base;
		});
	}

	/*
	 * Ranks the items of each warp by the bins of their keys.  The sort may
	 * have other keys.  Returns the number of the block's keys, also those
	 * that pad its part, in this thread's bin.
	 */
	template <typename Keys, typename BinOf>
	__device__ unsigned rank(const Keys &bin_keys, BinOf bin_of, Memory *memory)
	{
		unsigned	sum = 0;

		for (int i = threadIdx.x % WARP; i < SORT_BINS; i += WARP)
		{
			memory->bins[warp()][i] = 0;
			memory->peers[warp()][i] = 0;
		}
		__syncwarp();
		rank_keys<ITEMS>(bin_keys, sort.rows, bin_of, memory->bins[warp()],
						 memory->peers[warp()], &ranks);
		__syncthreads();
		if (has_bin())
		{
#pragma unroll
			for (int i = 0; i < warps; i++)
			{
				unsigned	warp_count = memory->bins[i][threadIdx.x];

				memory->bins[i][threadIdx.x] = sum;
				sum += warp_count;
			}
		}
		return sum;
	}

	/*
	 * Turns the histograms of the warps into the place of each warp's first
	 * key of each bin, if the block's keys are sorted by their bins.  Returns
	 * the place of the block's first key in this thread's bin.  Ends with a
	 * barrier.
	 */
	__device__ unsigned start_bins(unsigned bin_count, Memory *memory) const
	{
		unsigned	start = block_exclusive_scan<SORT_BINS / WARP>
			(bin_count, memory->scan);

		if (has_bin())
		{
#pragma unroll
			for (int i = 0; i < warps; i++)
				memory->bins[i][threadIdx.x] += start;
		}
		__syncthreads();
		return start;
	}

	/* Sorts the block's items by their bins, a stable sort. */
	template <typename BinOf>
	__device__ void scatter(BinOf bin_of, Memory *memory) const
	{
		for_each_row([&] (int j) {
			unsigned	i = memory->bins[warp()][bin_of(keys[j])] + ranks[j];

			memory->sorted[i] = keys[j];
			if (PAYLOAD)
				memory->sorted_payload[i] = payload[j];
		});
	}

	/*
	 * Sorts the block's items by the digits in which keys differ; or, if that
	 * saves passes, in which their distances from the least key may differ.
	 * Returns the base that was subtracted from the keys then.
	 */
	__device__ Key sort_by_digits(SortRange<Key> range, Memory *memory)
	{
		bool		saves = range.saves_digits();
		Key			differing = saves ? range.differing_distances() :
			range.differing;
		Key			base = saves ? range.least : 0;

		subtract(base);
#pragma unroll 1
		for (int digit = 0; digit < (int) sizeof(Key); digit++)
		{
			DigitBins	bins = {digit};

			if (digit_of(differing, digit) == 0)
				continue;
			(void) start_bins(rank(keys, bins, memory), memory);
			scatter(bins, memory);
			__syncthreads();
			for_each_row([&] (int j) {
				keys[j] = memory->sorted[at(j)];
				if (PAYLOAD)
					payload[j] = memory->sorted_payload[at(j)];
			});
			__syncthreads();
		}
		return base;
	}

	/*
	 * Writes the sorted items, from which the base was subtracted.  If they
	 * have a payload, only that is written.
	 */
	__device__ void write(Key base) const
	{
		for_each_row([&] (int j) {
			int			i = first + at(j);

			if (!exists(j))
				return;
			if (PAYLOAD)
				((Payload *) sort.payload_out)[i] = payload[j];
			else
				sort.keys_out[i] = restored((Key) (keys[j] + base), sort.order);
		});
	}
};

/*
 * The shared memory for a window: up to ROWS items of each thread, which have
 * sort keys and are next to each other in global memory.
 */
template <typename Key, int PAYLOAD, int THREADS, int ROWS>
struct WindowMemory
{
	/* Payloads are the numbers of the items until they are sorted. */
	typedef PartItems<Key, PAYLOAD ? 2 : 0, THREADS, ROWS> Items;

	typename Items::Memory digits;
	SortRange<Key> warp_ranges[THREADS / WARP];

	/*
	 * Sorts the first items of a part by the digits in which their keys differ.
	 * "order" is that of the result.  Not inlined, so that it takes no registers
	 * from code that has to be fast.
	 */
	__device__ __noinline__ void sort(PartSort<Key> part, KeyOrder order)
	{
		Items		items = {part, 0};
		SortRange<Key> range;
		Key			base;

		static_assert(Items::size < 1 << 16, "16 bits for an item's number");
		part.rows = (part.count + THREADS - 1) / THREADS;
		part.positions = true;
		items.load();
		range = block_merge<THREADS>(items.order_keys(), warp_ranges);
		base = items.sort_by_digits(range, &digits);
		part.order = order;
		if constexpr (PAYLOAD == 0)
			items.write(base);
		else
		{
			typedef PayloadOf<PAYLOAD> Payload;

#pragma unroll
			for (int j = 0; j < ROWS; j++)
			{
				if (items.exists(j))
					((Payload *) part.payload_out)[items.at(j)] =
						((const Payload *) part.payload)[items.payload[j] - 1];
			}
		}
	}
};

/*
 * A sort of a part of an array by one thread block, in global memory: a radix
 * sort from the least significant digit, for items that have no room in shared
 * memory.  It may be slow.
 */
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

#endif							/* GPUCOMPACT_SORT_PART_H */
