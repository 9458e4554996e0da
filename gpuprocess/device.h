/*
 * device.h
 *	  A GPU: opening it, its memory, its errors.
 */
#ifndef GPUCOMPACT_DEVICE_H
#define GPUCOMPACT_DEVICE_H

#include <cuda_runtime.h>

#include "kernels/common/operation.h"
#include "gpuprocess/program.h"

/* The GPU of this process. */
typedef struct Device
{
	int			index;

	/*
	 * All kernels run in one stream, as those that look ahead need all of their
	 * blocks to be resident.
	 */
	cudaStream_t compute;
	LookAhead	ahead;
	cudaMemPool_t pool;			/* memory for jobs and for cached values */
	int			maps_host;		/* kernels can use pinned host memory */
	cudaStream_t evictions;			/* stream that frees evicted values */
} Device;

/* Leaves the calling function, with a status, if a CUDA call fails. */
#define TRY_CUDA(failure, call) \
	do { \
		cudaError_t error_ = (call); \
		if (error_ != cudaSuccess) \
			return device_failed(failure, error_, #call); \
	} while (0)

extern EngineStatus device_failed(Failure *failure, cudaError_t error,
								  const char *call);
extern Device *device_in_use(void);

/* memory.cu */
extern cudaError_t device_open_pool(Device *device);

#endif							/* GPUCOMPACT_DEVICE_H */
