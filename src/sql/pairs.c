/*
 * pairs.c
 *	  The pairs of two arrays, element by element, without pairs that have a
 *	  NULL: gpu_dot, the sum of their products; gpu_regr, core's regression
 *	  aggregates in one read; and gpu_resample, which summarizes a series of
 *	  numbers in bins of equal width.
 *
 * Arrays without NULLs go to the engine as they are.  Otherwise both are read
 * with a value in place of each NULL, and the pairs that have a NULL are
 * removed.  Moments are summed up in the order of contract/operations/regr.h;
 * the results are computed from them as core does.
 */
#include "sql/function.h"

#include <math.h>

#include "contract/operations/dot.h"
#include "contract/operations/regr.h"
#include "contract/operations/resample.h"

/*
 * The pairs of two arrays, element by element, without pairs that have a NULL.
 */
typedef struct ArrayPairs
{
	ArrayReader first;
	ArrayReader second;
	uint8	   *values;			/* the bitmap of the pairs without a NULL; or
								 * NULL if no pair has one */
	int64		count;			/* of these pairs */
} ArrayPairs;

/*
 * Opens the first two arguments of a function, which have these names.
 *
 * Raises 0A000 if they are no arrays of numbers, which the first one need not
 * be unless "numbers" says so, or have several dimensions, and 2202E if they
 * differ in length.
 */
static void
pairs_open(ArrayPairs *pairs, FunctionCallInfo fcinfo,
		   const char *first_name, const char *second_name, bool numbers)
{
	int64		nitems;

	call_open_list(&pairs->first, fcinfo, 0, NULLS_FILLED);
	if (numbers)
		call_check_number(&pairs->first, fcinfo, 0);
	call_open_list(&pairs->second, fcinfo, 1, NULLS_FILLED);
	call_check_number(&pairs->second, fcinfo, 1);
	call_check_pair(&pairs->first, first_name, &pairs->second, second_name);
	pairs->values = NULL;
	pairs->count = nitems = pairs->first.nitems;
	if (pairs->first.nulls == NULL && pairs->second.nulls == NULL)
		return;
	pairs->values = palloc(null_bitmap_bytes(nitems));
	null_bitmap_combine(pairs->values, pairs->first.nulls,
						pairs->second.nulls, nitems, BITMAP_AND);
	pairs->count = null_bitmap_count_values(pairs->values, 0, nitems);
}

/* Runs a request over all pairs, in which a zero stands for each NULL. */
static EngineResult
pairs_run_filled(ArrayPairs *pairs, EngineRequest *request)
{
	CallInput	second = array_input(&pairs->second);

	request->count = pairs->first.nitems;
	return call_engine_paired(request, &pairs->first, &second);
}

/* Runs a request over the pairs without a NULL. */
static EngineResult
pairs_run(ArrayPairs *pairs, EngineRequest *request)
{
	SelectedElements first;
	SelectedElements second;
	EngineResult result;

	if (pairs->values == NULL)
		return pairs_run_filled(pairs, request);
	selected_begin(&first, &pairs->first, pairs->values, pairs->count, NULL);
	selected_begin(&second, &pairs->second, pairs->values, pairs->count, NULL);
	request->count = pairs->count;
	result = call_engine_inputs(request,
								(CallInput *[]) {&first.input, &second.input},
								2);
	selected_end(&second);
	selected_end(&first);
	return result;
}

/* Ends the call, with a result of "bytes_out" bytes. */
static void
pairs_end(ArrayPairs *pairs, int64 bytes_out)
{
	if (pairs->values != NULL)
		pfree(pairs->values);
	array_reader_close(&pairs->second);
	call_end_bytes(&pairs->first, bytes_out);
}

/*
 * gpu_dot(a T[], b T[])
 *		returns bigint for smallint, numeric for integer and bigint, and T for
 *		floats
 *
 * As sum(x * y) over unnest(a, b) AS u (x, y); of integers, with x cast to a
 * type in which no product overflows: sum(x::integer * y), sum(x::bigint * y),
 * sum(x::numeric * y).
 *
 * Raises 2202E if the arrays differ in length, and 22003 if floats overflow or
 * underflow.
 */
SQL_CALL_FUNCTION(gpu_dot, "gpu_dot", 0)
{
	EngineDot	dot;
	EngineRequest request = {
		.operation = ENGINE_DOT,
		.summary = &dot,
		.summary_bytes = sizeof(dot)
	};
	EngineResult result;
	ArrayPairs	pairs;
	ElementKind kind;

	pairs_open(&pairs, fcinfo, "a", "b", true);
	kind = pairs.first.type.kind;

	/*
	 * A pair with a zero adds nothing to a sum of integers; of floats, 0 * NaN
	 * does, and the order of the others depends on their number.
	 */
	result = kind_is_float(kind) ? pairs_run(&pairs, &request) :
		pairs_run_filled(&pairs, &request);
	check_overflow(kind, result.overflow);
	pairs_end(&pairs, pairs.count > 0 ? sizeof(Datum) : 0);
	if (pairs.count == 0)
		PG_RETURN_NULL();
	return sum_datum(kind, dot.floats, dot.integers, kind != KIND_INT2);
}

