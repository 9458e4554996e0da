/*
 * compact.h
 *	  Compaction, in one pass: map to 0 and 1, scan, scatter; as work for
 *	  tiles_kernel, which adds up the number of survivors.
 *
 * What survives is a choice: a struct whose choose() says which of a thread's
 * items do, and whose counted() says how many of those that it has chosen in a
 * warp's part of a tile are to be counted.  It may choose items past the end
 * of the array, which are loaded as zeros: they come after all others, and of
 * the survivors of a tile only as many are written as are counted.
 */
#ifndef GPUCOMPACT_COMPACT_H
#define GPUCOMPACT_COMPACT_H

#include "kernels.h"
#include "lookahead.h"
#include "engine/order.h"

/*
 * A warp goes through its part of a tile row by row; in a row, each thread has
 * four items side by side.
 */
#define ROW_ITEMS		4
#define ROW				(WARP * ROW_ITEMS)

/* A function template for each ElementKind; integers are as if unsigned. */
#define BY_KIND(function) \
	{ \
		function<unsigned char>, function<unsigned short>, \
		function<unsigned>, function<unsigned>, \
		function<unsigned long long>, function<float>, function<double> \
	}

/* The same, where floats, too, are no more than their bits. */
#define BY_SIZE(function) \
	{ \
		function<unsigned char>, function<unsigned short>, \
		function<unsigned>, function<unsigned>, \
		function<unsigned long long>, function<unsigned>, \
		function<unsigned long long> \
	}

/* A tile has half as many rows where items have more than 4 bytes. */
template <typename T, int ROWS>
struct Tile
{
	static const int rows = sizeof(T) > 4 ? (ROWS + 1) / 2 : ROWS;
	static const int part = rows * ROW; /* a warp's */
	static const int size = TILE_WARPS * part;
};

/* A thread's items in a row, loaded at once. */
template <typename T>
struct __align__(sizeof(T) > 4 ? 16 : sizeof(T) * ROW_ITEMS) RowItems
{
	T			items[ROW_ITEMS];
};

/* The order of an item, the same for all that is equal; see order.h. */
template <typename T>
__device__ static inline T
order_of(T item)
{
	return item;
}

__device__ static inline unsigned
order_of(float item)
{
	return float4_order(float4_unify(__float_as_uint(item)));
}

__device__ static inline unsigned long long
order_of(double item)
{
	return float8_order(float8_unify((unsigned long long)
									 __double_as_longlong(item)));
}

/* Where in the tile this thread's items of a row are. */
template <typename T, int ROWS>
__device__ static inline int
row_start(int row)
{
	return (int) threadIdx.x / WARP * Tile<T, ROWS>::part + row * ROW +
		(int) threadIdx.x % WARP * ROW_ITEMS;
}

template <typename T>
__device__ static inline RowItems<T>
load_row(const T *items, int at)
{
	return *(const RowItems<T> *) (items + at);
}

/* Counts the survivors: each warp in its part, less what is past the end. */
template <int ROWS, typename T, typename Choice>
__device__ static inline void
count_survivors(const Choice &choice, const T *items, long long first,
				int count, long long *warps)
{
	const int	part = Tile<T, ROWS>::part;
	int			warp = threadIdx.x / WARP;
	int			found = 0;

	for (int row = 0; row < Tile<T, ROWS>::rows; row++)
	{
		int			at = row_start<T, ROWS>(row);
		bool		survives[ROW_ITEMS];

		choice.choose(load_row(items, at), items, at, first, count, survives);
		for (int i = 0; i < ROW_ITEMS; i++)
			found += survives[i];
	}
	found = choice.counted(warp_sum(found),
						   min(max((warp + 1) * part - count, 0), part));
	if (threadIdx.x % WARP == 0)
		warps[warp] = found;
}

/*
 * How many survivors there are before this thread's in a row, if there are
 * *before before the row; which moves on to the next one.
 */
__device__ static inline int
rank_row(const bool *survives, int *before)
{
	unsigned	lanes_before = (1u << threadIdx.x % WARP) - 1;
	int			rank = *before;

	for (int i = 0; i < ROW_ITEMS; i++)
	{
		unsigned	lanes = __ballot_sync(ALL_LANES, survives[i]);

		rank += __popc(lanes & lanes_before);
		*before += __popc(lanes);
	}
	return rank;
}

/*
 * Writes each survivor from where it is to where it belongs, or its position
 * in the whole array, from 1 on, or both.
 */
template <typename T, typename Choice, int ROWS>
struct ScatterWork
{
	typedef T	Item;
	static const int tile = Tile<T, ROWS>::size;

	Choice		choice;
	T		   *values;			/* or NULL */
	int		   *positions;		/* or NULL */
	long long	offset;			/* elements before those at hand */
	long long  *survivors;

	__device__ void sum(const T *items, long long first, int count,
						long long *warps) const
	{
		count_survivors<ROWS>(choice, items, first, count, warps);
	}

	__device__ void arrange(T *items, long long first, int count,
							const long long *warps) const {}

	__device__ void write(const T *items, long long first, int count,
						  long long before, const long long *warps,
						  bool last) const;
};

template <typename T, typename Choice, int ROWS>
__device__ void
ScatterWork<T, Choice, ROWS>::write(const T *items, long long first,
									int count, long long before,
									const long long *warps, bool last) const
{
	int			rank_before = (int) warps[threadIdx.x / WARP];
	int			found = (int) warps[TILE_WARPS];

	for (int row = 0; row < Tile<T, ROWS>::rows; row++)
	{
		int			at = row_start<T, ROWS>(row);
		RowItems<T> own = load_row(items, at);
		bool		survives[ROW_ITEMS];
		int			rank;

		choice.choose(own, items, at, first, count, survives);
		rank = rank_row(survives, &rank_before);
		for (int i = 0; i < ROW_ITEMS; i++)
		{
			if (survives[i] && rank < found)
			{
				if (values)
					values[before + rank] = own.items[i];
				if (positions)
					positions[before + rank] =
						(int) (offset + first + at + i + 1);
				rank++;
			}
		}
	}
	if (last && threadIdx.x == 0)
		*survivors = before + found;
}

template <int ROWS, typename T, typename Choice>
static EngineStatus
launch_scatter(cudaStream_t stream, LookAhead *ahead, Choice choice,
			   const T *in, T *values, int *positions, int64_t offset,
			   int64_t count, long long *survivors)
{
	ScatterWork<T, Choice, ROWS> work = {
		choice, values, positions, offset, survivors
	};

	return launch_tiles(stream, ahead, work, in, count,
						(const long long *) NULL);
}

/* Queues a ScatterWork; how many survive goes to *survivors. */
template <typename T, typename Choice>
static EngineStatus
scatter_survivors(cudaStream_t stream, LookAhead *ahead, Choice choice,
				  const T *in, T *values, int *positions, int64_t offset,
				  int64_t count, long long *survivors)
{
	if (count <= SMALL_COUNT || ahead->small_only)
		return launch_scatter<SMALL_ROWS>(stream, ahead, choice, in, values,
										  positions, offset, count, survivors);
	return launch_scatter<LARGE_ROWS>(stream, ahead, choice, in, values,
									  positions, offset, count, survivors);
}

#endif							/* GPUCOMPACT_COMPACT_H */
