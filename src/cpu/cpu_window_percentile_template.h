/*
 * cpu_window_percentile_template.h
 *	  Keys of elements, and elements of keys; for cpu_kinds.h.
 */
CPU_CLONES static void
KIND_NAME(make_keys) (int64_t *restrict keys, const void *elements,
					  int64_t count, uint64_t least)
{
	const KIND_BITS *from = elements;

	for (int64_t i = 0; i < count; i++)
	{
		KIND_BITS	index = KIND_ORDER(from[i]) - (KIND_BITS) least;

		keys[i] = (int64_t) (index ^ KEY_SIGN);
	}
}

CPU_CLONES static void
KIND_NAME(put_elements) (void *elements, const int64_t *restrict keys,
						 int64_t count, uint64_t least)
{
	KIND_BITS  *restrict to = elements;

	for (int64_t i = 0; i < count; i++)
	{
		KIND_BITS	index = (KIND_BITS) ((uint64_t) keys[i] ^ KEY_SIGN);

		to[i] = KIND_OF_ORDER((KIND_BITS) (index + (KIND_BITS) least));
	}
}
