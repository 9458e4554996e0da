/*
 * cooperative_launch.h
 *	  Kernels whose thread blocks run at the same time, one on each
 *	  multiprocessor, and wait for each other.
 */
#ifndef GPUCOMPACT_COOPERATIVE_LAUNCH_H
#define GPUCOMPACT_COOPERATIVE_LAUNCH_H

/* Without the parts that are not used, it compiles in a third of the time. */
#define _CG_LIMIT_INCLUDED_DEPENDENCIES
#include <cooperative_groups.h>

#include "kernels/common/launch.h"

/* The most blocks of a grid, for which their exchange has room. */
#define GRID_BLOCKS		256

__device__ static inline void
grid_sync()
{
	cooperative_groups::this_grid().sync();
}

/*
 * Returns the number of blocks that can run at the same time, one on each
 * multiprocessor, but GRID_BLOCKS at most; or 0.  From then on the kernel may
 * have "shared" bytes of shared memory.
 */
static inline int
find_cooperative_blocks(const void *kernel, int threads, int shared)
{
	int			each;
	int			blocks = device_blocks(1);

	if (find_attribute(cudaDevAttrCooperativeLaunch) &&
		cudaFuncSetAttribute(kernel,
							 cudaFuncAttributeMaxDynamicSharedMemorySize,
							 shared) == cudaSuccess &&
		cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, threads,
													  shared) == cudaSuccess)
		return each == 0 ? 0 : blocks < GRID_BLOCKS ? blocks : GRID_BLOCKS;
	(void) cudaGetLastError();
	return 0;
}

template <typename... Parameters, typename... Arguments>
static cudaError_t
launch_cooperative(cudaStream_t stream, void (*kernel) (Parameters...),
				   int64_t blocks, unsigned threads, size_t shared,
				   Arguments... arguments)
{
	cudaLaunchAttribute attribute = {.id = cudaLaunchAttributeCooperative};

	attribute.val.cooperative = 1;
	return launch_with(stream, kernel, blocks, threads, shared, &attribute, 1,
					   arguments...);
}

#endif							/* GPUCOMPACT_COOPERATIVE_LAUNCH_H */
