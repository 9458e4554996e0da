/*
 * work_efficient_scan.cu
 *	  The scan of Blelloch, "Prefix sums and their applications", CMU-CS-90-190
 *	  (1990), on the GPU as in GPU Gems 3, chapter 39: section 39.2.2, "A
 *	  work-efficient parallel scan"; 39.2.3, "Avoiding bank conflicts"; 39.2.4,
 *	  "Arrays of arbitrary size".
 *
 * The elements are the leaves of a balanced binary tree.  The up-sweep goes
 * from the leaves to the root, and computes the sum of the leaves below each
 * node.  The down-sweep sets the root to zero and goes back.  A node, which
 * now has the sum of all leaves before it, passes this to its left child, and
 * this plus the left child's sum to its right child.  The tree needs no memory
 * of its own: a node has the place of its last leaf.
 *
 *		elements		3	1	7	0	4	1	6	3
 *		up, 1 apart		3	4	7	7	4	5	6	9
 *		up, 2 apart		3	4	7	11	4	5	6	14
 *		up, 4 apart		3	4	7	11	4	5	6	25
 *		root			3	4	7	11	4	5	6	0
 *		down, 4 apart	3	4	7	0	4	5	6	11
 *		down, 2 apart	3	0	7	4	4	11	6	16
 *		down, 1 apart	0	3	4	11	11	15	16	22
 *
 * This is an exclusive scan.  An inclusive scan adds each element to its sum.
 * Each pair of children takes a thread, so a level has half the active threads
 * of the level below.
 *
 * The tree is in the shared memory of a thread block.  The active threads are
 * always the first ones, whatever their nodes.  So whole warps are active or
 * not, and only levels of less than 32 pairs have a divergent warp.
 *
 * An array of any length is divided into tiles.  Each tile is a tree in a
 * thread block, and its sum goes to an array of sums.  The scan of the sums is
 * the prefix of each tile, which is added to every element of the tile.  The
 * array of sums is scanned in the same way, recursively, until it is one tile.
 *
 * Operations: n - 1 additions in the up-sweeps; n - 1 additions and as many
 * swaps in the down-sweeps; n additions of the tiles' prefixes; and n of the
 * elements if the scan is inclusive.  So O(n), as for one thread.
 *
 * Memory: 4 passes: the trees read and write all elements, and so does the
 * addition of the tiles' prefixes.  The arrays of sums add 1/255 of that.
 * Launches: 2 for each division into tiles, and one for the last tile.
 */
#include "kernels/lab/lab.h"

/* The tree of a thread block has two leaves for each thread. */
#define TREE_THREADS	128
#define TREE_LEAVES		(2 * TREE_THREADS)

/*
 * The place of a leaf in shared memory.  That has 32 banks of 4 bytes, and
 * accesses to the same bank conflict.  Threads that access every second,
 * fourth, ... leaf would use only a few banks.  So there is padding after each
 * row of the banks, and again after as many rows as a row has places, which
 * spreads the leaves of a level over all banks.  (A row has 16 items of 8
 * bytes, which serve half a warp at once.)
 */
#define ROW(T)			((unsigned) (128 / sizeof(T)))
#define PLACE(T, leaf) \
	((leaf) + (leaf) / ROW(T) + (leaf) / (ROW(T) * ROW(T)))
#define TREE_PLACES(T)	(PLACE(T, TREE_LEAVES - 1) + 1)

/* The children of a pair, if the level's nodes are "distance" leaves apart. */
#define LEFT_CHILD(pair, distance)	((2 * (pair) + 1) * (distance) - 1)
#define RIGHT_CHILD(pair, distance)	((2 * (pair) + 2) * (distance) - 1)