static NullableDatum
float_column(double value, bool isnull)
{
	return (NullableDatum) {Float8GetDatum(one_nan(value)), isnull};
}

/*
 * The row of what core's final functions return.  The sums of equal numbers are
 * without their rounding errors.  (If these are infinite or NaN, the sums are
 * NaN.)
 */
static HeapTuple
form_regr(TupleDesc type, int64 count, const EngineRegr *regr)
{
	PairMoments moments = regr->moments;
	bool		y_equal = regr->y_differs == 0;
	bool		x_equal = regr->x_differs == 0;
	double		y_squares = y_equal && isfinite(moments.y.squares) ?
		0 : moments.y.squares;
	double		x_squares = x_equal && isfinite(moments.x.squares) ?
		0 : moments.x.squares;
	double		products = (y_equal || x_equal) && isfinite(moments.products) ?
		0 : moments.products;
	bool		none = count == 0 || x_squares == 0;
	NullableDatum row[] = {
		{Int64GetDatum(count)},
		float_column(products / sqrt(x_squares * y_squares),
					 none || y_squares == 0),
		float_column(products / (count - 1), count < 2),
		float_column(products / x_squares, none),
		float_column((moments.y.sum - moments.x.sum * products / x_squares) /
					 count, none),
		float_column(y_squares == 0 ? 1 :
					 (products * products) / (x_squares * y_squares), none)
	};

	return form_row(type, row, lengthof(row));
}

/*
 * gpu_regr(y anyarray, x anycompatiblearray, OUT count bigint,
 *			OUT corr float8, OUT covar_samp float8, OUT slope float8,
 *			OUT intercept float8, OUT r2 float8)
 *
 * As regr_count(y, x), corr(y, x), covar_samp(y, x), regr_slope(y, x),
 * regr_intercept(y, x) and regr_r2(y, x) over unnest(y, x) AS u (y, x).
 *
 * Raises 2202E if the arrays differ in length, and 22003 if a sum overflows.
 */
SQL_CALL_FUNCTION(gpu_regr, "gpu_regr", 0)
{
	EngineRegr	regr = {0};
	EngineRequest request = {
		.operation = ENGINE_REGR,
		.summary = &regr,
		.summary_bytes = sizeof(regr)
	};
	static const Oid types[] = {
		INT8OID, FLOAT8OID, FLOAT8OID, FLOAT8OID, FLOAT8OID, FLOAT8OID
	};
	TupleDesc	row_type = call_row_type(fcinfo, lengthof(types), types);
	HeapTuple	row;
	ArrayPairs	pairs;

	pairs_open(&pairs, fcinfo, "y", "x", true);
	check_overflow(KIND_FLOAT8, pairs_run(&pairs, &request).overflow);
	row = form_regr(row_type, pairs.count, &regr);
	pairs_end(&pairs, row->t_len);
	return HeapTupleGetDatum(row);
}

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
 * A row of the bins of the pairs, which are summarized.
 *
 * Raises 22023 if the first array descends, and 22008 or 22003 if a bin or a
 * sum is out of range.
 */
static Datum
resample(ArrayPairs *pairs, const BinParameters *bins, TupleDesc row_type)
{
	ElementType at = pairs->first.type;
	ElementType number = pairs->second.type;
	int64		room = bins_room(pairs, bins);
	Size		bytes = room * resample_bin_bytes(number.kind);
	EngineRequest request = {
		.operation = ENGINE_RESAMPLE,
		.kinds[1] = number.kind,
		.outputs[0] = {large_value_allocate(room * at.size + 1), at.kind},
		.summary = large_value_allocate(bytes + 1),
		.summary_bytes = bytes,
		.room = Max(room, 1)
	};
	ResampleColumns columns;
	EngineResult result;
	int64		n;
	Datum		row;

	*PARAMETERS(&request, BinParameters) = *bins;
	result = pairs_run(pairs, &request);
	if (result.errors > 0)
		raise_descending("at", _("Sort both arrays: gpu_radix_sort(at), "
								 "gpu_sort_by_key(a, at)."));
	if (result.overflow == OVERFLOW_UP)
		check_overflow(KIND_FLOAT8, OVERFLOW_UP);
	check_bins(&at, result.overflow != OVERFLOW_NONE);

	/* Only bins that no row could have are not there. */
	n = result.count;
	Assert(n <= room || room == row_room(pairs));
	columns = resample_columns(&request);
	row = row_of_arrays((RowColumn[])
						{{at, request.outputs[0].memory, n},
						{*int8_type, columns.counts, n},
						{number, columns.firsts, n},
						{number, columns.leasts, n},
						{number, columns.greatests, n},
						{number, columns.lasts, n},
						{*float8_type, columns.averages, n}},
						row_type->natts, n, row_type);
	pfree(request.outputs[0].memory);
	pfree(request.summary);
	return row;
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
	TupleDesc	row_type = call_row_type(fcinfo, 7, NULL);
	BinParameters bins;
	ArrayPairs	pairs;
	Datum		row;

	pairs_open(&pairs, fcinfo, "at", "a", false);
	bins = stride_arguments(fcinfo, 2, &pairs.first.type);
	row = resample(&pairs, &bins, row_type);
	pairs_end(&pairs, VARSIZE(DatumGetPointer(row)));
	return row;
}
