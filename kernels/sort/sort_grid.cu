/*
 * sort_grid.cu
 *	  The sort of an array of middle size in one launch, by thread blocks that
 *	  run at the same time (a cooperative launch), one on each multiprocessor.
 *
 * It is the sort of a cluster (sort_cluster_groups.h) by way of global memory,
 * in the array's second buffer.  A pass moves the items of all blocks to bins
 * of the same width.  The items of a bin form a group, and a block sorts the
 * groups that have their middle in its part, by buckets in shared memory.
 *
 * If a group is too large, or if keys are spread unevenly in a group, all
 * blocks begin again, and all digits in which keys differ take a pass.  Each
 * block has taken its items before any block writes, so one buffer is enough.
 */
#include "kernels/common/cooperative_launch.h"
#include "kernels/common/device_fact.h"
#include "kernels/sort/sort_part.h"

#define GRID_WARPS		(GRID_THREADS / WARP)

/* Threads that sum the histograms: each two bins of some of the blocks. */
#define GRID_PAIRS		(SORT_BINS / 2)
#define GRID_SUMMERS	(GRID_THREADS / GRID_PAIRS)

/* The exchange of the blocks, in the scratch memory. */
template <typename Key>
struct GridExchange
{
	unsigned short counts[GRID_BLOCKS][SORT_BINS];
	KeySpread<Key> spreads[GRID_BLOCKS];
	int			uneven[GRID_BLOCKS];	/* not spread evenly, by blocks */
};

/* The groups of a block. */
struct GridWindow
{
	unsigned	begin;			/* places in the array */
	unsigned	end;			/* 0 if there are none */
	unsigned	first_bin;
	unsigned	last_bin;
};

/* The shared memory. */
template <typename Key, int PAYLOAD>
struct GridMemory
{
	static const int items = sizeof(Key) + PAYLOAD <= 8 ? GRID_ITEMS_8 :
		GRID_ITEMS_16;
	typedef PartItems<Key, PAYLOAD, GRID_THREADS, items> Items;
	typedef typename Items::Payload Payload;
	static const int size = GRID_THREADS * items;
	static_assert(size < 1 << 16, "16 bits for a block's count");

	/* The items of a window: more than a part, as a group may be large. */
	static const int room = size / 4 * 9;
	typedef Buckets<Key, PAYLOAD != 0, GRID_THREADS, room> Groups;

	/* What a pass needs. */
	struct Pass
	{
		typename Items::Ranks ranks;
		Key			sorted[size];	/* of this block, by their bins */
		Payload		sorted_payload[PAYLOAD ? size : 1];
	};

	union
	{
		Pass		pass;
		Groups		groups;		/* after the only pass */
	};
	uint2		totals[GRID_SUMMERS][GRID_PAIRS];
	uint2		befores[GRID_SUMMERS][GRID_PAIRS];
	unsigned	places[SORT_BINS];	/* in the array, less in the block */
	unsigned	warps[GRID_WARPS];
	KeySpread<Key> warp_spreads[GRID_WARPS];
	GridWindow	window;
};

/* The arguments. */
template <typename Key>
struct GridSort : PartSort<Key>
{
	GridExchange<Key> *exchange;
};

/* A thread's part in the sort, in the phases of run(). */
template <typename Key, int PAYLOAD>
struct GridAgent
{
	typedef GridMemory<Key, PAYLOAD> Memory;
	typedef typename Memory::Payload Payload;

	const GridSort<Key> &sort;
	Memory	   *memory;
	typename Memory::Items own;

	__device__ unsigned part() const
	{
		return sort.rows * GRID_THREADS;
	}

	__device__ Payload *payload_out() const
	{
		return (Payload *) sort.payload_out;
	}

	__device__ KeySpread<Key> find_spread();
	template <typename BinOf> __device__ unsigned sort_by_bins(BinOf bin_of);
	__device__ void sum_counts();
	__device__ PlacedBin place_bins(unsigned bin_start, unsigned padded_bin);
	template <bool LAST, typename BinOf> __device__ void scatter(BinOf bin_of);
	__device__ void take();
	__device__ void sort_by_digits(Key differing);
	__device__ void find_window(PlacedBin bin);
	__device__ bool move_to_bins(GroupBins<Key> bins, Key greatest);
	__device__ void write_payload(int begin, int count);
	__device__ void write_window(int begin, int count);
	__device__ bool sort_window(GroupBins<Key> bins, Key greatest);
	__device__ bool sort_in_groups(KeySpread<Key> spread);
	__device__ void run();
};

