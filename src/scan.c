/*
 * scan.c
 *	  SQL functions that scan an array.
 */
#include "compat.h"

#include "fmgr.h"

#include "array_writer.h"
#include "engine_call.h"

PG_FUNCTION_INFO_V1(gpu_prefix_sum);

/*
 * gpu_prefix_sum(a integer[], exclusive boolean) returns bigint[]
 *
 * Element i of the result is the sum of the elements of "a" up to i, or, if
 * exclusive, of those before i; NULLs count for nothing.  As with sum(x) OVER
 * (ORDER BY i), the sum of no value at all is NULL, but an exclusive scan
 * starts at zero.  The result has the shape of "a", which is scanned in
 * storage order.  It cannot overflow: 2^27 integers add up to less than 2^58.
 */
Datum
gpu_prefix_sum(PG_FUNCTION_ARGS)
{
	EngineRequest request = {
		.operation = ENGINE_SCAN,
		.exclusive = PG_GETARG_BOOL(1)
	};
	ArrayReader reader;
	ArrayWriter writer;
	int64		nulls;

	call_begin("gpu_prefix_sum");
	call_open_array(&reader, PG_GETARG_DATUM(0), &element_int4, NULLS_ZEROED);
	nulls = request.exclusive ? 0 : reader.leading_nulls;
	array_writer_begin(&writer, &element_int8,
					   reader.ndim, reader.dims, reader.lbounds,
					   nulls, NULLS_FIRST);
	request.result = writer.values;
	if (request.exclusive && reader.leading_nulls > 0)
	{
		Size		bytes = reader.leading_nulls * sizeof(int64);

		memset(writer.values, 0, bytes);
		request.result = writer.values + bytes;
	}
	call_engine(&request, &reader);
	return call_end(&reader, array_writer_finish(&writer));
}
