/*
 * resample.h
 *	  RESAMPLE: the numbers of the second input, summarized for each bin of the
 *	  first input that has any.
 *
 * The first input has int4 or int8 in ascending order.  If it is not, there is
 * an error, and no result.  The first output has the beginning of each bin.
 * The summary has columns, each with room for the same number of bins: as many
 * as the room of the output.
 *
 * A sum of floats is in double precision, and in the order of float_order.h
 * over the elements of its bin alone.  Its operations are those of
 * float_order.h, as GROUP has them.  The least and the greatest of equal floats
 * are as those of STATS: 0 for -0 and 0.  The overflow is OVERFLOW_UP if a sum
 * is out of range, and else OVERFLOW_DOWN if the beginning of a bin is.
 */
#ifndef GPUCOMPACT_OPERATIONS_RESAMPLE_H
#define GPUCOMPACT_OPERATIONS_RESAMPLE_H

#include "contract/bin.h"
#include "contract/engine.h"

/* The parameters are BinParameters. */

typedef struct ResampleColumns
{
	int64_t		room;			/* bins */
	int64_t    *counts;
	double	   *averages;
	char	   *firsts;			/* this one and those below: numbers of the
								 * kind of the second input */
	char	   *leasts;
	char	   *greatests;
	char	   *lasts;
} ResampleColumns;

/* Bytes of a bin in the summary. */
static inline int64_t
resample_bin_bytes(ElementKind kind)
{
	return sizeof(int64_t) + sizeof(double) + 4 * kind_size(kind);
}

static inline ResampleColumns
resample_columns(const EngineRequest *request)
{
	ElementKind kind = request->kinds[1];
	int64_t		room = request->summary_bytes / resample_bin_bytes(kind);
	int64_t		bytes = room * kind_size(kind);
	int64_t    *counts = (int64_t *) request->summary;
	double	   *averages = (double *) (counts + room);
	char	   *firsts = (char *) (averages + room);

	return (ResampleColumns)
	{
		room, counts, averages, firsts, firsts + bytes, firsts + 2 * bytes,
			firsts + 3 * bytes
	};
}

#endif							/* GPUCOMPACT_OPERATIONS_RESAMPLE_H */
