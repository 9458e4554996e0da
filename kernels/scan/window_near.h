/*
 * window_near.h
 *	  Windows with short blocks: a thread block finds P and S of the elements of
 *	  a tile, and of the blocks around it that frames reach, in shared memory.
 *
 * So an array is read once, and nothing but results is written.  A thread has a
 * segment: it combines the segment both ways, and then extends it by the
 * segments of its block before and after, in the order of window.h.
 */
#ifndef GPUCOMPACT_WINDOW_NEAR_H
#define GPUCOMPACT_WINDOW_NEAR_H

#include "kernels/scan/window_operators.h"

/* Rows are padded, as each thread reads its own row. */
template <typename Op>
struct NearTile
{
	typedef typename Op::Sum Sum;

	static constexpr int items = sizeof(Sum) > sizeof(int64_t) ? 512 : 1024;
	static constexpr int rows = (items + 3 * NEAR_BLOCK) / WINDOW_SEGMENT;

	typename Op::Element elements[rows][WINDOW_SEGMENT + 1];
	Sum			prefixes[rows][WINDOW_SEGMENT + 1];
	Sum			suffixes[rows][WINDOW_SEGMENT + 1];

	__device__ Sum prefix(int i) const
	{
		return prefixes[i / WINDOW_SEGMENT][i % WINDOW_SEGMENT];
	}

	__device__ Sum suffix(int i) const
	{
		return suffixes[i / WINDOW_SEGMENT][i % WINDOW_SEGMENT];
	}
};

/* Combines the first "count" elements of a row both ways. */
template <typename Op>
__device__ static inline void
combine_row(NearTile<Op> *tile, int row, int count)
{
	typename Op::Sum s = Op::identity();

	for (int i = 0; i < count; i++)
		tile->prefixes[row][i] = s =
			Op::combine(s, Op::load(tile->elements[row][i]));
	s = Op::identity();
	for (int i = count - 1; i >= 0; i--)
		tile->suffixes[row][i] = s =
			Op::combine(Op::load(tile->elements[row][i]), s);
}

/*
 * Extends a row by the rows of its block before it and after it.  All threads
 * call this, because rows are read before they are extended; a thread without
 * a row has the "count" 0.
 */
template <typename Op>
__device__ static inline void
extend_row(NearTile<Op> *tile, int row, int rows, int rows_of_block, int count)
{
	int			first = row / rows_of_block * rows_of_block;
	int			end = min(first + rows_of_block, rows);
	typename Op::Sum before = Op::identity();
	typename Op::Sum after = Op::identity();

	for (int i = first; i < row && count > 0; i++)
		before = Op::combine(before, tile->prefixes[i][WINDOW_SEGMENT - 1]);
	for (int i = end - 1; i > row && count > 0; i--)
		after = Op::combine(tile->suffixes[i][0], after);
	__syncthreads();
	for (int i = 0; i < count; i++)
	{
		tile->prefixes[row][i] = Op::combine(before, tile->prefixes[row][i]);
		tile->suffixes[row][i] = Op::combine(tile->suffixes[row][i], after);
	}
	__syncthreads();
}

template <typename Op, typename Result>
__global__ void __launch_bounds__(NEAR_THREADS)
combine_near_frames(const typename Op::Element *in, Result *out,
					WindowFrames frames, Lengths lengths, int *overflow)
{
	typedef NearTile<Op> Tile;
	__shared__ Tile tile;
	static_assert(Tile::rows <= NEAR_THREADS, "a thread has one row");
	int64_t		begin = (int64_t) blockIdx.x * Tile::items;
	int64_t		end = min((long long) (begin + Tile::items),
						  (long long) frames.count);
	int64_t		origin = window_first(&frames, begin) / frames.block *
		frames.block;
	int64_t		stop = (window_last(&frames, end - 1) / frames.block + 1) *
		frames.block;
	int			block = (int) frames.block;
	int			items = (int) (min((long long) stop, (long long) frames.count) -
							   origin);
	int			rows = (items + WINDOW_SEGMENT - 1) / WINDOW_SEGMENT;
	int			row = (int) threadIdx.x;
	int			count = max(0, min(WINDOW_SEGMENT,
								   items - row * WINDOW_SEGMENT));
	bool		over = false;

	for (int i = row; i < items; i += NEAR_THREADS)
		tile.elements[i / WINDOW_SEGMENT][i % WINDOW_SEGMENT] = in[origin + i];
	__syncthreads();
	combine_row<Op>(&tile, row, count);
	__syncthreads();
	extend_row<Op>(&tile, row, rows, block / WINDOW_SEGMENT, count);
	for (int64_t i = begin + row; i < end; i += NEAR_THREADS)
	{
		int			first = (int) (window_first(&frames, i) - origin);
		int			last = (int) (window_last(&frames, i) - origin);

		over |= store(&out[i],
					  combine_blocks<Op>(tile, block, first, last),
					  lengths.of(i, last - first + 1));
	}
	if (__syncthreads_or(over) && threadIdx.x == 0)
		overflow[OVERFLOW_UP] = 1;
}

#endif							/* GPUCOMPACT_WINDOW_NEAR_H */
