/*
 * runs.h
 *	  The distinct values of an array, for several families.
 */
#ifndef GPUCOMPACT_RUNS_H
#define GPUCOMPACT_RUNS_H

#include "array/array_reader.h"
#include "call/temporary.h"

extern int64 distinct_values(ArrayReader *reader, ArrayReader *second,
							 void *values, bool stays);
extern TemporaryArray *temporary_distinct(ArrayReader *reader);

#endif							/* GPUCOMPACT_RUNS_H */
