/*
 * cpu_sort_small_template.h
 *	  Sorts of few keys of one size.
 *
 * Define these before including this file:
 *
 *	  SORT_KEY		the unsigned integer of that size
 *	  SORT_SIGNED	the signed one
 *	  SORT_NAME(x)	the name with the size's suffix
 *	  SORT_HAS_ROOM	if a key and its number fit into 8 bytes
 */

/*
 * A key's rank is the number of lesser keys.  Equal keys have the same rank,
 * and take the places from there on in their order.  The work is quadratic,
 * but has no branch, and the compiler vectorizes it over a batch of keys.
 * Keys are signed, because not all processors compare vectors of unsigned
 * integers.
 */
CPU_CLONES static void
SORT_NAME(rank) (const void *data, int count, uint64_t flip, uint8_t *places)
{
	const SORT_KEY *bits = data;
	SORT_KEY	signed_flip = (SORT_KEY)
		(flip ^ (uint64_t) 1 << (8 * sizeof(SORT_KEY) - 1));
	SORT_SIGNED keys[SORT_SMALL];
	uint8_t		placed[SORT_SMALL] = {0};
	int			whole = count / RANK_BATCH * RANK_BATCH;

	for (int first = 0; first < whole; first += RANK_BATCH)
	{
		for (int j = 0; j < RANK_BATCH; j++)
			keys[first + j] = (SORT_SIGNED) (bits[first + j] ^ signed_flip);
	}
	/* The last batch is filled up with keys that nobody asks for. */
	for (int i = whole; i % RANK_BATCH != 0 || i < count; i++)
		keys[i] = i < count ? (SORT_SIGNED) (bits[i] ^ signed_flip) : 0;
	for (int first = 0; first < count; first += RANK_BATCH)
	{
		SORT_KEY	ranks[RANK_BATCH] = {0};

		for (int i = 0; i < count; i++)
		{
			for (int j = 0; j < RANK_BATCH; j++)
				ranks[j] += keys[i] < keys[first + j];
		}
		for (int j = 0; j < RANK_BATCH && first + j < count; j++)
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

/* Sorts by a network. */
CPU_CLONES static void
SORT_NAME(sort) (void *result, const void *data, int count, uint64_t flip)
{
	const int	size = sizeof(SORT_KEY);
	const SORT_KEY *bits = data;
	SORT_KEY   *to = result;
	NetworkKeys keys;

	for (int i = 0; i < count; i++)
		network_put(&keys, size, i, (SORT_KEY) (bits[i] ^ flip));
	network_sort(&keys, size, count);
	for (int i = 0; i < count; i++)
		to[i] = (SORT_KEY) (network_key(&keys, size, i) ^ flip);
}

#ifdef SORT_HAS_ROOM

/* Like rank, by a network: numbers behind keys keep equal keys in order. */
CPU_CLONES static void
SORT_NAME(rank_by_network) (const void *data, int count, uint64_t flip,
							uint8_t *places)
{
	const int	size = sizeof(uint64_t);
	const SORT_KEY *bits = data;
	NetworkKeys keys;

	for (int i = 0; i < count; i++)
	{
		uint64_t	key = (SORT_KEY) (bits[i] ^ flip);

		network_put(&keys, size, i, key << 8 | i);
	}
	network_sort(&keys, size, count);
	for (int i = 0; i < count; i++)
		places[(uint8_t) network_key(&keys, size, i)] = i;
}

#undef SORT_HAS_ROOM
#endif

#undef SORT_KEY
#undef SORT_SIGNED
#undef SORT_NAME
