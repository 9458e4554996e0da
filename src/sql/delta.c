/*
 * delta.c
 *	  SQL functions that take the differences of an array's elements.
 *
 * The engine gets zeros in place of the NULLs behind the first value.  Their
 * differences are removed afterwards.
 *
 * Differences of dates and times are integers, so they have another type than
 * the elements.
 */
#include "sql/function.h"

#include "utils/fmgrprotos.h"
#include "utils/timestamp.h"

#include "contract/operations/delta.h"

/*
 * The difference of two timestamps in microseconds.
 *
 * Raises 22008, in core's words, if one is infinite, and 22003 if it is no
 * bigint.
 */
static Datum
subtract_timestamps(PG_FUNCTION_ARGS)
{
	if (TIMESTAMP_NOT_FINITE(PG_GETARG_INT64(0)) ||
		TIMESTAMP_NOT_FINITE(PG_GETARG_INT64(1)))
		ereport(ERROR,
				(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
				 errmsg("cannot subtract infinite timestamps")));
	return int8mi(fcinfo);
}

/*
 * The differences to the element "lag" before.  The first elements have none
 * before them: their results are NULL, or they themselves if "keep".
 *
 * If an element is NULL that is not one of the first, the array is filled with
 * zeros, and the differences with them are left out.  All others begin behind
 * the leading NULLs.
 *
 * Raises 22023 if the lag is less than 1.
 */
static Datum
subtract_before(FunctionCallInfo fcinfo, int lag, bool keep, bool times)
{
	EngineRequest request = {.operation = ENGINE_DELTA};
	Operand		x = {.array = PG_GETARG_DATUM(0), .skipped = lag};
	Operand		y = {.array = PG_GETARG_DATUM(0)};
	EngineOverflow overflow;
	ElementType type;
	ArrayReader reader;
	ArrayWriter writer;
	int64		absent;

	(void) at_least(1, "lag", lag, ERRCODE_INVALID_PARAMETER_VALUE);
	call_open_array(&reader, fcinfo, 0,
					keep ? NULLS_FILLED : NULLS_FILLED_WITHIN, NULL);
	type = reader.type;
	if (keep)
		check_number_or_hint(&type, NUMBER_TYPES_HINT
							 "  For dates and times there is "
							 "gpu_delta(a, lag), without \"keep\".");
	if (!times)
		check_arithmetic(&type);
	else
		type = element_type(type.kind == KIND_INT4 ? INT4OID : INT8OID);
	absent = keep ? 0 : Min(lag, reader.count);
	if (reader.nulls == NULL)
		array_writer_begin(&writer, &type, &reader,
						   reader.leading_nulls + absent, NULLS_FIRST);
	else
		array_writer_begin_filled(&writer, &type, &reader,
								  Max(array_reader_nulls(&reader), absent));
	request.count = absent < reader.count ? reader.count : 0;
	request.absent = absent;
	request.parameters = PARAMETERS_OF(DeltaParameters, .lag = lag,
									   .infinities = times &&
									   reader.type.base != TIMEOID);
	request.outputs[0].kind = reader.type.kind;
	request.outputs[0].memory = writer.values +
		(reader.nulls != NULL ? absent * type.size : 0);
	request.stays = !times && reader.nulls == NULL;
	overflow = call_engine(&request, &reader).overflow;

	/* It may be of a zero that stands for NULL, or of something infinite. */
	if (overflow == OVERFLOW_NONE || kind_is_float(reader.type.kind) ||
		(!times && reader.nulls == NULL))
		check_overflow(reader.type.kind, overflow);
	else if (times)
		raise_element_error(reader.type.base == DATEOID ? date_mi :
							reader.type.base == TIMEOID ? int8mi :
							subtract_timestamps, true, x, y);
	else
		raise_core_error(ELEMENT_SUBTRACT, reader.type.kind, x, y);
	if (reader.nulls == NULL)
		return call_end_writer(&reader, &writer);

	/* A result is a value where both elements are. */
	lag = Min(lag, reader.nitems);
	if (keep)
		null_bitmap_set_values(writer.bitmap, 0, lag);
	null_bitmap_append(writer.bitmap, lag, reader.nulls, reader.nitems - lag);
	null_bitmap_combine(writer.bitmap, writer.bitmap, reader.nulls,
						reader.nitems, BITMAP_AND);
	return call_end_null_results(&reader, &writer);
}

/*
 * gpu_delta(a T[]) returns T[]
 *
 * The difference of each element and the one before it; NULL where one of the
 * two is NULL, and for the first: x - lag(x) OVER (ORDER BY i).  The result has
 * the shape of "a", whose elements are taken in storage order.
 *
 * Raises 22003 if a difference is not in the range of the type.
 */
SQL_CALL(gpu_delta, "gpu_delta", subtract_before(fcinfo, 1, false, false))

/*
 * gpu_delta(a T[], lag integer, keep boolean) returns T[]
 *
 * As gpu_delta(a), with the element "lag" before.  The first "lag" results are
 * NULL; or, if "keep", the first elements.
 */
SQL_CALL(gpu_delta_lag, "gpu_delta",
		 subtract_before(fcinfo, PG_GETARG_INT32(1), PG_GETARG_BOOL(2), false))

/*
 * gpu_delta(a timestamp[] or the like, lag integer) returns bigint[]
 * gpu_delta(a date[], lag integer) returns integer[]
 *
 * The differences of dates in days, and of times and timestamps in
 * microseconds.  There is no "keep": the first elements are of another type.
 *
 * Raises 22008 if a date or timestamp is infinite, unless the other one is
 * NULL; and 22003 if a difference is no bigint.
 */
SQL_CALL(gpu_delta_times, "gpu_delta",
		 subtract_before(fcinfo, PG_GETARG_INT32(1), false, true))
