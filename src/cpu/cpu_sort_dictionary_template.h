/*
 * cpu_sort_dictionary_template.h
 *	  Hash tables of distinct keys of one size: a part of
 *	  cpu_sort_shape_template.h, for shapes without a payload.
 */

/* The slot where a key is first looked for. */
static inline uint32_t
SORT_NAME(home_of) (SORT_KEY key)
{
	return sizeof(SORT_KEY) == sizeof(uint64_t) ?
		(uint32_t) (key * HASH_FACTOR_8 >> (64 - HASH_BITS)) :
		(uint32_t) key * HASH_FACTOR_4 >> (32 - HASH_BITS);
}

CPU_CLONES static void
SORT_NAME(find_homes) (const SORT_KEY *keys, int count,
					   uint32_t homes[SORT_BATCH])
{
	for (int i = 0; i < count; i++)
		homes[i] = SORT_NAME(home_of) (keys[i]);
}

/* Counts a key "count" times.  Returns false if there is no room. */
static bool
SORT_NAME(add_key) (HashTable *table, SORT_KEY key, uint32_t count)
{
	SORT_KEY   *keys = table->keys;
	uint32_t	slot = SORT_NAME(home_of) (key);

	for (int probe = 0; probe < HASH_PROBES; probe++)
	{
		if (table->counters[slot] == 0)
		{
			if (table->distinct == HASH_MOST - 1)
				return false;
			table->distinct++;
			keys[slot] = key;
		}
		if (keys[slot] == key)
		{
			table->counters[slot] += count;
			return true;
		}
		slot = (slot + 1) % HASH_SLOTS;
	}
	return false;
}

/*
 * Most keys are at home.  An empty slot has the key zero, whose home is the
 * first slot, so that an empty home is right for this key, too.
 */
static bool
SORT_NAME(count_keys) (const CpuSort *sort, const void *from, int64_t count,
					   HashTable *table)
{
	const SORT_KEY *keys = from;
	const SORT_KEY *slots = table->keys;

	for (int64_t done = 0; done < count && !cpu_sort_cancelled(sort);
		 done += SORT_BATCH)
	{
		int			batch = batch_count(count - done);
		uint32_t	homes[SORT_BATCH];

		SORT_NAME(find_homes) (keys + done, batch, homes);
		for (int i = 0; i < batch; i++)
		{
			if (slots[homes[i]] == keys[done + i])
				table->counters[homes[i]]++;
			else if (!SORT_NAME(add_key) (table, keys[done + i], 1))
				return false;
		}
	}
	return true;
}

static bool
SORT_NAME(merge_keys) (HashTable *table, const HashTable *other)
{
	const SORT_KEY *keys = other->keys;

	for (int slot = 0; slot < HASH_SLOTS; slot++)
		if (other->counters[slot] != 0 &&
			!SORT_NAME(add_key) (table, keys[slot], other->counters[slot]))
			return false;
	return true;
}

static uint64_t
SORT_NAME(order_of) (const CpuSort *sort, const HashTable *table, int slot)
{
	return (SORT_KEY) (((const SORT_KEY *) table->keys)[slot] ^ sort->flip);
}

static void
SORT_NAME(put) (const CpuSort *sort, const HashTable *table, int slot,
				uint64_t order)
{
	((SORT_KEY *) table->keys)[slot] = (SORT_KEY) (order ^ sort->flip);
}

static const DictionaryKeys SORT_NAME(dictionary) = {
	.count = SORT_NAME(count_keys),
	.merge = SORT_NAME(merge_keys),
	.order_of = SORT_NAME(order_of),
	.put = SORT_NAME(put)
};
