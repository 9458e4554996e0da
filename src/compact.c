/*
 * compact.c
 *	  SQL functions that leave elements of an array out.
 */
#include "compat.h"

#include "fmgr.h"

#include "array_writer.h"
#include "engine_call.h"

PG_FUNCTION_INFO_V1(gpu_compact);

/*
 * gpu_compact(a integer[]) returns integer[]
 *
 * The elements of "a" that are neither zero nor NULL, in their order, from
 * index 1 on; as ARRAY(SELECT x FROM unnest(a) x WHERE x <> 0).
 */
Datum
gpu_compact(PG_FUNCTION_ARGS)
{
	EngineRequest request = {
		.operation = ENGINE_COMPACT,
		.predicate = {.outside = true}
	};
	ArrayReader reader;
	ArrayWriter writer;
	int64		count;

	call_begin("gpu_compact");
	call_open_array(&reader, PG_GETARG_DATUM(0), NULLS_DROPPED, NULL);
	if (reader.ndim > 1)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("compacting multidimensional arrays is not supported")));
	array_writer_begin_list(&writer, &reader.type, reader.count);
	request.count = reader.count;
	request.result = writer.values;
	count = call_engine(&request, &reader, NULL).count;
	return call_end(&reader, array_writer_finish_list(&writer, count));
}
