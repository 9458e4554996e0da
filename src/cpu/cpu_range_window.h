/*
 * cpu_range_window.h
 *	  What the parts of the CPU engine's windows by range share.
 */
#ifndef GPUCOMPACT_CPU_RANGE_WINDOW_H
#define GPUCOMPACT_CPU_RANGE_WINDOW_H

#include "contract/operations/range_window.h"
#include "cpu/cpu_engine.h"

/* Frames that are found at a time, and combined while they are in the cache. */
#define RANGE_FRAMES		2048

/* Frames of a run that are passed over at a time. */
#define RANGE_STEP			16

/*
 * The frames of some places: the elements from the numbers "first" on to before
 * the numbers "end".  Neither ever goes back.
 */
typedef struct RangeFrames
{
	int32_t		next_first;		/* not behind those of the next places */
	int32_t		next_end;
	int32_t		first[RANGE_FRAMES];
	int32_t		end[RANGE_FRAMES];
} RangeFrames;

typedef struct CpuRangeWindow CpuRangeWindow;

/* The functions for a type and an operator. */
typedef struct RangeWork
{
	/*
	 * Combines the tiles that elements from "from" to before "to" fill.
	 * Returns whether any total is overflow, or an element is a NaN that is
	 * left to the checked functions.
	 */
	bool		(*totals) (const CpuRangeWindow *window, int64_t from,
						   int64_t to);

	/*
	 * Makes the results of the places from "from" to before "to", with room
	 * for a total of each tile in "after".  Returns whether any is overflow.
	 */
	bool		(*chunk) (const CpuRangeWindow *window, int64_t from,
						  int64_t to, void *after, void *results);
	bool		plain;			/* for elements without a NaN */
} RangeWork;

/* The functions for a type of x. */
typedef struct FrameWork
{
	/* Finds the frames of "count" places, from the place "from" on. */
	void		(*find) (const CpuRangeWindow *window, int64_t from, int count,
						 RangeFrames *frames);

	/* Returns whether the frame of a place ends before the last x. */
	bool		(*has_ended) (const CpuRangeWindow *window, int64_t place);
} FrameWork;

struct CpuRangeWindow
{
	const EngineRequest *request;
	const RangeWindowParameters *parameters;
	RangeWork	work;			/* empty for counts, and first and last ones */
	RangeWork	checked;		/* for what may overflow, as "work" finds */
	const FrameWork *frames;
	const void *places;
	const void *x;
	const void *elements;
	int64_t		count;			/* of them */
	void	   *totals;			/* by tile of RANGE_TILE elements */
};

/* Finds the frames of places, and which frames have elements. */
static inline void
range_frames_find(const CpuRangeWindow *window, int64_t from, int count,
				  RangeFrames *frames)
{
	bool	   *exist = window->request->outputs[1].memory;

	window->frames->find(window, from, count, frames);
	for (int i = 0; exist != NULL && i < count; i++)
		exist[from + i] = frames->end[i] > frames->first[i];
}

/* An element's number in its tile. */
static inline int
range_in_tile(int32_t element)
{
	return (uint32_t) element % RANGE_TILE;
}

/*
 * Returns how many of some frames, one at least, have this cut, begin in one
 * tile and end in one tile.
 *
 * The cut is that of all frames around it, until one has an element whose
 * number has more zeros at the end.
 */
static inline int
range_run(const int32_t *first, const int32_t *end, int count, int32_t cut)
{
	int32_t		first_end = (first[0] / RANGE_TILE + 1) * RANGE_TILE;
	int32_t		last_end = ((end[0] - 1) / RANGE_TILE + 1) * RANGE_TILE;
	int32_t		next_cut = cut + (cut & -cut);
	int			run = 1;

	if (first_end > cut)
		first_end = cut;
	if (last_end > next_cut)
		last_end = next_cut;

	/* Bounds ascend, so the last one of several stands for all. */
	for (int step = RANGE_STEP; step > 0; step /= RANGE_STEP)
	{
		while (run <= count - step && first[run + step - 1] < first_end &&
			   end[run + step - 1] <= last_end)
			run += step;
	}
	return run;
}

#endif							/* GPUCOMPACT_CPU_RANGE_WINDOW_H */
