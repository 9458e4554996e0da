/*
 * cpu_window_template.h
 *	  Windows of one operator over elements of one type; for cpu_window_types.h.
 *
 * The names s, r and c are those of window.h.
 */

/* Combines what comes before with x; backward, x comes first in the array. */
#define WINDOW_GO_ON(before, x) \
	(backward ? WINDOW_OP(x, before) : WINDOW_OP(before, x))

/* Writes the P of the elements of a tile whose c is given; backward, the S. */
WINDOW_INLINED void
WINDOW(combine_tile) (const TYPE_ELEMENT *data, int count, int64_t block,
					  WINDOW_SUM c, bool backward, WINDOW_SUM *out)
{
	const int	stride = WINDOW_INTERLEAVE * WINDOW_SEGMENT;
	int			segments = (count + WINDOW_SEGMENT - 1) / WINDOW_SEGMENT;
	WINDOW_SUM	r = WINDOW_IDENTITY;
	WINDOW_SUM	last_s = WINDOW_IDENTITY;
	int			first = 0;

	for (; first + stride <= count; first += stride)
	{
		WINDOW_SUM	s[WINDOW_INTERLEAVE];

		for (int j = 0; j < WINDOW_INTERLEAVE; j++)
			s[j] = WINDOW_IDENTITY;
		for (int i = 0; i < WINDOW_SEGMENT; i++)
		{
			for (int j = 0; j < WINDOW_INTERLEAVE; j++)
			{
				int			at = first + j * WINDOW_SEGMENT +
					(backward ? WINDOW_SEGMENT - 1 - i : i);

				s[j] = WINDOW_GO_ON(s[j], WINDOW_LOAD(data[at]));
				out[at] = s[j];
			}
		}
	}
	for (int i = first; i < count; i++)
	{
		int			at = backward ? first + count - 1 - i : i;
		int			before = backward ? at + 1 : at - 1;

		if (before == count ||
			(backward ? before : at) % WINDOW_SEGMENT == 0)
			out[at] = WINDOW_LOAD(data[at]);
		else
			out[at] = WINDOW_GO_ON(out[before], WINDOW_LOAD(data[at]));
	}
	if (block == WINDOW_SEGMENT)
		return;
	for (int i = 0; i < segments; i++)
	{
		int			begin = (backward ? segments - 1 - i : i) * WINDOW_SEGMENT;
		int			length = cpu_min(count - begin, WINDOW_SEGMENT);

		if ((backward ? begin + WINDOW_SEGMENT : begin) % block == 0)
			r = WINDOW_IDENTITY;
		else
			r = WINDOW_GO_ON(r, last_s);
		last_s = out[backward ? begin : begin + length - 1];
		for (int j = begin; j < begin + length; j++)
			out[j] = WINDOW_GO_ON(r, out[j]);
	}
	if (block > WINDOW_TILE)
	{
		for (int i = 0; i < count; i++)
			out[i] = WINDOW_GO_ON(c, out[i]);
	}
}

#undef WINDOW_GO_ON

CPU_CLONES static void
WINDOW(prefixes) (const TYPE_ELEMENT *data, int count, int64_t block,
				  WINDOW_SUM c, WINDOW_SUM *out)
{
	WINDOW(combine_tile) (data, count, block, c, false, out);
}

CPU_CLONES static void
WINDOW(suffixes) (const TYPE_ELEMENT *data, int count, int64_t block,
				  WINDOW_SUM c, WINDOW_SUM *out)
{
	WINDOW(combine_tile) (data, count, block, c, true, out);
}

#ifndef WINDOW_PLAIN
/* Combines each of some tiles.  Returns whether any total is overflow. */
CPU_CLONES static bool
WINDOW(totals) (CpuJob *job, const void *data, int64_t first, int count)
{
	const CpuWindow *window = job->state;
	const TYPE_ELEMENT *elements = data;
	WINDOW_TOTAL *before = window->before;
	WINDOW_TOTAL *after = window->after;
	bool		overflow = false;

	for (int done = 0; done < count; done += WINDOW_TILE)
	{
		int64_t		tile = (first + done) / WINDOW_TILE;
		int			items = cpu_min(count - done, WINDOW_TILE);
		WINDOW_SUM	sums[WINDOW_TILE];
		WINDOW_RESULT unused;

		/* A compiler may not see that there are items. */
		sums[0] = sums[items - 1] = WINDOW_IDENTITY;
		WINDOW(prefixes) (elements + done, items, WINDOW_TILE,
						  WINDOW_IDENTITY, sums);
		before[tile] = WINDOW_TO_TOTAL(sums[items - 1]);
		WINDOW_STORE(unused, sums[items - 1], overflow);
		WINDOW(suffixes) (elements + done, items, WINDOW_TILE,
						  WINDOW_IDENTITY, sums);
		after[tile] = WINDOW_TO_TOTAL(sums[0]);
		WINDOW_STORE(unused, sums[0], overflow);
		(void) unused;
	}
	return overflow;
}
#endif

