/*
 * select.cu
 *	  Selection: the elements of given ranks, without a sort.
 *
 * A round samples the elements, and takes keys of the sample as splitters:
 * those around the place that a rank probably has in the sample.  It counts the
 * elements that are equal to each splitter, and those between two of them,
 * which tells for each rank among which of these its element is.  If that is a
 * splitter, the element is found.  If not, the round keeps the elements between
 * the two splitters, and drops all that hold no answer; the rank becomes one
 * among the elements that are kept.  So the array is read twice; two rounds on
 * 2^24 elements leave fewer for a few ranks than one block can sort.  (Alabi et
 * al., "Fast k-selection algorithms for graphics processing units", 2012,
 * compare such a selection by buckets with others.)
 *
 * Only the device knows how many rounds are needed.  As many are queued as may
 * be; those that are not needed return at once.
 */
#include <cooperative_groups.h>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

#include "cells.h"
#include "sort.h"
#include "vector.h"

namespace cg = cooperative_groups;

#define SAMPLE			(SELECT_THREADS * SELECT_SAMPLE_ITEMS)

/* The first key of a sample is none, so that all fits into shared memory. */
#define SPLITTERS		(SAMPLE - 1)

/* Bins: below the first splitter, equal to it, between it and the next, ... */
#define BINS			(2 * SPLITTERS + 1)
#define BIN_ITEMS		((BINS + SELECT_THREADS - 1) / SELECT_THREADS)

/* One block can sort so many elements. */
#define SORTED_ITEMS	(SELECT_THREADS * SELECT_SORT_ITEMS)

static_assert(SELECT_THREADS >= SELECT_MOST_RANKS, "a thread for each rank");

/* What is known of the ranks, and of the elements that are left. */
typedef struct __align__(16) SelectState
{
	long long	count;			/* elements at hand */
	unsigned long long kept;	/* written to the other buffer so far */
	long long	next_count;		/* elements to be kept */
	int			in_other;		/* are those at hand in the second buffer? */
	int			splitters;
	long long	ranks[SELECT_MOST_RANKS];	/* among those at hand */
	bool		found[SELECT_MOST_RANKS];
	unsigned	counts[BINS];
	bool		keep[BINS];
} SelectState;

/* The memory of a selection, and its input. */
template <typename Key>
struct Selection
{
	long long	count;
	const long long *wanted;	/* the ranks */
	SelectState *state;
	Key		   *splitters;
	Key		   *buffers[2];
	Key		   *out;
	int			ranks;
	KeyOrder	order;

	__device__ const Key *items(void) const
	{
		return state->in_other ? buffers[1] : buffers[0];
	}

	/* Are there still too many elements to be sorted by one block? */
	__device__ bool needs_round(void) const
	{
		return state->count > SORTED_ITEMS;
	}
};

/* Some number below "count" for each number: any sequence will do. */
__device__ static inline long long
sample_position(unsigned number, int round, long long count)
{
	unsigned long long bits = number + ((unsigned long long) round << 32) + 1;

	bits *= 0x9E3779B97F4A7C15ull;
	bits ^= bits >> 29;
	bits *= 0xBF58476D1CE4E5B9ull;
	bits ^= bits >> 32;
	return (long long) (bits % (unsigned long long) count);
}

/*
 * At first all elements are at hand, and no rank is found; then the elements
 * that were kept.
 */
template <typename Key>
__device__ static inline void
take_kept(const Selection<Key> &selection, int round)
{
	SelectState *state = selection.state;

	if (round == 0 && threadIdx.x < selection.ranks)
	{
		state->ranks[threadIdx.x] = selection.wanted[threadIdx.x];
		state->found[threadIdx.x] = false;
	}
	if (round == 0 && threadIdx.x == 0)
	{
		state->count = selection.count;
		state->in_other = 0;
	}
	if (round > 0 && threadIdx.x == 0 && state->count > SORTED_ITEMS)
	{
		state->count = state->next_count;
		state->in_other = !state->in_other;
	}
	__syncthreads();
}

