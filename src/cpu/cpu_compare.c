/*
 * cpu_compare.c
 *	  Whether a predicate selects each element, piece by piece.
 */
#include "contract/operations/compare.h"
#include "cpu/cpu_engine.h"

#define KIND_TEMPLATE "cpu/cpu_compact_flag_template.h"
#include "cpu/cpu_kinds.h"

typedef void (*FlagElements) (const void *data, int64_t count,
							  const EnginePredicate *predicate,
							  uint8_t *restrict flags);

static void
compare_piece(void *argument, int number)
{
	static const FlagElements functions[ELEMENT_KINDS] =
		KIND_TABLE(flag_selected);
	CpuJob	   *job = argument;
	CpuPiece   *piece = &job->pieces[number];

	cpu_chain_wait(job, piece)->count += piece->count;
	cpu_chain_pass(job);
	functions[job->request.kinds[0]]
		(piece->data[0], piece->count,
		 &PARAMETERS(&job->request, CompareParameters)->predicate,
		 (uint8_t *) job->request.outputs[0].memory + piece->first);
	cpu_piece_done(piece);
}

static TeamWork
compare_work(const EngineRequest *request)
{
	return compare_piece;
}

const CpuOperation cpu_compare = {CPU_BY_PIECES, .piece_work = compare_work};
