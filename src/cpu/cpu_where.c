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
where_piece(void *argument, int number)
{
	static const Choose functions[ELEMENT_KINDS] = KIND_TABLE(choose);
	CpuJob	   *job = argument;
	CpuPiece   *piece = &job->pieces[number];
	int			size = input_size(job->request, 1);

	cpu_chain_wait(job, piece)->count += piece->count;
	cpu_chain_pass(job);
	functions[job->request->kinds[1]]
		(piece->data[0], piece->data[1],
		 job->request->inputs > 2 ? piece->data[2] : NULL,
		 PARAMETERS(job->request, WhereParameters)->value,
		 (char *) job->request->outputs[0].memory + piece->first * size,
		 piece->count);
	cpu_piece_done(piece);
}

static TeamWork
where_work(const EngineRequest *request)
{
	return where_piece;
}

const CpuOperation cpu_where = {CPU_BY_PIECES, .piece_work = where_work};
