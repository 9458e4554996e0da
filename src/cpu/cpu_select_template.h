/*
 * cpu_select_template.h
 *	  What a selection does with elements; for cpu_kinds.h.
 *
 * A key is an element as an unsigned integer in the order of elements, in which
 * no two that differ in a bit are the same.
 */

#define SELECT_KEY(bits, flip)	((KIND_BITS) (KIND_ORDER(bits) ^ (flip)))

static uint64_t
KIND_NAME(select_key) (const CpuSelect *select, const void *element)
{
	return SELECT_KEY(*(const KIND_BITS *) element, (KIND_BITS) select->flip);
}

/*
 * Finds the bins of a few elements in one range.  The bin before the range's
 * first one, and the bin after its last one, are for the elements outside.
 */
CPU_CLONES static void
KIND_NAME(bins_of_range) (const CpuSelect *select, const void *data,
						  int count, uint16_t *restrict bins)
{
	const KIND_BITS *elements = data;
	const SelectRange *range = &select->ranges[select->middle];
	KIND_BITS	flip = (KIND_BITS) select->flip;
	KIND_BITS	low = (KIND_BITS) range->low;
	KIND_BITS	last = (KIND_BITS) (range->nbins - 1);
	uint16_t	above = (uint16_t) (range->nbins + 1);
	int			shift = range->shift;

	for (int i = 0; i < count; i++)
	{
		KIND_BITS	key = SELECT_KEY(elements[i], flip);
		KIND_BITS	bin = (KIND_BITS) (key - low) >> shift;
		uint16_t	inside = bin > last ? above : (uint16_t) (bin + 1);

		bins[i] = key < low ? 0 : inside;
	}
}

/* Finds bins in several ranges.  The elements outside are in bin 0. */
static void
KIND_NAME(bins_of_ranges) (const CpuSelect *select, const void *data,
						   int count, uint16_t *bins)
{
	const KIND_BITS *elements = data;
	const SelectRange *ranges = select->ranges;
	KIND_BITS	flip = (KIND_BITS) select->flip;

	for (int i = 0; i < count; i++)
	{
		uint64_t	key = SELECT_KEY(elements[i], flip);
		const SelectRange *range = ranges;

		/* The last range that does not begin behind the key. */
		for (int left = select->nranges; left > 1; left -= left / 2)
			range += range[left / 2].low <= key ? left / 2 : 0;
		if (key < range->low || key > range->high)
			bins[i] = 0;
		else
			bins[i] = (uint16_t) (range->first_bin +
								  ((key - range->low) >> range->shift));
	}
}

/*
 * Counts the elements of each bin.  Neighbours are often in the same bin, so
 * two tables take turns: otherwise each count would wait for the one before it.
 */
static void
KIND_NAME(select_count) (const CpuSelect *select, const void *data,
						 int64_t count, SelectTable *table)
{
	const KIND_BITS *elements = data;
	uint16_t	bins[SELECT_BLOCK];

	for (int64_t done = 0; done < count; done += SELECT_BLOCK)
	{
		int			block = cpu_min(count - done, SELECT_BLOCK);

		select->find_bins(select, elements + done, block, bins);
		for (int i = 0; i + 1 < block; i += 2)
		{
			table->counts[0][bins[i]]++;
			table->counts[1][bins[i + 1]]++;
		}
		if (block % 2 != 0)
			table->counts[0][bins[block - 1]]++;
	}
}

/* Copies a few elements that are in bins to keep, and returns how many. */
static int
KIND_NAME(select_keep) (const CpuSelect *select, const void *data, int count,
						void *kept)
{
	const KIND_BITS *elements = data;
	KIND_BITS  *to = kept;
	uint16_t	bins[SELECT_BLOCK];
	int			nkept = 0;

	select->find_bins(select, elements, count, bins);
	for (int i = 0; i < count; i++)
	{
		to[nkept] = elements[i];
		nkept += select->keep[bins[i]];
	}
	return nkept;
}

#define SELECT_IS_INSIDE(bits, flip, low, span) \
	((KIND_BITS) (SELECT_KEY(bits, flip) - (low)) <= (span))

