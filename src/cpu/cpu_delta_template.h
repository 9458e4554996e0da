/*
 * cpu_delta_template.h
 *	  The differences of a piece, for a type of elements: of neighbours, and of
 *	  two inputs.
 *
 * To be defined before it is included:
 *
 *	  DELTA_PREFIX	what names start with
 *	  DELTA_ELEMENT	the elements' type
 *	  DELTA_STEP(result, a, b, overflow)	result = a - b, and sets "overflow"
 *					where that is out of range
 *
 * It makes DELTA_PREFIX_delta and DELTA_PREFIX_subtract, the tasks.
 */

/* The next piece needs only this one's last element, and never waits long. */
CPU_CLONES static void
DELTA(delta) (void *argument, int number)
{
	CpuJob	   *job = argument;
	CpuPiece   *piece = &job->pieces[number];
	const DELTA_ELEMENT *data = piece->data[0];
	DELTA_ELEMENT *out =
		(DELTA_ELEMENT *) job->request.outputs[0].memory + piece->first;
	CpuChain   *chain = cpu_chain_wait(job, piece);
	DELTA_ELEMENT before;
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
		DELTA_ELEMENT result;

		DELTA_STEP(result, data[i], data[i - 1], overflow);
		out[i] = result;
	}
	if (overflow)
		cpu_note_overflow(job, OVERFLOW_UP);
	cpu_piece_done(piece);
}

CPU_CLONES static void
DELTA(subtract) (void *argument, int number)
{
	CpuJob	   *job = argument;
	CpuPiece   *piece = &job->pieces[number];
	const DELTA_ELEMENT *a = piece->data[0];
	const DELTA_ELEMENT *b = piece->data[1];
	DELTA_ELEMENT *out =
		(DELTA_ELEMENT *) job->request.outputs[0].memory + piece->first;
	int			overflow = 0;

	cpu_chain_wait(job, piece)->count += piece->count;
	cpu_chain_pass(job);
	for (int64_t i = 0; i < piece->count; i++)
	{
		DELTA_ELEMENT result;

		DELTA_STEP(result, a[i], b[i], overflow);
		out[i] = result;
	}
	if (overflow)
		cpu_note_overflow(job, OVERFLOW_UP);
	cpu_piece_done(piece);
}

#undef DELTA_PREFIX
#undef DELTA_ELEMENT
