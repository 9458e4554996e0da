/*
 * bitmap_take.c
 *	  The bits of a bitmap at given positions.
 */
#include <stdbool.h>
#include <string.h>

#include "contract/cpu_clones.h"
#include "loops/bitmap_take.h"

/* A bit; 0 if there is no such position. */
static inline unsigned
take_bit(const uint8_t *bitmap, uint32_t nbits, int32_t position)
{
	uint32_t	bit = (uint32_t) position - 1;

	if (bit >= nbits)
		return 0;
	return bitmap == NULL ? 1 : bitmap[bit / 8] >> bit % 8 & 1;
}

static void
take_each(uint8_t *taken, const uint8_t *bitmap, uint32_t nbits,
		  const int32_t *positions, int64_t from, int64_t count)
{
	for (; from < count; from += 8)
	{
		int			bits = count - from < 8 ? (int) (count - from) : 8;
		unsigned	byte = 0;

		for (int i = 0; i < bits; i++)
			byte |= take_bit(bitmap, nbits, positions[from + i]) << i;
		taken[from / 8] = (uint8_t) byte;
	}
}

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

/*
 * Takes the bits of whole vectors, and returns how many.  Each is in four bytes
 * that are loaded together, the last ones of the bitmap at most.
 */
static __attribute__((target("avx512f"))) int64_t
take_vectors(uint8_t *taken, const uint8_t *bitmap, uint32_t nbits,
			 const int32_t *positions, int64_t count)
{
	const __m512i one = _mm512_set1_epi32(1);
	const __m512i all = _mm512_set1_epi32((int) nbits);
	const __m512i last = _mm512_set1_epi32((int) ((nbits + 7) / 8 - 4));
	int64_t		at = 0;

	for (; at + 16 <= count; at += 16)
	{
		__m512i		bit = _mm512_sub_epi32(_mm512_loadu_si512(positions + at),
										   one);
		__mmask16	exist = _mm512_cmplt_epu32_mask(bit, all);
		__m512i		byte = _mm512_min_epu32(_mm512_srli_epi32(bit, 3), last);
		__m512i		bytes = _mm512_mask_i32gather_epi32
			(_mm512_setzero_si512(), exist, byte, bitmap, 1);
		__m512i		shift = _mm512_sub_epi32(bit, _mm512_slli_epi32(byte, 3));
		uint16_t	bits = _mm512_mask_test_epi32_mask
			(exist, _mm512_srlv_epi32(bytes, shift), one);

		memcpy(taken + at / 8, &bits, sizeof(bits));
	}
	return at;
}

#else

static int64_t
take_vectors(uint8_t *taken, const uint8_t *bitmap, uint32_t nbits,
			 const int32_t *positions, int64_t count)
{
	return 0;
}

#endif

void
take_bits(uint8_t *taken, const uint8_t *bitmap, uint32_t nbits,
		  const int32_t *positions, int64_t count)
{
	int64_t		from = 0;

	/* The bitmap has at least four bytes. */
	if (bitmap != NULL && nbits > 24 && CPU_HAS_AVX512)
		from = take_vectors(taken, bitmap, nbits, positions, count);
	take_each(taken, bitmap, nbits, positions, from, count);
}
