/*
 * cuda_runtime.h
 *	  What a job of the GPU process needs of CUDA, on simulate.c's device.
 *
 * Kernels and copies wait in their streams until the device comes to them.
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

static void *device_take(size_t size);
static cudaStream_t device_stream(void);
static cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
static cudaError_t cudaEventQuery(cudaEvent_t event);
static cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
									   unsigned flags);
static cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size,
								   cudaMemcpyKind kind, cudaStream_t stream);

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
#define cudaSetDevice(device)		cudaSuccess
#define cudaStreamQuery(stream)		cudaErrorNotReady

/* Of no job here: its memory is the lane's own, and it has no summary. */
#define cudaFreeAsync(memory, stream)			cudaErrorUnknown
#define cudaMallocAsync(where, size, stream)	cudaErrorMemoryAllocation
#define cudaMemGetInfo(free, total)				(*(total) = 0, cudaSuccess)
#define cudaMemset(memory, value, size)			cudaSuccess
#define cudaMemsetAsync(memory, value, size, stream)	cudaErrorUnknown

#endif							/* GPUCOMPACT_CUDA_RUNTIME_H */
