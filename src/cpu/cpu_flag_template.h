/*
 * cpu_flag_template.h
 *	  Flags the elements whose order is in a range; for cpu_kinds.h.
 */
CPU_CLONES static void
KIND_NAME(flag_range) (const void *data, int64_t count,
					   const EnginePredicate *predicate,
					   uint8_t *restrict flags)
{
	const KIND_BITS *elements = data;
	KIND_BITS	low = (KIND_BITS) predicate->low;
	KIND_BITS	span = (KIND_BITS) predicate->span;
	uint8_t		outside = predicate->outside;

	for (int64_t i = 0; i < count; i++)
		flags[i] = ((KIND_BITS) (KIND_ORDER(elements[i]) - low) <= span) ^
			outside;
}
