/*
 * cpu_sort_phases.c
 *	  The phases of a sort: see cpu_sort_phases.h.
 */
#include "cpu/cpu_sort_phases.h"

/* Returns the first chunk that no thread has taken, or -1. */
static int
take_chunk(CpuSort *sort)
{
	int			chunk = __atomic_fetch_add(&sort->next_chunk, 1,
										   __ATOMIC_RELAXED);

	return chunk < sort->nchunks ? chunk : -1;
}

/*
 * The task of a helper in a phase.  If the caller takes it over, it does so
 * between two chunks of its own, so no other thread has the same number.
 */
static void
work_on_chunks(void *argument, int number)
{
	CpuJob	   *job = argument;
	CpuSort    *sort = &job->sort;

	while (!cpu_sort_cancelled(sort))
	{
		int			chunk = take_chunk(sort);

		if (chunk < 0)
			break;
		sort->work(job, chunk, number);
	}
	__atomic_sub_fetch(&sort->pending, 1, __ATOMIC_RELEASE);
}

EngineStatus
cpu_sort_phase(CpuJob *job, SortWork work, SortNext next)
{
	CpuSort    *sort = &job->sort;

	sort->work = work;
	sort->next_phase = next;
	sort->next_chunk = 0;
	sort->pending = job->team.helpers;
	for (int i = 0; i < job->team.helpers; i++)
		team_add(&job->team, work_on_chunks, job, i);
	return ENGINE_MORE;
}

EngineStatus
cpu_sort_step(CpuJob *job)
{
	CpuSort    *sort = &job->sort;
	int			chunk = sort->work != NULL ? take_chunk(sort) : -1;

	if (chunk >= 0)
	{
		sort->work(job, chunk, job->team.helpers);
		return ENGINE_MORE;
	}
	if (__atomic_load_n(&sort->pending, __ATOMIC_ACQUIRE) != 0)
	{
		team_wait(&job->team, &sort->pending);
		return ENGINE_MORE;
	}
	return sort->next_phase != NULL ? sort->next_phase(job) : ENGINE_OK;
}
