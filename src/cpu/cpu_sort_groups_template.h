/*
 * cpu_sort_groups_template.h
 *	  Sorts of groups of keys of one size: a part of cpu_sort_shape_template.h,
 *	  for shapes without a payload.
 */

static inline uint64_t
SORT_NAME(group_of) (const CpuSort *sort, SORT_KEY key)
{
	return (SORT_KEY) ((key ^ (SORT_KEY) sort->flip) - (SORT_KEY) sort->base)
		>> sort->shifts[0];
}

/* Sorts by insertion (Knuth, volume 3, section 5.2.1). */
static inline void
SORT_NAME(insert) (SORT_KEY *keys, int64_t count, SORT_KEY flip)
{
	for (int64_t i = 1; i < count; i++)
	{
		SORT_KEY	key = keys[i];
		int64_t		place = i;

		while (place > 0 && (keys[place - 1] ^ flip) > (key ^ flip))
		{
			keys[place] = keys[place - 1];
			place--;
		}
		keys[place] = key;
	}
}

/* Moves keys by a digit. */
static void
SORT_NAME(move_group) (SORT_KEY *to, const SORT_KEY *from, int64_t count,
					   SORT_KEY flip, int shift)
{
	uint32_t	places[SORT_BINS] = {0};
	uint32_t	place = 0;

	for (int64_t i = 0; i < count; i++)
		places[(uint8_t) ((from[i] ^ flip) >> shift)]++;
	for (int bin = 0; bin < SORT_BINS; bin++)
	{
		uint32_t	keys = places[bin];

		places[bin] = place;
		place += keys;
	}
	for (int64_t i = 0; i < count; i++)
		to[places[(uint8_t) ((from[i] ^ flip) >> shift)]++] = from[i];
}

/* Sorts a large group by the digits in which any two keys differ. */
static void
SORT_NAME(sort_large) (const CpuSort *sort, SORT_KEY *keys, SORT_KEY *spare,
					   int64_t count)
{
	SORT_KEY   *from = keys;
	SORT_KEY   *to = spare;
	SORT_KEY	live = 0;

	for (int64_t i = 1; i < count; i++)
		live |= keys[i] ^ keys[0];
	for (int shift = 0; shift < (int) sizeof(SORT_KEY) * 8 &&
		 !cpu_sort_cancelled(sort); shift += SORT_DIGIT_BITS)
	{
		SORT_KEY   *moved = to;

		if ((uint8_t) (live >> shift) == 0)
			continue;
		SORT_NAME(move_group) (to, from, count, (SORT_KEY) sort->flip, shift);
		to = from;
		from = moved;
	}
	if (from != keys)
		memcpy(keys, from, count * sizeof(SORT_KEY));
}

/*
 * Returns whether any of GROUP_BATCH keys has the group of the key behind it.
 */
static inline bool
SORT_NAME(have_groups) (const CpuSort *sort, const SORT_KEY *keys)
{
	bool		any = false;

	for (int i = 0; i < GROUP_BATCH; i++)
		any |= SORT_NAME(group_of) (sort, keys[i]) ==
			SORT_NAME(group_of) (sort, keys[i + 1]);
	return any;
}

/* Sorts the groups of keys from "first" to "end".  Most have one key. */
CPU_CLONES static void
SORT_NAME(sort_groups) (const CpuSort *sort, int64_t first, int64_t end)
{
	SORT_KEY   *keys = sort->from.keys;
	SORT_KEY   *spare = sort->to.keys;

	for (int64_t next; first < end && !cpu_sort_cancelled(sort); first = next)
	{
		uint64_t	group = SORT_NAME(group_of) (sort, keys[first]);

		next = first + GROUP_BATCH;
		if (next < end && !SORT_NAME(have_groups) (sort, keys + first))
			continue;
		next = first + 1;
		while (next < end && SORT_NAME(group_of) (sort, keys[next]) == group)
			next++;
		if (next - first < GROUP_SMALL)
			SORT_NAME(insert) (keys + first, next - first,
							   (SORT_KEY) sort->flip);
		else
			SORT_NAME(sort_large) (sort, keys + first, spare + first,
								   next - first);
	}
}
