/*
 * cpu_sort_sample.c
 *	  A sample of the keys of a sort.
 */
#include <time.h>

#include "cpu/cpu_sort_parts.h"

/* Slots of a hash table, some of which stay empty. */
#define SLOT_BITS			12
#define SLOTS				(1 << SLOT_BITS)

/*
 * Takes a sample of at least SAMPLED_COUNT keys.
 *
 * There is one position in each of as many parts as there are sampled keys.
 * Positions depend on the time, so nobody can foresee them and choose keys
 * whose sample misleads.  The generator is by Steele, Lea and Flood ("Fast
 * splittable pseudorandom number generators", 2014).
 */
void
cpu_sort_sample(const CpuSort *sort, SortSample *sample)
{
	int64_t		part = sort->phases->count / SAMPLED_KEYS;
	struct timespec now;
	uint64_t	seed;

	clock_gettime(CLOCK_MONOTONIC, &now);
	seed = (uint64_t) now.tv_nsec ^ (uint64_t) now.tv_sec << 30;
	for (int i = 0; i < SAMPLED_KEYS; i++)
	{
		uint64_t	random = seed += HASH_FACTOR_8;

		random = (random ^ random >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
		random = (random ^ random >> 27) * UINT64_C(0x94D049BB133111EB);
		random ^= random >> 31;
		sample->orders[i] =
			sort->shape->order_at(sort, i * part + (int64_t) (random % part));
	}
}

/*
 * Returns how many keys differ, by a hash table with linear probing, where zero
 * is an empty slot.
 */
int
cpu_sort_sample_distinct(const SortSample *sample)
{
	uint64_t	slots[SLOTS] = {0};
	int			distinct = 0;
	bool		zero = false;

	for (int i = 0; i < SAMPLED_KEYS; i++)
	{
		uint64_t	order = sample->orders[i];
		uint64_t	slot = order * HASH_FACTOR_8 >> (64 - SLOT_BITS);

		while (slots[slot] != 0 && slots[slot] != order)
			slot = (slot + 1) % SLOTS;
		zero = zero || order == 0;
		distinct += slots[slot] != order;
		slots[slot] = order;
	}
	return distinct + zero;
}
