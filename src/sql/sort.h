/*
 * sort.h
 *	  What the functions that sort, find distinct values or take percentiles
 *	  share.
 */
#ifndef GPUCOMPACT_SORT_H
#define GPUCOMPACT_SORT_H

#include "call/temporary.h"

typedef struct SortOrder
{
	bool		descending;
	bool		nulls_first;
} SortOrder;

extern void sort_positions(ArrayReader *reader, SortOrder order, bool stays,
						   int32 *positions);

/* runs.c */
extern int64 distinct_values(ArrayReader *reader, ArrayReader *second,
							 void *values, bool stays);
extern int64 count_distinct_values(ArrayReader *reader, void *room);
extern TemporaryArray *temporary_distinct(ArrayReader *reader);
extern void open_again(ArrayReader *again, ArrayReader *reader, int64 count);

/* sets.c */
extern int64 merge_values(ArrayReader *first, ArrayReader *second,
						  void *values);

/* take.c */
extern Datum take_elements(ArrayReader *reader, ArrayReader *positions);

/* top_k.c */
extern char *values_at(ArrayReader *reader, const int32 *places, int64 count);

/* percentile.c */
extern double percentile_number(const ElementType *type, const char *element);
extern void check_fraction(double fraction);

#endif							/* GPUCOMPACT_SORT_H */
