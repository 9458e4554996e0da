/*
 * delta.c
 *	  SQL functions that take the differences of an array's elements.
 *
 * Zeros stand for NULLs, and the differences with NULLs are left out.
 *
 * Differences of dates and times are integers, and have another type than the
 * elements.  So the first elements, which have no element before them, have no
 * difference.
 */
#include "compat.h"

#include "fmgr.h"
#include "miscadmin.h"

#include "array/array_writer.h"
#include "call/call.h"
#include "call/null_results.h"
#include "contract/operations/delta.h"

PG_FUNCTION_INFO_V1(gpu_delta);
PG_FUNCTION_INFO_V1(gpu_delta_lag);
PG_FUNCTION_INFO_V1(gpu_delta_times);

/* Elements that are checked together when there may be an overflow. */
#define CHECK_BLOCK		2048

/* An integer, of any size. */
static int64
get_integer(const void *element, int size)
{
	return size == sizeof(int16) ? *(const int16 *) element :
		size == sizeof(int32) ? *(const int32 *) element :
		*(const int64 *) element;
}

/* The y of a difference x - y, which may have wrapped. */
static int64
get_subtrahend(const void *x, const void *difference, int size)
{
	int			unused = 64 - 8 * size;

	return (int64)
		(((uint64) get_integer(x, size) -
		  (uint64) get_integer(difference, size))
		 << unused) >> unused;
}

