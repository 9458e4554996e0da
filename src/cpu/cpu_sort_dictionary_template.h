/*
 * cpu_sort_dictionary_template.h
 *	  Counts keys of one size in a hash table: a part of
 *	  cpu_sort_shape_template.h, for shapes without a payload.
 */

CPU_CLONES static void
SORT_NAME(find_homes) (const SORT_KEY *keys, int count,
					   uint32_t homes[SORT_BATCH])
{
	for (int i = 0; i < count; i++)
		homes[i] = hash_home(keys[i], sizeof(SORT_KEY));
}

/*
 * Most keys are at home.  An empty slot has the key zero, whose home is the
 * first slot, so that an empty home is right for this key, too.
 */
static bool
SORT_NAME(hash) (const CpuSort *sort, int64_t first, int64_t count,
				 HashTable *table)
{
	const SORT_KEY *keys = (const SORT_KEY *) sort->from.keys + first;

	for (int64_t done = 0; done < count && !cpu_sort_cancelled(sort);
		 done += SORT_BATCH)
	{
		int			batch = cpu_min(count - done, SORT_BATCH);
		uint32_t	homes[SORT_BATCH];

		SORT_NAME(find_homes) (keys + done, batch, homes);
		for (int i = 0; i < batch; i++)
		{
			if (table->keys[homes[i]] == keys[done + i])
				table->counters[homes[i]]++;
			else if (!cpu_hash_add(table, keys[done + i], homes[i], 1))
				return false;
		}
	}
	return true;
}
