/*
 * rounds_bins.h
 *	  The bins of a round of a selection (select_rounds.cu): the elements of
 *	  each are counted, and those of some bins are kept.
 */
#ifndef GPUCOMPACT_ROUNDS_BINS_H
#define GPUCOMPACT_ROUNDS_BINS_H

#include "kernels/common/vector.h"
#include "kernels/select/rounds_state.h"

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
	const int	warps = SELECT_WARPS;
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

/* Shared memory in which the warps of a block gather the elements they keep. */
template <typename Key, int BYTES>
struct WarpBuffers
{
	static const int room = BYTES / sizeof(Key);

	Key			items[SELECT_WARPS][room];
	int			counts[SELECT_WARPS];
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
	for (int i = 0; i < SELECT_WARPS; i++)
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
__global__ void __launch_bounds__(SELECT_THREADS, SELECT_RESIDENT_BLOCKS)
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
find_bin(const unsigned starts[BINS], long long rank)
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
template <typename Key>
__device__ static inline void
find_borders(const Selection<Key> &selection, unsigned *warps)
{
	SelectState *state = selection.state;
	int			bin = threadIdx.x;
	bool		is_border = bin > 0 && bin <= state->splitters &&
		state->keep[bin] != state->keep[bin - 1];
	Key			splitter = is_border ? selection.splitters[bin - 1] : 0;
	unsigned	before =
		block_exclusive_scan<SELECT_WARPS>((unsigned) is_border, warps);

	if (is_border)
		selection.splitters[before] = splitter;
	if (threadIdx.x == 0)
		state->borders = (int) block_sum<SELECT_WARPS>(warps);
}

/* Finds the bins of the ranks: an element, or elements to keep. */
template <typename Key>
__global__ void __launch_bounds__(SELECT_THREADS)
find_ranks(Selection<Key> selection)
{
	__shared__ unsigned warps[SELECT_WARPS];
	__shared__ unsigned starts[BINS];
	SelectState *state = selection.state;
	int			rank = threadIdx.x;
	int			bin = 0;
	long long	within = 0;		/* the rank within its bin */
	bool		between = false;	/* its bin has room for other keys, too */
	bool		must_keep;
	unsigned	count;			/* of the thread's own bin: below 1 << 32 */
	unsigned	sum;
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
	starts[threadIdx.x] = block_exclusive_scan<SELECT_WARPS>(count, warps);
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
	starts[threadIdx.x] = block_exclusive_scan<SELECT_WARPS>
		(state->keep[threadIdx.x] ? count : 0, warps);
	sum = block_sum<SELECT_WARPS>(warps);
	__syncthreads();
	if (between)
		state->ranks[rank] = starts[bin] + within;
	must_keep = __syncthreads_or(between && !(state->bracketed &&
											  bin == BRACKET_BIN));
	if (must_keep)
		find_borders(selection, warps);
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

#endif							/* GPUCOMPACT_ROUNDS_BINS_H */
