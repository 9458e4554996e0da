/*
 * cpu_bucket.h
 *	  Which buckets elements are in, for the operations that need to know.
 */
#ifndef GPUCOMPACT_CPU_BUCKET_H
#define GPUCOMPACT_CPU_BUCKET_H

#include "cpu/cpu_engine.h"

/*
 * Finds how many of the request's thresholds are no greater than each of some
 * elements.
 */
typedef void (*FindBuckets) (const CpuJob *job, const void *elements,
							 int64_t count, int32_t *buckets);

/*
 * Up to this many bytes of thresholds, an element is compared with all of them
 * instead of searched.  Measured on a Zen 5: a search takes as long with SSE2
 * and AVX2 at some 100, and four times as long with AVX-512 at 128.
 */
#define BUCKET_COMPARE		128

/* cpu_bucket.c */
extern FindBuckets cpu_find_buckets(const CpuJob *job);

/* cpu_bucket_cells.c: when a job begins */
extern bool cpu_buckets_begin(CpuJob *job);
extern FindBuckets cpu_look_up_buckets(ElementKind kind);

#endif							/* GPUCOMPACT_CPU_BUCKET_H */
