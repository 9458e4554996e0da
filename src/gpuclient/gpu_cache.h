/*
 * gpu_cache.h
 *	  The values that GPU processes have cached, as a session sees them.
 */
#ifndef GPUCOMPACT_GPU_CACHE_H
#define GPUCOMPACT_GPU_CACHE_H

#include "gpuclient/gpu_connection.h"

/* A cached value. */
typedef struct CachedValue
{
	ValueIdentity identity;
	uint64_t	hits;
	int64_t		last_use;		/* seconds since 1970 */
} CachedValue;

extern int	gpu_cache_find(const GpuConnection *connection,
						   const EngineRequest *request, int source,
						   uint64_t *number, CacheMiss *miss);
extern void gpu_cache_ask(const GpuConnection *connection, SharedLane *lane,
						  const EngineRequest *request);
extern bool gpu_cache_get(const GpuConnection *connection, int entry,
						  CachedValue *value);

#endif							/* GPUCOMPACT_GPU_CACHE_H */
