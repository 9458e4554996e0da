/*
 * lttb.h
 *	  LTTB: largest triangle, three buckets, the elements of a line chart
 *	  (Steinarsson, "Downsampling time series for visual representation",
 *	  2013); and its arithmetic, which both engines share.
 *
 * The y of a point is an element as a float8.  Its x is its place, from 1 on;
 * or what a second input has, ascending: its position, of KIND_INT4, or any x,
 * of KIND_FLOAT8.  The results are the places of "chosen" points, at least 3
 * and fewer than all: int32 from 1 on, ascending.  They are the first and the
 * last point, and of each bucket between them the point that makes the largest
 * triangle with the point chosen from the bucket before, and the average of
 * the points of the bucket behind.  The last point alone is behind the last
 * bucket.  Of equal areas, the first one is the largest, and NaN is greater
 * than all others.
 *
 * An average is a sum, from left to right, divided by the number of points.
 */
#ifndef GPUCOMPACT_OPERATIONS_LTTB_H
#define GPUCOMPACT_OPERATIONS_LTTB_H

#include <string.h>

#include "contract/engine.h"

typedef struct LttbParameters
{
	int64_t		chosen;
} LttbParameters;

typedef struct Point
{
	double		x;
	double		y;
} Point;

/* What stands for the area NaN: more than the bits of infinity. */
#define LTTB_NAN			0x7ff0000000000001

/* The sum of as many integers of 4 bytes is exact as a float8. */
#define LTTB_MOST_EXACT		(1 << 22)

/*
 * A GPU chooses from the buckets one after the other, about 1 us each, while
 * other calls wait.  So it takes no more buckets than these, and no larger
 * ones: one thread adds the floats of a bucket from left to right.
 */
#define LTTB_MOST_BUCKETS	8192
#define LTTB_MOST_POINTS	(256 * 1024)

static inline int64_t
lttb_buckets(const EngineRequest *request)
{
	return PARAMETERS(request, LttbParameters)->chosen - 2;
}

/* Returns whether a GPU takes the request. */
static inline bool
lttb_is_for_gpu(const EngineRequest *request)
{
	int64_t		buckets = lttb_buckets(request);

	return buckets <= LTTB_MOST_BUCKETS &&
		request->count <= buckets * LTTB_MOST_POINTS;
}

/*
 * The points before a bucket, from 0 on.  The bucket behind the last one has
 * the last point; there are none behind that one.
 */
ENGINES_INLINE int64_t
lttb_first(int64_t points, int64_t buckets, int64_t bucket)
{
	if (bucket > buckets)
		return points;
	return 1 + bucket * (points - 2) / buckets;
}

/*
 * Areas are ordered by their bits without the sign.  On a GPU, fabs() may
 * leave NaN its sign.
 */
ENGINES_INLINE int64_t
lttb_area_order(double area)
{
	int64_t		bits;

	memcpy(&bits, &area, sizeof(bits));
	bits &= INT64_MAX;
	return bits < LTTB_NAN ? bits : LTTB_NAN;
}

/* Twice the area of a triangle, as lttb_area_order() has it. */
ENGINES_INLINE int64_t
lttb_area(Point a, Point b, Point c)
{
	return lttb_area_order((a.x - c.x) * (b.y - a.y) -
						   (a.x - b.x) * (c.y - a.y));
}

#endif							/* GPUCOMPACT_OPERATIONS_LTTB_H */
