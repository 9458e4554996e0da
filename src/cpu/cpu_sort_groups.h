/*
 * cpu_sort_groups.h
 *	  Sorts by few digits, and then by groups.
 *
 * The highest digits of many keys divide them into groups that fit into the
 * cache.  Only these digits take a pass, and then each group is sorted in the
 * cache, however many digits are left (Stehle and Jacobsen, "A memory
 * bandwidth-efficient hybrid radix sort on GPUs", 2017).
 */
#ifndef GPUCOMPACT_CPU_SORT_GROUPS_H
#define GPUCOMPACT_CPU_SORT_GROUPS_H

#include "cpu/cpu_engine.h"
#include "cpu/cpu_sort_sample.h"

/* Plans fewer passes if groups are to follow. */
extern void cpu_sort_plan_groups(CpuJob *job, const SortSample *sample);

/* After these passes, finds the first group of each chunk. */
extern void cpu_sort_find_groups(CpuSort *sort);

/* Sorts the groups that begin in a chunk.  Returns how many keys they have. */
extern int64_t cpu_sort_groups(const CpuSort *sort, int number);

#endif							/* GPUCOMPACT_CPU_SORT_GROUPS_H */
