/*
 * cpu_runs_flag.h
 *	  Flags the elements, but for the first, that differ from the one before;
 *	  for cpu_kinds.h.  What is equal to the first and to the last is told as
 *	  bits that are the same for both.
 */
CPU_CLONES static void
KIND_NAME(flag_changes) (const void *data, int64_t count,
						 uint8_t *restrict flags, RunEnds *ends)
{
	const KIND_BITS *elements = data;

	for (int64_t i = 1; i < count; i++)
		flags[i] = KIND_UNIFY(elements[i]) != KIND_UNIFY(elements[i - 1]);
	ends->first = KIND_UNIFY(elements[0]);
	ends->last = KIND_UNIFY(elements[count - 1]);
}
