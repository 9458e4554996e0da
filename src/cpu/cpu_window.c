/*
 * cpu_window.c
 *	  Windows: the elements of a frame around each element, combined.
 *
 * The array is gathered, unless it is in memory already.  While a piece of it
 * is in the cache, its tiles are combined, if a block has several.  Then
 * threads make the results, chunk by chunk.  A thread holds the suffixes of the
 * tile in which frames begin and the prefixes of the tile in which they end,
 * and goes on from tile to tile.  Elements are combined in the order of
 * window.h.
 */
#include <stdlib.h>

#include "cpu/cpu_window.h"

/* Results that a thread makes at a time. */
#define WINDOW_CHUNK		CPU_PIECE

/* The window of a request. */
static CpuWindow
request_window(const EngineRequest *request)
{
	CpuWindow	window =
		cpu_window_over(PARAMETERS(request, WindowParameters),
						request->kinds[0], request->outputs[0].kind,
						request->count);

	window.lengths = request->table_bytes > 0 ? request->table : NULL;
	return window;
}

/* The task of a piece that is in its place: combines its tiles. */
static void
total_piece(CpuJob *job, CpuPiece *piece)
{
	const CpuWindow *window = job->state;

	if (window->tiles > 0 &&
		window->works.work->totals(job, piece->data[0], piece->first,
								   piece->count) &&
		window->works.checked != NULL)
		(void) window->works.checked->totals(job, piece->data[0],
											 piece->first, piece->count);
}

static PieceWork
window_work(const EngineRequest *request)
{
	return request_window(request).works.work != NULL ? total_piece : NULL;
}

/* Gets memory for the totals of tiles. */
static bool
allocate_totals(const CpuJob *job, CpuWindow *window)
{
	if (!window_has_totals(&window->frames))
		return true;
	window->tiles = (job->request->count + WINDOW_TILE - 1) / WINDOW_TILE;
	window->before = malloc(window->tiles * sizeof(WideSum));
	window->after = malloc(window->tiles * sizeof(WideSum));
	return window->before != NULL && window->after != NULL;
}

/* Makes the results of a chunk. */
static void
make_chunk(CpuJob *job, int chunk, int thread)
{
	const CpuWindow *window = job->state;
	int64_t		from = chunk_first(job, chunk);

	if (cpu_window_chunk(window, from, from + chunk_count(job, chunk),
						 (char *) job->request->outputs[0].memory +
						 from * output_size(job->request, 0)))
		cpu_note_overflow(job, OVERFLOW_UP);
}

/* Starts to make results, once the array is gathered. */
static EngineStatus
start_chunks(CpuJob *job)
{
	CpuWindow  *window = job->state;
	const WindowWork *work = window->works.checked != NULL ?
		window->works.checked : window->works.work;

	window->elements = job->gathered[0].elements;
	if (window->tiles > 0)
		work->accumulate(job);
	return cpu_phase_start(job, make_chunk, NULL);
}

static bool
window_begin(CpuJob *job)
{
	CpuWindow  *window = malloc(sizeof(CpuWindow));

	if (window == NULL)
		return false;
	*window = request_window(job->request);
	job->state = window;
	return cpu_gather_begin(job) && allocate_totals(job, window) &&
		cpu_phases_begin(job, WINDOW_CHUNK, NULL, start_chunks);
}

static EngineStatus
window_finish(CpuJob *job, EngineResult *result)
{
	result->count = job->request->count;
	return cpu_phases_step(job);
}

static void
window_end(CpuJob *job)
{
	CpuWindow  *window = job->state;

	cpu_phases_end(job);
	cpu_gather_end(job);
	free(window->before);
	free(window->after);
}

/* Makes all results at once, if no block has several tiles. */
static EngineStatus
run_window(CpuJob *job, const void *const data[ENGINE_INPUTS],
		   EngineResult *result)
{
	const EngineRequest *request = job->request;
	CpuWindow	window = request_window(request);

	if (window_has_totals(&window.frames) || window.works.work == NULL)
		return cpu_run_by_steps(job, data, result);
	window.elements = data[0];
	result->overflow = cpu_window_chunk(&window, 0, request->count,
										request->outputs[0].memory) ?
		OVERFLOW_UP : OVERFLOW_NONE;
	result->count = request->count;
	return ENGINE_OK;
}

const CpuOperation cpu_window = {
	.begin = window_begin,
	.buffer = cpu_gather_buffer,
	.push = cpu_pieces_push,
	.finish = window_finish,
	.end = window_end,
	.run = run_window,
	.piece_work = window_work,
	.piece_pushed = cpu_gather_pushed,
	.stage = cpu_window_stage,
	.can_be_stage = cpu_window_can_be_stage
};
