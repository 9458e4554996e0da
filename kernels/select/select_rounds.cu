/*
 * select_rounds.cu
 *	  The selection of several ranks, in rounds.
 *
 * A round sorts a sample of the elements, and takes every fourth key of it as
 * a splitter.  It counts the elements of each bin, that is, between two
 * splitters, which tells in which bin the element of a rank is.  If the bin has
 * room for but one key, this key is the answer.  Else the round keeps the
 * elements of the bin, and the rank becomes a rank among the kept elements.  A
 * key that is a splitter twice has a bin of its own: the second splitter
 * becomes the next key.  (Alabi et al., "Fast k-selection algorithms for
 * graphics processing units", 2012, compare selection by buckets with others.)
 *
 * A round of many bins reads the elements twice.  Where there are many
 * elements, and all ranks are near each other, the round has but two splitters,
 * which bracket the ranks, and keeps the elements between the splitters while
 * it counts.  (Floyd and Rivest, "Expected time bounds for selection", 1975.)
 * The sample errs very rarely; then the elements are read again.
 *
 * Only the device knows how many rounds are needed.  The host queues all rounds
 * that may be needed; a round that is not needed returns at once.  One block
 * sorts the elements that are left.
 */
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_scan.cuh>

#include "contract/operations/select.h"
#include "kernels/select/rank_search.h"
#include "kernels/common/sample.h"
#include "kernels/select/select.h"
#include "kernels/common/vector.h"

#define SAMPLE			(SELECT_THREADS * SELECT_SAMPLE_ITEMS)

/* Bins, with a splitter between each two of them: one for each thread. */
#define BINS			SELECT_THREADS

/* The bin between two splitters that bracket the ranks. */
#define BRACKET_BIN		1

/* Bits of the bins if few splitters differ. */
#define FEW_BITS		5
#define FEW_BINS		(1 << FEW_BITS)

/* One block sorts up to SORTED_ITEMS elements. */
#define FINISH_THREADS	SEARCH_THREADS
#define SORTED_ITEMS	(FINISH_THREADS * SELECT_SORT_ITEMS)

static_assert(SELECT_THREADS >= SELECT_MAX_RANKS, "a thread for each rank");

/* What is known of the ranks, and of the elements that are left. */
typedef struct __align__(16) SelectState
{
	long long	count;			/* elements at hand */
	unsigned long long kept;	/* written to the other buffer so far */
	long long	next_count;		/* elements to be kept */
	int			selector;		/* the elements at hand: in the second buffer */
	int			splitters;
	bool		bracketed;		/* only two splitters, which bracket ranks */
	bool		must_keep;		/* elements that hold answers are not kept */
	int			borders;		/* splitters with a bin to keep on one side */
	long long	ranks[SELECT_MAX_RANKS];	/* among those at hand */
	bool		found[SELECT_MAX_RANKS];
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

/* A block's sort of up to ITEMS elements for each thread, and its memory. */
template <typename Key, int THREADS, int ITEMS>
struct BlockSort
{
	typedef cub::BlockMergeSort<Key, THREADS, ITEMS> Sort;
	typedef typename Sort::TempStorage Memory;
};

/* The scan that numbers the splitters. */
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
		return state->selector ? buffers[1] : buffers[0];
	}

	/* The buffer to which kept elements are written. */
	__device__ Key *other(void) const
	{
		return state->selector ? buffers[0] : buffers[1];
	}

	/* Thread blocks that go through the elements: each has some of them. */
	__device__ unsigned blocks(void) const
	{
		long long	each = SELECT_MIN_ITEMS * SELECT_THREADS;

		return (unsigned) min((long long) gridDim.x,
							  (state->count + each - 1) / each);
	}

	__device__ bool needs_round(void) const
	{
		return state->count > SORTED_ITEMS;
	}
};

/*
 * In the first round all elements are at hand, and no rank is found.  Later the
 * elements that were kept are at hand.
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
		state->selector = 0;
	}
	if (round > 0 && threadIdx.x == 0 && selection.needs_round())
	{
		state->count = state->next_count;
		state->selector = !state->selector;
	}
	__syncthreads();
}

/* Places in the sample.  They may be before or behind the sample. */
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

template <typename Key>
__device__ static inline Key
next_key(Key key)
{
	return key == (Key) ~(Key) 0 ? key : key + 1;
}

/*
 * Makes splitters of a bracket's ends.  Returns false if the ranks are far from
 * each other, or if the sample has many more keys between the ends: that is,
 * many equal ones.
 */
