/*
 * bitmap_take.h
 *	  The bits of a bitmap at given positions.
 */
#ifndef GPUCOMPACT_BITMAP_TAKE_H
#define GPUCOMPACT_BITMAP_TAKE_H

#include <stdint.h>

/*
 * Sets or clears "count" bits of "taken", from its first one on: each is the bit
 * of "bitmap", which has "nbits" of them, at a position, counted from 1.  It is
 * cleared if there is no such position.  Without a bitmap, all bits are set.
 */
extern void take_bits(uint8_t *taken, const uint8_t *bitmap, uint32_t nbits,
					  const int32_t *positions, int64_t count);

#endif							/* GPUCOMPACT_BITMAP_TAKE_H */
