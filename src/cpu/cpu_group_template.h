/*
 * cpu_group_template.h
 *	  The groups of a piece, for one type, after the template of its scan.
 *
 * Define these before including this file:
 *
 *	  SCAN(name)	the name with the type's prefix
 *	  SCAN_ELEMENT	the elements' and the results' type
 *	  GROUP_FLOATS	if they are floats, which are combined in the order of
 *					float_order.h; c, r and s are its names
 *	  SCAN_EACH(X)	the operators
 *
 * It defines SCAN(group_works), the tasks by operator.
 */

/* A group's values so far.  For integers, s combines all of them. */
typedef struct SCAN(Group)
{
	SCAN_ELEMENT c;
	SCAN_ELEMENT r;
	SCAN_ELEMENT s;
} SCAN(Group);

SCAN_INLINE SCAN(Group)
SCAN(new_group) (ScanOperator scan_operator)
{
	SCAN_ELEMENT identity = SCAN(identity) (scan_operator);

	return (SCAN(Group)) {identity, identity, identity};
}

#ifdef GROUP_FLOATS

SCAN_INLINE SCAN_ELEMENT
SCAN(combine_in_group) (ScanOperator scan_operator, SCAN_ELEMENT a,
						SCAN_ELEMENT b, bool checked,
						EngineOverflow *overflow)
{
	return checked ? SCAN(combine_checked) (scan_operator, a, b, overflow) :
		SCAN(combine) (scan_operator, a, b);
}

/*
 * Adds values to a group that has "offset" values already.  Returns whether an
 * operation may have overflowed, as in scan_tile, unless each is checked.
 */
SCAN_INLINE bool
SCAN(fold) (ScanOperator scan_operator, SCAN(Group) *group,
			const SCAN_ELEMENT *data, int64_t count, int64_t offset,
			bool checked, EngineOverflow *overflow)
{
	SCAN_ELEMENT c = group->c;
	SCAN_ELEMENT r = group->r;
	SCAN_ELEMENT s = group->s;
	int			may_overflow = 0;

	for (int64_t i = 0, length; i < count; i += length)
	{
		int64_t		at = offset + i;
		SCAN_ELEMENT before;

		if (at > 0 && at % FLOAT_TILE == 0)
		{
			c = SCAN(combine_in_group) (scan_operator, c, r, checked,
										overflow);
			c = SCAN(combine_in_group) (scan_operator, c, s, checked,
										overflow);
			r = s = SCAN(identity) (scan_operator);
		}
		else if (at > 0 && at % FLOAT_SEGMENT == 0)
		{
			r = SCAN(combine_in_group) (scan_operator, r, s, checked,
										overflow);
			s = SCAN(identity) (scan_operator);
		}
		before = SCAN(combine_in_group) (scan_operator, c, r, checked,
										 overflow);
		length = FLOAT_SEGMENT - at % FLOAT_SEGMENT;
		if (length > count - i)
			length = count - i;
		for (int64_t j = i; j < i + length; j++)
		{
			SCAN_ELEMENT result;

			s = SCAN(combine_in_group) (scan_operator, s, data[j], checked,
										overflow);
			result = SCAN(combine_in_group) (scan_operator, before, s, checked,
											 overflow);
			may_overflow |= !(result - result == 0);
			if (scan_operator == SCAN_MULTIPLY)
				may_overflow |= result == 0;
		}
	}
	*group = (SCAN(Group)) {c, r, s};
	return may_overflow && !checked &&
		(scan_operator == SCAN_ADD || scan_operator == SCAN_MULTIPLY);
}

SCAN_INLINE SCAN_ELEMENT
SCAN(group_result) (ScanOperator scan_operator, const SCAN(Group) *group)
{
	SCAN_ELEMENT before = SCAN(combine) (scan_operator, group->c, group->r);
	SCAN_ELEMENT result = SCAN(combine) (scan_operator, before, group->s);

	return (scan_operator == SCAN_ADD || scan_operator == SCAN_MULTIPLY) &&
		isnan(result) ? NAN : result;
}

#else

/* Adds integers to a group.  They need no second pass: returns false. */
SCAN_INLINE bool
SCAN(fold) (ScanOperator scan_operator, SCAN(Group) *group,
			const SCAN_ELEMENT *data, int64_t count, int64_t offset,
			bool checked, EngineOverflow *overflow)
{
	SCAN_ELEMENT s = group->s;
	bool		over = false;

	for (int64_t i = 0; i < count; i++)
		s = SCAN(combine) (scan_operator, s, data[i], &over);
	group->s = s;
	if (over)
		*overflow = OVERFLOW_UP;
	return false;
}

SCAN_INLINE SCAN_ELEMENT
SCAN(group_result) (ScanOperator scan_operator, const SCAN(Group) *group)
{
	return group->s;
}

#endif

SCAN_INLINE void
SCAN(add_to_group) (CpuJob *job, ScanOperator scan_operator,
					SCAN(Group) *group, const SCAN_ELEMENT *data,
					int64_t count, int64_t offset)
{
	SCAN(Group) before = *group;
	EngineOverflow overflow = OVERFLOW_NONE;

	if (SCAN(fold) (scan_operator, group, data, count, offset, false,
					&overflow))
	{
		*group = before;
		(void) SCAN(fold) (scan_operator, group, data, count, offset, true,
						   &overflow);
	}
	if (overflow != OVERFLOW_NONE)
		cpu_note_overflow(job, overflow);
}

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
	SCAN(Group) group = SCAN(new_group) (scan_operator);
	CpuChain   *chain;

	for (; begin < end; next++)
	{
		int64_t		group_end = group_begin(request, next + 1);
		int64_t		to = group_end < end ? group_end : end;

		group = SCAN(new_group) (scan_operator);
		SCAN(add_to_group) (job, scan_operator, &group, data + begin - first,
							to - begin, 0);
		if (group_end <= end)
			out[next] = SCAN(group_result) (scan_operator, &group);
		begin = group_end;
	}

	chain = cpu_chain_wait(job, piece);
	if (goes_on)
	{
		SCAN(Group) last;

		memcpy(&last, chain->group, sizeof(last));
		SCAN(add_to_group) (job, scan_operator, &last, data,
							(head_end < end ? head_end : end) - first,
							first - head_begin);
		if (head_end <= end)
			out[head] = SCAN(group_result) (scan_operator, &last);
		else
			group = last;
	}
	memcpy(chain->group, &group, sizeof(group));
	chain->count = next;
	cpu_chain_pass(job);
}

SCAN_EACH(GROUP_WORK)

static const PieceWork SCAN(group_works)[SCAN_OPERATORS] = {
	SCAN_EACH(GROUP_ROW)
};
