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
 */
#ifndef GPUCOMPACT_PACKED_FRAME_H
#define GPUCOMPACT_PACKED_FRAME_H

#include "packed/packed_format.h"

/* Bytes that are still to be read. */
typedef struct PackedCursor
{
	const uint8_t *at;
	int64_t		left;
} PackedCursor;

/* A frame in bytes, which is within these bytes. */
typedef struct PackedFrame
{
	int			count;			/* integers */
	int			bits;
	uint64_t	base;
	uint64_t	step;
	const uint8_t *words;

	/* How many exceptions each quarter has, their bytes, and where they are. */
	int			exceptions[FRAME_QUARTERS];
	int			exception_bytes;
	const uint8_t *values;
	const uint8_t *positions;
} PackedFrame;

/* How integers are best written as a frame. */
typedef struct FramePlan
{
	int64_t		base;
	int			bits;
	int			exceptions;
	int64_t		bytes;			/* as far as can be told without writing */
} FramePlan;

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

/* Takes the next bytes, or returns NULL if these are not all there. */
static inline const uint8_t *
take_bytes(PackedCursor *cursor, int64_t bytes)
{
	const uint8_t *taken = cursor->at;

	if (bytes > cursor->left)
		return NULL;
	cursor->at += bytes;
	cursor->left -= bytes;
	return taken;
}

PACKED_INLINE int
exception_position(const PackedFrame *frame, int quarter, int number)
{
	return quarter * FRAME_QUARTER + frame->positions[number];
}

/*
 * Takes a frame of "count" integers of "width" bits, 1 to PACKED_BLOCK of
 * them.  Returns false if the bytes are none.
 */
extern bool take_frame(PackedCursor *cursor, int count, int width,
					   PackedFrame *frame);

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
