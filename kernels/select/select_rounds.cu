/*
 * select_rounds.cu
 *	  Selection: the elements of given ranks; of several ranks, in rounds.
 *
 * One rank or two take one launch (select_grid.cu); more of them take rounds.
 * In a small array, each rank takes a thread block.
 *
 * A sample of the elements divides the keys into ranges of about as many
 * elements, and each range is divided into bins of the same width.  A round
 * counts the elements of each bin, and so finds the bin of each rank.  If only
 * one key can be in that bin, this key is the answer.  Otherwise the round
 * keeps the elements of the bin, at a place for each bin.  (Alabi et al.,
 * "Fast k-selection algorithms for graphics processing units", 2012, compare
 * selection by buckets with others.) At last a block for each rank searches
 * the elements of the rank's bin; in a small array, all elements, without
 * rounds.
 *
 * Another round divides the bins if one of them has many elements: where the
 * sample was not representative, or many elements are equal.  Only the device
 * knows whether the round is needed.  The host queues it in any case; if it is
 * not needed, its kernels return at once.
 */
#include <climits>

#include "contract/operations/select.h"
#include "kernels/common/block.h"
#include "kernels/common/launch.h"
#include "kernels/common/sample.h"
#include "kernels/common/vector.h"
#include "kernels/select/rank_search.h"
#include "kernels/select/select.h"

#define SELECT_WARPS	(SELECT_THREADS / WARP)

/* Ranges of about as many elements, and bins of the same width in each. */
#define RANGES			(1 << RANGE_BITS)
#define BINS			(1 << (RANGE_BITS + RANGE_BIN_BITS))

/* The bins of a thread, where one block goes through all. */
#define THREAD_BINS		(BINS / SELECT_THREADS)

static_assert(SELECT_THREADS >= SELECT_MAX_RANKS, "a thread for each rank");

/*
 * The facts about the ranks and the remaining elements: first all elements,
 * then the elements that the last round kept, ordered by bin.
 */
template <typename Key>
struct __align__(16) SelectState
{
	unsigned	counts[BINS];
	unsigned	places[BINS];	/* where the next element of a bin is kept */
	bool		keep[BINS];		/* a rank's element is one of several there */
	Key			borders[RANGES];	/* between ranges; the last is not used */
	unsigned	count;			/* elements at hand */
	unsigned	kept;			/* elements that the round keeps */
	unsigned	most;			/* of one bin */
	unsigned	done;			/* thread blocks that have counted */
	int			selector;		/* the elements at hand: in the second buffer */
	bool		runs;			/* the round is needed */
	unsigned	ranks[SELECT_MAX_RANKS];	/* among the elements at hand */
	unsigned	begins[SELECT_MAX_RANKS];	/* of the ranks' bins, as kept */
	RankRange<Key> ranges[SELECT_MAX_RANKS];	/* the ranks' bins */
};

template <typename Key>
struct Selection
{
	unsigned	count;
	const long long *wanted;	/* the ranks */
	SelectState<Key> *state;
	Key		   *buffers[2];
	Key		   *out;
	int			ranks;
	KeyOrder	order;
	bool		is_small;		/* without rounds, and without a state */

	__device__ const Key *items() const
	{
		return state->selector ? buffers[1] : buffers[0];
	}

	/* The buffer to which kept elements are written. */
	__device__ Key *other() const
	{
		return state->selector ? buffers[0] : buffers[1];
	}

	/* Thread blocks that go through the elements: each has some of them. */
	__device__ unsigned blocks() const
	{
		const unsigned each = SELECT_MIN_ITEMS * SELECT_THREADS;

		return min(gridDim.x, (state->count - 1) / each + 1);
	}
};

/*
 * The remaining elements: in the first round all; later the elements that were
 * kept, if a bin has many.
 */
template <typename Key>
__device__ static inline void
begin_round(const Selection<Key> &selection, int round)
{
	SelectState<Key> *state = selection.state;

	if (round == 0 && threadIdx.x < selection.ranks)
	{
		unsigned	rank = (unsigned) selection.wanted[threadIdx.x];

		state->ranks[threadIdx.x] = rank;
		state->ranges[threadIdx.x] = all_keys<Key>(rank, selection.count);
	}
	if (threadIdx.x == 0)
	{
		state->runs = round == 0 || state->most > SELECT_FEW_ITEMS;
		if (round == 0)
		{
			state->count = selection.count;
			state->selector = 0;
			state->done = 0;
		}
		else if (state->runs)
		{
			state->count = state->kept;
			state->selector = !state->selector;
		}
	}
	__syncthreads();
}

