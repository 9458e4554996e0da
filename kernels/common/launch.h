/*
 * launch.h
 *	  Launching a kernel with attributes.
 */
#ifndef GPUCOMPACT_LAUNCH_H
#define GPUCOMPACT_LAUNCH_H

#include <cuda_runtime.h>

/* Uses the first "nattributes" attributes. */
template <typename... Parameters, typename... Arguments>
static cudaError_t
launch_kernel(cudaStream_t stream, void (*kernel) (Parameters...),
			  unsigned blocks, unsigned threads, size_t shared,
			  cudaLaunchAttribute *attributes, unsigned nattributes,
			  Arguments... arguments)
{
	cudaLaunchConfig_t config = {
		.gridDim = blocks,
		.blockDim = threads,
		.dynamicSmemBytes = shared,
		.stream = stream,
		.attrs = attributes,
		.numAttrs = nattributes
	};

	return cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...);
}

#endif							/* GPUCOMPACT_LAUNCH_H */
