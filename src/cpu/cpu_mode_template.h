/*
 * cpu_mode_template.h
 *	  The most frequent key, for keys of one size.
 *
 * Define these before including this file:
 *
 *	  MODE_KEY			the unsigned integer of that size
 *	  MODE_MULTIPLIER	an odd integer of that size, with random bits
 *	  MODE_INVERSE		its inverse, which undoes the multiplication
 *	  MODE_NAME(x)		the name with the size's suffix
 */

#define MODE_BITS		(8 * (int) sizeof(MODE_KEY))

CPU_CLONES static void
MODE_NAME(multiply) (MODE_KEY *keys, int64_t count, MODE_KEY multiplier)
{
	for (int64_t i = 0; i < count; i++)
		keys[i] *= multiplier;
}

static void
MODE_NAME(scramble) (void *keys, int64_t count)
{
	MODE_NAME(multiply) (keys, count, MODE_MULTIPLIER);
}

_Static_assert((MODE_KEY) (MODE_MULTIPLIER * MODE_INVERSE) == 1,
			   "MODE_INVERSE is not the inverse of MODE_MULTIPLIER");

static void
MODE_NAME(unscramble) (void *keys, int64_t count)
{
	MODE_NAME(multiply) (keys, count, MODE_INVERSE);
}

/* Returns whether any key is equal to "equal", or greater than "greater". */
CPU_CLONES static bool
MODE_NAME(has_any) (const MODE_KEY *keys, int64_t count, MODE_KEY equal,
					MODE_KEY greater)
{
	MODE_KEY	found = 0;

	for (int64_t i = 0; i < count; i++)
		found |= (keys[i] == equal) | (keys[i] > greater);
	return found != 0;
}

/* The least key, flipped.  Most keys are different, so it may be the mode. */
CPU_CLONES static MODE_KEY
MODE_NAME(least_order) (const MODE_KEY *keys, int64_t count, MODE_KEY flip)
{
	MODE_KEY	least = (MODE_KEY) ~(MODE_KEY) 0;

	for (int64_t i = 0; i < count; i++)
	{
		MODE_KEY	order = (MODE_KEY) (keys[i] * MODE_INVERSE) ^ flip;

		least = order < least ? order : least;
	}
	return least;
}

static inline void
MODE_NAME(note) (ModeKey *mode, MODE_KEY order, uint32_t times)
{
	if (times > mode->count || (times == mode->count && order < mode->order))
		*mode = (ModeKey) {.order = order, .count = times};
}

/* Counts the keys of a group, whose first bits are the same. */
static bool
MODE_NAME(count_group) (const CpuSort *sort, const MODE_KEY *keys,
						int64_t count, int skipped, ModeKey *mode)
{
	MODE_KEY	slots[MODE_SLOTS];
	uint32_t	counts[MODE_SLOTS];
	MODE_KEY	flip = (MODE_KEY) sort->flip;
	int64_t		collisions = 0;
	int			different = 0;
	int			bits = 4;
	uint32_t	last;

	while (bits < MODE_SLOT_BITS && count > (int64_t) 1 << (bits - 2))
		bits++;
	last = (1u << bits) - 1;
	memset(counts, 0, sizeof(uint32_t) << bits);
	if (mode->count <= 1 && count > 0)
		MODE_NAME(note) (mode, MODE_NAME(least_order) (keys, count, flip), 1);
	for (int64_t i = 0; i < count; i++)
	{
		MODE_KEY	key = keys[i];
		uint32_t	slot = (uint32_t)
			((MODE_KEY) (key << skipped) >> (MODE_BITS - bits));

		while (counts[slot] != 0 && slots[slot] != key)
		{
			slot = (slot + 1) & last;
			collisions++;
		}
		if (counts[slot]++ == 0)
		{
			slots[slot] = key;
			different++;
			if (different > (int) (last - last / 4) ||
				collisions > MODE_COLLISIONS * (count + MODE_SLOTS))
				return false;
		}
		else if (counts[slot] >= mode->count)
			MODE_NAME(note) (mode, (MODE_KEY) (key * MODE_INVERSE) ^ flip,
							 counts[slot]);
	}
	return true;
}

