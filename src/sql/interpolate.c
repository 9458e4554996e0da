/*
 * interpolate.c
 *	  The SQL function that interpolates between the points of a series.
 *
 * The points are the engine's table, in which a certain NaN stands for a NULL.
 * The same NaN is what the engine returns for NULL.
 */
#include "sql/function.h"

#include <math.h>

#include "utils/timestamp.h"

#include "contract/operations/interpolate.h"
#include "loops/numbers.h"

/* Points that are read together, which stay in the cache. */
#define BLOCK			16384

/* The points of a request. */
typedef struct Series
{
	ElementType type;			/* of x */
	int64		points;
	double	   *y;
	char	   *x;				/* behind y */
} Series;

/* Reads x.  Raises 22023 if it descends. */
static void
read_x(Series *series, ArrayReader *reader)
{
	int			size = series->type.size;

	for (int64 from = 0, count; from < series->points; from += count)
	{
		int64		checked = Max(from - 1, 0);

		count = Min(BLOCK, series->points - from);
		array_reader_copy(reader, series->x + from * size, count);
		if (!are_ascending(series->type.kind, series->x + checked * size,
						   (int) (from + count - checked)))
			series_raise_descending();
	}
}

/* Reads y. */
static void
read_y(Series *series, ArrayReader *reader)
{
	int64	   *buffer = palloc(Min(BLOCK, series->points) * sizeof(int64) + 1);

	for (int64 from = 0, count; from < series->points; from += count)
	{
		double	   *y = series->y + from;

		CHECK_FOR_INTERRUPTS();
		count = Min(BLOCK, series->points - from);
		convert_numbers(reader->type.kind,
						array_reader_next(reader, buffer, count), (int) count,
						y);
		for (int64 i = 0; reader->nulls != NULL && i < count; i++)
		{
			if (!null_bitmap_is_value(reader->nulls, from + i))
				y[i] = interpolate_null();
		}
	}
	pfree(buffer);
}

/*
 * Raises 22008 if a date or a timestamp is infinite.  The first one or the last
 * one is, then: it is the least or the greatest of its type.
 */
static void
check_times(const Series *series)
{
	ElementKind kind = series->type.kind;
	int			size = series->type.size;
	const char *last = series->x + (series->points - 1) * size;

	if (series->points > 0 && series_is_time(&series->type) &&
		(element_index(kind, element_bits(series->x, size)) == 0 ||
		 element_index(kind, element_bits(last, size)) == last_index(kind)))
		ereport(ERROR,
				(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
				 errmsg("cannot interpolate between infinite %s",
						series->type.base == DATEOID ? "dates" :
						"timestamps")));
}

/*
 * The widest gap, as the engine measures it; NaN if there is no limit.  It is
 * of the type of the difference of two elements.
 *
 * Raises 42804 if the argument cannot be compared with a gap.
 */
static double
widest_gap(FunctionCallInfo fcinfo, const ElementType *type)
{
	Oid			wanted = type->base == CASHOID ? CASHOID :
		type->base == TIMEOID || type->base == TIMESTAMPOID ||
		type->base == TIMESTAMPTZOID ? INTERVALOID : FLOAT8OID;
	Oid			given = get_fn_expr_argtype(fcinfo->flinfo, 3);
	Datum		value = PG_GETARG_DATUM(3);

	if (PG_ARGISNULL(3))
		return NAN;
	if (wanted == INTERVALOID && given == UNKNOWNOID)
	{
		Interval   *interval = series_read_interval(DatumGetCString(value));

		if (interval != NULL)
			return (double) interval_value(interval);
	}
	if (OidIsValid(given) && getBaseType(given) != wanted &&
		(wanted != FLOAT8OID ||
		 !cast_value(float8_type, getBaseType(given), &value)))
		raise_mismatch("a gap between elements of type %s cannot be compared with a value of type %s",
					   type->oid, given, type->base == DATEOID ?
					   _("Write a number of days.") : wanted == FLOAT8OID ?
					   _("Write a number.") :
					   psprintf(_("Write a value of type %s."),
								format_type_be(wanted)));
	return wanted == FLOAT8OID ? DatumGetFloat8(value) :
		wanted == CASHOID ? (double) DatumGetInt64(value) :
		(double) interval_value(DatumGetIntervalP(value));
}

