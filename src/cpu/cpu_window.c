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
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contract/order.h"
#include "contract/operations/window.h"
#include "cpu/cpu_engine.h"

/* Results that a thread makes at a time. */
#define WINDOW_CHUNK		CPU_PIECE

/* Segments that are combined at a time: enough to hide the latency of one. */
#define WINDOW_INTERLEAVE	8

/*
 * The functions for a type and an operator.  They combine each tile, combine
 * the tiles of each block, and make results.
 */
typedef struct WindowWork
{
	bool		(*totals) (CpuJob *job, const void *data, int64_t first,
						   int count);
	void		(*accumulate) (CpuJob *job);
	bool		(*chunk) (CpuJob *job, int64_t from, int64_t to);
} WindowWork;

typedef struct CpuWindow
{
	const WindowWork *work;
	const WindowWork *careful;	/* for what "work" finds bad; NULL if bad is
								 * an overflow */
	WindowFrames frames;
	const void *elements;		/* the array */
	char	   *memory;			/* room to gather it in */
	int64_t		tiles;
	void	   *before;			/* by tile: the total of its block up to it */
	void	   *after;			/* by tile: the total of its block from it on */
	bool		started;		/* results are being made */
} CpuWindow;

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

static inline int64_t
least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

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
	int64_t		unit = least(block, WINDOW_TILE);
	int64_t		end = least(to, from + WINDOW_TILE);
	WindowRun	run;

	run.first = window_first(frames, from);
	run.last = window_last(frames, from);
	run.first_step = from >= frames->preceding;
	run.last_step = from + frames->following < frames->count - 1;

	if (run.last_step)
		end = least(end, frames->count - frames->following);
	if (anywhere)
	{
		if (!run.first_step)
			end = least(end, frames->preceding);
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
		end = least(end, from + unit - run.last % unit);
	if (run.first_step)
		end = least(end, from + unit - run.first % unit);
	else
		end = least(end, frames->preceding);
	if (run.first_step && run.first % block == 0 &&
		run.first / block == run.last / block)
		end = from + 1;			/* the next frame does not begin a block */
	run.count = end - from;
	return run;
}

static inline int
window_tile_count(const CpuWindow *window, int64_t tile)
{
	return least(window->frames.count - tile * WINDOW_TILE, WINDOW_TILE);
}

#define WINDOW_INLINED	static inline __attribute__((always_inline))

#define WINDOW_PASTE_(a, b)	a##_##b
#define WINDOW_PASTE(a, b)	WINDOW_PASTE_(a, b)

/* A name with the prefix for which the template is included. */
#define WINDOW(name)		WINDOW_PASTE(WINDOW_PREFIX, name)

/* Sums of integers, as such and as floats. */

#define WINDOW_STORE_INTEGER(result, sum, bad) \
	((result) = (sum), (bad) |= (result) != (sum))
#define WINDOW_STORE_DOUBLE(result, sum, bad) \
	((result) = (double) (sum))
#define WINDOW_STORE_WIDE(result, sum, bad) \
	((result) = wide_sum_to_double(sum))

#define WINDOW_PREFIX		int2_sum
#define WINDOW_ELEMENT		int16_t
#define WINDOW_SUM			int64_t
#define WINDOW_RESULT		int16_t
#define WINDOW_STORE		WINDOW_STORE_INTEGER
#include "cpu/cpu_window_template.h"

#define WINDOW_PREFIX		int4_sum
#define WINDOW_ELEMENT		int32_t
#define WINDOW_SUM			int64_t
#define WINDOW_RESULT		int32_t
#define WINDOW_STORE		WINDOW_STORE_INTEGER
#include "cpu/cpu_window_template.h"

#define WINDOW_PREFIX		int8_sum
#define WINDOW_ELEMENT		int64_t
#define WINDOW_SUM			WideSum
#define WINDOW_RESULT		int64_t
#define WINDOW_STORE		WINDOW_STORE_INTEGER
#include "cpu/cpu_window_template.h"

#define WINDOW_PREFIX		int2_float8_sum
#define WINDOW_ELEMENT		int16_t
#define WINDOW_SUM			int64_t
#define WINDOW_RESULT		double
#define WINDOW_STORE		WINDOW_STORE_DOUBLE
#include "cpu/cpu_window_template.h"

#define WINDOW_PREFIX		int4_float8_sum
#define WINDOW_ELEMENT		int32_t
#define WINDOW_SUM			int64_t
#define WINDOW_RESULT		double
#define WINDOW_STORE		WINDOW_STORE_DOUBLE
#include "cpu/cpu_window_template.h"