/*
 * Samples the remaining elements.  The borders of the ranges are the least and
 * the greatest key of the sample, and others at even distances in its order.
 * A key that is a border again becomes the next key, so that no other key is
 * in the range between the two.
 */
template <typename Key>
__global__ void __launch_bounds__(SELECT_THREADS)
make_ranges(const __grid_constant__ Selection<Key> selection, int round)
{
	__shared__ Key sample[ROUND_SAMPLE];
	__shared__ Key sorted[ROUND_SAMPLE];
	SelectState<Key> *state = selection.state;
	int			thread = threadIdx.x;
	Key			key;

	let_next_start();
	wait_for_preceding();
	begin_round(selection, round);
	if (!state->runs)
		return;
	if (thread < ROUND_SAMPLE)
	{
		long long	at = sample_position(thread, round, state->count);

		key = ordered(selection.items()[at], selection.order);
		sample[thread] = key;
	}
	for (int i = 0; i < THREAD_BINS; i++)
		state->counts[i * SELECT_THREADS + thread] = 0;
	__syncthreads();
	if (thread < ROUND_SAMPLE)
	{
		int			before = 0;

#pragma unroll 16
		for (int i = 0; i < ROUND_SAMPLE; i++)
			before += sample[i] < key || (sample[i] == key && i < thread);
		sorted[before] = key;
	}
	__syncthreads();
	if (thread < RANGES - 1)
	{
		const int	last = RANGES - 2;
		Key			border = sorted[thread * (ROUND_SAMPLE - 1) / last];
		bool		again = thread > 0 &&
			border == sorted[(thread - 1) * (ROUND_SAMPLE - 1) / last];

		state->borders[thread] = border + (again && border < (Key) ~(Key) 0);
	}
}

/*
 * The ranges and their bins, in shared memory.  A search for a range goes
 * through a tree, without branches (Sanders and Winkel, "Super scalar sample
 * sort", 2004): the children of a node are at twice its index, and behind that.
 */
template <typename Key>
struct RangeBins
{
	Key			tree[RANGES];	/* of the first keys; the first is unused */
	Key			lows[RANGES];	/* the first key of each range */
	Key			lasts[RANGES];
	int			shifts[RANGES]; /* logarithm of the width of bins */

	/*
	 * All threads of a block call this; it ends with a barrier.  No key is in
	 * a range whose last key is less than the first.
	 */
	__device__ void load(const Key *borders)
	{
		int			range = threadIdx.x;

		if (range < RANGES)
		{
			Key			low = range > 0 ? borders[range - 1] : 0;
			Key			last = range < RANGES - 1 ? borders[range] - 1 :
				(Key) ~(Key) 0;

			/* The node's level, and the border that it compares with. */
			int			level = 31 - __clz(range | 1);
			int			border = ((2 * (range - (1 << level)) + 1) <<
								  (RANGE_BITS - 1 - level)) - 1;

			if (range > 0)
				tree[range] = borders[border];
			lows[range] = low;
			lasts[range] = last;
			shifts[range] = bucket_range(low, last, RANGE_BIN_BITS).shift;
		}
		__syncthreads();
	}

	/*
	 * A greater key is in the same bin or in a later one.  The key's range is
	 * the last one that does not begin behind the key.
	 */
	__device__ int bin_of(Key key) const
	{
		int			range = 1;

#pragma unroll
		for (int level = 0; level < RANGE_BITS; level++)
			range = 2 * range + (tree[range] <= key);
		range -= RANGES;
		return (range << RANGE_BIN_BITS) +
			(int) ((Key) (key - lows[range]) >> shifts[range]);
	}

	/* The keys of a bin with "count" elements, in which a rank is. */
	__device__ RankRange<Key> keys_of(int bin, unsigned rank,
									  unsigned count) const
	{
		int			range = bin >> RANGE_BIN_BITS;
		Key			number = (Key) (bin & ((1 << RANGE_BIN_BITS) - 1));
		Key			first = lows[range] + (number << shifts[range]);
		Key			width = (Key) ((Key) 1 << shifts[range]) - 1;
		Key			left = lasts[range] - first;

		return {first, (Key) (first + min(width, left)), rank, count};
	}
};

/*
 * Goes through the elements from "begin" to "end", both multiples of a vector
 * or the end of all, with all threads of the thread blocks that do so.  The
 * function gets a vector and the number of its elements, in all lanes of a warp
 * together.
 */
