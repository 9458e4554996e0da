/*
 * sort.h
 *	  What the functions that sort share.
 */
#ifndef GPUCOMPACT_SORT_H
#define GPUCOMPACT_SORT_H

#include "compat.h"

#include "call/call.h"

typedef struct SortOrder
{
	bool		descending;
	bool		nulls_first;
} SortOrder;

extern void sort_positions(ArrayReader *reader, SortOrder order, bool stays,
						   int32 *positions);

#endif							/* GPUCOMPACT_SORT_H */
