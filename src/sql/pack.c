/*
 * pack.c
 *	  gpu_pack: a packed array of an array's elements; gpu_unpack and gpu_slice:
 *	  the elements of a packed array; and gpu_count, their number.
 */
#include "sql/function.h"

/*
 * Raises 0A000 for a domain: nothing would keep it from being dropped while
 * there are packed arrays of it.
 */
void
check_packable(const ElementType *type)
{
	if (type->oid != type->base)
		raise_domain(type, NULL);
}

/*
 * A packed array of a reader's elements.  The reader leaves out NULLs.
 *
 * Raises 54000 if it is too large.  That is known at the end, as it may well be
 * smaller than the array.
 */
Datum
pack_elements(ArrayReader *reader)
{
	PackedArray packed = {
		.kind = reader->type.kind,
		.element_type = reader->type.base,
		.lower_bound = reader->ndim > 0 ? reader->lbounds[0] : 1,
		.count = reader->nitems,
		.nulls = array_reader_nulls(reader)
	};
	Size		room = VARHDRSZ + packed_most(&packed);
	char	   *value = large_value_allocate(room);
	int64		nblocks = packed_blocks(reader->count);
	PackedBlock *blocks = palloc(Max(nblocks, 1) * sizeof(PackedBlock));
	EngineRequest request = {
		.operation = ENGINE_PACK,
		.count = reader->count,
		.outputs[0] = {VARDATA(value) + packed_front(&packed), KIND_UINT1},
		.room = packed_most_blocks(packed.kind, reader->count),
		.summary = blocks,
		.summary_bytes = nblocks * sizeof(PackedBlock)
	};

	(void) call_engine(&request, reader);
	packed_write_front(&packed, reader->nulls, blocks, VARDATA(value));
	pfree(blocks);
	if (!AllocSizeIsValid(VARHDRSZ + packed.length))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("packed array size exceeds the maximum allowed (%d)",
						(int) (MaxAllocSize - VARHDRSZ)),
				 errdetail("The packed array has " INT64_FORMAT " bytes.",
						   packed.length)));
	value = large_value_cut(value, room, VARHDRSZ + packed.length);
	SET_VARSIZE(value, VARHDRSZ + packed.length);
	return PointerGetDatum(value);
}

/*
 * The array packed, as gpu_pack does, where it is no argument.  It is recorded
 * as a call.
 */
Datum
pack_array(Datum array)
{
	ArrayReader reader;

	call_begin("gpu_pack");
	call_open_datum(&reader, array, NULLS_DROPPED, NULL);
	check_packable(&reader.type);
	return call_end(&reader, pack_elements(&reader));
}

/*
 * gpu_pack(a anyarray) returns gpu_packed
 *
 * The array in a fraction of its bytes, from which gpu_unpack makes it again,
 * bit for bit.
 */
SQL_CALL_FUNCTION(gpu_pack, "gpu_pack", 0)
{
	ArrayReader reader;

	call_open_list(&reader, fcinfo, 0, NULLS_DROPPED);
	check_packable(&reader.type);
	return call_end(&reader, pack_elements(&reader));
}

/* Raises 42804 if the elements of a packed array are not of a type. */
static void
check_elements(const ArrayReader *reader, Oid element)
{
	if (reader->type.oid != element)
		raise_mismatch("packed array has elements of type %s, not %s",
					   reader->type.oid, element,
					   psprintf(_("Cast it to %s first."),
								format_type_be(reader->type.array)));
}

/* The array of a reader's elements, outside of calls. */
Datum
unpack_elements(ArrayReader *reader)
{
	ArrayWriter writer;

	array_writer_begin_like(&writer, &reader->type, reader);
	array_reader_copy(reader, writer.values, reader->count);
	return array_writer_finish(&writer);
}

/*
 * Opens the elements of the first argument from the position "first" to "last".
 * Their type is the type of the elements of another argument.
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

/*
 * Ends a call with all that the reader has, which may stay packed if it is the
 * whole array.
 */
static Datum
end_unpacked(ArrayReader *reader, bool whole)
{
	ArrayWriter writer;

	array_writer_begin_like(&writer, &reader->type, reader);
	if (!whole || !defer_packed(reader))
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
SQL_FUNCTION(gpu_unpack)
{
	ArrayReader reader;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	call_begin_at(fcinfo, "gpu_unpack");
	open_like(&reader, fcinfo, 1, 1, PG_INT32_MAX);
	return end_unpacked(&reader, true);
}

/*
 * gpucompact_unpack_T(p gpu_packed) returns T[]
 *
 * The same as a cast, for each type T.
 */
SQL_FUNCTION(gpucompact_unpack_as)
{
	Oid			array = get_func_rettype(fcinfo->flinfo->fn_oid);
	ArrayReader reader;

	call_begin_at(fcinfo, "gpu_unpack");
	call_open_packed(&reader, PG_GETARG_DATUM(0), 1, PG_INT32_MAX);
	check_elements(&reader, get_element_type(array));
	return end_unpacked(&reader, true);
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
SQL_CALL_FUNCTION(gpu_slice_packed, "gpu_slice", 3)
{
	ArrayReader reader;

	open_like(&reader, fcinfo, 3, PG_GETARG_INT32(1), PG_GETARG_INT32(2));
	reader.lbounds[0] = 1;
	return end_unpacked(&reader, false);
}

/*
 * gpu_count(p gpu_packed) returns bigint
 *
 * How many elements are not NULL, which the header says.
 */
SQL_CALL_FUNCTION(gpu_count_packed, "gpu_count", 0)
{
	ArrayReader reader;
	int64		count;

	call_open_packed(&reader, PG_GETARG_DATUM(0), 1, 0);
	call_on_cpu(&reader);
	count = packed_present(&packed_reader_of(reader.source)->array);
	call_end_bytes(&reader, sizeof(count));
	PG_RETURN_INT64(count);
}