template <typename Key>
__device__ static inline bool
put_bracket(const Selection<Key> &selection, const Key *keys)
{
	__shared__ Key ends[2];
	Bracket		bracket = find_bracket(selection);
	int			inside = 0;

	if (bracket.high - bracket.low > SELECT_BRACKET)
		return false;
	if (threadIdx.x == 0)
	{
		ends[0] = 0;
		ends[1] = (Key) ~(Key) 0;
	}
	__syncthreads();
	for (int i = 0; i < SELECT_SAMPLE_ITEMS; i++)
	{
		int			at = threadIdx.x * SELECT_SAMPLE_ITEMS + i;

		if (at == bracket.low)
			ends[0] = keys[i];
		if (at == bracket.high)
			ends[1] = next_key(keys[i]);
	}
	__syncthreads();
	for (int i = 0; i < SELECT_SAMPLE_ITEMS; i++)
		inside += __syncthreads_count(ends[0] <= keys[i] && keys[i] < ends[1]);
	if (threadIdx.x < 2)
		selection.splitters[threadIdx.x] = ends[threadIdx.x];
	return inside <= 2 * (bracket.high - bracket.low);
}

/*
 * Makes splitters of the keys with which the threads' parts of the sample
 * begin.  An equal one becomes the next key, so that no other key is in the
 * bin; of those that are equal then, one is taken.  The last key fills up the
 * tree.  Returns the number of splitters.
 */
template <typename Key>
__device__ static inline int
put_splitters(const Selection<Key> &selection, Key key,
			  SplitterScan::TempStorage &shared)
{
	__shared__ Key keys[BINS];
	int			thread = threadIdx.x;
	bool		differs;
	int			before;
	int			all;

	keys[thread] = key;
	__syncthreads();
	if (thread > 1 && key == keys[thread - 1])
		key = next_key(key);
	__syncthreads();
	keys[thread] = key;
	__syncthreads();
	differs = thread == 1 || (thread > 1 && key != keys[thread - 1]);
	SplitterScan(shared).ExclusiveSum((int) differs, before, all);
	if (differs)
		selection.splitters[before] = key;
	if (thread >= all)
		selection.splitters[thread] = (Key) ~(Key) 0;
	return (all < FEW_BINS ? FEW_BINS : BINS) - 1;
}

/* Samples the elements at hand: some keys become splitters. */
template <typename Key>
__global__ void __launch_bounds__(SELECT_THREADS)
make_splitters(Selection<Key> selection, int round)
{
	typedef BlockSort<Key, SELECT_THREADS, SELECT_SAMPLE_ITEMS> Sort;
	__shared__ union
	{
		typename Sort::Memory sort;
		SplitterScan::TempStorage scan;
	}			shared;
	SelectState *state = selection.state;
	Key			keys[SELECT_SAMPLE_ITEMS];
	bool		bracketed;
	int			splitters = 2;

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
	bracketed = state->count >= SELECT_BRACKET_ITEMS &&
		put_bracket(selection, keys);
	if (!bracketed)
		splitters = put_splitters(selection, keys[0], shared.scan);
	state->counts[threadIdx.x] = 0;
	state->keep[threadIdx.x] = bracketed && threadIdx.x == BRACKET_BIN;
	if (threadIdx.x == 0)
	{
		state->splitters = splitters;
		state->bracketed = bracketed;
		state->kept = 0;
	}
}

/*
 * The splitters in shared memory, as a search tree: node i is followed by 2 * i
 * and 2 * i + 1.  Unlike in a sorted array, the nodes that the lanes of a warp
 * visit together are next to each other, that is in different banks.  (Sanders
 * and Winkel, "Super scalar sample sort", 2004.)
 */
template <typename Key, int BITS>
struct SplitterTree
{
	Key			nodes[1 << BITS];

	/* The last key fills up the tree.  For all threads of a block. */
	__device__ void load(const Key *splitters, int count)
	{
		int			level = 31 - __clz(threadIdx.x | 1);
		int			within = threadIdx.x - (1 << level);
		int			at = (2 * within + 1) * (1 << BITS >> (level + 1)) - 1;

		if (threadIdx.x > 0 && threadIdx.x < 1 << BITS)
			nodes[threadIdx.x] = at < count ? splitters[at] : (Key) ~(Key) 0;
		__syncthreads();
	}

