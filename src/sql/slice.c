/*
 * slice.c
 *	  SQL functions that shorten an array to some of its elements, or lengthen
 *	  it with NULLs.
 *
 * The values are copied as they are read, on the CPU.
 */
#include "compat.h"

#include "call/call.h"

/*
 * gpu_slice(a anyarray, first integer, last integer) returns anyarray
 *
 * As a[first:last], but positions count from 1 whatever the lower bound.
 */
SQL_FUNCTION(gpu_slice)
{
	ArrayReader reader;

	call_begin("gpu_slice");
	call_open_slice(&reader, fcinfo, 0, PG_GETARG_INT32(1),
					PG_GETARG_INT32(2));
	call_on_cpu(&reader);
	return call_end_padded(&reader, reader.nitems);
}

/*
 * gpu_pad(a anyarray, n integer) returns anyarray
 *
 * As a || array_fill(NULL::T, ARRAY[n - cardinality(a)]), with lower bound 1.
 *
 * Raises 22023 if n is negative, and 2202E if the array is longer than n.
 */
SQL_FUNCTION(gpu_pad)
{
	int32		n = PG_GETARG_INT32(1);
	ArrayReader reader;

	call_begin("gpu_pad");
	if (n < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("n must not be negative")));
	call_open_list(&reader, fcinfo, 0, NULLS_DROPPED);
	if (reader.nitems > n)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("array is longer than n"),
				 errdetail("It has length " INT64_FORMAT ", and n is %d.",
						   reader.nitems, n),
				 errhint("gpu_slice(a, 1, %d) shortens it.", n)));
	return call_end_padded(&reader, n);
}