/*
 * Which keys of the sample, in their order, may become splitters: those around
 * the places of the ranks.
 */
template <typename Key>
__device__ static inline void
find_near(const Selection<Key> &selection, bool near[SAMPLE])
{
	SelectState *state = selection.state;

	for (int i = threadIdx.x; i < SAMPLE; i += SELECT_THREADS)
		near[i] = false;
	__syncthreads();
	for (int rank = 0; rank < selection.ranks; rank++)
	{
		int			place = (int) (state->ranks[rank] * SAMPLE /
								   state->count);

		for (int i = place - SELECT_MARGIN + (int) threadIdx.x;
			 i <= place + SELECT_MARGIN && !state->found[rank];
			 i += SELECT_THREADS)
		{
			if (i > 0 && i < SAMPLE)
				near[i] = true;
		}
	}
	__syncthreads();
}

/* Samples the elements at hand: keys near the ranks become the splitters. */
template <typename Key>
__global__ void __launch_bounds__(SELECT_THREADS)
make_splitters(Selection<Key> selection, int round)
{
	typedef cub::BlockRadixSort<Key, SELECT_THREADS, SELECT_SAMPLE_ITEMS> Sort;
	typedef cub::BlockScan<int, SELECT_THREADS> Scan;
	__shared__ union
	{
		typename Sort::TempStorage sort;
		typename Scan::TempStorage scan;
	}			shared;
	__shared__ Key last_keys[SELECT_THREADS];
	__shared__ bool near[SAMPLE];
	SelectState *state = selection.state;
	Key			keys[SELECT_SAMPLE_ITEMS];
	bool		splits[SELECT_SAMPLE_ITEMS];
	int			own = 0;
	int			before;
	int			all;

	let_next_start();
	wait_for_preceding();
	take_kept(selection, round);
	if (!selection.needs_round())
		return;
	for (int i = 0; i < SELECT_SAMPLE_ITEMS; i++)
	{
		long long	at = sample_position(threadIdx.x * SELECT_SAMPLE_ITEMS + i,
										 round, state->count);

		keys[i] = ordered(selection.items()[at], selection.order);
	}
	Sort(shared.sort).Sort(keys);
	last_keys[threadIdx.x] = keys[SELECT_SAMPLE_ITEMS - 1];
	__syncthreads();
	find_near(selection, near);
	for (int i = 0; i < SELECT_SAMPLE_ITEMS; i++)
	{
		int			at = threadIdx.x * SELECT_SAMPLE_ITEMS + i;
		Key			last = i > 0 ? keys[i - 1] :
			threadIdx.x > 0 ? last_keys[threadIdx.x - 1] : 0;

		splits[i] = near[at] &&
			(!near[at - 1] || keys[i] != last);
		own += splits[i];
	}
	Scan(shared.scan).ExclusiveSum(own, before, all);
	for (int i = 0; i < SELECT_SAMPLE_ITEMS; i++)
	{
		if (splits[i])
			selection.splitters[before++] = keys[i];
	}
	for (int i = threadIdx.x; i < BINS; i += SELECT_THREADS)
	{
		state->counts[i] = 0;
		state->keep[i] = false;
	}
	if (threadIdx.x == 0)
	{
		state->splitters = all;
		state->kept = 0;
	}
}

/* A thread block's splitters, and their cells, in shared memory. */
template <typename Key>
struct SplitterMemory
{
	Key			keys[SPLITTERS];
	Cell<Key>	cells[SELECT_CELLS];
};

/* For all threads of a block. */
template <typename Key>
__device__ static inline Cells<Key>
load_splitters(const Selection<Key> &selection, SplitterMemory<Key> *memory)
{
	int			count = selection.state->splitters;
	Cells<Key>	splitters = {
		memory->keys, count, 0, SELECT_CELLS, memory->cells
	};

	for (int i = threadIdx.x; i < count; i += SELECT_THREADS)
		memory->keys[i] = selection.splitters[i];
	__syncthreads();
	splitters.lay();
	__syncthreads();
	return splitters;
}

