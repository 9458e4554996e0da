/*
 * cpu_compress.c
 *	  Compaction in vector registers: the items whose flags are set move to the
 *	  front of their vector, which is written behind the last one.
 *
 * A vector is written whole: the next one overwrites what is behind its
 * selected items.  Where fewer items than a vector has are still to be written,
 * a mask keeps others' items.
 */
#include "cpu/cpu_compact.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>
#include <string.h>

/* Vectors of 64 bytes, by AVX-512. */
#define COMPRESS_TARGET		__attribute__((target("avx512f,popcnt")))
#define COMPRESS_FRONT(mask, items) \
	COMPRESS_OP(maskz_compress) ((COMPRESS_MASK) (mask), items)
#define COMPRESS_STORE(to, items)	_mm512_storeu_si512(to, items)
#define COMPRESS_STORE_FIRST(to, count, items) \
	COMPRESS_OP(mask_storeu) (to, (COMPRESS_MASK) ((1u << (count)) - 1), items)
#define COMPRESS_VECTOR		__m512i

#define ELEMENTS(i) \
	_mm512_loadu_si512((const COMPRESS_ITEM *) piece->data[0] + (i))
#define POSITIONS(i) \
	_mm512_add_epi32(_mm512_set1_epi32((int32_t) (piece->first + (i))), \
					 _mm512_setr_epi32(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, \
									   13, 14, 15, 16))

/* A bit for each flag that is set, of 16 and of 8. */
#define FLAGS_16(at) \
	mask_of_16(_mm512_cvtepu8_epi32(_mm_loadu_si128((const void *) (at))))
#define FLAGS_8(at) \
	mask_of_8(_mm512_cvtepu8_epi64(_mm_loadl_epi64((const void *) (at))))

static inline COMPRESS_TARGET __mmask16
mask_of_16(__m512i flags)
{
	return _mm512_test_epi32_mask(flags, flags);
}

static inline COMPRESS_TARGET __mmask8
mask_of_8(__m512i flags)
{
	return _mm512_test_epi64_mask(flags, flags);
}

#define COMPRESS_OP(name)	_mm512_##name##_epi32
#define COMPRESS_MASK		__mmask16
#define COMPRESS_ITEM		int32_t
#define COMPRESS_LANES		16
#define COMPRESS_FLAGS		FLAGS_16

#define COMPRESS_NAME		elements_4_avx512
#define COMPRESS_ITEMS		ELEMENTS
#define COMPRESS_ONE(i)		(((const int32_t *) piece->data[0])[i])
#include "cpu/cpu_compress_template.h"

#define COMPRESS_NAME		positions_avx512
#define COMPRESS_ITEMS		POSITIONS
#define COMPRESS_ONE(i)		((int32_t) (piece->first + (i) + 1))
#include "cpu/cpu_compress_template.h"

#define WHERE_NAME			where_4_avx512
#define WHERE_BITS			uint32_t
#define WHERE_ALL(x)		_mm512_set1_epi32((int32_t) (x))
#define WHERE_MASK(x, low, span) \
	_mm512_cmple_epu32_mask(_mm512_sub_epi32(x, low), span)
#include "cpu/cpu_compress_where_template.h"

#undef COMPRESS_OP
#undef COMPRESS_MASK
#undef COMPRESS_ITEM
#undef COMPRESS_LANES
#undef COMPRESS_FLAGS

#define COMPRESS_OP(name)	_mm512_##name##_epi64
#define COMPRESS_MASK		__mmask8
#define COMPRESS_ITEM		int64_t
#define COMPRESS_LANES		8
#define COMPRESS_FLAGS		FLAGS_8

#define COMPRESS_NAME		elements_8_avx512
#define COMPRESS_ITEMS		ELEMENTS
#define COMPRESS_ONE(i)		(((const int64_t *) piece->data[0])[i])
#include "cpu/cpu_compress_template.h"

#define WHERE_NAME			where_8_avx512
#define WHERE_BITS			uint64_t
#define WHERE_ALL(x)		_mm512_set1_epi64((int64_t) (x))
#define WHERE_MASK(x, low, span) \
	_mm512_cmple_epu64_mask(_mm512_sub_epi64(x, low), span)
#include "cpu/cpu_compress_where_template.h"

#undef COMPRESS_TARGET
#undef COMPRESS_FRONT
#undef COMPRESS_STORE
#undef COMPRESS_STORE_FIRST
#undef COMPRESS_VECTOR
#undef COMPRESS_ITEM
#undef COMPRESS_LANES
#undef COMPRESS_FLAGS
#undef ELEMENTS
#undef POSITIONS