#ifdef WINDOW_ACCUMULATES
/*
 * Combines the tiles of each block up to each tile, and from each tile on.
 */
static void
WINDOW(accumulate) (CpuJob *job)
{
	const CpuWindow *window = job->state;
	int64_t		tiles_of_block = window->frames.block / WINDOW_TILE;
	WINDOW_SUM *before = window->before;
	WINDOW_SUM *after = window->after;

	for (int64_t tile = 1; tile < window->tiles; tile++)
	{
		if (tile % tiles_of_block != 0)
			before[tile] = WINDOW_OP(before[tile - 1], before[tile]);
	}
	for (int64_t tile = window->tiles - 2; tile >= 0; tile--)
	{
		if ((tile + 1) % tiles_of_block != 0)
			after[tile] = WINDOW_OP(after[tile], after[tile + 1]);
	}
}
#endif

/* Writes the P of the elements of a tile; backward, the S. */
WINDOW_INLINED void
WINDOW(load_tile) (const CpuWindow *window, int64_t tile, bool backward,
				   WINDOW_SUM *out)
{
	const TYPE_ELEMENT *elements = window->elements;
	const WINDOW_TOTAL *totals = backward ? window->after : window->before;
	int64_t		first = tile * WINDOW_TILE;
	int64_t		edge = backward ? first + WINDOW_TILE : first;
	int64_t		block = window->frames.block;
	bool		goes_on = block > WINDOW_TILE && edge % block != 0 &&
		edge < window->frames.count;

	(backward ? WINDOW(suffixes) : WINDOW(prefixes))
		(elements + first, window_tile_count(window, tile), block, goes_on ?
		 WINDOW_FROM_TOTAL(totals[backward ? tile + 1 : tile - 1]) :
		 WINDOW_IDENTITY, out);
}

/* The tiles at work in a chunk. */
typedef struct WINDOW(tiles)
{
	int64_t		prefix_tile;	/* -1: none yet */
	int64_t		suffix_tile;
	WINDOW_SUM	preceding;		/* the P at the end of the last block that
								 * ends before prefix_tile */
	WINDOW_SUM	prefixes[WINDOW_TILE];
	WINDOW_SUM	suffixes[WINDOW_TILE];
	WINDOW_SUM	sums[WINDOW_TILE];
} WINDOW(tiles);

/* Loads the tiles in which a frame begins and ends. */
WINDOW_INLINED void
WINDOW(load) (const CpuWindow *window, WINDOW(tiles) *at, int64_t first,
			  int64_t last)
{
	const WINDOW_TOTAL *before = window->before;
	int64_t		prefix_tile = last / WINDOW_TILE;
	int64_t		suffix_tile = first / WINDOW_TILE;
	int64_t		tile = prefix_tile;

	if (at->suffix_tile != suffix_tile)
	{
		WINDOW(load_tile) (window, suffix_tile, true, at->suffixes);
		at->suffix_tile = suffix_tile;
	}
	if (at->prefix_tile == prefix_tile)
		return;
	if (window_has_totals(&window->frames))
	{
		/* The end of the block before this one. */
		int64_t		end = last / window->frames.block *
			window->frames.block / WINDOW_TILE;

		if (end > 0)
			at->preceding = WINDOW_FROM_TOTAL(before[end - 1]);
	}
	else if (prefix_tile > 0)
	{
		if (at->prefix_tile < 0)
			tile--;
		else
			at->preceding = at->prefixes[WINDOW_TILE - 1];
	}
	for (; tile <= prefix_tile; tile++)
	{
		WINDOW(load_tile) (window, tile, false, at->prefixes);
		if (tile < prefix_tile)
			at->preceding = at->prefixes[WINDOW_TILE - 1];
	}
	at->prefix_tile = prefix_tile;
}

