/*
 * cpu_compress.c
 *	  Compaction in vector registers: the items whose flags are set move to the
 *	  front of their vector, which is written behind the last one.
 *
 * A vector is written whole: the next one overwrites what is behind its
 * selected items.  Where fewer items than a vector has are still to be written,
 * a mask keeps others' items.
 */
#include "cpu/cpu_compress.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>
#include <string.h>

#define COMPRESS_TARGET		__attribute__((target("avx512f,popcnt")))

#define COMPRESS_NAME		cpu_compress_4
#define COMPRESS_ITEM		int32_t
#define COMPRESS_LANES		16
#define COMPRESS_FLAGS(at) \
	_mm512_cvtepu8_epi32(_mm_loadu_si128((const void *) (at)))
#define COMPRESS_VECTOR(i) \
	_mm512_loadu_si512((const int32_t *) piece->data[0] + (i))
#define COMPRESS_ONE(i)		(((const int32_t *) piece->data[0])[i])
#define COMPRESS_OP(name)	_mm512_##name##_epi32
#define COMPRESS_TEST		_mm512_test_epi32_mask
#include "cpu/cpu_compress_template.h"

#define COMPRESS_NAME		cpu_compress_8
#define COMPRESS_ITEM		int64_t
#define COMPRESS_LANES		8
#define COMPRESS_FLAGS(at) \
	_mm512_cvtepu8_epi64(_mm_loadl_epi64((const void *) (at)))
#define COMPRESS_VECTOR(i) \
	_mm512_loadu_si512((const int64_t *) piece->data[0] + (i))
#define COMPRESS_ONE(i)		(((const int64_t *) piece->data[0])[i])
#define COMPRESS_OP(name)	_mm512_##name##_epi64
#define COMPRESS_TEST		_mm512_test_epi64_mask
#include "cpu/cpu_compress_template.h"

#define COMPRESS_NAME		cpu_compress_positions
#define COMPRESS_ITEM		int32_t
#define COMPRESS_LANES		16
#define COMPRESS_FLAGS(at) \
	_mm512_cvtepu8_epi32(_mm_loadu_si128((const void *) (at)))
#define COMPRESS_VECTOR(i) \
	_mm512_add_epi32(_mm512_set1_epi32((int32_t) (piece->first + (i))), \
					 _mm512_setr_epi32(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, \
									   13, 14, 15, 16))
#define COMPRESS_ONE(i)		((int32_t) (piece->first + (i) + 1))
#define COMPRESS_OP(name)	_mm512_##name##_epi32
#define COMPRESS_TEST		_mm512_test_epi32_mask
#include "cpu/cpu_compress_template.h"

#else

/* CPU_HAS_COMPRESS is false. */
#define COMPRESS_NOTHING(name) \
	void \
	name(void *to, const CpuPiece *piece, const uint8_t *flags, \
		 int64_t selected) \
	{ \
	}

COMPRESS_NOTHING(cpu_compress_4)
COMPRESS_NOTHING(cpu_compress_8)
COMPRESS_NOTHING(cpu_compress_positions)

#endif
