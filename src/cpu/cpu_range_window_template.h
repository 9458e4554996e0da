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

/* Combines each tile of some elements: see RangeWork. */
CPU_CLONES static bool
WINDOW(range_totals) (const CpuRangeWindow *window, int64_t from, int64_t to)
{
	const TYPE_ELEMENT *elements = window->elements;
	WINDOW_TOTAL *totals = window->totals;
	int			overflow = 0;

	for (int64_t tile = from / RANGE_TILE; tile < to / RANGE_TILE; tile++)
	{
		WINDOW_SUM	sum = WINDOW(range_total) (elements + tile * RANGE_TILE);
		WINDOW_RESULT unused;

		totals[tile] = WINDOW_TO_TOTAL(sum);
		WINDOW_STORE(unused, sum, overflow);
		(void) unused;
	}
#ifdef WINDOW_PLAIN
	for (int64_t i = from; i < to; i++)
		overflow |= isnan(elements[i]);
#endif
	return overflow;
}

/* The sums at work in a chunk. */
typedef struct WINDOW(range)
{
	int32_t		cut;			/* zero: none yet */
	int32_t		suffix_tile;	/* of the first element; -1: none yet */
	int32_t		next;			/* the element behind the last P */
	WINDOW_SUM	c;				/* of P */
	WINDOW_SUM	p;
	WINDOW_SUM	suffixes[RANGE_TILE];	/* S of the elements of a tile */
	WINDOW_SUM	prefixes[RANGE_TILE];	/* P of the elements of a tile */
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

/* Goes on with the P in the tile of the element "last", if that is another. */
WINDOW_INLINED void
WINDOW(range_next_tile) (const CpuRangeWindow *window, WINDOW(range) *at,
						 int32_t last)
{
	const WINDOW_TOTAL *totals = window->totals;
	int32_t		begin = last / RANGE_TILE * RANGE_TILE;
	int32_t		tile;

	if (at->next > begin || (at->next == begin && begin <= at->cut))
		return;

	/* An element of each tile has been reached, or will be. */
	tile = at->next == at->cut ? at->cut / RANGE_TILE :
		(at->next - 1) / RANGE_TILE;
	for (; tile < begin / RANGE_TILE; tile++)
		at->c = WINDOW_OP(at->c, WINDOW_FROM_TOTAL(totals[tile]));
	at->p = WINDOW_IDENTITY;
	at->next = begin;
}

/*
 * Writes the S of the elements of a tile, from "first" on, unless they are
 * there; and goes on with the P up to the element "last", in its tile.  Each
 * sum waits for the one before it, so both go side by side.
 */
WINDOW_INLINED void
WINDOW(range_sums) (const CpuRangeWindow *window, WINDOW(range) *at,
					int32_t first, int32_t last, const WINDOW_SUM *after)
{
	const TYPE_ELEMENT *elements = window->elements;
	int32_t		tile = first / RANGE_TILE;
	int32_t		end = (tile + 1) * RANGE_TILE;
	int32_t		before = tile == at->suffix_tile ? 0 :
		(end < at->cut ? end : at->cut) - first;
	int32_t		behind = last + 1 - at->next;
	int32_t		both = before < behind ? before : behind;
	const TYPE_ELEMENT *down = elements + first + before;
	const TYPE_ELEMENT *up = elements + at->next;
	WINDOW_SUM *suffixes = &at->suffixes[range_in_tile(first)] + before;
	WINDOW_SUM *prefixes = &at->prefixes[range_in_tile(at->next)];
	WINDOW_SUM	s = WINDOW_IDENTITY;
	WINDOW_SUM	p = at->p;

#pragma GCC unroll 4
	for (int64_t i = 0; i < both; i++)
	{
		s = WINDOW_OP(WINDOW_LOAD(down[-1 - i]), s);
		suffixes[-1 - i] = s;
		p = WINDOW_OP(p, WINDOW_LOAD(up[i]));
		prefixes[i] = p;
	}
	for (int64_t i = both; i < before; i++)
	{
		s = WINDOW_OP(WINDOW_LOAD(down[-1 - i]), s);
		suffixes[-1 - i] = s;
	}
	for (int64_t i = both; i < behind; i++)
	{
		p = WINDOW_OP(p, WINDOW_LOAD(up[i]));
		prefixes[i] = p;
	}
	for (int64_t i = 1; end < at->cut && i <= before; i++)
		suffixes[-i] = WINDOW_OP(suffixes[-i], after[tile + 1]);
	for (int64_t i = 0; last - last % RANGE_TILE > at->cut && i < behind; i++)
		prefixes[i] = WINDOW_OP(at->c, prefixes[i]);
	at->suffix_tile = tile;
	at->p = p;
	at->next = last + 1;
}

/*
 * Combines the frames of a run, which has some at least: they have one cut,
 * begin in one tile and end in one tile.  Returns how many there are.
 */
WINDOW_INLINED int
WINDOW(range_run) (const CpuRangeWindow *window, WINDOW(range) *at,
				   const int32_t *first, const int32_t *end, int count,
				   WINDOW_SUM *after, WINDOW_SUM *sums)
{
	int32_t		cut = range_cut(first[0], end[0] - 1);
	int			run = range_run(first, end, count, cut);

	if (cut != at->cut)
		WINDOW(range_begin) (window, at, first[0], cut, after);
	WINDOW(range_next_tile) (window, at, end[run - 1] - 1);
	WINDOW(range_sums) (window, at, first[0], end[run - 1] - 1, after);
	for (int i = 0; i < run; i++)
		sums[i] = WINDOW_OP(at->suffixes[range_in_tile(first[i])],
							at->prefixes[range_in_tile(end[i] - 1)]);
	return run;
}

CPU_CLONES static bool
WINDOW(range_chunk) (const CpuRangeWindow *window, int64_t from, int64_t to,
					 void *after, void *results)
{
	const TYPE_ELEMENT *elements = window->elements;
	WINDOW_RESULT *out = results;
#ifndef WINDOW_AVERAGES
	bool		averages = window->parameters->op == RANGE_AVERAGE;
#endif
	int			overflow = 0;
	WINDOW(range) at;
	RangeFrames frames;
	WINDOW_SUM	sums[RANGE_FRAMES];

	at.cut = at.next = 0;
	at.suffix_tile = -1;
	at.c = at.p = WINDOW_IDENTITY;
	frames.next_first = frames.next_end = 0;
	for (int count; from < to; from += count, out += count)
	{
		count = (int) cpu_min(to - from, RANGE_FRAMES);
		range_frames_find(window, from, count, &frames);
		for (int i = 0, run; i < count; i += run)
		{
			int32_t		first = frames.first[i];
			int32_t		length = frames.end[i] - first;

			run = 1;
			if (length > 1)
				run = WINDOW(range_run) (window, &at, &frames.first[i],
										 &frames.end[i], count - i, after,
										 &sums[i]);
			else if (length == 1)
				sums[i] = WINDOW_LOAD(elements[first]);
			else
				sums[i] = WINDOW_IDENTITY;
		}
#ifdef WINDOW_AVERAGES
		for (int i = 0; i < count; i++)
			out[i] = wide_sum_average(sums[i], frames.end[i] - frames.first[i]);
#else
		for (int i = 0; averages && i < count; i++)
		{
			WINDOW_RESULT sum;

			WINDOW_STORE(sum, sums[i], overflow);
			out[i] = sum / (frames.end[i] - frames.first[i]);
		}
		for (int i = 0; !averages && i < count; i++)
			WINDOW_STORE(out[i], sums[i], overflow);
#endif
	}
	return overflow;
}
