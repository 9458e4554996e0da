/*
 * select.h
 *	  SELECT: the elements of given ranks.
 *
 * The table has the int64 ranks, ascending from 0 on.  The i-th result is the
 * element that has the i-th rank when the array is sorted.
 */
#ifndef GPUCOMPACT_OPERATIONS_SELECT_H
#define GPUCOMPACT_OPERATIONS_SELECT_H

#include "contract/engine.h"

/* The most ranks; for more, a sort takes less time. */
#define SELECT_MAX_RANKS	256

#endif							/* GPUCOMPACT_OPERATIONS_SELECT_H */
