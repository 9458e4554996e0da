/*
 * cpu_range_window.c
 *	  Windows by range: what is in the frame around each place of a series.
 *
 * Inputs are gathered, unless they are in memory already.  Then threads combine
 * the tiles, chunk by chunk, and make the results in the same way.  A thread
 * finds some frames, and combines them while they are in the cache, run by run:
 * frames with one cut that begin in one tile and end in one tile need the
 * suffixes of elements before the cut and the prefixes behind it, once.
 */
#include <stdlib.h>
#include <string.h>

#include "contract/order.h"
#include "cpu/cpu_window.h"
#include "loops/numbers.h"

/* Results that a thread makes at a time, or elements that it combines. */
#define RANGE_CHUNK			(16 * RANGE_TILE)

/*
 * Places whose bounds are found at a time, in two vectors of AVX2; and how many
 * x each may be compared with, so that this is faster than to look for it.
 */
#define RANGE_VECTOR		4
#define RANGE_ABREAST		(2 * RANGE_VECTOR)
#define RANGE_NEAR			256

typedef int64_t RangeIntegers
			__attribute__((vector_size(RANGE_VECTOR * sizeof(int64_t))));
typedef double RangeFloats
			__attribute__((vector_size(RANGE_VECTOR * sizeof(double))));

#define TYPES				(TYPES_SIGNED | TYPES_FLOATS)
#define TYPE_TEMPLATE		"cpu/cpu_range_frames_template.h"
#include "cpu/cpu_types.h"

static const FindFrames find_frames[ELEMENT_KINDS] = {
	TYPE_ROWS_NUMBERS(find_frames)
};

/* The functions that combine elements; none for other operators. */
static WindowWorks
range_works(const EngineRequest *request)
{
	static const ScanOperator operators[RANGE_OPERATORS] = {
		[RANGE_SUM] = SCAN_ADD,[RANGE_AVERAGE] = SCAN_ADD,
		[RANGE_MIN] = SCAN_MIN,[RANGE_MAX] = SCAN_MAX
	};
	RangeOperator op = PARAMETERS(request, RangeWindowParameters)->op;

	if (op >= RANGE_COUNT)
		return (WindowWorks) {NULL};
	return window_works(operators[op], request->kinds[1],
						request->outputs[0].kind);
}

/* Notes an error unless these x, or places, are in order. */
static bool
check_order(CpuRangeWindow *window, const void *x, int64_t count,
			RangeError error)
{
	if (are_ascending(window->request->kinds[0], x, (int) count))
		return true;
	__atomic_store_n(&window->descends, error, __ATOMIC_RELAXED);
	return false;
}

/*
 * The task of a piece that is in its place: looks whether its x are in order,
 * unless they are looked at as places.
 */
static void
check_piece(CpuJob *job, CpuPiece *piece)
{
	if (job->request->table_bytes > 0)
		(void) check_order(job->state, piece->data[0], piece->count,
						   RANGE_X_DESCEND);
}

static PieceWork
range_window_work(const EngineRequest *request)
{
	bool		combines =
		PARAMETERS(request, RangeWindowParameters)->op < RANGE_COUNT;

	if (find_frames[request->kinds[0]] == NULL ||
		(combines && range_works(request).work == NULL))
		return NULL;
	return check_piece;
}

static void
free_range_window(CpuJob *job, CpuRangeWindow *window)
{
	cpu_gather_end(job);
	free(window->totals);
	free(window->after);
	free(window);
}

/* Gets memory for the totals of tiles. */
static bool
allocate_totals(const CpuJob *job, CpuRangeWindow *window)
{
	int			threads = job->request->threads;

	if (window->tiles == 0)
		return true;
	window->totals = malloc(window->tiles * sizeof(WideSum));
	window->after = malloc(window->tiles * sizeof(WideSum) *
						   (threads > 1 ? threads : 1));
	return window->totals != NULL && window->after != NULL;
}

static bool
range_window_begin(CpuJob *job)
{
	CpuRangeWindow *window = calloc(1, sizeof(CpuRangeWindow));
	WindowWorks works = range_works(job->request);

	if (window == NULL)
		return false;
	window->request = job->request;
	window->parameters = PARAMETERS(job->request, RangeWindowParameters);
	window->find = find_frames[job->request->kinds[0]];
	window->count = job->request->count;
	if (works.work != NULL)
	{
		window->work = works.work->ranges;
		if (works.checked != NULL)
			window->checked = works.checked->ranges;
		window->tiles = window->count / RANGE_TILE;
	}
	if (!cpu_gather_begin(job) || !allocate_totals(job, window) ||
		!cpu_phases_begin(job, RANGE_CHUNK, NULL, NULL))
	{
		free_range_window(job, window);
		return false;
	}
	job->state = window;
	return true;
}

/* Combines the tiles of a chunk of the series. */
static void
total_chunk(CpuJob *job, int chunk, int thread)
{
	CpuRangeWindow *window = job->state;
	int64_t		from = chunk_first(job, chunk);
	int64_t		to = from + chunk_count(job, chunk);

	if (!window->work.totals(window, from, to) ||
		window->checked.totals == NULL)
		return;
	(void) window->checked.totals(window, from, to);
	if (window->work.plain)
		__atomic_store_n(&window->has_nan, 1, __ATOMIC_RELAXED);
}

