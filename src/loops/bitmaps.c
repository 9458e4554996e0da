/*
 * bitmaps.c
 *	  Loops over the bits of bitmaps, and moves of elements by them.
 *
 * No element is overwritten before it is read.  Compression moves elements
 * towards the beginning.  The values that expansion reads may stand at the end
 * of the elements' memory: there are never more values left than places to
 * fill.
 */
#include <stdbool.h>
#include <string.h>

#include "contract/cpu_clones.h"
#include "contract/kinds.h"
#include "loops/bitmaps.h"

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

#define MOVES_INLINE	static inline __attribute__((always_inline))

/* How far a move is. */
typedef struct BitmapMove
{
	char	   *to;
	const char *from;
	const uint8_t *bitmap;
	int64_t		next;			/* bit */
	int64_t		end;			/* behind the last bit */
} BitmapMove;

CPU_CLONES int64_t
count_bits(const uint8_t *bitmap, int64_t first, int64_t end)
{
	int64_t		count = 0;

	for (; first < end && first % 8 != 0; first++)
		count += bitmap[first / 8] >> first % 8 & 1;
	for (; end - first >= 64; first += 64)
	{
		uint64_t	bits;

		memcpy(&bits, bitmap + first / 8, sizeof(bits));
		count += __builtin_popcountll(bits);
	}
	for (; first < end; first++)
		count += bitmap[first / 8] >> first % 8 & 1;
	return count;
}

/* How many of the bits up to "end" are in the next byte. */
MOVES_INLINE int
bits_of_byte(const BitmapMove *move, int64_t end)
{
	int			count = 8 - (int) (move->next % 8);

	return end - move->next < count ? (int) (end - move->next) : count;
}

/* Moves eight elements that stay adjacent. */
MOVES_INLINE void
move_eight(BitmapMove *move, int size)
{
	char		elements[8 * sizeof(int64_t)];

	memcpy(elements, move->from, 8 * size);
	memcpy(move->to, elements, 8 * size);
	move->from += 8 * size;
	move->to += 8 * size;
	move->next += 8;
}

/* Expands up to the bit "end", without a branch for an element. */
MOVES_INLINE void
expand_elements(BitmapMove *move, const char *fill, int64_t end, int size)
{
	while (move->next < end)
	{
		int			count = bits_of_byte(move, end);
		unsigned	bits = move->bitmap[move->next / 8] >> move->next % 8;

		if (bits == 0xFF && count == 8)
		{
			move_eight(move, size);
			continue;
		}
		for (int i = 0; i < count; i++)
		{
			const char *sources[] = {fill, move->from};
			int			is_value = bits >> i & 1;

			memmove(move->to, sources[is_value], size);
			move->from += is_value * size;
			move->to += size;
		}
		move->next += count;
	}
}

/*
 * Compresses up to the bit "end", or until there is no room, without a branch
 * for an element.
 */
MOVES_INLINE void
compress_elements(BitmapMove *move, const char *to_end, int64_t end, int size)
{
	while (move->next < end && move->to < to_end)
	{
		int			count = bits_of_byte(move, end);
		unsigned	bits = move->bitmap[move->next / 8] >> move->next % 8;

		if (bits == 0xFF && count == 8)
		{
			move_eight(move, size);
			continue;
		}
		for (int i = 0; i < count && move->to < to_end; i++)
		{
			memmove(move->to, move->from, size);
			move->to += (bits >> i & 1) * size;
			move->from += size;
		}
		move->next += count;
	}
}

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

#define HAS_VBMI2			CPU_MAY_USE(CPU_AVX512, "avx512vbmi2")

#define AVX2_TARGET			__attribute__((target("avx2,popcnt")))
#define AVX512_TARGET		__attribute__((target("avx512f,popcnt,bmi2")))
#define VBMI2_TARGET \
	__attribute__((target("avx512vbmi2,avx512bw,popcnt,bmi2")))

#define MOVES_TARGET		VBMI2_TARGET
#define MOVES_ITEM			int8_t
#define MOVES_BITS			uint64_t
#define MOVES_NAME(name)	name##_1_vbmi2
#define MOVES_OP(name)		_mm512_##name##_epi8
#include "loops/bitmap_moves_template.h"

#define MOVES_TARGET		VBMI2_TARGET
#define MOVES_ITEM			int16_t
#define MOVES_BITS			uint32_t
#define MOVES_NAME(name)	name##_2_vbmi2
#define MOVES_OP(name)		_mm512_##name##_epi16
#include "loops/bitmap_moves_template.h"

#define MOVES_TARGET		AVX512_TARGET
#define MOVES_ITEM			int32_t
#define MOVES_BITS			uint16_t
#define MOVES_NAME(name)	name##_4_avx512
#define MOVES_OP(name)		_mm512_##name##_epi32
#include "loops/bitmap_moves_template.h"

#define MOVES_TARGET		AVX512_TARGET
#define MOVES_ITEM			int64_t
#define MOVES_BITS			uint8_t
#define MOVES_NAME(name)	name##_8_avx512
#define MOVES_OP(name)		_mm512_##name##_epi64
#include "loops/bitmap_moves_template.h"

/* How many bits before each one of a byte are set, a byte for each. */
static inline uint64_t
bits_before(uint8_t bits)
{
	uint64_t	ones = spread_bits(bits);

	return ones * EACH_BYTE - ones;
}

