/*
 * cpu_sort_dictionary.h
 *	  Counting sort of keys of which few are distinct, by a hash table.
 */
#ifndef GPUCOMPACT_CPU_SORT_DICTIONARY_H
#define GPUCOMPACT_CPU_SORT_DICTIONARY_H

#include "cpu/cpu_engine.h"
#include "cpu/cpu_sort_sample.h"

/* Returns whether a sort, whose passes are planned, is better done so. */
extern bool cpu_sort_plan_dictionary(CpuJob *job, const SortSample *sample);

/*
 * Starts the phases, the last of which leaves the result in its place; those
 * of a sort by digits, if there are too many distinct keys.
 */
extern EngineStatus cpu_sort_start_dictionary(CpuJob *job);

#endif							/* GPUCOMPACT_CPU_SORT_DICTIONARY_H */
