/*
 * range_window.h
 *	  RANGE_WINDOW: a result for the frame around each place of a series, and
 *	  what is in a frame and in which order it is combined.
 *
 * A series has elements at ascending x.  The frame of a place has the elements
 * whose x is no less than the place less "preceding", and no greater than the
 * place and "following" together.  Places are ascending, too; if one or the
 * other are not, there is an error, and no result.
 *
 * The inputs are the x and the elements.  The table has the places; without a
 * table, each x is one.  "errors" is a RangeError.  The second output, if it
 * has memory, is a boolean for each place: whether the frame has an element.
 * Where it has none, the result is undefined.
 *
 * A frame of more than one element is cut in two.  Of the numbers of the first
 * element and of the last one, from 0 on, in binary digits, the cut is in front
 * of the element that has the last one's digits up to the first digit in which
 * the two differ, and zeros behind.  So the numbers of the elements alone say
 * where it is; and while frames slide, it seldom moves.  Then P is what is
 * behind the cut, S what is before it, and the result is S op P.  Tiles have
 * RANGE_TILE elements:
 *
 *	  P = c op p		with p for the elements of the tile of the last element
 *						up to it, from left to right; and c for the tiles
 *						between the cut and that tile, from left to right;
 *	  S = s op c		the same the other way round: s for the elements of the
 *						first element's tile from it on, from right to left; and
 *						c for the tiles up to the cut, from right to left.
 *
 * A tile is combined in segments of RANGE_SEGMENT elements: each from left to
 * right, then the segments from left to right.
 *
 * What is not there is left out; for a sum, that is the same as adding -0.
 *
 * Overflows, floats that are not finite, averages, and minima and maxima are as
 * in window.h.  A count overflows if it is not in the range of the result.
 */
#ifndef GPUCOMPACT_OPERATIONS_RANGE_WINDOW_H
#define GPUCOMPACT_OPERATIONS_RANGE_WINDOW_H

#include <math.h>

#include "contract/engine.h"

/* These define results; they are not tunings. */
#define RANGE_SEGMENT	128
#define RANGE_TILE		1024

typedef enum RangeOperator
{
	RANGE_SUM,
	RANGE_AVERAGE,				/* as float8 */
	RANGE_MIN,
	RANGE_MAX,
	RANGE_COUNT,
	RANGE_FIRST,				/* the first element, and the last one */
	RANGE_LAST
} RangeOperator;

#define RANGE_OPERATORS	(RANGE_LAST + 1)

/* How far a frame reaches from its place; not negative. */
typedef union RangeOffset
{
	int64_t		integer;		/* if x are integers */
	double		real;			/* if they are floats; not NaN */
} RangeOffset;

typedef struct RangeWindowParameters
{
	RangeOperator op;
	bool		times;			/* the least and the greatest of the integers
								 * are infinite */
	bool		preceding_all;	/* an offset of integers is infinite */
	bool		following_all;
	RangeOffset preceding;
	RangeOffset following;
} RangeWindowParameters;

typedef enum RangeError
{
	RANGE_X_DESCEND = 1,
	RANGE_PLACES_DESCEND
} RangeError;

/*
 * The least x in the frame of a place, and the greatest one; of integers from
 * "first" to "last".  A finite time does not become infinite by an offset.
 */
static inline int64_t
range_low_integer(const RangeWindowParameters *parameters, int64_t place,
				  int64_t first, int64_t last)
{
	int64_t		offset = parameters->preceding.integer;
	int64_t		least = parameters->times ? first + 1 : INT64_MIN;
	int64_t		low = place < least + offset ? least : place - offset;

	low = parameters->times && (place == first || place == last) ? place : low;
	return parameters->preceding_all ? INT64_MIN : low;
}

static inline int64_t
range_high_integer(const RangeWindowParameters *parameters, int64_t place,
				   int64_t first, int64_t last)
{
	int64_t		offset = parameters->following.integer;
	int64_t		greatest = parameters->times ? last - 1 : INT64_MAX;
	int64_t		high = place > greatest - offset ? greatest : place + offset;

	high = parameters->times && (place == first || place == last) ?
		place : high;
	return parameters->following_all ? INT64_MAX : high;
}

/* The same of floats, as core's operators have them. */
static inline double
range_low_float(const RangeWindowParameters *parameters, double place)
{
	return parameters->preceding.real == HUGE_VAL && place == place ?
		-HUGE_VAL : place - parameters->preceding.real;
}

static inline double
range_high_float(const RangeWindowParameters *parameters, double place)
{
	return parameters->following.real == HUGE_VAL && place == place ?
		HUGE_VAL : place + parameters->following.real;
}

/* The cut of a frame whose first element is not its last one. */
static inline int32_t
range_cut(int32_t first, int32_t last)
{
	int			digit = 31 - __builtin_clz((uint32_t) (first ^ last));

	return last >> digit << digit;
}

#endif							/* GPUCOMPACT_OPERATIONS_RANGE_WINDOW_H */
