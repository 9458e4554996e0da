/*
 * packed_frame.h
 *	  Frames: integers as a base and a few bits each.  All schemes use them.
 *
 *		integer = base + step * (bits + exception * 2 ^ number of bits)
 *
 * modulo 2 ^ width.  Most integers have no exception.  The step is 1 unless
 * all integers differ by multiples of another number.  Source of the
 * exceptions: Zukowski and others, "Super-Scalar RAM-CPU Cache Compression",
 * ICDE 2006.
 *
 *		counts of exceptions, uint8[4] | bits, uint8 | bytes of an exception,
 *		uint8 | flags, uint8 | 0, uint8 | base, uint64 | step, uint64, if the
 *		flag says so | words | exceptions' values | their positions, uint8 each
 */
#ifndef GPUCOMPACT_PACKED_FRAME_H
#define GPUCOMPACT_PACKED_FRAME_H

#include "packed/packed_format.h"

/* How integers are best written as a frame. */
typedef struct FramePlan
{
	int64_t		base;
	int			bits;
	int			exceptions;
	int64_t		bytes;			/* as far as can be told without writing */
} FramePlan;

PACKED_INLINE uint32_t
bits_mask(int bits)
{
	return bits >= 32 ? UINT32_MAX : (1u << bits) - 1;
}

/* The bits that a number has. */
static inline int
bits_of(uint64_t number)
{
	return number == 0 ? 0 : 64 - __builtin_clzll(number);
}

/* The bytes that a signed number takes: 1, 2, 4 or 8. */
static inline int
bytes_of(int64_t number)
{
	int			bits = bits_of((uint64_t) (number ^ number >> 63)) + 1;

	return bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
}

/*
 * Chooses base and bits for 1 to PACKED_BLOCK integers, so that the frame has
 * few bytes.
 */
extern void plan_frame(FramePlan *plan, const int64_t *integers, int count,
					   int width);

/*
 * Writes a frame, whose integers are origin + step * those given.  Returns its
 * bytes.
 */
extern int64_t write_frame(const FramePlan *plan, const int64_t *integers,
						   int count, uint64_t origin, uint64_t step,
						   uint8_t *bytes);

#endif							/* GPUCOMPACT_PACKED_FRAME_H */