/* The digit after the skipped bits. */
static inline int
MODE_NAME(digit) (MODE_KEY key, int skipped)
{
	return (int) ((MODE_KEY) (key << skipped) >> (MODE_BITS - SORT_DIGIT_BITS));
}

/* Splits a group by the next digit, and counts the keys of each part. */
static bool
MODE_NAME(count_parts) (const CpuSort *sort, const MODE_KEY *keys,
						int64_t count, int skipped, MODE_KEY *split,
						ModeKey *mode)
{
	uint32_t	ends[SORT_BINS] = {0};
	uint32_t	start = 0;

	for (int64_t i = 0; i < count; i++)
		ends[MODE_NAME(digit) (keys[i], skipped)]++;
	for (int bin = 0; bin < SORT_BINS; bin++)
	{
		uint32_t	next = start + ends[bin];

		ends[bin] = start;
		start = next;
	}
	for (int64_t i = 0; i < count; i++)
		split[ends[MODE_NAME(digit) (keys[i], skipped)]++] = keys[i];
	start = 0;
	for (int bin = 0; bin < SORT_BINS; bin++)
	{
		if (!MODE_NAME(count_group) (sort, split + start, ends[bin] - start,
									 skipped + SORT_DIGIT_BITS, mode))
			return false;
		start = ends[bin];
	}
	return true;
}

/*
 * Returns the end of the group that begins at "first".  The group's size is
 * unknown, but small beside the array's, so the search begins with small steps.
 */
static int64_t
MODE_NAME(group_end) (const MODE_KEY *keys, int64_t first, int64_t all,
					  int shift)
{
	MODE_KEY	group = keys[first] >> shift;
	int64_t		inside = first;
	int64_t		step = 1;

	while (step < all - inside && keys[inside + step] >> shift == group)
	{
		inside += step;
		step *= 2;
	}
	for (; step > 0; step /= 2)
	{
		if (step < all - inside && keys[inside + step] >> shift == group)
			inside += step;
	}
	return inside + 1;
}

static bool
MODE_NAME(find_mode) (const CpuSort *sort, int64_t first, int64_t count,
					  int64_t all, void *split, ModeKey *mode)
{
	const MODE_KEY *keys = sort->from.keys;
	int			skipped = SORT_DIGIT_BITS * sort->npasses;
	int			shift = MODE_BITS - skipped;
	int64_t		at = first;

	*mode = (ModeKey) {0};
	if (first > 0 && keys[first] >> shift == keys[first - 1] >> shift)
		at = MODE_NAME(group_end) (keys, first, all, shift);
	while (at < first + count && !cpu_sort_cancelled(sort))
	{
		int64_t		end = MODE_NAME(group_end) (keys, at, all, shift);
		int64_t		size = end - at;
		bool		found;

		if (size > MODE_GROUP && size <= MODE_SPLIT)
			found = MODE_NAME(count_parts) (sort, keys + at, size, skipped,
											split, mode);
		else
			found = size <= sort->phases->chunk_size &&
				MODE_NAME(count_group) (sort, keys + at, size, skipped, mode);
		if (!found)
			return false;
		at = end;
	}
	return true;
}

static const ModeKeys MODE_NAME(mode_keys) = {
	.bits = MODE_BITS,
	.inverse = MODE_INVERSE,
	.scramble = MODE_NAME(scramble),
	.unscramble = MODE_NAME(unscramble),
	.find = MODE_NAME(find_mode)
};

#undef MODE_BITS
#undef MODE_KEY
#undef MODE_MULTIPLIER
#undef MODE_INVERSE
#undef MODE_NAME
