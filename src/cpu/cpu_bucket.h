/*
 * cpu_bucket.h
 *	  Which buckets elements are in, for the operations that need to know.
 */
#ifndef GPUCOMPACT_CPU_BUCKET_H
#define GPUCOMPACT_CPU_BUCKET_H

#include "cpu_engine.h"

/*
 * Finds how many of the request's thresholds are no greater than each of some
 * elements.
 */
typedef void (*FindBuckets) (const EngineRequest *request,
							 const void *elements, int64_t count,
							 int32_t *buckets);

extern FindBuckets cpu_find_buckets(ElementKind kind);

#endif							/* GPUCOMPACT_CPU_BUCKET_H */
