/*
 * cpu_dot_floats_template.h
 *	  The products of a piece of floats, for a type of them; for cpu_types.h.
 *
 * It defines the task DOT(piece).  The order of operations, and the names, are
 * from dot.h and float_order.h.
 */

/*
 * Returns whether an operation on a tile overflows, one of whose sums is not
 * finite.
 */
static bool
DOT(tile_overflows) (const TYPE_ELEMENT *a, const TYPE_ELEMENT *b, int count)
{
	TYPE_ELEMENT r = -0.0;
	TYPE_ELEMENT s = -0.0;
	EngineOverflow overflow = OVERFLOW_NONE;

	for (int i = 0; i < count; i++)
	{
		if (i % FLOAT_SEGMENT == 0)
		{
			r = SCAN(combine_checked) (SCAN_ADD, r, s, &overflow);
			s = -0.0;
		}
		s = SCAN(combine_checked) (SCAN_ADD, s,
								   SCAN(combine_checked) (SCAN_MULTIPLY, a[i],
														  b[i], &overflow),
								   &overflow);
	}
	return overflow == OVERFLOW_UP;
}

/* Returns whether a product underflows. */
static inline __attribute__((always_inline)) bool
DOT(multiply) (const TYPE_ELEMENT *a, const TYPE_ELEMENT *b, int count,
			   TYPE_ELEMENT *products)
{
	TYPE_BITS	underflow = 0;

	for (int i = 0; i < count; i++)
	{
		TYPE_ELEMENT product = a[i] * b[i];

		products[i] = product;
		underflow |= (product == 0) & (a[i] != 0) & (b[i] != 0);
	}
	return underflow != 0;
}

CPU_CLONES static void
DOT(piece) (CpuJob *job, CpuPiece *piece)
{
	const TYPE_ELEMENT *a = piece->data[0];
	const TYPE_ELEMENT *b = piece->data[1];
	TYPE_ELEMENT products[FLOAT_TILE];
	TYPE_ELEMENT segment_s[FLOAT_SEGMENTS];
	TYPE_ELEMENT segment_r[FLOAT_SEGMENTS];
	TYPE_ELEMENT tile_s[SCAN_TILES];
	TYPE_ELEMENT tile_r[SCAN_TILES];
	EngineDot  *dot = job->request->summary;
	TYPE_ELEMENT c = -0.0;
	int			tiles = 0;
	EngineOverflow overflow = OVERFLOW_NONE;
	bool		underflow = false;

	for (int64_t first = 0; first < piece->count; first += FLOAT_TILE, tiles++)
	{
		int			count = cpu_min(piece->count - first, FLOAT_TILE);
		int			last;

		underflow |= DOT(multiply) (a + first, b + first, count, products);
		last = SCAN(scan_tile_segments) (SCAN_ADD, products, count, NULL,
										 segment_s, segment_r) - 1;
		tile_s[tiles] = segment_s[last];
		tile_r[tiles] = segment_r[last];
		if ((tile_r[tiles] - tile_r[tiles] != 0 ||
			 tile_s[tiles] - tile_s[tiles] != 0) &&
			DOT(tile_overflows) (a + first, b + first, count))
			overflow = OVERFLOW_UP;
	}

	cpu_chain_wait(job, piece);
	if (piece->turn > 0)
		c = dot->floats;
	for (int tile = 0; tile < tiles; tile++)
	{
		c = SCAN(combine_checked) (SCAN_ADD, c, tile_r[tile], &overflow);
		c = SCAN(combine_checked) (SCAN_ADD, c, tile_s[tile], &overflow);
	}
	*dot = (EngineDot) {.floats = c};
	cpu_chain_pass(job);
	if (underflow)
		cpu_note_overflow(job, OVERFLOW_DOWN);
	if (overflow != OVERFLOW_NONE)
		cpu_note_overflow(job, overflow);
}
