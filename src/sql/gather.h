/*
 * gather.h
 *	  The values of a column, or the elements of its arrays, as the state of an
 *	  aggregate.
 */
#ifndef GPUCOMPACT_GATHER_H
#define GPUCOMPACT_GATHER_H

#include "compat.h"

#include "fmgr.h"
#include "utils/array.h"

#include "array/array_reader.h"

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
		double		fraction;
		ArrayType  *fractions;
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

extern bool gather_is_reversed(FunctionCallInfo fcinfo);
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

#endif							/* GPUCOMPACT_GATHER_H */
