/*
 * cpu_sort_groups_template.h
 *	  Sorts of groups, for elements of one shape: a part of
 *	  cpu_sort_shape_template.h.
 */

/* Some elements of one half of the double buffer. */
typedef struct SORT_NAME(Group)
{
	SORT_KEY   *keys;
#ifdef SORT_PAYLOAD
	SORT_PAYLOAD *payloads;
#endif
} SORT_NAME(Group);

static inline SORT_NAME(Group)
SORT_NAME(elements_from) (const SortBuffer *buffer, int64_t first)
{
	return (SORT_NAME(Group)) {
		(SORT_KEY *) buffer->keys + first,
#ifdef SORT_PAYLOAD
		(SORT_PAYLOAD *) buffer->payloads + first
#endif
	};
}

static inline uint64_t
SORT_NAME(group_of) (const CpuSort *sort, SORT_KEY key)
{
	return (SORT_KEY) ((key ^ (SORT_KEY) sort->flip) - (SORT_KEY) sort->base)
		>> sort->shifts[0];
}

/* Sorts by insertion (Knuth, volume 3, section 5.2.1). */
static inline void
SORT_NAME(insert) (SORT_NAME(Group) group, int64_t count, SORT_KEY flip)
{
	for (int64_t i = 1; i < count; i++)
	{
		SORT_KEY	key = group.keys[i];
		int64_t		place = i;
#ifdef SORT_PAYLOAD
		SORT_PAYLOAD payload = group.payloads[i];
#endif

		for (; place > 0 && (group.keys[place - 1] ^ flip) > (key ^ flip);
			 place--)
		{
			group.keys[place] = group.keys[place - 1];
#ifdef SORT_PAYLOAD
			group.payloads[place] = group.payloads[place - 1];
#endif
		}
		group.keys[place] = key;
#ifdef SORT_PAYLOAD
		group.payloads[place] = payload;
#endif
	}
}

/* Moves elements by a digit. */
static void
SORT_NAME(move_group) (SORT_NAME(Group) to, SORT_NAME(Group) from,
					   int64_t count, SORT_KEY flip, int shift)
{
	uint32_t	places[SORT_BINS] = {0};
	uint32_t	place = 0;

	for (int64_t i = 0; i < count; i++)
		places[(uint8_t) ((from.keys[i] ^ flip) >> shift)]++;
	for (int bin = 0; bin < SORT_BINS; bin++)
	{
		uint32_t	keys = places[bin];

		places[bin] = place;
		place += keys;
	}
	for (int64_t i = 0; i < count; i++)
	{
		place = places[(uint8_t) ((from.keys[i] ^ flip) >> shift)]++;
		to.keys[place] = from.keys[i];
#ifdef SORT_PAYLOAD
		to.payloads[place] = from.payloads[i];
#endif
	}
}

/* Sorts a large group by the digits in which any two keys differ. */
static void
SORT_NAME(sort_large) (const CpuSort *sort, SORT_NAME(Group) group,
					   SORT_NAME(Group) spare, int64_t count)
{
	SORT_NAME(Group) from = group;
	SORT_NAME(Group) to = spare;
	SORT_KEY	live = 0;

	for (int64_t i = 1; i < count; i++)
		live |= group.keys[i] ^ group.keys[0];
	for (int shift = 0; shift < (int) sizeof(SORT_KEY) * 8 &&
		 !cpu_sort_cancelled(sort); shift += SORT_DIGIT_BITS)
	{
		SORT_NAME(Group) moved = to;

		if ((uint8_t) (live >> shift) == 0)
			continue;
		SORT_NAME(move_group) (to, from, count, (SORT_KEY) sort->flip, shift);
		to = from;
		from = moved;
	}
	if (from.keys == group.keys)
		return;
	memcpy(group.keys, from.keys, count * sizeof(SORT_KEY));
#ifdef SORT_PAYLOAD
	memcpy(group.payloads, from.payloads, count * sizeof(SORT_PAYLOAD));
#endif
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

/* Sorts the groups of elements from "first" to "end".  Most have one key. */
CPU_CLONES static void
SORT_NAME(sort_groups) (const CpuSort *sort, int64_t first, int64_t end)
{
	const SORT_KEY *keys = sort->from.keys;

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
			SORT_NAME(insert) (SORT_NAME(elements_from) (&sort->from, first),
							   next - first, (SORT_KEY) sort->flip);
		else
			SORT_NAME(sort_large) (sort,
								   SORT_NAME(elements_from) (&sort->from,
															 first),
								   SORT_NAME(elements_from) (&sort->to, first),
								   next - first);
	}
}
