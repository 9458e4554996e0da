/*
 * merge_in_order.h
 *	  Parts that a thread block merges one after the other, as stats.h and
 *	  regr.h say.
 *
 * A part has sums, and sums of squares of the differences from the means.  To
 * merge two parts, their sums are added; and their squares, with the square of
 * the difference of their means.  A kind of sums is a struct.  It has a count,
 * which is zero if a part has no elements, and these:
 *
 *	  Squares		the type of the squares
 *	  add			adds the sums of two parts
 *	  between		returns what the squares of two parts lack; notes whether
 *					the addition of their sums overflows
 *	  add_squares	adds the squares of two parts and what they lack; notes
 *					whether that overflows
 */
#ifndef GPUCOMPACT_MERGE_IN_ORDER_H
#define GPUCOMPACT_MERGE_IN_ORDER_H

template <typename Sums>
struct Part
{
	Sums		sums;
	typename Sums::Squares squares;
};

/* A part that is merged with all before it. */
template <typename Sums>
struct Merge
{
	Part<Sums>	part;
	Sums		before;			/* of all before it */
	typename Sums::Squares between;
};

/* Makes the sums before each part; for one thread. */
template <typename Sums>
__device__ static inline void
add_sums(Merge<Sums> *merges, int nmerges, Sums *all)
{
	Sums		sums = *all;

#pragma unroll 4
	for (int i = 0; i < nmerges; i++)
	{
		Sums		part = merges[i].part.sums;

		merges[i].before = sums;
		if (part.count == 0)
			continue;
		sums = sums.count == 0 ? part : Sums::add(sums, part);
	}
	*all = sums;
}

/* Compares the means of each part with those of all before it. */
template <typename Sums>
__device__ static inline void
compare_means(Merge<Sums> *merges, int nmerges, bool *overflow)
{
	for (int i = threadIdx.x; i < nmerges; i += blockDim.x)
	{
		Merge<Sums> *merge = &merges[i];

		if (merge->before.count != 0 && merge->part.sums.count != 0)
			merge->between = Sums::between(merge->before, merge->part.sums,
										   overflow);
	}
}

/* Adds up the squares; for one thread. */
template <typename Sums>
__device__ static inline void
add_squares(const Merge<Sums> *merges, int nmerges,
			typename Sums::Squares *all, bool *overflow)
{
	typename Sums::Squares squares = *all;

#pragma unroll 4
	for (int i = 0; i < nmerges; i++)
	{
		const Merge<Sums> *merge = &merges[i];

		if (merge->part.sums.count == 0)
			continue;
		squares = merge->before.count == 0 ? merge->part.squares :
			Sums::add_squares(squares, merge->part.squares, merge->between,
							  overflow);
	}
	*all = squares;
}

/*
 * Merges parts with all before them, in shared memory.  All threads compare the
 * means, whose divisions take long; one thread does the rest.
 */
template <typename Sums>
__device__ static inline void
merge_in_order(Merge<Sums> *merges, int nmerges, Part<Sums> *all,
			   bool *overflow)
{
	if (threadIdx.x == 0)
		add_sums(merges, nmerges, &all->sums);
	__syncthreads();
	compare_means(merges, nmerges, overflow);
	__syncthreads();
	if (threadIdx.x == 0)
		add_squares(merges, nmerges, &all->squares, overflow);
	__syncthreads();
}

#endif							/* GPUCOMPACT_MERGE_IN_ORDER_H */
