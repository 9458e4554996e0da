/*
 * window_percentile.h
 *	  WINDOW_PERCENTILE: a percentile of the frame around each element.
 *
 * The frame of element i goes from i - preceding to i + following, cut at the
 * ends of the array.  The results are elements; or, if "continuous", float8,
 * interpolated between two elements as numbers.  Among equal elements, -0 comes
 * before 0, however wide the frame is.
 *
 * The table has int32 numbers.  If "counted", it begins with the number of
 * values in each frame, at least 0: the frame's other elements are no values,
 * but no less than any of them.  The result of a frame without values is
 * undefined.  If frames are wide, the positions of the elements follow, from 1
 * on, in the stable order of the elements.
 */
#ifndef GPUCOMPACT_OPERATIONS_WINDOW_PERCENTILE_H
#define GPUCOMPACT_OPERATIONS_WINDOW_PERCENTILE_H

#include "contract/engine.h"

/* The most elements of a frame that is not wide. */
#define WINDOW_PERCENTILE_NARROW	(16 * 1024)

typedef struct WindowPercentileParameters
{
	double		fraction;
	int64_t		preceding;		/* elements of a frame before its own */
	int64_t		following;		/* and after; both fewer than there are */
	bool		continuous;
	bool		counted;
} WindowPercentileParameters;

/* Elements of a frame that no end of the array cuts. */
static inline int64_t
window_percentile_width(const EngineRequest *request)
{
	const WindowPercentileParameters *parameters =
		PARAMETERS(request, WindowPercentileParameters);

	return parameters->preceding + 1 + parameters->following;
}

static inline bool
window_percentile_is_wide(const EngineRequest *request)
{
	return window_percentile_width(request) > WINDOW_PERCENTILE_NARROW;
}

#endif							/* GPUCOMPACT_OPERATIONS_WINDOW_PERCENTILE_H */
