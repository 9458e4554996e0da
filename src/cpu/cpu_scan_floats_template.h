/*
 * cpu_scan_floats_template.h
 *	  Sums and products of a piece of floats, for one type; for cpu_types.h,
 *	  after the templates of tiles and of folds.
 */

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
	{
		SCAN(Fold)	fold = SCAN(new_fold) (scan_operator);
		EngineOverflow overflow = OVERFLOW_NONE;

		fold.c = c;
		SCAN(fold) (scan_operator, &fold, data, count, 0, &overflow, out);
		if (overflow != OVERFLOW_NONE)
			cpu_note_overflow(job, overflow);
	}
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
									  cpu_min(piece->count - first, FLOAT_TILE),
									  NULL, segment_s, segment_r);

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
		int			count = cpu_min(piece->count - first, FLOAT_TILE);

		if (reduces && scan_operator == SCAN_ADD &&
			SCAN(sums_are_finite) (data + first, count, c[tile]))
			continue;
		SCAN(scan_tile) (job, scan_operator, data + first, count, c[tile],
						 reduces ? NULL : out + first);
	}
}

SCAN_PRODUCTS(SCAN_WORK)
