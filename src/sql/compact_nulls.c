/*
 * compact_nulls.c
 *	  SQL functions that select elements of an array, or their positions, by
 *	  whether they are NULL.
 *
 * The reader leaves out NULLs, so an engine only copies the values.  Positions
 * come from the NULL bitmap alone.
 */
#include "compat.h"

#include "fmgr.h"
#include "miscadmin.h"

#include "array/array_writer.h"
#include "array/nulls.h"
#include "sql/compact_nulls.h"
#include "call/call.h"

PG_FUNCTION_INFO_V1(gpu_compact_nulls);

/* Positions between two checks for interrupts. */
#define STEP			65536

/*
 * Returns whether the array has the form of the list of its values: one
 * dimension, lower bound 1, and no bitmap.  A bitmap without NULLs shows in the
 * array's size.
 */
static bool
is_list_of_values(const ArrayReader *reader)
{
	return reader->ndim == 1 && reader->lbounds[0] == 1 &&
		reader->nulls == NULL &&
		reader->size == array_writer_list_size(&reader->type,
											   reader->nitems, 0);
}

/*
 * The values of an array.  A list without NULLs is returned as it came, which
 * may be as a pointer to a stored value.
 */
static Datum
compact_values(FunctionCallInfo fcinfo)
{
	EngineRequest request = {.operation = ENGINE_COPY};
	ArrayReader reader;
	ArrayWriter writer;

	call_open_list(&reader, fcinfo, 0, NULLS_DROPPED);
	if (is_list_of_values(&reader))
	{
		call_end_bytes(&reader, reader.size);
		return PG_GETARG_DATUM(0);
	}
	array_writer_begin_list(&writer, &reader.type, reader.count);
	request.count = reader.count;
	request.outputs[0].kind = reader.type.kind;
	request.outputs[0].memory = writer.values;
	(void) call_engine(&request, &reader);
	return call_end(&reader, array_writer_finish_list(&writer, reader.count));
}

/* A list of the array's NULLs. */
static Datum
compact_to_nulls(FunctionCallInfo fcinfo)
{
	ArrayReader reader;
	ArrayWriter writer;
	int64		nulls;

	call_open_list(&reader, fcinfo, 0, NULLS_DROPPED);
	call_on_cpu(&reader);
	nulls = reader.nitems - reader.nvalues;
	array_writer_begin_null_list(&writer, &reader.type, nulls, nulls);
	return call_end(&reader, array_writer_finish_null_list(&writer, nulls, 0));
}

/* The positions of the NULLs, or of the values.  The values are not read. */
static Datum
null_positions(FunctionCallInfo fcinfo, bool isnull)
{
	ElementType type = element_type(INT4OID);
	ArrayReader reader;
	ArrayWriter writer;
	int32	   *positions;
	int64		count;

	call_open_list(&reader, fcinfo, 0, NULLS_DROPPED);
	call_on_cpu(&reader);
	count = isnull ? reader.nitems - reader.nvalues : reader.nvalues;
	array_writer_begin_list(&writer, &type, count);
	positions = (int32 *) writer.values;
	if (isnull && count > 0)
		nulls_list(&reader, positions);
	for (int64 i = 0, step; !isnull && i < count; i += step)
	{
		CHECK_FOR_INTERRUPTS();
		step = Min(STEP, count - i);
		(void) array_reader_positions(&reader, positions + i, step);
	}
	return call_end(&reader, array_writer_finish_list(&writer, count));
}

/* The elements that are NULL, or not; or their positions. */
Datum
compact_by_null(FunctionCallInfo fcinfo, bool isnull, bool positions)
{
	return positions ? null_positions(fcinfo, isnull) :
		isnull ? compact_to_nulls(fcinfo) : compact_values(fcinfo);
}

/*
 * gpu_compact_nulls(a anyarray) returns anyarray
 *
 * The elements of "a" that are not NULL, in their order; as
 * ARRAY(SELECT x FROM unnest(a) x WHERE x IS NOT NULL).
 */
Datum
gpu_compact_nulls(PG_FUNCTION_ARGS)
{
	call_begin("gpu_compact_nulls");
	return compact_values(fcinfo);
}