/* Returns whether the difference x - y has wrapped: its sign is wrong then. */
static bool
has_wrapped(const void *x, const void *difference, int size)
{
	return (get_integer(x, size) < get_subtrahend(x, difference, size)) !=
		(get_integer(difference, size) < 0);
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
 * Returns whether a difference of two values overflows.  The engine may have
 * reported an overflow of a difference with a zero that stands for NULL.  Of
 * the differences with a zero, only 0 - y can overflow, and only if y is an
 * integer.
 */
static bool
values_overflow(Datum array, const ArrayWriter *writer)
{
	ElementValue buffer[CHECK_BLOCK];
	const char *difference = writer->values;
	int			size = writer->type.size;
	ArrayReader reader;
	bool		overflow = false;

	if (kind_is_float(writer->type.kind))
		return true;
	array_reader_open(&reader, array, NULLS_FILLED, NULL);
	while (reader.at.next < reader.nitems && !overflow)
	{
		int64		from = reader.at.next;
		int64		count = Min(reader.nitems - from, CHECK_BLOCK);
		const char *element = array_reader_next(&reader, buffer, count);

		CHECK_FOR_INTERRUPTS();
		for (int64 i = from; i < from + count && !overflow; i++)
		{
			if (null_bitmap_is_value(reader.nulls, i))
				overflow = has_wrapped(element, difference, size);
			element += size;
			difference += size;
		}
	}
	array_reader_close(&reader);
	return overflow;
}

/*
 * Raises an error for the first wrong difference of two dates or times: 22008,
 * in core's words, if a date or timestamp is infinite, or 22003 if the
 * difference is out of range.  Raises none if the engine has only reported
 * differences with a zero that stands for NULL.
 */
static void
check_times(Datum array, const ArrayWriter *writer, int64 lag, bool infinities)
{
	ElementValue buffer[CHECK_BLOCK];
	const char *difference = writer->values;
	int			size = writer->type.size;
	ArrayReader reader;

	array_reader_open(&reader, array, NULLS_FILLED, NULL);
	while (reader.at.next < reader.nitems)
	{
		int64		from = reader.at.next;
		int64		count = Min(reader.nitems - from, CHECK_BLOCK);
		const char *element = array_reader_next(&reader, buffer, count);

		CHECK_FOR_INTERRUPTS();
		for (int64 i = from; i < from + count; i++)
		{
			bool		exists = i >= lag &&
				(reader.nulls == NULL ||
				 (null_bitmap_is_value(reader.nulls, i) &&
				  null_bitmap_is_value(reader.nulls, i - lag)));

			if (exists && infinities &&
				(is_infinite(get_integer(element, size), size) ||
				 is_infinite(get_subtrahend(element, difference, size), size)))
				ereport(ERROR,
						(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
						 errmsg("cannot subtract infinite %s",
								reader.type.base == DATEOID ? "dates" :
								"timestamps")));
			if (exists && has_wrapped(element, difference, size))
				ereport(ERROR,
						(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
						 errmsg("bigint out of range")));
			element += size;
			difference += size;
		}
	}
	array_reader_close(&reader);
}

/*
 * Finishes the differences of dates and times.  There is a result for each
 * element; the first "lag" results are left out.
 */
static Datum
finish_times(const ArrayReader *reader, int64 lag, ArrayWriter *writer)
{
	int64		nitems = reader->nitems;
	int64		first = Min(lag, nitems);

	if (nitems == 0)
		return array_writer_finish(writer);
	if (reader->nulls == NULL)
	{
		null_bitmap_set_values(writer->bitmap, first, nitems);
		writer->values += first * writer->type.size;
		return array_writer_finish_values(writer, nitems - first);
	}
	null_bitmap_pair(writer->bitmap, reader->nulls, nitems, lag);
	null_bitmap_clear_values(writer->bitmap, first);
	return array_writer_finish_values(writer,
									  null_results_leave_out(writer, nitems));
}

/*
 * The differences to the element "lag" before.  The first elements stay as they
 * are, or have no difference if they are dates or times.
 */
static Datum
subtract_before(FunctionCallInfo fcinfo, int lag, bool times)
{
	EngineRequest request = {.operation = ENGINE_DELTA};
	EngineOverflow overflow;
	ElementType type;
	ArrayReader reader;
	ArrayWriter writer;
	int64		values;
	bool		infinities;

	call_open_array(&reader, fcinfo, 0, NULLS_FILLED, NULL);
	infinities = times && reader.type.base != TIMEOID;
	type = reader.type;
	if (!times)
		check_arithmetic(&type);
	else
		type = element_type(type.kind == KIND_INT4 ? INT4OID : INT8OID);
	array_writer_begin_filled(&writer, &type,
							  reader.ndim, reader.dims, reader.lbounds,
							  Max(reader.nitems - reader.nvalues,
								  times ? Min(lag, reader.nitems) : 0));
	request.count = reader.nitems;
	request.parameters = PARAMETERS_OF(DeltaParameters, .lag = lag,
									   .infinities = infinities);
	request.outputs[0].kind = reader.type.kind;
	request.outputs[0].memory = writer.values;
	request.stays = !times && reader.nulls == NULL;
	overflow = call_engine(&request, &reader).overflow;
	if (times)
	{
		if (overflow != OVERFLOW_NONE)
			check_times(PG_GETARG_DATUM(0), &writer, lag, infinities);
		return call_end(&reader, finish_times(&reader, lag, &writer));
	}
	if (overflow != OVERFLOW_NONE &&
		(reader.nulls == NULL || values_overflow(PG_GETARG_DATUM(0), &writer)))
		check_overflow(reader.type.kind, overflow);
	values = null_results_put_back(&reader, lag, &writer);
	return call_end(&reader, array_writer_finish_values(&writer, values));
}

/*
 * gpu_delta(a T[]) returns T[]
 *
 * The first element, and then the difference of each element and the one
 * before it; NULL where one of the two is NULL.  As x - lag(x) OVER (ORDER BY
 * i), but for the first element.  The result has the shape of "a", whose
 * elements are taken in storage order.
 */
Datum
gpu_delta(PG_FUNCTION_ARGS)
{
	call_begin("gpu_delta");
	return subtract_before(fcinfo, 1, false);
}

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
 * gpu_delta(a T[], lag integer) returns T[]
 *
 * As gpu_delta(a), with the element "lag" before; the first "lag" elements stay
 * as they are.
 */
Datum
gpu_delta_lag(PG_FUNCTION_ARGS)
{
	call_begin("gpu_delta");
	return subtract_before(fcinfo, lag_argument(fcinfo), false);
}

/*
 * gpu_delta(a timestamp[] or the like) returns bigint[]
 * gpu_delta(a date[]) returns integer[]
 * gpu_delta(a, lag integer), with each of these types
 *
 * The differences of dates in days, and of times and timestamps in
 * microseconds.  The first "lag" of them are NULL: x - lag(x) OVER (ORDER BY i)
 * as an integer.
 *
 * Raises 22008 if a date or timestamp is infinite, unless the other one is
 * NULL; and 22003 if a difference is no bigint.
 */
Datum
gpu_delta_times(PG_FUNCTION_ARGS)
{
	call_begin("gpu_delta");
	return subtract_before(fcinfo, PG_NARGS() > 1 ? lag_argument(fcinfo) : 1,
						   true);
}
