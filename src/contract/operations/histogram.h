/*
 * histogram.h
 *	  BUCKET and HISTOGRAM: elements among thresholds.
 *
 * The table has the thresholds, ascending, as unsigned integers of an
 * element's width: order(x) - kind_least().
 *
 * The result of BUCKET is, for each element, the int4 number of thresholds
 * that it is not less than.  The summary of HISTOGRAM has the int4 number of
 * elements for which that is i, from i = 0 to the number of thresholds.
 */
#ifndef GPUCOMPACT_OPERATIONS_HISTOGRAM_H
#define GPUCOMPACT_OPERATIONS_HISTOGRAM_H

#include "contract/engine.h"

#endif							/* GPUCOMPACT_OPERATIONS_HISTOGRAM_H */
