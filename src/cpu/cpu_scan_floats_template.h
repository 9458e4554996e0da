/*
 * cpu_scan_floats_template.h
 *	  The scan of a piece of floats, for a type of them.
 *
 * To be defined before it is included:
 *
 *	  SCAN_PREFIX	what names start with
 *	  SCAN_ELEMENT	the elements' and the results' type
 *
 * It makes SCAN_PREFIX_works, the tasks by operator.  The order of operations
 * is that of float_order.h, with its names; the least and the greatest are the
 * same in any.
 */

/* Core's order: a NaN is greater than all that are none. */
SCAN_INLINE bool
SCAN(less) (SCAN_ELEMENT a, SCAN_ELEMENT b)
{
	return (a < b) | ((a == a) & (b != b));
}

/* Of those that are equal, the later one is the least, or the greatest. */
SCAN_INLINE SCAN_ELEMENT
SCAN(combine) (ScanOperator scan_operator, SCAN_ELEMENT a, SCAN_ELEMENT b)
{
	switch (scan_operator)
	{
		case SCAN_ADD:
			return a + b;
		case SCAN_MULTIPLY:
			return a * b;
		case SCAN_MIN:
			return SCAN(less) (a, b) ? a : b;
		default:
			return SCAN(less) (b, a) ? a : b;
	}
}

/* What, on the left, leaves every float as it is. */
SCAN_INLINE SCAN_ELEMENT
SCAN(identity) (ScanOperator scan_operator)
{
	switch (scan_operator)
	{
		case SCAN_ADD:
			return -0.0;
		case SCAN_MULTIPLY:
			return 1;
		case SCAN_MIN:
			return NAN;
		default:
			return -INFINITY;
	}
}

/*
 * The s of runs that lie side by side, all of that length, so that none waits
 * for another: each run's last, and, if "out", all of them.
 */
SCAN_INLINE void
SCAN(fold_abreast) (ScanOperator scan_operator, const SCAN_ELEMENT *data,
					int runs, int length, SCAN_ELEMENT *out,
					SCAN_ELEMENT *last)
{
	SCAN_ELEMENT s[SCAN_ABREAST];

	for (int run = 0; run < runs; run++)
		s[run] = SCAN(identity) (scan_operator);
	for (int i = 0; i < length; i++)
	{
		for (int run = 0; run < runs; run++)
		{
			s[run] = SCAN(combine) (scan_operator, s[run],
									data[run * FLOAT_RUN + i]);
			if (out)
				out[run * FLOAT_RUN + i] = s[run];
		}
	}
	for (int run = 0; run < runs; run++)
		last[run] = s[run];
}

/*
 * The s of a block, in "out" unless that is NULL, the last one of each run,
 * and each run's r; returns the number of runs.
 */
SCAN_INLINE int
SCAN(fold_block) (ScanOperator scan_operator, const SCAN_ELEMENT *data,
				  int count, SCAN_ELEMENT *out, SCAN_ELEMENT last[FLOAT_RUNS],
				  SCAN_ELEMENT r[FLOAT_RUNS])
{
	const int	stride = SCAN_ABREAST * FLOAT_RUN;
	int			runs = (count + FLOAT_RUN - 1) / FLOAT_RUN;
	int			done = 0;

	for (; count - done >= stride; done += stride)
		SCAN(fold_abreast) (scan_operator, data + done, SCAN_ABREAST,
							FLOAT_RUN, out ? out + done : NULL,
							last + done / FLOAT_RUN);
	for (; done < count; done += FLOAT_RUN)
		SCAN(fold_abreast) (scan_operator, data + done, 1,
							count - done < FLOAT_RUN ? count - done : FLOAT_RUN,
							out ? out + done : NULL, last + done / FLOAT_RUN);

	r[0] = SCAN(identity) (scan_operator);
	for (int run = 1; run < runs; run++)
		r[run] = SCAN(combine) (scan_operator, r[run - 1], last[run - 1]);
	return runs;
}

/* Notes what the operation overflows, if it does. */
SCAN_INLINE SCAN_ELEMENT
SCAN(check) (ScanOperator scan_operator, SCAN_ELEMENT a, SCAN_ELEMENT b,
			 EngineOverflow *overflow)
{
	SCAN_ELEMENT result = SCAN(combine) (scan_operator, a, b);

	if (isinf(result) && !isinf(a) && !isinf(b))
		*overflow = OVERFLOW_UP;
	if (scan_operator == SCAN_MULTIPLY && result == 0 && a != 0 && b != 0 &&
		*overflow == OVERFLOW_NONE)
		*overflow = OVERFLOW_DOWN;
	return result;
}

/*
 * The results of a block, to "out" unless that is NULL; one after the other,
 * with an eye on each step.
 */
