/*
 * packed_decimal.h
 *	  Floats as integers that are multiplied or divided by a number.
 *
 * Source: Afroozeh, Kuffo and Boncz, "ALP: Adaptive Lossless Floating-Point
 * Compression", SIGMOD 2024.  There all floats are products of two powers of
 * ten; here they are quotients by one, which is what a decimal in text
 * becomes, or products, which is what programs make of a sensor's integers.
 */
#ifndef GPUCOMPACT_PACKED_DECIMAL_H
#define GPUCOMPACT_PACKED_DECIMAL_H

#include "packed/packed_format.h"

/* A number, and how floats are made of integers with it. */
typedef struct DecimalScale
{
	PackedMapping mapping;		/* PACKED_DIVIDED or PACKED_MULTIPLIED */
	double		number;
	double		factor;			/* by which floats become integers */
} DecimalScale;

/* The floats of a block that are no integers of a scale. */
typedef struct DecimalExceptions
{
	int			count;
	uint16_t	positions[PACKED_BLOCK];
} DecimalExceptions;

/* The integers whose absolute values are less than this are packed. */
#define DECIMAL_LIMIT		2251799813685248.0	/* 2^51 */

/*
 * Integers of fewer than 52 bits become floats, and back, by the addition of a
 * float whose last bit is worth one.  Other integers become some other float.
 */
#define DECIMAL_SHIFT		6755399441055744.0	/* 2^52 + 2^51 */
#define DECIMAL_SHIFT_BITS	0x4338000000000000ull

PACKED_INLINE double
decimal_of_integer(uint64_t integer)
{
	double		shifted;

	integer += DECIMAL_SHIFT_BITS;
	memcpy(&shifted, &integer, sizeof(shifted));
	return shifted - DECIMAL_SHIFT;
}

PACKED_INLINE uint64_t
integer_of_decimal(double decimal)
{
	double		shifted = decimal + DECIMAL_SHIFT;
	uint64_t	bits;

	memcpy(&bits, &shifted, sizeof(bits));
	return bits - DECIMAL_SHIFT_BITS;
}

/* Integers become the bits of floats. */
extern void floats_of_integers(ElementKind kind, const DecimalScale *scale,
							   const uint64_t *integers, int count,
							   void *floats);

/*
 * Finds a scale for most of the floats, by a sample.  Returns false if there
 * is none.
 */
extern bool find_scale(ElementKind kind, const void *floats, int count,
					   DecimalScale *scale);

/*
 * Makes integers of floats.  floats_of_integers() makes the same bits again,
 * except for the exceptions; in their places, the integers are some that take
 * few bits.  The scale may change.  Returns false if there are too many
 * exceptions.
 */
extern bool integers_of_floats(ElementKind kind, DecimalScale *scale,
							   const void *floats, int count,
							   int64_t *integers,
							   DecimalExceptions *exceptions);

#endif							/* GPUCOMPACT_PACKED_DECIMAL_H */
