/*
 * packed_type.c
 *	  The type gpu_packed: its text, its binary form, and its modifier.
 *
 * The text of a value is that of its array with the type of the elements in
 * front, as in integer:{1,2,NULL}.  The binary form is the bytes of the value:
 * the types of elements have the same object identifiers in all servers, as
 * none of them is a domain.  A client may send anything, so all of it is
 * checked.  A modifier is the type of the elements that a column's arrays have
 * to have, as in gpu_packed(integer): its number is the type's object
 * identifier.
 */
#include "compat.h"

#include "catalog/pg_type.h"
#include "datatype/timestamp.h"
#include "lib/stringinfo.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"
#include "parser/parse_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/fmgroids.h"

#include "call/call.h"
#include "sql/packed.h"

/* The type that a modifier asks for; anybody may call with any number. */
static char *
typmod_name(int32 typmod)
{
	return format_type_extended((Oid) typmod, -1, FORMAT_TYPE_ALLOW_INVALID);
}

/*
 * A modifier in the text of a type.  A name that is not one word is written as
 * a literal, which the grammar takes, too.
 */
static char *
typmod_text(int32 typmod)
{
	char	   *name = typmod_name(typmod);
	bool		word = strspn(name, "abcdefghijklmnopqrstuvwxyz") ==
		strlen(name);

	return psprintf("(%s)", word ? name : quote_literal_cstr(name));
}

/*
 * Raises 42804 if a modifier asks for elements of another type.  The error's
 * hint says what to cast an array to that is assigned to a column.
 */
static void
check_packed_typmod(Oid element, int32 typmod, bool assigned)
{
	if (typmod >= 0 && (Oid) typmod != element)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("packed array has elements of type %s, not %s",
						format_type_be(element), typmod_name(typmod)),
				 assigned ? errhint("Cast the array to %s[].",
									typmod_name(typmod)) : 0));
}

/*
 * The type of that name.
 *
 * Raises 42704 if there is none, and 0A000 if its arrays cannot be packed.
 */
static ElementType
find_element_type(const char *name, int32 *typmod)
{
	Oid			oid;
	ElementType type;

#if PG_VERSION_NUM >= 160000
	(void) parseTypeString(name, &oid, typmod, NULL);
#else
	parseTypeString(name, &oid, typmod, false);
#endif
	type = element_type(oid);
	check_packable(&type);
	return type;
}

/*
 * The colon behind the type's name, which may have others in quotes; or NULL.
 */
static const char *
find_colon(const char *text)
{
	bool		quoted = false;

	for (; *text != '\0'; text++)
	{
		if (*text == '"')
			quoted = !quoted;
		else if (*text == ':' && !quoted)
			return text;
	}
	return NULL;
}

/*
 * gpucompact_packed_in(cstring, oid, integer) returns gpu_packed
 *
 * Raises 22P02 if the text has no type, and what the input of the array does.
 */
SQL_FUNCTION(gpucompact_packed_in)
{
	char	   *text = PG_GETARG_CSTRING(0);
	const char *colon = find_colon(text);
	ElementType type;
	ArrayReader reader;
	LastCall	before;
	int32		typmod;
	Datum		array;

	if (colon == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("invalid input syntax for type %s: \"%s\"",
						"gpu_packed", text),
				 errdetail("The type of the elements and a colon must precede "
						   "the array, as in \"integer:{1,2}\".")));
	type = find_element_type(pnstrdup(text, colon - text), &typmod);
	check_packed_typmod(type.oid, PG_GETARG_INT32(2), false);
	array = OidInputFunctionCall(F_ARRAY_IN, unconstify(char *, colon) + 1,
								 type.oid, typmod);
	before = call_suspend();
	call_begin("gpu_pack");
	call_open_datum(&reader, array, NULLS_DROPPED, NULL);
	call_check_list(&reader);
	array = pack_elements(&reader);
	array_reader_close(&reader);
	call_end_unrecorded(&before);
	return array;
}

/* gpucompact_packed_out(gpu_packed) returns cstring */
SQL_FUNCTION(gpucompact_packed_out)
{
	ArrayReader reader;
	Datum		array;
	char	   *text;

	array_reader_open_packed(&reader, PG_GETARG_DATUM(0), 1, PG_INT32_MAX);
	array = unpack_elements(&reader);
	array_reader_close(&reader);
	text = OidOutputFunctionCall(F_ARRAY_OUT, array);
	PG_RETURN_CSTRING(psprintf("%s:%s", format_type_be(reader.type.oid), text));
}

/*
 * gpucompact_packed_typmod_in(cstring[]) returns integer
 *
 * Raises 22023 unless there is one modifier, which has none itself, and what
 * find_element_type does.
 */
