/*
 * set.h
 *	  SET: union, intersection and difference of two arrays in order.
 *
 * The input is the two arrays, joined.  The results are in order and distinct;
 * of equal elements, they have the first one of the first array, if that has
 * any.  They are only counted if they have no memory.  If
 * an array is not in order, there are no results, and "errors" says which: 1
 * for the first array, 2 for the second one, or the sum of both.
 */
#ifndef GPUCOMPACT_OPERATIONS_SET_H
#define GPUCOMPACT_OPERATIONS_SET_H

#include "contract/engine.h"

typedef enum SetOperator
{
	SET_UNION,
	SET_INTERSECT,
	SET_EXCEPT					/* what only the first array has */
} SetOperator;

typedef struct SetParameters
{
	SetOperator op;
} SetParameters;

#endif							/* GPUCOMPACT_OPERATIONS_SET_H */
