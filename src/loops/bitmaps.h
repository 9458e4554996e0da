/*
 * bitmaps.h
 *	  Loops over the bits of bitmaps, and moves of elements by them.
 *
 * An array's values are moved in this way among its NULLs.  The operations are
 * APL's compress and expand.
 */
#ifndef GPUCOMPACT_BITMAPS_H
#define GPUCOMPACT_BITMAPS_H

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

/*
 * Sets or clears "count" bits of "taken", from its first one on: each is the bit
 * of "bitmap", which has "nbits" of them, at a position, counted from 1.  It is
 * cleared if there is no such position.  Without a bitmap, all bits are set.
 */
extern void take_bits(uint8_t *taken, const uint8_t *bitmap, uint32_t nbits,
					  const int32_t *positions, int64_t count);

/* A bitmap, and the next frame's bits. */
typedef struct BitFrames
{
	const uint8_t *bitmap;
	int64_t		nbits;
	int64_t		enters;			/* its last bit; may be behind the bitmap */
	int64_t		leaves;			/* the bit in front; may be negative */
	int64_t		ones;			/* set bits of the frame in front of it */
} BitFrames;

/*
 * Counts the bits that are set in each of the next "count" frames, which is a
 * multiple of 8.
 */
extern void count_ones(BitFrames *frames, int32_t *ones, int64_t count);

#endif							/* GPUCOMPACT_BITMAPS_H */
