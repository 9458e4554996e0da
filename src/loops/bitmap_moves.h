/*
 * bitmap_moves.h
 *	  Moves elements whose bits are set in a bitmap to adjacent places, and from
 *	  there to the places of their bits.
 *
 * An array's values are moved in this way among its NULLs.  The operations are
 * APL's compress and expand.
 */
#ifndef GPUCOMPACT_BITMAP_MOVES_H
#define GPUCOMPACT_BITMAP_MOVES_H

#include <stdint.h>

/* Counts the bits from "first" to before "end" that are set. */
extern int64_t count_bits(const uint8_t *bitmap, int64_t first, int64_t end);

/*
 * Moves the elements of "size" bytes that have the bits from "first" to before
 * "end".  "selected" bits are set.  "to" may be "from".
 */
extern void compress_by_bitmap(void *to, int64_t selected, const void *from,
							   const uint8_t *bitmap, int64_t first,
							   int64_t end, int size);

/*
 * Makes an element for each bit from "first" to before "end": the next one of
 * "values" if the bit is set, and else a copy of "fill".  The values may stand
 * at the end of the elements' memory.
 */
extern void expand_by_bitmap(void *to, const void *values, const void *fill,
							 const uint8_t *bitmap, int64_t first,
							 int64_t end, int size);

#endif							/* GPUCOMPACT_BITMAP_MOVES_H */
