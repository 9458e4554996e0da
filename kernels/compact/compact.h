/*
 * compact.h
 *	  Compaction in a single pass, by agents of tiles_kernel whose aggregates
 *	  are the numbers of selected items.
 *
 * A select op is a struct whose select() flags the selected items among a
 * thread's items of a row.  Items past the end of the array are zeros, and may
 * be flagged.
 */
#ifndef GPUCOMPACT_COMPACT_H
#define GPUCOMPACT_COMPACT_H

#include "kernels/common/operation.h"
#include "kernels/common/number.h"
#include "kernels/common/tiles_kernel.h"
#include "kernels/common/vector.h"

/* A base of select ops whose array is where the host says. */
template <typename T>
struct SelectInPlace
{
	__device__ const T *source(const T *in, T **values) const
	{
		return in;
	}
};

/*
 * A warp goes through its part of a tile row by row.  In a row, each thread
 * has four adjacent items.
 */
#define ROW_ITEMS		4
#define ROW				(WARP * ROW_ITEMS)

template <typename T>
using RowItems = Vector<T, ROW_ITEMS>;

/* The index in the tile of this thread's first item. */
__device__ static inline int
first_item(int rows)
{
	return (int) threadIdx.x / WARP * rows * ROW +
		(int) threadIdx.x % WARP * ROW_ITEMS;
}

template <typename T>
__device__ static inline RowItems<T>
load_row(const T *items, int at)
{
	return *(const RowItems<T> *) (items + at);
}

/* Flags the selected items of a row, without those past the end. */
template <typename T, typename SelectOp>
__device__ static inline void
select_row(const SelectOp &op, const RowItems<T> &own, const TileView<T> &tile,
		   int at, bool *selected)
{
	op.select(own, tile, at, selected);
	for (int i = 0; i < ROW_ITEMS; i++)
		selected[i] = selected[i] && at + i < tile.count;
}

/* Counts the selected items of each warp. */
template <typename T, typename SelectOp>
__device__ static inline void
count_selected(const SelectOp &op, const TileView<T> &tile, long long *warps)
{
	int			at = first_item(tile.rows);
	int			found = 0;

#pragma unroll 6
	for (int row = 0; row < tile.rows; row++, at += ROW)
	{
		bool		selected[ROW_ITEMS];

		select_row(op, load_row(tile.items, at), tile, at, selected);
		for (int i = 0; i < ROW_ITEMS; i++)
			found += selected[i];
	}
	found = warp_sum(found);
	if (threadIdx.x % WARP == 0)
		warps[threadIdx.x / WARP] = found;
}

/*
 * Returns the rank of this thread's first selected item of a row.  *before is
 * the number of items selected before the row, and is advanced to the next
 * row.
 */
__device__ static inline int
rank_row(const bool *selected, int *before)
{
	unsigned	lanes_before = (1u << threadIdx.x % WARP) - 1;
	int			rank = *before;

	for (int i = 0; i < ROW_ITEMS; i++)
	{
		unsigned	lanes = __ballot_sync(ALL_LANES, selected[i]);

		rank += __popc(lanes & lanes_before);
		*before += __popc(lanes);
	}
	return rank;
}

/*
 * Scatters the selected items to their places without compacting the tile
 * first; or their positions in the array, from 1 on; or both.
 */
template <typename T, typename SelectOp>
struct ScatterAgent : TileAgent<T>
{
	static const int row = ROW;

	SelectOp	op;
	T		   *values;			/* or NULL */
	int		   *positions;		/* or NULL */
	long long  *selected_count;

	__device__ const T *source(const T *in)
	{
		return op.source(in, &values);
	}

	__device__ void reduce(const TileView<T> &tile, long long *warps) const
	{
		count_selected(op, tile, warps);
	}

	__device__ void write(const TileView<T> &tile, long long before,
						  const long long *warps) const
	{
		int			rank_before = (int) warps[threadIdx.x / WARP];
		int			at = first_item(tile.rows);

#pragma unroll 3
		for (int r = 0; r < tile.rows; r++, at += ROW)
		{
			RowItems<T> own = load_row(tile.items, at);
			bool		selected[ROW_ITEMS];
			int			rank;

			select_row(op, own, tile, at, selected);
			rank = rank_row(selected, &rank_before);
			for (int i = 0; i < ROW_ITEMS; i++)
			{
				if (selected[i])
				{
					if (values)
						values[before + rank] = own.items[i];
					if (positions)
						positions[before + rank] =
							(int) (tile.first + at + i + 1);
					rank++;
				}
			}
		}
		if (tile.last && threadIdx.x == 0)
			*selected_count = before + warps[CONSUMER_WARPS];
	}
};

/* Queues a ScatterAgent. */
template <typename T, typename SelectOp>
static cudaError_t
scatter_selected(const DeviceWork *work, SelectOp op, T *values,
				 void *positions)
{
	ScatterAgent<T, SelectOp> agent = {
		{}, op, values, (int *) positions, work->results
	};

	return launch_tiles(work, agent, (const T *) work->in[0], work->count);
}

#endif							/* GPUCOMPACT_COMPACT_H */
