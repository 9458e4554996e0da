/*
 * cpu_phases.c
 *	  The phases of a job: see cpu_phases.h.
 */
#include <stdlib.h>

#include "cpu/cpu_engine.h"

void
cpu_phases_shrink(CpuJob *job, int64_t count)
{
	CpuPhases  *phases = &job->phases;

	phases->count = count;
	phases->nchunks =
		(int) ((count + phases->chunk_size - 1) / phases->chunk_size);
}

bool
cpu_phases_begin(CpuJob *job, int64_t chunk_size, PhaseWork work,
				 PhaseNext next)
{
	CpuPhases  *phases = &job->phases;

	*phases = (CpuPhases) {.chunk_size = chunk_size, .work = work,
		.next = next
	};
	cpu_phases_shrink(job, job->request->count);
	phases->next_chunk = phases->nchunks;
	if (work != NULL)
		phases->arrived = calloc(phases->nchunks, sizeof(int64_t));
	return (work == NULL || phases->arrived != NULL) && cpu_pieces_begin(job);
}

void
cpu_phases_piece(CpuJob *job, CpuPiece *piece)
{
	CpuPhases  *phases = &job->phases;
	int			chunk = (int) (piece->first / phases->chunk_size);

	if (__atomic_add_fetch(&phases->arrived[chunk], piece->count,
						   __ATOMIC_ACQ_REL) == chunk_count(job, chunk))
		phases->work(job, chunk, 0);
}

/* Returns the first chunk that no thread has taken, or -1. */
static int
take_chunk(CpuPhases *phases)
{
	int			chunk = __atomic_fetch_add(&phases->next_chunk, 1,
										   __ATOMIC_RELAXED);

	return chunk < phases->nchunks ? chunk : -1;
}

/*
 * The task of a helper in a phase.  If the caller takes it over, it does so
 * between two chunks of its own, so no other thread has the same number.
 */
static void
work_on_chunks(void *argument, int number)
{
	CpuJob	   *job = argument;
	CpuPhases  *phases = &job->phases;

	while (!cpu_phases_cancelled(phases))
	{
		int			chunk = take_chunk(phases);

		if (chunk < 0)
			break;
		phases->work(job, chunk, number);
	}
	__atomic_sub_fetch(&phases->pending, 1, __ATOMIC_RELEASE);
}

int
cpu_phase_threads(const CpuJob *job)
{
	return (int) cpu_min(job->team.helpers + 1, job->phases.nchunks);
}

EngineStatus
cpu_phase_start(CpuJob *job, PhaseWork work, PhaseNext next)
{
	CpuPhases  *phases = &job->phases;
	int			threads = cpu_phase_threads(job);

	phases->work = work;
	phases->next = next;
	phases->next_chunk = 0;
	phases->pending = threads - 1;
	for (int i = 1; i < threads; i++)
		team_add(&job->team, work_on_chunks, job, i);
	return ENGINE_MORE;
}

EngineStatus
cpu_phases_step(CpuJob *job)
{
	CpuPhases  *phases = &job->phases;
	int			chunk = take_chunk(phases);

	if (chunk >= 0)
	{
		phases->work(job, chunk, 0);
		if (__atomic_load_n(&phases->next_chunk, __ATOMIC_RELAXED) <
			phases->nchunks)
			return ENGINE_MORE;
	}
	if (__atomic_load_n(&phases->pending, __ATOMIC_ACQUIRE) != 0)
	{
		if (chunk < 0)
			team_wait(&job->team, &phases->pending);
		return ENGINE_MORE;
	}
	TRY_STATUS(cpu_pieces_wait(job));
	return phases->next != NULL ? phases->next(job) : ENGINE_OK;
}

/* Helpers may still be running. */
void
cpu_phases_end(CpuJob *job)
{
	CpuPhases  *phases = &job->phases;

	__atomic_store_n(&phases->cancelled, true, __ATOMIC_RELAXED);
	cpu_drop_pieces(job);
	free(phases->arrived);
	phases->arrived = NULL;
}
