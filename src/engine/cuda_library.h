/*
 * cuda_library.h
 *	  The CUDA engine, in a library of its own.
 */
#ifndef GPUCOMPACT_CUDA_LIBRARY_H
#define GPUCOMPACT_CUDA_LIBRARY_H

#include "engine/engine.h"

typedef struct CudaLibrary
{
	const Engine *engine;		/* NULL where there is none to be called: */
	EngineStatus status;		/* as ENGINE_NO_DEVICE or _DEVICE_FAILED is */
	const char *why_not;		/* the reason, in memory that stays */
	int			lost_device;	/* which device has failed */
} CudaLibrary;

extern bool cuda_library_installed(void);
extern const CudaLibrary *cuda_library(void);
extern EngineStatus cuda_library_devices(EngineDevice *devices, int capacity,
										 int *count);
extern void cuda_library_lost(int device, const char *why);

#endif							/* GPUCOMPACT_CUDA_LIBRARY_H */
