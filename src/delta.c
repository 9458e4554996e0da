/*
 * delta.c
 *	  SQL functions that take the differences of an array's elements.
 *
 * Zeros stand for NULLs, and the differences with them are left out.
 */
#include "compat.h"

#include "fmgr.h"
#include "miscadmin.h"

#include "array/array_writer.h"
#include "array/nulls.h"
#include "engine/call.h"

PG_FUNCTION_INFO_V1(gpu_delta);
PG_FUNCTION_INFO_V1(gpu_delta_lag);

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

/* Has the difference x - y wrapped? Then it has the wrong sign. */
static bool
has_wrapped(const void *x, const void *difference, int size)
{
	int64		minuend = get_integer(x, size);
	int			unused = 64 - 8 * size;
	int64		subtrahend = (int64)
		(((uint64) minuend - (uint64) get_integer(difference, size))
		 << unused) >> unused;

	return (minuend < subtrahend) != (get_integer(difference, size) < 0);
}

/*
 * Does a difference of two values overflow?  The engine may have reported one
 * with a zero that stands for NULL.  Of these, only 0 - y can overflow, and
 * only if y is an integer.
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
	while (reader.next < reader.nitems && !overflow)
	{
		int64		from = reader.next;
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
 * The differences to the element "lag" before; the first elements stay as they
 * are.
 */
static Datum
subtract_before(FunctionCallInfo fcinfo, int lag)
{
	EngineRequest request = {.operation = ENGINE_DELTA};
	EngineOverflow overflow;
	ArrayReader reader;
	ArrayReader before;
	SecondInput second = second_input(&before);
	ArrayWriter writer;
	int64		first;			/* elements that stay */

	call_open_array(&reader, fcinfo, 0, NULLS_FILLED, NULL);
	check_arithmetic(&reader.type);
	array_writer_begin_filled(&writer, &reader.type,
							  reader.ndim, reader.dims, reader.lbounds,
							  reader.nitems - reader.nvalues);
	first = lag == 1 ? 0 : Min(lag, reader.nitems);
	request.count = reader.nitems - first;
	request.outputs[0].kind = reader.type.kind;
	request.outputs[0].memory = writer.values + first * reader.type.size;
	if (lag == 1)
		overflow = call_engine(&request, &reader, NULL).overflow;
	else
	{
		request.operation = ENGINE_SUBTRACT;
		request.kinds[1] = reader.type.kind;
		array_reader_copy(&reader, writer.values, first);
		call_open_array(&before, fcinfo, 0, NULLS_FILLED, NULL);
		overflow = call_engine(&request, &reader, &second).overflow;
		array_reader_close(&before);
	}
	if (overflow != OVERFLOW_NONE &&
		(reader.nulls == NULL || values_overflow(PG_GETARG_DATUM(0), &writer)))
		check_overflow(reader.type.kind, overflow);
	return call_end(&reader,
					array_writer_finish_values(&writer,
											   nulls_put_back(&reader, lag,
															  &writer)));
}

/*
 * gpu_delta(a T[]) returns T[]
 *
 * The first element, and then what each one is more than the one before; NULL
 * where one of the two is.  As x - lag(x) OVER (ORDER BY i), but for the
 * first.  The result has the shape of "a", which is taken in storage order.
 */
Datum
gpu_delta(PG_FUNCTION_ARGS)
{
	call_begin("gpu_delta");
	return subtract_before(fcinfo, 1);
}

/*
 * gpu_delta(a T[], lag integer) returns T[]
 *
 * The same with the element "lag" before; the first "lag" elements stay as they
 * are.
 *
 * Raises 22023 if the lag is less than 1.
 */
Datum
gpu_delta_lag(PG_FUNCTION_ARGS)
{
	int			lag = PG_GETARG_INT32(1);

	call_begin("gpu_delta");
	if (lag < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("lag must be greater than zero")));
	return subtract_before(fcinfo, lag);
}
