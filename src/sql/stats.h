/*
 * stats.h
 *	  Core's moments of integers, and integers of more than 64 bits as numerics.
 */
#ifndef GPUCOMPACT_STATS_H
#define GPUCOMPACT_STATS_H

#include "compat.h"

#include "utils/numeric.h"

#include "contract/kinds.h"
#include "contract/operations/stats.h"

static inline Datum
numeric_datum(int64 integer)
{
	return NumericGetDatum(int64_to_numeric(integer));
}

extern Datum wide_numeric(WideInteger wide);
extern Datum sum_datum(ElementKind kind, double floats, WideInteger integers,
					   bool wide);
extern double integer_stddev(WideInteger sum, WideInteger squares,
							 int64 count);

#endif							/* GPUCOMPACT_STATS_H */
