/*
 * device.h
 *	  A GPU: opening it, its memory, its errors.
 */
#ifndef GPUCOMPACT_DEVICE_H
#define GPUCOMPACT_DEVICE_H

#include <cuda_runtime.h>

#include "engine/engine.h"
#include "lookahead.h"

/* An error message. */
typedef struct Failure
{
	char		message[512];
} Failure;

/* A GPU that this process uses. */
typedef struct Device
{
	bool		open;
	int			users;			/* lanes that are open on it */

	/*
	 * All kernels run in one stream, because single-pass kernels need all of
	 * their thread blocks to be resident.
	 */
	cudaStream_t compute;
	LookAhead	ahead;
} Device;

/* Returns a status from the calling function if a CUDA call fails. */
#define TRY_CUDA(failure, call) \
	do { \
		cudaError_t error_ = (call); \
		if (error_ != cudaSuccess) \
			return device_failed(failure, error_, #call); \
	} while (0)

#define TRY_STATUS(call) \
	do { \
		EngineStatus status_ = (call); \
		if (status_ != ENGINE_OK) \
			return status_; \
	} while (0)

extern EngineStatus device_failed(Failure *failure, cudaError_t error,
								  const char *call);
extern EngineStatus device_refused(Failure *failure, EngineStatus status,
								   const char *format,...)
			__attribute__((format(printf, 3, 4)));
extern bool device_process_lost(void);
extern EngineStatus device_open(int index, Device **device, Failure *failure);
extern void device_close(int index);
extern EngineStatus device_list(EngineDevice *devices, int capacity,
								int *count, Failure *failure);
extern int64_t device_free_memory(int index);

#endif							/* GPUCOMPACT_DEVICE_H */
