/*
 * dependent_launch.h
 *	  Programmatic dependent launch, on Hopper and later.
 *
 * A kernel starts when no thread block of the preceding one is left to start,
 * and all of these have ended or said that it may; and then waits until the
 * preceding one has ended.  So the time to start it is hidden.
 */
#ifndef GPUCOMPACT_DEPENDENT_LAUNCH_H
#define GPUCOMPACT_DEPENDENT_LAUNCH_H

#include <cuda_runtime.h>

extern bool is_for_hopper(const void *kernel);

/* The next kernel may start. */
__device__ static inline void
let_next_start()
{
#if __CUDA_ARCH__ >= 900
	cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/*
 * Waits until the preceding kernel has ended.  Every thread block has to,
 * before it uses memory that another kernel uses: the next kernel takes its
 * end for that of all before it.
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

/* Launches a kernel that waits for the preceding one. */
template <typename... Parameters, typename... Arguments>
static cudaError_t
launch_dependent(cudaStream_t stream, void (*kernel) (Parameters...),
				 unsigned blocks, unsigned threads, size_t shared,
				 Arguments... arguments)
{
	cudaLaunchAttribute attribute = dependent_launch();
	cudaLaunchConfig_t config = {
		.gridDim = blocks,
		.blockDim = threads,
		.dynamicSmemBytes = shared,
		.stream = stream,
		.attrs = &attribute,
		.numAttrs = is_for_hopper((const void *) kernel) ? 1u : 0u
	};

	return cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...);
}

#endif							/* GPUCOMPACT_DEPENDENT_LAUNCH_H */
