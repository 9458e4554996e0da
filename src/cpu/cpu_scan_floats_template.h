/*
 * cpu_scan_floats_template.h
 *	  Sums and products of a piece of floats, for one type; for cpu_types.h.
 *
 * The order of operations is that of float_order.h, and s, r and c are its
 * names.  Groups have minima and maxima by these functions, too.
 */

/* The minimum or maximum of equal operands is the later one. */
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
			return FLOAT_LESS(a, b) ? a : b;
		default:
			return FLOAT_LESS(b, a) ? a : b;
	}
}

/* The left operand that leaves every float as it is. */
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
			return TYPE_LAST;
		default:
			return TYPE_FIRST;
	}
}

/*
 * Scans adjacent segments of the same length, interleaved.  Writes every s,
 * unless "out" is NULL, and the last s of each segment.
 */
SCAN_INLINE void
SCAN(scan_segments) (ScanOperator scan_operator, const SCAN_ELEMENT *data,
					 int segments, int length, SCAN_ELEMENT *out,
					 SCAN_ELEMENT *last_s)
{
	SCAN_ELEMENT s[SCAN_INTERLEAVE];

	for (int segment = 0; segment < segments; segment++)
		s[segment] = SCAN(identity) (scan_operator);
	for (int i = 0; i < length; i++)
	{
		for (int segment = 0; segment < segments; segment++)
		{
			s[segment] = SCAN(combine) (scan_operator, s[segment],
										data[segment * FLOAT_SEGMENT + i]);
			if (out)
				out[segment * FLOAT_SEGMENT + i] = s[segment];
		}
	}
	for (int segment = 0; segment < segments; segment++)
		last_s[segment] = s[segment];
}

/*
 * Scans the segments of a tile.  Writes every s, unless "out" is NULL, and the
 * last s and the r of each segment.  Returns the number of segments.
 */
SCAN_INLINE int
SCAN(scan_tile_segments) (ScanOperator scan_operator,
						  const SCAN_ELEMENT *data, int count,
						  SCAN_ELEMENT *out,
						  SCAN_ELEMENT last_s[FLOAT_SEGMENTS],
						  SCAN_ELEMENT r[FLOAT_SEGMENTS])
{
	const int	stride = SCAN_INTERLEAVE * FLOAT_SEGMENT;
	int			segments = (count + FLOAT_SEGMENT - 1) / FLOAT_SEGMENT;
	int			done = 0;

	for (; count - done >= stride; done += stride)
		SCAN(scan_segments) (scan_operator, data + done, SCAN_INTERLEAVE,
							 FLOAT_SEGMENT, out ? out + done : NULL,
							 last_s + done / FLOAT_SEGMENT);
	for (; done < count; done += FLOAT_SEGMENT)
		SCAN(scan_segments) (scan_operator, data + done, 1,
							 count - done < FLOAT_SEGMENT ?
							 count - done : FLOAT_SEGMENT,
							 out ? out + done : NULL,
							 last_s + done / FLOAT_SEGMENT);

	r[0] = SCAN(identity) (scan_operator);
	for (int segment = 1; segment < segments; segment++)
		r[segment] = SCAN(combine) (scan_operator, r[segment - 1],
									last_s[segment - 1]);
	return segments;
}

/* Combines, and notes whether that overflows. */
SCAN_INLINE SCAN_ELEMENT
SCAN(combine_checked) (ScanOperator scan_operator, SCAN_ELEMENT a,
					   SCAN_ELEMENT b, EngineOverflow *overflow)
{
	SCAN_ELEMENT result = SCAN(combine) (scan_operator, a, b);

	if (isinf(result) && !isinf(a) && !isinf(b))
		*overflow = OVERFLOW_UP;
	if (scan_operator == SCAN_MULTIPLY && result == 0 && a != 0 && b != 0 &&
		*overflow == OVERFLOW_NONE)
		*overflow = OVERFLOW_DOWN;
	return result;
}

/* Like scan_tile, but element by element, with a check of each operation. */
SCAN_INLINE void
SCAN(scan_tile_checked) (CpuJob *job, ScanOperator scan_operator,
						 const SCAN_ELEMENT *data, int count, SCAN_ELEMENT c,
						 SCAN_ELEMENT *out)
{
	bool		reduces = scan_reduces(job);
	EngineOverflow overflow = OVERFLOW_NONE;
	SCAN_ELEMENT identity = SCAN(identity) (scan_operator);
	SCAN_ELEMENT before = identity;
	SCAN_ELEMENT r = identity;
	SCAN_ELEMENT s = identity;

	for (int i = 0; i < count; i++)
	{
		SCAN_ELEMENT result;

		if (i % FLOAT_SEGMENT == 0)
		{
			r = SCAN(combine_checked) (scan_operator, r, s, &overflow);
			before = SCAN(combine_checked) (scan_operator, c, r, &overflow);
			s = identity;
		}
		s = SCAN(combine_checked) (scan_operator, s, data[i], &overflow);
		result = SCAN(combine_checked) (scan_operator, before, s, &overflow);
		if (!reduces)
			out[i] = isnan(result) ? NAN : result;
	}
	if (overflow != OVERFLOW_NONE)
		cpu_note_overflow(job, overflow);
}

