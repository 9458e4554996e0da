/*
 * sort_grid.cu
 *	  The sort of an array of middle size in one launch, by thread blocks that
 *	  run at the same time (a cooperative launch), one on each multiprocessor.
 *
 * The blocks exchange items (sort_agent.h) by way of global memory, in the
 * array's second buffer.  Each block has taken its items before any block
 * writes, so one buffer is enough.
 */
#include "kernels/common/cooperative_launch.h"
#include "kernels/common/vector.h"
#include "kernels/sort/sort_agent.h"

/*
 * The threads of a thread block, the items of a thread by the bytes of a key
 * and its payload, and the histograms of blocks of which a thread loads a word
 * at once.  2^20 integers took 25.4 us, with 16 loads 26.4, one by one 27.3,
 * and with 512 threads 29.1.
 */
#define GRID_THREADS	1024
#define GRID_ITEMS_8	8
#define GRID_ITEMS_16	4
#define GRID_LOADS		8

/* Threads that sum the histograms: each two bins of some of the blocks. */
#define GRID_PAIRS		(SORT_BINS / 2)
#define GRID_SUMMERS	(GRID_THREADS / GRID_PAIRS)

/* What the blocks share, in the scratch memory. */
template <typename Key>
struct GridShared
{
	unsigned short counts[GRID_BLOCKS][SORT_BINS];
	SortRange<Key> ranges[GRID_BLOCKS];
	Key			sample[GRID_BLOCKS];
	int			flags[GRID_BLOCKS];
};

/* The sums of each summer. */
struct GridSums
{
	uint2		totals[GRID_SUMMERS][GRID_PAIRS];
	uint2		befores[GRID_SUMMERS][GRID_PAIRS];
};

/* The items of a thread. */
template <typename Key, int PAYLOAD>
constexpr int grid_items = sizeof(Key) + PAYLOAD <= 8 ? GRID_ITEMS_8 :
	GRID_ITEMS_16;

/*
 * Whether there are kernels with wide windows, too, which not all GPUs have the
 * shared memory for.
 */
template <typename Key, int PAYLOAD>
constexpr bool may_be_wide = sizeof(Key) == 8 && PAYLOAD == 0;

/* Narrow keys without a payload have room for wide windows on all GPUs. */
template <typename Key, int PAYLOAD, bool WIDE>
using GridMemory = PartMemory<Key, PAYLOAD, GRID_THREADS,
	grid_items<Key, PAYLOAD>,
	WIDE || (sizeof(Key) < 8 && PAYLOAD == 0) ? WINDOW_WIDE : WINDOW_NARROW,
	GridSums>;

/* The arguments. */
template <typename Key>
struct GridSort : PartSort<Key>
{
	GridShared<Key> *shared;
};

/* A base of SortAgent. */
template <typename SortKey, int PAYLOAD, bool WIDE>
struct GridExchange
{
	typedef SortKey Key;
	typedef GridMemory<Key, PAYLOAD, WIDE> Memory;
	typedef typename Memory::Payload Payload;
	static const bool has_payload = PAYLOAD != 0;
	static const bool puts_padding = false;
	static const bool writes_results = true;
	static_assert(Memory::size < 1 << 16, "16 bits for a block's count");

	/* Either loop needs fewer registers than the other one would. */
	static const int digits_unrolled = PAYLOAD ? 1 : sizeof(Key);

	const GridSort<Key> &sort;
	Memory	   *memory;
	typename Memory::Items own;

	__device__ unsigned part() const
	{
		return sort.rows * GRID_THREADS;
	}

	__device__ static unsigned blocks()
	{
		return gridDim.x;
	}

	__device__ static constexpr bool is_alone()
	{
		return false;
	}

	__device__ static void sync()
	{
		grid_sync();
	}

	__device__ Key *sorted_keys() const
	{
		return memory->pass.sorted;
	}

	__device__ Payload *sorted_payload() const
	{
		return memory->pass.sorted_payload;
	}

	__device__ Payload *payload_out() const
	{
		return (Payload *) sort.payload_out;
	}

	__device__ Key part_key(int at) const
	{
		int			i = own.first + at;

		return sort.keys_out[i];
	}

	__device__ Payload part_payload(int at) const
	{
		int			i = own.first + at;

		return payload_out()[i];
	}

	__device__ Key window_key(int begin, int at) const
	{
		int			i = begin + at;

		return sort.keys_out[i];
	}