/* Vectors of 32 bytes, by AVX2. */
#define COMPRESS_TARGET		__attribute__((target("avx2,popcnt")))
#define COMPRESS_FRONT(mask, items) \
	_mm256_permutevar8x32_epi32(items, lanes_of(mask))
#define COMPRESS_STORE(to, items) \
	_mm256_storeu_si256((__m256i *) (to), items)
#define COMPRESS_STORE_FIRST(to, count, items) \
	_mm256_maskstore_epi32(to, _mm256_cmpgt_epi32(_mm256_set1_epi32(count), \
												  NUMBERS), items)
#define COMPRESS_VECTOR		__m256i
#define COMPRESS_ITEM		int32_t
#define COMPRESS_LANES		8
#define COMPRESS_FLAGS		mask_of_bytes

#define NUMBERS				_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)

/* The numbers of the bits that are set in four bits, a byte for each. */
static const uint32_t bit_numbers[16] = {
	0x000000, 0x000000, 0x000001, 0x000100,
	0x000002, 0x000200, 0x000201, 0x020100,
	0x000003, 0x000300, 0x000301, 0x030100,
	0x000302, 0x030200, 0x030201, 0x03020100
};

/* A bit for each of eight flags. */
static inline uint32_t
mask_of_bytes(const uint8_t *flags)
{
	uint64_t	word;

	memcpy(&word, flags, sizeof(word));
	return (uint32_t) (word * 0x0102040810204080ull >> 56);
}

/* The lanes whose bits are set, and then any. */
static inline COMPRESS_TARGET __m256i
lanes_of(uint32_t mask)
{
	uint32_t	low = mask & 15;
	uint64_t	numbers = bit_numbers[low] |
		(uint64_t) (bit_numbers[mask >> 4] + 0x04040404) <<
		8 * __builtin_popcount(low);

	return _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((int64_t) numbers));
}

#define ELEMENTS(i) \
	_mm256_loadu_si256((const __m256i *) ((const int32_t *) piece->data[0] + \
										  (i)))

/* All bits of a lane for each x that is at most "most", without signs. */
static inline COMPRESS_TARGET __m256i
not_above(__m256i x, __m256i most)
{
	return _mm256_cmpeq_epi32(_mm256_max_epu32(x, most), most);
}

/* A bit for each lane. */
static inline COMPRESS_TARGET uint32_t
bits_of(__m256i lanes)
{
	return (uint32_t) _mm256_movemask_ps(_mm256_castsi256_ps(lanes));
}

#define COMPRESS_NAME		elements_4_avx2
#define COMPRESS_ITEMS		ELEMENTS
#define COMPRESS_ONE(i)		(((const int32_t *) piece->data[0])[i])
#include "cpu/cpu_compress_template.h"

#define WHERE_NAME			where_4_avx2
#define WHERE_BITS			uint32_t
#define WHERE_ALL(x)		_mm256_set1_epi32((int32_t) (x))
#define WHERE_MASK(x, low, span) \
	bits_of(not_above(_mm256_sub_epi32(x, low), span))
#include "cpu/cpu_compress_where_template.h"

#define COMPRESS_NAME		positions_avx2
#define COMPRESS_ITEMS(i) \
	_mm256_add_epi32(_mm256_set1_epi32((int32_t) (piece->first + (i) + 1)), \
					 NUMBERS)
#define COMPRESS_ONE(i)		((int32_t) (piece->first + (i) + 1))
#include "cpu/cpu_compress_template.h"

static const CpuMoves avx512_moves = {
	.elements = {[4] = elements_4_avx512,[8] = elements_8_avx512},
	.positions = positions_avx512,
	.where = {[KIND_INT4] = where_4_avx512,[KIND_INT8] = where_8_avx512}
};

static const CpuMoves avx2_moves = {
	.elements = {[4] = elements_4_avx2},
	.positions = positions_avx2,
	.where = {[KIND_INT4] = where_4_avx2}
};

#endif

const CpuMoves *
cpu_compress(void)
{
	static const CpuMoves none = {.positions = NULL};

#if defined(__x86_64__) && defined(__GNUC__)
	if (CPU_HAS_AVX2)
		return CPU_HAS_AVX512 ? &avx512_moves : &avx2_moves;
#endif
	return &none;
}
