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

/* What keys of a group have in common: their bits from "shift" on. */
static inline uint64_t
SORT_NAME(group_of) (const CpuSort *sort, SORT_KEY key, int shift)
{
	return (SORT_KEY) ((key ^ (SORT_KEY) sort->flip) - (SORT_KEY) sort->base)
		>> shift;
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

/*
 * Moves elements, which are some, by a digit of at most GROUP_DIGIT_BITS bits.
 * Returns false if all have the same.
 */
CPU_CLONES static bool
SORT_NAME(move_group) (const CpuSort *sort, SORT_NAME(Group) to,
					   SORT_NAME(Group) from, int64_t count, int shift,
					   int bits)
{
	SORT_KEY	flip = (SORT_KEY) sort->flip;
	SORT_KEY	base = (SORT_KEY) sort->base;
	SORT_KEY	mask = (SORT_KEY) ((1 << bits) - 1);
	uint32_t	places[1 << GROUP_DIGIT_BITS];
	uint32_t	place = 0;

	memset(places, 0, sizeof(places[0]) << bits);
	for (int64_t i = 0; i < count; i++)
		places[(SORT_KEY) ((from.keys[i] ^ flip) - base) >> shift & mask]++;
	if (places[(SORT_KEY) ((from.keys[0] ^ flip) - base) >> shift & mask] ==
		count)
		return false;
	for (int bin = 0; bin < 1 << bits; bin++)
	{
		uint32_t	keys = places[bin];

		places[bin] = place;
		place += keys;
	}
	for (int64_t i = 0; i < count; i++)
	{
		place = places[(SORT_KEY) ((from.keys[i] ^ flip) - base) >> shift &
					   mask]++;
		to.keys[place] = from.keys[i];
#ifdef SORT_PAYLOAD
		to.payloads[place] = from.payloads[i];
#endif
	}
	return true;
}

/*
 * Sorts a group by the bits from "low" to "high", in digits of about the same
 * width, and wide ones if the keys are more than their bins.
 */
static void
SORT_NAME(sort_bits) (const CpuSort *sort, int64_t first, int64_t count,
					  int low, int high)
{
	SORT_NAME(Group) group = SORT_NAME(elements_from) (&sort->from, first);
	SORT_NAME(Group) from = group;
	SORT_NAME(Group) to = SORT_NAME(elements_from) (&sort->to, first);
	int			most = count < 1 << GROUP_DIGIT_BITS >> 3 ?
		SORT_DIGIT_BITS : GROUP_DIGIT_BITS;
	int			digits = (high - low + most - 1) / most;

	for (; digits > 0 && !cpu_sort_cancelled(sort); digits--)
	{
		int			bits = (high - low) / digits;
		SORT_NAME(Group) moved = to;

		low += bits;
		if (!SORT_NAME(move_group) (sort, to, from, count, low - bits, bits))
			continue;
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
SORT_NAME(have_groups) (const CpuSort *sort, const SORT_KEY *keys, int shift)
{
	bool		any = false;

	for (int i = 0; i < GROUP_BATCH; i++)
		any |= SORT_NAME(group_of) (sort, keys[i], shift) ==
			SORT_NAME(group_of) (sort, keys[i + 1], shift);
	return any;
}

/*
 * Sorts the elements from "first" to "end", which are in order by their bits
 * from "shift" on.  Few have these in common.
 */
CPU_CLONES static void
SORT_NAME(sort_few) (const CpuSort *sort, int64_t first, int64_t end,
					 int shift)
{
	const SORT_KEY *keys = sort->from.keys;

	for (int64_t next; first < end && !cpu_sort_cancelled(sort); first = next)
	{
		uint64_t	group = SORT_NAME(group_of) (sort, keys[first], shift);

		next = first + GROUP_BATCH;
		if (next < end && !SORT_NAME(have_groups) (sort, keys + first, shift))
			continue;
		next = first + 1;
		while (next < end &&
			   SORT_NAME(group_of) (sort, keys[next], shift) == group)
			next++;
		if (next - first < GROUP_SMALL)
			SORT_NAME(insert) (SORT_NAME(elements_from) (&sort->from, first),
							   next - first, (SORT_KEY) sort->flip);
		else
			SORT_NAME(sort_bits) (sort, first, next - first, sort->lowest,
								  shift);
	}
}

/*
 * Sorts a group: by as many of its bits as leave few keys in common, and then
 * those.
 */
static void
SORT_NAME(sort_group) (const CpuSort *sort, int64_t first, int64_t count)
{
	int			high = sort->shifts[0];
	int			low = high - GROUP_SPARE_BITS;

	if (count < GROUP_SMALL)
	{
		SORT_NAME(insert) (SORT_NAME(elements_from) (&sort->from, first),
						   count, (SORT_KEY) sort->flip);
		return;
	}
	for (int64_t keys = count; keys > 1; keys /= 2)
		low--;
	if (low < sort->lowest)
		low = sort->lowest;
	SORT_NAME(sort_bits) (sort, first, count, low, high);
	if (low > sort->lowest)
		SORT_NAME(sort_few) (sort, first, first + count, low);
}

/* Sorts the groups of elements from "first" to "end". */
static void
SORT_NAME(sort_groups) (const CpuSort *sort, int64_t first, int64_t end)
{
	const SORT_KEY *keys = sort->from.keys;
	int			shift = sort->shifts[0];

	if (sort->npasses == 0)
	{
		SORT_NAME(sort_group) (sort, first, end - first);
		return;
	}
	for (int64_t next; first < end && !cpu_sort_cancelled(sort); first = next)
	{
		uint64_t	group = SORT_NAME(group_of) (sort, keys[first], shift);
		int64_t		step = 1;

		/* The group's end is from "next" to "next + step" at last. */
		for (next = first; next + step < end &&
			 SORT_NAME(group_of) (sort, keys[next + step], shift) == group;
			 step *= 2)
			next += step;
		while (step > 0)
		{
			if (next + step < end &&
				SORT_NAME(group_of) (sort, keys[next + step], shift) == group)
				next += step;
			step /= 2;
		}
		next++;
		SORT_NAME(sort_group) (sort, first, next - first);
	}
}
