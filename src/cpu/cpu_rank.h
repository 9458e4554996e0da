/*
 * cpu_rank.h
 *	  Ranks, once the positions of the keys are sorted.
 */
#ifndef GPUCOMPACT_CPU_RANK_H
#define GPUCOMPACT_CPU_RANK_H

#include "contract/operations/sort.h"
#include "cpu/cpu_engine.h"

static inline bool
cpu_makes_ranks(const CpuJob *job)
{
	return job->request->operation == ENGINE_RANK;
}

/* Returns whether the ranks depend on which keys are equal. */
static inline bool
cpu_rank_needs_keys(const CpuJob *job)
{
	return cpu_makes_ranks(job) &&
		PARAMETERS(job->request, SortParameters)->method != RANK_FIRST;
}

/* Returns whether the heads of equal keys are marked. */
static inline bool
cpu_marks_heads(const CpuJob *job)
{
	return cpu_makes_ranks(job) &&
		PARAMETERS(job->request, SortParameters)->method == RANK_HEADS;
}

/*
 * The rank of all keys that are equal, which are those from the place "first"
 * in order, from 0 on, up to the one before "end".
 */
static inline int64_t
cpu_tied_rank(RankMethod method, int64_t first, int64_t end)
{
	return method == RANK_MIN ? first + 1 :
		method == RANK_MAX ? end : first + 1 + end;
}

/*
 * Starts to put the ranks to the positions in sort.from, which are sorted, as
 * the keys there are if the ranks need them.
 */
extern EngineStatus cpu_rank_start(CpuJob *job);

#endif							/* GPUCOMPACT_CPU_RANK_H */
