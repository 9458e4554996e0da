/*
 * order.h
 *	  The order of floats as unsigned integers, for both engines.
 *
 * PostgreSQL orders floats from -Infinity to Infinity and NaN.  All NaNs are
 * equal, and so are -0 and 0.  A one-to-one mapping turns the bits of floats
 * into unsigned integers of that order, and back.  There -0 comes just before
 * 0, and NaNs with the sign bit come after those without.  Floats that are
 * canonicalized first have equal integers if they are equal.
 */
#ifndef GPUCOMPACT_ORDER_H
#define GPUCOMPACT_ORDER_H

#include "contract/kinds.h"

/* Compares floats in this order, but takes NaNs for equal, and -0 and 0. */
#define FLOAT_LESS(a, b)	(((a) < (b)) | (((a) == (a)) & ((b) != (b))))

/* The NaNs with the sign bit: they move from the start to the end. */
#define FLOAT4_NANS		0x007FFFFFu
#define FLOAT8_NANS		0x000FFFFFFFFFFFFFull

/* Maps a float's bits to an integer. */
ENGINES_INLINE uint32_t
float4_order(uint32_t bits)
{
	return (bits ^ ((uint32_t) ((int32_t) bits >> 31) | 0x80000000u)) -
		FLOAT4_NANS;
}

ENGINES_INLINE uint64_t
float8_order(uint64_t bits)
{
	return (bits ^ ((uint64_t) ((int64_t) bits >> 63) |
					0x8000000000000000ull)) - FLOAT8_NANS;
}

/* The inverse. */
ENGINES_INLINE uint32_t
float4_of_order(uint32_t order)
{
	uint32_t	bits = order + FLOAT4_NANS;

	return bits ^ ((uint32_t) ((int32_t) ~bits >> 31) | 0x80000000u);
}

ENGINES_INLINE uint64_t
float8_of_order(uint64_t order)
{
	uint64_t	bits = order + FLOAT8_NANS;

	return bits ^ ((uint64_t) ((int64_t) ~bits >> 63) |
				   0x8000000000000000ull);
}

/* Replaces -0 by 0, and every NaN by the same one. */
ENGINES_INLINE uint32_t
float4_canonicalize(uint32_t bits)
{
	uint32_t	magnitude = bits << 1;

	return magnitude == 0 ? 0 : magnitude > 0xFF000000u ? 0x7FC00000u : bits;
}

ENGINES_INLINE uint64_t
float8_canonicalize(uint64_t bits)
{
	uint64_t	magnitude = bits << 1;

	return magnitude == 0 ? 0 : magnitude > 0xFFE0000000000000ull ?
		0x7FF8000000000000ull : bits;
}

#endif							/* GPUCOMPACT_ORDER_H */
