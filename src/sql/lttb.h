/*
 * lttb.h
 *	  The elements of a chart by largest triangle, three buckets.
 */
#ifndef GPUCOMPACT_SQL_LTTB_H
#define GPUCOMPACT_SQL_LTTB_H

#include "array/array_reader.h"

/* Places, in ascending order. */
typedef struct Chosen
{
	int32	   *places;
	int64		count;
} Chosen;

/* Chooses a place, unless this one or a later one has been chosen. */
static inline void
choose_place(Chosen *chosen, int64 place)
{
	if (chosen->count == 0 || chosen->places[chosen->count - 1] < place)
		chosen->places[chosen->count++] = (int32) place;
}

extern int64 lttb_most(int64 n);
extern void lttb_choose(ArrayReader *reader, int64 n, Chosen *chosen);

#endif							/* GPUCOMPACT_SQL_LTTB_H */
