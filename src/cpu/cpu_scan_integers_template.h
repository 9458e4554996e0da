/*
 * cpu_scan_integers_template.h
 *	  The scan of a piece of integers, for a type of elements and of results.
 *
 * To be defined before it is included:
 *
 *	  SCAN_PREFIX	what names start with
 *	  SCAN_ELEMENT	the elements' type
 *	  SCAN_RESULT	the results' type; if it is wider, only sums are there
 *
 * It makes SCAN_PREFIX_works, the tasks by operator.
 */

#define SCAN_WIDE		(sizeof(SCAN_RESULT) > sizeof(SCAN_ELEMENT))
#define SCAN_GREATEST \
	((SCAN_RESULT) (UINT64_MAX >> (65 - 8 * sizeof(SCAN_RESULT))))

/* What leaves every integer as it is. */
SCAN_INLINE SCAN_RESULT
SCAN(identity) (ScanOperator scan_operator)
{
	switch (scan_operator)
	{
		case SCAN_MULTIPLY:
			return 1;
		case SCAN_MIN:
			return SCAN_GREATEST;
		case SCAN_MAX:
			return -SCAN_GREATEST - 1;
		case SCAN_AND:
			return -1;
		default:
			return 0;
	}
}

/* Wraps where the result is out of range, and notes it. */
SCAN_INLINE SCAN_RESULT
SCAN(combine) (ScanOperator scan_operator, SCAN_RESULT a, SCAN_RESULT b,
			   bool *overflow)
{
	SCAN_RESULT result = 0;

	switch (scan_operator)
	{
		case SCAN_ADD:
			*overflow |= __builtin_add_overflow(a, b, &result);
			return result;
		case SCAN_MULTIPLY:
			*overflow |= __builtin_mul_overflow(a, b, &result);
			return result;
		case SCAN_MIN:
			return a < b ? a : b;
		case SCAN_MAX:
			return a > b ? a : b;
		case SCAN_AND:
			return a & b;
		case SCAN_OR:
			return a | b;
		case SCAN_XOR:
			return a ^ b;
	}
	return result;
}

/*
 * Two sweeps over the piece, the second of which finds it in the cache: what
 * it comes to, with which the next piece can go on, and then the results.
 *
 * The first sweep wraps, and so does what is handed on.  The second looks at
 * each step for itself, from a prefix that may have wrapped: but the first
 * prefix of the array that is out of range is seen to be, as all before it
 * are right; and if none is, no step is seen to overflow.
 */
SCAN_INLINE void
SCAN(scan_piece) (CpuJob *job, int number, ScanOperator scan_operator)
{
	bool		checked = !SCAN_WIDE && (scan_operator == SCAN_ADD ||
										 scan_operator == SCAN_MULTIPLY);
	CpuPiece   *piece = &job->pieces[number];
	const SCAN_ELEMENT *data = piece->data[0];
	SCAN_RESULT *out = scan_results(job, piece);
	SCAN_RESULT running = SCAN(identity) (scan_operator);
	SCAN_RESULT total = running;
	int64_t		count = piece->count;
	bool		overflow = false;

	for (int64_t i = 0; i < count; i++)
		total = SCAN(combine) (scan_operator, total, data[i], &overflow);
	scan_take_over(job, piece, &running, sizeof(running));
	total = SCAN(combine) (scan_operator, running, total, &overflow);
	scan_hand_on(job, piece, &total, sizeof(total));

	overflow = false;
	for (int64_t i = 0; (out || checked) && i < count; i++)
	{
		running = SCAN(combine) (scan_operator, running, data[i], &overflow);
		if (out)
			out[i] = running;
	}
	if (checked && overflow)
		cpu_note_overflow(job, OVERFLOW_UP);
	cpu_piece_done(piece);
}

SCAN_WORK(add, SCAN_ADD)
#ifndef SCAN_SUMS_ONLY
SCAN_WORK(multiply, SCAN_MULTIPLY)
SCAN_WORK(min, SCAN_MIN)
SCAN_WORK(max, SCAN_MAX)
SCAN_WORK(and, SCAN_AND)
SCAN_WORK(or, SCAN_OR)
SCAN_WORK(xor, SCAN_XOR)
#endif

static const TeamWork SCAN(works)[SCAN_OPERATORS] = {
	[SCAN_ADD] = SCAN(add),
#ifndef SCAN_SUMS_ONLY
	[SCAN_MULTIPLY] = SCAN(multiply),
	[SCAN_MIN] = SCAN(min),
	[SCAN_MAX] = SCAN(max),
	[SCAN_AND] = SCAN(and),
	[SCAN_OR] = SCAN(or),
	[SCAN_XOR] = SCAN(xor)
#endif
};

#undef SCAN_PREFIX
#undef SCAN_ELEMENT
#undef SCAN_RESULT
#undef SCAN_WIDE
#undef SCAN_GREATEST