SQL_FUNCTION(gpucompact_packed_typmod_in)
{
	Datum	   *names;
	int			n;
	int32		typmod;
	ElementType type;

	deconstruct_array(PG_GETARG_ARRAYTYPE_P(0), CSTRINGOID, -2, false,
					  TYPALIGN_CHAR, &names, NULL, &n);
	if (n != 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("type gpu_packed has one modifier, the type of the "
						"elements")));
	type = find_element_type(DatumGetCString(names[0]), &typmod);
	if (typmod >= 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the elements of type gpu_packed have no modifier"),
				 errhint("Write gpu_packed%s.", typmod_text(type.oid))));
	PG_RETURN_INT32((int32) type.oid);
}

/*
 * gpucompact_packed_typmod_out(integer) returns cstring
 */
SQL_FUNCTION_AS(gpucompact_packed_typmod_out,
				CStringGetDatum(typmod_text(PG_GETARG_INT32(0))))

/*
 * gpucompact_packed_check(gpu_packed, integer, boolean) returns gpu_packed
 *
 * The same value, whose elements are of the type that the modifier asks for.
 *
 * Raises 42804 if they are not.
 */
SQL_FUNCTION(gpucompact_packed_check)
{
	PackedReader *reader = packed_reader_open(PG_GETARG_DATUM(0),
											  ERRCODE_DATA_CORRUPTED);

	check_packed_typmod(reader->array.element_type, PG_GETARG_INT32(1), true);
	value_source_close(&reader->base);
	PG_RETURN_DATUM(PG_GETARG_DATUM(0));
}

/* Elements between two checks for interrupts. */
#define STEP			16384

/*
 * A type that does not use all values of its bits: its elements are from "least"
 * to before "end", and two that are infinite.
 */
typedef struct ElementRange
{
	Oid			type;
	int64		least;
	int64		end;
	int64		minus_infinity;
	int64		infinity;
} ElementRange;

static const ElementRange ranges[] = {
	{BOOLOID, 0, 2, 0, 0},
	{DATEOID, DATETIME_MIN_JULIAN - POSTGRES_EPOCH_JDATE,
	DATE_END_JULIAN - POSTGRES_EPOCH_JDATE, PG_INT32_MIN, PG_INT32_MAX},
	{TIMEOID, 0, USECS_PER_DAY + 1, 0, 0},
	{TIMESTAMPOID, MIN_TIMESTAMP, END_TIMESTAMP, PG_INT64_MIN, PG_INT64_MAX},
	{TIMESTAMPTZOID, MIN_TIMESTAMP, END_TIMESTAMP, PG_INT64_MIN, PG_INT64_MAX}
};

/* Raises 22P03 if bits are no element of the type. */
static void
check_elements(PackedReader *reader, const ElementRange *range)
{
	int			size = kind_size(reader->array.kind);
	int64		buffer[STEP];
	int64		count;

	for (int64 at = 0; at < reader->base.count; at += count)
	{
		CHECK_FOR_INTERRUPTS();
		count = Min(reader->base.count - at, STEP);
		reader->base.methods->read(&reader->base, at, count, (char *) buffer);
		for (int64 i = 0; i < count; i++)
		{
			int64		element = element_integer((char *) buffer + i * size,
												  size);

			if ((element < range->least || element >= range->end) &&
				element != range->minus_infinity && element != range->infinity)
				ereport(ERROR,
						(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
						 errmsg("packed array has an element that is out of "
								"range for type %s",
								format_type_be(range->type))));
		}
	}
}

/*
 * Checks all of a packed array, which has been made by anybody, and closes it.
 *
 * Raises the reader's SQLSTATE if it is damaged, and 22P03 if bits are no
 * element of the type.
 */
void
packed_check_all(PackedReader *reader)
{
	packed_reader_check(reader);
	for (int i = 0; i < lengthof(ranges); i++)
	{
		if (ranges[i].type == reader->array.element_type)
			check_elements(reader, &ranges[i]);
	}
	value_source_close(&reader->base);
}

/*
 * gpucompact_packed_recv(internal, oid, integer) returns gpu_packed
 *
 * Raises 22P03 if the bytes are no packed array.
 */
SQL_FUNCTION(gpucompact_packed_recv)
{
	StringInfo	message = (StringInfo) PG_GETARG_POINTER(0);
	int			length = message->len - message->cursor;
	struct varlena *value = palloc(VARHDRSZ + length);
	PackedReader *reader;

	SET_VARSIZE(value, VARHDRSZ + length);
	pq_copymsgbytes(message, VARDATA(value), length);
	reader = packed_reader_open(PointerGetDatum(value),
								ERRCODE_INVALID_BINARY_REPRESENTATION);
	check_packed_typmod(reader->array.element_type, PG_GETARG_INT32(2), false);
	packed_check_all(reader);
	PG_RETURN_POINTER(value);
}
