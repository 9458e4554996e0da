/*
 * cpu_regr_template.h
 *	  Converts numbers of a type to double precision; for cpu_types.h.
 */
CPU_CLONES static void
TYPE_NAME(convert) (const void *numbers, int count, double *converted)
{
	const TYPE_ELEMENT *from = numbers;

	for (int i = 0; i < count; i++)
		converted[i] = (double) from[i];
}
