/*
 * cpu_network.c
 *	  Sorting networks, for few keys: bitonic merges of all keys at once, in
 *	  vector registers (Batcher, "Sorting networks and their applications",
 *	  1968).
 *
 * Keys are numbered by columns, so most steps compare a vector with another
 * one, lane by lane.  The first step of a merge compares the keys of a part in
 * order with those of the next part in reverse, so that all comparisons have
 * the same direction.  In the end, the sorted keys are brought into rows.
 */
#include "cpu/cpu_network.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

/* Vectors of 64 bytes, by AVX-512. */
#define NETWORK_TARGET		__attribute__((target("avx512f")))
#define NETWORK_VECTOR		__m512i
#define NETWORK_LOAD(from, count) \
	NETWORK_OP(mask_loadu) (NETWORK_OP(set1) (-1), \
							(NETWORK_MASK) LANES_BEFORE(count), from)
#define NETWORK_STORE(to, x)	_mm512_storeu_si512(to, x)
#define NETWORK_LEAST(x, y)		NETWORK_OPU(min) (x, y)
#define NETWORK_GREATEST(x, y)	NETWORK_OPU(max) (x, y)
#define NETWORK_SWAP(x, bits) \
	NETWORK_OP(permutexvar) (_mm512_xor_si512(NETWORK_OP(set1) (bits), \
											  NETWORK_NUMBERS), x)
#define NETWORK_SELECT(x, y, bit) \
	NETWORK_OPU(mask_max) (NETWORK_OPU(min) (x, y), \
						   (NETWORK_MASK) LANES_WITH(bit), x, y)
#define NETWORK_LOW(x, y)	NETWORK_OP(permutex2var) (x, NETWORK_TURNS(0), y)
#define NETWORK_HIGH(x, y) \
	NETWORK_OP(permutex2var) (x, NETWORK_TURNS(NETWORK_LANES / 2), y)

/* A bit for each lane that is before "count", or whose number has a bit. */
#define LANES_BEFORE(count) \
	((count) >= NETWORK_LANES ? ~0u : (count) <= 0 ? 0 : (1u << (count)) - 1)
#define LANES_WITH(bit) \
	((bit) == 8 ? 0xFF00 : (bit) == 4 ? 0xF0F0 : (bit) == 2 ? 0xCCCC : 0xAAAA)

/* NETWORK_TURNS: lanes of two vectors in turn, from one of the first one on. */
#define NETWORK_NAME(name)	name##_4_avx512
#define NETWORK_KEY			uint32_t
#define NETWORK_LANES		16
#define NETWORK_MASK		__mmask16
#define NETWORK_OP(name)	_mm512_##name##_epi32
#define NETWORK_OPU(name)	_mm512_##name##_epu32
#define NETWORK_NUMBERS \
	_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#define NETWORK_TURNS(first) \
	_mm512_add_epi32(_mm512_set1_epi32(first), \
					 _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, \
									   4, 20, 5, 21, 6, 22, 7, 23))
#include "cpu/cpu_network_template.h"

#undef NETWORK_MASK
#undef NETWORK_OP
#undef NETWORK_OPU
#undef NETWORK_NUMBERS
#undef NETWORK_TURNS

#define NETWORK_NAME(name)	name##_8_avx512
#define NETWORK_KEY			uint64_t
#define NETWORK_LANES		8
#define NETWORK_MASK		__mmask8
#define NETWORK_OP(name)	_mm512_##name##_epi64
#define NETWORK_OPU(name)	_mm512_##name##_epu64
#define NETWORK_NUMBERS		_mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7)
#define NETWORK_TURNS(first) \
	_mm512_add_epi64(_mm512_set1_epi64(first), \
					 _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11))
#include "cpu/cpu_network_template.h"

#undef NETWORK_TARGET
#undef NETWORK_VECTOR
#undef NETWORK_LOAD
#undef NETWORK_STORE
#undef NETWORK_LEAST
#undef NETWORK_GREATEST
#undef NETWORK_SWAP
#undef NETWORK_SELECT
#undef NETWORK_LOW
#undef NETWORK_HIGH
#undef NETWORK_NUMBERS

/*
 * Vectors of 32 bytes, by AVX2.  There is no minimum of integers of 8 bytes,
 * without which a network of them is no faster than other sorts.
 */
#define NETWORK_TARGET		__attribute__((target("avx2")))
#define NETWORK_VECTOR		__m256i
#define NETWORK_LOAD(from, count) \
	_mm256_or_si256(_mm256_maskload_epi32((const int *) (from), \
										  ALL_BEFORE(count)), ALL_FROM(count))
#define NETWORK_STORE(to, x)	_mm256_storeu_si256((__m256i *) (to), x)
#define NETWORK_LEAST(x, y)		_mm256_min_epu32(x, y)
#define NETWORK_GREATEST(x, y)	_mm256_max_epu32(x, y)
#define NETWORK_SWAP(x, bits) \
	_mm256_permutevar8x32_epi32(x, _mm256_xor_si256(_mm256_set1_epi32(bits), \
													NETWORK_NUMBERS))
#define NETWORK_SELECT(x, y, bit) \
	_mm256_blendv_epi8(NETWORK_LEAST(x, y), NETWORK_GREATEST(x, y), \
					   ALL_WITH(bit))
#define NETWORK_LOW(x, y) \
	_mm256_permute2x128_si256(_mm256_unpacklo_epi32(x, y), \
							  _mm256_unpackhi_epi32(x, y), 0x20)
#define NETWORK_HIGH(x, y) \
	_mm256_permute2x128_si256(_mm256_unpacklo_epi32(x, y), \
							  _mm256_unpackhi_epi32(x, y), 0x31)
#define NETWORK_NUMBERS		_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)

/* All bits of some lanes. */
#define ALL_BEFORE(count) \
	_mm256_cmpgt_epi32(_mm256_set1_epi32(count), NETWORK_NUMBERS)
#define ALL_FROM(count) \
	_mm256_cmpgt_epi32(NETWORK_NUMBERS, _mm256_set1_epi32((count) - 1))
#define ALL_WITH(bit) \
	_mm256_cmpgt_epi32(_mm256_and_si256(NETWORK_NUMBERS, \
										_mm256_set1_epi32(bit)), \
					   _mm256_setzero_si256())

#define NETWORK_NAME(name)	name##_4_avx2
#define NETWORK_KEY			uint32_t
#define NETWORK_LANES		8
#include "cpu/cpu_network_template.h"

void
cpu_network_sort_4(uint32_t *keys, int count)
{
	if (CPU_HAS_AVX512)
		sort_4_avx512(keys, count);
	else
		sort_4_avx2(keys, count);
}

void
cpu_network_sort_8(uint64_t *keys, int count)
{
	sort_8_avx512(keys, count);
}

#else

void
cpu_network_sort_4(uint32_t *keys, int count)
{
	(void) keys;
	(void) count;
}

void
cpu_network_sort_8(uint64_t *keys, int count)
{
	(void) keys;
	(void) count;
}

#endif
