/*
 * even_buckets.h
 *	  Thresholds of buckets, and of even buckets.
 */
#ifndef GPUCOMPACT_EVEN_BUCKETS_H
#define GPUCOMPACT_EVEN_BUCKETS_H

#include "compat.h"

#include "fmgr.h"

#include "array/element.h"

/*
 * Thresholds in ascending order, each as an unsigned integer of "size" bytes.
 */
typedef struct Thresholds
{
	int			size;
	int64		count;
	char	   *indexes;
} Thresholds;

static inline void
put_threshold(Thresholds *thresholds, int64 i, uint64 index)
{
	put_element_bits(thresholds->indexes + i * thresholds->size, index,
					 thresholds->size);
}

static inline uint64
get_threshold(const Thresholds *thresholds, int64 i)
{
	return element_bits(thresholds->indexes + i * thresholds->size,
						thresholds->size);
}

/*
 * Even buckets between two bounds, as width_bucket(x, low, high, buckets) has
 * them.  They are cached from call to call.  If "reversed", low > high, and the
 * elements of the first bucket are the greatest: then the thresholds begin with
 * that of the last bucket.  For floats, NaN is one more threshold at the end.
 */
typedef struct EvenBuckets
{
	ElementKind kind;
	uint64		hash;			/* for aggregates; or zero */
	Datum		low;
	Datum		high;
	int32		buckets;
	bool		constant;		/* all calls of this site name these */
	bool		reversed;
	double		first;			/* the lower bound, about */
	double		scale;			/* buckets per unit, about */
	Thresholds	thresholds;
	MemoryContext context;		/* has all that is above */
} EvenBuckets;

extern int64 core_bucket(const EvenBuckets *even, uint64 index);
extern EvenBuckets *even_buckets(FunctionCallInfo fcinfo, int first,
								 ElementKind kind, bool float_bounds);
extern int64 even_bucket(const EvenBuckets *even, Datum value);

#endif							/* GPUCOMPACT_EVEN_BUCKETS_H */
