/*
 * aggregate.h
 *	  The states of aggregates: what all share; the values of a column, or the
 *	  elements of its arrays, as a state; and the type gpu_state, a part of an
 *	  aggregate's rows, that may travel.
 */
#ifndef GPUCOMPACT_AGGREGATE_H
#define GPUCOMPACT_AGGREGATE_H

#include "compat.h"

#include "fmgr.h"
#include "utils/array.h"

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

/* rows.c */
extern MemoryContext rows_context(FunctionCallInfo fcinfo);
extern void *aggregate_state(FunctionCallInfo fcinfo);
extern Datum state_to_bytes(const void *state, Size size);
extern void rows_open(ArrayReader *reader, FunctionCallInfo fcinfo,
					  const char *aggregate, NullHandling null_handling,
					  const ElementValue *fill);
extern void rows_check_type(Oid type, Oid other);
extern void rows_check_length(FunctionCallInfo fcinfo, int64 before,
							  int64 length, int64 row);

/* What an aggregate has besides the values, and whether duplicates matter. */
typedef enum GatherKind
{
	GATHER_ALL,
	GATHER_DISTINCT,			/* duplicates may be left out */
	GATHER_UNION,				/* they are, of arrays, and a NULL comes last */
	GATHER_FRACTION,
	GATHER_FRACTIONS,
	GATHER_NULL_FRACTION,		/* the fraction, or the fractions, are NULL */
	GATHER_KEYED
} GatherKind;

/*
 * A state is one chunk of memory.  It ends with an array, so that a function of
 * arrays can take the values where they are.
 */
typedef struct Gathered
{
	int64		nulls;			/* with the values, more than an array may
								 * have, for aggregates that skip NULLs */
	int32		nvalues;
	int32		room;			/* for values */
	uint8		kind;			/* a GatherKind */
	uint8		size;			/* of a value */
	int32		row_length;		/* of the arrays of rows, or -1: of none, or of
								 * any length */
	uint8	   *bitmap;			/* NULL if nothing is NULL */
	union
	{
		Datum		fractions;	/* the fraction, or an array */
		struct Gathered *keys;
		struct
		{
			int32		search_room;	/* with less, there is no search for
										 * duplicates */
			int32		in_order;	/* the first values, without duplicates */
		};
	};
	ArrayType	array;			/* its size and shape are not set before the
								 * array is wanted */
	int			length;
	int			lbound;
	/* The values follow. */
} Gathered;

StaticAssertDecl(offsetof(Gathered, array) + ARR_OVERHEAD_NONULLS(1) ==
				 sizeof(Gathered), "values follow the header of an array");

/* gather.c */
pg_noreturn extern void raise_differs(FunctionCallInfo fcinfo,
									  const char *message, const char *hint);
extern ElementType gather_column_type(FunctionCallInfo fcinfo, Oid oid,
									  bool numbers);
extern const ElementType *gather_type(FunctionCallInfo fcinfo, int argument);
extern Gathered *gather_begin(FunctionCallInfo fcinfo, GatherKind kind,
							  const ElementType *type);
extern Gathered *gather_grow(Gathered *state, int64 needed);
extern void gather_note(Gathered *state, bool isnull);
extern Gathered *gather_append(Gathered *state, ArrayReader *reader);
extern int32 gather_count_distinct(Gathered *state, bool leave);
extern Gathered *gather_state(FunctionCallInfo fcinfo, GatherKind kind,
							  const ElementType *type);
extern Datum gather_copy_array(const Gathered *state);
extern Datum gather_array(Gathered *state);
extern Datum gather_values_array(Gathered *state);
extern FunctionCallInfo gather_call(FunctionCallInfo fcinfo,
									PGFunction function, int nargs);

static inline char *
gather_values(const Gathered *state)
{
	return (char *) state + sizeof(Gathered);
}

/* Values and NULLs. */
static inline int64
gather_nitems(const Gathered *state)
{
	return state->nvalues + state->nulls;
}

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

/* state.c */
extern Datum state_pack(const ElementType *type, const void *values,
						int64 nvalues, int64 nitems, const uint8 *nulls);
extern Datum state_write(const StateParts *parts);
extern void state_open(StateParts *parts, Datum state, StateKind wanted);
pg_noreturn extern void state_is_damaged(void);

#endif							/* GPUCOMPACT_AGGREGATE_H */
