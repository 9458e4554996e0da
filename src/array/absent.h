/*
 * absent.h
 *	  Arrays in memory whose elements are elsewhere until they are asked for.
 *
 * The header of such an array is complete, and there is room for its elements,
 * none of which is NULL.  They are the results of a job that have stayed on a
 * device, or of a job that has not been run yet.  Or else they are packed, and
 * may be NULL: then the array has the bitmap, too.  Readers find out by the
 * address of the array; who makes an array absent sees to it that nobody else
 * gets it.
 */
#ifndef GPUCOMPACT_ABSENT_H
#define GPUCOMPACT_ABSENT_H

#include "compat.h"

#include "utils/array.h"

#include "contract/engine.h"

/* The stages by which the elements come from those of another array. */
typedef struct StagedArray
{
	Datum		source;			/* which has no NULLs */
	bool		filtered;		/* a stage leaves elements out, so that the
								 * array's header only tells the most */
	int			nstages;
	EngineStage stages[ENGINE_STAGES];
} StagedArray;

typedef struct AbsentArray
{
	struct AbsentArray *next;
	ArrayType *array;
	uint64		resident;		/* by which the device knows the elements, or
								 * zero if it no longer has them */
	int			device;
	StagedArray *staged;		/* or NULL */
	Datum		packed;			/* what has the elements, or zero */
	bool		arrived;		/* the elements are in the array, too */
	bool		stages_done;	/* a request had all stages, and none failed */
	bool		stays_filtered; /* it is opened without its length */

	/* Puts the elements into the array, or raises an error. */
	void		(*fetch) (struct AbsentArray *absent);
} AbsentArray;

extern AbsentArray *absent_arrays;

extern AbsentArray *absent_search(const void *array);
extern void absent_fetch(AbsentArray *absent);

/* The array at that address, if it is absent; or NULL. */
static inline AbsentArray *
absent_find(const void *array)
{
	return absent_arrays == NULL ? NULL : absent_search(array);
}

#endif							/* GPUCOMPACT_ABSENT_H */
