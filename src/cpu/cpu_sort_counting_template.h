/*
 * cpu_sort_counting_template.h
 *	  Counting sort, for keys of one size: a part of cpu_sort_shape_template.h,
 *	  for shapes without a payload.
 */

/* The key of a slot. */
static inline SORT_KEY
SORT_NAME(key_of) (const CpuSort *sort, int64_t slot)
{
	if (sort->counting.dictionary != NULL)
		return ((const SORT_KEY *) sort->counting.dictionary)[slot];
	return (SORT_KEY) ((((uint64_t) slot << sort->shift) + sort->base) ^
					   sort->flip);
}

CPU_CLONES static void
SORT_NAME(find_slots) (const CpuSort *sort, const SORT_KEY *keys, int count,
					   uint32_t slots[SORT_BATCH])
{
	SORT_KEY	flip = (SORT_KEY) sort->flip;
	SORT_KEY	base = (SORT_KEY) sort->base;
	int			shift = sort->shift;

	for (int i = 0; i < count; i++)
		slots[i] = (uint32_t) ((SORT_KEY) ((keys[i] ^ flip) - base) >> shift);
}

static void
SORT_NAME(count_slots) (const CpuSort *sort, int64_t first, int64_t count,
						uint32_t *counters)
{
	const SORT_KEY *keys = (const SORT_KEY *) sort->from.keys + first;

	for (int64_t done = 0; done < count && !cpu_sort_cancelled(sort);
		 done += SORT_BATCH)
	{
		int			batch = cpu_min(count - done, SORT_BATCH);
		uint32_t	slots[SORT_BATCH];

		SORT_NAME(find_slots) (sort, keys + done, batch, slots);
		for (int i = 0; i < batch; i++)
			counters[slots[i]]++;
	}
}

/*
 * Writes sorted keys, from "first" to "end".  "before" keys precede those of
 * the slot.
 */
static void
SORT_NAME(write_keys) (const CpuSort *sort, int64_t slot, int64_t before,
					   int64_t first, int64_t end)
{
	SORT_KEY   *keys = sort->from.keys;

	while (first < end && !cpu_sort_cancelled(sort))
	{
		SORT_KEY	key = SORT_NAME(key_of) (sort, slot);

		before += sort->counting.sums[slot++];
		for (int64_t next = before < end ? before : end; first < next; first++)
			keys[first] = key;
	}
}

/*
 * Writes the distinct keys of some slots, and the positions of the first ones,
 * from 1 on, unless "starts" is NULL.
 */
static void
SORT_NAME(write_distinct) (const CpuSort *sort, int64_t slot, int64_t end,
						   int64_t before, int64_t kept, int32_t *starts)
{
	SORT_KEY   *keys = sort->from.keys;

	for (; slot < end; slot++)
	{
		uint32_t	count = sort->counting.sums[slot];

		if (count == 0)
			continue;
		keys[kept] = SORT_NAME(key_of) (sort, slot);
		if (starts != NULL)
			starts[kept] = (int32_t) (before + 1);
		before += count;
		kept++;
	}
}

static const CountingKeys SORT_NAME(counting) = {
	.count = SORT_NAME(count_slots),
	.write_keys = SORT_NAME(write_keys),
	.write_distinct = SORT_NAME(write_distinct)
};
