/*
 * resample.c
 *	  gpu_resample: a series of numbers, summarized in bins of equal width.
 *
 * The engine gets the pairs of a time and a number in which neither is NULL.
 */
#include "sql/function.h"

#include "contract/operations/resample.h"

#define COLUMNS		7

/* The results of a call. */
typedef struct Resampled
{
	RowColumn	columns[COLUMNS];
	int64		count;
	void	   *begins;			/* of the bins */
	void	   *summary;
} Resampled;

/* The most bins that a row can have, and one more. */
static int64
row_room(const ArrayPairs *pairs)
{
	return MaxAllocSize / (pairs->first.type.size +
						   resample_bin_bytes(pairs->second.type.kind)) + 1;
}

/*
 * Room for the bins of a series in order: as many as there are between the
 * first and the last element, if no pair has a NULL, but no more than pairs.
 */
static int64
bins_room(ArrayPairs *pairs, const BinParameters *bins)
{
	ArrayReader *reader = &pairs->first;
	int			size = reader->type.size;
	int64		most = Min(pairs->count, row_room(pairs));
	char	   *ends;
	uint64		strides;

	if (pairs->values != NULL || reader->deferred != NULL || most == 0)
		return most;
	ends = values_at(reader, (int32[]) {1, (int32) reader->count}, 2);
	strides = ((uint64) element_integer(ends + size, size) -
			   (uint64) element_integer(ends, size)) / (uint64) bins->stride;
	pfree(ends);

	/* Infinite times may be two bins more than there are between. */
	return strides < (uint64) most ? Min(most, (int64) strides + 4) : most;
}

/*
 * Summarizes the pairs.
 *
 * Raises 22023 if the first array descends, and 22008 or 22003 if a bin or a
 * sum is out of range.
 */
static Resampled
resample(ArrayPairs *pairs, const BinParameters *bins)
{
	ElementType at = pairs->first.type;
	ElementType number = pairs->second.type;
	int64		room = bins_room(pairs, bins);
	Resampled	resampled = {
		.begins = large_value_allocate(room * at.size + 1),
		.summary = large_value_allocate(room *
										resample_bin_bytes(number.kind) + 1)
	};
	EngineRequest request = {
		.operation = ENGINE_RESAMPLE,
		.kinds[1] = number.kind,
		.outputs[0] = {resampled.begins, at.kind},
		.summary = resampled.summary,
		.summary_bytes = room * resample_bin_bytes(number.kind),
		.room = Max(room, 1)
	};
	ResampleColumns columns;
	EngineResult result;
	int64		count;

	*PARAMETERS(&request, BinParameters) = *bins;
	result = pairs_run(pairs, &request);
	if (result.errors > 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("at must be in ascending order"),
				 errhint("Sort both arrays: gpu_radix_sort(at), "
						 "gpu_sort_by_key(a, at).")));
	if (result.overflow == OVERFLOW_UP)
		check_overflow(KIND_FLOAT8, OVERFLOW_UP);
	check_bins(&at, result.overflow != OVERFLOW_NONE);

	/* Only bins that no row could have are not there. */
	Assert(result.count <= room || room == row_room(pairs));
	columns = resample_columns(&request);
	resampled.count = count = result.count;
	memcpy(resampled.columns, (RowColumn[COLUMNS])
		   {{at, resampled.begins, count},
		   {*int8_type, columns.counts, count},
		   {number, columns.firsts, count}, {number, columns.leasts, count},
		   {number, columns.greatests, count}, {number, columns.lasts, count},
		   {*float8_type, columns.averages, count}},
		   sizeof(resampled.columns));
	return resampled;
}

/*
 * gpu_resample(at T[], a anyarray, stride, origin T, OUT at T[],
 *				OUT count bigint[], OUT first anyarray, OUT min anyarray,
 *				OUT max anyarray, OUT last anyarray,
 *				OUT avg double precision[])
 *
 * As SELECT date_bin(stride, t, origin), count(x), ..., avg(x) ... WHERE t IS
 * NOT NULL AND x IS NOT NULL GROUP BY 1 ORDER BY 1, with arrays for columns.
 *
 * Raises 22023 if "at" is not in ascending order, and 2202E if the arrays
 * differ in length.
 */
SQL_CALL_FUNCTION(gpu_resample, "gpu_resample", 0)
{
	TupleDesc	row_type = call_row_type(fcinfo, COLUMNS, NULL);
	BinParameters bins;
	ArrayPairs	pairs;
	Resampled	resampled;
	Datum		row;

	pairs_open(&pairs, fcinfo, "at", "a", false);
	bins = stride_arguments(fcinfo, 2, &pairs.first.type);
	resampled = resample(&pairs, &bins);
	row = row_of_arrays(resampled.columns, COLUMNS, resampled.count, row_type);
	pfree(resampled.begins);
	pfree(resampled.summary);
	pairs_end(&pairs, VARSIZE(DatumGetPointer(row)));
	return row;
}
