/*
 * packed_type.c
 *	  The type gpu_packed: its text, and its modifier.
 *
 * The text of a value is that of its array with the type of the elements in
 * front, as in integer:{1,2,NULL}.  A modifier is the type of the elements that
 * a column's arrays have to have, as in gpu_packed(integer): its number is the
 * type's object identifier.
 */
#include "compat.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "parser/parse_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"

#include "call/call.h"
#include "sql/packed.h"

PG_FUNCTION_INFO_V1(gpucompact_packed_in);
PG_FUNCTION_INFO_V1(gpucompact_packed_out);
PG_FUNCTION_INFO_V1(gpucompact_packed_typmod_in);
PG_FUNCTION_INFO_V1(gpucompact_packed_typmod_out);
PG_FUNCTION_INFO_V1(gpucompact_packed_check);

/* The type that a modifier asks for; anybody may call with any number. */
static char *
typmod_name(int32 typmod)
{
	return format_type_extended((Oid) typmod, -1, FORMAT_TYPE_ALLOW_INVALID);
}

/*
 * Raises 42804 if a modifier asks for elements of another type.  The error's
 * hint says what to cast an array to that is assigned to a column.
 */
void
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
Datum
gpucompact_packed_in(PG_FUNCTION_ARGS)
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
Datum
gpucompact_packed_out(PG_FUNCTION_ARGS)
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
 * Raises 22023 unless there is one modifier, and what find_element_type does.
 */
Datum
gpucompact_packed_typmod_in(PG_FUNCTION_ARGS)
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
	PG_RETURN_INT32((int32) type.oid);
}

/*
 * gpucompact_packed_typmod_out(integer) returns cstring
 *
 * A name that is not one word is written as a literal, which the grammar takes,
 * too.
 */
Datum
gpucompact_packed_typmod_out(PG_FUNCTION_ARGS)
{
	char	   *name = typmod_name(PG_GETARG_INT32(0));
	bool		word = strspn(name, "abcdefghijklmnopqrstuvwxyz") ==
		strlen(name);

	PG_RETURN_CSTRING(psprintf("(%s)", word ? name :
							   quote_literal_cstr(name)));
}

/*
 * gpucompact_packed_check(gpu_packed, integer, boolean) returns gpu_packed
 *
 * The same value, whose elements are of the type that the modifier asks for.
 *
 * Raises 42804 if they are not.
 */
Datum
gpucompact_packed_check(PG_FUNCTION_ARGS)
{
	PackedReader *reader = packed_reader_open(PG_GETARG_DATUM(0),
											  ERRCODE_DATA_CORRUPTED);

	check_packed_typmod(reader->array.element_type, PG_GETARG_INT32(1), true);
	value_source_close(&reader->base);
	PG_RETURN_DATUM(PG_GETARG_DATUM(0));
}
