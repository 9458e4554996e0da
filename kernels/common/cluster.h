/*
 * cluster.h
 *	  Thread block clusters, on Hopper and later: barriers, the shared memory of
 *	  other blocks, and what a launch needs.
 */
#ifndef GPUCOMPACT_CLUSTER_H
#define GPUCOMPACT_CLUSTER_H

/* Without what is not used, it takes a third of the time to compile. */
#define _CG_LIMIT_INCLUDED_DEPENDENCIES
#include <cooperative_groups.h>

#if __CUDA_ARCH__ >= 900

__device__ static inline void
cluster_sync()
{
	cooperative_groups::this_cluster().sync();
}

/* The two halves of cluster_sync(). */
__device__ static inline void
cluster_arrive()
{
	(void) cooperative_groups::this_cluster().barrier_arrive();
}

__device__ static inline void
cluster_wait()
{
	cooperative_groups::this_cluster().barrier_wait();
}

__device__ static inline unsigned
cluster_block()
{
	return cooperative_groups::this_cluster().block_rank();
}

__device__ static inline unsigned
cluster_blocks()
{
	return cooperative_groups::this_cluster().num_blocks();
}

/* Returns where "memory" is in the shared memory of another block. */
template <typename T>
__device__ static inline T *
of_block(T *memory, unsigned block)
{
	return cooperative_groups::this_cluster().map_shared_rank(memory, block);
}

#else

/* Without clusters, there is one thread block. */
__device__ static inline void
cluster_sync()
{
	__syncthreads();
}

__device__ static inline void
cluster_arrive()
{
}

__device__ static inline void
cluster_wait()
{
	__syncthreads();
}

__device__ static inline unsigned
cluster_block()
{
	return 0;
}

__device__ static inline unsigned
cluster_blocks()
{
	return 1;
}

template <typename T>
__device__ static inline T *
of_block(T *memory, unsigned block)
{
	return memory;
}

#endif

static inline cudaLaunchAttribute
cluster_of(unsigned blocks)
{
	cudaLaunchAttribute attribute = {.id = cudaLaunchAttributeClusterDimension};

	attribute.val.clusterDim.x = blocks;
	attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
	return attribute;
}

/* Returns whether the current device can run a cluster of "blocks" blocks. */
static inline bool
can_run_cluster(const void *kernel, unsigned threads, size_t shared,
				unsigned blocks)
{
	cudaLaunchAttribute cluster = cluster_of(blocks);
	cudaLaunchConfig_t config = {
		.gridDim = blocks,
		.blockDim = threads,
		.dynamicSmemBytes = shared,
		.attrs = &cluster,
		.numAttrs = 1
	};
	int			clusters = 0;

	return cudaOccupancyMaxActiveClusters(&clusters, kernel,
										  &config) == cudaSuccess &&
		clusters > 0;
}

#endif							/* GPUCOMPACT_CLUSTER_H */
