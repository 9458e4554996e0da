/*
 * cpu_members_template.h
 *	  Whether elements are in a table; for cpu_kinds.h.
 */
#define MEMBERS_KEY(bits) \
	((KIND_BITS) (KIND_ORDER(KIND_CANONICALIZE(bits)) - least))

static uint64_t
KIND_NAME(members_key) (const void *table, int64_t i, uint64_t lowest)
{
	KIND_BITS	least = (KIND_BITS) lowest;

	return MEMBERS_KEY(((const KIND_BITS *) table)[i]);
}

static void
KIND_NAME(make_bits) (CpuMembers *members, const void *table, int64_t from,
					  int64_t to, uint64_t lowest)
{
	const KIND_BITS *elements = table;
	KIND_BITS	least = (KIND_BITS) lowest;

	for (int64_t i = from; i < to; i++)
	{
		uint64_t	key = (uint64_t) MEMBERS_KEY(elements[i]) - members->low;
		uint64_t	bit = key >> members->shift;

		members->bits[bit / 32] |= (uint32_t) 1 << (bit % 32);
		if (members->starts == NULL)
			continue;
		while (members->next_range <= key >> members->range_shift)
			members->starts[members->next_range++] = (uint32_t) i;
	}
}

/*
 * Flags the elements whose bits are set, without a branch.  Elements outside of
 * the table's range have the bit behind the last one, which is never set.
 */
CPU_CLONES static void
KIND_NAME(test_bits) (const CpuMembers *members, const void *data,
					  int64_t count, uint64_t lowest, uint8_t *restrict flags)
{
	const KIND_BITS *elements = data;
	KIND_BITS	least = (KIND_BITS) lowest;
	KIND_BITS	low = (KIND_BITS) members->low;
	KIND_BITS	last = (KIND_BITS) members->last;
	uint32_t	none = (uint32_t) members->last + 1;
	int			shift = members->shift;
	uint32_t	bits[MEMBERS_BLOCK];
	uint32_t	words[MEMBERS_BLOCK];

	for (int64_t i = 0; i < count; i++)
	{
		KIND_BITS	key = MEMBERS_KEY(elements[i]);
		KIND_BITS	bit = (KIND_BITS) (key - low) >> shift;

		bits[i] = ((key >= low) & (bit <= last)) ? (uint32_t) bit : none;
	}
	for (int64_t i = 0; i < count; i++)
		words[i] = members->bits[bits[i] / 32];
	for (int64_t i = 0; i < count; i++)
		flags[i] = words[i] >> (bits[i] % 32) & 1;
}

/*
 * Finds the place of the table's last key that is no greater than each wanted
 * key, if the key's range has one; all of the table is one range if there is no
 * bitmap.  All keys are searched side by side, so that no search waits for
 * another one's loads.
 */
static void
KIND_NAME(find_places) (const CpuMembers *members, const KIND_BITS *table,
						int64_t count, KIND_BITS least,
						const KIND_BITS *wanted, int nwanted, uint32_t *places)
{
	uint32_t	lengths[MEMBERS_BLOCK];
	uint32_t	longest = members == NULL ? (uint32_t) count : 0;

	for (int i = 0; i < nwanted; i++)
	{
		uint64_t	range;

		places[i] = 0;
		lengths[i] = longest;
		if (members == NULL)
			continue;
		range = (wanted[i] - members->low) >> members->range_shift;
		places[i] = members->starts[range];
		lengths[i] = members->starts[range + 1] - places[i];
		longest = lengths[i] > longest ? lengths[i] : longest;
	}
	for (; longest > 1; longest -= longest / 2)
	{
		for (int i = 0; i < nwanted; i++)
		{
			uint32_t	half = lengths[i] / 2;
			uint32_t	mask =
				-(uint32_t) (MEMBERS_KEY(table[places[i] + half]) <=
							 wanted[i]);

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
	const EngineRequest *request = job->request;
	const KIND_BITS *elements = data;
	const KIND_BITS *table = request->table;
	KIND_BITS	least = kind_least(request->kinds[0]);
	KIND_BITS	wanted[MEMBERS_BLOCK];
	uint16_t	of[MEMBERS_BLOCK];
	uint32_t	places[MEMBERS_BLOCK];
	int			nwanted = 0;

	for (int64_t i = 0; i < count; i++)
	{
		wanted[nwanted] = MEMBERS_KEY(elements[i]);
		of[nwanted] = (uint16_t) i;
		nwanted += flags[i];
	}
	if (nwanted == 0)
		return;
	KIND_NAME(find_places) (members, table, table_count(request), least,
							wanted, nwanted, places);
	for (int i = 0; i < nwanted; i++)
		flags[of[i]] = MEMBERS_KEY(table[places[i]]) == wanted[i];
}

/* Flags the elements that are in a table of a few. */
CPU_CLONES static void
KIND_NAME(compare_members) (const CpuJob *job, const void *data,
							int64_t count, uint8_t *flags)
{
	const EngineRequest *request = job->request;
	const KIND_BITS *elements = data;
	KIND_BITS	least = kind_least(request->kinds[0]);
	KIND_BITS	keys[MEMBERS_BLOCK];

	for (int64_t i = 0; i < count; i++)
	{
		keys[i] = MEMBERS_KEY(elements[i]);
		flags[i] = 0;
	}
	for (int64_t entry = 0; entry < table_count(request); entry++)
	{
		KIND_BITS	wanted = MEMBERS_KEY(((const KIND_BITS *)
										  request->table)[entry]);

		for (int64_t i = 0; i < count; i++)
			flags[i] |= keys[i] == wanted;
	}
}

static const MembersKind KIND_NAME(members_kind) = {
	KIND_NAME(members_key), KIND_NAME(make_bits), KIND_NAME(test_bits),
	KIND_NAME(search_members), KIND_NAME(compare_members)
};

#undef MEMBERS_KEY
