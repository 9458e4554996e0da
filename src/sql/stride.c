/*
 * stride.c
 *	  The arguments that define the bins of an array's elements.
 *
 * Bins of timestamps are those of core's date_bin from 15.7 and 16.3 on.
 * Before these versions, date_bin put a time that is before the origin and
 * exactly at the beginning of a bin into the preceding bin.
 */
#include "compat.h"

#include "utils/timestamp.h"

#include "sql/stride.h"

static bool
has_times(const ElementType *type)
{
	return type->base == TIMESTAMPOID || type->base == TIMESTAMPTZOID;
}

/*
 * An interval in microseconds.
 *
 * Raises 0A000 if it has months, and 22008 if it is out of range.
 */
static int64
interval_stride(const Interval *interval)
{
	int64		stride;

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
				 errhint("Write the interval in days of 24 hours.")));
	if (__builtin_mul_overflow((int64) interval->day, USECS_PER_DAY, &stride) ||
		__builtin_add_overflow(stride, interval->time, &stride))
		ereport(ERROR,
				(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
				 errmsg("interval out of range")));
	return stride;
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
	bool		times = has_times(type);
	bool		wide = type->kind == KIND_INT8;
	int64		stride = times ?
		interval_stride(PG_GETARG_INTERVAL_P(argument)) :
		wide ? PG_GETARG_INT64(argument) : PG_GETARG_INT32(argument);
	int64		origin = wide ? PG_GETARG_INT64(argument + 1) :
		PG_GETARG_INT32(argument + 1);

	if (stride <= 0)
		ereport(ERROR,
				(errcode(times ? ERRCODE_DATETIME_VALUE_OUT_OF_RANGE :
						 ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("stride must be greater than zero")));
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
	if (out_of_range && has_times(type))
		ereport(ERROR,
				(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
				 errmsg("timestamp out of range")));
	if (out_of_range)
		check_overflow(type->kind, OVERFLOW_UP);
}