#define WINDOW_PREFIX		int8_float8_sum
#define WINDOW_ELEMENT		int64_t
#define WINDOW_SUM			WideSum
#define WINDOW_RESULT		double
#define WINDOW_STORE		WINDOW_STORE_WIDE
#include "cpu/cpu_window_template.h"

/*
 * Sums of floats have two instances.  A chunk that has a result that is not
 * finite is made anew with the careful instance, which tells an overflow from
 * an infinity or a NaN among the elements.
 */

/* A sum of finite floats, and the HAS_... bits of the other floats. */
typedef struct Float4Sum
{
	float		finite;
	int			has;
} Float4Sum;

typedef struct Float8Sum
{
	double		finite;
	int			has;
} Float8Sum;

static inline int
not_finite(double element)
{
	return isnan(element) ? HAS_NAN :
		element > 0 ? HAS_INFINITY : HAS_MINUS_INFINITY;
}

WINDOW_INLINED Float4Sum
float4_load(float element)
{
	return isfinite(element) ?
		(Float4Sum) {element, 0} : (Float4Sum) {-0.0f, not_finite(element)};
}

WINDOW_INLINED Float8Sum
float8_load(double element)
{
	return isfinite(element) ?
		(Float8Sum) {element, 0} : (Float8Sum) {-0.0, not_finite(element)};
}

WINDOW_INLINED Float4Sum
float4_add(Float4Sum a, Float4Sum b)
{
	return (Float4Sum) {a.finite + b.finite, a.has | b.has};
}

WINDOW_INLINED Float8Sum
float8_add(Float8Sum a, Float8Sum b)
{
	return (Float8Sum) {a.finite + b.finite, a.has | b.has};
}

#define WINDOW_STORE_SUSPECT(result, sum, bad) \
	((result) = (sum), (bad) |= !((sum) - (sum) == 0))
#define WINDOW_STORE_CAREFUL(result, sum, bad) \
	((result) = (sum).has == 0 ? (sum).finite : \
	 (sum).has == HAS_INFINITY ? INFINITY : \
	 (sum).has == HAS_MINUS_INFINITY ? -INFINITY : NAN, \
	 (bad) |= (sum).has == 0 && !isfinite((sum).finite))

#define WINDOW_PREFIX		float4_sum
#define WINDOW_ELEMENT		float
#define WINDOW_SUM			float
#define WINDOW_RESULT		float
#define WINDOW_IDENTITY		-0.0f
#define WINDOW_STORE		WINDOW_STORE_SUSPECT
#define WINDOW_TOTAL		Float4Sum
#include "cpu/cpu_window_template.h"

#define WINDOW_PREFIX		float4_careful_sum
#define WINDOW_ELEMENT		float
#define WINDOW_SUM			Float4Sum
#define WINDOW_RESULT		float
#define WINDOW_IDENTITY		((Float4Sum) {-0.0f, 0})
#define WINDOW_LOAD			float4_load
#define WINDOW_OP			float4_add
#define WINDOW_STORE		WINDOW_STORE_CAREFUL
#include "cpu/cpu_window_template.h"

#define WINDOW_PREFIX		float8_sum
#define WINDOW_ELEMENT		double
#define WINDOW_SUM			double
#define WINDOW_RESULT		double
#define WINDOW_IDENTITY		-0.0
#define WINDOW_STORE		WINDOW_STORE_SUSPECT
#define WINDOW_TOTAL		Float8Sum
#include "cpu/cpu_window_template.h"

#define WINDOW_PREFIX		float8_careful_sum
#define WINDOW_ELEMENT		double
#define WINDOW_SUM			Float8Sum
#define WINDOW_RESULT		double
#define WINDOW_IDENTITY		((Float8Sum) {-0.0, 0})
#define WINDOW_LOAD			float8_load
#define WINDOW_OP			float8_add
#define WINDOW_STORE		WINDOW_STORE_CAREFUL
#include "cpu/cpu_window_template.h"

#define WINDOW_PREFIX		float4_float8_sum
#define WINDOW_ELEMENT		float
#define WINDOW_SUM			double
#define WINDOW_RESULT		double
#define WINDOW_IDENTITY		-0.0
#define WINDOW_STORE		WINDOW_STORE_SUSPECT
#define WINDOW_TOTAL		Float8Sum
#include "cpu/cpu_window_template.h"

#define WINDOW_PREFIX		float4_float8_careful_sum
#define WINDOW_ELEMENT		float
#define WINDOW_SUM			Float8Sum
#define WINDOW_RESULT		double
#define WINDOW_IDENTITY		((Float8Sum) {-0.0, 0})
#define WINDOW_LOAD			float8_load
#define WINDOW_OP			float8_add
#define WINDOW_STORE		WINDOW_STORE_CAREFUL
#include "cpu/cpu_window_template.h"

