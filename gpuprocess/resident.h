/*
 * resident.h
 *	  Results that stay on the device for their session's next jobs.
 */
#ifndef GPUCOMPACT_RESIDENT_H
#define GPUCOMPACT_RESIDENT_H

#include "gpuprocess/program.h"

extern int	resident_begin(SharedLane *lane, DeviceLane *device,
						   CacheUse uses[ENGINE_SOURCES]);
extern char *resident_memory(int number);
extern void resident_end(const CacheUse uses[ENGINE_SOURCES], int output);
extern void resident_sweep(void);

#endif							/* GPUCOMPACT_RESIDENT_H */
