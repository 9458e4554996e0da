/*
 * where.h
 *	  WHERE: the elements of the second input where the first input, a mask of
 *	  bytes of 0 and 1, is 1; elsewhere the elements of the third input, or a
 *	  value.
 */
#ifndef GPUCOMPACT_OPERATIONS_WHERE_H
#define GPUCOMPACT_OPERATIONS_WHERE_H

#include "contract/engine.h"

typedef struct WhereParameters
{
	char		value[8] __attribute__((aligned(8)));	/* an element, in its
														 * first bytes, if
														 * there are two
														 * inputs */
} WhereParameters;

#endif							/* GPUCOMPACT_OPERATIONS_WHERE_H */
