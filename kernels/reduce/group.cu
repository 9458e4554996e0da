/*
 * group.cu
 *	  The reduction of each group of an array, each in the order of
 *	  float_order.h.
 *
 * A thread reduces a group that is not longer than a segment.  A longer group
 * takes its whole thread block, tile after tile, and a group of many tiles
 * takes all thread blocks (long_groups.h).
 */
#include "kernels/common/combine.h"
#include "kernels/common/kernels.h"
#include "kernels/reduce/long_groups.h"

/* Reduces a group of at most a segment, and checks each step. */
template <typename T>
__device__ static inline T
reduce_short_group(ScanOperator op, const T *in, int items, Overflows *seen)
{
	T			s = identity<T>(op);

	for (int i = 0; i < items; i++)
		s = combine_checked(op, s, in[i], seen);
	return s;
}

/* Reduces a group tile after tile, for a thread block. */
template <typename T>
__device__ static inline T
reduce_group(TileEnds<T> *ends, ScanOperator op, const T *in, long long count,
			 Overflows *seen)
{
	T			c = identity<T>(op);

	for (long long first = 0; first < count; first += FLOAT_TILE)
	{
		int			items = (int) min((long long) FLOAT_TILE, count - first);
		int			last = segments_of(items) - 1;
		const T    *own = in + first + threadIdx.x * FLOAT_SEGMENT;

		if (can_overflow(op))
			*seen |= scan_tile<true>(ends, op, own, items, c, (T *) NULL);
		else
			reduce_segments<false>(ends, op, own, items, seen);
		c = combine(op, combine(op, c, ends->r[last]), ends->last_s[last]);
		__syncthreads();
	}
	return c;
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

/*
 * A thread block has "block_groups" groups, at most one for each thread.  It
 * adds those that are long to "long_groups".
 */
template <typename T>
__global__ void __launch_bounds__(SEGMENT_THREADS)
reduce_groups(ScanOperator op, const T *in, long long count,
			  const int *starts, int ngroups, int block_groups, T *out,
			  LongGroups *long_groups, long long *results, int *overflow)
{
	__shared__ TileEnds<T> ends;
	__shared__ int own_groups[SEGMENT_THREADS];
	__shared__ int nown;
	int			group = blockIdx.x * block_groups + threadIdx.x;
	Overflows	seen = 0;

	if (threadIdx.x == 0)
		nown = 0;
	if (group == 0)
		*results = ngroups;
	__syncthreads();
	if (threadIdx.x < block_groups && group < ngroups)
	{
		long long	begin = group_begin(starts, ngroups, group, count);
		long long	end = group_begin(starts, ngroups, group + 1, count);
		int			items = (int) (end - begin);

		if (items <= FLOAT_SEGMENT)
			out[group] = canonical_nan(op, reduce_short_group(op, in + begin,
															  items, &seen));
		else if (items <= LONG_GROUP)
			own_groups[atomicAdd(&nown, 1)] = group;
		else
			add_long_group(long_groups, begin, items, group);
	}
	__syncthreads();
	for (int i = 0; i < nown; i++)
	{
		long long	begin = group_begin(starts, ngroups, own_groups[i], count);
		long long	end = group_begin(starts, ngroups, own_groups[i] + 1,
									  count);
		T			result = reduce_group(&ends, op, in + begin, end - begin,
										  &seen);

		if (threadIdx.x == 0)
			out[own_groups[i]] = canonical_nan(op, result);
	}
	report_overflows(seen, overflow);
}

/* There are at most as many groups as starts in the table. */
static cudaError_t
group_sizes(const EngineRequest *request, DeviceSizes *sizes)
{
	int			ngroups = (int) (request->table_bytes / sizeof(int));

	sizes->out[0] = (size_t) ngroups * output_size(request, 0);
	sizes->scratch = long_groups_scratch_bytes(request->count);
	return cudaSuccess;
}

template <typename T>
static cudaError_t
group_of(const DeviceWork *work)
{
	const EngineRequest *request = work->request;
	ScanOperator op = PARAMETERS(request, ScanParameters)->op;
	int64_t		ngroups = request->table_bytes / sizeof(int);
	int64_t		each = count_tiles(ngroups,
								   device_blocks(GROUP_BLOCKS_PER_SM));
	int			block_groups = each < SEGMENT_THREADS ?
		(int) each : SEGMENT_THREADS;
	LongTiles<T> tiles = long_tiles<T>(work);
	bool		may_be_long = most_long_groups(work->count) > 0;

	if (may_be_long)
		TRY(cudaMemsetAsync(tiles.groups, 0, sizeof(*tiles.groups),
							work->stream));
	TRY(launch_kernel(work->stream, reduce_groups<T>,
					  count_tiles(ngroups, block_groups), SEGMENT_THREADS, 0,
					  op, (const T *) work->in[0], work->count,
					  (const int *) work->table, ngroups, block_groups,
					  (T *) work->out[0], tiles.groups, work->results,
					  work->report->overflow));
	return may_be_long ? reduce_long_groups(work, op, tiles) : cudaSuccess;
}

const DeviceOperation cuda_group = {
	.supports = reduce_then_scan_supports,
	.sizes = group_sizes,
	.run = RUN_BY(RETURN_BY_ORDER, group_of)
};
