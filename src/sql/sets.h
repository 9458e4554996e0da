/*
 * sets.h
 *	  The distinct values of arrays, for several families.
 */
#ifndef GPUCOMPACT_SETS_H
#define GPUCOMPACT_SETS_H

#include "call/temporary.h"

/* runs.c */
extern int64 distinct_values(ArrayReader *reader, ArrayReader *second,
							 void *values, bool stays);
extern int64 count_distinct_values(ArrayReader *reader, void *room);
extern TemporaryArray *temporary_distinct(ArrayReader *reader);
extern void open_again(ArrayReader *again, ArrayReader *reader, int64 count);

/* sets.c */
extern int64 merge_values(ArrayReader *first, ArrayReader *second,
						  void *values);

#endif							/* GPUCOMPACT_SETS_H */
