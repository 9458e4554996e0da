/*
 * spread_bits.h
 *	  The bits of a byte as eight bytes.
 */
#ifndef GPUCOMPACT_SPREAD_BITS_H
#define GPUCOMPACT_SPREAD_BITS_H

#include <stdint.h>

/* 1 in each byte.  A product with it adds up the bytes up to each one. */
#define EACH_BYTE		UINT64_C(0x0101010101010101)

/*
 * A byte for each bit, 1 if the bit is set, the lowest one lowest.  The sum
 * sets the highest bit of bytes that are not zero.
 */
static inline uint64_t
spread_bits(uint8_t bits)
{
	uint64_t	own = (bits * EACH_BYTE) & UINT64_C(0x8040201008040201);

	return (own + 0x7F * EACH_BYTE) >> 7 & EACH_BYTE;
}

#endif							/* GPUCOMPACT_SPREAD_BITS_H */
