/*
 * state.h
 *	  The type gpu_state: a part of an aggregate's rows, that may travel.
 */
#ifndef GPUCOMPACT_STATE_H
#define GPUCOMPACT_STATE_H

#include "compat.h"

#include "fmgr.h"

#include "array/array_reader.h"

/* What a state is of.  The numbers are part of the format. */
typedef enum StateKind
{
	STATE_VALUES = 1,			/* in order, with NULLs */
	STATE_DISTINCT,				/* in ascending order */
	STATE_AVG,
	STATE_STDDEV
} StateKind;

/* What a state has. */
typedef struct StateParts
{
	StateKind	kind;
	Oid			element;		/* of arrays; 0 for values */
	int64		arrays;
	Datum		packed[2];		/* packed arrays; 0: there is none */
} StateParts;

extern Datum state_pack(const ElementType *type, const void *values,
						int64 nvalues, int64 nitems, const uint8 *nulls);
extern Datum state_write(const StateParts *parts);
extern void state_open(StateParts *parts, Datum state, StateKind wanted);
pg_noreturn extern void state_is_damaged(void);

#endif							/* GPUCOMPACT_STATE_H */
