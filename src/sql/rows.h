/*
 * rows.h
 *	  What aggregates share.
 */
#ifndef GPUCOMPACT_ROWS_H
#define GPUCOMPACT_ROWS_H

#include "compat.h"

#include "fmgr.h"

#include "array/array_reader.h"

/* The state that a function's argument is, or NULL. */
static inline void *
state_argument(FunctionCallInfo fcinfo, int argument)
{
	return PG_ARGISNULL(argument) ? NULL : PG_GETARG_POINTER(argument);
}

static inline Datum
return_state(FunctionCallInfo fcinfo, void *state)
{
	if (state == NULL)
		PG_RETURN_NULL();
	PG_RETURN_POINTER(state);
}

extern MemoryContext rows_context(FunctionCallInfo fcinfo);
extern void *aggregate_state(FunctionCallInfo fcinfo);
extern Datum state_to_bytes(const void *state, Size size);
extern void *state_from_bytes(FunctionCallInfo fcinfo);
extern void rows_open(ArrayReader *reader, FunctionCallInfo fcinfo,
					  const char *aggregate, NullHandling null_handling,
					  const ElementValue *fill);
extern void rows_check_type(Oid type, Oid other);
extern void rows_check_length(FunctionCallInfo fcinfo, int64 before,
							  int64 length, int64 row);

#endif							/* GPUCOMPACT_ROWS_H */