	/* The number of the nodes that are no greater than a key. */
	__device__ int bin_of(Key key) const
	{
		int			node = 1;

#pragma unroll
		for (int level = 0; level < BITS; level++)
			node = 2 * node + (nodes[node] <= key);
		return node - (1 << BITS);
	}
};

/* Either tree, in the same memory. */
template <typename Key>
union SplitterTrees
{
	SplitterTree<Key, FEW_BITS> few;
	SplitterTree<Key, SELECT_BIN_BITS> most;
};

/*
 * Goes through the elements at hand, with all threads of the thread blocks that
 * do so: a warp loads several vectors of each lane at once.  The function gets
 * a vector and the number of its elements, in all lanes of a warp together.
 */
template <typename Key, typename Function>
__device__ static __forceinline__ void
for_each_at_hand(const Selection<Key> &selection, Function function)
{
	const int	each = Vector<Key>::count;
	const int	step = SELECT_VECTORS * WARP * each;
	const int	warps = SELECT_THREADS / WARP;
	long long	first = blockIdx.x * warps + threadIdx.x / WARP;

	for_each_of_warp<SELECT_VECTORS>(selection.items(), first * step,
									 selection.blocks() * warps *
									 (long long) step, selection.state->count,
									 [&] (auto &vectors, int left) {
#pragma unroll
		for (int i = 0; i < SELECT_VECTORS; i++)
			function(vectors[i], min(max(left - i * WARP * each, 0), each));
	});
}

/* Counts the elements of each bin. */
template <typename Key, typename Tree>
__device__ static inline void
count_each_bin(const Selection<Key> &selection, Tree *tree, unsigned *counts)
{
	tree->load(selection.splitters, selection.state->splitters);
	for_each_at_hand(selection, [&] (const Vector<Key> &vector, int number) {
#pragma unroll
		for (int i = 0; i < Vector<Key>::count; i++)
		{
			int			bin = tree->bin_of(ordered(vector.items[i],
												   selection.order));

			if (i < number)
				atomicAdd(&counts[bin], 1u);
		}
	});
}

/* Shared memory in which the warps of a block gather the elements they keep. */
template <typename Key, int BYTES>
struct WarpBuffers
{
	static const int room = BYTES / sizeof(Key);

	Key			items[SELECT_THREADS / WARP][room];
	int			counts[SELECT_THREADS / WARP];
	unsigned long long first;	/* the place of the first warp's items */
};

/*
 * The elements that a warp keeps.  They are gathered in shared memory, and
 * appended to the elements of the other warps when there are many.  All lanes
 * call this together.
 */
template <typename Key, int ROOM>
struct WarpBuffer
{
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

	/* Returns true if there is no room for a vector of each lane. */
	__device__ bool is_full(void) const
	{
		return count > ROOM - WARP * Vector<Key>::count;
	}

	__device__ void copy(unsigned long long to)
	{
		for (int i = threadIdx.x % WARP; i < count; i += WARP)
			kept[to + i] = items[i];
	}

	__device__ void empty(void)
	{
		unsigned long long to = 0;

		__syncwarp();
		if (threadIdx.x % WARP == 0)
			to = atomicAdd(nkept, (unsigned long long) count);
		copy(__shfl_sync(ALL_LANES, to, 0));
		__syncwarp();
		count = 0;
	}
};

/* Empties the buffers of all warps at once.  For all threads of a block. */
template <typename Key, int BYTES, typename Buffer>
__device__ static inline void
empty_all(WarpBuffers<Key, BYTES> *buffers, Buffer *buffer)
{
	int			warp = threadIdx.x / WARP;
	int			before = 0;
	int			all = 0;

	if (threadIdx.x % WARP == 0)
		buffers->counts[warp] = buffer->count;
	__syncthreads();
	for (int i = 0; i < SELECT_THREADS / WARP; i++)
	{
		before += i < warp ? buffers->counts[i] : 0;
		all += buffers->counts[i];
	}
	if (threadIdx.x == 0)
		buffers->first = atomicAdd(buffer->nkept, (unsigned long long) all);
	__syncthreads();
	buffer->copy(buffers->first + before);
}

/* Keeps the wanted items of the first "number" items of a vector. */
template <typename Key, typename Buffer, typename Wanted>
__device__ static __forceinline__ void
keep_of_vector(const Vector<Key> &vector, int number, KeyOrder order,
			   Buffer *buffer, Wanted is_wanted)
{
#pragma unroll
	for (int i = 0; i < Vector<Key>::count; i++)
	{
		bool		wanted = i < number &&
			is_wanted(ordered(vector.items[i], order));

		buffer->add(vector.items[i], wanted);
	}
	if (buffer->is_full())
		buffer->empty();
}

