/*
 * packed_integers.h
 *	  Packing the integers of a block by the scheme that takes the fewest
 *	  bytes.
 */
#ifndef GPUCOMPACT_PACKED_INTEGERS_H
#define GPUCOMPACT_PACKED_INTEGERS_H

#include "packed/packed_frame.h"

/* The integers of a block, and how they are written best. */
typedef struct PackedIntegers
{
	int			count;
	int			width;			/* bits of an integer; others do not count */
	PackedScheme scheme;
	int64_t		bytes;			/* as far as can be told without writing */
	int			number;			/* of distinct values or of runs */
	FramePlan	frame;			/* of integers, differences, numbers, lengths */
	FramePlan	value_frame;	/* of distinct values or of runs */

	/* The integers are origin + step * integers[i]. */
	uint64_t	origin;
	uint64_t	step;
	int64_t		integers[PACKED_BLOCK];
	int64_t		differences[PACKED_BLOCK];

	/* Distinct values and each integer's; or the values of runs and lengths. */
	int64_t		values[PACKED_BLOCK];
	int64_t		numbers[PACKED_BLOCK];
} PackedIntegers;

/*
 * Plans how to write "count" integers, 1 to PACKED_BLOCK, of "width" bits;
 * they are origin + those given.
 */
extern void plan_integers(PackedIntegers *plan, const int64_t *integers,
						  int count, int width, uint64_t origin);

/* Writes what has been planned, and returns its bytes. */
extern int64_t write_integers(const PackedIntegers *plan, uint8_t *bytes);

/* The bits that the directory shows. */
static inline int
integers_bits(const PackedIntegers *plan)
{
	return plan->scheme == PACKED_CONSTANT ? 0 :
		plan->scheme == PACKED_RUNS ? plan->value_frame.bits :
		plan->frame.bits;
}

#endif							/* GPUCOMPACT_PACKED_INTEGERS_H */
