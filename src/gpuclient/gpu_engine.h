/*
 * gpu_engine.h
 *	  The engine whose jobs are done by a GPU process.
 */
#ifndef GPUCOMPACT_GPU_ENGINE_H
#define GPUCOMPACT_GPU_ENGINE_H

#include "gpuclient/gpu_connection.h"

extern const Engine gpu_engine;

/* The socket of a GPU's process, in the current directory. */
#define GPU_SOCKET		"gpucompact.gpu%d"

/*
 * Connects a context to the process of a GPU, unless it is; the failure is the
 * context's message.
 */
extern GpuConnectStatus gpu_engine_connect(EngineContext *context, int device);

/* The connection to a GPU's process, or NULL. */
extern const GpuConnection *gpu_engine_connection(EngineContext *context,
												  int device);

/*
 * Lets the GPU processes know how many threads are at work for a call on the
 * CPU.
 */
extern void gpu_engine_on_cpu(EngineContext *context, int threads);

/* Threads that are at work for all sessions, on the CPU and for a GPU. */
extern int	gpu_engine_busy_threads(EngineContext *context);

/* Gives back a result that has stayed on a device. */
extern void gpu_engine_give_back(EngineContext *context, int device,
								 uint64_t resident);

#endif							/* GPUCOMPACT_GPU_ENGINE_H */
