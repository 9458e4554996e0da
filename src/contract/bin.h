/*
 * bin.h
 *	  Bins of equal width, as core's date_bin has them.
 *
 * The bin of an element is the last one that begins at or before it.
 */
#ifndef GPUCOMPACT_BIN_H
#define GPUCOMPACT_BIN_H

#include "contract/kinds.h"

typedef struct BinParameters
{
	int64_t		stride;			/* greater than zero */
	int64_t		origin;			/* modulo the stride, not less than zero */
	int64_t		least;			/* that a bin may begin with */
	bool		times;			/* the least and the greatest bigint are
								 * infinite: each is a bin */
} BinParameters;

ENGINES_INLINE bool
bin_is_infinite(const BinParameters *parameters, int64_t x)
{
	return parameters->times && (x == INT64_MIN || x == INT64_MAX);
}

/* How far an element that is not infinite is from the beginning of its bin. */
ENGINES_INLINE int64_t
bin_rest(const BinParameters *parameters, int64_t x)
{
	int64_t		rest = x % parameters->stride;

	rest += rest < 0 ? parameters->stride : 0;
	rest -= parameters->origin;
	return rest + (rest < 0 ? parameters->stride : 0);
}

/*
 * The beginning of an element's bin.  Notes if that is out of range; then it is
 * the element.
 */
ENGINES_INLINE int64_t
bin_begin(const BinParameters *parameters, int64_t x, bool *out_of_range)
{
	int64_t		rest;

	if (bin_is_infinite(parameters, x))
		return x;
	rest = bin_rest(parameters, x);
	if (x >= 0 || x - INT64_MIN >= rest)
	{
		if (x - rest >= parameters->least)
			return x - rest;
	}
	*out_of_range = true;
	return x;
}

/*
 * How wide the bin is that begins there: it ends where elements do, and
 * infinite ones are not in it.
 */
ENGINES_INLINE uint64_t
bin_width(const BinParameters *parameters, int64_t begin)
{
	uint64_t	last = (uint64_t) INT64_MAX - (uint64_t) begin;

	if (bin_is_infinite(parameters, begin))
		return 1;
	return (uint64_t) parameters->stride <= last ?
		(uint64_t) parameters->stride : last + !parameters->times;
}

#endif							/* GPUCOMPACT_BIN_H */