/* Turns the keys into sort keys.  Returns the spread of the array's keys. */
template <typename Key, int PAYLOAD>
__device__ KeySpread<Key>
GridAgent<Key, PAYLOAD>::find_spread()
{
	KeySpread<Key> spread =
		block_united<GRID_THREADS>(own.order_keys(), memory->warp_spreads);

	if (threadIdx.x == 0)
		sort.exchange->spreads[blockIdx.x] = spread;
	grid_sync();
	spread = KeySpread<Key>();
	if (threadIdx.x < gridDim.x)
		spread = sort.exchange->spreads[threadIdx.x];
	return block_united<GRID_THREADS>(spread, memory->warp_spreads);
}

/*
 * Sorts the block's items by their bins, in shared memory, and tells all blocks
 * its histogram.  Returns the place of this thread's bin in the block.
 */
template <typename Key, int PAYLOAD>
template <typename BinOf>
__device__ unsigned
GridAgent<Key, PAYLOAD>::sort_by_bins(BinOf bin_of)
{
	auto	   *pass = &memory->pass;
	unsigned	bin_count = own.rank(bin_of, &pass->ranks);
	unsigned	bin_start;

	if (own.has_bin())
		sort.exchange->counts[blockIdx.x][threadIdx.x] =
			(unsigned short) bin_count;
	bin_start = own.start_bins(bin_count, &pass->ranks);
	own.scatter(bin_of, &pass->ranks, pass->sorted, pass->sorted_payload);
	grid_sync();
	return bin_start;
}

/*
 * Sums the counts of two bins: of all blocks, and of the blocks before this
 * one.  A thread sums the counts of some of the blocks.  Many loads are in
 * flight at once, each of a word with two counts.  Loads of vectors of two
 * counts waited for each other.
 */
template <typename Key, int PAYLOAD>
__device__ void
GridAgent<Key, PAYLOAD>::sum_counts()
{
	int			pair = threadIdx.x % GRID_PAIRS;
	int			summer = threadIdx.x / GRID_PAIRS;
	uint2		total = {0, 0};
	uint2		before = {0, 0};

	for (unsigned first = summer; first < gridDim.x;
		 first += GRID_SUMMERS * GRID_LOADS)
	{
		unsigned	two[GRID_LOADS];

#pragma unroll
		for (int i = 0; i < GRID_LOADS; i++)
		{
			unsigned	block = first + i * GRID_SUMMERS;

			two[i] = block < gridDim.x ?
				((const unsigned *) sort.exchange->counts[block])[pair] : 0;
		}
#pragma unroll
		for (int i = 0; i < GRID_LOADS; i++)
		{
			bool		is_before = first + i * GRID_SUMMERS < blockIdx.x;

			total.x += two[i] & 0xFFFF;
			total.y += two[i] >> 16;
			before.x += is_before ? two[i] & 0xFFFF : 0;
			before.y += is_before ? two[i] >> 16 : 0;
		}
	}
	memory->totals[summer][pair] = total;
	memory->befores[summer][pair] = before;
	__syncthreads();
}

/*
 * Finds the places of the block's bins in the array, from all histograms.
 * Returns this thread's bin, if it has one, without the keys that pad the last
 * part, which are at the end of the padded bin.  A barrier has to follow.
 */
template <typename Key, int PAYLOAD>
__device__ PlacedBin
GridAgent<Key, PAYLOAD>::place_bins(unsigned bin_start, unsigned padded_bin)
{
	unsigned	total = 0;
	unsigned	before = 0;
	unsigned	start;

	sum_counts();
	if (own.has_bin())
	{
#pragma unroll
		for (int i = 0; i < GRID_SUMMERS; i++)
		{
			total += ((const unsigned *) memory->totals[i])[threadIdx.x];
			before += ((const unsigned *) memory->befores[i])[threadIdx.x];
		}
	}
	if (threadIdx.x == padded_bin)
		total -= part() * gridDim.x - sort.count;
	start = block_exclusive_scan<SORT_BINS / WARP>(total, memory->warps);
	if (own.has_bin())
		memory->places[threadIdx.x] = start + before - bin_start;
	return {start, total};
}

/*
 * Scatters the sorted items to their places.  If LAST, the items are written as
 * results.
 */
template <typename Key, int PAYLOAD>
template <bool LAST, typename BinOf>
__device__ void
GridAgent<Key, PAYLOAD>::scatter(BinOf bin_of)
{
#pragma unroll
	for (int j = 0; j < Memory::items; j++)
	{
		unsigned	i = threadIdx.x + j * GRID_THREADS;
		Key			key;
		unsigned	to;

		if (j >= sort.rows)
			break;
		key = memory->pass.sorted[i];
		to = memory->places[bin_of(key)] + i;
		if (to >= sort.count)
			continue;
		if (!PAYLOAD || !LAST)
			sort.keys_out[to] = LAST ? restored(key, sort.order) : key;
		if (PAYLOAD)
			payload_out()[to] = memory->pass.sorted_payload[i];
	}
}

