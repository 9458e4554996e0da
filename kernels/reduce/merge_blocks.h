/*
 * merge_blocks.h
 *	  Merging what the thread blocks of a grid have made, by the last one.
 */
#ifndef GPUCOMPACT_MERGE_BLOCKS_H
#define GPUCOMPACT_MERGE_BLOCKS_H

#include "kernels/common/block_reduce.h"
#include "kernels/common/last_block.h"

/*
 * Merges the parts that the first threads of all blocks have, in the order of
 * the blocks.  The last block to be done does so, by way of "parts"; its first
 * thread gets the result in *part, and true.
 */
template <int THREADS, typename Part, typename Merge>
__device__ static inline bool
merge_blocks(Part *part, Part *parts, unsigned *done, Merge merge)
{
	int			nparts = gridDim.x;
	int			each = (nparts + THREADS - 1) / THREADS;
	int			first = threadIdx.x * each;

	if (threadIdx.x == 0)
		parts[blockIdx.x] = *part;
	if (!is_last_block(done))
		return false;
	for (int i = first; i < min(first + each, nparts); i++)
		*part = i == first ? parts[i] : merge(*part, parts[i]);
	*part = block_reduce<THREADS>(*part, merge, (nparts + each - 1) / each);
	return threadIdx.x == 0;
}

#endif							/* GPUCOMPACT_MERGE_BLOCKS_H */
