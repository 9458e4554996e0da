/*
 * compare.h
 *	  COMPARE: whether a predicate selects each element, as a byte of 0 or 1;
 *	  and COMPARE_PAIRS: how the elements of two inputs of one kind compare.
 */
#ifndef GPUCOMPACT_OPERATIONS_COMPARE_H
#define GPUCOMPACT_OPERATIONS_COMPARE_H

#include "contract/operations/compact.h"

typedef struct CompareParameters
{
	EnginePredicate predicate;
} CompareParameters;

/*
 * A pair is chosen if its first element is less and "less" is set, or if its
 * elements are equal and "equal" is set.  The result is 1 for the chosen
 * pairs; or, if "outside" is set, for all others.
 */
typedef struct ComparePairsParameters
{
	bool		less;
	bool		equal;
	bool		outside;
} ComparePairsParameters;

#endif							/* GPUCOMPACT_OPERATIONS_COMPARE_H */
