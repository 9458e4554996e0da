/*
 * cpu_compare_pairs_template.h
 *	  Compares the elements of two inputs; for cpu_kinds.h.
 */
CPU_CLONES static void
KIND_NAME(compare_pairs) (const void *first, const void *second,
						  int64_t count, uint64_t least_order,
						  const ComparePairsParameters *parameters,
						  uint8_t *restrict flags)
{
	const KIND_BITS *a = first;
	const KIND_BITS *b = second;
	KIND_BITS	least = (KIND_BITS) least_order;
	uint8_t		less = parameters->less;
	uint8_t		equal = parameters->equal;
	uint8_t		outside = parameters->outside;

	for (int64_t i = 0; i < count; i++)
	{
		KIND_BITS	x = KIND_ORDER(KIND_CANONICALIZE(a[i])) - least;
		KIND_BITS	y = KIND_ORDER(KIND_CANONICALIZE(b[i])) - least;

		flags[i] = (((x < y) & less) | ((x == y) & equal)) ^ outside;
	}
}
