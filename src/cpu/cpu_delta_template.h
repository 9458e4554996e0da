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
	if (PARAMETERS(job->request, DeltaParameters)->infinities)
	{
		for (int64_t i = 0; i < count; i++)
			overflow |= DELTA_INFINITE(data[i]);
	}
	if (overflow)
		cpu_note_overflow(job, OVERFLOW_UP);
}

/*
 * The differences of a piece's elements; the first one's to "before", or the
 * first element itself if that is NULL.  Returns whether one is out of range.
 */
CPU_CLONES static bool
DELTA(differences) (const void *elements, int64_t count, const void *before,
					void *results)
{
	const TYPE_ELEMENT *data = elements;
	TYPE_ELEMENT *restrict out = results;
	int			overflow = 0;

	out[0] = data[0];
	if (before != NULL)
	{
		TYPE_ELEMENT last;

		memcpy(&last, before, sizeof(last));
		DELTA_STEP(out[0], data[0], last, overflow);
	}
	for (int64_t i = 1; i < count; i++)
	{
		TYPE_ELEMENT result;

		DELTA_STEP(result, data[i], data[i - 1], overflow);
		out[i] = result;
	}
	return overflow;
}

/* The next piece needs only the last element, so its wait is short. */
static void
DELTA(delta) (void *argument, int number)
{
	CpuJob	   *job = argument;
	CpuPiece   *piece = &job->pieces[number];
	const TYPE_ELEMENT *data = piece->data[0];
	CpuChain   *chain = cpu_chain_wait(job, piece);
	uint64_t	before = chain->value.bits;
	bool		overflow;

	memcpy(&chain->value, &data[piece->count - 1], sizeof(TYPE_ELEMENT));
	chain->count += piece->count;
	cpu_chain_pass(job);

	overflow = DELTA(differences)
		(data, piece->count, piece->turn > 0 ? &before : NULL,
		 (TYPE_ELEMENT *) job->request->outputs[0].memory + piece->first);
	DELTA(note) (job, overflow, data, piece->count);
	cpu_piece_done(piece);
}

CPU_CLONES static void
DELTA(subtract) (void *argument, int number)
{
	CpuJob	   *job = argument;
	CpuPiece   *piece = &job->pieces[number];
	const TYPE_ELEMENT *a = piece->data[0];
	const TYPE_ELEMENT *b = piece->data[1];
	TYPE_ELEMENT *restrict out =
		(TYPE_ELEMENT *) job->request->outputs[0].memory + piece->first;
	int64_t		count = piece->count;
	int			overflow = 0;

	cpu_chain_wait(job, piece)->count += count;
	cpu_chain_pass(job);
	for (int64_t i = 0; i < count; i++)
	{
		TYPE_ELEMENT result;

		DELTA_STEP(result, a[i], b[i], overflow);
		out[i] = result;
	}
	DELTA(note) (job, overflow, a, count);
	DELTA(note) (job, 0, b, count);
	cpu_piece_done(piece);
}
