/*
 * group.cu
 *	  The reduction of each group of an array, in the order of float_order.h,
 *	  which begins anew with each group.
 *
 * A thread reduces a group that is not longer than a segment.  A longer group
 * takes its whole thread block, some tiles at a time.  Each thread reduces a
 * segment of the tiles; then, as the prefix of the segment is known, it checks
 * each step for overflow.  float_order.h defines the names s, r and c.
 */
#include "kernels/common/combine.h"
#include "kernels/common/device_fact.h"
#include "kernels/common/kernels.h"
#include "kernels/common/operation.h"

/*
 * Threads of a block, a multiple of FLOAT_SEGMENTS; and blocks, if there are
 * enough groups.  Up to GROUP_FEW_PER_SM groups for each multiprocessor, each
 * group has a larger block, of GROUP_FEW_THREADS.  With one group for each
 * thread of a block, only 64, 128 and 256 threads were compared:
 * h200-kernels-operations.md.
 */
#define GROUP_THREADS			64
#define GROUP_BLOCKS_PER_SM		16
#define GROUP_FEW_PER_SM		2
#define GROUP_FEW_THREADS		1024

/* Some tiles of a group, by segment and by tile. */
template <typename T, int THREADS>
struct GroupTiles
{
	static const int ntiles = THREADS / FLOAT_SEGMENTS;

	T			last_s[THREADS];
	T			r[THREADS];
	T			c[ntiles];
	T			total;			/* of all tiles so far */
};

/*
 * Adds the elements of a segment to s, checked; "before" is c op r.  As in
 * scan_tiles, integers are checked by the step from the preceding result.
 */
template <typename T>
__device__ static inline T
check_segment(ScanOperator op, const T *in, int items, T before,
			  Overflows *seen)
{
	T			s = identity<T>(op);

	for (int i = 0; i < items; i++)
	{
		if (Number<T>::is_float)
		{
			s = combine_checked(op, s, in[i], seen);
			(void) combine_checked(op, before, s, seen);
		}
		else
			before = combine_checked(op, before, in[i], seen);
	}
	return Number<T>::is_float ? combine(op, before, s) : before;
}

/* Reduces the next tiles of a group, which has "left" elements left. */
template <typename T, int THREADS>
__device__ static inline void
reduce_group_tiles(GroupTiles<T, THREADS> *tiles, ScanOperator op, const T *in,
				   long long left, Overflows *seen)
{
	int			tile = threadIdx.x / FLOAT_SEGMENTS;
	int			tile_items = (int) max(0ll, min((long long) FLOAT_TILE,
												left - tile * FLOAT_TILE));
	int			segments = (tile_items + FLOAT_SEGMENT - 1) / FLOAT_SEGMENT;
	long long	first = (long long) threadIdx.x * FLOAT_SEGMENT;
	int			items = (int) max(0ll, min((long long) FLOAT_SEGMENT,
										   left - first));
	T			s = identity<T>(op);
	T			before;

	for (int i = 0; i < items; i++)
		s = combine(op, s, in[first + i]);
	tiles->last_s[threadIdx.x] = s;
	__syncthreads();
	if (threadIdx.x % FLOAT_SEGMENTS == 0)
	{
		T			r = identity<T>(op);
		Overflows	seen_in_r = 0;

		tiles->r[threadIdx.x] = r;
		for (int i = 1; i < segments; i++)
		{
			r = combine_checked(op, r, tiles->last_s[threadIdx.x + i - 1],
								&seen_in_r);
			tiles->r[threadIdx.x + i] = r;
		}
		if (Number<T>::is_float)
			*seen |= seen_in_r;
	}
	__syncthreads();
	if (threadIdx.x == 0)
	{
		for (int i = 0; i < tiles->ntiles && left > i * FLOAT_TILE; i++)
		{
			int			in_tile = (int) min((long long) FLOAT_TILE,
											left - i * FLOAT_TILE);
			int			last = i * FLOAT_SEGMENTS +
				(in_tile - 1) / FLOAT_SEGMENT;

			tiles->c[i] = tiles->total;
			tiles->total = combine(op, tiles->total, tiles->r[last]);
			tiles->total = combine(op, tiles->total, tiles->last_s[last]);
		}
	}
	__syncthreads();
	if (can_overflow(op) && items > 0)
	{
		before = Number<T>::is_float ?
			combine_checked(op, tiles->c[tile], tiles->r[threadIdx.x], seen) :
			combine(op, tiles->c[tile], tiles->r[threadIdx.x]);
		(void) check_segment(op, in + first, items, before, seen);
	}
	__syncthreads();
}

