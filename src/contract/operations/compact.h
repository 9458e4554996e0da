/*
 * compact.h
 *	  COMPACT: the selected elements, in their order, or their positions.
 */
#ifndef GPUCOMPACT_OPERATIONS_COMPACT_H
#define GPUCOMPACT_OPERATIONS_COMPACT_H

#include "contract/engine.h"

/*
 * In a compaction by a bitmap, the CPU engine's output may be the input's
 * memory.
 *
 * A predicate selects each element x for which order(x) - low, unsigned and of
 * the element's width, is at most "span"; or, if "outside", all others.  The
 * order of an integer is its bits, because the difference does not depend on
 * the sign. order.h has the order of a float, which is canonicalized first.
 */
typedef struct EnginePredicate
{
	uint64_t	low;
	uint64_t	span;
	bool		outside;
} EnginePredicate;

typedef struct CompactParameters
{
	bool		masked;			/* by the second input, of 0 or 1 */
	bool		positions;		/* int4, from 1 on, instead of elements */
	bool		by_bitmap;		/* by the bits of the table, the lowest of a
								 * byte first */
	EnginePredicate predicate;	/* unless masked or by a bitmap */
} CompactParameters;

#endif							/* GPUCOMPACT_OPERATIONS_COMPACT_H */
