/*
 * fill.c
 *	  The SQL function that replaces NULLs by the values next to them.
 *
 * Replacing NULLs is a scan, which the reader does: no NULL reaches an engine,
 * so the reader replaces each NULL anyway.  The engine only copies the elements
 * to the result while the next ones are read.
 */
#include "compat.h"

#include "fmgr.h"

#include "array/array_writer.h"
#include "call/call.h"

PG_FUNCTION_INFO_V1(gpu_fill);

/*
 * gpu_fill(a anyarray, backward boolean) returns anyarray
 *
 * Each NULL is replaced by the last value before it, or, if backward, by the
 * next one after it; as last_value(x) IGNORE NULLS OVER (ORDER BY i).  NULLs
 * before the first value, or after the last one, stay.
 */
Datum
gpu_fill(PG_FUNCTION_ARGS)
{
	bool		backward = PG_GETARG_BOOL(1);
	EngineRequest request = {.operation = ENGINE_COPY};
	ArrayReader reader;
	ArrayWriter writer;

	call_begin("gpu_fill");
	call_open_list(&reader, fcinfo, 0, backward ?
				   NULLS_FILLED_BACKWARD : NULLS_FILLED_FORWARD);
	array_writer_begin(&writer, &reader.type,
					   reader.ndim, reader.dims, reader.lbounds,
					   reader.nitems - reader.count,
					   backward ? NULLS_LAST : NULLS_FIRST);
	request.count = reader.count;
	request.outputs[0].kind = reader.type.kind;
	request.outputs[0].memory = writer.values;
	request.stays = reader.count == reader.nitems;
	(void) call_engine(&request, &reader);
	return call_end(&reader, array_writer_finish(&writer));
}
