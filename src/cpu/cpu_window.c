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
#include <string.h>

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

/*
 * The task of a piece: puts it into its place, and combines its tiles.
 */
static void
gather_piece(CpuJob *job, CpuPiece *piece)
{
	const CpuWindow *window = job->state;
	const void *from = piece->data[0];
	void	   *to = (void *) piece->data[1];

	if (from != to)
		memcpy(to, from, piece->count * input_size(job->request, 0));
	if (window->tiles > 0 &&
		window->works.work->totals(job, to, piece->first, piece->count) &&
		window->works.checked != NULL)
		(void) window->works.checked->totals(job, to, piece->first,
											 piece->count);
}

static PieceWork
window_work(const EngineRequest *request)
{
	return request_window(request).works.work != NULL ? gather_piece : NULL;
}

static void
free_window(CpuJob *job, CpuWindow *window)
{
	cpu_scratch_free(job, 0, window->memory);
	free(window->before);
	free(window->after);
	free(window);
}

/* Gets memory for the array, and for the totals of tiles. */
static bool
allocate(CpuJob *job, CpuWindow *window)
{
	window->memory = cpu_scratch(job, 0, job->request->count *
								 input_size(job->request, 0));
	if (window_has_totals(&window->frames))
	{
		window->tiles = (job->request->count + WINDOW_TILE - 1) / WINDOW_TILE;
		window->before = malloc(window->tiles * sizeof(WideSum));
		window->after = malloc(window->tiles * sizeof(WideSum));
	}
	return window->memory != NULL &&
		(window->tiles == 0 ||
		 (window->before != NULL && window->after != NULL));
}

static bool
window_begin(CpuJob *job)
{
	CpuWindow  *window = malloc(sizeof(CpuWindow));

	if (window == NULL)
		return false;
	*window = request_window(job->request);
	if (!cpu_pieces_begin(job) || !allocate(job, window) ||
		!cpu_phases_begin(job, WINDOW_CHUNK, NULL, NULL))
	{
		free_window(job, window);
		return false;
	}
	job->state = window;
	return true;
}

/* Offers the place of the next piece in the array. */
static EngineStatus
window_buffer(CpuJob *job, void *buffers[ENGINE_INPUTS], int64_t *capacity)
{
	const CpuWindow *window = job->state;

	(void) cpu_next_piece(job);
	buffers[0] = window->memory +
		job->pushed * input_size(job->request, 0);
	*capacity = job->piece_count;
	return ENGINE_OK;
}

/*
 * A piece is in the buffer or is copied there, unless the caller has the array
 * in one place, where it stays.
 */
static void
window_pushed(CpuJob *job, CpuPiece *piece, int64_t count)
{
	CpuWindow  *window = job->state;
	size_t		before = job->pushed * input_size(job->request, 0);
	char	   *place = window->memory + before;
	const char *data = piece->data[0];

	if (before == 0)
		window->elements = data;
	if (data != (const char *) window->elements + before)
	{
		if (window->elements != window->memory)
			memcpy(window->memory, window->elements, before);
		window->elements = window->memory;
	}
	piece->data[1] = window->elements == window->memory ? place : data;
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
static void
start_chunks(CpuJob *job)
{
	CpuWindow  *window = job->state;
	const WindowWork *work = window->works.checked != NULL ?
		window->works.checked : window->works.work;

	if (window->tiles > 0)
		work->accumulate(job);
	cpu_phase_start(job, make_chunk, NULL);
	window->started = true;
}

static EngineStatus
window_finish(CpuJob *job, EngineResult *result)
{
	const CpuWindow *window = job->state;
	EngineStatus status;

	if (!window->started)
	{
		status = cpu_pieces_finish(job, result);
		if (status != ENGINE_OK)
			return status;
		start_chunks(job);
	}
	status = cpu_phases_step(job);
	result->overflow = (EngineOverflow)
		__atomic_load_n(&job->overflow, __ATOMIC_RELAXED);
	result->count = job->request->count;
	return status;
}

static void
window_end(CpuJob *job)
{
	CpuWindow  *window = job->state;

	cpu_phases_end(job);
	free_window(job, window);
	job->state = NULL;
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
	.buffer = window_buffer,
	.push = cpu_pieces_push,
	.finish = window_finish,
	.end = window_end,
	.run = run_window,
	.piece_work = window_work,
	.piece_pushed = window_pushed,
	.stage = cpu_window_stage,
	.can_be_stage = cpu_window_can_be_stage
};
