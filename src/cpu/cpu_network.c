/*
 * cpu_network.c
 *	  Sorting networks, for few keys: bitonic merges of all keys at once, in
 *	  vector registers (Batcher, "Sorting networks and their applications",
 *	  1968).
 *
 * Keys are numbered by columns, so most steps compare a vector with another
 * one, lane by lane.  The first step of a merge compares the keys of a part in
 * order with those of the next part in reverse, so that all comparisons have
 * the same direction.
 */
#include "cpu/cpu_network.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

#define NETWORK_TARGET		__attribute__((target("avx512f")))
#define NETWORK_INLINE \
	static inline __attribute__((always_inline)) NETWORK_TARGET

#define NETWORK_KEY			uint32_t
#define NETWORK_NAME(name)	name##_4
#define NETWORK_LANES		16
#define NETWORK_MASK		__mmask16
#define NETWORK_NUMBERS \
	_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#define NETWORK_OP(name)	_mm512_##name##_epi32
#define NETWORK_OPU(name)	_mm512_##name##_epu32
#include "cpu/cpu_network_template.h"

#define NETWORK_KEY			uint64_t
#define NETWORK_NAME(name)	name##_8
#define NETWORK_LANES		8
#define NETWORK_MASK		__mmask8
#define NETWORK_NUMBERS		_mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7)
#define NETWORK_OP(name)	_mm512_##name##_epi64
#define NETWORK_OPU(name)	_mm512_##name##_epu64
#include "cpu/cpu_network_template.h"

#else

int
cpu_network_sort_4(uint32_t *keys, int count)
{
	(void) keys;
	(void) count;
	return 0;
}

int
cpu_network_sort_8(uint64_t *keys, int count)
{
	(void) keys;
	(void) count;
	return 0;
}

#endif
