/*
 * group.cu
 *	  The reduction of each group of an array, each in the order of
 *	  float_order.h.
 *
 * A thread reduces a group that is not longer than a segment.  A longer group
 * takes its whole thread block, tile after tile.  A group of many tiles takes
 * all thread blocks: each reduces some of the tiles, then the tiles' prefixes
 * are found, and once more each tile is reduced, to see whether a partial
 * result overflows; as reduce_then_scan.cu reduces an array.
 */
#include "kernels/common/combine.h"
#include "kernels/common/kernels.h"
#include "kernels/common/segmented_tile.h"
#include "kernels/common/vector.h"

/* "slot" is the group's first one in the arrays of all groups' tiles. */
typedef struct LongGroup
{
	long long	begin;			/* elements before it */
	int			items;
	int			group;
	int			slot;
} LongGroup;

/* All long groups, in any order, and the number of their tiles. */
typedef struct LongGroups
{
	int			count;
	int			tiles;
	LongGroup	groups[];
} LongGroups;

/* The memory behind "groups". */
template <typename T>
struct LongTiles
{
	LongGroups *groups;
	TileAggregate<T> *aggregates;
	T		   *c;
};

static inline int64_t
most_long_groups(int64_t count)
{
	return count / LONG_GROUP;
}

static inline int64_t
most_long_tiles(int64_t count)
{
	return count_tiles(count, FLOAT_TILE) + most_long_groups(count);
}

static inline size_t
long_groups_bytes(int64_t count)
{
	return sizeof(LongGroups) + most_long_groups(count) * sizeof(LongGroup);
}

static inline size_t
long_groups_scratch_bytes(int64_t count)
{
	return long_groups_bytes(count) + most_long_tiles(count) *
		(sizeof(TileAggregate<double>) + sizeof(double));
}

__device__ static inline int
tiles_of_group(int items)
{
	return (items + FLOAT_TILE - 1) / FLOAT_TILE;
}

__device__ static inline void
add_long_group(LongGroups *groups, long long begin, int items, int group)
{
	int			slot = atomicAdd(&groups->tiles, tiles_of_group(items));

	groups->groups[atomicAdd(&groups->count, 1)] = {begin, items, group, slot};
}

/*
 * Reduces the tiles of long groups or, if their prefixes are known, checks
 * them.  A thread block has every slot that is gridDim.x behind its preceding
 * one.
 */
template <bool CHECKS, typename T>
__global__ void __launch_bounds__(SEGMENT_THREADS)
reduce_long_tiles(ScanOperator op, const T *in, LongTiles<T> tiles,
				  int *overflow)
{
	__shared__ TileEnds<T> ends;
	int			ngroups = tiles.groups->count;
	Overflows	seen = 0;

	for (int i = 0; i < ngroups; i++)
	{
		LongGroup	group = tiles.groups->groups[i];
		int			end = group.slot + tiles_of_group(group.items);
		int			before = group.slot % gridDim.x;

		for (int slot = group.slot + (blockIdx.x + gridDim.x - before) %
			 gridDim.x; slot < end; slot += gridDim.x)
		{
			int			first = (slot - group.slot) * FLOAT_TILE;
			int			items = min(FLOAT_TILE, group.items - first);
			int			last = segments_of(items) - 1;
			const T    *own = in + group.begin + first +
				threadIdx.x * FLOAT_SEGMENT;

			if (CHECKS)
				seen |= scan_tile<true>(&ends, op, own, items, tiles.c[slot],
										(T *) NULL);
			else
			{
				reduce_segments<false>(&ends, op, own, items, &seen);
				if (threadIdx.x == 0)
					tiles.aggregates[slot] = {
						ends.r[last], ends.last_s[last], 0
					};
			}
			__syncthreads();
		}
	}
	report_overflows(seen, overflow);
}

/* The thread block number i has the tiles of the long group number i. */
template <typename T>
struct LongRanges
{
	LongTiles<T> tiles;
	T		   *out;

	__device__ TileRange<T> own() const
	{
		LongGroup	group;

		if (blockIdx.x >= tiles.groups->count)
			return {};
		group = tiles.groups->groups[blockIdx.x];
		return {tiles.aggregates + group.slot, tiles_of_group(group.items),
			tiles.c + group.slot, out + group.group, NULL};
	}
};

/* Divides the scratch memory. */
template <typename T>
static LongTiles<T>
long_tiles(const DeviceWork *work)
{
	LongTiles<T> tiles = {.groups = (LongGroups *) work->scratch};

	tiles.aggregates = (TileAggregate<T> *)
		((char *) work->scratch + long_groups_bytes(work->count));
	tiles.c = (T *) (tiles.aggregates + most_long_tiles(work->count));
	return tiles;
}

/* Queues the reduction of the long groups that are in the scratch memory. */
template <typename T>
static cudaError_t
reduce_long_groups(const DeviceWork *work, ScanOperator op, LongTiles<T> tiles)
{
	int64_t		blocks = count_blocks(most_long_tiles(work->count),
									  GROUP_BLOCKS_PER_SM);
	const T    *in = (const T *) work->in[0];
	LongRanges<T> ranges = {tiles, (T *) work->out[0]};

	TRY(launch_kernel(work->stream, reduce_long_tiles<false, T>, blocks,
					  SEGMENT_THREADS, 0, op, in, tiles,
					  work->report->overflow));
	TRY(scan_aggregates(work->stream, op, most_long_groups(work->count),
						ranges));
	if (!can_overflow(op))
		return cudaSuccess;
	return launch_kernel(work->stream, reduce_long_tiles<true, T>, blocks,
						 SEGMENT_THREADS, 0, op, in, tiles,
						 work->report->overflow);
}

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
