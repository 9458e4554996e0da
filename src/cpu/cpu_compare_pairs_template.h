/*
 * cpu_compare_pairs_template.h
 *	  Compares the elements of two inputs; for cpu_kinds.h.
 */
#ifdef KIND_FLOAT
typedef KIND_FLOAT KIND_NAME(Paired);
#else
typedef KIND_BITS KIND_NAME(Paired);
#endif

/* NaN equals NaN, and all other floats are less.  -0 equals 0. */
CPU_CLONES static void
KIND_NAME(compare_pairs) (const void *first, const void *second,
						  int64_t count, uint64_t least_order,
						  const ComparePairsParameters *parameters,
						  uint8_t *restrict flags)
{
	const KIND_NAME(Paired) *a = first;
	const KIND_NAME(Paired) *b = second;
#ifndef KIND_FLOAT
	KIND_BITS	least = (KIND_BITS) least_order;
#endif
	uint8_t		less = parameters->less;
	uint8_t		equal = parameters->equal;
	uint8_t		outside = parameters->outside;

	for (int64_t i = 0; i < count; i++)
	{
#ifdef KIND_FLOAT
		bool		a_is_nan = a[i] != a[i];
		bool		b_is_nan = b[i] != b[i];
		bool		is_less = (a[i] < b[i]) | (b_is_nan & !a_is_nan);
		bool		is_equal = (a[i] == b[i]) | (b_is_nan & a_is_nan);
#else
		bool		is_less = (KIND_BITS) (a[i] - least) <
			(KIND_BITS) (b[i] - least);
		bool		is_equal = a[i] == b[i];
#endif

		flags[i] = ((is_less & less) | (is_equal & equal)) ^ outside;
	}
}
