/*
 * cpu_dot_floats_template.h
 *	  The products of a piece of floats, for a type of them; for cpu_types.h.
 *
 * It defines the task DOT(piece).  The order of operations, and the names, are
 * from dot.h and float_order.h.
 */

/* The sum of a tile: r of its last segment, and s at its last element. */
typedef struct
{
	TYPE_ELEMENT r;
	TYPE_ELEMENT s;
} DOT(Sum);

/* Returns whether an operation with this result overflows. */
static inline bool
DOT(overflows) (TYPE_ELEMENT result, TYPE_ELEMENT a, TYPE_ELEMENT b)
{
	return stats_overflow(result, a, b);
}

static inline TYPE_ELEMENT
DOT(add) (TYPE_ELEMENT a, TYPE_ELEMENT b, bool *overflow)
{
	TYPE_ELEMENT sum = a + b;

	*overflow |= DOT(overflows) (sum, a, b);
	return sum;
}

/*
 * Returns whether an operation on a tile overflows, one of whose sums is not
 * finite.
 */
static bool
DOT(tile_overflows) (const TYPE_ELEMENT *a, const TYPE_ELEMENT *b, int count)
{
	TYPE_ELEMENT r = -0.0;
	TYPE_ELEMENT s = -0.0;
	bool		overflow = false;

	for (int i = 0; i < count; i++)
	{
		TYPE_ELEMENT product = a[i] * b[i];

		if (i % FLOAT_SEGMENT == 0)
		{
			r = DOT(add) (r, s, &overflow);
			s = -0.0;
		}
		overflow |= DOT(overflows) (product, a[i], b[i]);
		s = DOT(add) (s, product, &overflow);
	}
	return overflow;
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

/* Sums adjacent segments of the same length. */
static inline __attribute__((always_inline)) void
DOT(sum_segments) (const TYPE_ELEMENT *products, int segments, int length,
				   TYPE_ELEMENT *last_s)
{
	TYPE_ELEMENT s[DOT_ABREAST];

	for (int segment = 0; segment < segments; segment++)
		s[segment] = -0.0;
	for (int i = 0; i < length; i++)
		for (int segment = 0; segment < segments; segment++)
			s[segment] += products[segment * FLOAT_SEGMENT + i];
	for (int segment = 0; segment < segments; segment++)
		last_s[segment] = s[segment];
}

static inline __attribute__((always_inline)) DOT(Sum)
DOT(sum_tile) (const TYPE_ELEMENT *products, int count)
{
	const int	stride = DOT_ABREAST * FLOAT_SEGMENT;
	TYPE_ELEMENT last_s[FLOAT_SEGMENTS];
	int			segments = (count + FLOAT_SEGMENT - 1) / FLOAT_SEGMENT;
	int			done = 0;
	DOT(Sum) sum = {.r = -0.0};

	for (; count - done >= stride; done += stride)
		DOT(sum_segments) (products + done, DOT_ABREAST, FLOAT_SEGMENT,
						   last_s + done / FLOAT_SEGMENT);
	for (; done < count; done += FLOAT_SEGMENT)
		DOT(sum_segments) (products + done, 1, count - done < FLOAT_SEGMENT ?
						   count - done : FLOAT_SEGMENT,
						   last_s + done / FLOAT_SEGMENT);
	for (int segment = 0; segment < segments; segment++)
	{
		if (segment > 0)
			sum.r += sum.s;
		sum.s = last_s[segment];
	}
	return sum;
}

/* Adds the tiles of a piece to the sum of all before it. */
static bool
DOT(add_tiles) (EngineDot *dot, int tiles, const DOT(Sum) *sums)
{
	TYPE_ELEMENT c = dot->floats;
	bool		overflow = false;

	for (int tile = 0; tile < tiles; tile++)
	{
		c = DOT(add) (c, sums[tile].r, &overflow);
		c = DOT(add) (c, sums[tile].s, &overflow);
	}
	dot->floats = c;
	return overflow;
}

CPU_CLONES static void
DOT(piece) (CpuJob *job, CpuPiece *piece)
{
	const TYPE_ELEMENT *a = piece->data[0];
	const TYPE_ELEMENT *b = piece->data[1];
	TYPE_ELEMENT products[FLOAT_TILE];
	DOT(Sum) sums[DOT_TILES];
	int			tiles = 0;
	bool		overflow = false;
	bool		underflow = false;

	for (int64_t first = 0; first < piece->count; first += FLOAT_TILE)
	{
		int64_t		left = piece->count - first;
		int			count = left < FLOAT_TILE ? (int) left : FLOAT_TILE;
		DOT(Sum) sum;

		underflow |= DOT(multiply) (a + first, b + first, count, products);
		sum = DOT(sum_tile) (products, count);
		if (sum.r - sum.r != 0 || sum.s - sum.s != 0)
			overflow |= DOT(tile_overflows) (a + first, b + first, count);
		sums[tiles++] = sum;
	}

	cpu_chain_wait(job, piece);
	if (piece->turn == 0)
		*(EngineDot *) job->request->summary = (EngineDot) {.floats = -0.0};
	overflow |= DOT(add_tiles) (job->request->summary, tiles, sums);
	cpu_chain_pass(job);
	if (underflow)
		cpu_note_overflow(job, OVERFLOW_DOWN);
	if (overflow)
		cpu_note_overflow(job, OVERFLOW_UP);
}
