/*
 * slice.c
 *	  The SQL function that takes the elements of an array from one position to
 *	  another.
 *
 * The values are copied as they are read, on the CPU.
 */
#include "compat.h"

#include "fmgr.h"

#include "array/array_writer.h"
#include "array/nulls.h"
#include "call/call.h"

PG_FUNCTION_INFO_V1(gpu_slice);

/*
 * gpu_slice(a anyarray, first integer, last integer) returns anyarray
 *
 * As a[first:last], but positions count from 1 whatever the lower bound.
 */
Datum
gpu_slice(PG_FUNCTION_ARGS)
{
	ArrayReader reader;
	ArrayWriter writer;

	call_begin("gpu_slice");
	call_open_slice(&reader, fcinfo, 0, PG_GETARG_INT32(1),
					PG_GETARG_INT32(2));
	call_on_cpu(&reader);
	array_writer_begin_null_list(&writer, &reader.type, reader.nitems,
								 reader.nitems - reader.nvalues);
	if (writer.bitmap != NULL)
		nulls_append(&reader, writer.bitmap, 0);
	array_reader_copy(&reader, writer.values, reader.nvalues);
	return call_end(&reader,
					array_writer_finish_null_list(&writer, reader.nitems,
												  reader.nvalues));
}