static AVX2_TARGET void
expand_4_avx2(BitmapMove *move, const void *fill)
{
	const __m256i numbers = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
	const __m256i own = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
	int32_t		one;
	__m256i		fills;

	memcpy(&one, fill, sizeof(one));
	fills = _mm256_set1_epi32(one);
	for (; move->end - move->next >= 8; move->next += 8)
	{
		uint8_t		bits = move->bitmap[move->next / 8];
		int			found = __builtin_popcount(bits);
		__m256i		are_there = _mm256_cmpgt_epi32(_mm256_set1_epi32(found),
												   numbers);
		__m256i		are_values = _mm256_cmpeq_epi32
			(_mm256_and_si256(_mm256_set1_epi32(bits), own), own);
		__m128i		before = _mm_cvtsi64_si128((int64_t) bits_before(bits));
		__m256i		values = _mm256_permutevar8x32_epi32
			(_mm256_maskload_epi32((const int *) move->from, are_there),
			 _mm256_cvtepu8_epi32(before));

		_mm256_storeu_si256((__m256i *) move->to,
							_mm256_blendv_epi8(fills, values, are_values));
		move->from += found * sizeof(int32_t);
		move->to += 8 * sizeof(int32_t);
	}
}

/* Expands vectors, from the first bit of a byte on. */
static void
expand_vectors(BitmapMove *move, const void *fill, int size)
{
	if (size == 1 && HAS_VBMI2)
		expand_1_vbmi2(move, fill);
	else if (size == 2 && HAS_VBMI2)
		expand_2_vbmi2(move, fill);
	else if (size == 8 && CPU_HAS_AVX512)
		expand_8_avx512(move, fill);
	else if (size == 4 && CPU_HAS_AVX512)
		expand_4_avx512(move, fill);
	else if (size == 4 && CPU_HAS_AVX2)
		expand_4_avx2(move, fill);
}

/* Compresses vectors, from the first bit of a byte on. */
static void
compress_vectors(BitmapMove *move, const char *to_end, int size)
{
	if (size == 1 && HAS_VBMI2)
		compress_1_vbmi2(move, to_end);
	else if (size == 2 && HAS_VBMI2)
		compress_2_vbmi2(move, to_end);
	else if (size == 8 && CPU_HAS_AVX512)
		compress_8_avx512(move, to_end);
	else if (size == 4 && CPU_HAS_AVX512)
		compress_4_avx512(move, to_end);
}

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

static void
expand_vectors(BitmapMove *move, const void *fill, int size)
{
}

static void
compress_vectors(BitmapMove *move, const char *to_end, int size)
{
}

static int64_t
take_vectors(uint8_t *taken, const uint8_t *bitmap, uint32_t nbits,
			 const int32_t *positions, int64_t count)
{
	return 0;
}

#endif

/* The next bit that is the first one of a byte, or the end. */
static int64_t
byte_boundary(const BitmapMove *move)
{
	int64_t		bit = (move->next + 7) / 8 * 8;

	return bit < move->end ? bit : move->end;
}

MOVES_INLINE void
compress_all(BitmapMove *move, const char *to_end, int size)
{
	compress_elements(move, to_end, byte_boundary(move), size);
	compress_vectors(move, to_end, size);
	compress_elements(move, to_end, move->end, size);
}

MOVES_INLINE void
expand_all(BitmapMove *move, const char *fill, int size)
{
	expand_elements(move, fill, byte_boundary(move), size);
	expand_vectors(move, fill, size);
	expand_elements(move, fill, move->end, size);
}

void
compress_by_bitmap(void *to, int64_t selected, const void *from,
				   const uint8_t *bitmap, int64_t first, int64_t end, int size)
{
	BitmapMove	move = {to, from, bitmap, first, end};
	const char *to_end = move.to + selected * size;

	CALL_WITH_SIZE(size, compress_all, &move, to_end);
}

void
expand_by_bitmap(void *to, const void *values, const void *fill,
				 const uint8_t *bitmap, int64_t first, int64_t end, int size)
{
	BitmapMove	move = {to, values, bitmap, first, end};

	CALL_WITH_SIZE(size, expand_all, &move, fill);
}

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

/* The eight bits from a bit on; there are none outside of the bitmap. */
static inline unsigned
eight_bits(const BitFrames *frames, int64_t at)
{
	const uint8_t *byte;
	unsigned	bits = 0;

	if (at >= 0 && at + 16 <= frames->nbits)
	{
		byte = frames->bitmap + at / 8;
		return (byte[0] | byte[1] << 8) >> at % 8 & 0xFF;
	}
	for (int i = 0; i < 8; i++)
	{
		if (at + i >= 0 && at + i < frames->nbits)
			bits |= (frames->bitmap[(at + i) / 8] >> (at + i) % 8 & 1) << i;
	}
	return bits;
}

/* How many of eight bits up to each one are set, a byte for each. */
static inline uint64_t
ones_through(unsigned bits)
{
	return spread_bits((uint8_t) bits) * EACH_BYTE;
}

/*
 * Goes on to the next eight frames.  Returns by how many more set bits each one
 * has than the frame before them, plus 8, a byte for each.
 */
static inline uint64_t
next_eight(BitFrames *frames)
{
	uint64_t	changes = ones_through(eight_bits(frames, frames->enters)) +
		8 * EACH_BYTE - ones_through(eight_bits(frames, frames->leaves));

	frames->enters += 8;
	frames->leaves += 8;
	frames->ones += (int) (changes >> 56) - 8;
	return changes;
}

CPU_CLONES void
count_ones(BitFrames *frames, int32_t *ones, int64_t count)
{
	for (int64_t i = 0; i < count; i += 8)
	{
		int32_t		before = (int32_t) frames->ones - 8;
		uint64_t	eight = next_eight(frames);

		for (int j = 0; j < 8; j++)
			ones[i + j] = before + (uint8_t) (eight >> 8 * j);
	}
}
