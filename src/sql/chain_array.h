/*
 * chain_array.h
 *	  An array that goes from one step of a chain to the next.
 */
#ifndef GPUCOMPACT_CHAIN_ARRAY_H
#define GPUCOMPACT_CHAIN_ARRAY_H

#include "array/absent.h"
#include "call/choice.h"

typedef struct ChainArray
{
	AbsentArray base;			/* base.array is NULL if it is not absent */

	/* Computes the array again, in the current memory context. */
	Datum		(*compute) (struct ChainArray *array);
} ChainArray;

/* Returns whether the elements are somewhere else. */
static inline bool
chain_array_is_absent(const ChainArray *array)
{
	return array->base.array != NULL;
}

/* Returns whether the elements are computed by stages. */
static inline bool
chain_array_is_staged(const ChainArray *array)
{
	return chain_array_is_absent(array) && array->base.staged != NULL;
}

/*
 * Returns whether the elements are still to be computed, by stages or by
 * unpacking, from the arguments of the step.
 */
static inline bool
chain_array_is_pending(const ChainArray *array)
{
	return chain_array_is_staged(array) ||
		(chain_array_is_absent(array) && array->base.packed != (Datum) 0);
}

extern void chain_array_begin(bool may_be_absent, const LaterCall *later);
extern void chain_array_end(ChainArray *array, Datum result);
extern void chain_array_check(ChainArray *array);
extern void chain_array_fetch(Datum value);
extern void chain_array_done(ChainArray *array);
extern bool chain_arrays_drop(AbsentArray *before);

#endif							/* GPUCOMPACT_CHAIN_ARRAY_H */
