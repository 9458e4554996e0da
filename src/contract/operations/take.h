/*
 * take.h
 *	  TAKE: elements by their positions.
 *
 * The table has the elements, of the kind of the output, and the input has
 * int4 positions among them, from 1 on.  For other positions the
 * results are zero, and "errors" counts them.
 */
#ifndef GPUCOMPACT_OPERATIONS_TAKE_H
#define GPUCOMPACT_OPERATIONS_TAKE_H

#include "contract/engine.h"

#endif							/* GPUCOMPACT_OPERATIONS_TAKE_H */
