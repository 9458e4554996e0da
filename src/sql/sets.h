/*
 * sets.h
 *	  The union of two arrays in order, for other families.
 */
#ifndef GPUCOMPACT_SETS_H
#define GPUCOMPACT_SETS_H

#include "array/array_reader.h"

extern int64 merge_values(ArrayReader *first, ArrayReader *second,
						  void *values);

#endif							/* GPUCOMPACT_SETS_H */
