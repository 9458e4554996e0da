/*
 * compact.cu
 *	  Compaction by a predicate, a mask or a bitmap: the selected items or
 *	  their positions.
 */
#include "contract/operations/compact.h"
#include "kernels/compact/compact.h"
#include "kernels/common/kernels.h"

/* The select op of a predicate. */
template <typename T>
struct InRange : SelectInPlace<T>
{
	EnginePredicate predicate;

	__device__ void select(const RowItems<T> &own, const TileView<T> &tile,
						   int at, bool *selected) const
	{
		for (int i = 0; i < ROW_ITEMS; i++)
			selected[i] = is_selected(predicate, own.items[i]);
	}
};

/* The select op of a mask, which is not read past its end. */
template <typename T>
struct Masked : SelectInPlace<T>
{
	const uint8_t *mask;

	__device__ void select(const RowItems<T> &own, const TileView<T> &tile,
						   int at, bool *selected) const
	{
		const uint8_t *flags = mask + tile.first + at;

		if (at + ROW_ITEMS <= tile.count)
		{
			RowItems<uint8_t> row = load_row(flags, 0);

			for (int i = 0; i < ROW_ITEMS; i++)
				selected[i] = row.items[i];
		}
		else
		{
			for (int i = 0; i < ROW_ITEMS; i++)
				selected[i] = at + i < tile.count && flags[i];
		}
	}
};

/*
 * The select op of a bitmap.  A thread's items of a row have bits in one byte.
 */
template <typename T>
struct Marked : SelectInPlace<T>
{
	const uint8_t *bitmap;
	long long	before;			/* elements of it */

	static_assert(8 % ROW_ITEMS == 0, "bits of a row's items");

	__device__ void select(const RowItems<T> &own, const TileView<T> &tile,
						   int at, bool *selected) const
	{
		long long	first = before + tile.first + at;
		unsigned	bits = at < tile.count ? bitmap[first / 8] >> first % 8 :
			0;

		for (int i = 0; i < ROW_ITEMS; i++)
			selected[i] = bits >> i & 1;
	}
};

/*
 * Each warp compacts its part of a tile in shared memory, in place, and writes
 * it from there.
 */
template <typename T, typename SelectOp>
struct CompactAgent : TileAgent<T>
{
	static const int row = ROW;

	SelectOp	op;
	T		   *out;
	long long  *selected_count;

	__device__ void reduce(const TileView<T> &tile, long long *warps) const
	{
		count_selected(op, tile, warps);
	}

	/* Loads the next row before it writes a row, to no place behind that. */
	__device__ void scatter_to_shared(const TileView<T> &tile,
									  const long long *warps) const
	{
		int			at = first_item(tile.rows);
		T		   *part = tile.items + threadIdx.x / WARP * tile.rows * ROW;
		RowItems<T> next = load_row(tile.items, at);
		int			before = 0;

#pragma unroll 2
		for (int r = 0; r < tile.rows; r++, at += ROW)
		{
			RowItems<T> own = next;
			bool		selected[ROW_ITEMS];
			int			rank;

			if (r + 1 < tile.rows)
				next = load_row(tile.items, at + ROW);
			select_row(op, own, tile, at, selected);
			rank = rank_row(selected, &before);
			__syncwarp();
			for (int i = 0; i < ROW_ITEMS; i++)
			{
				if (selected[i])
					part[rank++] = own.items[i];
			}
		}
		__syncwarp();
	}

	__device__ void write(const TileView<T> &tile, long long before,
						  const long long *warps) const
	{
		int			warp = threadIdx.x / WARP;
		int			found = (int) (warps[warp + 1] - warps[warp]);
		const T    *part = tile.items + warp * tile.rows * ROW;
		T		   *to = out + before + warps[warp];

#pragma unroll 4
		for (int i = threadIdx.x % WARP; i < found; i += WARP)
			to[i] = part[i];
		if (tile.last && threadIdx.x == 0)
			*selected_count = before + warps[CONSUMER_WARPS];
	}
};

template <typename T, typename SelectOp>
static cudaError_t
compact_selected(const DeviceWork *work, SelectOp op)
{
	CompactAgent<T, SelectOp> agent = {
		{}, op, (T *) work->out[0], work->results
	};

	return launch_tiles(work, agent, (const T *) work->in[0], work->count);
}

/* By a mask, or by the request's bitmap if that is NULL. */
template <typename T>
static cudaError_t
compact_by_bits(const DeviceWork *work, const uint8_t *mask)
{
	if (mask != NULL)
		return compact_selected<T>(work, Masked<T> {{}, mask});
	return compact_selected<T>(work, Marked<T> {
		{}, (const uint8_t *) work->table, work->first
	});
}

cudaError_t
compact_by_mask(const DeviceWork *work, const uint8_t *mask)
{
	RETURN_BY_SIZE(work->request->kinds[0], compact_by_bits, work, mask);
}

template <typename T>
static cudaError_t
compact_in_range(const DeviceWork *work)
{
	const CompactParameters *parameters =
		PARAMETERS(work->request, CompactParameters);
	InRange<T>	op = {{}, parameters->predicate};

	if (parameters->positions)
		return scatter_selected(work, op, (T *) NULL, work->out[0]);
	return compact_selected<T>(work, op);
}

static cudaError_t
compact_run(const DeviceWork *work)
{
	const CompactParameters *parameters =
		PARAMETERS(work->request, CompactParameters);

	if (parameters->masked || parameters->by_bitmap)
		return compact_by_mask(work, parameters->masked ?
							   (const uint8_t *) work->in[1] : NULL);
	RETURN_BY_KIND(work->request->kinds[0], compact_in_range, work);
}

/* Positions are those of a whole array. */
static unsigned
compact_traits(const EngineRequest *request)
{
	return PARAMETERS(request, CompactParameters)->positions ? 0 : TRAIT_PARTS;
}

const DeviceOperation cuda_compact = {
	.traits = TRAIT_DIRECT,
	.traits_of = compact_traits,
	.run = compact_run
};
