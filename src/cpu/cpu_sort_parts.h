/*
 * cpu_sort_parts.h
 *	  The parts of a sort that know its job.
 */
#ifndef GPUCOMPACT_CPU_SORT_PARTS_H
#define GPUCOMPACT_CPU_SORT_PARTS_H

#include "contract/operations/sort.h"
#include "cpu/cpu_engine.h"

static inline int
sort_key_size(const CpuJob *job)
{
	return input_size(job->request, 0);
}

static inline int
sort_payload_bytes(const CpuJob *job)
{
	return sort_payload_size(job->request);
}

static inline bool
sort_has_payload(const CpuJob *job)
{
	return sort_payload_bytes(job) > 0;
}

/* Returns whether the payloads are the positions of the keys. */
static inline bool
sort_makes_positions(const CpuJob *job)
{
	return sort_has_payload(job) && job->request->inputs == 1;
}

static inline bool
cpu_makes_ranks(const CpuJob *job)
{
	return job->request->operation == ENGINE_RANK;
}

static inline RankMethod
cpu_rank_method(const CpuJob *job)
{
	return PARAMETERS(job->request, SortParameters)->method;
}

/* Returns whether the ranks depend on which keys are equal. */
static inline bool
cpu_rank_needs_keys(const CpuJob *job)
{
	return cpu_makes_ranks(job) && cpu_rank_method(job) != RANK_FIRST;
}

/* Returns whether the heads of equal keys are marked. */
static inline bool
cpu_marks_heads(const CpuJob *job)
{
	return cpu_makes_ranks(job) && cpu_rank_method(job) == RANK_HEADS;
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

#define SAMPLED_KEYS		2048

/* With fewer keys, a sample of them would take too much of the time. */
#define SAMPLED_COUNT		(64 * 1024)

/* Keys, flipped, less the base. */
typedef struct SortSample
{
	uint64_t	orders[SAMPLED_KEYS];
} SortSample;

/* cpu_sort_memory.c */
extern bool cpu_sort_allocate_buffer(CpuJob *job, int number, bool payloads,
									 SortBuffer *buffer);
extern bool cpu_sort_allocate_other(CpuJob *job);
extern void cpu_sort_free(CpuJob *job);

/* cpu_sort_sample.c */
extern void cpu_sort_sample(const CpuSort *sort, SortSample *sample);
extern int	cpu_sort_sample_distinct(const SortSample *sample);

/* cpu_sort_counting.c */
extern bool cpu_sort_plan_counting(CpuJob *job);
extern EngineStatus cpu_sort_start_counting(CpuJob *job);
extern EngineStatus cpu_sort_write_counted(CpuJob *job);

/* cpu_sort_dictionary.c */
extern bool cpu_sort_plan_dictionary(CpuJob *job, const SortSample *sample);
extern void cpu_sort_count_distinct(CpuJob *job, int number, int thread);
extern bool cpu_sort_end_dictionary(CpuJob *job);

/* cpu_sort_groups.c */
extern bool cpu_sort_plan_one_group(CpuJob *job);
extern void cpu_sort_plan_groups(CpuJob *job, const SortSample *sample);
extern void cpu_sort_find_groups(CpuSort *sort);
extern int64_t cpu_sort_groups(const CpuSort *sort, int number);

/* cpu_rank.c */
extern EngineStatus cpu_rank_start(CpuJob *job);

#endif							/* GPUCOMPACT_CPU_SORT_PARTS_H */
