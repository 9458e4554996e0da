/*
 * interpolate.h
 *	  INTERPOLATE: linear interpolation between the points of a series, and its
 *	  arithmetic, which both engines share.
 *
 * The table has the y of each point, as a float8; and behind them the x, of the
 * kind of the input, ascending as order.h has it.  A y that is INTERPOLATE_NULL
 * stands for NULL; other NaNs are canonical.
 *
 * The input has the places.  At a place that is an x, the result is the y of
 * the last point with that x.  Elsewhere, (x1, y1) and (x2, y2) are the points
 * next to the place, of points with the same x the last ones, and the result is
 *
 *	  y1 + (y2 - y1) * ((place - x1) / (x2 - x1))
 *
 * in float8.  Differences of integers are exact before they are rounded.  The
 * result is INTERPOLATE_NULL, and "errors" counts it, if there is no such point,
 * if a y that is needed is NULL, or if "limited" and x2 - x1 is greater than
 * "widest", as a NaN is.  All NaNs become the same one.
 *
 * Overflows are those of core's operators: OVERFLOW_DOWN is an underflow.
 */
#ifndef GPUCOMPACT_OPERATIONS_INTERPOLATE_H
#define GPUCOMPACT_OPERATIONS_INTERPOLATE_H

#include <math.h>
#include <string.h>

#include "contract/engine.h"

/* The bits of the NaN that stands for NULL, and of the canonical one. */
#define INTERPOLATE_NULL	0x7FF8000000000001ull
#define INTERPOLATE_NAN		0x7FF8000000000000ull

typedef struct InterpolateParameters
{
	bool		limited;
	double		widest;
} InterpolateParameters;

/* From a point to a place, or to the next point. */
typedef struct Distance
{
	double		length;
	bool		overflows;
} Distance;

ENGINES_INLINE double
double_of_bits(uint64_t bits)
{
	double		value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

ENGINES_INLINE double
interpolate_null(void)
{
	return double_of_bits(INTERPOLATE_NULL);
}

ENGINES_INLINE bool
interpolate_is_null(double y)
{
	uint64_t	bits;

	memcpy(&bits, &y, sizeof(bits));
	return bits == INTERPOLATE_NULL;
}

/* The points of a request. */
static inline int64_t
interpolate_points(const EngineRequest *request)
{
	return request->table_bytes /
		(int64_t) (sizeof(double) + input_size(request, 0));
}

ENGINES_INLINE bool
is_infinity(double value)
{
	return fabs(value) == HUGE_VAL;
}

/* The distance of two integers; "to" is at least "from". */
ENGINES_INLINE Distance
integer_distance(uint64_t from, uint64_t to)
{
	Distance	distance = {(double) (to - from), false};

	return distance;
}

ENGINES_INLINE Distance
float_distance(double from, double to)
{
	Distance	distance = {to - from, false};

	if (is_infinity(distance.length))
		distance.overflows = !is_infinity(from) && !is_infinity(to);
	return distance;
}

/* Notes an overflow; OVERFLOW_UP counts more. */
ENGINES_INLINE void
interpolate_note(EngineOverflow *overflow, EngineOverflow noted)
{
	if (*overflow != OVERFLOW_UP)
		*overflow = noted;
}

/*
 * The result at a place that is "way" behind a point, where the next point is
 * "gap" behind it.  The operations are as in the formula, and each is rounded.
 */
ENGINES_INLINE double
interpolate_between(const InterpolateParameters *parameters, Distance way,
					Distance gap, double y1, double y2,
					EngineOverflow *overflow)
{
	double		part = way.length / gap.length;
	double		rise = y2 - y1;
	double		step = rise * part;
	double		y = y1 + step;

	if (gap.overflows)
		interpolate_note(overflow, OVERFLOW_UP);
	if (parameters->limited && !(gap.length <= parameters->widest))
		return interpolate_null();
	if (fabs(y) < HUGE_VAL && step != 0)
		return y;
	if (way.overflows)
		interpolate_note(overflow, OVERFLOW_UP);
	else if (part == 0 && way.length != 0 && !is_infinity(gap.length))
		interpolate_note(overflow, OVERFLOW_DOWN);
	if (interpolate_is_null(y1) || interpolate_is_null(y2))
		return interpolate_null();
	if (is_infinity(rise) && !is_infinity(y1) && !is_infinity(y2))
		interpolate_note(overflow, OVERFLOW_UP);
	else if (step == 0 && rise != 0 && part != 0)
		interpolate_note(overflow, OVERFLOW_DOWN);
	else if (is_infinity(y) && !is_infinity(y1) && !is_infinity(step))
		interpolate_note(overflow, OVERFLOW_UP);
	return y != y ? double_of_bits(INTERPOLATE_NAN) : y;
}

#endif							/* GPUCOMPACT_OPERATIONS_INTERPOLATE_H */
