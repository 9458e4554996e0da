/*
 * cpu_range_window_template.h
 *	  Windows by range of one operator over elements of one type; for
 *	  cpu_window_template.h.
 *
 * The names s, p and c are those of range_window.h.
 */

/* Combines a tile. */
WINDOW_INLINED WINDOW_SUM
WINDOW(range_total) (const TYPE_ELEMENT *tile)
{
	enum {SEGMENTS = RANGE_TILE / RANGE_SEGMENT};
	WINDOW_SUM	sums[SEGMENTS];

	for (int j = 0; j < SEGMENTS; j++)
		sums[j] = WINDOW_LOAD(tile[j * RANGE_SEGMENT]);
	for (int i = 1; i < RANGE_SEGMENT; i++)
	{
		for (int j = 0; j < SEGMENTS; j++)
			sums[j] = WINDOW_OP(sums[j],
								WINDOW_LOAD(tile[j * RANGE_SEGMENT + i]));
	}
	for (int j = 1; j < SEGMENTS; j++)
		sums[0] = WINDOW_OP(sums[0], sums[j]);
	return sums[0];
}

/* Combines each of some tiles. */
CPU_CLONES static bool
WINDOW(range_totals) (const CpuRangeWindow *window, int64_t from, int64_t to)
{
	const TYPE_ELEMENT *elements = window->elements;
	WINDOW_TOTAL *totals = window->totals;
	bool		overflow = false;

	for (int64_t tile = from; tile < to; tile++)
	{
		WINDOW_SUM	sum = WINDOW(range_total) (elements + tile * RANGE_TILE);
		WINDOW_RESULT unused;

		totals[tile] = WINDOW_TO_TOTAL(sum);
		WINDOW_STORE(unused, sum, overflow);
		(void) unused;
	}
	return overflow;
}

/* The frame at work in a chunk. */
typedef struct WINDOW(range)
{
	int32_t		cut;			/* zero: none yet */
	int32_t		suffix_tile;	/* of the first element; -1: none yet */
	int32_t		next;			/* the element behind P */
	WINDOW_SUM	c;				/* of P */
	WINDOW_SUM	p;
	WINDOW_SUM	suffixes[RANGE_TILE];	/* S of the elements of the tile */
} WINDOW(range);

/* Combines the tiles before a cut, from each on that is behind "first". */
WINDOW_INLINED void
WINDOW(range_begin) (const CpuRangeWindow *window, WINDOW(range) *at,
					 int32_t first, int32_t cut, WINDOW_SUM *after)
{
	const WINDOW_TOTAL *totals = window->totals;
	WINDOW_SUM	c = WINDOW_IDENTITY;

	for (int32_t tile = cut / RANGE_TILE - 1; tile > first / RANGE_TILE; tile--)
	{
		c = WINDOW_OP(WINDOW_FROM_TOTAL(totals[tile]), c);
		after[tile] = c;
	}
	at->cut = at->next = cut;
	at->suffix_tile = -1;
	at->c = at->p = WINDOW_IDENTITY;
}

/* Writes the S of the elements of a tile, from "first" on. */
WINDOW_INLINED void
WINDOW(range_suffixes) (const CpuRangeWindow *window, WINDOW(range) *at,
						int32_t first, const WINDOW_SUM *after)
{
	const TYPE_ELEMENT *elements = window->elements;
	int32_t		tile = first / RANGE_TILE;
	int32_t		end = (tile + 1) * RANGE_TILE;
	WINDOW_SUM	c = WINDOW_IDENTITY;
	WINDOW_SUM	s = WINDOW_IDENTITY;

	if (end < at->cut)
		c = after[tile + 1];
	else
		end = at->cut;
	for (int32_t i = end - 1; i >= first; i--)
	{
		s = WINDOW_OP(WINDOW_LOAD(elements[i]), s);
		at->suffixes[i % RANGE_TILE] = WINDOW_OP(s, c);
	}
	at->suffix_tile = tile;
}

/* Goes on with P up to the element "last". */
WINDOW_INLINED void
WINDOW(range_prefix) (const CpuRangeWindow *window, WINDOW(range) *at,
					  int32_t last)
{
	const TYPE_ELEMENT *elements = window->elements;
	const WINDOW_TOTAL *totals = window->totals;
	int32_t		begin = last / RANGE_TILE * RANGE_TILE;

	if (at->next < begin || (at->next == begin && begin > at->cut))
	{
		/* An element of each tile has been reached, or will be. */
		int32_t		tile = at->next == at->cut ? at->cut / RANGE_TILE :
			(at->next - 1) / RANGE_TILE;

		for (; tile < begin / RANGE_TILE; tile++)
			at->c = WINDOW_OP(at->c, WINDOW_FROM_TOTAL(totals[tile]));
		at->p = WINDOW_IDENTITY;
		at->next = begin;
	}
	for (; at->next <= last; at->next++)
		at->p = WINDOW_OP(at->p, WINDOW_LOAD(elements[at->next]));
}

CPU_CLONES static bool
WINDOW(range_chunk) (const CpuRangeWindow *window, int64_t from, int64_t to,
					 void *after, void *results)
{
	const TYPE_ELEMENT *elements = window->elements;
	WINDOW_RESULT *out = results;
	bool		overflow = false;
	WINDOW(range) at;
	RangeFrames frames;

	at.cut = at.next = 0;
	at.suffix_tile = -1;
	at.c = at.p = WINDOW_IDENTITY;
	frames.last_first = frames.last_end = 0;
	for (int count; from < to; from += count, out += count)
	{
		count = (int) window_min(to - from, RANGE_FRAMES);
		range_frames_find(window, from, count, &frames);
		for (int i = 0; i < count; i++)
		{
			int32_t		first = frames.first[i];
			int32_t		last = frames.end[i] - 1;
			WINDOW_SUM	sum = WINDOW_IDENTITY;

			if (first < last)
			{
				int32_t		cut = range_cut(first, last);

				if (cut != at.cut)
					WINDOW(range_begin) (window, &at, first, cut, after);
				if (first / RANGE_TILE != at.suffix_tile)
					WINDOW(range_suffixes) (window, &at, first, after);
				WINDOW(range_prefix) (window, &at, last);
				sum = WINDOW_OP(at.suffixes[first % RANGE_TILE],
								WINDOW_OP(at.c, at.p));
			}
			else if (first == last)
				sum = WINDOW_LOAD(elements[first]);
#ifdef WINDOW_AVERAGES
			out[i] = wide_sum_average(sum, last - first + 1);
#else
			WINDOW_STORE(out[i], sum, overflow);
			if (window->parameters->op == RANGE_AVERAGE)
				out[i] /= last - first + 1;
#endif
		}
	}
	return overflow;
}
