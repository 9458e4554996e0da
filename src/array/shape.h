/*
 * shape.h
 *	  The shape of an array.
 */
#ifndef GPUCOMPACT_SHAPE_H
#define GPUCOMPACT_SHAPE_H

#include "compat.h"

#include "utils/array.h"

/*
 * The elements of an array with these lengths.  Raises an error if there is no
 * such array.
 */
static inline int64
shape_items(int ndim, const int *dims)
{
	if (ndim == 1 && dims[0] >= 0 && dims[0] <= MaxArraySize)
		return dims[0];
	return ArrayGetNItems(ndim, dims);
}

#endif							/* GPUCOMPACT_SHAPE_H */
