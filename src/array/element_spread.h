/*
 * element_spread.h
 *	  Values that are spread over an array's elements, with values for NULLs.
 */
#ifndef GPUCOMPACT_ELEMENT_SPREAD_H
#define GPUCOMPACT_ELEMENT_SPREAD_H

#include "compat.h"

#include "array/null_bitmap.h"

typedef struct ElementSpread
{
	const uint8 *nulls;			/* the bitmap */
	int64		from;			/* the first element */
	int64		to;				/* and the one behind the last */
	bool		repeat;			/* the value before stands for NULLs, */
	char		fill[8];		/* and this for those before the first value */
} ElementSpread;

/* Where the values have to be, in memory that has room for all elements. */
static inline char *
spread_values(const ElementSpread *spread, char *elements, int64 values,
			  int size)
{
	return elements + (spread->to - spread->from - values) * size;
}

/* Leaves out the elements behind the first "values" values. */
static inline void
spread_cut(ElementSpread *spread, int64 values)
{
	spread->to = null_bitmap_values_end(spread->nulls, spread->from,
										spread->to, values);
}

extern void spread_elements(const ElementSpread *spread, char *elements,
							int64 values, int size);

#endif							/* GPUCOMPACT_ELEMENT_SPREAD_H */
