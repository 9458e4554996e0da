/*
 * cpu_sort_phases.h
 *	  The phases of a sort, in each of which all threads work on its chunks.
 */
#ifndef GPUCOMPACT_CPU_SORT_PHASES_H
#define GPUCOMPACT_CPU_SORT_PHASES_H

#include "cpu/cpu_engine.h"

static inline int64_t
chunk_first(const CpuJob *job, int chunk)
{
	return chunk * job->sort.chunk_size;
}

static inline int64_t
chunk_count(const CpuJob *job, int chunk)
{
	int64_t		left = job->request.count - chunk_first(job, chunk);

	return left < job->sort.chunk_size ? left : job->sort.chunk_size;
}

static inline int
thread_count(const CpuJob *job)
{
	return job->team.helpers + 1;
}

/* Starts a phase; returns ENGINE_MORE. */
extern EngineStatus cpu_sort_phase(CpuJob *job, SortWork work, SortNext next);

/*
 * Works on one chunk of the current phase, or starts the next phase.  Returns
 * ENGINE_OK once the last phase is done.
 */
extern EngineStatus cpu_sort_step(CpuJob *job);

/* Starts the passes, once all keys are analyzed. */
extern EngineStatus cpu_sort_start_passes(CpuJob *job);

#endif							/* GPUCOMPACT_CPU_SORT_PHASES_H */
