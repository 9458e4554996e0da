/*
 * absent_result.h
 *	  Where the elements of a call's result are, if not in its array.
 */
#ifndef GPUCOMPACT_ABSENT_RESULT_H
#define GPUCOMPACT_ABSENT_RESULT_H

#include "array/absent.h"
#include "contract/engine.h"

typedef struct AbsentResult
{
	uint64		resident;		/* by which a device knows them, or zero */
	int			device;
	StagedArray *staged;		/* if they are still to be computed, or NULL */
	Datum		packed;			/* what has them, or zero */
	int64		count;			/* the most, if they are filtered */
} AbsentResult;

extern void absent_result_allow(bool allow);
extern bool absent_result_take(AbsentResult *result);
extern void absent_result_drop(void);

/* For requests. */
extern void absent_result_repeat(void);
extern bool absent_result_allowed(const EngineRequest *request);
extern void absent_result_note(AbsentResult result);

#endif							/* GPUCOMPACT_ABSENT_RESULT_H */