/* Takes the items of the next pass. */
template <typename Key, int PAYLOAD>
__device__ void
GridAgent<Key, PAYLOAD>::take()
{
	own.pad((Key) ~(Key) 0);
#pragma unroll
	for (int j = 0; j < Memory::items; j++)
	{
		int			i = own.first + own.at(j);

		if (!own.exists(j))
			continue;
		own.keys[j] = sort.keys_out[i];
		if (PAYLOAD)
			own.payload[j] = payload_out()[i];
	}
}

/* Passes over the digits in which keys differ, at least one. */
template <typename Key, int PAYLOAD>
__device__ void
GridAgent<Key, PAYLOAD>::sort_by_digits(Key differing)
{
	int			last = (63 - __clzll((long long) differing)) / SORT_BITS;

	/* A loop that is not unrolled would need more registers. */
#pragma unroll
	for (int digit = 0; digit < (int) sizeof(Key); digit++)
	{
		DigitBins	bins = {digit};

		if (digit_of(differing, digit) == 0)
			continue;
		(void) place_bins(sort_by_bins(bins), SORT_BINS - 1);
		__syncthreads();
		if (digit == last)
			scatter<true>(bins);
		else
		{
			scatter<false>(bins);
			grid_sync();
			take();
		}
	}
}

/* Finds the block's window, of the bins that have their middle in its part. */
template <typename Key, int PAYLOAD>
__device__ void
GridAgent<Key, PAYLOAD>::find_window(PlacedBin bin)
{
	GridWindow *window = &memory->window;
	unsigned	middle = bin.start + bin.total / 2;

	if (threadIdx.x == 0)
		*window = {~0u, 0, ~0u, 0};
	__syncthreads();
	if (bin.total > 0 && middle / part() == blockIdx.x)
	{
		atomicMin(&window->begin, bin.start);
		atomicMax(&window->end, bin.start + bin.total);
		atomicMin(&window->first_bin, threadIdx.x);
		atomicMax(&window->last_bin, threadIdx.x);
	}
}

/*
 * Moves the items to their bins, stably.  Returns false, in all blocks, if a
 * bin is too large.  Bins of one key each are never too large.
 */
template <typename Key, int PAYLOAD>
__device__ bool
GridAgent<Key, PAYLOAD>::move_to_bins(GroupBins<Key> bins, Key greatest)
{
	PlacedBin	bin;

	own.pad(greatest);
	bin = place_bins(sort_by_bins(bins), bins(greatest));
	if (bins.shift == 0)
	{
		__syncthreads();
		scatter<true>(bins);
		return true;
	}
	find_window(bin);
	if (__syncthreads_or(bin.total > Memory::room - part()))
		return false;
	scatter<false>(bins);
	grid_sync();
	return true;
}

/* All payloads are loaded before any is written to the same memory. */
template <typename Key, int PAYLOAD>
__device__ void
GridAgent<Key, PAYLOAD>::write_payload(int begin, int count)
{
	const int	rows = (Memory::room + GRID_THREADS - 1) / GRID_THREADS;
	Payload    *window = payload_out() + begin;
	Payload		sorted[rows];

#pragma unroll
	for (int j = 0; j < rows; j++)
	{
		int			i = threadIdx.x + j * GRID_THREADS;

		if (i < count)
			sorted[j] = window[memory->groups.from[i]];
	}
	__syncthreads();
#pragma unroll
	for (int j = 0; j < rows; j++)
	{
		int			i = threadIdx.x + j * GRID_THREADS;

		if (i < count)
			window[i] = sorted[j];
	}
}

template <typename Key, int PAYLOAD>
__device__ void
GridAgent<Key, PAYLOAD>::write_window(int begin, int count)
{
	if constexpr (PAYLOAD != 0)
		write_payload(begin, count);
	else
	{
#pragma unroll 4
		for (int i = threadIdx.x; i < count; i += GRID_THREADS)
			sort.keys_out[begin + i] = restored(memory->groups.keys[i],
												sort.order);
	}
}

