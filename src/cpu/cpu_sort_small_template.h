/*
 * cpu_sort_small_template.h
 *	  Sorts of few keys of one size; for cpu_kinds.h.
 */

/* By a network: numbers behind keys keep equal keys in order. */
CPU_CLONES static void
KIND_NAME(rank_by_network) (const void *data, int count, uint64_t flip,
							uint8_t *places)
{
	const int	size = sizeof(uint64_t);
	const KIND_BITS *bits = data;
	NetworkKeys keys;

	for (int i = 0; i < count; i++)
	{
		uint64_t	key = (KIND_BITS) (bits[i] ^ flip);

		network_put(&keys, size, i, key << 8 | i);
	}
	network_sort(&keys, size, count);
	for (int i = 0; i < count; i++)
		places[(uint8_t) network_key(&keys, size, i)] = i;
}

/*
 * A key's rank is the number of lesser keys.  Equal keys have the same rank,
 * and take the places from there on in their order.  The work is quadratic,
 * but has no branch, and the compiler vectorizes it over a batch of keys.
 * Keys are signed, because not all processors compare vectors of unsigned
 * integers.
 */
CPU_CLONES static void
KIND_NAME(rank_by_counts) (const void *data, int count, uint64_t flip,
						   uint8_t *places)
{
	const KIND_BITS *bits = data;
	KIND_BITS	signed_flip = (KIND_BITS)
		(flip ^ (uint64_t) 1 << (8 * sizeof(KIND_BITS) - 1));
	KIND_SIGNED keys[SORT_SMALL];
	uint8_t		placed[SORT_SMALL] = {0};
	int			whole = count / RANK_BATCH * RANK_BATCH;

	for (int first = 0; first < whole; first += RANK_BATCH)
	{
		for (int j = 0; j < RANK_BATCH; j++)
			keys[first + j] = (KIND_SIGNED) (bits[first + j] ^ signed_flip);
	}
	/* The last batch is filled up with keys that nobody asks for. */
	for (int i = whole; i % RANK_BATCH != 0 || i < count; i++)
		keys[i] = i < count ? (KIND_SIGNED) (bits[i] ^ signed_flip) : 0;
	for (int first = 0; first < count; first += RANK_BATCH)
	{
		KIND_BITS	ranks[RANK_BATCH] = {0};

		for (int i = 0; i < count; i++)
		{
			for (int j = 0; j < RANK_BATCH; j++)
				ranks[j] += keys[i] < keys[first + j];
		}
		for (int j = 0; j < RANK_BATCH && first + j < count; j++)
			places[first + j] = ranks[j] + placed[ranks[j]]++;
	}
}

/* A network has room for a key and its number in 8 bytes. */
static void
KIND_NAME(rank) (const void *data, int count, uint64_t flip, uint8_t *places)
{
	if (sizeof(KIND_BITS) < sizeof(uint64_t) &&
		cpu_network_pays(count, sizeof(uint64_t)))
		KIND_NAME(rank_by_network) (data, count, flip, places);
	else
		KIND_NAME(rank_by_counts) (data, count, flip, places);
}

static void
KIND_NAME(scatter) (void *result, const void *data, int count,
					const uint8_t *places)
{
	KIND_BITS  *to = result;
	const KIND_BITS *from = data;

	for (int i = 0; i < count; i++)
		to[places[i]] = from[i];
}

/* Sorts by a network. */
CPU_CLONES static void
KIND_NAME(sort) (void *result, const void *data, int count, uint64_t flip)
{
	const int	size = sizeof(KIND_BITS);
	const KIND_BITS *bits = data;
	KIND_BITS  *to = result;
	NetworkKeys keys;

	for (int i = 0; i < count; i++)
		network_put(&keys, size, i, (KIND_BITS) (bits[i] ^ flip));
	network_sort(&keys, size, count);
	for (int i = 0; i < count; i++)
		to[i] = (KIND_BITS) (network_key(&keys, size, i) ^ flip);
}
