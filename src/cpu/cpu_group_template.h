/*
 * cpu_group_template.h
 *	  The groups of a piece, for one type, after the template of its scan, and
 *	  of floats after that of folds.
 *
 * Define these before including this file:
 *
 *	  SCAN(name)	the name with the type's prefix
 *	  SCAN_ELEMENT	the elements' and the results' type
 *	  SCAN_EACH(X)	the operators
 *
 * It defines SCAN(group_works), the tasks by operator.
 */
#ifndef TYPE_BITS

/* Integers are combined from left to right. */
typedef SCAN_ELEMENT SCAN(Fold);

SCAN_INLINE SCAN(Fold)
SCAN(new_fold) (ScanOperator scan_operator)
{
	return SCAN(identity) (scan_operator);
}

SCAN_INLINE void
SCAN(fold) (ScanOperator scan_operator, SCAN(Fold) *fold,
			const SCAN_ELEMENT *data, int64_t count, int64_t offset,
			EngineOverflow *overflow, SCAN_ELEMENT *out)
{
	SCAN_ELEMENT s = *fold;
	bool		over = false;

	for (int64_t i = 0; i < count; i++)
		s = SCAN(combine) (scan_operator, s, data[i], &over);
	*fold = s;
	if (over)
		*overflow = OVERFLOW_UP;
}

SCAN_INLINE SCAN_ELEMENT
SCAN(fold_result) (ScanOperator scan_operator, const SCAN(Fold) *fold)
{
	return *fold;
}

#endif

/*
 * The groups that begin in the piece come first.  Then comes the group that
 * goes on from the preceding piece, which needs its values from there.
 */
SCAN_INLINE void
SCAN(group_piece) (CpuJob *job, CpuPiece *piece, ScanOperator scan_operator)
{
	const EngineRequest *request = job->request;
	const SCAN_ELEMENT *data = piece->data[0];
	SCAN_ELEMENT *out = request->outputs[0].memory;
	int64_t		first = piece->first;
	int64_t		end = first + piece->count;
	int64_t		head = group_at(request, first);
	int64_t		head_begin = group_begin(request, head);
	int64_t		head_end = group_begin(request, head + 1);
	bool		goes_on = head_begin < first;
	int64_t		next = goes_on ? head + 1 : head;
	int64_t		begin = goes_on ? head_end : first;
	SCAN(Fold)	group = SCAN(new_fold) (scan_operator);
	EngineOverflow overflow = OVERFLOW_NONE;
	CpuChain   *chain;

	for (; begin < end; next++)
	{
		int64_t		group_end = group_begin(request, next + 1);
		int64_t		to = group_end < end ? group_end : end;

		group = SCAN(new_fold) (scan_operator);
		SCAN(fold) (scan_operator, &group, data + begin - first, to - begin, 0,
					&overflow, NULL);
		if (group_end <= end)
			out[next] = SCAN(fold_result) (scan_operator, &group);
		begin = group_end;
	}

	chain = cpu_chain_wait(job, piece);
	if (goes_on)
	{
		SCAN(Fold)	last;

		memcpy(&last, chain->group, sizeof(last));
		SCAN(fold) (scan_operator, &last, data,
					(head_end < end ? head_end : end) - first,
					first - head_begin, &overflow, NULL);
		if (head_end <= end)
			out[head] = SCAN(fold_result) (scan_operator, &last);
		else
			group = last;
	}
	memcpy(chain->group, &group, sizeof(group));
	chain->count = next;
	cpu_chain_pass(job);
	if (overflow != OVERFLOW_NONE)
		cpu_note_overflow(job, overflow);
}

SCAN_EACH(GROUP_WORK)

static const PieceWork SCAN(group_works)[SCAN_OPERATORS] = {
	SCAN_EACH(GROUP_ROW)
};
