/*
 * cpu_delta_template.h
 *	  The differences of a piece, of neighbours or of two inputs, for one type;
 *	  for cpu_types.h.
 *
 * Define these before including this file:
 *
 *	  DELTA_STEP(result, a, b, overflow)	sets result to a - b, and overflow
 *					to 1 if that is out of range
 *	  DELTA_INFINITE(x)	whether the element stands for infinity
 *
 * It defines the tasks DELTA(delta) and DELTA(subtract).
 */

/*
 * Notes an overflow, if a difference had one, or if the request has elements
 * that stand for infinity and there is one.
 */
static inline void
DELTA(note) (CpuJob *job, int overflow, const TYPE_ELEMENT *data,
			 int64_t count)
{
	if (PARAMETERS(&job->request, DeltaParameters)->infinities)
	{
		for (int64_t i = 0; i < count; i++)
			overflow |= DELTA_INFINITE(data[i]);
	}
	if (overflow)
		cpu_note_overflow(job, OVERFLOW_UP);
}

/* The next piece needs only the last element, so its wait is short. */
CPU_CLONES static void
DELTA(delta) (void *argument, int number)
{
	CpuJob	   *job = argument;
	CpuPiece   *piece = &job->pieces[number];
	const TYPE_ELEMENT *data = piece->data[0];
	TYPE_ELEMENT *out =
		(TYPE_ELEMENT *) job->request.outputs[0].memory + piece->first;
	CpuChain   *chain = cpu_chain_wait(job, piece);
	TYPE_ELEMENT before;
	int64_t		count = piece->count;
	int			overflow = 0;

	memcpy(&before, &chain->value, sizeof(before));
	memcpy(&chain->value, &data[count - 1], sizeof(before));
	chain->count += count;
	cpu_chain_pass(job);

	out[0] = data[0];
	if (piece->turn > 0)
		DELTA_STEP(out[0], data[0], before, overflow);
	for (int64_t i = 1; i < count; i++)
	{
		TYPE_ELEMENT result;

		DELTA_STEP(result, data[i], data[i - 1], overflow);
		out[i] = result;
	}
	DELTA(note) (job, overflow, data, count);
	cpu_piece_done(piece);
}

CPU_CLONES static void
DELTA(subtract) (void *argument, int number)
{
	CpuJob	   *job = argument;
	CpuPiece   *piece = &job->pieces[number];
	const TYPE_ELEMENT *a = piece->data[0];
	const TYPE_ELEMENT *b = piece->data[1];
	TYPE_ELEMENT *out =
		(TYPE_ELEMENT *) job->request.outputs[0].memory + piece->first;
	int			overflow = 0;

	cpu_chain_wait(job, piece)->count += piece->count;
	cpu_chain_pass(job);
	for (int64_t i = 0; i < piece->count; i++)
	{
		TYPE_ELEMENT result;

		DELTA_STEP(result, a[i], b[i], overflow);
		out[i] = result;
	}
	DELTA(note) (job, overflow, a, piece->count);
	DELTA(note) (job, 0, b, piece->count);
	cpu_piece_done(piece);
}
