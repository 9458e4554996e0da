/*
 * cpu_delta.c
 *	  Differences of each element from the one "lag" before, piece by piece.
 *
 * A piece needs the last elements of the pieces before it.  They are in a delay
 * line: a ring in which element i is at i modulo lag.  In its turn, a piece
 * takes what it needs to where its results will be, and puts its own last
 * elements into the line.
 */
#include <stdlib.h>
#include <string.h>

#include "contract/operations/delta.h"
#include "cpu/cpu_engine.h"

#define DELTA(name)			TYPE_NAME(name)

/* A difference that is out of range wraps, and has the wrong sign. */
#define DELTA_STEP(result, a, b, overflow) \
	((result) = (uint64_t) (a) - (uint64_t) (b), \
	 (overflow) |= ((a) < (b)) != ((result) < 0))

/* The least and the greatest integer may stand for infinity. */
#define DELTA_INFINITE(x) \
	((uint64_t) ((x) < 0 ? ~(x) : (x)) == UINT64_MAX >> (65 - 8 * sizeof(x)))

#define TYPES				TYPES_SIGNED
#define TYPE_TEMPLATE		"cpu/cpu_delta_template.h"
#include "cpu/cpu_types.h"

/*
 * A difference of floats that is infinite although its operands are finite is
 * out of range.  All NaNs become the same one.
 */
#undef DELTA_STEP
#undef DELTA_INFINITE
#define DELTA_STEP(result, a, b, overflow) \
	((result) = (a) - (b), \
	 (overflow) |= (isinf(result) != 0) & !isinf(a) & !isinf(b), \
	 (result) = isnan(result) ? NAN : (result))
#define DELTA_INFINITE(x)	((void) (x), false)

#define TYPES				TYPES_FLOATS
#define TYPE_TEMPLATE		"cpu/cpu_delta_template.h"
#include "cpu/cpu_types.h"

/* Elements of a delay line that are in one place, and the rest of them. */
typedef struct LineParts
{
	char	   *place;
	size_t		bytes;
	size_t		rest;			/* bytes from the beginning of the line on */
} LineParts;

static LineParts
line_parts(char *line, int64_t lag, int size, int64_t first, int64_t count)
{
	int64_t		at = first % lag;
	int64_t		fits = count < lag - at ? count : lag - at;

	return (LineParts) {line + at * size, fits * size, (count - fits) * size};
}

/* Of "count" elements behind "first" ones, those that have none before them. */
static int64_t
count_alone(int64_t lag, int64_t first, int64_t count)
{
	int64_t		alone = lag - first;

	return alone < 0 ? 0 : cpu_min(alone, count);
}

/*
 * Changes a delay line in the turn of "count" elements, which come behind
 * "first" ones.  Puts the elements before them into "results".
 */
static void
pass_line(char *line, int64_t lag, int size, int64_t first,
		  const char *elements, int64_t count, char *results)
{
	int64_t		passing = cpu_min(count, lag);
	int64_t		alone = count_alone(lag, first, count);
	LineParts	parts;

	if (alone < passing)
	{
		parts = line_parts(line, lag, size, first + alone, passing - alone);
		memcpy(results, parts.place, parts.bytes);
		memcpy(results + parts.bytes, line, parts.rest);
	}
	elements += (count - passing) * size;
	parts = line_parts(line, lag, size, first + count - passing, passing);
	memcpy(parts.place, elements, parts.bytes);
	memcpy(line, elements + parts.bytes, parts.rest);
}

typedef bool (*Differences) (const void *elements, int64_t count, int64_t lag,
							 int64_t alone, void *results);

static const Differences differences[ELEMENT_KINDS] = {
	TYPE_ROWS_NUMBERS(differences)
};

typedef bool (*HasInfinite) (const void *elements, int64_t count);

static const HasInfinite has_infinite[ELEMENT_KINDS] = {
	TYPE_ROWS_NUMBERS(has_infinite)
};

/* A short job has no line: the piece is all of its elements. */
static void
delta_piece(CpuJob *job, CpuPiece *piece)
{
	const DeltaParameters *parameters =
		PARAMETERS(job->request, DeltaParameters);
	ElementKind kind = job->request->kinds[0];
	int			size = kind_size(kind);
	int64_t		alone = count_alone(parameters->lag, piece->first,
									piece->count);
	CpuChain   *chain = cpu_chain_wait(job, piece);
	char	   *results = (char *) job->request->outputs[0].memory +
		chain->count * size;

	if (job->request->absent == 0)
	{
		memcpy(results, piece->data[0], alone * size);
		results += alone * size;
		chain->count += alone;
	}
	if (job->state != NULL)
		pass_line(job->state, parameters->lag, size, piece->first,
				  piece->data[0], piece->count, results);
	chain->count += piece->count - alone;
	cpu_chain_pass(job);
	if (differences[kind] (piece->data[0], piece->count, parameters->lag,
						   alone, results) ||
		(parameters->infinities &&
		 has_infinite[kind] (piece->data[0], piece->count)))
		cpu_note_overflow(job, OVERFLOW_UP);
}

static PieceWork
delta_work(const EngineRequest *request)
{
	return differences[request->kinds[0]] != NULL ? delta_piece : NULL;
}

static bool
delta_begin(CpuJob *job)
{
	const EngineRequest *request = job->request;
	int64_t		lag = PARAMETERS(request, DeltaParameters)->lag;

	/* With a longer lag, no element has one before it. */
	if (lag < request->count)
	{
		job->state = malloc(lag * input_size(request, 0));
		if (job->state == NULL)
			return false;
	}
	return cpu_pieces_begin(job);
}

/* No line is passed to or from a piece that is all there is. */
static int64_t
delta_stage(CpuJob *job, CpuPiece *piece, const EngineStage *stage,
			CpuStageChain *chain, void *out)
{
	int64_t		lag = PARAMETERS(stage, DeltaParameters)->lag;
	int			size = kind_size(stage->from);
	char	   *results = out;
	int64_t		first;
	int64_t		alone;

	cpu_wait_turn(job, &chain->turn, piece);
	first = chain->count;
	alone = count_alone(lag, first, piece->count);
	if (stage->absent == 0)
	{
		memcpy(results, piece->data[0], alone * size);
		results += alone * size;
	}
	if (first > 0 || !piece->is_last)
		pass_line(chain->kept, lag, size, first, piece->data[0], piece->count,
				  results);
	chain->count += piece->count;
	cpu_pass_turn(job, &chain->turn);
	if (differences[stage->from] (piece->data[0], piece->count, lag, alone,
								  results))
		cpu_stage_failed(job);
	piece->first = first < stage->absent ? 0 : first - stage->absent;
	return piece->count - (stage->absent > 0 ? alone : 0);
}

static bool
delta_can_be_stage(const EngineRequest *request)
{
	const DeltaParameters *parameters = PARAMETERS(request, DeltaParameters);

	return parameters->lag + stages_absent(request) <= CPU_STAGE_KEPT &&
		!parameters->infinities;
}

const CpuOperation cpu_delta = {
	.begin = delta_begin,
	.buffer = cpu_pieces_buffer,
	.push = cpu_pieces_push,
	.finish = cpu_pieces_finish,
	.end = cpu_drop_pieces,
	.run = cpu_pieces_run,
	.piece_work = delta_work,
	.stage = delta_stage,
	.can_be_stage = delta_can_be_stage
};
