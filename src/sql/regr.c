/*
 * regr.c
 *	  gpu_regr: core's regression aggregates over the pairs of two arrays, in
 *	  one read.
 *
 * The moments are summed up in the order of contract/operations/regr.h; the
 * results are computed from them as core does.
 */
#include "compat.h"

#include <math.h>

#include "access/htup_details.h"
#include "fmgr.h"
#include "funcapi.h"

#include "contract/operations/regr.h"
#include "sql/pairs.h"

PG_FUNCTION_INFO_V1(gpu_regr);

/* The columns of the result. */
typedef enum RegrColumn
{
	REGR_COUNT,
	REGR_CORR,
	REGR_COVAR_SAMP,
	REGR_SLOPE,
	REGR_INTERCEPT,
	REGR_R2,
	REGR_COLUMNS
} RegrColumn;

typedef struct RegrRow
{
	Datum		values[REGR_COLUMNS];
	bool		nulls[REGR_COLUMNS];
} RegrRow;

static void
put(RegrRow *row, RegrColumn column, double value)
{
	row->values[column] = Float8GetDatum(one_nan(value));
	row->nulls[column] = false;
}

/*
 * The moments, without the rounding errors that the sums of equal numbers have.
 * (If these are infinite or NaN, the sums are NaN.)
 */
static PairMoments
clean_moments(const EngineRegr *regr)
{
	PairMoments moments = regr->moments;

	if (regr->y_differs == 0 && isfinite(moments.y.squares))
		moments.y.squares = 0;
	if (regr->x_differs == 0 && isfinite(moments.x.squares))
		moments.x.squares = 0;
	if ((regr->y_differs == 0 || regr->x_differs == 0) &&
		isfinite(moments.products))
		moments.products = 0;
	return moments;
}

/* What core's final functions return. */
static void
put_moments(RegrRow *row, PairMoments moments)
{
	double		count = moments.y.count;
	double		y_squares = moments.y.squares;
	double		x_squares = moments.x.squares;
	double		products = moments.products;

	if (count > 1)
		put(row, REGR_COVAR_SAMP, products / (count - 1));
	if (x_squares == 0)
		return;
	put(row, REGR_SLOPE, products / x_squares);
	put(row, REGR_INTERCEPT,
		(moments.y.sum - moments.x.sum * products / x_squares) / count);
	if (y_squares == 0)
	{
		put(row, REGR_R2, 1);
		return;
	}
	put(row, REGR_CORR, products / sqrt(x_squares * y_squares));
	put(row, REGR_R2, (products * products) / (x_squares * y_squares));
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
Datum
gpu_regr(PG_FUNCTION_ARGS)
{
	EngineRegr	regr;
	EngineRequest request = {
		.operation = ENGINE_REGR,
		.summary = &regr,
		.summary_bytes = sizeof(regr)
	};
	TupleDesc	row_type = call_row_type(fcinfo);
	HeapTuple	tuple;
	RegrRow		row;
	ArrayPairs	pairs;

	call_begin("gpu_regr");
	pairs_open(&pairs, fcinfo, "y", "x", true);
	check_overflow(KIND_FLOAT8, pairs_run(&pairs, &request).overflow);

	memset(row.nulls, true, sizeof(row.nulls));
	row.values[REGR_COUNT] = Int64GetDatum(pairs.count);
	row.nulls[REGR_COUNT] = false;
	if (pairs.count > 0)
		put_moments(&row, clean_moments(&regr));
	tuple = heap_form_tuple(row_type, row.values, row.nulls);
	pairs_end(&pairs, tuple->t_len);
	return HeapTupleGetDatum(tuple);
}
