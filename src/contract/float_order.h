/*
 * float_order.h
 *	  The order in which both engines add and multiply floats.
 *
 * A sum of floats depends on the order of its additions.  Both engines use the
 * same order, which depends only on the positions of the elements.  The array
 * is divided into tiles of FLOAT_TILE elements, and each tile into segments of
 * FLOAT_SEGMENT elements; the last ones may be shorter.  With "op" for the
 * operator, each element has
 *
 *	  s		the inclusive prefix in its segment, from left to right: the
 *			element itself if it is the first, else the preceding s, op the
 *			element;
 *	  r		the exclusive prefix of its segment in the tile: the identity for
 *			the first segment, else the preceding segment's r, op that
 *			segment's last s;
 *	  c		the exclusive prefix of its tile in the array: the identity for
 *			the first tile, else the result at the preceding tile's last
 *			element;
 *
 * and its result is (c op r) op s.  The identity is -0 for sums, because
 * -0 + x is x for every x, and 1 for products.  The segments of a tile can be
 * scanned in parallel, and rounding errors grow more slowly than in a sum from
 * left to right.
 *
 * An operation overflows if its result is infinite and neither operand is.  A
 * product underflows if it is zero and neither operand is.  Each operation
 * above is checked, as core checks its own: if a partial sum overflows, the
 * call fails, even if the sum from left to right would have stayed in range.
 *
 * The NaN that an operation returns differs between processors.  A result that
 * is a NaN is therefore replaced by one canonical NaN.  No multiplication is
 * fused with an addition.
 */
#ifndef GPUCOMPACT_FLOAT_ORDER_H
#define GPUCOMPACT_FLOAT_ORDER_H

#include "contract/engine.h"

/* These define results; they are not tunings. */
#define FLOAT_TILE		PIECE_MULTIPLE
#define FLOAT_SEGMENT	64
#define FLOAT_SEGMENTS	(FLOAT_TILE / FLOAT_SEGMENT)

#endif							/* GPUCOMPACT_FLOAT_ORDER_H */
