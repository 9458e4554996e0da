/*
 * cpu_compare.c
 *	  Whether a predicate selects each element, piece by piece.
 */
#include "contract/operations/compare.h"
#include "cpu/cpu_compact.h"

static void
compare_piece(void *argument, int number)
{
	CpuJob	   *job = argument;
	CpuPiece   *piece = &job->pieces[number];

	cpu_chain_wait(job, piece)->count += piece->count;
	cpu_chain_pass(job);
	cpu_flag_selected(job->request->kinds[0], piece->data[0], piece->count,
					  &PARAMETERS(job->request, CompareParameters)->predicate,
					  (uint8_t *) job->request->outputs[0].memory +
					  piece->first);
	cpu_piece_done(piece);
}

static TeamWork
compare_work(const EngineRequest *request)
{
	return compare_piece;
}

static int64_t
compare_stage(CpuJob *job, CpuPiece *piece, const EngineStage *stage,
			  CpuStageChain *chain, void *out)
{
	const CompareParameters *parameters = PARAMETERS(stage, CompareParameters);

	cpu_flag_selected(stage->from, piece->data[0], piece->count,
					  &parameters->predicate, out);
	return piece->count;
}

const CpuOperation cpu_compare = {
	CPU_BY_PIECES, .piece_work = compare_work, .stage = compare_stage
};

#define KIND_TEMPLATE "cpu/cpu_compare_pairs_template.h"
#include "cpu/cpu_kinds.h"

typedef void (*ComparePairs) (const void *first, const void *second,
							  int64_t count, uint64_t least_order,
							  const ComparePairsParameters *parameters,
							  uint8_t *restrict flags);

static void
compare_pairs_piece(void *argument, int number)
{
	static const ComparePairs functions[ELEMENT_KINDS] =
		KIND_TABLE(compare_pairs);
	CpuJob	   *job = argument;
	CpuPiece   *piece = &job->pieces[number];
	ElementKind kind = job->request->kinds[0];

	cpu_chain_wait(job, piece)->count += piece->count;
	cpu_chain_pass(job);
	functions[kind] (piece->data[0], piece->data[1], piece->count,
					 kind_least(kind),
					 PARAMETERS(job->request, ComparePairsParameters),
					 (uint8_t *) job->request->outputs[0].memory +
					 piece->first);
	cpu_piece_done(piece);
}

static TeamWork
compare_pairs_work(const EngineRequest *request)
{
	return compare_pairs_piece;
}

const CpuOperation cpu_compare_pairs = {
	CPU_BY_PIECES, .piece_work = compare_pairs_work
};
