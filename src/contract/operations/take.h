/*
 * take.h
 *	  TAKE: elements by their positions.
 *
 * The table has the elements, of the kind of the output, and the input has
 * int4 positions among them, from 1 on.  For other positions the
 * results are zero, and "errors" counts them.
 *
 * The summary, if any, has a bit for each position, the lowest of a byte first:
 * it is set if there is an element.  It is undefined if there are no errors.
 */
#ifndef GPUCOMPACT_OPERATIONS_TAKE_H
#define GPUCOMPACT_OPERATIONS_TAKE_H

#include "contract/engine.h"

/*
 * If "bits" is not zero, the table has that many bits instead of elements.  A
 * position of a bit that is not set is an error, too, and there is only the
 * summary: the output has no memory.
 */
typedef struct TakeParameters
{
	int64_t		bits;
} TakeParameters;

#endif							/* GPUCOMPACT_OPERATIONS_TAKE_H */