/* Returns whether any of a few elements has a key from low to low + span. */
CPU_CLONES static bool
KIND_NAME(has_inside) (const KIND_BITS *elements, int count, KIND_BITS flip,
					   KIND_BITS low, KIND_BITS span)
{
	KIND_BITS	any = 0;

	for (int i = 0; i < count; i++)
		any |= SELECT_IS_INSIDE(elements[i], flip, low, span);
	return any != 0;
}

/*
 * Like select_keep, for a single next range.  It has few elements, so most
 * groups of neighbours have no element in it, and are skipped.
 */
static int
KIND_NAME(select_keep_range) (const CpuSelect *select, const void *data,
							  int count, void *kept)
{
	const KIND_BITS *elements = data;
	KIND_BITS  *to = kept;
	KIND_BITS	flip = (KIND_BITS) select->flip;
	KIND_BITS	low = (KIND_BITS) select->next[0].low;
	KIND_BITS	span = (KIND_BITS) (select->next[0].high - low);
	int			nkept = 0;

	for (int first = 0; first < count; first += SELECT_GROUP)
	{
		int			end = cpu_min(first + SELECT_GROUP, count);

		if (!KIND_NAME(has_inside) (elements + first, end - first, flip, low,
									span))
			continue;
		for (int i = first; i < end; i++)
		{
			to[nkept] = elements[i];
			nkept += SELECT_IS_INSIDE(elements[i], flip, low, span);
		}
	}
	return nkept;
}

CPU_CLONES static void
KIND_NAME(make_keys) (const void *data, int count, uint64_t flip,
					  KIND_BITS *restrict keys)
{
	const KIND_BITS *elements = data;

	for (int i = 0; i < count; i++)
		keys[i] = SELECT_KEY(elements[i], (KIND_BITS) flip);
}

/*
 * Moves keys that are less than the pivot, or equal to it if "or_equal", before
 * the others, without a branch on any.  Returns where the others begin.
 */
static inline int
KIND_NAME(partition) (KIND_BITS *keys, int from, int to, KIND_BITS pivot,
					  bool or_equal)
{
	for (int i = from; i < to; i++)
	{
		KIND_BITS	key = keys[i];

		keys[i] = keys[from];
		keys[from] = key;
		from += key < pivot || (or_equal && key == pivot);
	}
	return from;
}

/*
 * The keys of one rank, and of the next one if that is among the elements
 * (Hoare, "Algorithm 65: find", 1961).
 */
static void
KIND_NAME(select_few) (const void *data, int count, uint64_t flip, int rank,
					   uint64_t found[2])
{
	KIND_BITS	keys[SORT_SMALL];
	KIND_BITS	least = (KIND_BITS) ~(KIND_BITS) 0;
	int			from = 0;
	int			to = count;

	KIND_NAME(make_keys) (data, count, flip, keys);
	while (to - from > 1)
	{
		KIND_BITS	a = keys[from];
		KIND_BITS	b = keys[from + (to - from) / 2];
		KIND_BITS	c = keys[to - 1];
		KIND_BITS	low = a < b ? a : b;
		KIND_BITS	high = a < b ? b : a;
		KIND_BITS	pivot = c < low ? low : c < high ? c : high;
		int			less = KIND_NAME(partition) (keys, from, to, pivot,
												 false);

		if (rank < less)
			to = less;
		else if (less > from)
			from = less;
		else
		{
			/* The pivot is the least: what is equal to it is in order. */
			from = KIND_NAME(partition) (keys, from, to, pivot, true);
			if (rank < from)
				break;
		}
	}
	found[0] = keys[rank];
	for (int i = rank + 1; i < count; i++)
		least = keys[i] < least ? keys[i] : least;
	found[1] = least;
}

static const SelectKind KIND_NAME(select_kind) = {
	KIND_NAME(select_key),
	KIND_NAME(bins_of_range),
	KIND_NAME(bins_of_ranges),
	KIND_NAME(select_count),
	KIND_NAME(select_keep),
	KIND_NAME(select_keep_range),
	KIND_NAME(select_few)
};

#undef SELECT_IS_INSIDE
#undef SELECT_KEY
