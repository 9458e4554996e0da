/*
 * cpu_sort_small_template.h
 *	  Rank sort, for keys of one size.
 *
 * To be included with SORT_KEY, the unsigned integer of that size,
 * SORT_SIGNED, the signed one, and SORT_NAME(name), for names.
 */

/*
 * Counts, for each key, those that are less: its rank.  Keys that are equal
 * have the same rank, and take the places from there on, one after the other.
 * The work is quadratic, but without a branch, and done on a line of keys at
 * once; signed, as that is what all processors compare.
 */
CPU_CLONES static void
SORT_NAME(rank) (const void *data, int count, uint64_t flip, uint8_t *places)
{
	SORT_KEY	signed_flip = (SORT_KEY)
		(flip ^ (uint64_t) 1 << (8 * sizeof(SORT_KEY) - 1));
	SORT_KEY	bits[SORT_SMALL];
	SORT_SIGNED keys[SORT_SMALL];
	uint8_t		placed[SORT_SMALL] = {0};

	memset(bits + (count - 1) / SORT_LINE * SORT_LINE, 0,
		   SORT_LINE * sizeof(SORT_KEY));
	memcpy(bits, data, count * sizeof(SORT_KEY));
	for (int first = 0; first < count; first += SORT_LINE)
	{
		for (int j = 0; j < SORT_LINE; j++)
			keys[first + j] = (SORT_SIGNED) (bits[first + j] ^ signed_flip);
	}
	for (int first = 0; first < count; first += SORT_LINE)
	{
		SORT_KEY	ranks[SORT_LINE] = {0};

		for (int i = 0; i < count; i++)
		{
			for (int j = 0; j < SORT_LINE; j++)
				ranks[j] += keys[i] < keys[first + j];
		}
		for (int j = 0; j < SORT_LINE && first + j < count; j++)
			places[first + j] = ranks[j] + placed[ranks[j]]++;
	}
}

static void
SORT_NAME(scatter) (void *result, const void *data, int count,
					const uint8_t *places)
{
	SORT_KEY   *to = result;
	const SORT_KEY *from = data;

	for (int i = 0; i < count; i++)
		to[places[i]] = from[i];
}

#undef SORT_KEY
#undef SORT_SIGNED
#undef SORT_NAME
