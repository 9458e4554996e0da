/*
 * cpu_dot_integers_template.h
 *	  The products of a piece of integers, for a type of them; for cpu_types.h.
 *
 * It defines the task DOT(piece).
 */

CPU_CLONES static void
DOT(piece) (CpuJob *job, CpuPiece *piece)
{
	const TYPE_ELEMENT *a = piece->data[0];
	const TYPE_ELEMENT *b = piece->data[1];
	EngineDot  *dot = job->request->summary;
	const int	half = 4 * sizeof(TYPE_WIDE);	/* bits of a product */
	const TYPE_WIDE lower = ((TYPE_WIDE) 1 << half) - 1;
	TYPE_WIDE	low = 0;
	TYPE_WIDE	high = 0;

	for (int64_t i = 0; i < piece->count; i++)
	{
		TYPE_WIDE	product = (TYPE_WIDE) a[i] * b[i];

		low += product & lower;
		high += product >> half;
	}

	cpu_chain_wait(job, piece);
	if (piece->turn == 0)
		*dot = (EngineDot) {.floats = 0};
	wide_add(&dot->integers, dot_total(low, high, sizeof(TYPE_ELEMENT)));
	cpu_chain_pass(job);
}