/* Twice the splitters before a key; one less if the last one equals it. */
template <typename Key>
__device__ static inline int
bin_of(const Cells<Key> &splitters, Key key)
{
	bool		equal;
	int			before = splitters.bucket_of(key, &equal);

	return 2 * before - equal;
}

/* Adds to the counts of the bins. */
template <typename Key>
__global__ void __launch_bounds__(SELECT_THREADS)
count_bins(Selection<Key> selection)
{
	__shared__ SplitterMemory<Key> memory;
	__shared__ unsigned counts[BINS];
	SelectState *state = selection.state;
	Cells<Key>	splitters;

	let_next_start();
	wait_for_preceding();
	if (!selection.needs_round())
		return;
	splitters = load_splitters(selection, &memory);
	for (int i = threadIdx.x; i <= 2 * splitters.nthresholds;
		 i += SELECT_THREADS)
		counts[i] = 0;
	__syncthreads();
	for_each_vector(selection.items(), state->count,
					[&] (const Vector<Key> &own, int number, long long) {
#pragma unroll
		for (int i = 0; i < Vector<Key>::count; i++)
		{
			Key			key = ordered(own.items[i], selection.order);

			if (i < number)
				atomicAdd(&counts[bin_of(splitters, key)], 1u);
		}
	});
	__syncthreads();
	for (int i = threadIdx.x; i <= 2 * splitters.nthresholds;
		 i += SELECT_THREADS)
	{
		if (counts[i] > 0)
			atomicAdd(&state->counts[i], counts[i]);
	}
}

/* Scans numbers of bins, into shared memory; returns their sum. */
template <typename Scan, typename GetNumber>
__device__ static inline long long
scan_bins(typename Scan::TempStorage &shared, int bins, GetNumber number,
		  long long *starts)
{
	long long	items[BIN_ITEMS];
	long long	sum;

	for (int i = 0; i < BIN_ITEMS; i++)
	{
		int			bin = threadIdx.x * BIN_ITEMS + i;

		items[i] = bin < bins ? number(bin) : 0;
	}
	Scan(shared).ExclusiveSum(items, items, sum);
	for (int i = 0; i < BIN_ITEMS; i++)
	{
		int			bin = threadIdx.x * BIN_ITEMS + i;

		if (bin < bins)
			starts[bin] = items[i];
	}
	__syncthreads();
	return sum;
}

/* The last bin that begins at the rank or before it, which is not empty. */
__device__ static inline int
find_bin(const long long *starts, int bins, long long rank)
{
	int			low = 0;
	int			high = bins;

	while (high - low > 1)
	{
		int			half = (low + high) / 2;

		if (starts[half] <= rank)
			low = half;
		else
			high = half;
	}
	return low;
}

/* Finds the bins of the ranks: an element, or elements to keep. */
template <typename Key>
__global__ void __launch_bounds__(SELECT_THREADS)
find_ranks(Selection<Key> selection)
{
	typedef cub::BlockScan<long long, SELECT_THREADS> Scan;
	__shared__ typename Scan::TempStorage shared;
	__shared__ long long starts[BINS];
	SelectState *state = selection.state;
	int			rank = threadIdx.x;
	int			bins;
	bool		wanted;
	int			bin = 0;
	long long	within = 0;		/* the rank within its bin */
	long long	sum;

	let_next_start();
	wait_for_preceding();
	if (!selection.needs_round())
		return;
	bins = 2 * state->splitters + 1;
	wanted = rank < selection.ranks && !state->found[rank];
	(void) scan_bins<Scan>(shared, bins,
						   [=] (int i) {
							   return (long long) state->counts[i];
						   }, starts);
	if (wanted)
	{
		bin = find_bin(starts, bins, state->ranks[rank]);
		within = state->ranks[rank] - starts[bin];
		if (bin % 2 == 0)
			state->keep[bin] = true;
		else
		{
			selection.out[rank] = restored(selection.splitters[bin / 2],
										   selection.order);
			state->found[rank] = true;
		}
	}
	__syncthreads();
	sum = scan_bins<Scan>(shared, bins,
						  [=] (int i) {
							  return state->keep[i] ?
								  (long long) state->counts[i] : 0;
						  }, starts);
	if (wanted && bin % 2 == 0)
		state->ranks[rank] = starts[bin] + within;
	if (threadIdx.x == 0)
		state->next_count = sum;
}

