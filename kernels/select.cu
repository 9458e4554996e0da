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
 * among the elements that are kept.  (Alabi et al., "Fast k-selection
 * algorithms for graphics processing units", 2012, compare such a selection by
 * buckets with others.)
 *
 * Such a round reads the elements twice.  Where there are many, and all ranks
 * are near each other, the round has but two splitters, which bracket the
 * ranks, and keeps what is between these while it counts.  (Floyd and Rivest,
 * "Expected time bounds for selection", 1975.)  The sample errs very rarely;
 * then the elements are read again.
 *
 * Only the device knows how many rounds are needed.  As many are queued as may
 * be; those that are not needed return at once.
 *
 * A small array is sorted instead, and a larger one if the ranks are many.
 */
#include <cooperative_groups.h>
#include <cub/block/block_merge_sort.cuh>
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

/*
 * If two splitters bracket the ranks, what equals them counts as between them.
 */
#define BRACKET_BIN		2
#define ABOVE_BRACKET	4

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
	bool		bracketed;		/* are they two that bracket the ranks? */
	bool		must_keep;		/* are elements that hold answers not kept? */
	long long	ranks[SELECT_MOST_RANKS];	/* among those at hand */
	bool		found[SELECT_MOST_RANKS];
	unsigned	counts[BINS];
	bool		keep[BINS];
} SelectState;

template <typename Key>
struct Less
{
	__device__ bool operator() (Key a, Key b) const
	{
		return a < b;
	}
};

/* What it takes to sort up to so many elements for each thread. */
template <typename Key, int ITEMS>
struct BlockSort
{
	typedef cub::BlockMergeSort<Key, SELECT_THREADS, ITEMS> Sort;
	typedef typename Sort::TempStorage Memory;
};

