/*
 * temporary.h
 *	  An array that a request makes for a later request of the same call.
 */
#ifndef GPUCOMPACT_TEMPORARY_H
#define GPUCOMPACT_TEMPORARY_H

#include "call/call.h"

/* Makes the elements, which a device has lost, in their place. */
typedef void (*MakeElements) (void *argument, char *values);

typedef struct TemporaryArray
{
	ArrayReader reader;			/* for the later request */

	/* The rest is its own. */
	ArrayType  *array;			/* NULL if it is a deferred value */
	DeferredValue *deferred;
	MakeElements make;
	void	   *argument;
} TemporaryArray;

extern TemporaryArray *temporary_begin(const ElementType *type, int64 most,
									   MakeElements make, void *argument);
extern int64 temporary_run(TemporaryArray *temporary, EngineRequest *request,
						   CallInput *const inputs[], int ninputs);
extern void temporary_reopen(TemporaryArray *temporary);
extern char *temporary_values(TemporaryArray *temporary);
extern void temporary_end(TemporaryArray *temporary);

/* The elements of an array that a bitmap marks, as an input of a request. */
typedef struct SelectedElements
{
	CallInput	input;			/* they */

	/* The rest is its own. */
	ArrayReader *array;
	ReaderPlace start;
	const uint8 *bitmap;
	int64		count;			/* that it marks */
	TemporaryArray *temporary;
} SelectedElements;

extern void selected_begin(SelectedElements *selected, ArrayReader *array,
						   const uint8 *bitmap, int64 count, char *others);
extern void selected_end(SelectedElements *selected);

#endif							/* GPUCOMPACT_TEMPORARY_H */
