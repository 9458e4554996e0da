/*
 * cpu_range_window.c
 *	  Windows by range: what is in the frame around each place of a series.
 *
 * Inputs are gathered, unless they are in memory already.  Threads combine the
 * tiles of each piece, and make the results of places whose frames end in the
 * pieces up to it, while these are in the cache.  The other results are made
 * once all pieces are there.  A thread finds some frames, and combines them run
 * by run: frames with the same cut that begin in one tile and end in one tile
 * share the suffixes of elements before the cut and the prefixes behind it.
 */
#include <stdlib.h>
#include <string.h>

#include "contract/order.h"
#include "cpu/cpu_search.h"
#include "cpu/cpu_window.h"
#include "loops/numbers.h"

/* Results that a thread makes at a time, and the most elements of a piece. */
#define RANGE_CHUNK			(16 * RANGE_TILE)

/* Chunks that a piece makes at most, so that it takes no long time. */
#define RANGE_PIECE_CHUNKS	2

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

static const FrameWork *const frame_works[ELEMENT_KINDS] = {
	TYPE_ROWS_NUMBERS(frames)
};

typedef struct RangeState
{
	CpuRangeWindow window;		/* without its series */
	char	   *after;			/* by thread: a total of each tile */
	int			chunks;			/* that pieces make; with their turn */
	int			descends;		/* a RangeError, or zero */
	int			has_nan;		/* all is left to the checked functions */
} RangeState;

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

/*
 * Looks whether these x, or places, are in order.  Where neither are, the x are
 * the error.
 */
