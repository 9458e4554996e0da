/*
 * cpu_sort_keys_template.h
 *	  The order of keys, and their distinct values; for cpu_kinds.h.
 */
#ifdef KIND_FLOAT
CPU_CLONES static void
KIND_NAME(order) (void *orders, const void *keys, int64_t count)
{
	KIND_BITS  *to = orders;
	const KIND_BITS *from = keys;

	for (int64_t i = 0; i < count; i++)
		to[i] = KIND_ORDER(from[i]);
}

CPU_CLONES static void
KIND_NAME(order_canonical) (void *orders, const void *keys, int64_t count)
{
	KIND_BITS  *to = orders;
	const KIND_BITS *from = keys;

	for (int64_t i = 0; i < count; i++)
		to[i] = KIND_ORDER(KIND_CANONICALIZE(from[i]));
}

CPU_CLONES static void
KIND_NAME(restore) (void *keys, int64_t count)
{
	KIND_BITS  *key = keys;

	for (int64_t i = 0; i < count; i++)
		key[i] = KIND_OF_ORDER(key[i]);
}
#endif

/*
 * No branch depends on whether a key is the head of a run, because no
 * processor could predict it.  Each key is written to the next head's place,
 * which has been read already.
 */
static int64_t
KIND_NAME(distinct) (void *keys, int32_t *starts, int64_t first,
					 int64_t count, int64_t kept)
{
	KIND_BITS  *key = keys;
	KIND_BITS	last = kept > 0 ? KIND_CANONICALIZE(key[kept - 1]) :
		(KIND_BITS) ~KIND_CANONICALIZE(key[0]);

	for (int64_t i = first; i < first + count; i++)
	{
		KIND_BITS	this = KIND_CANONICALIZE(key[i]);

		key[kept] = key[i];
		if (starts != NULL)
			starts[kept] = (int32_t) (i + 1);
		kept += this != last;
		last = this;
	}
	return kept;
}
