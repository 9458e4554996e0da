/*
 * window_rows.h
 *	  Windows: P and S of the elements of a part of an array, which a thread
 *	  block finds in shared memory.
 *
 * A thread has a row, which is a segment: it combines the segment both ways,
 * and then extends it by the segments of its block before and after, in the
 * order of window.h.
 */
#ifndef GPUCOMPACT_WINDOW_ROWS_H
#define GPUCOMPACT_WINDOW_ROWS_H

#include "kernels/scan/window_operators.h"

/* Rows are padded, as each thread reads its own row. */
template <typename Op, int ROWS>
struct WindowRows
{
	typedef typename Op::Element Element;
	typedef typename Op::Sum Sum;

	Element		elements[ROWS][WINDOW_SEGMENT + 1];
	Sum			prefixes[ROWS][WINDOW_SEGMENT + 1];
	Sum			suffixes[ROWS][WINDOW_SEGMENT + 1];

	__device__ Sum prefix(int i) const
	{
		return prefixes[i / WINDOW_SEGMENT][i % WINDOW_SEGMENT];
	}

	__device__ Sum suffix(int i) const
	{
		return suffixes[i / WINDOW_SEGMENT][i % WINDOW_SEGMENT];
	}

	/* Combines the first "count" elements of a row both ways. */
	__device__ void combine_row(int row, int count)
	{
		Sum			s = Op::identity();

		for (int i = 0; i < count; i++)
			prefixes[row][i] = s = Op::combine(s, Op::load(elements[row][i]));
		s = Op::identity();
		for (int i = count - 1; i >= 0; i--)
			suffixes[row][i] = s = Op::combine(Op::load(elements[row][i]), s);
	}

	/*
	 * Extends a row by the rows of its block before it and after it.  All
	 * threads call this, because rows are read before they are extended; a
	 * thread without a row has the "count" 0.
	 */
	__device__ void extend_row(int row, int rows, int rows_of_block, int count)
	{
		int			first = row / rows_of_block * rows_of_block;
		int			end = min(first + rows_of_block, rows);
		Sum			before = Op::identity();
		Sum			after = Op::identity();

		for (int i = first; i < row && count > 0; i++)
			before = Op::combine(before, prefixes[i][WINDOW_SEGMENT - 1]);
		for (int i = end - 1; i > row && count > 0; i--)
			after = Op::combine(suffixes[i][0], after);
		__syncthreads();
		for (int i = 0; i < count; i++)
		{
			prefixes[row][i] = Op::combine(before, prefixes[row][i]);
			suffixes[row][i] = Op::combine(suffixes[row][i], after);
		}
		__syncthreads();
	}

	/*
	 * Finds P and S of some items, which begin with a block.  "block" is the
	 * length of blocks, or of what the items have of a longer one.
	 */
	__device__ void find(const Element *in, int items, int block)
	{
		int			row = (int) threadIdx.x;
		int			count = max(0, min(WINDOW_SEGMENT,
									   items - row * WINDOW_SEGMENT));

		for (int i = row; i < items; i += blockDim.x)
			elements[i / WINDOW_SEGMENT][i % WINDOW_SEGMENT] = in[i];
		__syncthreads();
		combine_row(row, count);
		__syncthreads();
		extend_row(row, (items + WINDOW_SEGMENT - 1) / WINDOW_SEGMENT,
				   block / WINDOW_SEGMENT, count);
	}
};

#endif							/* GPUCOMPACT_WINDOW_ROWS_H */
