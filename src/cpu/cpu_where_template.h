/*
 * cpu_where_template.h
 *	  Chooses between the elements of two inputs, or an element and a value; for
 *	  cpu_kinds.h.
 */
CPU_CLONES static void
KIND_NAME(choose) (const uint8_t *mask, const void *first, const void *second,
				   const void *value, void *results, int64_t count)
{
	const KIND_BITS *a = first;
	const KIND_BITS *b = second;
	KIND_BITS  *restrict out = results;

	if (b == NULL)
	{
		KIND_BITS	other = *(const KIND_BITS *) value;

		for (int64_t i = 0; i < count; i++)
		{
			KIND_BITS	x = a[i];

			out[i] = mask[i] ? x : other;
		}
		return;
	}
	for (int64_t i = 0; i < count; i++)
	{
		KIND_BITS	x = a[i];
		KIND_BITS	y = b[i];

		out[i] = mask[i] ? x : y;
	}
}