/*
 * Combines S, the block between, and P.  If a step is zero, the frames all
 * begin, or end, with the same element.
 */
WINDOW_INLINED void
WINDOW(combine) (const WINDOW_SUM *suffix, int suffix_step,
				 const WINDOW_SUM *between, const WINDOW_SUM *prefix,
				 int prefix_step, int count, WINDOW_SUM *sums)
{
	if (between != NULL)
	{
		WINDOW_SUM	middle = *between;

		for (int i = 0; i < count; i++)
			sums[i] = WINDOW_OP(WINDOW_OP(suffix[i * suffix_step], middle),
								prefix[i * prefix_step]);
		return;
	}
	for (int i = 0; i < count; i++)
		sums[i] = WINDOW_OP(suffix[i * suffix_step], prefix[i * prefix_step]);
}

/* Combines a run of frames that begin in one block and end in one. */
WINDOW_INLINED void
WINDOW(combine_run) (const CpuWindow *window, WINDOW(tiles) *at,
					 const WindowRun *run)
{
	int64_t		block = window->frames.block;
	int64_t		blocks = run->last / block - run->first / block;
	const WINDOW_SUM *prefix = &at->prefixes[run->last % WINDOW_TILE];
	const WINDOW_SUM *suffix = &at->suffixes[run->first % WINDOW_TILE];
	const WINDOW_SUM *between = NULL;

	if (blocks == 0)
	{
		bool		whole = run->first % block == 0;

		for (int i = 0; i < run->count; i++)
			at->sums[i] = whole ? prefix[i * run->last_step] :
				suffix[i * run->first_step];
		return;
	}
	if (blocks == 2)
	{
		int			last = run->last / block * block % WINDOW_TILE;

		between = last == 0 || block >= WINDOW_TILE ?
			&at->preceding : &at->prefixes[last - 1];
	}
	if (run->first_step == 1 && run->last_step == 1)
		WINDOW(combine) (suffix, 1, between, prefix, 1, run->count, at->sums);
	else
		WINDOW(combine) (suffix, run->first_step, between, prefix,
						 run->last_step, run->count, at->sums);
}

/* Combines WINDOW_FEW narrow frames, whose sums stay in registers. */
WINDOW_INLINED void
WINDOW(combine_few) (const TYPE_ELEMENT *data, int width, WINDOW_SUM *out)
{
	WINDOW_SUM	sums[WINDOW_FEW];

	for (int i = 0; i < WINDOW_FEW; i++)
		sums[i] = WINDOW_LOAD(data[i]);
	while (--width > 0)
	{
		data++;
		for (int i = 0; i < WINDOW_FEW; i++)
			sums[i] = WINDOW_OP(sums[i], WINDOW_LOAD(data[i]));
	}
	for (int i = 0; i < WINDOW_FEW; i++)
		out[i] = sums[i];
}

/*
 * Combines a run of narrow frames, WINDOW_FEW at a time.  The last ones may
 * overlap the ones before, whose sums are then the same again.
 */
WINDOW_INLINED void
WINDOW(combine_narrow) (const CpuWindow *window, WINDOW(tiles) *at,
						const WindowRun *run)
{
	const TYPE_ELEMENT *data = (const TYPE_ELEMENT *) window->elements +
		run->first;
	int			width = run->last - run->first + 1;

	if (run->count < WINDOW_FEW)
	{
		for (int i = 0; i < run->count; i++)
		{
			WINDOW_SUM	sum = WINDOW_LOAD(data[i]);

			for (int j = 1; j < width; j++)
				sum = WINDOW_OP(sum, WINDOW_LOAD(data[i + j]));
			at->sums[i] = sum;
		}
		return;
	}
	for (int first = 0; first < run->count; first += WINDOW_FEW)
	{
		int			from = first + WINDOW_FEW <= run->count ? first :
			run->count - WINDOW_FEW;

		WINDOW(combine_few) (data + from, width, at->sums + from);
	}
}

#ifdef WINDOW_SLIDES
/*
 * Goes on from the sum of the preceding frame, which is exact: adds the element
 * that comes into a frame, and subtracts the element that goes.
 */
