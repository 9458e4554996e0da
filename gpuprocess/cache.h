/*
 * cache.h
 *	  The values that a GPU process has cached.
 */
#ifndef GPUCOMPACT_CACHE_H
#define GPUCOMPACT_CACHE_H

#include "gpuprocess/program.h"

extern void cache_begin(SharedLane *lane, DeviceLane *device,
						CacheUse uses[ENGINE_SOURCES]);
extern void cache_end(const SharedLane *lane, CacheUse uses[ENGINE_SOURCES],
					  bool complete);
extern void cache_set_size(int64_t bytes);
extern void cache_clear(void);

#endif							/* GPUCOMPACT_CACHE_H */
