/*
 * cpu_where.c
 *	  The choice between two elements by a mask, piece by piece.
 */
#include "contract/operations/where.h"
#include "cpu/cpu_engine.h"

#define KIND_TEMPLATE "cpu/cpu_where_template.h"
#include "cpu/cpu_kinds.h"

typedef void (*Choose) (const uint8_t *mask, const void *first,
						const void *second, const void *value, void *results,
						int64_t count);

static void
where_piece(CpuJob *job, CpuPiece *piece)
{
	static const Choose functions[ELEMENT_KINDS] = KIND_TABLE(choose);

	functions[job->request->kinds[1]]
		(piece->data[0], piece->data[1],
		 job->request->inputs > 2 ? piece->data[2] : NULL,
		 PARAMETERS(job->request, WhereParameters)->value,
		 cpu_piece_results(job, piece), piece->count);
}

const CpuOperation cpu_where = {CPU_BY_PIECES, .piece = where_piece};
