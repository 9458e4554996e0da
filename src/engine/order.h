/*
 * order.h
 *	  The order of floats, as that of unsigned integers, for both engines.
 *
 * PostgreSQL orders floats from -Infinity to Infinity and NaN; all NaNs are
 * equal, and so are -0 and 0.  Their bits map to unsigned integers in that
 * order one to one, so that the integers can be turned back.  There -0 comes
 * just before 0, and NaNs with the sign bit set come after those without.
 * Floats that are made canonical first have equal integers if they are equal.
 */
#ifndef GPUCOMPACT_ORDER_H
#define GPUCOMPACT_ORDER_H

#include <stdint.h>

#ifdef __CUDACC__
#define ORDER_INLINE __host__ __device__ static inline
#else
#define ORDER_INLINE static inline
#endif

/* How many NaNs have the sign bit set: they move from the start to the end. */
#define FLOAT4_NANS		0x007FFFFFu
#define FLOAT8_NANS		0x000FFFFFFFFFFFFFull

/* The integer of a float's bits. */
ORDER_INLINE uint32_t
float4_order(uint32_t bits)
{
	return (bits ^ ((uint32_t) ((int32_t) bits >> 31) | 0x80000000u)) -
		FLOAT4_NANS;
}

ORDER_INLINE uint64_t
float8_order(uint64_t bits)
{
	return (bits ^ ((uint64_t) ((int64_t) bits >> 63) |
					0x8000000000000000ull)) - FLOAT8_NANS;
}

/* The bits that an integer stands for. */
ORDER_INLINE uint32_t
float4_of_order(uint32_t order)
{
	uint32_t	bits = order + FLOAT4_NANS;

	return bits ^ ((uint32_t) ((int32_t) ~bits >> 31) | 0x80000000u);
}

ORDER_INLINE uint64_t
float8_of_order(uint64_t order)
{
	uint64_t	bits = order + FLOAT8_NANS;

	return bits ^ ((uint64_t) ((int64_t) ~bits >> 63) |
				   0x8000000000000000ull);
}

/* Makes 0 of -0, and one NaN of all; other bits stay. */
ORDER_INLINE uint32_t
float4_canonicalize(uint32_t bits)
{
	uint32_t	magnitude = bits << 1;

	return magnitude == 0 ? 0 : magnitude > 0xFF000000u ? 0x7FC00000u : bits;
}

ORDER_INLINE uint64_t
float8_canonicalize(uint64_t bits)
{
	uint64_t	magnitude = bits << 1;

	return magnitude == 0 ? 0 : magnitude > 0xFFE0000000000000ull ?
		0x7FF8000000000000ull : bits;
}

#endif							/* GPUCOMPACT_ORDER_H */
