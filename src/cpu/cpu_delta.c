/*
 * cpu_delta.c
 *	  Differences of neighbours, or of two inputs, piece by piece.
 */
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
#define DELTA_INFINITE(x)	false

#define TYPES				TYPES_FLOATS
#define TYPE_TEMPLATE		"cpu/cpu_delta_template.h"
#include "cpu/cpu_types.h"

static TeamWork
delta_work(const EngineRequest *request)
{
	static const TeamWork works[ELEMENT_KINDS] = {
		TYPE_ROWS_NUMBERS(delta)
	};

	return works[request->kinds[0]];
}

static TeamWork
subtract_work(const EngineRequest *request)
{
	static const TeamWork works[ELEMENT_KINDS] = {
		TYPE_ROWS_NUMBERS(subtract)
	};

	return works[request->kinds[0]];
}

typedef bool (*Differences) (const void *elements, int64_t count,
							 const void *before, void *results);

static int64_t
delta_stage(CpuJob *job, const CpuPiece *piece, const EngineStage *stage,
			CpuStageChain *chain, void *out)
{
	static const Differences functions[ELEMENT_KINDS] = {
		TYPE_ROWS_NUMBERS(differences)
	};
	int			size = kind_size(stage->from);
	int64_t		count = piece->count;
	uint64_t	before;
	bool		begun;

	team_wait_turn(&job->team, &chain->turn, piece->turn);
	before = chain->before;
	begun = chain->begun;
	if (count > 0)
	{
		memcpy(&chain->before, (const char *) piece->data[0] +
			   (count - 1) * size, size);
		chain->begun = true;
	}
	team_pass_turn(&job->team, &chain->turn);
	if (count > 0 && functions[stage->from] (piece->data[0], count,
											 begun ? &before : NULL, out))
		cpu_stage_failed(job);
	return count;
}

static bool
delta_can_be_stage(const EngineRequest *request)
{
	return !PARAMETERS(request, DeltaParameters)->infinities;
}

const CpuOperation cpu_delta = {
	CPU_BY_PIECES,
	.piece_work = delta_work,
	.stage = delta_stage,
	.can_be_stage = delta_can_be_stage
};
const CpuOperation cpu_subtract = {CPU_BY_PIECES, .piece_work = subtract_work};
