/*
 * cpu_sort_sample.h
 *	  A sample of the keys of a sort, by which its way is chosen.
 */
#ifndef GPUCOMPACT_CPU_SORT_SAMPLE_H
#define GPUCOMPACT_CPU_SORT_SAMPLE_H

#include "cpu/cpu_sort.h"

#define SAMPLED_KEYS		2048

/* With fewer keys, a sample of them would take too much of the time. */
#define SAMPLED_COUNT		(64 * 1024)

/* Keys, flipped, less the base. */
typedef struct SortSample
{
	uint64_t	orders[SAMPLED_KEYS];
} SortSample;

/* Takes a sample of at least SAMPLED_COUNT keys, at random positions. */
extern void cpu_sort_sample(const CpuSort *sort, SortSample *sample);

/* Returns how many keys differ. */
extern int	cpu_sort_sample_distinct(const SortSample *sample);

#endif							/* GPUCOMPACT_CPU_SORT_SAMPLE_H */
