/*
 * cpu_stats_floats_template.h
 *	  The statistics of a piece of floats, for a type of them; for
 *	  cpu_types.h.
 *
 * It defines the task STATS(stats).  The order of operations, and the
 * names, are from stats.h.
 */

/* The sums of a segment, of several, or of all so far. */
typedef struct
{
	Moments		moments;
	TYPE_ELEMENT sum;			/* each addition rounded to this type */
} STATS(Sums);

static inline STATS(Sums)
STATS(merge) (STATS(Sums) a, STATS(Sums) b, bool *overflow)
{
	TYPE_ELEMENT sum = a.sum + b.sum;

	if (a.moments.count == 0)
		return b;
	if (b.moments.count == 0)
		return a;
	*overflow |= stats_overflow(sum, a.sum, b.sum);
	return (STATS(Sums))
	{
		moments_merge(a.moments, b.moments, overflow), sum
	};
}

/*
 * Returns whether a segment overflows, one of whose sums is not finite: either
 * an addition overflows, or all elements are finite and the squares overflow.
 */
static bool
STATS(segment_overflows) (const TYPE_ELEMENT *data, int length)
{
	TYPE_ELEMENT sum = -0.0;
	double		wide_sum = -0.0;
	bool		finite = true;

	for (int i = 0; i < length; i++)
	{
		TYPE_ELEMENT next = sum + data[i];
		double		wide_next = wide_sum + data[i];

		if (stats_overflow(next, sum, data[i]) ||
			stats_overflow(wide_next, wide_sum, data[i]))
			return true;
		sum = next;
		wide_sum = wide_next;
		finite &= data[i] - data[i] == 0;
	}
	return finite;
}

/* Returns the sums of a segment.  After an overflow, a sum is not finite. */
static inline STATS(Sums)
STATS(make_sums) (const TYPE_ELEMENT *data, int length, double wide_sum,
				  double squares, TYPE_ELEMENT sum, bool *overflow)
{
	if (sum - sum != 0 || squares - squares != 0)
		*overflow |= STATS(segment_overflows) (data, length);
	return (STATS(Sums))
	{
		{
			length, wide_sum, squares
		}, sum
	};
}

/* Sums adjacent segments of the same length. */
static inline __attribute__((always_inline)) void
STATS(sum_segments) (const TYPE_ELEMENT *data, int segments, int length,
					 STATS(Sums) *sums, bool *overflow)
{
	TYPE_ELEMENT sum[STATS_ABREAST];
	double		wide_sum[STATS_ABREAST];
	double		mean[STATS_ABREAST];
	double		squares[STATS_ABREAST];

	for (int j = 0; j < segments; j++)
	{
		sum[j] = -0.0;
		wide_sum[j] = -0.0;
		squares[j] = 0;
	}
	for (int i = 0; i < length; i++)
	{
		for (int j = 0; j < segments; j++)
		{
			sum[j] += data[j * FLOAT_SEGMENT + i];
			wide_sum[j] += data[j * FLOAT_SEGMENT + i];
		}
	}
	for (int j = 0; j < segments; j++)
		mean[j] = wide_sum[j] / length;
	for (int i = 0; i < length; i++)
	{
		for (int j = 0; j < segments; j++)
		{
			double		apart = data[j * FLOAT_SEGMENT + i] - mean[j];

			squares[j] += apart * apart;
		}
	}
	for (int j = 0; j < segments; j++)
		sums[j] = STATS(make_sums) (data + j * FLOAT_SEGMENT, length,
									wide_sum[j], squares[j], sum[j], overflow);
}

/* Sums a tile: r merges all segments but the last one, which is s. */
static inline __attribute__((always_inline)) void
STATS(sum_tile) (const TYPE_ELEMENT *data, int count, STATS(Sums) *r,
				 STATS(Sums) *s, bool *overflow)
{
	const int	stride = STATS_ABREAST * FLOAT_SEGMENT;
	STATS(Sums) sums[FLOAT_SEGMENTS];
	int			segments = (count + FLOAT_SEGMENT - 1) / FLOAT_SEGMENT;
	int			done = 0;

	for (; count - done >= stride; done += stride)
		STATS(sum_segments) (data + done, STATS_ABREAST, FLOAT_SEGMENT,
							 sums + done / FLOAT_SEGMENT, overflow);
	for (; done < count; done += FLOAT_SEGMENT)
		STATS(sum_segments) (data + done, 1,
							 cpu_min(count - done, FLOAT_SEGMENT),
							 sums + done / FLOAT_SEGMENT, overflow);
	r->moments.count = 0;
	for (int i = 0; i < segments - 1; i++)
		*r = STATS(merge) (*r, sums[i], overflow);
	*s = sums[segments - 1];
}

/* Merges the tiles of a piece with all before it, in the job's summary. */
static void
STATS(merge_tiles) (EngineStats *stats, int tiles, const STATS(Sums) *r,
					const STATS(Sums) *s, bool *overflow)
{
	STATS(Sums) all = {stats->moments, stats->own_sum};

	for (int tile = 0; tile < tiles; tile++)
	{
		all = STATS(merge) (all, r[tile], overflow);
		all = STATS(merge) (all, s[tile], overflow);
	}
	stats->moments = all.moments;
	stats->own_sum = all.sum;
}

CPU_CLONES static void
STATS(stats) (CpuJob *job, CpuPiece *piece)
{
	const TYPE_ELEMENT *data = piece->data[0];
	const TYPE_BITS *bits = piece->data[0];
	EngineStats *stats = job->request->summary;
	STATS(Sums) r[STATS_TILES];
	STATS(Sums) s[STATS_TILES];
	TYPE_BITS	least = STATS(order) (bits[0]);
	TYPE_BITS	greatest = least;
	int			tiles = (piece->count + FLOAT_TILE - 1) / FLOAT_TILE;
	bool		overflow = false;

	for (int tile = 0; tile < tiles; tile++)
	{
		int			first = tile * FLOAT_TILE;
		int			count = cpu_min(piece->count - first, FLOAT_TILE);

		STATS(sum_tile) (data + first, count, &r[tile], &s[tile], &overflow);
		for (int i = first; i < first + count; i++)
		{
			TYPE_BITS	order = STATS(order) (bits[i]);

			least = order < least ? order : least;
			greatest = order > greatest ? order : greatest;
		}
	}

	cpu_chain_wait(job, piece);
	if (piece->turn == 0)
		*stats = (EngineStats) {.least_order = UINT64_MAX};
	STATS(merge_tiles) (stats, tiles, r, s, &overflow);
	if (least < stats->least_order)
		stats->least_order = least;
	if (greatest > stats->greatest_order)
		stats->greatest_order = greatest;
	cpu_chain_pass(job);
	if (overflow)
		cpu_note_overflow(job, OVERFLOW_UP);
}