WINDOW_INLINED WINDOW_SUM
WINDOW(slide) (const CpuWindow *window, int64_t from, int count,
			   WINDOW_SUM sum, WINDOW_SUM *sums)
{
	const TYPE_ELEMENT *comes = (const TYPE_ELEMENT *) window->elements +
		from + window->frames.following;
	const TYPE_ELEMENT *goes = (const TYPE_ELEMENT *) window->elements +
		from - window->frames.preceding - 1;
	int64_t		gone = window->frames.preceding + 1 - from;
	int64_t		left = window->frames.count - from - window->frames.following;

	for (int i = 0; i < count; i++)
	{
		if (i < left)
			sum += comes[i];
		if (i >= gone)
			sum -= goes[i];
		sums[i] = sum;
	}
	return sum;
}
#endif

#ifdef WINDOW_PLAIN
/* Returns whether frames have a NaN. */
WINDOW_INLINED bool
WINDOW(have_nan) (const CpuWindow *window, int64_t from, int64_t to)
{
	const TYPE_ELEMENT *elements = window->elements;
	int64_t		end = window_last(&window->frames, to - 1) + 1;
	int			found = 0;

	for (int64_t i = window_first(&window->frames, from); i < end; i++)
		found |= isnan(elements[i]);
	return found;
}
#endif

#ifdef WINDOW_AVERAGES
/* Divides sums.  If some may be inexact as doubles, it starts over. */
WINDOW_INLINED void
WINDOW(divide) (const WINDOW_SUM *sums, const WindowRun *run,
				const int32_t *lengths, double *out)
{
	WINDOW_SUM	large = 0;

	for (int i = 0; i < run->count; i++)
	{
		large |= (sums[i] + WIDE_SUM_EXACT) & -(2 * WIDE_SUM_EXACT);
		out[i] = (double) (int64_t) sums[i] / window_length(run, lengths, i);
	}
	for (int i = 0; large != 0 && i < run->count; i++)
		out[i] = wide_sum_average(sums[i], window_length(run, lengths, i));
}
#endif

/*
 * Makes the results of the elements from "from" to before "to".  Returns
 * whether any is overflow, or all are left to the checked instance.
 */
CPU_CLONES static bool
WINDOW(chunk) (const CpuWindow *window, int64_t from, int64_t to,
			   void *results)
{
	bool		narrow = window_is_narrow(&window->frames);
	WINDOW_RESULT *out = results;
	WINDOW(tiles) at;
	const int32_t *lengths = NULL;
	bool		overflow = false;
#ifdef WINDOW_SLIDES
	bool		slides = false;
	WINDOW_SUM	sum = 0;
#endif

#ifdef WINDOW_PLAIN
	if (WINDOW(have_nan) (window, from, to))
		return true;
#endif
	at.prefix_tile = at.suffix_tile = -1;
	for (WindowRun run; from < to; from += run.count, out += run.count)
	{
#ifdef WINDOW_SLIDES
		/* The first frame is combined; the others slide on from it. */
		run = window_run(window, from, slides ? to : from + 1, slides);
		if (slides)
			sum = WINDOW(slide) (window, from, run.count, sum, at.sums);
		else
#else
		run = window_run(window, from, to, false);
#endif
		if (narrow)
			WINDOW(combine_narrow) (window, &at, &run);
		else
		{
			WINDOW(load) (window, &at, run.first, run.last);
			WINDOW(combine_run) (window, &at, &run);
		}
#ifdef WINDOW_SLIDES
		if (!slides)
			sum = at.sums[0];
		slides = true;
#endif
		if (window->lengths != NULL)
			lengths = window->lengths + from;
#ifdef WINDOW_AVERAGES
		WINDOW(divide) (at.sums, &run, lengths, out);
#else
		for (int i = 0; i < run.count; i++)
			WINDOW_STORE(out[i], at.sums[i], overflow);
		for (int i = 0; window->average && i < run.count; i++)
			out[i] /= window_length(&run, lengths, i);
#endif
	}
	return overflow;
}

#include "cpu/cpu_range_window_template.h"

static const WindowWork WINDOW(work) = {
	WINDOW_TOTALS, WINDOW_ACCUMULATE, WINDOW(chunk), WINDOW_RANGES
};
