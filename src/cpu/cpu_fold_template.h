/*
 * cpu_fold_template.h
 *	  Floats that are combined one after the other, for one type; for
 *	  cpu_types.h, after the template of tiles.
 *
 * The order of operations is that of float_order.h, and c, r and s are its
 * names.  Each operation is checked.
 */

/* The values so far. */
typedef struct SCAN(Fold)
{
	SCAN_ELEMENT c;
	SCAN_ELEMENT r;
	SCAN_ELEMENT s;
} SCAN(Fold);

SCAN_INLINE SCAN(Fold)
SCAN(new_fold) (ScanOperator scan_operator)
{
	SCAN_ELEMENT identity = SCAN(identity) (scan_operator);

	return (SCAN(Fold)) {identity, identity, identity};
}

/*
 * Goes on with "count" elements, which come behind "offset" others.  Writes the
 * result at each one, unless "out" is NULL.
 */
SCAN_INLINE void
SCAN(fold) (ScanOperator scan_operator, SCAN(Fold) *fold,
			const SCAN_ELEMENT *data, int64_t count, int64_t offset,
			EngineOverflow *overflow, SCAN_ELEMENT *out)
{
	SCAN_ELEMENT identity = SCAN(identity) (scan_operator);
	SCAN_ELEMENT c = fold->c;
	SCAN_ELEMENT r = fold->r;
	SCAN_ELEMENT s = fold->s;

	for (int64_t i = 0, end; i < count; i = end)
	{
		int64_t		at = offset + i;
		SCAN_ELEMENT before;

		if (at > 0 && at % FLOAT_TILE == 0)
		{
			c = SCAN(combine_checked) (scan_operator, c, r, overflow);
			c = SCAN(combine_checked) (scan_operator, c, s, overflow);
			r = s = identity;
		}
		else if (at > 0 && at % FLOAT_SEGMENT == 0)
		{
			r = SCAN(combine_checked) (scan_operator, r, s, overflow);
			s = identity;
		}
		before = SCAN(combine_checked) (scan_operator, c, r, overflow);
		end = i + FLOAT_SEGMENT - at % FLOAT_SEGMENT;
		for (end = end < count ? end : count; i < end; i++)
		{
			SCAN_ELEMENT result;

			s = SCAN(combine_checked) (scan_operator, s, data[i], overflow);
			result = SCAN(combine_checked) (scan_operator, before, s, overflow);
			if (out != NULL)
				out[i] = isnan(result) ? NAN : result;
		}
	}
	*fold = (SCAN(Fold)) {c, r, s};
}

SCAN_INLINE SCAN_ELEMENT
SCAN(fold_result) (ScanOperator scan_operator, const SCAN(Fold) *fold)
{
	SCAN_ELEMENT before = SCAN(combine) (scan_operator, fold->c, fold->r);
	SCAN_ELEMENT result = SCAN(combine) (scan_operator, before, fold->s);

	return scan_operator <= SCAN_MULTIPLY && isnan(result) ? NAN : result;
}
