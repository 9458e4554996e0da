/*
 * cpu_sort_dictionary.h
 *	  Counting sort of keys with few distinct values, by a hash table.
 */
#ifndef GPUCOMPACT_CPU_SORT_DICTIONARY_H
#define GPUCOMPACT_CPU_SORT_DICTIONARY_H

#include "cpu/cpu_engine.h"
#include "cpu/cpu_sort_sample.h"

/* Returns whether a sort, whose passes are planned, is better done so. */
extern bool cpu_sort_plan_dictionary(CpuJob *job, const SortSample *sample);

/* The phase that counts the keys of a chunk. */
extern void cpu_sort_count_distinct(CpuJob *job, int number, int thread);

/*
 * Makes the slots of a counting sort, once all keys are counted.  Returns false
 * if there are too many distinct keys.
 */
extern bool cpu_sort_end_dictionary(CpuJob *job);

#endif							/* GPUCOMPACT_CPU_SORT_DICTIONARY_H */
