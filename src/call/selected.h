/*
 * selected.h
 *	  The elements of an array that a bitmap marks, as an input of a request.
 */
#ifndef GPUCOMPACT_CALL_SELECTED_H
#define GPUCOMPACT_CALL_SELECTED_H

#include "call/temporary.h"

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

#endif							/* GPUCOMPACT_CALL_SELECTED_H */
