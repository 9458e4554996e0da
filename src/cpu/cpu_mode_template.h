/*
 * cpu_mode_template.h
 *	  The most frequent key, for keys of one size.
 *
 * Define these before including this file:
 *
 *	  MODE_KEY			the unsigned integer of that size
 *	  MODE_MULTIPLIER	an odd one, with random bits
 *	  MODE_INVERSE		the number by which a product has to be multiplied
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

/* Is any key equal to the one, or greater than the other? */
CPU_CLONES static bool
MODE_NAME(has_any) (const MODE_KEY *keys, int64_t count, MODE_KEY equal,
					MODE_KEY greater)
{
	MODE_KEY	found = 0;

	for (int64_t i = 0; i < count; i++)
		found |= (keys[i] == equal) | (keys[i] > greater);
	return found != 0;
}

/* Counts the keys of a group, whose first "passes" digits are the same. */
static bool
MODE_NAME(count_group) (const CpuSort *sort, const MODE_KEY *keys,
						int64_t count, ModeKey *mode)
{
	MODE_KEY	slots[MODE_SLOTS];
	uint32_t	counts[MODE_SLOTS];
	MODE_KEY	flip = (MODE_KEY) sort->keys->flip;
	int			skipped = SORT_DIGIT_BITS * sort->npasses;
	int64_t		collisions = 0;
	int			different = 0;
	int			bits = 4;
	uint32_t	last;

	while (bits < MODE_SLOT_BITS && count > (int64_t) 1 << (bits - 1))
		bits++;
	last = (1u << bits) - 1;
	memset(counts, 0, sizeof(uint32_t) << bits);
	for (int64_t i = 0; i < count; i++)
	{
		MODE_KEY	key = keys[i];
		uint32_t	slot = (uint32_t)
			((MODE_KEY) (key << skipped) >> (MODE_BITS - bits));
		uint32_t	times;

		while (counts[slot] != 0 && slots[slot] != key)
		{
			slot = (slot + 1) & last;
			collisions++;
		}
		slots[slot] = key;
		different += counts[slot] == 0;
		if (different > (int) (last - last / 4) ||
			collisions > MODE_COLLISIONS * (count + MODE_SLOTS))
			return false;
		times = ++counts[slot];
		if (times >= mode->count)
		{
			MODE_KEY	order = (MODE_KEY) (key * MODE_INVERSE) ^ flip;

			if (times > mode->count || order < mode->order)
				*mode = (ModeKey) {.order = order, .count = times};
		}
	}
	return true;
}

static bool
MODE_NAME(find_mode) (const CpuSort *sort, int64_t first, int64_t count,
					  int64_t all, ModeKey *mode)
{
	const MODE_KEY *keys = sort->from.keys;
	int			shift = MODE_BITS - SORT_DIGIT_BITS * sort->npasses;
	int64_t		end = first + count;
	int64_t		at = first;

	*mode = (ModeKey) {0};
	while (first > 0 && at < end &&
		   keys[at] >> shift == keys[first - 1] >> shift)
		at++;
	while (at < end && !cpu_sort_cancelled(sort))
	{
		MODE_KEY	group = keys[at] >> shift;
		int64_t		from = at;

		while (at < all && keys[at] >> shift == group)
			at++;
		if (at - from > sort->chunk_size ||
			!MODE_NAME(count_group) (sort, keys + from, at - from, mode))
			return false;
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
