/*
 * compare.h
 *	  COMPARE: whether a predicate selects each element, as a byte of 0 or 1.
 */
#ifndef GPUCOMPACT_OPERATIONS_COMPARE_H
#define GPUCOMPACT_OPERATIONS_COMPARE_H

#include "contract/operations/compact.h"

typedef struct CompareParameters
{
	EnginePredicate predicate;
} CompareParameters;

#endif							/* GPUCOMPACT_OPERATIONS_COMPARE_H */
