/*
 * cpu_sort_groups.h
 *	  Sorts by few digits, and then by groups.
 *
 * The highest digits of many keys divide them into small groups.  Only these
 * digits take a pass, and then each group is sorted in the cache, however many
 * digits are left (Stehle and Jacobsen, "A memory bandwidth-efficient hybrid
 * radix sort on GPUs", 2017).
 */
#ifndef GPUCOMPACT_CPU_SORT_GROUPS_H
#define GPUCOMPACT_CPU_SORT_GROUPS_H

#include "cpu/cpu_engine.h"
#include "cpu/cpu_sort_sample.h"

/* Drops the passes of a sort that its groups need not. */
extern void cpu_sort_plan_groups(CpuSort *sort, const SortSample *sample);

/* Starts to sort the groups; "next" follows. */
extern EngineStatus cpu_sort_start_groups(CpuJob *job, PhaseNext next);

#endif							/* GPUCOMPACT_CPU_SORT_GROUPS_H */