/* Appends an item of each of the threads that call this together. */
template <typename Key>
__device__ static inline void
append(Key *to, unsigned long long *count, Key item)
{
	cg::coalesced_group threads = cg::coalesced_threads();
	unsigned long long first = 0;

	if (threads.thread_rank() == 0)
		first = atomicAdd(count, (unsigned long long) threads.num_threads());
	to[threads.shfl(first, 0) + threads.thread_rank()] = item;
}

/* Keeps the elements of the bins that hold answers, in any order. */
template <typename Key>
__global__ void __launch_bounds__(SELECT_THREADS)
keep_items(Selection<Key> selection)
{
	__shared__ SplitterMemory<Key> memory;
	__shared__ bool keep[BINS];
	SelectState *state = selection.state;
	Cells<Key>	splitters;
	Key		   *to;

	let_next_start();
	wait_for_preceding();
	if (!selection.needs_round())
		return;
	splitters = load_splitters(selection, &memory);
	to = state->in_other ? selection.buffers[0] : selection.buffers[1];
	for (int i = threadIdx.x; i <= 2 * splitters.nthresholds;
		 i += SELECT_THREADS)
		keep[i] = state->keep[i];
	__syncthreads();
	for_each_vector(selection.items(), state->count,
					[&] (const Vector<Key> &own, int number, long long) {
#pragma unroll
		for (int i = 0; i < Vector<Key>::count; i++)
		{
			Key			key = ordered(own.items[i], selection.order);

			if (i < number && keep[bin_of(splitters, key)])
				append(to, &state->kept, own.items[i]);
		}
	});
}

/* Sorts the elements that are left, and so finds all ranks. */
template <typename Key>
__device__ static void
sort_rest(const Selection<Key> &selection)
{
	typedef cub::BlockRadixSort<Key, SELECT_THREADS, SELECT_SORT_ITEMS> Sort;
	__shared__ typename Sort::TempStorage shared;
	SelectState *state = selection.state;
	Key			keys[SELECT_SORT_ITEMS];

	for (int i = 0; i < SELECT_SORT_ITEMS; i++)
	{
		int			at = i * SELECT_THREADS + threadIdx.x;

		keys[i] = at < state->count ?
			ordered(selection.items()[at], selection.order) : (Key) ~(Key) 0;
	}
	Sort(shared).Sort(keys);
	for (int i = 0; i < SELECT_SORT_ITEMS; i++)
	{
		int			at = threadIdx.x * SELECT_SORT_ITEMS + i;

		for (int rank = 0; rank < selection.ranks; rank++)
		{
			if (!state->found[rank] && state->ranks[rank] == at)
				selection.out[rank] = restored(keys[i], selection.order);
		}
	}
}

/*
 * Finds a rank bit by bit.  This takes long, but needs no luck: a sample that
 * tells nothing of the elements, in every round, is possible if hardly likely.
 */
template <typename Key>
__device__ static void
search_rest(const Selection<Key> &selection, int rank)
{
	typedef cub::BlockReduce<long long, SELECT_THREADS> Reduce;
	__shared__ typename Reduce::TempStorage shared;
	__shared__ bool is_set;
	SelectState *state = selection.state;
	Key			key = 0;

	for (int bit = (int) sizeof(Key) * 8 - 1; bit >= 0; bit--)
	{
		Key			middle = key | (Key) ((Key) 1 << bit);
		long long	less = 0;

		for (long long i = threadIdx.x; i < state->count; i += SELECT_THREADS)
			less += ordered(selection.items()[i], selection.order) < middle;
		less = Reduce(shared).Sum(less);
		if (threadIdx.x == 0)
			is_set = less <= state->ranks[rank];
		__syncthreads();
		if (is_set)
			key = middle;
		__syncthreads();
	}
	if (threadIdx.x == 0)
		selection.out[rank] = restored(key, selection.order);
}

