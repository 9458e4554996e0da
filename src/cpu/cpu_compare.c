/*
 * cpu_compare.c
 *	  Whether a predicate selects each element, piece by piece.
 */
#include "contract/operations/compare.h"
#include "cpu/cpu_compact.h"

static void
compare_piece(CpuJob *job, CpuPiece *piece)
{
	cpu_flag_selected(job->request->kinds[0], piece->data[0], piece->count,
					  &PARAMETERS(job->request, CompareParameters)->predicate,
					  cpu_piece_results(job, piece));
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
	CPU_BY_PIECES, .piece = compare_piece, .stage = compare_stage
};

#define KIND_TEMPLATE "cpu/cpu_compare_pairs_template.h"
#include "cpu/cpu_kinds.h"

typedef void (*ComparePairs) (const void *first, const void *second,
							  int64_t count, uint64_t least_order,
							  const ComparePairsParameters *parameters,
							  uint8_t *restrict flags);

static void
compare_pairs_piece(CpuJob *job, CpuPiece *piece)
{
	static const ComparePairs functions[ELEMENT_KINDS] =
		KIND_TABLE(compare_pairs);
	ElementKind kind = job->request->kinds[0];

	functions[kind] (piece->data[0], piece->data[1], piece->count,
					 kind_least(kind),
					 PARAMETERS(job->request, ComparePairsParameters),
					 cpu_piece_results(job, piece));
}

const CpuOperation cpu_compare_pairs = {
	CPU_BY_PIECES, .piece = compare_pairs_piece
};
