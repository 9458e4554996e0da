/*
 * stats.h
 *	  Core's moments of integers, for other functions.
 */
#ifndef GPUCOMPACT_STATS_H
#define GPUCOMPACT_STATS_H

#include "compat.h"

#include "contract/operations/stats.h"

extern double integer_stddev(WideInteger sum, WideInteger squares,
							 int64 count);

#endif							/* GPUCOMPACT_STATS_H */
