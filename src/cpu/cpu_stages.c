/*
 * cpu_stages.c
 *	  Stages that a piece goes through before the operation gets it.
 *
 * The results of a stage never leave the processor's cache: the thread that
 * works on a piece does all stages, and then the operation.  Only a stage that
 * needs the last element of the piece before waits for that piece, which is
 * then a stage ahead.
 */
#include <stdlib.h>
#include <string.h>

#include "cpu/cpu_engine.h"

static const CpuOperation *const operations[ENGINE_OPERATIONS] = {
#define OPERATION(NAME, name, ...) [ENGINE_##NAME] = &cpu_##name,
#include "contract/operations.h"
};

void
cpu_stages_begin(CpuJob *job)
{
	memset(job->stage_chains, 0, sizeof(job->stage_chains));
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

/* Puts the results of all stages in the place of a piece's elements. */
void
cpu_stages_run(CpuJob *job, CpuPiece *piece)
{
	for (int i = 0; i < job->request->nstages; i++)
	{
		const EngineStage *stage = &job->request->stages[i];
		char	   *out = (char *) piece->stage_buffer +
			i % 2 * CPU_PIECE_BYTES;

		piece->count = operations[stage->operation]->stage
			(job, piece, stage, &job->stage_chains[i], out);
		piece->data[0] = out;
	}
	__atomic_add_fetch(&job->staged, piece->count, __ATOMIC_RELAXED);
}
