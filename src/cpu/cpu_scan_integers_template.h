/*
 * cpu_scan_integers_template.h
 *	  The scan of a piece of integers, for one type of elements and of results;
 *	  for cpu_types.h.
 *
 * Define these before including this file:
 *
 *	  SCAN(name)	the name with a prefix for both types
 *	  SCAN_ELEMENT	the elements' type
 *	  SCAN_RESULT	the results' type
 *	  SCAN_EACH(X)	the operators
 *
 * It defines SCAN(works), the tasks by operator.
 */

#define SCAN_WIDE		(sizeof(SCAN_RESULT) > sizeof(SCAN_ELEMENT))

/* The operand that leaves every integer as it is. */
SCAN_INLINE SCAN_RESULT
SCAN(identity) (ScanOperator scan_operator)
{
	switch (scan_operator)
	{
		case SCAN_MULTIPLY:
			return 1;
		case SCAN_MIN:
			return TYPE_LAST;
		case SCAN_MAX:
			return TYPE_FIRST;
		case SCAN_AND:
			return -1;
		default:
			return 0;
	}
}

/* A result that is out of range wraps, and is noted. */
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
 * Passes over the piece twice; the second pass finds it in the cache.  The
 * first reduces the piece, so that the next piece can go on.  The second
 * computes the results.  Without helpers the next piece comes later, and the
 * second pass does for a scan.
 *
 * The first pass wraps, and so may the prefix that it passes on.  The second
 * checks only the step from the preceding result, which may have wrapped.  But
 * the first result of the array that is out of range is noticed, because all
 * results before it are right; and if none is out of range, no step overflows.
 * It has nothing to check if the elements of a reduction are so few and small
 * that no sum of them is out of range.
 */
SCAN_INLINE void
SCAN(scan_piece) (CpuJob *job, CpuPiece *piece, ScanOperator scan_operator)
{
	bool		checked = !SCAN_WIDE && (scan_operator == SCAN_ADD ||
										 scan_operator == SCAN_MULTIPLY);
	const SCAN_ELEMENT *data = piece->data[0];
	bool		reduces = scan_reduces(job);
	bool		once = !reduces && job->team.helpers == 0;
	SCAN_RESULT *out = scan_results(job, piece);
	SCAN_RESULT running = SCAN(identity) (scan_operator);
	SCAN_RESULT total = running;
	SCAN_RESULT bits = 0;		/* of the elements, or of their complements */
	int64_t		count = piece->count;
	WideSum		most;			/* of any sum of the elements, but its sign */
	bool		overflow = false;

	for (int64_t i = 0; !once && i < count; i++)
	{
		total = SCAN(combine) (scan_operator, total, data[i], &overflow);
		if (scan_operator == SCAN_ADD)
			bits |= data[i] < 0 ? ~data[i] : data[i];
	}
	scan_wait_prefix(job, piece, &running, sizeof(running));
	if (!once)
	{
		total = SCAN(combine) (scan_operator, running, total, &overflow);
		scan_pass_prefix(job, piece, &total, sizeof(total));
	}

	overflow = false;
	most = ((WideSum) bits + 1) * count;
	if (!reduces)
	{
#pragma GCC unroll 4
		for (int64_t i = 0; i < count; i++)
			out[i] = running = SCAN(combine) (scan_operator, running, data[i],
											  &overflow);
	}
	else if (checked && (scan_operator != SCAN_ADD ||
						 running + most > TYPE_LAST ||
						 running - most < TYPE_FIRST))
	{
#pragma GCC unroll 4
		for (int64_t i = 0; i < count; i++)
			running = SCAN(combine) (scan_operator, running, data[i],
									 &overflow);
	}
	if (once)
		scan_pass_prefix(job, piece, &running, sizeof(running));
	if (checked && overflow)
		cpu_note_overflow(job, OVERFLOW_UP);
}

SCAN_EACH(SCAN_WORK)

static const PieceWork SCAN(works)[SCAN_OPERATORS] = {SCAN_EACH(SCAN_ROW)};

#undef SCAN_WIDE
