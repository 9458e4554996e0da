/*
 * packed_format.h
 *	  What the files of this folder share: where things are in a packed array,
 *	  and how numbers are read and written.  src/packed/README.md has the
 *	  format.
 */
#ifndef GPUCOMPACT_PACKED_FORMAT_H
#define GPUCOMPACT_PACKED_FORMAT_H

#include <string.h>

#include "contract/order.h"
#include "packed/packed.h"

#define PACKED_INLINE	static inline __attribute__((always_inline))

/* All is rounded up to a multiple of this. */
#define PACKED_ALIGN(bytes)	(((bytes) + 7) & ~(int64_t) 7)

/* The factor or divisor of a decimal block, and its number of exceptions. */
#define PACKED_DECIMAL_HEAD	16

/* Before the integers of PACKED_DICTIONARY and PACKED_RUNS: their number. */
#define PACKED_NUMBER_HEAD	8

/* Before the words of a frame. */
#define FRAME_HEAD			16
#define FRAME_HAS_STEP		1

/* Exceptions are counted for each of these many integers, by a byte. */
#define FRAME_QUARTER		256
#define FRAME_QUARTERS		(PACKED_BLOCK / FRAME_QUARTER)

/* Numbers in a packed array have their lowest byte first, as in memory. */
#define PACKED_NUMBER(type, load, store) \
	PACKED_INLINE type \
	load(const void *bytes) \
	{ \
		type		number; \
\
		memcpy(&number, bytes, sizeof(number)); \
		return number; \
	} \
	PACKED_INLINE void \
	store(void *bytes, type number) \
	{ \
		memcpy(bytes, &number, sizeof(number)); \
	}

PACKED_NUMBER(uint16_t, load_16, store_16)
PACKED_NUMBER(uint32_t, load_32, store_32)
PACKED_NUMBER(uint64_t, load_64, store_64)

/* A number of 1, 2, 4 or 8 bytes. */
PACKED_INLINE uint64_t
load_sized(const void *bytes, int size)
{
	return size == 1 ? *(const uint8_t *) bytes :
		size == 2 ? load_16(bytes) :
		size == 4 ? load_32(bytes) : load_64(bytes);
}

PACKED_INLINE void
store_sized(void *bytes, uint64_t number, int size)
{
	if (size == 1)
		*(uint8_t *) bytes = (uint8_t) number;
	else if (size == 2)
		store_16(bytes, (uint16_t) number);
	else if (size == 4)
		store_32(bytes, (uint32_t) number);
	else
		store_64(bytes, number);
}

/*
 * Integers in lanes.  Integer i of a frame is in lane i % lanes, row i /
 * lanes.  A lane is a stream of bits, from the lowest on, in words of 32 bits;
 * word w of lane l is number w * lanes + l.  So neighbours are in neighbouring
 * words, and gcc makes vector code of the loops over lanes.
 *
 * Source of the layout: Afroozeh and Boncz, "The FastLanes Compression
 * Layout", VLDB 2023.  It is theirs for lanes of 32 bits, without its order of
 * rows.
 */
static inline int
frame_lanes(int count)
{
	return count <= 256 ? 8 : 32;
}

/* Bytes of the words for "count" integers of up to 32 bits. */
static inline int
words_bytes(int count, int bits)
{
	int			lanes = frame_lanes(count);
	int			rows = (count + lanes - 1) / lanes;

	return (rows * bits + 31) / 32 * lanes * 4;
}

/* Of up to 64 bits: the lower 32 of all of them are in front of the others. */
static inline int
frame_words_bytes(int count, int bits)
{
	return bits <= 32 ? words_bytes(count, bits) :
		words_bytes(count, 32) + words_bytes(count, bits - 32);
}

/* Bytes of a frame without a step. */
static inline int64_t
frame_bytes(int count, int bits, int exceptions, int exception_bytes)
{
	return FRAME_HEAD + frame_words_bytes(count, bits) +
		PACKED_ALIGN(exceptions * (exception_bytes + 1));
}

/*
 * Returns a checksum of "length" bytes, a multiple of 4.  An error in the
 * words of a single lane is always noticed; any other error is missed once in
 * 2^32 cases.
 */
extern uint32_t packed_checksum(uint32_t seed, const void *bytes,
								int64_t length);

#endif							/* GPUCOMPACT_PACKED_FORMAT_H */
