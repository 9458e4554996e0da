/*
 * cpu_sort_keys_template.h
 *	  The order of keys, and their distinct values, for one kind.
 *
 * Define these before including this file:
 *
 *	  SORT_KIND		the kind, as the prefix of names
 *	  SORT_KEY		the unsigned integer of a key's size
 *	  SORT_FLOAT	if keys are floats, whose order is in order.h
 */
#define SORT_PASTE_(a, b)	a##_##b
#define SORT_PASTE(a, b)	SORT_PASTE_(a, b)
#define SORT_NAME(name)		SORT_PASTE(SORT_KIND, name)

#ifdef SORT_FLOAT
#define SORT_CANONICALIZE(bits)	SORT_NAME(canonicalize)(bits)
#else
#define SORT_CANONICALIZE(bits)	(bits)
#endif

#ifdef SORT_FLOAT
CPU_CLONES static void
SORT_NAME(order_keys) (void *orders, const void *keys, int64_t count)
{
	SORT_KEY   *to = orders;
	const SORT_KEY *from = keys;

	for (int64_t i = 0; i < count; i++)
		to[i] = SORT_NAME(order) (from[i]);
}

CPU_CLONES static void
SORT_NAME(order_canonical) (void *orders, const void *keys, int64_t count)
{
	SORT_KEY   *to = orders;
	const SORT_KEY *from = keys;

	for (int64_t i = 0; i < count; i++)
		to[i] = SORT_NAME(order) (SORT_NAME(canonicalize) (from[i]));
}

CPU_CLONES static void
SORT_NAME(restore) (void *keys, int64_t count)
{
	SORT_KEY   *key = keys;

	for (int64_t i = 0; i < count; i++)
		key[i] = SORT_NAME(of_order) (key[i]);
}
#endif

/*
 * No branch depends on whether a key is the head of a run, because no
 * processor could predict it.  Each key is written to the next head's place,
 * which has been read already.
 */
static int64_t
SORT_NAME(distinct) (void *keys, int32_t *starts, int64_t first,
					 int64_t count, int64_t kept)
{
	SORT_KEY   *key = keys;
	SORT_KEY	last = kept > 0 ? SORT_CANONICALIZE(key[kept - 1]) :
		(SORT_KEY) ~SORT_CANONICALIZE(key[0]);

	for (int64_t i = first; i < first + count; i++)
	{
		SORT_KEY	this = SORT_CANONICALIZE(key[i]);

		key[kept] = key[i];
		if (starts != NULL)
			starts[kept] = (int32_t) (i + 1);
		kept += this != last;
		last = this;
	}
	return kept;
}

#undef SORT_PASTE_
#undef SORT_PASTE
#undef SORT_NAME
#undef SORT_CANONICALIZE
#undef SORT_KIND
#undef SORT_KEY
#undef SORT_FLOAT
