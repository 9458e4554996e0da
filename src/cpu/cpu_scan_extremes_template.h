/*
 * cpu_scan_extremes_template.h
 *	  The scan of a piece of floats by minima or maxima, for one type; for
 *	  cpu_types.h, after the template of sums and products.
 *
 * It defines SCAN(works), the tasks by operator.  Elements are compared by
 * keys, as vectors of integers are.  Of equal elements the later one is the
 * result.
 */

/* The greatest key is that of the result. */
SCAN_INLINE TYPE_BITS
SCAN(key) (ScanOperator scan_operator, TYPE_BITS element)
{
	TYPE_BITS	order = SCAN(order) (SCAN(canonicalize) (element));

	return scan_operator == SCAN_MIN ? ~order : order;
}

/* Writes the keys of a block, and returns the greatest one. */
SCAN_INLINE TYPE_BITS
SCAN(find_keys) (ScanOperator scan_operator, const TYPE_BITS *data, int count,
				 TYPE_BITS keys[SCAN_BLOCK])
{
	TYPE_BITS	greatest = 0;

	for (int i = 0; i < count; i++)
	{
		keys[i] = SCAN(key) (scan_operator, data[i]);
		greatest = keys[i] > greatest ? keys[i] : greatest;
	}
	return greatest;
}

/* The result of a running one and of the elements after it. */
SCAN_INLINE TYPE_BITS
SCAN(reduce_extremes) (ScanOperator scan_operator, TYPE_BITS running,
					   const TYPE_BITS *data, int count)
{
	TYPE_BITS	keys[SCAN_BLOCK];
	TYPE_BITS	greatest = SCAN(key) (scan_operator, running);
	int			found = -1;		/* the block that has the result */

	for (int first = 0; first < count; first += SCAN_BLOCK)
	{
		int			size = cpu_min(count - first, SCAN_BLOCK);
		TYPE_BITS	key = SCAN(find_keys) (scan_operator, data + first, size,
										   keys);

		if (key >= greatest)
		{
			greatest = key;
			found = first;
		}
	}
	if (found >= 0)
	{
		int			last = found + cpu_min(count - found, SCAN_BLOCK) - 1;

		while (SCAN(key) (scan_operator, data[last]) != greatest)
			last--;
		running = data[last];
	}
	return running;
}

/* Writes the running results, and returns the last one. */
SCAN_INLINE TYPE_BITS
SCAN(write_extremes) (ScanOperator scan_operator, TYPE_BITS running,
					  const TYPE_BITS *data, int count, TYPE_BITS *out)
{
	TYPE_BITS	keys[SCAN_BLOCK];
	TYPE_BITS	greatest = SCAN(key) (scan_operator, running);

	for (int first = 0; first < count; first += SCAN_BLOCK)
	{
		int			size = cpu_min(count - first, SCAN_BLOCK);

		(void) SCAN(find_keys) (scan_operator, data + first, size, keys);
		for (int i = 0; i < size; i++)
		{
			running = keys[i] >= greatest ? data[first + i] : running;
			greatest = keys[i] >= greatest ? keys[i] : greatest;
			out[first + i] = running;
		}
	}
	return running;
}

/*
 * Passes over the piece twice, as for integers, unless the job has no helpers
 * or has no results of elements.
 */
SCAN_INLINE void
SCAN(scan_extremes) (CpuJob *job, CpuPiece *piece, ScanOperator scan_operator)
{
	const TYPE_BITS *data = piece->data[0];
	int			count = (int) piece->count;
	bool		reduces = scan_reduces(job);
	bool		once = !reduces && job->team.helpers == 0;
	TYPE_BITS  *out = scan_results(job, piece);
	SCAN_ELEMENT identity = SCAN(identity) (scan_operator);
	TYPE_BITS	running;
	TYPE_BITS	total;

	memcpy(&running, &identity, sizeof(running));
	if (!once)
		total = SCAN(reduce_extremes) (scan_operator, running, data, count);
	scan_wait_prefix(job, piece, &running, sizeof(running));
	if (!once)
	{
		total = SCAN(reduce_extremes) (scan_operator, running, &total, 1);
		scan_pass_prefix(job, piece, &total, sizeof(total));
	}
	if (!reduces)
		running = SCAN(write_extremes) (scan_operator, running, data, count,
										out);
	if (once)
		scan_pass_prefix(job, piece, &running, sizeof(running));
}

SCAN_EXTREMES(SCAN_EXTREME_WORK)

static const PieceWork SCAN(works)[SCAN_OPERATORS] = {SCAN_FLOATS(SCAN_ROW)};