/*
 * Leaves out the results that are NULL, or are at a NULL place.  Returns
 * how many are left.
 */
static int64
leave_out_nulls(const ArrayReader *at, ArrayWriter *writer)
{
	const double *results = (const double *) writer->values;

	for (int64 from = 0, to; from < at->nitems; from = to)
	{
		CHECK_FOR_INTERRUPTS();
		to = Min(from + BLOCK, at->nitems);
		for (int64 i = from; i < to; i++)
		{
			if (!interpolate_is_null(results[i]) &&
				array_reader_is_value(at, i))
				null_bitmap_set_value(writer->bitmap, i);
		}
	}
	return null_results_leave_out(writer);
}

/* The results at all places, in a writer that has been begun. */
static Datum
interpolate(const Series *series, double widest, ArrayReader *at,
			ArrayWriter *writer)
{
	EngineRequest request = {
		.operation = ENGINE_INTERPOLATE,
		.count = at->nitems,
		.table = series->y,
		.table_bytes = series->points *
		(sizeof(double) + series->type.size),
		.outputs[0] = {writer->values, writer->type.kind},
		.parameters = PARAMETERS_OF(InterpolateParameters,
									.limited = !isnan(widest),
									.widest = widest)
	};
	EngineResult result = call_engine(&request, at);
	int64		nvalues = at->nitems;

	check_overflow(writer->type.kind, result.overflow);
	if (result.errors > 0 || at->nulls != NULL)
		nvalues = leave_out_nulls(at, writer);
	return array_writer_finish_values(writer, nvalues);
}

/*
 * gpu_interpolate(x anycompatiblearray, y anyarray, at anycompatiblearray,
 *				   max_gap "any") returns double precision[]
 *
 * Linear interpolation between the points (x, y) at each place of "at", as
 * interpolate.h has it.  NULL outside of the series, in a gap that is wider
 * than max_gap, and where a y that is needed is NULL.
 *
 * Raises 22004 if there is a NULL in x, and 2202E if x and y differ in length.
 */
SQL_CALL_FUNCTION(gpu_interpolate, "gpu_interpolate", 3)
{
	ArrayReader x;
	ArrayReader y;
	ArrayReader at;
	ArrayWriter writer;
	ElementValue fill[ELEMENT_KINDS] = {0};
	Series		series;
	Datum		result;
	double		widest;

	series_open_list(&x, fcinfo);
	call_open_list(&y, fcinfo, 1, NULLS_FILLED);
	call_check_number(&y, fcinfo, 1);
	call_check_pair(&x, "x", &y, "y");

	/* In place of a NULL, there is the first x, which does not overflow. */
	if (x.nitems > 0)
	{
		ReaderPlace start = x.at;

		array_reader_copy(&x, (char *) &fill[x.type.kind], 1);
		x.at = start;
	}
	call_open_array(&at, fcinfo, 2, NULLS_FILLED, fill);
	call_check_list(&at);
	widest = widest_gap(fcinfo, &x.type);
	array_writer_begin_filled(&writer, float8_type, &at, Min(at.nitems, 1));
	series = (Series) {x.type, x.nitems};
	series.y = large_value_allocate(series.points *
									(sizeof(double) + x.type.size) + 1);
	series.x = (char *) (series.y + series.points);
	read_x(&series, &x);
	read_y(&series, &y);
	check_times(&series);
	result = interpolate(&series, widest, &at, &writer);
	pfree(series.y);
	array_reader_close(&y);
	array_reader_close(&at);
	return call_end(&x, result);
}