static void
check_order(RangeState *state, const void *x, int64_t count, RangeError error)
{
	int			none = 0;

	if (are_ascending(state->window.request->kinds[0], x, (int) count))
		return;
	if (error == RANGE_X_DESCEND)
		__atomic_store_n(&state->descends, error, __ATOMIC_RELAXED);
	else
		__atomic_compare_exchange_n(&state->descends, &none, error, false,
									__ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

static bool
has_error(const RangeState *state)
{
	return __atomic_load_n(&state->descends, __ATOMIC_RELAXED) != 0;
}

/* Bytes of a total of each tile. */
static size_t
totals_bytes(const CpuRangeWindow *window)
{
	return window->work.chunk == NULL ? 0 :
		window->request->count / RANGE_TILE * sizeof(WideSum);
}

/*
 * Gets memory for the totals of tiles, for as many threads as there are pieces
 * in flight.
 */
static bool
allocate_totals(const CpuJob *job, RangeState *state)
{
	size_t		bytes = totals_bytes(&state->window);

	if (bytes == 0)
		return true;
	state->window.totals = malloc(bytes);
	state->after = malloc(bytes * (job->request->threads + CPU_PIECES -
								   TEAM_MAX_HELPERS));
	return state->window.totals != NULL && state->after != NULL;
}

/* The window over the first "count" elements of the series. */
static CpuRangeWindow
window_over(const CpuJob *job, const char *x, const char *elements,
			int64_t count)
{
	const RangeState *state = job->state;
	CpuRangeWindow window = state->window;

	window.places = job->request->table_bytes > 0 ? job->request->table : x;
	window.x = x;
	window.elements = elements;
	window.count = count;
	return window;
}

/* Combines the tiles from the element "from" on. */
static void
combine_tiles(RangeState *state, const CpuRangeWindow *window, int64_t from)
{
	if (window->work.totals == NULL ||
		!window->work.totals(window, from, window->count) ||
		window->checked.totals == NULL)
		return;
	(void) window->checked.totals(window, from, window->count);
	if (window->work.plain)
		__atomic_store_n(&state->has_nan, 1, __ATOMIC_RELAXED);
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
			case KIND_FLOAT4:
				((float *) results)[i] = (float) elements;
				break;
			case KIND_FLOAT8:
				((double *) results)[i] = elements;
				break;
			default:
				cpu_put_element(results, kind_size(kind), i, elements);
				out_of_range |= kind == KIND_INT2 && elements > INT16_MAX;
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
	int			size = kind_size(window->request->kinds[1]);

	for (int i = 0; i < count; i++)
	{
		int32_t		at = last ? frames->end[i] - 1 : frames->first[i];

		if (frames->first[i] >= frames->end[i])
			at = 0;
		cpu_put_element(results, size, i,
						cpu_element(window->elements, size, at));
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
		count = (int) cpu_min(to - from, RANGE_FRAMES);
		range_frames_find(window, from, count, &frames);
		if (window->parameters->op == RANGE_COUNT)
			overflow |= put_counts(kind, &frames, count, results);
		else
			take_elements(window, &frames, count, results);
	}
	return overflow;
}

/* Makes the results of a chunk.  No two threads have the same number. */
static void
make_chunk(CpuJob *job, const CpuRangeWindow *window, int chunk, int thread)
{
	RangeState *state = job->state;
	const EngineRequest *request = job->request;
	int64_t		from = (int64_t) chunk * RANGE_CHUNK;
	int64_t		to = cpu_min(from + RANGE_CHUNK, most_results(request));
	int64_t		before = from > 0 ? from - 1 : 0;
	char	   *results = (char *) request->outputs[0].memory +
		from * output_size(request, 0);
	char	   *after = state->after == NULL ? NULL :
		state->after + thread * totals_bytes(window);
	bool		has_nan = __atomic_load_n(&state->has_nan, __ATOMIC_RELAXED);
	bool		overflow;

	if (window->places != window->x)
		check_order(state, (const char *) window->places +
					before * input_size(request, 0), to - before,
					RANGE_PLACES_DESCEND);
	if (has_error(state))
		return;
	if (window->work.chunk == NULL)
		overflow = pick_chunk(window, from, to, results);
	else
		overflow = has_nan ||
			window->work.chunk(window, from, to, after, results);
	if (overflow && window->checked.chunk != NULL)
		overflow = window->checked.chunk(window, from, to, after, results);
	if (overflow)
		cpu_note_overflow(job, OVERFLOW_UP);
}

/* Returns whether all frames of a chunk end before the last x that is there. */
static bool
can_make(const RangeState *state, const CpuRangeWindow *window, int chunk)
{
	int64_t		to = (int64_t) (chunk + 1) * RANGE_CHUNK;
	int64_t		places = window->places == window->x ? window->count :
		most_results(window->request);

	return !has_error(state) && to <= places &&
		window->frames->has_ended(window, to - 1);
}

/* The task of a piece that is in its place. */
static void
range_window_piece(CpuJob *job, CpuPiece *piece)
{
	RangeState *state = job->state;
	int			size = input_size(job->request, 0);
	CpuRangeWindow window =
		window_over(job, (const char *) piece->data[0] - piece->first * size,
					(const char *) piece->data[1] -
					piece->first * input_size(job->request, 1),
					piece->first + piece->count);
	int			chunk;
	int			end;

	check_order(state, piece->data[0], piece->count, RANGE_X_DESCEND);
	combine_tiles(state, &window, piece->first);

	cpu_chain_wait(job, piece);
	if (piece->first > 0)
		check_order(state, (const char *) piece->data[0] - size, 2,
					RANGE_X_DESCEND);
	chunk = end = state->chunks;
	while (end - chunk < RANGE_PIECE_CHUNKS && can_make(state, &window, end))
		end++;
	state->chunks = end;
	cpu_chain_pass(job);

	for (; chunk < end; chunk++)
		make_chunk(job, &window, chunk, (int) (piece - job->pieces));
}

static PieceWork
range_window_work(const EngineRequest *request)
{
	bool		combines =
		PARAMETERS(request, RangeWindowParameters)->op < RANGE_COUNT;

	if (frame_works[request->kinds[0]] == NULL ||
		(combines && range_works(request).work == NULL))
		return NULL;
	return range_window_piece;
}

/* Makes a chunk that no piece has made. */
static void
make_other_chunk(CpuJob *job, int chunk, int thread)
{
	const RangeState *state = job->state;
	CpuRangeWindow window = window_over(job, job->gathered[0].elements,
										job->gathered[1].elements,
										job->request->count);

	make_chunk(job, &window, state->chunks + chunk, thread);
}

/* Starts to make the chunks that no piece has made, once all are there. */
static EngineStatus
start_others(CpuJob *job)
{
	const RangeState *state = job->state;
	int64_t		left;

	left = most_results(job->request) - (int64_t) state->chunks * RANGE_CHUNK;
	if (has_error(state) || left <= 0)
		return ENGINE_OK;
	cpu_phases_shrink(job, left);
	return cpu_phase_start(job, make_other_chunk, NULL);
}

static bool
range_window_begin(CpuJob *job)
{
	RangeState *state = calloc(1, sizeof(RangeState));
	WindowWorks works = range_works(job->request);
	CpuRangeWindow *window = &state->window;

	if (state == NULL)
		return false;
	job->state = state;
	window->request = job->request;
	window->parameters = PARAMETERS(job->request, RangeWindowParameters);
	window->frames = frame_works[job->request->kinds[0]];
	if (works.work != NULL)
		window->work = works.work->ranges;
	if (works.checked != NULL)
		window->checked = works.checked->ranges;
	return cpu_gather_begin(job) && allocate_totals(job, state) &&
		cpu_phases_begin(job, RANGE_CHUNK, NULL, start_others);
}

static EngineStatus
range_window_finish(CpuJob *job, EngineResult *result)
{
	const RangeState *state = job->state;
	EngineStatus status = cpu_phases_step(job);

	result->errors = __atomic_load_n(&state->descends, __ATOMIC_RELAXED);
	result->count = most_results(job->request);
	return status;
}

static void
range_window_end(CpuJob *job)
{
	RangeState *state = job->state;

	cpu_phases_end(job);
	cpu_gather_end(job);
	free(state->window.totals);
	free(state->after);
}

const CpuOperation cpu_range_window = {
	.begin = range_window_begin,
	.buffer = cpu_gather_buffer,
	.push = cpu_pieces_push,
	.finish = range_window_finish,
	.end = range_window_end,
	.piece_work = range_window_work,
	.piece_count = RANGE_CHUNK,
	.piece_pushed = cpu_gather_pushed
};