/*
 * Scans a tile whose prefix is c.  If any operation overflows, a result that
 * it contributes to is not finite, or is zero if it is a product.  Only a tile
 * that has such a result is scanned again with a check of each operation.
 */
SCAN_INLINE void
SCAN(scan_tile) (CpuJob *job, ScanOperator scan_operator,
				 const SCAN_ELEMENT *data, int count, SCAN_ELEMENT c,
				 SCAN_ELEMENT *out)
{
	bool		reduces = scan_reduces(job);
	SCAN_ELEMENT s[FLOAT_TILE];
	SCAN_ELEMENT last_s[FLOAT_SEGMENTS];
	SCAN_ELEMENT r[FLOAT_SEGMENTS];
	int			may_overflow = 0;
	int			segments = SCAN(scan_tile_segments) (scan_operator, data,
													 count, s, last_s, r);

	for (int segment = 0; segment < segments; segment++)
	{
		SCAN_ELEMENT before = SCAN(combine) (scan_operator, c, r[segment]);
		int			end = segment < segments - 1 ?
			(segment + 1) * FLOAT_SEGMENT : count;

		for (int i = segment * FLOAT_SEGMENT; i < end; i++)
		{
			SCAN_ELEMENT result = SCAN(combine) (scan_operator, before, s[i]);

			may_overflow |= !(result - result == 0);
			if (scan_operator == SCAN_MULTIPLY)
				may_overflow |= result == 0;
			if (!reduces)
				out[i] = result;
		}
	}
	if (may_overflow)
		SCAN(scan_tile_checked) (job, scan_operator, data, count, c, out);
}

/*
 * Returns whether no sum of a tile whose prefix is c can overflow, by the
 * greatest magnitude of an element.  That is faster than to add all of them
 * again.  Rounding errors are far less than the half of the range that is left.
 */
SCAN_INLINE bool
SCAN(sums_are_finite) (const SCAN_ELEMENT *data, int count, SCAN_ELEMENT c)
{
	TYPE_BITS	most = 0;
	SCAN_ELEMENT greatest;

	for (int i = 0; i < count; i++)
	{
		TYPE_BITS	magnitude;

		memcpy(&magnitude, &data[i], sizeof(magnitude));
		magnitude &= ~(TYPE_BITS) 0 >> 1;
		most = magnitude > most ? magnitude : most;
	}
	memcpy(&greatest, &most, sizeof(greatest));
	return 2 * (fabs(c) + FLOAT_TILE * greatest) < (SCAN_ELEMENT) INFINITY;
}

/*
 * Passes over the piece twice; the second pass finds it in the cache.  The
 * first reduces each tile, so that the next piece can go on.  The second
 * computes the results, or checks the sums of a reduction.
 */
SCAN_INLINE void
SCAN(scan_piece) (CpuJob *job, CpuPiece *piece, ScanOperator scan_operator)
{
	const SCAN_ELEMENT *data = piece->data[0];
	bool		reduces = scan_reduces(job);
	SCAN_ELEMENT *out = scan_results(job, piece);
	SCAN_ELEMENT segment_s[FLOAT_SEGMENTS];
	SCAN_ELEMENT segment_r[FLOAT_SEGMENTS];
	SCAN_ELEMENT tile_s[SCAN_TILES];
	SCAN_ELEMENT tile_r[SCAN_TILES];
	SCAN_ELEMENT c[SCAN_TILES + 1];
	SCAN_ELEMENT prefix;
	int			tiles = (piece->count + FLOAT_TILE - 1) / FLOAT_TILE;

	for (int tile = 0; tile < tiles; tile++)
	{
		int			first = tile * FLOAT_TILE;
		int			segments =
			SCAN(scan_tile_segments) (scan_operator, data + first,
									  scan_tile_size(piece, first), NULL,
									  segment_s, segment_r);

		tile_s[tile] = segment_s[segments - 1];
		tile_r[tile] = segment_r[segments - 1];
	}

	c[0] = SCAN(identity) (scan_operator);
	scan_wait_prefix(job, piece, &c[0], sizeof(c[0]));
	for (int tile = 0; tile < tiles; tile++)
		c[tile + 1] = SCAN(combine) (scan_operator,
									 SCAN(combine) (scan_operator, c[tile],
													tile_r[tile]),
									 tile_s[tile]);
	prefix = c[tiles];
	if (isnan(prefix))
		prefix = NAN;
	scan_pass_prefix(job, piece, &prefix, sizeof(prefix));

	for (int tile = 0; tile < tiles; tile++)
	{
		int			first = tile * FLOAT_TILE;
		int			count = scan_tile_size(piece, first);

		if (reduces && scan_operator == SCAN_ADD &&
			SCAN(sums_are_finite) (data + first, count, c[tile]))
			continue;
		SCAN(scan_tile) (job, scan_operator, data + first, count, c[tile],
						 reduces ? NULL : out + first);
	}
}

SCAN_WORK(add, SCAN_ADD, scan_piece)
SCAN_WORK(multiply, SCAN_MULTIPLY, scan_piece)
