/*
 * cpu_sort_memory.h
 *	  The memory of a sort, and the sizes of what it has.
 */
#ifndef GPUCOMPACT_CPU_SORT_MEMORY_H
#define GPUCOMPACT_CPU_SORT_MEMORY_H

#include "contract/operations/sort.h"
#include "cpu/cpu_engine.h"

static inline bool
sort_has_payload(const CpuJob *job)
{
	return sort_payload_size(job->request) > 0;
}

/* Returns whether the payloads are the positions of the keys. */
static inline bool
sort_makes_positions(const CpuJob *job)
{
	return sort_has_payload(job) && job->request->inputs == 1;
}

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

extern bool cpu_sort_allocate_chunks(CpuJob *job);
extern bool cpu_sort_allocate_buffer(CpuJob *job, int number, bool payloads,
									 SortBuffer *buffer);
extern bool cpu_sort_allocate_other(CpuJob *job);
extern void cpu_sort_free(CpuJob *job);

#endif							/* GPUCOMPACT_CPU_SORT_MEMORY_H */
