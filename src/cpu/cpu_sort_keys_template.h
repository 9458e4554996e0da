/*
 * cpu_sort_keys_template.h
 *	  The order of keys, and their distinct values; for cpu_kinds.h.
 */
#ifdef KIND_FLOAT
CPU_CLONES static void
KIND_NAME(order) (void *orders, const void *keys, int64_t count)
{
	KIND_BITS  *to = orders;
	const KIND_BITS *from = keys;

	for (int64_t i = 0; i < count; i++)
		to[i] = KIND_ORDER(from[i]);
}

CPU_CLONES static void
KIND_NAME(order_canonical) (void *orders, const void *keys, int64_t count)
{
	KIND_BITS  *to = orders;
	const KIND_BITS *from = keys;

	for (int64_t i = 0; i < count; i++)
		to[i] = KIND_ORDER(KIND_CANONICALIZE(from[i]));
}

CPU_CLONES static void
KIND_NAME(restore) (void *keys, int64_t count)
{
	KIND_BITS  *key = keys;

	for (int64_t i = 0; i < count; i++)
		key[i] = KIND_OF_ORDER(key[i]);
}
#endif

/*
 * No branch depends on whether a key is the head of a run, because no
 * processor could predict it.  Each key is written to the next head's place,
 * which has been read already.
 */
static int64_t
KIND_NAME(distinct) (void *keys, int32_t *starts, int64_t first,
					 int64_t count, int64_t kept)
{
	KIND_BITS  *key = keys;
	KIND_BITS	last = kept > 0 ? KIND_CANONICALIZE(key[kept - 1]) :
		(KIND_BITS) ~KIND_CANONICALIZE(key[0]);

	for (int64_t i = first; i < first + count; i++)
	{
		KIND_BITS	this = KIND_CANONICALIZE(key[i]);

		key[kept] = key[i];
		if (starts != NULL)
			starts[kept] = (int32_t) (i + 1);
		kept += this != last;
		last = this;
	}
	return kept;
}

#define IS_SAME(a, b)	(KIND_CANONICALIZE(a) == KIND_CANONICALIZE(b))

CPU_CLONES static int64_t
KIND_NAME(heads) (const void *keys, int64_t first, int64_t end)
{
	const KIND_BITS *key = keys;
	int64_t		heads = first == 0 && end > 0;

	for (int64_t i = first > 0 ? first : 1; i < end; i++)
		heads += !IS_SAME(key[i], key[i - 1]);
	return heads;
}

/* Returns whether any of RUN_BLOCK keys is the same as one behind it. */
CPU_CLONES static bool
KIND_NAME(any_same) (const KIND_BITS *keys, int64_t behind)
{
	KIND_BITS	any = 0;

	for (int i = 0; i < RUN_BLOCK; i++)
		any |= IS_SAME(keys[i], keys[i + behind]);
	return any != 0;
}

/*
 * A run is longer than the longest so far if the key that is as far behind its
 * first one is the same.
 */
static int64_t
KIND_NAME(longest) (const void *keys, int64_t first, int64_t end,
					int64_t count, int64_t *begin)
{
	const KIND_BITS *key = keys;
	int64_t		length = 1;
	int64_t		i = first;

	while (first > 0 && i < end && IS_SAME(key[i], key[first - 1]))
		i++;
	*begin = i;
	if (i == end)
		return 0;
	while (i < end)
	{
		if (i + length + RUN_BLOCK <= count && i + RUN_BLOCK <= end &&
			!KIND_NAME(any_same) (key + i, length))
		{
			i += RUN_BLOCK;
			continue;
		}
		for (int64_t block = i + RUN_BLOCK; i < block && i < end; i++)
		{
			int64_t		step = 1;

			if (i + length >= count || !IS_SAME(key[i], key[i + length]))
				continue;
			*begin = i;
			for (; i + length + step < count &&
				 IS_SAME(key[i], key[i + length + step]); step *= 2)
				length += step;
			for (; step > 0; step /= 2)
			{
				if (i + length + step < count &&
					IS_SAME(key[i], key[i + length + step]))
					length += step;
			}
			length++;
		}
	}
	return length;
}

#undef IS_SAME
