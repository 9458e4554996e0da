/*
 * sort.c
 *	  SQL functions that order the elements of an array.
 */
#include "compat.h"

#include "fmgr.h"

#include "array_writer.h"
#include "engine_call.h"

PG_FUNCTION_INFO_V1(gpu_radix_sort);

/*
 * gpu_radix_sort(a integer[], descending boolean, nulls_first boolean)
 *		returns integer[]
 *
 * The elements of "a" in order, from its lower bound on.  NULLs come first if
 * nulls_first, which defaults to descending, as in ORDER BY.
 */
Datum
gpu_radix_sort(PG_FUNCTION_ARGS)
{
	EngineRequest request = {.operation = ENGINE_SORT};
	bool		nulls_first;
	ArrayReader reader;
	ArrayWriter writer;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	request.descending = PG_GETARG_BOOL(1);
	nulls_first = PG_ARGISNULL(2) ? request.descending : PG_GETARG_BOOL(2);

	call_begin("gpu_radix_sort");
	call_open_array(&reader, PG_GETARG_DATUM(0), NULLS_DROPPED, NULL);
	if (reader.ndim > 1)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("sorting multidimensional arrays is not supported")));
	array_writer_begin(&writer, &reader.type,
					   reader.ndim, reader.dims, reader.lbounds,
					   reader.nitems - reader.nvalues,
					   nulls_first ? NULLS_FIRST : NULLS_LAST);
	request.count = reader.count;
	request.result = writer.values;
	call_engine(&request, &reader, NULL);
	return call_end(&reader, array_writer_finish(&writer));
}
