/*
 * extremes.h
 *	  EXTREMES: the first of the least and of the greatest elements of each
 *	  bucket of elements that are next to each other.
 *
 * The table has the int64 number of elements up to the end of each bucket,
 * ascending, and none twice; the last is no less than the count.  The summary
 * has the EngineExtremes of each bucket.
 */
#ifndef GPUCOMPACT_OPERATIONS_EXTREMES_H
#define GPUCOMPACT_OPERATIONS_EXTREMES_H

#include "contract/engine.h"

/* Positions from 1 on, and order(x) - kind_least(). */
typedef struct EngineExtremes
{
	uint64_t	least;
	uint64_t	greatest;
	int32_t		least_at;
	int32_t		greatest_at;
} EngineExtremes;

#endif							/* GPUCOMPACT_OPERATIONS_EXTREMES_H */
