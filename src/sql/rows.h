/*
 * rows.h
 *	  What the aggregates over arrays share.
 */
#ifndef GPUCOMPACT_ROWS_H
#define GPUCOMPACT_ROWS_H

#include "compat.h"

#include "fmgr.h"

#include "array/array_reader.h"

extern MemoryContext rows_context(FunctionCallInfo fcinfo);
extern void rows_open(ArrayReader *reader, FunctionCallInfo fcinfo,
					  const char *aggregate, NullHandling null_handling,
					  const ElementValue *fill);
extern void rows_check_type(Oid type, Oid other);
extern void rows_check_length(FunctionCallInfo fcinfo, int64 before,
							  int64 length, int64 row);

#endif							/* GPUCOMPACT_ROWS_H */
