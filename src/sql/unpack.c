/*
 * unpack.c
 *	  gpu_unpack and gpu_slice: the elements of a packed array; and gpu_count,
 *	  their number.
 */
#include "compat.h"

#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "array/array_writer.h"
#include "call/call.h"
#include "sql/packed.h"

PG_FUNCTION_INFO_V1(gpu_unpack);
PG_FUNCTION_INFO_V1(gpucompact_unpack_as);
PG_FUNCTION_INFO_V1(gpu_slice_packed);
PG_FUNCTION_INFO_V1(gpu_count_packed);

/* Raises 42804 if the elements of a packed array are not of a type. */
static void
check_elements(const ArrayReader *reader, Oid element)
{
	if (reader->type.oid != element)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("packed array has elements of type %s, not %s",
						format_type_be(reader->type.oid),
						format_type_be(element)),
				 errhint("Cast it to %s first.",
						 format_type_be(reader->type.array))));
}

/* An array of a reader's shape and NULLs, with room for its values. */
static void
begin_array(ArrayWriter *writer, const ArrayReader *reader)
{
	array_writer_begin(writer, &reader->type, reader->ndim, reader->dims,
					   reader->lbounds, reader->nitems - reader->nvalues,
					   NULLS_SCATTERED);
	if (reader->nulls != NULL)
		memcpy(writer->bitmap, reader->nulls,
			   null_bitmap_bytes(reader->nitems));
}

/* The array of a reader's elements, outside of calls. */
Datum
unpack_elements(ArrayReader *reader)
{
	ArrayWriter writer;

	begin_array(&writer, reader);
	array_reader_copy(reader, writer.values, reader->count);
	return array_writer_finish(&writer);
}

/*
 * Opens the first argument, whose elements are of the type of those of another
 * argument: those from the position "first" to "last".
 */
static void
open_like(ArrayReader *reader, FunctionCallInfo fcinfo, int argument,
		  int64 first, int64 last)
{
	Oid			element = element_of_argument(fcinfo, argument);
	Oid			declared = get_fn_expr_argtype(fcinfo->flinfo, argument);

	call_open_packed(reader, PG_GETARG_DATUM(0), first, last);
	check_elements(reader, element);
	check_declared(&reader->type, getBaseType(declared));
}

/* Ends a call with all that the reader has, which may stay packed. */
static Datum
end_unpacked(ArrayReader *reader)
{
	ArrayWriter writer;

	begin_array(&writer, reader);
	if (!defer_packed(reader))
		call_unpack(reader, writer.values);
	return call_end(reader, array_writer_finish(&writer));
}

/*
 * gpu_unpack(p gpu_packed, "like" anyarray) returns anyarray
 *
 * The array that "p" was made of.  It has the type of "like", whose value does
 * not matter.
 *
 * Raises 42804 if the elements are of another type, and XX001 if "p" is damaged.
 */
Datum
gpu_unpack(PG_FUNCTION_ARGS)
{
	ArrayReader reader;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	call_begin_at(fcinfo, "gpu_unpack");
	open_like(&reader, fcinfo, 1, 1, PG_INT32_MAX);
	return end_unpacked(&reader);
}

/*
 * gpucompact_unpack_T(p gpu_packed) returns T[]
 *
 * The same as a cast, for each type T.
 */
Datum
gpucompact_unpack_as(PG_FUNCTION_ARGS)
{
	Oid			array = get_func_rettype(fcinfo->flinfo->fn_oid);
	ArrayReader reader;

	call_begin_at(fcinfo, "gpu_unpack");
	call_open_packed(&reader, PG_GETARG_DATUM(0), 1, PG_INT32_MAX);
	check_elements(&reader, get_element_type(array));
	return end_unpacked(&reader);
}

/*
 * gpu_slice(p gpu_packed, first integer, last integer, "like" anyarray)
 *	  returns anyarray
 *
 * The elements from position "first" to "last", counted from 1 whatever the
 * lower bound, as far as they are there; NULL if one of these is NULL.  Of a
 * stored array only the blocks that have them are read.
 *
 * Raises what gpu_unpack does.
 */
Datum
gpu_slice_packed(PG_FUNCTION_ARGS)
{
	ArrayReader reader;
	ArrayWriter writer;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(2))
		PG_RETURN_NULL();
	call_begin("gpu_slice");
	open_like(&reader, fcinfo, 3, PG_GETARG_INT32(1), PG_GETARG_INT32(2));
	reader.lbounds[0] = 1;
	begin_array(&writer, &reader);
	call_unpack(&reader, writer.values);
	return call_end(&reader, array_writer_finish(&writer));
}

/*
 * gpu_count(p gpu_packed) returns bigint
 *
 * How many elements are not NULL, which the header says.
 */
Datum
gpu_count_packed(PG_FUNCTION_ARGS)
{
	ArrayReader reader;
	int64		count;

	call_begin("gpu_count");
	call_open_packed(&reader, PG_GETARG_DATUM(0), 1, 0);
	call_on_cpu(&reader);
	count = packed_present(&packed_reader_of(reader.source)->array);
	call_end_bytes(&reader, sizeof(count));
	PG_RETURN_INT64(count);
}
