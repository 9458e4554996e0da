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
		.sum_kind = KIND_INT8
	};
	bool		exclusive = PG_GETARG_BOOL(1);
	ElementType sum_type = element_type(INT8OID);
	ArrayReader reader;
	ArrayWriter writer;
	int64		leading;

	call_begin("gpu_prefix_sum");
	call_open_array(&reader, PG_GETARG_DATUM(0), LATER_NULLS_FILLED, NULL);
	leading = reader.leading_nulls;
	array_writer_begin(&writer, &sum_type,
					   reader.ndim, reader.dims, reader.lbounds,
					   exclusive ? 0 : leading, NULLS_FIRST);
	request.count = reader.count;
	request.result = writer.values;
	if (exclusive)
	{
		/* Sums without the element itself are those up to the one before. */
		int64		zeros = Min(leading + 1, reader.nitems);

		memset(writer.values, 0, zeros * sizeof(int64));
		request.count = reader.nitems - zeros;
		request.result = writer.values + zeros * sizeof(int64);
	}
	call_engine(&request, &reader, NULL);
	return call_end(&reader, array_writer_finish(&writer));
}
