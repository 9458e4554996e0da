/*
 * launch.h
 *	  Launching kernels, and how one reports to the host that it has ended.
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

/* Its threads, by compute capability: 7.5; 8.6 to 8.9, from 11.0 on; others. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define RESIDENT_THREADS	1024
#elif defined(__CUDA_ARCH__) && ((__CUDA_ARCH__ > 800 && \
								  __CUDA_ARCH__ < 900) || __CUDA_ARCH__ >= 1100)
#define RESIDENT_THREADS	1536
#else
#define RESIDENT_THREADS	2048
#endif

/* For launch bounds: "blocks" of them, or as many as there may be. */
constexpr int
resident_blocks(int blocks, int threads)
{
	return blocks * threads <= RESIDENT_THREADS ? blocks :
		RESIDENT_THREADS / threads;
}

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

__device__ static inline unsigned long long
now_ns()
{
	unsigned long long now;

	asm volatile("mov.u64 %0, %globaltimer;" : "=l" (now));
	return now;
}

/*
 * One thread calls this, after the kernel has written everything for the
 * host.  Other threads must fence their writes before they signal them to this
 * thread.
 */
__device__ static inline void
timer_stop(unsigned long long begun_ns, KernelTimer *end, unsigned number)
{
	end->ns = now_ns() - begun_ns;
	__threadfence_system();
	*(volatile unsigned *) &end->number = number;
}

#endif							/* GPUCOMPACT_LAUNCH_H */