template <typename Key, typename Function>
__device__ static __forceinline__ void
for_each_at_hand(const Selection<Key> &selection, long long begin,
				 long long end, Function function)
{
	const int	each = Vector<Key>::count;
	const long long step = SELECT_VECTORS * WARP * each;
	long long	first = blockIdx.x * SELECT_WARPS + threadIdx.x / WARP;

	for_each_of_warp<SELECT_VECTORS>(selection.items(), begin + first * step,
									 selection.blocks() * SELECT_WARPS * step,
									 end, [&] (auto &vectors, int left) {
#pragma unroll
		for (int i = 0; i < SELECT_VECTORS; i++)
			function(vectors[i], min(max(left - i * WARP * each, 0), each));
	});
}

/* The last bin that begins at the rank or before it, which is not empty. */
__device__ static inline int
find_bin(const unsigned starts[BINS], unsigned rank)
{
	int			bin = 0;

	for (int step = BINS / 2; step > 0; step /= 2)
		bin += starts[bin + step] <= rank ? step : 0;
	return bin;
}

template <typename Key>
struct CountMemory
{
	RangeBins<Key> bins;
	unsigned	counts[BINS];	/* of the block; then where bins begin */
	bool		keep[BINS];
	unsigned	warps[SELECT_WARPS];
	unsigned	most;

	/* The beginning of each bin, from the threads' counts of its elements. */
	__device__ unsigned begin_bins(const unsigned (&own)[THREAD_BINS])
	{
		unsigned	sum = 0;
		unsigned	before;

		for (int i = 0; i < THREAD_BINS; i++)
			sum += own[i];
		before = block_exclusive_scan<SELECT_WARPS>(sum, warps);
		for (int i = 0; i < THREAD_BINS; i++)
		{
			counts[threadIdx.x * THREAD_BINS + i] = before;
			before += own[i];
		}
		__syncthreads();
		return block_sum<SELECT_WARPS>(warps);
	}
};

/*
 * Finds the bins of the ranks, once all elements are counted.  The elements of
 * a bin are kept, unless only one key can be in the bin.
 */
template <typename Key>
__device__ static inline void
find_ranks(const Selection<Key> &selection, CountMemory<Key> *memory)
{
	SelectState<Key> *state = selection.state;
	const int	first = threadIdx.x * THREAD_BINS;
	unsigned	own[THREAD_BINS];
	unsigned	most = 0;
	unsigned	kept;
	int			bin = -1;		/* of the thread's rank, if it is kept */
	RankRange<Key> range;

	for (int i = 0; i < THREAD_BINS; i++)
		own[i] = __ldcg(&state->counts[first + i]);
	for (int i = 0; i < THREAD_BINS; i++)
		memory->keep[first + i] = false;
	if (threadIdx.x == 0)
		memory->most = 0;
	memory->begin_bins(own);
	if (threadIdx.x < selection.ranks &&
		!state->ranges[threadIdx.x].is_found())
	{
		unsigned	rank = state->ranks[threadIdx.x];

		bin = find_bin(memory->counts, rank);
		range = memory->bins.keys_of(bin, rank - memory->counts[bin],
									   __ldcg(&state->counts[bin]));
		if (range.is_found())
			bin = -1;
		else
			memory->keep[bin] = true;
		state->ranges[threadIdx.x] = range;
	}
	__syncthreads();
	for (int i = 0; i < THREAD_BINS; i++)
	{
		bool		keep = memory->keep[first + i];

		state->keep[first + i] = keep;
		own[i] = keep ? own[i] : 0;
		most = max(most, own[i]);
	}
	atomicMax(&memory->most, most);
	kept = memory->begin_bins(own);
	for (int i = 0; i < THREAD_BINS; i++)
		state->places[first + i] = memory->counts[first + i];
	if (bin >= 0)
	{
		state->begins[threadIdx.x] = memory->counts[bin];
		state->ranks[threadIdx.x] = memory->counts[bin] + range.rank;
	}
	if (threadIdx.x == 0)
	{
		state->kept = kept;
		state->most = memory->most;
	}
}

/* Counts the elements of each bin; the last block finds the ranks' bins. */
template <typename Key>
__global__ void
__launch_bounds__(SELECT_THREADS,
				  resident_blocks(SELECT_BLOCKS_PER_SM, SELECT_THREADS))