	template <typename Bins>
	__device__ unsigned first_bin(Bins) const
	{
		return memory->window.first_bin;
	}

	__device__ SortRange<Key> merge_blocks(SortRange<Key> range);
	__device__ bool any_block(bool flag);
	__device__ void share_count(unsigned count);
	__device__ BinCounts sum_counts();
	__device__ void find_window(PlacedBin bin);
	template <bool LAST>
	__device__ void put(unsigned to, unsigned from, Key key);
	__device__ void write_payload(int count);
};

template <typename Key, int PAYLOAD, bool WIDE>
__device__ SortRange<Key>
GridExchange<Key, PAYLOAD, WIDE>::merge_blocks(SortRange<Key> range)
{
	if (threadIdx.x == 0)
		sort.shared->ranges[blockIdx.x] = range;
	if (threadIdx.x == sort.seed % GRID_THREADS)
		sort.shared->sample[blockIdx.x] = own.any_key();
	grid_sync();
	range = SortRange<Key>();
	if (threadIdx.x < WARP)
		memory->sample[threadIdx.x] =
			sort.shared->sample[threadIdx.x * gridDim.x / WARP];
	if (threadIdx.x < gridDim.x)
		range = sort.shared->ranges[threadIdx.x];
	return block_merge<GRID_THREADS>(range, memory->warp_ranges);
}

template <typename Key, int PAYLOAD, bool WIDE>
__device__ bool
GridExchange<Key, PAYLOAD, WIDE>::any_block(bool flag)
{
	if (threadIdx.x == 0)
		sort.shared->flags[blockIdx.x] = flag;
	grid_sync();
	return __syncthreads_or(threadIdx.x < gridDim.x &&
							sort.shared->flags[threadIdx.x]);
}

template <typename Key, int PAYLOAD, bool WIDE>
__device__ void
GridExchange<Key, PAYLOAD, WIDE>::share_count(unsigned count)
{
	sort.shared->counts[blockIdx.x][threadIdx.x] = (unsigned short) count;
}

/*
 * A thread sums the counts of two bins, of some of the blocks.  Many loads are
 * in flight at once, each of a word with two counts.  Loads of vectors of two
 * counts waited for each other.
 */