template <typename Key>
__global__ void __launch_bounds__(SELECT_THREADS)
finish_selection(Selection<Key> selection, int rounds, long long *results)
{
	SelectState *state = selection.state;

	let_next_start();
	wait_for_preceding();
	take_kept(selection, rounds);
	if (!selection.needs_round())
		sort_rest(selection);
	else
	{
		for (int rank = 0; rank < selection.ranks; rank++)
		{
			if (!state->found[rank])
				search_rest(selection, rank);
		}
	}
	if (threadIdx.x == 0)
		*results = selection.ranks;
}

static int
count_ranks(const EngineRequest *request)
{
	return (int) most_results(request);
}

/*
 * The rounds, if each leaves twice as many elements as expected; and one more.
 */
static int
count_rounds(const EngineRequest *request)
{
	int64_t		count = request->count;
	int			rounds = 0;

	while (count > SORTED_ITEMS)
	{
		count = count * 2 * count_ranks(request) / SAMPLE;
		rounds++;
	}
	return rounds == 0 ? 0 : rounds + 1;
}

/* Bytes of the state and the splitters, before the second buffer. */
#define STATE_AND_SPLITTERS \
	(sizeof(SelectState) + SAMPLE * sizeof(uint64_t))

template <typename Key>
static cudaError_t
select_ranks(const DeviceWork *work)
{
	const EngineRequest *request = work->request;
	char	   *scratch = (char *) work->scratch;
	Sort		keys = {request->kinds[0]};
	Selection<Key> selection = {
		request->count, (const long long *) work->table,
		(SelectState *) scratch, (Key *) (scratch + sizeof(SelectState)),
		{(Key *) work->in[0], (Key *) (scratch + STATE_AND_SPLITTERS)},
		(Key *) work->out[0], count_ranks(request), sort_order(&keys)
	};
	int			rounds = count_rounds(request);
	unsigned	blocks = count_vector_blocks<Key>
		(request->count, SELECT_THREADS, SELECT_BLOCKS);
	cudaStream_t stream = work->stream;

	for (int round = 0; round < rounds; round++)
	{
		TRY(launch_dependent(stream, make_splitters<Key>, 1, SELECT_THREADS, 0,
							 selection, round));
		TRY(launch_dependent(stream, count_bins<Key>, blocks, SELECT_THREADS,
							 0, selection));
		TRY(launch_dependent(stream, find_ranks<Key>, 1, SELECT_THREADS, 0,
							 selection));
		TRY(launch_dependent(stream, keep_items<Key>, blocks, SELECT_THREADS,
							 0, selection));
	}
	return launch_dependent(stream, finish_selection<Key>, 1, SELECT_THREADS,
							0, selection, rounds, work->results);
}

static bool
select_supports(const EngineRequest *request)
{
	return count_ranks(request) <= SELECT_MOST_RANKS;
}

static cudaError_t
select_sizes(const EngineRequest *request, DeviceSizes *sizes)
{
	sizes->in[0] = request->count * input_size(request, 0);
	sizes->out[0] = count_ranks(request) * output_size(request, 0);
	sizes->scratch = STATE_AND_SPLITTERS + sizes->in[0];
	return cudaSuccess;
}

static cudaError_t
select_whole(const DeviceWork *work)
{
	RETURN_BY_SIZE(work->request->kinds[0], select_ranks, work);
}

const DeviceOperation gpu_select = {
	.gathers = true,
	.counts = true,
	.supports = select_supports,
	.sizes = select_sizes,
	.whole = select_whole
};
