/*
 * bytes.c
 *	  The elements of an array as bytes without a header, and back.
 *
 * The bytes are what other programs have in memory: numbers side by side,
 * little-endian, floats as IEEE 754 has them, and booleans as bytes of 0 and 1.
 * Both directions are copies, on the CPU.
 */
#include "sql/function.h"

/* Raises 0A000 unless the elements are numbers or booleans. */
static void
check_plain(const ElementType *type)
{
	if (!type->is_number && type->base != BOOLOID)
		raise_unsupported_type(type->oid,
							   _("Supported types are smallint, integer, "
								 "bigint, real, double precision and boolean."));
}

/*
 * gpu_to_bytes(a anyarray) returns bytea
 *
 * The elements of an array of numbers or booleans, in storage order.
 *
 * Raises 22004 if one is NULL.
 */
SQL_CALL_FUNCTION(gpu_to_bytes, "gpu_to_bytes", 0)
{
	ArrayReader reader;
	ArrayWriter writer;
	int64		bytes;

	call_open_list(&reader, fcinfo, 0, NULLS_DROPPED);
	check_plain(&reader.type);
	if (reader.nulls != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("null array element not allowed in this context"),
				 errhint("gpu_compact_nulls removes NULLs, and gpu_fill "
						 "replaces them.")));
	bytes = reader.nitems * reader.type.size;
	array_writer_begin_bytes(&writer, bytes);
	array_reader_copy(&reader, writer.values, reader.nitems);
	return call_end(&reader, array_writer_finish_bytes(&writer, bytes));
}

/*
 * The type of the elements of "like", which may be NULL.
 *
 * Raises 0A000 if arrays of it cannot be made of bytes.
 */
static ElementType
element_type_of_like(FunctionCallInfo fcinfo)
{
	Oid			declared = get_fn_expr_argtype(fcinfo->flinfo, 1);
	ElementType type = element_type(element_of_argument(fcinfo, 1));

	check_declared(&type, getBaseType(declared));
	check_plain(&type);
	if (type.oid != type.base)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("arrays of domain type %s are not supported",
						format_type_be(type.oid)),
				 errhint("Make an array of type %s, and cast the array.",
						 format_type_be(type.array))));
	return type;
}

/* Raises 22P03 unless all bytes are 0 or 1. */
static void
check_booleans(const char *bytes, int64 count)
{
	for (int64 first = 0, last; first < count; first = last)
	{
		uint8		any = 0;

		CHECK_FOR_INTERRUPTS();
		last = Min(count, first + CHECK_STEP);
		for (int64 i = first; i < last; i++)
			any |= (uint8) bytes[i];
		for (int64 i = first; any > 1 && i < last; i++)
		{
			if ((uint8) bytes[i] > 1)
				ereport(ERROR,
						(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
						 errmsg("invalid byte for type boolean: 0x%02x",
								(uint8) bytes[i]),
						 errdetail("It is at offset " INT64_FORMAT ".", i)));
		}
	}
}

/*
 * gpu_from_bytes(bytes bytea, "like" anyarray) returns anyarray
 *
 * The array whose elements the bytes are.  It has the type of "like", whose
 * value does not matter.
 *
 * Raises 22P03 if the last element would not be whole, or for a byte that is no
 * boolean.
 */
SQL_FUNCTION(gpu_from_bytes)
{
	ElementType type;
	ArrayReader reader;
	ArrayWriter writer;
	int64		count;

	if (PG_ARGISNULL(0))
	{
		(void) element_type_of_like(fcinfo);
		PG_RETURN_NULL();
	}
	call_begin("gpu_from_bytes");
	type = element_type_of_like(fcinfo);
	call_open_bytes(&reader, PG_GETARG_DATUM(0));
	count = reader.nitems / type.size;
	if (count * type.size != reader.nitems)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
				 errmsg("length of bytes is not a multiple of the size of an "
						"element"),
				 errdetail("There are " INT64_FORMAT " bytes, and an element "
						   "of type %s has %d.", reader.nitems,
						   format_type_be(type.oid), type.size)));
	array_writer_begin_list(&writer, &type, count);
	array_reader_copy(&reader, writer.values, reader.nitems);
	if (type.base == BOOLOID)
		check_booleans(writer.values, count);
	return call_end(&reader, array_writer_finish_list(&writer, count));
}