/* Keeps the elements at hand whose keys are wanted, in any order. */
template <typename Key, int BYTES, typename Wanted>
__device__ static __forceinline__ void
keep_wanted(const Selection<Key> &selection, KeyOrder order,
			WarpBuffers<Key, BYTES> *buffers, Wanted is_wanted)
{
	WarpBuffer<Key, WarpBuffers<Key, BYTES>::room> buffer = {
		buffers->items[threadIdx.x / WARP], 0, selection.other(),
		&selection.state->kept
	};

	for_each_at_hand(selection, [&] (const Vector<Key> &vector, int number) {
		keep_of_vector(vector, number, order, &buffer, is_wanted);
	});
	empty_all(buffers, &buffer);
}

/*
 * Keeps the elements between the first and the second splitter, and counts the
 * elements below.
 */
template <typename Key>
__device__ static __forceinline__ void
keep_bracket(const Selection<Key> &selection, KeyOrder order,
			 WarpBuffers<Key, SELECT_BRACKET_BUFFER> *buffers, unsigned *counts)
{
	Key			low = selection.splitters[0];
	Key			high = selection.splitters[1];
	unsigned	below = 0;

	keep_wanted(selection, order, buffers, [&] (Key key) {
		below += key < low;
		return (Key) (key - low) < (Key) (high - low);
	});
	below = warp_sum(below);
	if (threadIdx.x % WARP == 0)
		atomicAdd(&counts[0], below);
}

/* Adds to the counts of the bins. */
template <typename Key>
__global__ void __launch_bounds__(SELECT_THREADS, SELECT_BLOCKS_PER_SM)
count_bins(Selection<Key> selection)
{
	__shared__ union
	{
		SplitterTrees<Key> trees;
		WarpBuffers<Key, SELECT_BRACKET_BUFFER> buffers;
	}			memory;
	__shared__ unsigned counts[BINS];
	SelectState *state = selection.state;

	let_next_start();
	wait_for_preceding();
	if (!selection.needs_round() || blockIdx.x >= selection.blocks())
		return;
	counts[threadIdx.x] = 0;
	__syncthreads();
	if (state->bracketed && selection.order.is_float)
		keep_bracket(selection, {true, selection.order.canonicalize,
								 selection.order.flip}, &memory.buffers,
					 counts);
	else if (state->bracketed)
		keep_bracket(selection, {false, false, selection.order.flip},
					 &memory.buffers, counts);
	else if (state->splitters < FEW_BINS)
		count_each_bin(selection, &memory.trees.few, counts);
	else
		count_each_bin(selection, &memory.trees.most, counts);
	__syncthreads();
	if (counts[threadIdx.x] > 0)
		atomicAdd(&state->counts[threadIdx.x], counts[threadIdx.x]);
}

/* The last bin that begins at the rank or before it, which is not empty. */
__device__ static inline int
find_bin(const long long starts[BINS], long long rank)
{
	int			bin = 0;

	for (int step = BINS / 2; step > 0; step /= 2)
		bin += starts[bin + step] <= rank ? step : 0;
	return bin;
}

/* Returns whether a bin has but one key.  *key is the bin's first key. */
template <typename Key>
__device__ static inline bool
is_single(const Selection<Key> &selection, int bin, Key *key)
{
	const Key  *splitters = selection.splitters;
	Key			next = bin < selection.state->splitters ? splitters[bin] : 0;

	*key = bin > 0 ? splitters[bin - 1] : 0;
	return (Key) (next - *key) == 1;
}

/*
 * Drops the splitters between bins that are both kept, or both not kept.  So
 * few splitters are left.
 */
template <typename Key, typename Scan>
__device__ static inline void
find_borders(const Selection<Key> &selection,
			 typename Scan::TempStorage &shared)
{
	SelectState *state = selection.state;
	int			bin = threadIdx.x;
	bool		is_border = bin > 0 && bin <= state->splitters &&
		state->keep[bin] != state->keep[bin - 1];
	Key			splitter = is_border ? selection.splitters[bin - 1] : 0;
	long long	before;
	long long	all;

	Scan(shared).ExclusiveSum((long long) is_border, before, all);
	__syncthreads();
	if (is_border)
		selection.splitters[before] = splitter;
	if (threadIdx.x == 0)
		state->borders = (int) all;
}