/* Minima and maxima are the last one of equal elements. */

#define WINDOW_STORE_ELEMENT(result, sum, bad) \
	((result) = (sum))
#define WINDOW_LESSER(a, b)		((a) < (b) ? (a) : (b))
#define WINDOW_GREATER(a, b)	((b) < (a) ? (a) : (b))

#define WINDOW_PREFIX		int2_min
#define WINDOW_ELEMENT		int16_t
#define WINDOW_IDENTITY		INT16_MAX
#define WINDOW_OP			WINDOW_LESSER
#include "cpu/cpu_window_template.h"

#define WINDOW_PREFIX		int2_max
#define WINDOW_ELEMENT		int16_t
#define WINDOW_IDENTITY		INT16_MIN
#define WINDOW_OP			WINDOW_GREATER
#include "cpu/cpu_window_template.h"

#define WINDOW_PREFIX		int4_min
#define WINDOW_ELEMENT		int32_t
#define WINDOW_IDENTITY		INT32_MAX
#define WINDOW_OP			WINDOW_LESSER
#include "cpu/cpu_window_template.h"

#define WINDOW_PREFIX		int4_max
#define WINDOW_ELEMENT		int32_t
#define WINDOW_IDENTITY		INT32_MIN
#define WINDOW_OP			WINDOW_GREATER
#include "cpu/cpu_window_template.h"

#define WINDOW_PREFIX		int8_min
#define WINDOW_ELEMENT		int64_t
#define WINDOW_IDENTITY		INT64_MAX
#define WINDOW_OP			WINDOW_LESSER
#include "cpu/cpu_window_template.h"

#define WINDOW_PREFIX		int8_max
#define WINDOW_ELEMENT		int64_t
#define WINDOW_IDENTITY		INT64_MIN
#define WINDOW_OP			WINDOW_GREATER
#include "cpu/cpu_window_template.h"

#define WINDOW_PREFIX		uint1_min
#define WINDOW_ELEMENT		uint8_t
#define WINDOW_IDENTITY		UINT8_MAX
#define WINDOW_OP			WINDOW_LESSER
#include "cpu/cpu_window_template.h"

#define WINDOW_PREFIX		uint1_max
#define WINDOW_ELEMENT		uint8_t
#define WINDOW_IDENTITY		0
#define WINDOW_OP			WINDOW_GREATER
#include "cpu/cpu_window_template.h"

#define WINDOW_PREFIX		uint4_min
#define WINDOW_ELEMENT		uint32_t
#define WINDOW_IDENTITY		UINT32_MAX
#define WINDOW_OP			WINDOW_LESSER
#include "cpu/cpu_window_template.h"

#define WINDOW_PREFIX		uint4_max
#define WINDOW_ELEMENT		uint32_t
#define WINDOW_IDENTITY		0
#define WINDOW_OP			WINDOW_GREATER
#include "cpu/cpu_window_template.h"

#define FLOAT_LESSER(a, b)		(FLOAT_LESS(a, b) ? (a) : (b))
#define FLOAT_GREATER(a, b)		(FLOAT_LESS(b, a) ? (a) : (b))

/* All NaNs become the same one. */
#undef WINDOW_STORE_ELEMENT
#define WINDOW_STORE_ELEMENT(result, sum, bad) \
	((result) = isnan(sum) ? NAN : (sum))

#define WINDOW_PREFIX		float4_min
#define WINDOW_ELEMENT		float
#define WINDOW_IDENTITY		NAN
#define WINDOW_OP			FLOAT_LESSER
#include "cpu/cpu_window_template.h"

#define WINDOW_PREFIX		float4_max
#define WINDOW_ELEMENT		float
#define WINDOW_IDENTITY		-INFINITY
#define WINDOW_OP			FLOAT_GREATER
#include "cpu/cpu_window_template.h"

#define WINDOW_PREFIX		float8_min
#define WINDOW_ELEMENT		double
#define WINDOW_IDENTITY		NAN
#define WINDOW_OP			FLOAT_LESSER
#include "cpu/cpu_window_template.h"

#define WINDOW_PREFIX		float8_max
#define WINDOW_ELEMENT		double
#define WINDOW_IDENTITY		-INFINITY
#define WINDOW_OP			FLOAT_GREATER
#include "cpu/cpu_window_template.h"

/* The instances for a request; the second one is the careful one, or NULL. */
typedef const WindowWork *WindowWorks[2];

