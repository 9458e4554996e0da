/*
 * series_x.c
 *	  The x of a series: elements of an array, between which there are
 *	  distances; and the arguments that define the bins of an array's elements.
 *
 * Bins of timestamps are those of core's date_bin from 15.7 and 16.3 on.
 * Before these versions, date_bin put a time that is before the origin and
 * exactly at the beginning of a bin into the preceding bin.
 */
#include "sql/function.h"

#include "utils/timestamp.h"

#include "loops/bitmaps.h"
#include "loops/numbers.h"

/* Elements that are read together; a multiple of 8. */
#define BLOCK			16384

bool
series_is_time(const ElementType *type)
{
	return type->base == DATEOID || type->base == TIMESTAMPOID ||
		type->base == TIMESTAMPTZOID;
}

/*
 * Opens the first argument of a function, called x.
 *
 * Raises 22004 if it has a NULL, and 0A000 if it has several dimensions.
 */
void
series_open_list(ArrayReader *x, FunctionCallInfo fcinfo)
{
	call_open_list(x, fcinfo, 0, NULLS_DROPPED);
	if (x->nulls != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("x must not contain NULLs"),
				 errhint("x is the first argument, the values are the second.  "
						 "To leave NULLs in x out, take gpu_positions(x, 'is not "
						 "null') from both arrays.")));
}

/* The same; raises 0A000 if its elements have no distances, too. */
void
series_open_x(ArrayReader *x, FunctionCallInfo fcinfo)
{
	series_open_list(x, fcinfo);
	if (!x->type.is_number && !series_is_time(&x->type))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("%s does not support x of type %s", this_call.function,
						format_type_be(x->type.oid)),
				 errhint("Supported types are smallint, integer, bigint, real, "
						 "double precision, date, timestamp and timestamptz.")));
}

/*
 * A literal without a type as an interval; NULL if it begins with a minus,
 * because a setting decides how that is read.
 */
Interval *
series_read_interval(const char *literal)
{
	const char *start = literal + strspn(literal, " \t\n\r\f\v");

	if (*start == '-')
		return NULL;
	return DatumGetIntervalP(DirectFunctionCall3(interval_in,
												 CStringGetDatum(literal),
												 ObjectIdGetDatum(InvalidOid),
												 Int32GetDatum(-1)));
}

/* Raises 22023 for an argument that descends.  The hint may be NULL. */
void
raise_descending(const char *name, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("%s must be in ascending order", name),
			 hint != NULL ? errhint("%s", hint) : 0));
}

/* The same, where x descends. */
void
series_raise_descending(void)
{
	raise_descending("x", _("gpu_sort_by_key(a, x) sorts the values, and "
							"gpu_radix_sort(x) their x."));
}

/*
 * The distances from the first x where there is a value: a float8 array of
 * "nvalues" elements.  All are values if "values" is NULL.
 *
 * Raises 22023 if x descends.
 */
Datum
series_distances(ArrayReader *x, const uint8 *values, int64 nvalues)
{
	int			size = x->type.size;
	char	   *buffer = palloc((BLOCK + 1) * sizeof(int64));
	char	   *block = buffer + size;	/* behind the element before it */
	double	   *numbers = palloc(BLOCK * sizeof(double));
	ArrayWriter writer;
	double	   *next;

	array_writer_begin_list(&writer, float8_type, nvalues);
	next = (double *) writer.values;
	for (int64 from = 0, count; from < x->nitems; from += count)
	{
		int			checked = from == 0 ? 0 : 1;
		int64		kept;

		CHECK_FOR_INTERRUPTS();
		count = Min(BLOCK, x->nitems - from);
		array_reader_copy(x, block, count);
		if (!are_ascending(x->type.kind, block - checked * size,
						   (int) (count + checked)))
			series_raise_descending();
		kept = values == NULL ? count :
			null_bitmap_count_values(values, from, from + count);
		convert_numbers(x->type.kind, block, (int) count, numbers);
		memcpy(buffer, block + (count - 1) * size, size);
		if (values == NULL)
			memcpy(next, numbers, count * sizeof(double));
		else
			compress_by_bitmap(next, kept, numbers, values, from, from + count,
							   sizeof(double));
		next += kept;
	}
	next = (double *) writer.values;
	for (int64 i = nvalues - 1; i >= 0; i--)
	{
		if (i % BLOCK == 0)
			CHECK_FOR_INTERRUPTS();
		next[i] -= next[0];
	}
	pfree(numbers);
	pfree(buffer);
	return array_writer_finish_list(&writer, nvalues);
}

/* An interval in microseconds. */
static int64
interval_stride(const Interval *interval)
{
	WideSum		stride = interval_value(interval);

#ifdef INTERVAL_NOT_FINITE
	if (INTERVAL_NOT_FINITE(interval))
		ereport(ERROR,
				(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
				 errmsg("timestamps cannot be binned into infinite intervals")));
#endif
	if (interval->month != 0)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("timestamps cannot be binned into intervals containing months or years"),
				 errhint("Write the interval in days of 24 hours, or call "
						 "gpu_bucket(times, thresholds) with the beginnings of "
						 "the months.")));
	if (stride != (int64) stride)
		ereport(ERROR,
				(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
				 errmsg("interval out of range")));
	return (int64) stride;
}

/*
 * The bins of elements of a type that the arguments say: the stride, and behind
 * it the origin.
 *
 * Raises 0A000 if the stride of times has months, 22008 if it is not greater
 * than zero or their origin is infinite, and 22023 for such a stride of
 * integers.
 */
BinParameters
stride_arguments(FunctionCallInfo fcinfo, int argument,
				 const ElementType *type)
{
	bool		times = series_is_time(type);
	bool		wide = type->kind == KIND_INT8;
	int64		stride = times ?
		interval_stride(PG_GETARG_INTERVAL_P(argument)) :
		wide ? PG_GETARG_INT64(argument) : PG_GETARG_INT32(argument);
	int64		origin = wide ? PG_GETARG_INT64(argument + 1) :
		PG_GETARG_INT32(argument + 1);

	(void) at_least(1, "stride", stride,
					times ? ERRCODE_DATETIME_VALUE_OUT_OF_RANGE :
					ERRCODE_INVALID_PARAMETER_VALUE);
	if (times && TIMESTAMP_NOT_FINITE(origin))
		ereport(ERROR,
				(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
				 errmsg("origin out of range")));
	origin %= stride;
	return (BinParameters)
	{
		.stride = stride,
			.origin = origin + (origin < 0 ? stride : 0),
			.least = times ? MIN_TIMESTAMP : wide ? PG_INT64_MIN : PG_INT32_MIN,
			.times = times
	};
}

/* Raises 22008 or 22003 if the beginning of a bin is out of range. */
void
check_bins(const ElementType *type, bool out_of_range)
{
	if (out_of_range && series_is_time(type))
		ereport(ERROR,
				(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
				 errmsg("timestamp out of range")));
	if (out_of_range)
		check_overflow(type->kind, OVERFLOW_UP);
}
