/*
 * last_block.h
 *	  What the last thread block of a grid does for all of them.
 */
#ifndef GPUCOMPACT_LAST_BLOCK_H
#define GPUCOMPACT_LAST_BLOCK_H

/*
 * Returns whether this thread block is the last one of the grid to be done.  If
 * so, it sees what all blocks have written.  *done is 0 before and after the
 * kernel.
 */
__device__ static inline bool
is_last_block(unsigned *done)
{
	__shared__ bool last;

	__syncthreads();
	if (threadIdx.x == 0)
	{
		__threadfence();
		last = atomicInc(done, gridDim.x - 1) == gridDim.x - 1;
		__threadfence();
	}
	__syncthreads();
	return last;
}

#endif							/* GPUCOMPACT_LAST_BLOCK_H */
