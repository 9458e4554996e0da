/*
 * cpu_members_template.h
 *	  Whether elements are in a table; for cpu_kinds.h.
 */
#define MEMBERS_KEY(bits) \
	((KIND_BITS) (KIND_ORDER(KIND_CANONICALIZE(bits)) - least))

static uint64_t
KIND_NAME(members_key) (const void *table, int64_t i)
{
	return ((const KIND_BITS *) table)[i];
}

static void
KIND_NAME(make_bits) (CpuMembers *members, const void *table, int64_t from,
					  int64_t to)
{
	const KIND_BITS *keys = table;

	for (int64_t i = from; i < to; i++)
	{
		uint64_t	key = keys[i] - members->low;
		uint64_t	bit = key >> members->shift;

		members->bits[bit / 8] |= 1 << (bit % 8);
		if (members->starts == NULL)
			continue;
		while (members->next_range <= key >> members->range_shift)
			members->starts[members->next_range++] = (uint32_t) i;
	}
}

/* Flags the elements whose bits are set, without a branch. */
static void
KIND_NAME(test_bits) (const CpuMembers *members, const void *data,
					  int64_t count, uint64_t lowest, uint8_t *flags)
{
	const KIND_BITS *elements = data;
	const uint8_t *bits = members->bits;
	KIND_BITS	least = (KIND_BITS) lowest;
	KIND_BITS	low = (KIND_BITS) members->low;
	KIND_BITS	last = (KIND_BITS) members->last;
	int			shift = members->shift;

	for (int64_t i = 0; i < count; i++)
	{
		KIND_BITS	key = MEMBERS_KEY(elements[i]);
		KIND_BITS	bit = (KIND_BITS) (key - low) >> shift;
		uint8_t		inside = (key >= low) & (bit <= last);

		bit &= -(KIND_BITS) inside;
		flags[i] = (bits[bit / 8] >> (bit % 8)) & inside;
	}
}

/*
 * Finds the place of the table's last key that is no greater than each wanted
 * key, if the key's range has one.  All keys are searched side by side, so that
 * no search waits for another one's loads.
 */
static void
KIND_NAME(find_in_ranges) (const CpuMembers *members, const KIND_BITS *keys,
						   const KIND_BITS *wanted, int nwanted,
						   uint32_t *places)
{
	uint32_t	lengths[MEMBERS_BLOCK];
	uint32_t	longest = 0;

	for (int i = 0; i < nwanted; i++)
	{
		uint64_t	range = (wanted[i] - members->low) >> members->range_shift;
		uint32_t	start = members->starts[range];

		places[i] = start;
		lengths[i] = members->starts[range + 1] - start;
		longest = lengths[i] > longest ? lengths[i] : longest;
	}
	for (; longest > 1; longest -= longest / 2)
	{
		for (int i = 0; i < nwanted; i++)
		{
			uint32_t	half = lengths[i] / 2;
			uint32_t	mask =
				-(uint32_t) (keys[places[i] + half] <= wanted[i]);

			places[i] += half & mask;
			lengths[i] -= half;
		}
	}
}

/*
 * Clears the flags of elements that are not in the table: compares each flagged
 * element with the table's last key that is no greater.
 */
static void
KIND_NAME(search_members) (const CpuJob *job, const void *data, int64_t count,
						   uint8_t *flags)
{
	const CpuMembers *members = job->state;
	const EngineRequest *request = &job->request;
	const KIND_BITS *elements = data;
	const KIND_BITS *keys = request->table;
	KIND_BITS	least = kind_least(request->kinds[0]);
	KIND_BITS	wanted[MEMBERS_BLOCK];
	uint16_t	of[MEMBERS_BLOCK];
	uint32_t	places[MEMBERS_BLOCK];
	int			nwanted = 0;

	if (members == NULL)
	{
		int32_t		buckets[MEMBERS_BLOCK];

		cpu_find_buckets(job) (job, data, count, buckets);
		for (int64_t i = 0; i < count; i++)
			flags[i] = (buckets[i] > 0) &
				(keys[buckets[i] > 0 ? buckets[i] - 1 : 0] ==
				 MEMBERS_KEY(elements[i]));
		return;
	}
	for (int64_t i = 0; i < count; i++)
	{
		wanted[nwanted] = MEMBERS_KEY(elements[i]);
		of[nwanted] = (uint16_t) i;
		nwanted += flags[i];
	}
	if (nwanted == 0)
		return;
	KIND_NAME(find_in_ranges) (members, keys, wanted, nwanted, places);
	for (int i = 0; i < nwanted; i++)
		flags[of[i]] = keys[places[i]] == wanted[i];
}

static const MembersKind KIND_NAME(members_kind) = {
	KIND_NAME(members_key), KIND_NAME(make_bits), KIND_NAME(test_bits),
	KIND_NAME(search_members)
};

#undef MEMBERS_KEY