/* Finds the bins of the ranks: an element, or elements to keep. */
template <typename Key>
__global__ void __launch_bounds__(SELECT_THREADS)
find_ranks(Selection<Key> selection)
{
	typedef cub::BlockScan<long long, SELECT_THREADS> Scan;
	__shared__ typename Scan::TempStorage shared[3];
	__shared__ long long starts[BINS];
	SelectState *state = selection.state;
	int			rank = threadIdx.x;
	int			bin = 0;
	long long	within = 0;		/* the rank within its bin */
	bool		between = false;	/* its bin has room for other keys, too */
	bool		must_keep;
	long long	count;			/* of the thread's own bin */
	long long	sum;
	Key			key;

	let_next_start();
	wait_for_preceding();
	if (!selection.needs_round())
		return;
	if (state->bracketed && threadIdx.x == 0)
	{
		state->counts[BRACKET_BIN] = (unsigned) state->kept;
		state->counts[BRACKET_BIN + 1] = (unsigned)
			(state->count - state->kept - state->counts[0]);
	}
	__syncthreads();
	count = state->counts[threadIdx.x];
	Scan(shared[0]).ExclusiveSum(count, starts[threadIdx.x]);
	__syncthreads();
	if (rank < selection.ranks && !state->found[rank])
	{
		bin = find_bin(starts, state->ranks[rank]);
		within = state->ranks[rank] - starts[bin];
		between = !is_single(selection, bin, &key);
		if (between)
			state->keep[bin] = true;
		else
		{
			selection.out[rank] = restored(key, selection.order);
			state->found[rank] = true;
		}
	}
	__syncthreads();
	Scan(shared[1]).ExclusiveSum(state->keep[threadIdx.x] ? count : 0,
								 starts[threadIdx.x], sum);
	__syncthreads();
	if (between)
		state->ranks[rank] = starts[bin] + within;
	must_keep = __syncthreads_or(between && !(state->bracketed &&
											  bin == BRACKET_BIN));
	if (must_keep)
		find_borders<Key, Scan>(selection, shared[2]);
	between = __syncthreads_or(between);
	if (threadIdx.x == 0)
	{
		state->next_count = between ? sum : 0;
		state->must_keep = must_keep;
		if (must_keep)
			state->kept = 0;
	}
}

/* Keeps the elements of the bins that hold answers. */
template <typename Key, typename Tree>
__device__ static inline void
keep_bins(const Selection<Key> &selection, Tree *tree,
		  WarpBuffers<Key, SELECT_KEEP_BUFFER> *buffers)
{
	const SelectState *state = selection.state;
	int			borders = state->borders;
	int			first = state->keep[0];

	tree->load(selection.splitters, borders);
	keep_wanted(selection, selection.order, buffers, [&] (Key key) {
		/* The last key may count nodes that are no borders. */
		return (min(tree->bin_of(key), borders) + first) % 2 != 0;
	});
}

template <typename Key>
__global__ void __launch_bounds__(SELECT_THREADS)
keep_items(Selection<Key> selection)
{
	__shared__ SplitterTrees<Key> trees;
	__shared__ WarpBuffers<Key, SELECT_KEEP_BUFFER> buffers;
	SelectState *state = selection.state;

	let_next_start();
	wait_for_preceding();
	if (!selection.needs_round() || !state->must_keep ||
		blockIdx.x >= selection.blocks())
		return;
	if (state->borders < FEW_BINS)
		keep_bins(selection, &trees.few, &buffers);
	else
		keep_bins(selection, &trees.most, &buffers);
}