/* Scans the leaves of a thread block's tree.  Thread 0 returns their sum. */
template <typename T>
__device__ static inline T
scan_block_tree(T *tree)
{
	unsigned	thread = threadIdx.x;
	T			total = 0;

	for (unsigned distance = 1; distance < TREE_LEAVES; distance *= 2)
	{
		__syncthreads();
		if (thread < TREE_LEAVES / 2 / distance)
		{
			unsigned	left = LEFT_CHILD(thread, distance);
			unsigned	right = RIGHT_CHILD(thread, distance);

			tree[PLACE(T, right)] += tree[PLACE(T, left)];
		}
	}

	/* Thread 0 wrote the root, and will read it: no barrier is needed. */
	if (thread == 0)
	{
		total = tree[PLACE(T, TREE_LEAVES - 1)];
		tree[PLACE(T, TREE_LEAVES - 1)] = 0;
	}

	for (unsigned distance = TREE_LEAVES / 2; distance > 0; distance /= 2)
	{
		__syncthreads();
		if (thread < TREE_LEAVES / 2 / distance)
		{
			unsigned	left = LEFT_CHILD(thread, distance);
			unsigned	right = RIGHT_CHILD(thread, distance);
			T			left_sum = tree[PLACE(T, left)];

			tree[PLACE(T, left)] = tree[PLACE(T, right)];
			tree[PLACE(T, right)] += left_sum;
		}
	}
	__syncthreads();
	return total;
}

/*
 * Scans each tile, and writes the sums of the tiles.  A tile is read before it
 * is written, so "in" and "out" may be the same array.  Leaves past the end of
 * the array are zero.
 */
template <typename In, typename Out>
__global__ void __launch_bounds__(TREE_THREADS)
work_efficient_tiles(const In *in, Out *out, long long count, bool exclusive,
					 Out *sums)
{
	__shared__ Out tree[TREE_PLACES(Out)];
	long long	first = (long long) blockIdx.x * TREE_LEAVES;
	Out			items[2];
	Out			total;

	/* Adjacent threads read adjacent items: reads are coalesced. */
	for (int i = 0; i < 2; i++)
	{
		unsigned	leaf = threadIdx.x + i * TREE_THREADS;

		items[i] = first + leaf < count ? in[first + leaf] : 0;
		tree[PLACE(Out, leaf)] = items[i];
	}
	total = scan_block_tree(tree);
	if (threadIdx.x == 0)
		sums[blockIdx.x] = total;
	for (int i = 0; i < 2; i++)
	{
		unsigned	leaf = threadIdx.x + i * TREE_THREADS;

		if (first + leaf < count)
			out[first + leaf] = tree[PLACE(Out, leaf)] +
				(exclusive ? 0 : items[i]);
	}
}

/*
 * Adds its prefix to each tile, with a thread for each element.  The first
 * tile needs no thread block.
 */
template <typename T>
__global__ void __launch_bounds__(TREE_LEAVES)
work_efficient_add(T *out, long long count, const T *sums)
{
	long long	tile = (long long) blockIdx.x + 1;
	long long	i = tile * TREE_LEAVES + threadIdx.x;

	if (i < count)
		out[i] += sums[tile];
}

/* Room for the sums of the tiles, for the sums of their tiles, and so on. */
size_t
work_efficient_scan_scratch(int64_t count, size_t sum_bytes)
{
	size_t		sums = 0;

	do
	{
		count = count_tiles(count, TREE_LEAVES);
		sums += count;
	} while (count > 1);
	return sums * sum_bytes;
}

/* "in" and "out" may be the same array. */
template <typename In, typename Out>
cudaError_t
work_efficient_scan(cudaStream_t stream, const In *in, Out *out,
					int64_t count, bool exclusive, void *scratch)
{
	int64_t		tiles = count_tiles(count, TREE_LEAVES);
	Out		   *sums = (Out *) scratch;

	work_efficient_tiles<<<(unsigned) tiles, TREE_THREADS, 0, stream>>>
		(in, out, count, exclusive, sums);
	TRY(cudaGetLastError());
	if (tiles == 1)
		return cudaSuccess;
	TRY(work_efficient_scan(stream, sums, sums, tiles, true, sums + tiles));
	work_efficient_add<<<(unsigned) tiles - 1, TREE_LEAVES, 0, stream>>>
		(out, count, sums);
	return cudaGetLastError();
}

template cudaError_t work_efficient_scan(cudaStream_t stream, const int *in,
										  long long *out, int64_t count,
										  bool exclusive, void *scratch);
template cudaError_t work_efficient_scan(cudaStream_t stream,
										  const unsigned *in, unsigned *out,
										  int64_t count, bool exclusive,
										  void *scratch);