/* What it takes to number the splitters. */
typedef cub::BlockScan<int, SELECT_THREADS> SplitterScan;

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

	/* Where elements are kept. */
	__device__ Key *other(void) const
	{
		return state->in_other ? buffers[0] : buffers[1];
	}

	/* Thread blocks that go through the elements: each has some vectors. */
	__device__ unsigned blocks(void) const
	{
		long long	each = SELECT_LEAST_VECTORS * SELECT_THREADS *
			Vector<Key>::count;

		return (unsigned) min((long long) gridDim.x,
							  (state->count + each - 1) / each);
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
	bits *= 0x94D049BB133111EBull;
	return (long long) __umul64hi(bits, (unsigned long long) count);
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

/* Places in the sample; they may be before or behind it. */
typedef struct Bracket
{
	int			low;
	int			high;
} Bracket;

/* The bracket of all ranks that are not found. */
template <typename Key>
__device__ static inline Bracket
find_bracket(const Selection<Key> &selection)
{
	const SelectState *state = selection.state;
	Bracket		bracket = {SAMPLE, -1};

	for (int rank = 0; rank < selection.ranks; rank++)
	{
		int			place = (int) (state->ranks[rank] * SAMPLE /
								   state->count);

		if (state->found[rank])
			continue;
		bracket.low = min(bracket.low, place - SELECT_BRACKET_MARGIN);
		bracket.high = max(bracket.high, place + SELECT_BRACKET_MARGIN);
	}
	return bracket;
}

/*
 * Makes splitters of a bracket's ends.  Returns false if the sample has many
 * more keys from the one to the other: that is, many equal ones.
 */
template <typename Key>
__device__ static inline bool
put_bracket(const Selection<Key> &selection, const Key *keys, Bracket bracket)
{
	volatile Key *splitters = selection.splitters;
	int			inside = 0;

	for (int i = 0; i < SELECT_SAMPLE_ITEMS; i++)
	{
		int			at = threadIdx.x * SELECT_SAMPLE_ITEMS + i;

		if (at == bracket.low)
			splitters[0] = keys[i];
		if (at == bracket.high)
			splitters[1] = keys[i];
	}
	if (threadIdx.x == 0 && bracket.low < 0)
		splitters[0] = 0;
	if (threadIdx.x == 0 && bracket.high >= SAMPLE)
		splitters[1] = (Key) ~(Key) 0;
	__syncthreads();
	for (int i = 0; i < SELECT_SAMPLE_ITEMS; i++)
		inside += __syncthreads_count(splitters[0] <= keys[i] &&
									  keys[i] <= splitters[1]);
	return inside <= 2 * (bracket.high - bracket.low);
}

/*
 * Makes splitters of the keys near the places of the ranks, of equal ones just
 * one.  Returns their number.
 */
template <typename Key>
__device__ static inline int
put_near(const Selection<Key> &selection, const Key *keys,
		 SplitterScan::TempStorage &shared)
{
	__shared__ Key last_keys[SELECT_THREADS];
	__shared__ bool near[SAMPLE];
	bool		splits[SELECT_SAMPLE_ITEMS];
	int			own = 0;
	int			before;
	int			all;

	last_keys[threadIdx.x] = keys[SELECT_SAMPLE_ITEMS - 1];
	find_near(selection, near);
	for (int i = 0; i < SELECT_SAMPLE_ITEMS; i++)
	{
		int			at = threadIdx.x * SELECT_SAMPLE_ITEMS + i;
		Key			last = i > 0 ? keys[i - 1] :
			threadIdx.x > 0 ? last_keys[threadIdx.x - 1] : 0;

		splits[i] = near[at] && (!near[at - 1] || keys[i] != last);
		own += splits[i];
	}
	SplitterScan(shared).ExclusiveSum(own, before, all);
	for (int i = 0; i < SELECT_SAMPLE_ITEMS; i++)
	{
		if (splits[i])
			selection.splitters[before++] = keys[i];
	}
	return all;
}

/* Samples the elements at hand: keys near the ranks become the splitters. */
template <typename Key>
__global__ void __launch_bounds__(SELECT_THREADS)
make_splitters(Selection<Key> selection, int round)
{
	typedef BlockSort<Key, SELECT_SAMPLE_ITEMS> Sort;
	__shared__ union
	{
		typename Sort::Memory sort;
		SplitterScan::TempStorage scan;
	}			shared;
	SelectState *state = selection.state;
	Key			keys[SELECT_SAMPLE_ITEMS];
	Bracket		bracket;
	bool		bracketed;
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
	typename Sort::Sort(shared.sort).Sort(keys, Less<Key>());
	__syncthreads();
	bracket = find_bracket(selection);
	bracketed = state->count >= SELECT_BRACKET_ITEMS &&
		bracket.high - bracket.low <= SELECT_BRACKET &&
		put_bracket(selection, keys, bracket);
	all = bracketed ? 2 : put_near(selection, keys, shared.scan);
	for (int i = threadIdx.x; i <= 2 * all; i += SELECT_THREADS)
	{
		state->counts[i] = 0;
		state->keep[i] = bracketed && i > 0 && i < ABOVE_BRACKET;
	}
	if (threadIdx.x == 0)
	{
		state->splitters = all;
		state->bracketed = bracketed;
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

/* With one or two cells for each splitter.  For all threads of a block. */
template <typename Key>
__device__ static inline Cells<Key>
load_splitters(const Selection<Key> &selection, SplitterMemory<Key> *memory)
{
	int			count = selection.state->splitters;
	Cells<Key>	splitters = {
		memory->keys, count, 0, SELECT_CELLS, memory->cells
	};

	while (splitters.count >= 2 * count && splitters.count > LEAST_CELLS)
		splitters.count /= 2;
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

/* Counts the elements of each bin. */
template <typename Key>
__device__ static inline void
count_each_bin(const Selection<Key> &selection, SplitterMemory<Key> *memory,
			   unsigned *counts)
{
	Cells<Key>	splitters = load_splitters(selection, memory);

	for_each_vector(selection.items(), selection.state->count,
					[&] (const Vector<Key> &own, int number, long long) {
#pragma unroll
		for (int i = 0; i < Vector<Key>::count; i++)
		{
			Key			key = ordered(own.items[i], selection.order);

			if (i < number)
				atomicAdd(&counts[bin_of(splitters, key)], 1u);
		}
	}, selection.blocks());
}

/*
 * What a warp keeps: it is gathered in shared memory, and appended to what the
 * others keep when there is much.  All lanes call this together.
 */
template <typename Key>
struct WarpBuffer
{
	static const int room = SELECT_BUFFER_BYTES / sizeof(Key);

	Key		   *items;
	int			count;
	Key		   *kept;
	unsigned long long *nkept;

	__device__ void add(Key item, bool wanted)
	{
		unsigned	lanes = __ballot_sync(ALL_LANES, wanted);
		unsigned	own_lane = 1u << threadIdx.x % WARP;

		if (wanted)
			items[count + __popc(lanes & (own_lane - 1))] = item;
		count += __popc(lanes);
	}

	/* Has a vector of each lane no room? */
	__device__ bool is_full(void) const
	{
		return count > room - WARP * Vector<Key>::count;
	}

	__device__ void empty(void)
	{
		int			lane = threadIdx.x % WARP;
		unsigned long long first = 0;

		__syncwarp();
		if (lane == 0)
			first = atomicAdd(nkept, (unsigned long long) count);
		first = __shfl_sync(ALL_LANES, first, 0);
		for (int i = lane; i < count; i += WARP)
			kept[first + i] = items[i];
		__syncwarp();
		count = 0;
	}
};

/* Keeps the items of a vector that are in a bracket; counts those below it. */
template <typename Key>
__device__ static __forceinline__ void
keep_bracketed(const Vector<Key> &vector, int number, Key low, Key high,
			   KeyOrder order, unsigned *below, WarpBuffer<Key> *buffer)
{
#pragma unroll
	for (int i = 0; i < Vector<Key>::count; i++)
	{
		Key			key = ordered(vector.items[i], order);

		*below += i < number && key < low;
		buffer->add(vector.items[i],
					i < number && (Key) (key - low) <= (Key) (high - low));
	}
	if (buffer->is_full())
		buffer->empty();
}

/*
 * Keeps the elements from the first to the second splitter, and counts those
 * below.
 */
template <typename Key>
__device__ static __forceinline__ void
keep_bracket(const Selection<Key> &selection, KeyOrder order, Key *buffers,
			 unsigned *counts)
{
	const int	each = Vector<Key>::count;
	const int	step = SELECT_VECTORS * WARP * each;
	SelectState *state = selection.state;
	const Key  *in = selection.items();
	Key			low = selection.splitters[0];
	Key			high = selection.splitters[1];
	int			warp = threadIdx.x / WARP;
	int			lane = threadIdx.x % WARP;
	long long	count = state->count;
	long long	stride = (long long) selection.blocks() *
		(SELECT_THREADS / WARP) * step;
	long long	at = (blockIdx.x * (SELECT_THREADS / WARP) + warp) *
		(long long) step;
	unsigned	below = 0;
	WarpBuffer<Key> buffer = {
		buffers + warp * WarpBuffer<Key>::room, 0,
		selection.other(), &state->kept
	};

	for (; at + step <= count; at += stride)
	{
		Vector<Key> vectors[SELECT_VECTORS];

		load_vectors(vectors, in + at + lane * each, WARP * each);
#pragma unroll
		for (int i = 0; i < SELECT_VECTORS; i++)
			keep_bracketed(vectors[i], each, low, high, order, &below,
						   &buffer);
	}
	for (int i = 0; i < SELECT_VECTORS && at < count; i++)
	{
		long long	own = at + (i * WARP + lane) * each;
		int			number = (int) max(0LL, min(count - own,
												(long long) each));

		keep_bracketed(load_vector(in, own, number), number, low, high, order,
					   &below, &buffer);
	}
	buffer.empty();
	below = warp_sum(below);
	if (lane == 0)
		atomicAdd(&counts[0], below);
}

/* Adds to the counts of the bins. */
template <typename Key>
__global__ void __launch_bounds__(SELECT_THREADS, SELECT_BLOCKS_PER_SM)
count_bins(Selection<Key> selection)
{
	__shared__ union
	{
		SplitterMemory<Key> splitters;
		Key			buffers[SELECT_THREADS / WARP * WarpBuffer<Key>::room];
	}			memory;
	__shared__ unsigned counts[BINS];
	SelectState *state = selection.state;

	let_next_start();
	wait_for_preceding();
	if (!selection.needs_round() || blockIdx.x >= selection.blocks())
		return;
	for (int i = threadIdx.x; i <= 2 * state->splitters; i += SELECT_THREADS)
		counts[i] = 0;
	__syncthreads();
	if (state->bracketed && selection.order.is_float)
		keep_bracket(selection, {true, selection.order.canonicalize,
								 selection.order.flip}, memory.buffers, counts);
	else if (state->bracketed)
		keep_bracket(selection, {false, false, selection.order.flip},
					 memory.buffers, counts);
	else
		count_each_bin(selection, &memory.splitters, counts);
	__syncthreads();
	for (int i = threadIdx.x; i <= 2 * state->splitters; i += SELECT_THREADS)
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
	bool		between;
	bool		outside;

	let_next_start();
	wait_for_preceding();
	if (!selection.needs_round())
		return;
	bins = 2 * state->splitters + 1;
	if (state->bracketed && threadIdx.x == 0)
	{
		state->counts[BRACKET_BIN] = (unsigned) state->kept;
		state->counts[ABOVE_BRACKET] = (unsigned)
			(state->count - state->kept - state->counts[0]);
	}
	__syncthreads();
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
	between = __syncthreads_or(wanted && bin % 2 == 0);
	outside = __syncthreads_or(wanted && bin % 2 == 0 && bin != BRACKET_BIN);
	sum = scan_bins<Scan>(shared, bins,
						  [=] (int i) {
							  return state->keep[i] ?
								  (long long) state->counts[i] : 0;
						  }, starts);
	if (wanted && bin % 2 == 0)
		state->ranks[rank] = starts[bin] + within;
	if (threadIdx.x == 0)
	{
		state->next_count = between ? sum : 0;
		state->must_keep = between && (!state->bracketed || outside);
		if (state->must_keep)
			state->kept = 0;
	}
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
	if (!selection.needs_round() || !state->must_keep ||
		blockIdx.x >= selection.blocks())
		return;
	splitters = load_splitters(selection, &memory);
	to = selection.other();
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
	}, selection.blocks());
}

/* Sorts the elements that are left, and so finds all ranks. */
template <int ITEMS, typename Key>
__device__ static inline void
sort_rest(const Selection<Key> &selection,
		  typename BlockSort<Key, ITEMS>::Memory *memory)
{
	SelectState *state = selection.state;
	Key			keys[ITEMS];

	for (int i = 0; i < ITEMS; i++)
	{
		int			at = i * SELECT_THREADS + threadIdx.x;

		keys[i] = at < state->count ?
			ordered(selection.items()[at], selection.order) : (Key) ~(Key) 0;
	}
	typename BlockSort<Key, ITEMS>::Sort(*memory).Sort(keys, Less<Key>());
	for (int i = 0; i < ITEMS; i++)
	{
		int			at = threadIdx.x * ITEMS + i;

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
	__shared__ union
	{
		typename BlockSort<Key, SELECT_SORT_ITEMS / 2>::Memory few;
		typename BlockSort<Key, SELECT_SORT_ITEMS>::Memory most;
	}			memory;
	SelectState *state = selection.state;

	let_next_start();
	wait_for_preceding();
	take_kept(selection, rounds);
	if (state->count <= SORTED_ITEMS / 2)
		sort_rest<SELECT_SORT_ITEMS / 2>(selection, &memory.few);
	else if (state->count <= SORTED_ITEMS)
		sort_rest<SELECT_SORT_ITEMS>(selection, &memory.most);
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

/* Takes the elements of the ranks from the buffer that is sorted. */
template <typename Key>
__global__ void __launch_bounds__(SELECT_MOST_RANKS)
pick_ranks(const Key *first, const Key *other, const int *in_other,
		   const long long *wanted, Key *out, int ranks, long long *results)
{
	let_next_start();
	wait_for_preceding();
	if (threadIdx.x < ranks)
		out[threadIdx.x] = (*in_other ? other : first)[wanted[threadIdx.x]];
	if (threadIdx.x == 0)
		*results = ranks;
}

static int
count_ranks(const EngineRequest *request)
{
	return (int) most_results(request);
}

/*
 * The rounds, if what a bracket leaves is expected, and others leave four times
 * as many elements as expected.  Ranks mostly come in pairs of adjacent ones.
 * Should the rounds be too few, what is left is searched.
 */
static int
count_rounds(const EngineRequest *request)
{
	int64_t		count = request->count;
	int			rounds = 0;

	while (count > SORTED_ITEMS)
	{
		count = count >= SELECT_BRACKET_ITEMS ?
			count * 2 * SELECT_BRACKET_MARGIN / SAMPLE :
			count * 4 * ((count_ranks(request) + 1) / 2) / SAMPLE;
		rounds++;
	}
	return rounds;
}

/* The sort of the elements, without its memory. */
static Sort
sort_of_elements(const EngineRequest *request)
{
	return {.kind = request->kinds[0], .count = request->count};
}

static bool
fits_cluster(const EngineRequest *request)
{
	Sort		sort = sort_of_elements(request);

	return sort_fits_cluster(&sort);
}

/* Does it take less time to sort the elements? */
static bool
is_to_be_sorted(const EngineRequest *request)
{
	return count_rounds(request) > 0 &&
		(fits_cluster(request) ||
		 (count_ranks(request) > SELECT_FEW_RANKS &&
		  request->count * input_size(request, 0) <= SELECT_SORT_BYTES));
}

/* Bytes of the state and the splitters, before the second buffer. */
#define STATE_AND_SPLITTERS \
	(sizeof(SelectState) + SAMPLE * sizeof(uint64_t))

/* Bytes of the scratch memory of a sort, before the second buffer. */
static size_t
sort_bytes(const EngineRequest *request)
{
	Sort		sort = sort_of_elements(request);

	return (sort_scratch_bytes(&sort) + SORT_ALIGNMENT - 1) / SORT_ALIGNMENT *
		SORT_ALIGNMENT;
}

/* Sorts the elements, and picks those of the ranks. */
template <typename Key>
static cudaError_t
sort_and_pick(const DeviceWork *work)
{
	const EngineRequest *request = work->request;
	Sort		sort = sort_of_elements(request);

	sort.keys[0] = work->in[0];
	sort.keys[1] = (char *) work->scratch + sort_bytes(request);
	sort.scratch = work->scratch;
	TRY(sort_clear(work->stream, &sort));
	TRY(sort_count_keys(work->stream, &sort, sort.keys[0], sort.count));
	TRY(sort_move_keys(work->stream, &sort));
	return launch_dependent(work->stream, pick_ranks<Key>, 1,
							SELECT_MOST_RANKS, 0, (const Key *) sort.keys[0],
							(const Key *) sort.keys[1], sort_in_other(&sort),
							(const long long *) work->table,
							(Key *) work->out[0], count_ranks(request),
							work->results);
}

template <typename Key>
static cudaError_t
select_ranks(const DeviceWork *work)
{
	const EngineRequest *request = work->request;
	char	   *scratch = (char *) work->scratch;
	Sort		keys = sort_of_elements(request);
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
	sizes->scratch = sizes->in[0] + (is_to_be_sorted(request) ?
									 sort_bytes(request) :
									 STATE_AND_SPLITTERS);
	return cudaSuccess;
}

static cudaError_t
select_whole(const DeviceWork *work)
{
	if (is_to_be_sorted(work->request))
		RETURN_BY_SIZE(work->request->kinds[0], sort_and_pick, work);
	RETURN_BY_SIZE(work->request->kinds[0], select_ranks, work);
}

const DeviceOperation gpu_select = {
	.gathers = true,
	.counts = true,
	.supports = select_supports,
	.sizes = select_sizes,
	.direct = fits_cluster,
	.whole = select_whole
};
