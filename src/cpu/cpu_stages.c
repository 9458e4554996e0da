/*
 * cpu_stages.c
 *	  Stages that a piece goes through before the operation gets it.
 *
 * The results of a stage never leave the processor's cache: the thread that
 * works on a piece does all stages, and then the operation.  A stage waits for
 * the preceding piece only if it needs that piece's last elements.
 */
#include <stdlib.h>
#include <string.h>

#include "cpu/cpu_engine.h"

void
cpu_stages_begin(CpuJob *job, const EngineStage *stages, int nstages)
{
	int64_t		absent = 0;

	for (int i = nstages - 1; i >= 0; i--)
	{
		job->stage_chains[i].turn = job->stage_chains[i].count = 0;
		job->stage_chains[i].absent = absent;
		absent += stages[i].absent;
	}
	job->staged = 0;
	job->stage_failed = false;
}

/* Results of a stage take turns with those of the next one in two buffers. */
bool
cpu_stages_reserve(CpuPiece *piece)
{
	if (piece->stage_buffer == NULL)
		piece->stage_buffer = malloc(2 * CPU_PIECE_BYTES);
	return piece->stage_buffer != NULL;
}

/* Notes that a stage has an overflow. */
void
cpu_stage_failed(CpuJob *job)
{
	__atomic_store_n(&job->stage_failed, true, __ATOMIC_RELAXED);
}

/* Puts the results of stages in the place of a piece's elements. */
static void
run_stages(CpuJob *job, CpuPiece *piece, const EngineStage *stages,
		   int nstages)
{
	for (int i = 0; i < nstages; i++)
	{
		const EngineStage *stage = &stages[i];
		char	   *out = (char *) piece->stage_buffer +
			i % 2 * CPU_PIECE_BYTES;

		piece->count = cpu_operations[stage->operation]->stage
			(job, piece, stage, &job->stage_chains[i], out);
		piece->data[0] = out;
	}
}

/* Does all stages of a job for a piece. */
void
cpu_stages_run(CpuJob *job, CpuPiece *piece)
{
	run_stages(job, piece, job->request->stages, job->request->nstages);
	__atomic_add_fetch(&job->staged, piece->count, __ATOMIC_RELAXED);
}

/* Does stages, without a job, for elements that are one piece. */
const void *
cpu_short_stages(EngineContext *context, const EngineStage *stages,
				 int nstages, const void *elements, int64_t *count)
{
	CpuJob	   *job = (CpuJob *) context;
	CpuPiece   *piece = &job->pieces[0];

	if (!cpu_stages_reserve(piece))
		return NULL;
	cpu_stages_begin(job, stages, nstages);
	piece->data[0] = elements;
	piece->count = *count;
	piece->turn = 0;
	piece->is_last = true;
	run_stages(job, piece, stages, nstages);
	*count = piece->count;
	return job->stage_failed ? NULL : piece->data[0];
}
