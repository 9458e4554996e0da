/*
 * long_groups.h
 *	  Groups that are reduced by many thread blocks: each tile of a group by
 *	  itself, then the tiles' prefixes, and once more each tile, to see whether
 *	  a partial result overflows; as reduce_then_scan.cu reduces an array.
 */
#ifndef GPUCOMPACT_LONG_GROUPS_H
#define GPUCOMPACT_LONG_GROUPS_H

#include "kernels/common/operation.h"
#include "kernels/common/scan_aggregates.h"
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
									  LONG_BLOCKS_PER_SM);
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

#endif							/* GPUCOMPACT_LONG_GROUPS_H */
