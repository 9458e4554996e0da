/*
 * cuda_runtime.h
 *	  What the GPU process needs of CUDA, on the devices of simulate.c and of
 *	  cpu_device.c, which have functions for the rest.
 */
#ifndef GPUCOMPACT_CUDA_RUNTIME_H
#define GPUCOMPACT_CUDA_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

typedef enum cudaError_t
{
	cudaSuccess,
	cudaErrorNotReady,
	cudaErrorMemoryAllocation,
	cudaErrorNoDevice,
	cudaErrorUnknown
} cudaError_t;

typedef enum cudaMemcpyKind
{
	cudaMemcpyHostToDevice,
	cudaMemcpyDeviceToHost,
	cudaMemcpyDeviceToDevice
} cudaMemcpyKind;

typedef struct Stream *cudaStream_t;
typedef void *cudaMemPool_t;

typedef struct Event
{
	unsigned	recorded;		/* how often; 0: it has occurred */
	unsigned	occurred;		/* the last record that the device came to */
}		   *cudaEvent_t;

/* Of kernels, which there are none of. */
#define GPUCOMPACT_LOOKAHEAD_H
typedef struct LookAhead
{
	int			unused;
} LookAhead;

#define TAKEN(where, taken) \
	((*(where) = (taken)) != NULL ? cudaSuccess : cudaErrorMemoryAllocation)
#define cudaMalloc(where, size)		TAKEN(where, device_take(size))
#define cudaMallocHost(where, size)	TAKEN(where, device_take(size))
#define cudaEventCreate(where) \
	TAKEN(where, device_take(sizeof(struct Event)))
#define cudaEventCreateWithFlags(where, flags)	cudaEventCreate(where)
#define cudaStreamCreateWithFlags(where, flags) TAKEN(where, device_stream())
#define cudaStreamCreateWithPriority(where, flags, priority) \
	TAKEN(where, device_stream())
#define cudaDeviceGetStreamPriorityRange(least, greatest) \
	(*(least) = *(greatest) = 0, cudaSuccess)
#define cudaEventElapsedTime(ms, begin, end)	(*(ms) = 0, cudaSuccess)
#define cudaGetErrorString(error)	""
#define cudaGetLastError()			cudaSuccess
#define cudaMemset(memory, value, size)		cudaSuccess
#define cudaSetDevice(device)		cudaSuccess
#define cudaStreamQuery(stream)		cudaErrorNotReady

#endif							/* GPUCOMPACT_CUDA_RUNTIME_H */
