/*
 * selected.h
 *	  The elements of an array that a bitmap marks, as an input of a request.
 */
#ifndef GPUCOMPACT_CALL_SELECTED_H
#define GPUCOMPACT_CALL_SELECTED_H

#include "call/input.h"
#include "call/passed.h"

typedef struct SelectedInput
{
	CallInput  *input;			/* its kind has to be told to the request */

	/* The rest is its own. */
	Datum		datum;			/* the array */
	const uint8 *bitmap;
	PassedArray *passed;		/* the elements of a large array, or NULL */
	CallInput	passed_input;
	BesideNulls *beside;		/* or else what finds the elements */
} SelectedInput;

extern void selected_begin(SelectedInput *selected, ArrayReader *reader,
						   const uint8 *bitmap, int64 count);
extern void selected_end(SelectedInput *selected);

#endif							/* GPUCOMPACT_CALL_SELECTED_H */