template <typename Key, int PAYLOAD, bool WIDE>
__device__ BinCounts
GridExchange<Key, PAYLOAD, WIDE>::sum_counts()
{
	GridSums   *sums = &memory->pass.counts;
	int			pair = threadIdx.x % GRID_PAIRS;
	int			summer = threadIdx.x / GRID_PAIRS;
	uint2		total = {0, 0};
	uint2		before = {0, 0};
	BinCounts	counts = {0, 0};

	for (unsigned first = summer; first < gridDim.x;
		 first += GRID_SUMMERS * GRID_LOADS)
	{
		unsigned	two[GRID_LOADS];

#pragma unroll
		for (int i = 0; i < GRID_LOADS; i++)
		{
			unsigned	block = first + i * GRID_SUMMERS;

			two[i] = block < gridDim.x ?
				((const unsigned *) sort.shared->counts[block])[pair] : 0;
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
	sums->totals[summer][pair] = total;
	sums->befores[summer][pair] = before;
	__syncthreads();
	if (own.has_bin())
	{
#pragma unroll
		for (int i = 0; i < GRID_SUMMERS; i++)
		{
			counts.total += ((const unsigned *) sums->totals[i])[threadIdx.x];
			counts.before += ((const unsigned *) sums->befores[i])[threadIdx.x];
		}
	}
	return counts;
}

/*
 * The window has the groups with their middle in the part.  So parts of a few
 * groups each have windows of as many.
 */
template <typename Key, int PAYLOAD, bool WIDE>
__device__ void
GridExchange<Key, PAYLOAD, WIDE>::find_window(PlacedBin bin)
{
	PartWindow *window = &memory->window;
	unsigned	middle = bin.start + bin.total / 2;

	if (bin.total > 0 && middle - own.first < part())
	{
		atomicMin(&window->begin, bin.start);
		atomicMax(&window->end, bin.start + bin.total);
		atomicMin(&window->first_bin, threadIdx.x);
		atomicMax(&window->last_bin, threadIdx.x);
	}
}

template <typename Key, int PAYLOAD, bool WIDE>
template <bool LAST>
__device__ void
GridExchange<Key, PAYLOAD, WIDE>::put(unsigned to, unsigned from, Key key)
{
	if (to >= sort.count)
		return;
	if (!PAYLOAD || !LAST)
		sort.keys_out[to] = LAST ? restored(key, sort.order) : key;
	if (PAYLOAD)
		payload_out()[to] = memory->pass.sorted_payload[from];
}

/* All payloads are loaded before any is written to the same memory. */
template <typename Key, int PAYLOAD, bool WIDE>
__device__ void
GridExchange<Key, PAYLOAD, WIDE>::write_payload(int count)
{
	const int	rows = (Memory::room + GRID_THREADS - 1) / GRID_THREADS;
	Payload    *window = payload_out() + memory->window.begin;
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

/* Groups are for keys of more than two digits. */
template <typename Key, int PAYLOAD, bool WIDE>
__global__ void __launch_bounds__(GRID_THREADS)
sort_grid(const __grid_constant__ GridSort<Key> sort)
{
	extern __shared__ __align__(SORT_ALIGNMENT) char shared[];
	SortAgent<GridExchange<Key, PAYLOAD, WIDE>> agent = {
		{sort, (GridMemory<Key, PAYLOAD, WIDE> *) shared,
		 {sort, (int) blockIdx.x * sort.rows * GRID_THREADS}}
	};

	if (blockIdx.x == 0 && threadIdx.x == 0)
		select_other(sort.plan);
	agent.template run<(sizeof(Key) >= 4)>();
}

/* Returns the most blocks of a grid on the current device, or 0. */
template <typename Key, int PAYLOAD, bool WIDE>
static int
find_most_blocks()
{
	return find_cooperative_blocks((const void *)
								   sort_grid<Key, PAYLOAD, WIDE>, GRID_THREADS,
								   sizeof(GridMemory<Key, PAYLOAD, WIDE>));
}

/* The most blocks with wide windows, if there may be, or 0. */
template <typename Key, int PAYLOAD>
static int
most_wide_blocks()
{
	if constexpr (may_be_wide<Key, PAYLOAD>)
		return device_fact<find_most_blocks<Key, PAYLOAD, true>>();
	return 0;
}

template <typename Key, int PAYLOAD>
static int
most_blocks()
{
	int			wide = most_wide_blocks<Key, PAYLOAD>();

	return wide > 0 ? wide :
		device_fact<find_most_blocks<Key, PAYLOAD, false>>();
}

template <typename Key, int PAYLOAD>
static bool
fits(const Sort *sort)
{
	return sort->count <= (int64_t) most_blocks<Key, PAYLOAD>() *
		GridMemory<Key, PAYLOAD, false>::size;
}

bool
sort_fits_grid(const Sort *sort)
{
	RETURN_BY_ITEM(sort, fits, sort);
}

/* Bytes of the scratch memory behind the plan: what blocks share, wide keys. */
size_t
sort_grid_scratch_bytes(void)
{
	return sizeof(GridShared<uint64_t>);
}

template <typename Key, int PAYLOAD, bool WIDE>
static cudaError_t
launch(cudaStream_t stream, GridSort<Key> sort)
{
	unsigned	blocks = (unsigned) count_tiles(sort.count,
												sort.rows * GRID_THREADS);

	return launch_cooperative(stream, sort_grid<Key, PAYLOAD, WIDE>, blocks,
							  GRID_THREADS,
							  sizeof(GridMemory<Key, PAYLOAD, WIDE>), sort);
}

template <typename Key, int PAYLOAD>
static cudaError_t
sort_items(cudaStream_t stream, const Sort *sort)
{
	int64_t		row = (int64_t) GRID_THREADS * most_blocks<Key, PAYLOAD>();
	int			rows = (int) count_tiles(sort->count, row);
	GridSort<Key> items = {
		part_sort<Key>(sort, rows),
		(GridShared<Key> *) ((SortPlan *) sort->scratch + 1)
	};

	if constexpr (may_be_wide<Key, PAYLOAD>)
	{
		if (most_wide_blocks<Key, PAYLOAD>() > 0)
			return launch<Key, PAYLOAD, true>(stream, items);
	}
	return launch<Key, PAYLOAD, false>(stream, items);
}

/* Queues the sort of an array that fits, into the second buffers. */
cudaError_t
sort_in_grid(cudaStream_t stream, const Sort *sort)
{
	RETURN_BY_ITEM(sort, sort_items, stream, sort);
}
