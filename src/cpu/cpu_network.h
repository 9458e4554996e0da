/*
 * cpu_network.h
 *	  Sorting networks, for few keys.
 */
#ifndef GPUCOMPACT_CPU_NETWORK_H
#define GPUCOMPACT_CPU_NETWORK_H

#include <stdbool.h>
#include <stdint.h>

/* The most keys. */
#define NETWORK_MAX	256

/* Fewer keys are sorted faster without a network. */
#define NETWORK_MIN	17

/* Networks need vectors of 64 bytes, and permutations of them: AVX-512. */
#if defined(__x86_64__) && defined(__GNUC__)
#define CPU_HAS_NETWORKS	__builtin_cpu_supports("avx512f")
#else
#define CPU_HAS_NETWORKS	false
#endif

static inline bool
cpu_network_pays(int64_t count)
{
	return count >= NETWORK_MIN && CPU_HAS_NETWORKS;
}

/* Keys of 8 bytes are wide, all others are narrow. */
typedef union NetworkKeys
{
	uint32_t	narrow[NETWORK_MAX];
	uint64_t	wide[NETWORK_MAX];
} NetworkKeys;

/*
 * Sort keys in place; the array has room for NETWORK_MAX keys.  The sorted keys
 * are in order by columns: a row has 64 bytes.  Return the binary logarithm of
 * the number of rows.
 */
extern int	cpu_network_sort_4(uint32_t *keys, int count);
extern int	cpu_network_sort_8(uint64_t *keys, int count);

static inline void
network_put(NetworkKeys *keys, int key_size, int number, uint64_t key)
{
	if (key_size == sizeof(uint64_t))
		keys->wide[number] = key;
	else
		keys->narrow[number] = (uint32_t) key;
}

static inline int
network_sort(NetworkKeys *keys, int key_size, int count)
{
	return key_size == sizeof(uint64_t) ?
		cpu_network_sort_8(keys->wide, count) :
		cpu_network_sort_4(keys->narrow, count);
}

/* Returns the key with this number in the order. */
static inline uint64_t
network_key(const NetworkKeys *keys, int key_size, int row_bits, int number)
{
	int			row = number & ((1 << row_bits) - 1);
	int			lane = number >> row_bits;

	return key_size == sizeof(uint64_t) ? keys->wide[row * 8 + lane] :
		keys->narrow[row * 16 + lane];
}

#endif							/* GPUCOMPACT_CPU_NETWORK_H */
