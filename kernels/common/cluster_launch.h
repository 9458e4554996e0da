/*
 * cluster_launch.h
 *	  Launching thread block clusters.
 */
#ifndef GPUCOMPACT_CLUSTER_LAUNCH_H
#define GPUCOMPACT_CLUSTER_LAUNCH_H

#include <cuda_runtime.h>

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

#endif							/* GPUCOMPACT_CLUSTER_LAUNCH_H */
