/*
 * cpu_runs_flag_template.h
 *	  Flags the elements that differ from the preceding one, for cpu_kinds.h.
 *	  The first element is not flagged.  The first and the last element are
 *	  returned as canonical bits, which are the same for equal elements.
 */
CPU_CLONES static void
KIND_NAME(flag_heads) (const void *data, int64_t count,
					   uint8_t *restrict flags, PieceEnds *ends)
{
	const KIND_BITS *elements = data;

	for (int64_t i = 1; i < count; i++)
		flags[i] = KIND_CANONICALIZE(elements[i]) !=
			KIND_CANONICALIZE(elements[i - 1]);
	ends->first = KIND_CANONICALIZE(elements[0]);
	ends->last = KIND_CANONICALIZE(elements[count - 1]);
}
