/*
 * wide_numeric.h
 *	  Integers of more than 64 bits as numerics.
 */
#ifndef GPUCOMPACT_WIDE_NUMERIC_H
#define GPUCOMPACT_WIDE_NUMERIC_H

#include "compat.h"

#include "contract/operations/stats.h"

extern WideInteger wide_negate(WideInteger wide);
extern WideInteger wide_magnitude(WideInteger wide);
extern Datum wide_numeric(WideInteger wide);

#endif							/* GPUCOMPACT_WIDE_NUMERIC_H */