static const WindowWorks *
window_works(const EngineRequest *request)
{
	static const WindowWorks sums[ELEMENT_KINDS] = {
		[KIND_INT2] = {&int2_sum_work},
		[KIND_INT4] = {&int4_sum_work},
		[KIND_INT8] = {&int8_sum_work},
		[KIND_FLOAT4] = {&float4_sum_work, &float4_careful_sum_work},
		[KIND_FLOAT8] = {&float8_sum_work, &float8_careful_sum_work}
	};
	static const WindowWorks float8_sums[ELEMENT_KINDS] = {
		[KIND_INT2] = {&int2_float8_sum_work},
		[KIND_INT4] = {&int4_float8_sum_work},
		[KIND_INT8] = {&int8_float8_sum_work},
		[KIND_FLOAT4] = {
			&float4_float8_sum_work, &float4_float8_careful_sum_work
		},
		[KIND_FLOAT8] = {&float8_sum_work, &float8_careful_sum_work}
	};
	static const WindowWorks minima[ELEMENT_KINDS] = {
		[KIND_UINT1] = {&uint1_min_work},
		[KIND_INT2] = {&int2_min_work},
		[KIND_INT4] = {&int4_min_work},
		[KIND_UINT4] = {&uint4_min_work},
		[KIND_INT8] = {&int8_min_work},
		[KIND_FLOAT4] = {&float4_min_work},
		[KIND_FLOAT8] = {&float8_min_work}
	};
	static const WindowWorks maxima[ELEMENT_KINDS] = {
		[KIND_UINT1] = {&uint1_max_work},
		[KIND_INT2] = {&int2_max_work},
		[KIND_INT4] = {&int4_max_work},
		[KIND_UINT4] = {&uint4_max_work},
		[KIND_INT8] = {&int8_max_work},
		[KIND_FLOAT4] = {&float4_max_work},
		[KIND_FLOAT8] = {&float8_max_work}
	};
	ElementKind kind = request->kinds[0];

	switch (PARAMETERS(request, WindowParameters)->op)
	{
		case SCAN_ADD:
			return request->outputs[0].kind == kind ? &sums[kind] :
				&float8_sums[kind];
		case SCAN_MIN:
			return &minima[kind];
		case SCAN_MAX:
			return &maxima[kind];
		default:
			return NULL;
	}
}

/*
 * The task of a piece: puts it into its place, and combines its tiles.
 */
static void
gather_piece(void *argument, int number)
{
	CpuJob	   *job = argument;
	CpuPiece   *piece = &job->pieces[number];
	const CpuWindow *window = job->state;
	const void *from = piece->data[0];
	void	   *to = (void *) piece->data[1];

	if (from != to)
		memcpy(to, from, piece->count * input_size(&job->request, 0));
	if (window->tiles > 0 &&
		window->work->totals(job, to, piece->first, piece->count) &&
		window->careful != NULL)
		(void) window->careful->totals(job, to, piece->first, piece->count);
	cpu_piece_done(piece);
}

static TeamWork
window_work(const EngineRequest *request)
{
	const WindowWorks *works = window_works(request);

	return works != NULL && (*works)[0] != NULL ? gather_piece : NULL;
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
	window->memory = cpu_scratch(job, 0, job->request.count *
								 input_size(&job->request, 0));
	if (window_has_totals(&window->frames))
	{
		window->tiles = (job->request.count + WINDOW_TILE - 1) / WINDOW_TILE;
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
	CpuWindow  *window = calloc(1, sizeof(CpuWindow));
	const WindowWorks *works = window_works(&job->request);

	if (window == NULL)
		return false;
	window->work = (*works)[0];
	window->careful = (*works)[1];
	window->frames = window_frames(&job->request);
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
		job->pushed * input_size(&job->request, 0);
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
	size_t		before = job->pushed * input_size(&job->request, 0);
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
	int64_t		to = from + chunk_count(job, chunk);
	bool		bad;

	bad = window->work->chunk(job, from, to);
	if (bad && window->careful != NULL)
		bad = window->careful->chunk(job, from, to);
	if (bad)
		cpu_note_overflow(job, OVERFLOW_UP);
}

/* Starts to make results, once the array is gathered. */
static void
start_chunks(CpuJob *job)
{
	CpuWindow  *window = job->state;
	const WindowWork *work = window->careful != NULL ?
		window->careful : window->work;

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
	result->count = job->request.count;
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

const CpuOperation cpu_window = {
	.begin = window_begin,
	.buffer = window_buffer,
	.push = cpu_pieces_push,
	.finish = window_finish,
	.end = window_end,
	.piece_work = window_work,
	.piece_pushed = window_pushed
};
