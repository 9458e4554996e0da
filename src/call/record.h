/*
 * record.h
 *	  The record of the call that is under way, for its parts.
 */
#ifndef GPUCOMPACT_RECORD_H
#define GPUCOMPACT_RECORD_H

#include "call/call.h"

extern void record_begin_times(void);
extern void record_add_lap(double *part_ms);

/* Adds the time since the last lap to a part of the call. */
static inline void
record_lap(double *part_ms)
{
	if (this_call.timed)
		record_add_lap(part_ms);
}

#endif							/* GPUCOMPACT_RECORD_H */
