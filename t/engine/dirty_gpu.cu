/*
 * dirty_gpu.cu
 *	  The GPU process, whose kernels find arbitrary bytes in shared memory.
 *
 * Shared memory is mostly zero when a kernel begins, which hides that the
 * kernel reads what nothing has written.  Here each launch of a kernel comes
 * after one that fills the shared memory of all multiprocessors.
 *
 *		make t/engine/dirty_gpu
 */
#include <cuda_runtime.h>

#include "kernels/common/operation.h"

/* The runtime's functions, and those that the linker calls in their place. */
extern "C" cudaError_t
			__real_cudaLaunchKernelExC(const cudaLaunchConfig_t *config,
									   const void *kernel, void **arguments);
extern "C" cudaError_t
			__wrap_cudaLaunchKernelExC(const cudaLaunchConfig_t *config,
									   const void *kernel, void **arguments);

/* What <<<...>>> calls. */
extern "C" cudaError_t
			__real___cudaLaunchKernel(cudaKernel_t kernel, dim3 blocks,
									  dim3 threads, void **arguments,
									  size_t shared, cudaStream_t stream);
extern "C" cudaError_t
			__wrap___cudaLaunchKernel(cudaKernel_t kernel, dim3 blocks,
									  dim3 threads, void **arguments,
									  size_t shared, cudaStream_t stream);

/* Other bytes with each seed.  (Knuth's multiplicative hash.) */
__global__ void
fill_shared(unsigned seed, int words)
{
	extern __shared__ volatile unsigned memory[];

	for (int i = threadIdx.x; i < words; i += blockDim.x)
		memory[i] = (seed + i) * 2654435761u;
}

static cudaError_t
fill_shared_memory(cudaStream_t stream)
{
	static thread_local unsigned seed = 0;
	int			device = 0;
	int			blocks = 0;
	int			bytes = 0;
	int			words;
	void	   *arguments[] = {&seed, &words};
	cudaLaunchConfig_t config = {};

	TRY(cudaGetDevice(&device));
	TRY(cudaDeviceGetAttribute(&blocks, cudaDevAttrMultiProcessorCount,
							   device));
	TRY(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin,
							   device));
	TRY(cudaFuncSetAttribute(fill_shared,
							 cudaFuncAttributeMaxDynamicSharedMemorySize,
							 bytes));
	words = bytes / (int) sizeof(unsigned);
	seed++;
	config.gridDim = blocks;
	config.blockDim = 256;
	config.dynamicSmemBytes = bytes;
	config.stream = stream;
	return __real_cudaLaunchKernelExC(&config, (const void *) fill_shared,
									  arguments);
}

cudaError_t
__wrap_cudaLaunchKernelExC(const cudaLaunchConfig_t *config,
						   const void *kernel, void **arguments)
{
	TRY(fill_shared_memory(config->stream));
	return __real_cudaLaunchKernelExC(config, kernel, arguments);
}

cudaError_t
__wrap___cudaLaunchKernel(cudaKernel_t kernel, dim3 blocks, dim3 threads,
						  void **arguments, size_t shared, cudaStream_t stream)
{
	TRY(fill_shared_memory(stream));
	return __real___cudaLaunchKernel(kernel, blocks, threads, arguments, shared,
									 stream);
}