SCAN_INLINE void
SCAN(scan_block_checked) (CpuJob *job, ScanOperator scan_operator,
						  const SCAN_ELEMENT *data, int count, SCAN_ELEMENT c,
						  SCAN_ELEMENT *out)
{
	EngineOverflow overflow = OVERFLOW_NONE;
	SCAN_ELEMENT identity = SCAN(identity) (scan_operator);
	SCAN_ELEMENT before = identity;
	SCAN_ELEMENT r = identity;
	SCAN_ELEMENT s = identity;

	for (int i = 0; i < count; i++)
	{
		SCAN_ELEMENT result;

		if (i % FLOAT_RUN == 0)
		{
			r = SCAN(check) (scan_operator, r, s, &overflow);
			before = SCAN(check) (scan_operator, c, r, &overflow);
			s = identity;
		}
		s = SCAN(check) (scan_operator, s, data[i], &overflow);
		result = SCAN(check) (scan_operator, before, s, &overflow);
		if (out)
			out[i] = isnan(result) ? NAN : result;
	}
	if (overflow != OVERFLOW_NONE)
		cpu_note_overflow(job, overflow);
}

/*
 * The results of a block.  All that overflows on the way to a result shows in
 * it: it is not finite, or zero if it is a product.  Only where there is such
 * a result, each step is looked at.
 */
SCAN_INLINE void
SCAN(scan_block) (CpuJob *job, ScanOperator scan_operator,
				  const SCAN_ELEMENT *data, int count, SCAN_ELEMENT c,
				  SCAN_ELEMENT *out)
{
	bool		checked = scan_operator == SCAN_ADD ||
		scan_operator == SCAN_MULTIPLY;
	SCAN_ELEMENT s[FLOAT_BLOCK];
	SCAN_ELEMENT last[FLOAT_RUNS];
	SCAN_ELEMENT r[FLOAT_RUNS];
	int			suspect = 0;
	int			runs = SCAN(fold_block) (scan_operator, data, count, s, last,
										 r);

	for (int run = 0; run < runs; run++)
	{
		SCAN_ELEMENT before = SCAN(combine) (scan_operator, c, r[run]);
		int			end = run < runs - 1 ? (run + 1) * FLOAT_RUN : count;

		for (int i = run * FLOAT_RUN; i < end; i++)
		{
			SCAN_ELEMENT result = SCAN(combine) (scan_operator, before, s[i]);

			suspect |= !(result - result == 0);
			if (scan_operator == SCAN_MULTIPLY)
				suspect |= result == 0;
			if (out)
				out[i] = result;
		}
	}
	if (checked && suspect)
		SCAN(scan_block_checked) (job, scan_operator, data, count, c, out);
}

/*
 * Two sweeps over the piece, the second of which finds it in the cache: what
 * each block comes to, with which the next piece can go on, and then the
 * results.
 */
SCAN_INLINE void
SCAN(scan_piece) (CpuJob *job, int number, ScanOperator scan_operator)
{
	bool		checked = scan_operator == SCAN_ADD ||
		scan_operator == SCAN_MULTIPLY;
	CpuPiece   *piece = &job->pieces[number];
	const SCAN_ELEMENT *data = piece->data[0];
	SCAN_ELEMENT *out = scan_results(job, piece);
	SCAN_ELEMENT last[FLOAT_RUNS];
	SCAN_ELEMENT r[FLOAT_RUNS];
	SCAN_ELEMENT last_s[SCAN_BLOCKS];
	SCAN_ELEMENT last_r[SCAN_BLOCKS];
	SCAN_ELEMENT c[SCAN_BLOCKS + 1];
	SCAN_ELEMENT total;
	int			blocks = (piece->count + FLOAT_BLOCK - 1) / FLOAT_BLOCK;

	for (int block = 0; block < blocks; block++)
	{
		int			first = block * FLOAT_BLOCK;
		int			runs = SCAN(fold_block) (scan_operator, data + first,
											 scan_block_size(piece, first),
											 NULL, last, r);

		last_s[block] = last[runs - 1];
		last_r[block] = r[runs - 1];
	}

	c[0] = SCAN(identity) (scan_operator);
	scan_take_over(job, piece, &c[0], sizeof(c[0]));
	for (int block = 0; block < blocks; block++)
		c[block + 1] = SCAN(combine) (scan_operator,
									  SCAN(combine) (scan_operator, c[block],
													 last_r[block]),
									  last_s[block]);
	total = c[blocks];
	if (checked && isnan(total))
		total = NAN;
	scan_hand_on(job, piece, &total, sizeof(total));

	for (int block = 0; (out || checked) && block < blocks; block++)
	{
		int			first = block * FLOAT_BLOCK;

		SCAN(scan_block) (job, scan_operator, data + first,
						  scan_block_size(piece, first), c[block],
						  out ? out + first : NULL);
	}
	cpu_piece_done(piece);
}

SCAN_WORK(add, SCAN_ADD)
SCAN_WORK(multiply, SCAN_MULTIPLY)
SCAN_WORK(min, SCAN_MIN)
SCAN_WORK(max, SCAN_MAX)

static const TeamWork SCAN(works)[SCAN_OPERATORS] = {
	[SCAN_ADD] = SCAN(add),
	[SCAN_MULTIPLY] = SCAN(multiply),
	[SCAN_MIN] = SCAN(min),
	[SCAN_MAX] = SCAN(max)
};

#undef SCAN_PREFIX
#undef SCAN_ELEMENT
