/*
 * cpu_compact_flag_template.h
 *	  Flags the elements that a predicate selects; for cpu_kinds.h.
 */
CPU_CLONES static void
KIND_NAME(flag_selected) (const void *data, int64_t count,
						  const EnginePredicate *predicate,
						  uint8_t *restrict flags)
{
	const KIND_BITS *elements = data;
	KIND_BITS	low = (KIND_BITS) predicate->low;
	KIND_BITS	span = (KIND_BITS) predicate->span;
	uint8_t		outside = predicate->outside;

	for (int64_t i = 0; i < count; i++)
	{
		KIND_BITS	order = KIND_ORDER(KIND_CANONICALIZE(elements[i]));

		flags[i] = ((KIND_BITS) (order - low) <= span) ^ outside;
	}
}
