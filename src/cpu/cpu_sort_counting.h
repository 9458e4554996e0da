/*
 * cpu_sort_counting.h
 *	  Counting sort, of integers in a narrow range.
 *
 * Each thread counts keys in a table of its own, which has a slot for each
 * value of the range.  The sums of all tables then yield the sorted keys, or
 * the distinct ones (Seward, 1954; Knuth, The Art of Computer Programming,
 * volume 3, section 5.2, algorithm D).  Keys are read once, and no double
 * buffer is needed.
 */
#ifndef GPUCOMPACT_CPU_SORT_COUNTING_H
#define GPUCOMPACT_CPU_SORT_COUNTING_H

#include "cpu/cpu_engine.h"

/*
 * Plans a counting sort of keys that are analyzed.  Returns false if their
 * range is not narrow.
 */
extern bool cpu_sort_plan_counting(CpuJob *job);

/* Starts the phases.  The last one leaves the result in its place. */
extern EngineStatus cpu_sort_start_counting(CpuJob *job);

/* Starts the phases from the sums on. */
extern EngineStatus cpu_sort_write_counted(CpuJob *job);

#endif							/* GPUCOMPACT_CPU_SORT_COUNTING_H */
