/*
 * launch.h
 *	  Launching kernels.
 *
 * On Hopper and later, a launch may be programmatic and dependent: the kernel
 * starts when all thread blocks of the preceding kernel have started, and each
 * has ended or called let_next_start().  Then it waits until the preceding
 * kernel has ended.  So the time to start a kernel is hidden.
 */
#ifndef GPUCOMPACT_LAUNCH_H
#define GPUCOMPACT_LAUNCH_H

#include <cstdint>

#include "kernels/common/operation.h"

__device__ static inline void
let_next_start()
{
#if __CUDA_ARCH__ >= 900
	cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/*
 * Waits until the preceding kernel has ended.  Every thread block must wait
 * before it uses memory that another kernel uses, because the next kernel
 * waits only for the end of this one.
 */
__device__ static inline void
wait_for_preceding()
{
#if __CUDA_ARCH__ >= 900
	cudaGridDependencySynchronize();
#endif
}

static inline cudaLaunchAttribute
dependent_launch()
{
	cudaLaunchAttribute attribute = {
		.id = cudaLaunchAttributeProgrammaticStreamSerialization
	};

	attribute.val.programmaticStreamSerializationAllowed = 1;
	return attribute;
}

/* Launches a kernel with the first "nattributes" attributes. */
template <typename... Parameters, typename... Arguments>
static cudaError_t
launch_with(cudaStream_t stream, void (*kernel) (Parameters...),
			int64_t blocks, unsigned threads, size_t shared,
			cudaLaunchAttribute *attributes, unsigned nattributes,
			Arguments... arguments)
{
	cudaLaunchConfig_t config = {
		.gridDim = (unsigned) blocks,
		.blockDim = threads,
		.dynamicSmemBytes = shared,
		.stream = stream,
		.attrs = attributes,
		.numAttrs = nattributes
	};

	return cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...);
}

template <typename... Parameters, typename... Arguments>
static cudaError_t
launch_kernel(cudaStream_t stream, void (*kernel) (Parameters...),
			  int64_t blocks, unsigned threads, size_t shared,
			  Arguments... arguments)
{
	return launch_with(stream, kernel, blocks, threads, shared, NULL, 0,
					   arguments...);
}

/* Allows the kernel as much shared memory as it gets. */
template <typename... Parameters, typename... Arguments>
static cudaError_t
launch_dependent(cudaStream_t stream, void (*kernel) (Parameters...),
				 int64_t blocks, unsigned threads, size_t shared,
				 Arguments... arguments)
{
	cudaLaunchAttribute attribute = dependent_launch();
	unsigned	nattributes = is_for_hopper() ? 1 : 0;

	if (shared > SHARED_BYTES)
		TRY(cudaFuncSetAttribute((const void *) kernel,
								 cudaFuncAttributeMaxDynamicSharedMemorySize,
								 (int) shared));
	return launch_with(stream, kernel, blocks, threads, shared, &attribute,
					   nattributes, arguments...);
}

#endif							/* GPUCOMPACT_LAUNCH_H */
