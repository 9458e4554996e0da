/*
 * cpu_network.h
 *	  Sorting networks, for few keys.
 */
#ifndef GPUCOMPACT_CPU_NETWORK_H
#define GPUCOMPACT_CPU_NETWORK_H

#include <stdbool.h>
#include <stdint.h>

#include "contract/cpu_clones.h"

/* The most keys. */
#define NETWORK_MAX	256

/* Fewer keys are sorted faster without a network. */
#define NETWORK_MIN	17

/* Returns whether to sort "count" keys of "key_size" bytes by a network. */
static inline bool
cpu_network_pays(int64_t count, int key_size)
{
	return count >= NETWORK_MIN &&
		(CPU_HAS_AVX512 ||
		 (CPU_HAS_AVX2 && key_size < (int) sizeof(uint64_t)));
}

/* Keys of 8 bytes are wide, all others are narrow. */
typedef union NetworkKeys
{
	uint32_t	narrow[NETWORK_MAX];
	uint64_t	wide[NETWORK_MAX];
} NetworkKeys;

/* Sort keys in place; the array has room for NETWORK_MAX keys. */
extern void cpu_network_sort_4(uint32_t *keys, int count);
extern void cpu_network_sort_8(uint64_t *keys, int count);

static inline void
network_put(NetworkKeys *keys, int key_size, int number, uint64_t key)
{
	if (key_size == sizeof(uint64_t))
		keys->wide[number] = key;
	else
		keys->narrow[number] = (uint32_t) key;
}

static inline void
network_sort(NetworkKeys *keys, int key_size, int count)
{
	if (key_size == sizeof(uint64_t))
		cpu_network_sort_8(keys->wide, count);
	else
		cpu_network_sort_4(keys->narrow, count);
}

/* Returns the key with this number in the order. */
static inline uint64_t
network_key(const NetworkKeys *keys, int key_size, int number)
{
	return key_size == sizeof(uint64_t) ? keys->wide[number] :
		keys->narrow[number];
}

#endif							/* GPUCOMPACT_CPU_NETWORK_H */
