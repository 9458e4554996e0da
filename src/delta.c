/*
 * delta.c
 *	  The SQL function that takes the differences of an array's elements.
 */
#include "compat.h"

#include <math.h>

#include "access/tupmacs.h"
#include "common/int.h"
#include "fmgr.h"
#include "miscadmin.h"

#include "array/array_writer.h"
#include "engine/call.h"
#include "array/large_value.h"

PG_FUNCTION_INFO_V1(gpu_delta);

/* Elements that are looked at together when there may be an overflow. */
#define CHECK_BLOCK		2048

/* An integer, of any size. */
static int64
get_integer(const void *element, int size)
{
	return size == sizeof(int16) ? *(const int16 *) element :
		size == sizeof(int32) ? *(const int32 *) element :
		*(const int64 *) element;
}

static bool
integers_overflow(const void *element, const void *before, int size)
{
	int64		greatest = PG_INT64_MAX >> (64 - 8 * size);
	int64		difference;

	return pg_sub_s64_overflow(get_integer(element, size),
							   get_integer(before, size), &difference) ||
		difference > greatest || difference < -greatest - 1;
}

static double
get_float(const void *element, int size)
{
	return size == sizeof(float) ? *(const float *) element :
		*(const double *) element;
}

static bool
floats_overflow(const void *element, const void *before, int size)
{
	double		x = get_float(element, size);
	double		y = get_float(before, size);
	double		difference = size == sizeof(float) ? (float) (x - y) : x - y;

	return isinf(difference) && !isinf(x) && !isinf(y);
}

/*
 * Does the difference of two values overflow that stand side by side in the
 * array?  An engine does not see NULLs, and has said so of values between
 * which there may be some.
 */
static bool
neighbours_overflow(Datum array)
{
	ElementValue buffer[CHECK_BLOCK];
	int32		positions[CHECK_BLOCK];
	ArrayReader reader;
	ElementValue before;
	int32		before_position = -1;
	bool		overflow = false;

	array_reader_open(&reader, array, NULLS_DROPPED, NULL);
	for (int64 left = reader.count; left > 0 && !overflow;)
	{
		ElementKind kind = reader.type.kind;
		int			size = reader.type.size;
		int64		count = Min(left, CHECK_BLOCK);
		const char *element = array_reader_next(&reader, buffer, count);

		CHECK_FOR_INTERRUPTS();
		array_reader_positions(&reader, positions, count);
		for (int64 i = 0; i < count && !overflow; i++, element += size)
		{
			if (positions[i] == before_position + 1)
				overflow = kind_is_float(kind) ?
					floats_overflow(element, &before, size) :
					integers_overflow(element, &before, size);
			memcpy(&before, element, size);
			before_position = positions[i];
		}
		left -= count;
	}
	array_reader_close(&reader);
	return overflow;
}

/*
 * Of the differences of values, drops those across NULLs, and that of a value
 * that NULLs alone come before; says where the others stand, and how many they
 * are.
 */
static int64
drop_unknown(const ArrayReader *reader, ArrayWriter *writer)
{
	int			size = reader->type.size;
	const char *from_values = writer->values;
	char	   *to_values = writer->values;
	int64		to;

	for (int64 from = 0; from < reader->nitems; from = to)
	{
		int64		known = from == 0 ? from : from + 1;

		CHECK_FOR_INTERRUPTS();
		to = array_reader_stretch(reader, from);
		if (att_isnull(from, reader->nulls))
			continue;
		move_bytes(to_values, from_values + (known - from) * size,
				   (to - known) * size);
		array_writer_put_values(writer, known, to);
		from_values += (to - from) * size;
		to_values += (to - known) * size;
	}
	return (to_values - writer->values) / size;
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
	EngineRequest request = {.operation = ENGINE_DELTA};
	EngineOverflow overflow;
	ArrayReader reader;
	ArrayWriter writer;
	int64		known;

	call_begin("gpu_delta");
	call_open_array(&reader, fcinfo, 0, NULLS_DROPPED, NULL);
	check_number(&reader.type);
	array_writer_begin(&writer, &reader.type,
					   reader.ndim, reader.dims, reader.lbounds,
					   reader.nitems - reader.nvalues, NULLS_SCATTERED);
	request.count = known = reader.count;
	request.outputs[0].kind = reader.type.kind;
	request.outputs[0].memory = writer.values;
	overflow = call_engine(&request, &reader, NULL).overflow;
	if (overflow != OVERFLOW_NONE &&
		(reader.nulls == NULL || neighbours_overflow(PG_GETARG_DATUM(0))))
		check_overflow(reader.type.kind, overflow);
	if (reader.nulls != NULL)
		known = drop_unknown(&reader, &writer);
	return call_end(&reader, array_writer_finish_values(&writer, known));
}
