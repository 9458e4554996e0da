/*
 * cpu_runs.c
 *	  The head of each run of equal elements: a compaction that selects the
 *	  elements that differ from the one before them.
 */
#include "cpu/cpu_compact.h"

/* The first and last element of a piece, as bits. */
typedef struct PieceEnds
{
	uint64_t	first;
	uint64_t	last;
} PieceEnds;

typedef void (*FlagHeads) (const void *data, int64_t count, uint8_t *flags,
						   PieceEnds *ends);

#define KIND_TEMPLATE "cpu_runs_flag_template.h"
#include "cpu/cpu_kinds.h"

static const FlagHeads flag_heads[ELEMENT_KINDS] = KIND_TABLE(flag_heads);

/* Whether the first element is a head depends on the preceding piece. */
static void
runs_piece(CpuJob *job, CpuPiece *piece)
{
	const EngineRequest *request = job->request;
	ElementKind kind = request->kinds[0];
	int32_t    *starts = request->outputs[1].memory;
	uint8_t    *flags = cpu_flags_buffer(job, piece);
	PieceEnds	ends;
	int64_t		heads;
	int64_t		before;
	CpuChain   *chain;

	if (piece->count == 0)
	{
		(void) cpu_chain_wait(job, piece);
		cpu_chain_pass(job);
		return;
	}
	flag_heads[kind] (piece->data[0], piece->count, flags, &ends);
	heads = cpu_count_flags(flags + 1, piece->count - 1);

	chain = cpu_chain_wait(job, piece);
	flags[0] = piece->first == 0 || ends.first != chain->value.bits;
	heads += flags[0];
	before = chain->count;
	chain->count += heads;
	chain->value.bits = ends.last;
	cpu_chain_pass(job);

	cpu_move_elements((char *) request->outputs[0].memory +
					  before * kind_size(kind), piece, kind, flags, heads);
	if (starts)
		cpu_move_positions(starts + before, piece, flags, heads);
}

const CpuOperation cpu_runs = {CPU_BY_PIECES, .piece = runs_piece};
