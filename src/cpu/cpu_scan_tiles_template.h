/*
 * cpu_scan_tiles_template.h
 *	  Scans of the segments of a tile of floats, for one type; for cpu_types.h.
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
							 cpu_min(count - done, FLOAT_SEGMENT),
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

	if (scan_operator > SCAN_MULTIPLY)
		return result;
	if (isinf(result) && !isinf(a) && !isinf(b))
		*overflow = OVERFLOW_UP;
	if (scan_operator == SCAN_MULTIPLY && result == 0 && a != 0 && b != 0 &&
		*overflow == OVERFLOW_NONE)
		*overflow = OVERFLOW_DOWN;
	return result;
}
