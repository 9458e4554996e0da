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
KIND_NAME(make_bits) (CpuMembers *members, const void *table, int64_t count)
{
	const KIND_BITS *keys = table;

	for (int64_t i = 0; i < count; i++)
	{
		uint64_t	bit = (keys[i] - members->low) >> members->shift;

		members->bits[bit / 8] |= 1 << (bit % 8);
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
 * Leaves the flags of those elements that are in the table: compares each one
 * with the table's last key that is no greater.
 */
static void
KIND_NAME(search_members) (const EngineRequest *request, const void *data,
						   int64_t count, uint8_t *flags)
{
	const KIND_BITS *elements = data;
	const KIND_BITS *keys = request->table;
	KIND_BITS	least = kind_least(request->kinds[0]);
	KIND_BITS	wanted[MEMBERS_BLOCK];
	int16_t		places[MEMBERS_BLOCK];
	int32_t		buckets[MEMBERS_BLOCK];
	int			nwanted = 0;

	for (int64_t i = 0; i < count; i++)
	{
		wanted[nwanted] = elements[i];
		places[nwanted] = (int16_t) i;
		nwanted += flags[i];
	}
	cpu_find_buckets(request->kinds[0]) (request, wanted, nwanted, buckets);
	for (int i = 0; i < nwanted; i++)
	{
		int32_t		bucket = buckets[i];

		flags[places[i]] = (bucket > 0) &
			(keys[bucket > 0 ? bucket - 1 : 0] == MEMBERS_KEY(wanted[i]));
	}
}

static const MembersKind KIND_NAME(members_kind) = {
	KIND_NAME(members_key), KIND_NAME(make_bits), KIND_NAME(test_bits),
	KIND_NAME(search_members)
};

#undef MEMBERS_KEY