/*
 * Returns the number of elements before a group.  The group number "ngroups",
 * which does not exist, begins at the end of the last group.
 */
__device__ static inline long long
group_begin(const int *starts, int ngroups, int group, long long count)
{
	return group < ngroups ? starts[group] - 1 : count;
}

/* A thread block has "block_groups" groups, at most one for each thread. */
template <typename T, int THREADS>
__global__ void __launch_bounds__(THREADS)
reduce_groups(ScanOperator op, const T *in, long long count,
			  const int *starts, int ngroups, int block_groups, T *out,
			  long long *results, int *overflow)
{
	__shared__ GroupTiles<T, THREADS> tiles;
	__shared__ int long_groups[THREADS];
	__shared__ int nlong;
	int			group = blockIdx.x * block_groups + threadIdx.x;
	Overflows	seen = 0;

	if (threadIdx.x == 0)
		nlong = 0;
	if (group == 0)
		*results = ngroups;
	__syncthreads();
	if (threadIdx.x < block_groups && group < ngroups)
	{
		long long	begin = group_begin(starts, ngroups, group, count);
		long long	end = group_begin(starts, ngroups, group + 1, count);

		if (end - begin > FLOAT_SEGMENT)
			long_groups[atomicAdd(&nlong, 1)] = group;
		else
			out[group] = canonical_nan(op, check_segment(op, in + begin,
														 (int) (end - begin),
														 identity<T>(op),
														 &seen));
	}
	__syncthreads();
	for (int i = 0; i < nlong; i++)
	{
		long long	begin = group_begin(starts, ngroups, long_groups[i], count);
		long long	end = group_begin(starts, ngroups, long_groups[i] + 1,
									  count);

		if (threadIdx.x == 0)
			tiles.total = identity<T>(op);
		__syncthreads();
		for (; begin < end; begin += tiles.ntiles * FLOAT_TILE)
			reduce_group_tiles(&tiles, op, in + begin, end - begin, &seen);
		if (threadIdx.x == 0)
			out[long_groups[i]] = canonical_nan(op, tiles.total);
		__syncthreads();
	}
	if (seen & 1 << OVERFLOW_UP)
		overflow[OVERFLOW_UP] = 1;
	if (seen & 1 << OVERFLOW_DOWN)
		overflow[OVERFLOW_DOWN] = 1;
}

/* There are at most as many groups as starts in the table. */
static cudaError_t
group_sizes(const EngineRequest *request, DeviceSizes *sizes)
{
	int			ngroups = (int) (request->table_bytes / sizeof(int));

	sizes->in[0] = request->count * input_size(request, 0);
	sizes->out[0] = (size_t) ngroups * output_size(request, 0);
	return cudaSuccess;
}

template <typename T, int THREADS>
static cudaError_t
launch_groups(const DeviceWork *work, int block_groups)
{
	const EngineRequest *request = work->request;
	int			ngroups = (int) (request->table_bytes / sizeof(int));
	int			blocks = (ngroups + block_groups - 1) / block_groups;

	reduce_groups<T, THREADS><<<blocks, THREADS, 0, work->stream>>>
		(PARAMETERS(request, ScanParameters)->op, (const T *) work->in[0],
		 work->count,
		 (const int *) work->table, ngroups, block_groups, (T *) work->out[0],
		 work->results, work->report->overflow);
	return cudaGetLastError();
}

/*
 * Few groups are probably long: each has a large thread block.  If there are
 * many groups, each small thread block has some of them.
 */
template <typename T>
static cudaError_t
group_of(const DeviceWork *work)
{
	int64_t		ngroups = work->request->table_bytes / sizeof(int);
	int64_t		blocks = device_blocks(GROUP_BLOCKS_PER_SM);
	int64_t		each = (ngroups + blocks - 1) / blocks;

	if (ngroups <= device_blocks(GROUP_FEW_PER_SM))
		return launch_groups<T, GROUP_FEW_THREADS>(work, 1);
	return launch_groups<T, GROUP_THREADS>
		(work, each < GROUP_THREADS ? (int) each : GROUP_THREADS);
}

static cudaError_t
group_whole(const DeviceWork *work)
{
	RETURN_BY_ORDER(work->request->kinds[0], group_of, work);
}

const DeviceOperation cuda_group = {
	.gathers = true,
	.counts = true,
	.supports = reduce_then_scan_supports,
	.sizes = group_sizes,
	.whole = group_whole
};
