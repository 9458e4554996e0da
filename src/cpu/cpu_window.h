/*
 * cpu_window.h
 *	  What the parts of the CPU engine's windows share.
 */
#ifndef GPUCOMPACT_CPU_WINDOW_H
#define GPUCOMPACT_CPU_WINDOW_H

#include "contract/operations/window.h"
#include "cpu/cpu_engine.h"
#include "cpu/cpu_range_window.h"

#define WINDOW_INLINED	static inline __attribute__((always_inline))

/* Segments that are combined at a time: enough to hide the latency of one. */
#define WINDOW_INTERLEAVE	8

/* Narrow frames that are combined at a time: a few vectors of sums. */
#define WINDOW_FEW			32

typedef struct CpuWindow CpuWindow;

/*
 * The functions for a type and an operator.  They combine each tile, combine
 * the tiles of each block, and make results.
 */
typedef struct WindowWork
{
	bool		(*totals) (CpuJob *job, const void *data, int64_t first,
						   int count);	/* NULL: the checked one does all */
	void		(*accumulate) (CpuJob *job);
	bool		(*chunk) (const CpuWindow *window, int64_t from, int64_t to,
						  void *results);
	RangeWork	ranges;
} WindowWork;

/* The functions for a request. */
typedef struct WindowWorks
{
	const WindowWork *work;
	const WindowWork *checked;	/* for what may overflow, or has NaNs, as "work"
								 * finds; NULL if that does overflow */
} WindowWorks;

struct CpuWindow
{
	WindowWorks works;
	bool		average;
	const int32_t *lengths;		/* that sums are divided by; or NULL: those of
								 * the frames */
	WindowFrames frames;
	const void *elements;		/* the array */
	int64_t		tiles;
	void	   *before;			/* by tile: the total of its block up to it */
	void	   *after;			/* by tile: the total of its block from it on */
};

/*
 * Frames whose first elements are in one tile and in one block, and whose last
 * elements are in one tile and in one block.
 */
typedef struct WindowRun
{
	int64_t		first;			/* elements of the first frame */
	int64_t		last;
	int			first_step;		/* from one frame to the next: 0 or 1 */
	int			last_step;
	int			count;			/* frames, of a tile's size at most */
} WindowRun;

/*
 * The functions for sums, for averages of other kinds than float8, for minima
 * and for maxima.
 */
extern const WindowWorks cpu_window_sums[ELEMENT_KINDS];
extern const WindowWorks cpu_window_averages[ELEMENT_KINDS];
extern const WindowWorks cpu_window_minima[ELEMENT_KINDS];
extern const WindowWorks cpu_window_maxima[ELEMENT_KINDS];

/* The functions; without "work" if the window is not supported. */
static inline WindowWorks
window_works(ScanOperator op, ElementKind from, ElementKind to)
{
	switch (op)
	{
		case SCAN_ADD:
			return to == from ?
				cpu_window_sums[from] : cpu_window_averages[from];
		case SCAN_MIN:
			return cpu_window_minima[from];
		case SCAN_MAX:
			return cpu_window_maxima[from];
		default:
			return (WindowWorks) {NULL};
	}
}

/* A window over "count" elements of a kind, with results of another one. */
static inline CpuWindow
cpu_window_over(const WindowParameters *parameters, ElementKind from,
				ElementKind to, int64_t count)
{
	CpuWindow	window = {
		.works = window_works(parameters->op, from, to),
		.average = parameters->average,
		.frames = window_frames(parameters, count)
	};

	if (window_has_totals(&window.frames) && window.works.work != NULL &&
		window.works.work->totals == NULL)
		window.works = (WindowWorks) {window.works.checked};
	return window;
}

/*
 * Makes the results of the elements from "from" to before "to".  Returns
 * whether any is overflow.
 */
static inline bool
cpu_window_chunk(const CpuWindow *window, int64_t from, int64_t to,
				 void *results)
{
	bool		overflow = window->works.work->chunk(window, from, to, results);

	if (overflow && window->works.checked != NULL)
		overflow = window->works.checked->chunk(window, from, to, results);
	return overflow;
}

/* cpu_window_stage.c */
extern int64_t cpu_window_stage(CpuJob *job, CpuPiece *piece,
								const EngineStage *stage,
								CpuStageChain *chain, void *out);
extern bool cpu_window_can_be_stage(const EngineRequest *request);

/*
 * Returns the run of frames that begins with the frame of the element "from".
 * With "anywhere", the frames may lie in any tiles and blocks, but their steps
 * are the same.
 */
static inline WindowRun
window_run(const CpuWindow *window, int64_t from, int64_t to, bool anywhere)
{
	const WindowFrames *frames = &window->frames;
	int64_t		block = frames->block;
	int64_t		unit = cpu_min(block, WINDOW_TILE);
	int64_t		end = cpu_min(to, from + WINDOW_TILE);
	WindowRun	run;

	run.first = window_first(frames, from);
	run.last = window_last(frames, from);
	run.first_step = from >= frames->preceding;
	run.last_step = from + frames->following < frames->count - 1;

	if (run.last_step)
		end = cpu_min(end, frames->count - frames->following);
	if (anywhere)
	{
		if (!run.first_step)
			end = cpu_min(end, frames->preceding);
		run.count = end - from;
		return run;
	}
	if (window_is_narrow(frames))
	{
		if (!run.first_step || !run.last_step)
			end = from + 1;		/* the next frame has another width */
		run.count = end - from;
		return run;
	}
	if (run.last_step)
		end = cpu_min(end, from + unit - run.last % unit);
	if (run.first_step)
		end = cpu_min(end, from + unit - run.first % unit);
	else
		end = cpu_min(end, frames->preceding);
	if (run.first_step && run.first % block == 0 &&
		run.first / block == run.last / block)
		end = from + 1;			/* the next frame does not begin a block */
	run.count = end - from;
	return run;
}

/* What the sum of a frame of a run is divided by; from "lengths", if any. */
static inline int32_t
window_length(const WindowRun *run, const int32_t *lengths, int i)
{
	return lengths != NULL ? lengths[i] :
		(int32_t) (run->last - run->first + 1) +
		i * (run->last_step - run->first_step);
}

static inline int
window_tile_count(const CpuWindow *window, int64_t tile)
{
	return cpu_min(window->frames.count - tile * WINDOW_TILE, WINDOW_TILE);
}

#endif							/* GPUCOMPACT_CPU_WINDOW_H */
