/*
 * delta.h
 *	  DELTA, the difference of each element from the one "lag" before.
 *
 * The first "lag" elements have none before them.  They have no result if the
 * request's "absent" is the lag, and stay as they are if it is zero.
 */
#ifndef GPUCOMPACT_OPERATIONS_DELTA_H
#define GPUCOMPACT_OPERATIONS_DELTA_H

#include "contract/engine.h"

typedef struct DeltaParameters
{
	int64_t		lag;			/* greater than zero */

	/*
	 * The least and the greatest integer stand for infinity, and there is an
	 * overflow if an element is one of them.
	 */
	bool		infinities;
} DeltaParameters;

#endif							/* GPUCOMPACT_OPERATIONS_DELTA_H */
