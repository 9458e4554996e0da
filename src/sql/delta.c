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
#include "compat.h"

#include "miscadmin.h"

#include "call/call.h"
#include "contract/operations/delta.h"

/* Elements that are checked together when there may be an overflow. */
#define CHECK_BLOCK		2048

/* The y of a difference x - y, which may have wrapped. */
static int64
get_subtrahend(const void *x, const void *difference, int size)
{
	int			unused = 64 - 8 * size;

	return (int64)
		(((uint64) element_integer(x, size) -
		  (uint64) element_integer(difference, size))
		 << unused) >> unused;
}

/* Returns whether the difference x - y has wrapped: its sign is wrong then. */
static bool
has_wrapped(const void *x, const void *difference, int size)
{
	return (element_integer(x, size) < get_subtrahend(x, difference, size)) !=
		(element_integer(difference, size) < 0);
}

/*
 * Returns whether a date or a timestamp is infinite: the least or the greatest
 * integer of "size" bytes.
 */
static bool
is_infinite(int64 time, int size)
{
	return (uint64) (time < 0 ? ~time : time) ==
		PG_UINT64_MAX >> (65 - 8 * size);
}

/*
 * Raises an error for the first wrong difference of integers, or of two dates
 * or times: 22008, in core's words, if a date or timestamp is infinite, or else
 * 22003.  Raises none if the engine has only reported differences with a zero
 * that stands for NULL.  "differences" begins with the first element's, which
 * may not be there.
 */
static void
check_integers(Datum array, const char *differences, int64 lag, bool times,
			   bool infinities)
{
	ElementValue buffer[CHECK_BLOCK];
	ArrayReader reader;
	int			size;

	array_reader_open(&reader, array, NULLS_FILLED, NULL);
	size = reader.type.size;
	while (reader.at.next < reader.nitems)
	{
		int64		from = reader.at.next;
		int64		count = Min(reader.nitems - from, CHECK_BLOCK);
		const char *element = array_reader_next(&reader, buffer, count);

		CHECK_FOR_INTERRUPTS();
		for (int64 i = from; i < from + count; i++, element += size)
		{
			const char *difference = differences + i * size;

			if (i < lag || !array_reader_is_value(&reader, i) ||
				!array_reader_is_value(&reader, i - lag))
				continue;
			if (infinities &&
				(is_infinite(element_integer(element, size), size) ||
				 is_infinite(get_subtrahend(element, difference, size), size)))
				ereport(ERROR,
						(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
						 errmsg("cannot subtract infinite %s",
								reader.type.base == DATEOID ? "dates" :
								"timestamps")));
			if (!has_wrapped(element, difference, size))
				continue;
			if (!times)
				check_overflow(reader.type.kind, OVERFLOW_UP);
			ereport(ERROR,
					(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					 errmsg("bigint out of range")));
		}
	}
	array_reader_close(&reader);
}

/*
 * The differences to the element "lag" before.  The first elements have none
 * before them: their results are NULL, or they themselves if "keep".
 *
 * If an element is NULL that is not one of the first, the array is filled with
 * zeros, and the differences with them are left out.  All others begin behind
 * the leading NULLs.
 */
static Datum
subtract_before(FunctionCallInfo fcinfo, int lag, bool keep, bool times)
{
	EngineRequest request = {.operation = ENGINE_DELTA};
	EngineOverflow overflow;
	ElementType type;
	ArrayReader reader;
	ArrayWriter writer;
	int64		absent;
	bool		infinities;

	call_open_array(&reader, fcinfo, 0,
					keep ? NULLS_FILLED : NULLS_FILLED_WITHIN, NULL);
	infinities = times && reader.type.base != TIMEOID;
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
									   .infinities = infinities);
	request.outputs[0].kind = reader.type.kind;
	request.outputs[0].memory = writer.values +
		(reader.nulls != NULL ? absent * type.size : 0);
	request.stays = !times && reader.nulls == NULL;
	overflow = call_engine(&request, &reader).overflow;
	if (overflow != OVERFLOW_NONE && (times || reader.nulls != NULL) &&
		!kind_is_float(reader.type.kind))
		check_integers(PG_GETARG_DATUM(0), (char *) request.outputs[0].memory -
					   (reader.nitems - reader.count + absent) * type.size,
					   lag, times, infinities);
	else
		check_overflow(reader.type.kind, overflow);
	if (reader.nulls == NULL)
		return call_end_writer(&reader, &writer);
	null_bitmap_pair(writer.bitmap, reader.nulls, reader.nitems, lag);
	null_bitmap_clear_values(writer.bitmap, absent);
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

/* Raises 22023 if the lag is less than 1. */
static int
lag_argument(FunctionCallInfo fcinfo)
{
	int			lag = PG_GETARG_INT32(1);

	if (lag < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("lag must be greater than zero")));
	return lag;
}

/*
 * gpu_delta(a T[], lag integer, keep boolean) returns T[]
 *
 * As gpu_delta(a), with the element "lag" before.  The first "lag" results are
 * NULL; or, if "keep", the first elements.
 */
SQL_CALL(gpu_delta_lag, "gpu_delta",
		 subtract_before(fcinfo, lag_argument(fcinfo), PG_GETARG_BOOL(2),
					false))

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
		 subtract_before(fcinfo, lag_argument(fcinfo), false, true))