/* Sorts the elements that are left, and so finds all ranks. */
template <int ITEMS, typename Key>
__device__ static inline void
sort_rest(const Selection<Key> &selection,
		  typename BlockSort<Key, FINISH_THREADS, ITEMS>::Memory *memory)
{
	typedef BlockSort<Key, FINISH_THREADS, ITEMS> Sort;
	SelectState *state = selection.state;
	Key			keys[ITEMS];

	for (int i = 0; i < ITEMS; i++)
	{
		int			at = i * FINISH_THREADS + threadIdx.x;

		keys[i] = at < state->count ?
			ordered(selection.items()[at], selection.order) : (Key) ~(Key) 0;
	}
	typename Sort::Sort(*memory).Sort(keys, Less<Key>());
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

/* Searches the elements that are left, for all ranks in turn. */
template <typename Key>
__device__ static inline void
search_rest(const Selection<Key> &selection, RankSearch<Key> *search)
{
	SelectState *state = selection.state;
	const Key  *items = selection.items();
	unsigned	count = (unsigned) state->count;
	RankRange<Key> *ranges = search->ranges;

	for (int first = 0; first < selection.ranks; first += SEARCH_RANKS)
	{
		int			rank = min(first + (int) threadIdx.x, selection.ranks - 1);

		search->clear();
		if (threadIdx.x < SEARCH_RANKS)
			ranges[threadIdx.x] = all_keys<Key>
				(state->found[rank] ? 0 : state->ranks[rank], count);
		__syncthreads();
		search->find_alone([&] (auto function) {
			for (unsigned i = threadIdx.x; i < count; i += FINISH_THREADS)
				function(ordered(items[i], selection.order));
		});
		if (threadIdx.x < SEARCH_RANKS && !state->found[rank])
			selection.out[rank] = restored(ranges[threadIdx.x].low,
										   selection.order);
		__syncthreads();
	}
}

/*
 * Finds all ranks that are left.  There may be more elements than one block
 * sorts: a sample that tells nothing of the elements, in every round, is
 * possible if hardly likely.
 */
template <typename Key>
__global__ void __launch_bounds__(FINISH_THREADS)
finish_selection(Selection<Key> selection, int rounds, long long *results)
{
	const int	few_items = SELECT_SORT_ITEMS / 2;
	__shared__ union Memory
	{
		typename BlockSort<Key, FINISH_THREADS, few_items>::Memory few;
		typename BlockSort<Key, FINISH_THREADS, SELECT_SORT_ITEMS>::Memory most;
		RankSearch<Key> search;

		__device__ Memory() {}
	}			memory;
	SelectState *state = selection.state;

	let_next_start();
	wait_for_preceding();
	take_kept(selection, rounds);
	if (state->count <= FINISH_THREADS * few_items)
		sort_rest<few_items>(selection, &memory.few);
	else if (state->count <= SORTED_ITEMS)
		sort_rest<SELECT_SORT_ITEMS>(selection, &memory.most);
	else
		search_rest(selection, &memory.search);
	if (threadIdx.x == 0)
		*results = selection.ranks;
}

/*
 * Returns the number of rounds.  The bins are assumed to leave four times the
 * expected elements, for ranks that mostly come in adjacent pairs; and a
 * bracket to leave the most elements that it may.  If the rounds are too few,
 * the elements that are left are searched.
 */
static int
count_rounds(const EngineRequest *request)
{
	int64_t		bins = 4 * ((most_results(request) + 1) / 2);
	int64_t		count = request->count;
	int			rounds = 0;

	if (bins > BINS * 3 / 4)
		bins = BINS * 3 / 4;
	while (count > SORTED_ITEMS)
	{
		int64_t		in_bins = count * bins / BINS;
		int64_t		in_bracket = count * SELECT_BRACKET / SAMPLE;

		count = count >= SELECT_BRACKET_ITEMS && in_bracket > in_bins ?
			in_bracket : in_bins;
		rounds++;
	}
	return rounds;
}

/* Returns whether one kernel reads all elements, once. */
bool
select_takes_no_round(const EngineRequest *request)
{
	return request->count <= SORTED_ITEMS;
}

/* Bytes of the state and the splitters, before the second buffer. */
#define STATE_AND_SPLITTERS \
	(sizeof(SelectState) + BINS * sizeof(uint64_t))

size_t
select_rounds_scratch_bytes(const EngineRequest *request)
{
	return STATE_AND_SPLITTERS + request->count * input_size(request, 0);
}

template <typename Key>
static cudaError_t
select_ranks(const DeviceWork *work)
{
	const EngineRequest *request = work->request;
	char	   *scratch = (char *) work->scratch;
	Sort		keys = {.kind = request->kinds[0]};
	Selection<Key> selection = {
		request->count, (const long long *) work->table,
		(SelectState *) scratch, (Key *) (scratch + sizeof(SelectState)),
		{(Key *) work->in[0], (Key *) (scratch + STATE_AND_SPLITTERS)},
		(Key *) work->out[0], (int) most_results(request), sort_order(&keys)
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
	return launch_dependent(stream, finish_selection<Key>, 1, FINISH_THREADS,
							0, selection, rounds, work->results);
}

/* Queues the rounds. */
cudaError_t
select_by_rounds(const DeviceWork *work)
{
	RETURN_BY_SIZE(work->request->kinds[0], select_ranks, work);
}