/* Puts counts, and returns whether one is out of the range of the results. */
static bool
put_counts(ElementKind kind, const RangeFrames *frames, int count,
		   void *results)
{
	int			out_of_range = 0;

	for (int i = 0; i < count; i++)
	{
		int32_t		elements = frames->end[i] - frames->first[i];

		switch (kind)
		{
			case KIND_INT2:
				((int16_t *) results)[i] = (int16_t) elements;
				out_of_range |= elements > INT16_MAX;
				break;
			case KIND_INT4:
				((int32_t *) results)[i] = elements;
				break;
			case KIND_INT8:
				((int64_t *) results)[i] = elements;
				break;
			case KIND_FLOAT4:
				((float *) results)[i] = (float) elements;
				break;
			default:
				((double *) results)[i] = elements;
				break;
		}
	}
	return out_of_range;
}

/* Takes the first element of each frame, or the last one. */
static void
take_elements(const CpuRangeWindow *window, const RangeFrames *frames,
			  int count, void *results)
{
	bool		last = window->parameters->op == RANGE_LAST;

	for (int i = 0; i < count; i++)
	{
		int32_t		at = last ? frames->end[i] - 1 : frames->first[i];

		if (frames->first[i] >= frames->end[i])
			at = 0;
		switch (kind_size(window->request->kinds[1]))
		{
			case 1:
				((uint8_t *) results)[i] =
					((const uint8_t *) window->elements)[at];
				break;
			case 2:
				((uint16_t *) results)[i] =
					((const uint16_t *) window->elements)[at];
				break;
			case 4:
				((uint32_t *) results)[i] =
					((const uint32_t *) window->elements)[at];
				break;
			default:
				((uint64_t *) results)[i] =
					((const uint64_t *) window->elements)[at];
				break;
		}
	}
}

/* Makes the results that do not combine elements; returns as RangeWork does. */
static bool
pick_chunk(const CpuRangeWindow *window, int64_t from, int64_t to,
		   char *results)
{
	ElementKind kind = window->request->outputs[0].kind;
	bool		overflow = false;
	RangeFrames frames;

	frames.next_first = frames.next_end = 0;
	for (int count; from < to;
		 from += count, results += count * kind_size(kind))
	{
		count = (int) window_min(to - from, RANGE_FRAMES);
		range_frames_find(window, from, count, &frames);
		if (window->parameters->op == RANGE_COUNT)
			overflow |= put_counts(kind, &frames, count, results);
		else
			take_elements(window, &frames, count, results);
	}
	return overflow;
}

/* Makes the results of a chunk. */
static void
make_range_chunk(CpuJob *job, int chunk, int thread)
{
	CpuRangeWindow *window = job->state;
	int64_t		from = chunk_first(job, chunk);
	int64_t		to = from + chunk_count(job, chunk);
	int64_t		before = from > 0 ? from - 1 : 0;
	char	   *results = (char *) job->request->outputs[0].memory +
		from * output_size(job->request, 0);
	void	   *after = window->tiles == 0 ? NULL :
		(char *) window->after + thread * window->tiles * sizeof(WideSum);
	bool		overflow;

	if (!check_order(window, (const char *) window->places +
					 before * input_size(job->request, 0), to - before,
					 window->places == window->x ? RANGE_X_DESCEND :
					 RANGE_PLACES_DESCEND))
		return;
	if (window->work.chunk == NULL)
		overflow = pick_chunk(window, from, to, results);
	else
		overflow = window->work.chunk(window, from, to, after, results);
	if (overflow && window->checked.chunk != NULL)
		overflow = window->checked.chunk(window, from, to, after, results);
	if (overflow)
		cpu_note_overflow(job, OVERFLOW_UP);
}

static EngineStatus
start_results(CpuJob *job)
{
	CpuRangeWindow *window = job->state;

	if (window->descends)
		return ENGINE_OK;
	if (window->has_nan)
		window->work = window->checked;
	cpu_phases_shrink(job, most_results(job->request));
	return cpu_phase_start(job, make_range_chunk, NULL);
}

/* Starts to combine, once the inputs are gathered. */
static void
start_ranges(CpuJob *job)
{
	CpuRangeWindow *window = job->state;
	const char *x = job->gathered[0].elements;
	int			size = input_size(job->request, 0);

	window->places = window->x = x;
	window->elements = job->gathered[1].elements;
	if (job->request->table_bytes > 0)
	{
		window->places = job->request->table;

		/* The last x of a piece, and the first one of the next. */
		for (int64_t i = job->piece_count; i < window->count;
			 i += job->piece_count)
			(void) check_order(window, x + (i - 1) * size, 2,
							   RANGE_X_DESCEND);
	}
	window->started = true;
	if (window->work.totals != NULL)
		(void) cpu_phase_start(job, total_chunk, start_results);
	else
		(void) start_results(job);
}

static EngineStatus
range_window_finish(CpuJob *job, EngineResult *result)
{
	const CpuRangeWindow *window = job->state;
	EngineStatus status;

	if (!window->started)
	{
		status = cpu_pieces_finish(job, result);
		if (status != ENGINE_OK)
			return status;
		start_ranges(job);
	}
	status = cpu_phases_step(job);
	result->overflow = (EngineOverflow)
		__atomic_load_n(&job->overflow, __ATOMIC_RELAXED);
	result->errors = __atomic_load_n(&window->descends, __ATOMIC_RELAXED);
	result->count = most_results(job->request);
	return status;
}

static void
range_window_end(CpuJob *job)
{
	CpuRangeWindow *window = job->state;

	cpu_phases_end(job);
	free_range_window(job, window);
	job->state = NULL;
}

const CpuOperation cpu_range_window = {
	.begin = range_window_begin,
	.buffer = cpu_gather_buffer,
	.push = cpu_pieces_push,
	.finish = range_window_finish,
	.end = range_window_end,
	.piece_work = range_window_work,
	.piece_pushed = cpu_gather_pushed
};
