/*
 * sort.h
 *	  What the functions that sort, or take percentiles, share.
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

/* top_k.c */
extern char *values_at(ArrayReader *reader, const int32 *places, int64 count);

/* percentile.c */
extern double percentile_number(const ElementType *type, const char *element);
extern void check_fraction(double fraction);

#endif							/* GPUCOMPACT_SORT_H */
