/*
 * float_order.h
 *	  The order in which floats are added and multiplied, for both engines.
 *
 * Sums of floats depend on the order of summation.  Here is the one order,
 * which depends on nothing but where in the array an element stands.  The
 * array is cut into blocks of 4096 elements, and each of these into runs of
 * 64; only the last ones are shorter.  Of an element, with "op" for the
 * operator,
 *
 *	  s		is what its run comes to up to it: a[i] itself if it is the run's
 *			first, else the s before it, op a[i];
 *	  r		is what the runs before its own in the block come to: the identity
 *			for the first run, else the r of the run before, op that run's last
 *			s;
 *	  c		is what the blocks before its own come to: the identity for the
 *			first block, else the result at the last element before it;
 *
 * and the result is (c op r) op s.  The identity is -0 for sums, as -0 + x is
 * x for every x, and 1 for products.  So 64 runs can be summed side by side,
 * and rounding errors grow more slowly than in a sum from left to right.
 *
 * An operation overflows if its result is infinite and neither operand is; and
 * a product does downwards if it is zero and neither operand is.  That holds
 * for each of the operations above, as core holds it for its own: where a part
 * of a sum overflows, the call fails, though from left to right the sum might
 * have stayed in range.
 *
 * Which NaN an operation gives differs between processors, so that in a sum
 * or product it is always the same one, as it is in a difference.  No sum is
 * fused with a product.
 */
#ifndef GPUCOMPACT_FLOAT_ORDER_H
#define GPUCOMPACT_FLOAT_ORDER_H

#include "engine/engine.h"

#define FLOAT_BLOCK		PIECE_MULTIPLE
#define FLOAT_RUN		64
#define FLOAT_RUNS		(FLOAT_BLOCK / FLOAT_RUN)

#endif							/* GPUCOMPACT_FLOAT_ORDER_H */