/* Sorts and writes the window.  Returns false if it is not spread evenly. */
template <typename Key, int PAYLOAD>
__device__ bool
GridAgent<Key, PAYLOAD>::sort_window(GroupBins<Key> bins, Key greatest)
{
	auto	   *buckets = &memory->groups;
	int			begin = memory->window.begin;
	int			count = memory->window.end - begin;
	const Key  *keys;
	BucketRange<Key> range;

	if (memory->window.end == 0)
		return true;
	range = buckets_of_bins(bins, memory->window.first_bin,
							memory->window.last_bin, greatest);
	keys = sort.keys_out + begin;
	buckets->clear();
	__syncthreads();
	if (!buckets->fill(0, count, range, [&] (int i) { return keys[i]; }))
		return false;
	buckets->sort(count);
	write_window(begin, count);
	return true;
}

/*
 * Returns false, in all blocks, if the items are to be loaded again and sorted
 * by digits.  Some of them may have been written by then.
 */
template <typename Key, int PAYLOAD>
__device__ bool
GridAgent<Key, PAYLOAD>::sort_in_groups(KeySpread<Key> spread)
{
	GroupBins<Key> bins = {
		bucket_range(spread.least, spread.greatest, SORT_BITS)
	};
	bool		even;

	if (!move_to_bins(bins, spread.greatest))
		return false;
	if (bins.shift == 0)
		return true;
	even = sort_window(bins, spread.greatest);
	if (threadIdx.x == 0)
		sort.exchange->uneven[blockIdx.x] = !even;
	grid_sync();
	return !__syncthreads_or(threadIdx.x < gridDim.x &&
							 sort.exchange->uneven[threadIdx.x]);
}

/* Groups are for keys of more than two digits. */
template <typename Key, int PAYLOAD>
__device__ void
GridAgent<Key, PAYLOAD>::run()
{
	KeySpread<Key> spread;

	own.load();
	spread = find_spread();
	if (spread.differing == 0)
	{
		own.write();
		return;
	}
	if constexpr (sizeof(Key) >= 4)
	{
		if (sort_in_groups(spread))
			return;
		own.load();
		(void) own.order_keys();

		/* No block still reads what another one tells again. */
		grid_sync();
	}
	sort_by_digits(spread.differing);
}

template <typename Key, int PAYLOAD>
__global__ void __launch_bounds__(GRID_THREADS)
sort_grid(const __grid_constant__ GridSort<Key> sort)
{
	extern __shared__ __align__(SORT_ALIGNMENT) char shared[];
	GridAgent<Key, PAYLOAD> agent = {
		sort, (GridMemory<Key, PAYLOAD> *) shared,
		{sort, (int) blockIdx.x * sort.rows * GRID_THREADS}
	};

	if (blockIdx.x == 0 && threadIdx.x == 0)
		select_other(sort.plan);
	agent.run();
}

/* Returns the most blocks of a grid on the current device, or 0. */
template <typename Key, int PAYLOAD>
static int
find_most_blocks()
{
	int			blocks = find_cooperative_blocks((const void *)
												 sort_grid<Key, PAYLOAD>,
												 GRID_THREADS,
												 sizeof(GridMemory<Key,
																   PAYLOAD>));

	return blocks < GRID_BLOCKS ? blocks : GRID_BLOCKS;
}

template <typename Key, int PAYLOAD>
static bool
fits(const Sort *sort)
{
	int64_t		blocks = device_fact<find_most_blocks<Key, PAYLOAD>>();

	return sort->count <= blocks * GridMemory<Key, PAYLOAD>::size;
}

bool
sort_fits_grid(const Sort *sort)
{
	RETURN_BY_ITEM(sort, fits, sort);
}

/* Bytes of the scratch memory behind the plan: the exchange of wide keys. */
size_t
sort_grid_scratch_bytes(void)
{
	return sizeof(GridExchange<uint64_t>);
}

template <typename Key, int PAYLOAD>
static cudaError_t
sort_items(cudaStream_t stream, const Sort *sort)
{
	int64_t		row = (int64_t) GRID_THREADS *
		device_fact<find_most_blocks<Key, PAYLOAD>>();
	int			rows = (int) ((sort->count + row - 1) / row);
	GridSort<Key> items = {
		part_sort<Key>(sort, rows),
		(GridExchange<Key> *) ((SortPlan *) sort->scratch + 1)
	};
	int			part = rows * GRID_THREADS;
	unsigned	blocks = (unsigned) ((sort->count + part - 1) / part);

	return launch_cooperative(stream, sort_grid<Key, PAYLOAD>, blocks,
							  GRID_THREADS, sizeof(GridMemory<Key, PAYLOAD>),
							  items);
}

/* Queues the sort of an array that fits, into the second buffers. */
cudaError_t
sort_in_grid(cudaStream_t stream, const Sort *sort)
{
	RETURN_BY_ITEM(sort, sort_items, stream, sort);
}
