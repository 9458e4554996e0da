/*
 * bitmap_frames.h
 *	  The bits in frames that slide over a bitmap.
 */
#ifndef GPUCOMPACT_BITMAP_FRAMES_H
#define GPUCOMPACT_BITMAP_FRAMES_H

#include <stdint.h>

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

#endif							/* GPUCOMPACT_BITMAP_FRAMES_H */
