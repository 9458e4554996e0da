/*
 * compact_nulls.c
 *	  SQL functions that select elements of an array, or their positions, by
 *	  whether they are NULL.
 *
 * The reader leaves NULLs out of every array, so what is left to an engine is
 * to copy the values.
 */
#include "compat.h"

#include "fmgr.h"

#include "array/array_writer.h"
#include "engine/call.h"

PG_FUNCTION_INFO_V1(gpu_compact_nulls);

/*
 * Is the array as the list of its values would be?  A bitmap without NULLs,
 * which it may have, shows in its size.
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
 * The values of an array.  One that has no NULLs is returned as it came, which
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
	(void) call_engine(&request, &reader, NULL);
	return call_end(&reader, array_writer_finish_list(&writer, reader.count));
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