count_bins(const __grid_constant__ Selection<Key> selection)
{
	__shared__ CountMemory<Key> memory;
	SelectState<Key> *state = selection.state;

	let_next_start();
	wait_for_preceding();
	if (!state->runs)
		return;
	for (int i = 0; i < THREAD_BINS; i++)
		memory.counts[i * SELECT_THREADS + threadIdx.x] = 0;
	memory.bins.load(state->borders);
	if (blockIdx.x < selection.blocks())
		with_order(selection.order, [&] (KeyOrder order) {
			unsigned	half = state->count / 2 / WARP * WARP;
			auto		count = [&] (const Vector<Key> &vector, int number) {
#pragma unroll
				for (int i = 0; i < Vector<Key>::count; i++)
				{
					Key			key = ordered(vector.items[i], order);
					int			bin = memory.bins.bin_of(key);

					if (i < number)
						atomicAdd(&memory.counts[bin], 1u);
				}
			};

			/* The first half is in the cache when it is read again. */
			for_each_at_hand(selection, half, state->count, count);
			for_each_at_hand(selection, 0, half, count);
		});
	__syncthreads();
	for (int i = 0; i < THREAD_BINS; i++)
	{
		int			bin = i * SELECT_THREADS + threadIdx.x;

		if (memory.counts[bin] > 0)
			atomicAdd(&state->counts[bin], memory.counts[bin]);
	}
	if (is_last_block(&state->done))
		find_ranks(selection, &memory);
}

template <typename Key>
struct KeepMemory
{
	static const int room = SELECT_WARP_BUFFER / sizeof(Key);

	RangeBins<Key> bins;
	bool		keep[BINS];
	Key			buffers[SELECT_WARPS][room];
};

/*
 * The keys that a warp keeps.  They are gathered in shared memory, and take
 * places in their bins when there are many.  All lanes call this together.
 */
template <typename Key>
struct WarpBuffer
{
	const Selection<Key> &selection;
	const KeepMemory<Key> &memory;
	Key		   *keys;
	int			count;

	__device__ bool is_wanted(Key key) const
	{
		return memory.keep[memory.bins.bin_of(key)];
	}

	__device__ void add(Key key, bool wanted)
	{
		unsigned	lanes = __ballot_sync(ALL_LANES, wanted);
		unsigned	own_lane = 1u << threadIdx.x % WARP;

		if (lanes == 0)
			return;
		if (wanted)
			keys[count + __popc(lanes & (own_lane - 1))] = key;
		count += __popc(lanes);
	}

	/* The lanes with keys of one bin get places there at once. */
	__device__ void empty()
	{
		Key		   *kept = selection.other();
		int			lane = threadIdx.x % WARP;

		__syncwarp();
		for (int first = 0; first < count; first += WARP)
		{
			bool		exists = first + lane < count;
			Key			key = exists ? keys[first + lane] : 0;
			int			bin = exists ? memory.bins.bin_of(key) : BINS;
			unsigned	peers = __match_any_sync(ALL_LANES, bin);
			int			leader = __ffs((int) peers) - 1;
			unsigned	place = 0;

			if (exists && lane == leader)
				place = atomicAdd(&selection.state->places[bin],
								  __popc(peers));
			place = __shfl_sync(ALL_LANES, place, leader) +
				__popc(peers & ((1u << lane) - 1));
			if (exists)
				kept[place] = restored(key, selection.order);
		}
		__syncwarp();
		count = 0;
	}

	/* Keeps the wanted ones of the first "number" elements of a vector. */
	__device__ __forceinline__ void add_vector(const Vector<Key> &vector,
											   int number, KeyOrder order)
	{
#pragma unroll
		for (int i = 0; i < Vector<Key>::count; i++)
		{
			Key			key = ordered(vector.items[i], order);

			add(key, i < number && is_wanted(key));
		}
		if (count > KeepMemory<Key>::room - WARP * Vector<Key>::count)
			empty();
	}
};

template <typename Key>
__global__ void
__launch_bounds__(SELECT_THREADS,
				  resident_blocks(SELECT_BLOCKS_PER_SM, SELECT_THREADS))
keep_elements(const __grid_constant__ Selection<Key> selection)
{
	__shared__ KeepMemory<Key> memory;
	SelectState<Key> *state = selection.state;

	let_next_start();
	wait_for_preceding();
	if (!state->runs || state->kept == 0 || blockIdx.x >= selection.blocks())
		return;
	for (int i = 0; i < THREAD_BINS; i++)
		memory.keep[i * SELECT_THREADS + threadIdx.x] =
			state->keep[i * SELECT_THREADS + threadIdx.x];
	memory.bins.load(state->borders);

	WarpBuffer<Key> buffer = {
		selection, memory, memory.buffers[threadIdx.x / WARP], 0
	};

	with_order(selection.order, [&] (KeyOrder order) {
		for_each_at_hand(selection, 0, state->count,
						 [&] (const Vector<Key> &vector, int number) {
			buffer.add_vector(vector, number, order);
		});
	});
	buffer.empty();
}

/*
 * Searches a rank's bin.  The bin may have many elements if the samples of all
 * rounds missed them, which is very unlikely.
 */
template <typename Key>
__global__ void __launch_bounds__(SEARCH_THREADS)
finish_selection(const __grid_constant__ Selection<Key> selection,
				 long long *results)
{
	__shared__ union Memory
	{
		RankSearch<Key> search;

		__device__ Memory() {}
	}			memory;
	RankSearch<Key> &search = memory.search;
	int			rank = blockIdx.x;
	RankRange<Key> range;

	let_next_start();
	wait_for_preceding();
	range = selection.is_small ?
		all_keys<Key>((unsigned) selection.wanted[rank], selection.count) :
		selection.state->ranges[rank];
	if (!range.is_found())
	{
		const Key  *items = selection.is_small ? selection.buffers[0] :
			selection.other() + selection.state->begins[rank];
		Key			keys[FINISH_ITEMS];

#pragma unroll
		for (int i = 0; i < FINISH_ITEMS; i++)
		{
			unsigned	at = i * SEARCH_THREADS + threadIdx.x;

			if (at < range.count)
				keys[i] = ordered(items[at], selection.order);
		}
		auto		for_each = [&] (auto function) {
			unsigned	at = threadIdx.x;

#pragma unroll
			for (int i = 0; i < FINISH_ITEMS; i++, at += SEARCH_THREADS)
			{
				if (at < range.count)
					function(keys[i]);
			}
			for (; at < range.count; at += SEARCH_THREADS)
				function(ordered(items[at], selection.order));
		};

		search.clear();
		search.begin(range.rank, range.rank, range.count, for_each);
		search.find_alone(for_each);
		range = search.ranges[0];
	}
	if (threadIdx.x > 0)
		return;
	selection.out[rank] = restored(range.low, selection.order);
	if (rank == 0)
		*results = selection.ranks;
}

/*
 * Bytes of the state, before the second buffer.  The state for the longest keys
 * is the greatest.
 */
#define STATE_BYTES		sizeof(SelectState<uint64_t>)

template <typename Key>
static cudaError_t
select_ranks(const DeviceWork *work)
{
	const EngineRequest *request = work->request;
	char	   *scratch = (char *) work->scratch;
	Sort		keys = {.kind = request->kinds[0]};
	Selection<Key> selection = {
		(unsigned) request->count, (const long long *) work->table,
		(SelectState<Key> *) scratch,
		{(Key *) work->in[0], (Key *) (scratch + STATE_BYTES)},
		(Key *) work->out[0], (int) most_results(request), sort_order(&keys),
		select_fits_block(request)
	};
	int64_t		blocks = count_vector_blocks<Key>
		(request->count, SELECT_THREADS, SELECT_BLOCKS_PER_SM);
	cudaStream_t stream = work->stream;

	for (int round = 0; round < SELECT_ROUNDS && !selection.is_small; round++)
	{
		TRY(launch_dependent(stream, make_ranges<Key>, 1, SELECT_THREADS, 0,
							 selection, round));
		TRY(launch_dependent(stream, count_bins<Key>, blocks, SELECT_THREADS,
							 0, selection));
		TRY(launch_dependent(stream, keep_elements<Key>, blocks,
							 SELECT_THREADS, 0, selection));
	}
	return launch_dependent(stream, finish_selection<Key>, selection.ranks,
							SEARCH_THREADS, 0, selection, work->results);
}

static bool
select_supports(const EngineRequest *request)
{
	return most_results(request) <= SELECT_MAX_RANKS &&
		request->count <= UINT_MAX;
}

static cudaError_t
select_sizes(const EngineRequest *request, DeviceSizes *sizes)
{
	if (select_fits_grid(request))
		sizes->scratch = select_grid_scratch_bytes(request);
	else if (!select_fits_block(request))
		sizes->scratch = STATE_BYTES + request->count * input_size(request, 0);
	return cudaSuccess;
}

static cudaError_t
select_run(const DeviceWork *work)
{
	if (select_fits_grid(work->request))
		return select_in_grid(work);
	RETURN_BY_SIZE(work->request->kinds[0], select_ranks, work);
}

/* In a small array, the block of each rank reads all elements. */
static unsigned
select_traits(const EngineRequest *request)
{
	if (!select_fits_block(request))
		return select_fits_grid(request) ? 0 : TRAIT_CHANGES;
	return TRAIT_ALONE | (request->count * most_results(request) <=
						  SELECT_DIRECT_READS ? TRAIT_DIRECT : 0);
}

const DeviceOperation cuda_select = {
	.supports = select_supports,
	.sizes = select_sizes,
	.traits_of = select_traits,
	.run = select_run
};
