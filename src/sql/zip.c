/*
 * zip.c
 *	  SQL functions that combine the elements of two arrays by an operator, or
 *	  choose between them, or between an element and a value, by a mask.
 *
 * The engine gets a value in place of each NULL: an operator one that causes no
 * error; only a division by zero is an error with any value.  If arrays to
 * choose from have NULLs, the mask is read again to find those of the result.
 */
#include "sql/function.h"

#include "utils/fmgroids.h"

#include "contract/operations/where.h"

/* The operators: of numbers, as ElementOperator has them, and of booleans. */
static const char *const operator_names[] = {
	"+", "-", "*", "/", "%", "least", "greatest", "and", "or"
};

#define ZIP_AND			ELEMENT_BINARY

/* The operators whose neutral elements stand for NULLs in "a" and in "b". */
static const ScanOperator fills[ELEMENT_BINARY][2] = {
	[ELEMENT_ADD] = {SCAN_OR, SCAN_OR},
	[ELEMENT_SUBTRACT] = {SCAN_AND, SCAN_OR},
	[ELEMENT_MULTIPLY] = {SCAN_MULTIPLY, SCAN_MULTIPLY},
	[ELEMENT_DIVIDE] = {SCAN_MIN, SCAN_MULTIPLY},
	[ELEMENT_MODULO] = {SCAN_OR, SCAN_MULTIPLY},
	[ELEMENT_LEAST] = {SCAN_MIN, SCAN_MIN},
	[ELEMENT_GREATEST] = {SCAN_MAX, SCAN_MAX}
};

/* Opens both arrays, with these values for their NULLs. */
static void
open_arrays(FunctionCallInfo fcinfo, ArrayReader *a, ArrayReader *b,
			const ElementValue *a_fill, const ElementValue *b_fill)
{
	call_open_array(a, fcinfo, 0, NULLS_FILLED, a_fill);
	call_check_list(a);
	call_open_array(b, fcinfo, 2, NULLS_FILLED, b_fill);
	call_check_list(b);
	call_check_pair(a, "a", b, "b");
}

/* Begins the results, which may have NULLs, and runs the engine. */
static EngineOverflow
zip_arrays(ArrayReader *a, ArrayReader *b, ElementOperator op, int64 nulls,
		   ArrayWriter *writer)
{
	EngineRequest request = {
		.operation = ENGINE_ZIP,
		.parameters = PARAMETERS_OF(ZipParameters, .op = op)
	};
	CallInput	second = array_input(b);

	array_writer_begin_filled(writer, &a->type, a, Min(nulls, a->nitems));
	request_into(&request, a, writer);
	request.stays = nulls == 0;
	return call_engine_paired(&request, a, &second).overflow;
}

static Datum
zip_numbers(FunctionCallInfo fcinfo, ElementOperator op)
{
	bool		either = op == ELEMENT_LEAST || op == ELEMENT_GREATEST;
	ArrayReader a;
	ArrayReader b;
	ArrayWriter writer;
	int64		nulls;

	open_arrays(fcinfo, &a, &b, scan_neutral[fills[op][0]],
				scan_neutral[fills[op][1]]);
	check_element_operator(&a.type, op);
	nulls = either ? Min(array_reader_nulls(&a), array_reader_nulls(&b)) :
		array_reader_nulls(&a) + array_reader_nulls(&b);
	if (zip_arrays(&a, &b, op, nulls, &writer) != OVERFLOW_NONE)
		raise_core_error(op, a.type.kind, (Operand) {PG_GETARG_DATUM(0)},
						 (Operand) {PG_GETARG_DATUM(2)});
	if (writer.bitmap != NULL)
		null_bitmap_combine(writer.bitmap, a.nulls, b.nulls, a.nitems,
							either ? BITMAP_OR : BITMAP_AND);
	array_reader_close(&b);
	return call_end_null_results(&a, &writer);
}

/*
 * AND and OR.  The value for NULLs is the neutral one.  So a result that is the
 * other one is known all the same.
 */
static Datum
zip_booleans(FunctionCallInfo fcinfo, bool and)
{
	ElementValue fill[ELEMENT_KINDS] = {[KIND_UINT1] = {.int2 = and}};
	ArrayReader a;
	ArrayReader b;
	ArrayWriter writer;

	open_arrays(fcinfo, &a, &b, fill, fill);
	if (a.type.oid != BOOLOID)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("operator \"%s\" is not supported for elements of type %s",
						and ? "and" : "or", format_type_be(a.type.oid)),
				 errhint("Operators \"and\" and \"or\" take masks, as "
						 "gpu_compare(a, op, value) returns them.")));
	(void) zip_arrays(&a, &b, and ? ELEMENT_LEAST : ELEMENT_GREATEST,
					  array_reader_nulls(&a) + array_reader_nulls(&b), &writer);
	for (int64 i = 0; writer.bitmap != NULL && i < a.nitems; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if ((writer.values[i] != 0) != and ||
			(array_reader_is_value(&a, i) && array_reader_is_value(&b, i)))
			null_bitmap_set_value(writer.bitmap, i);
	}
	array_reader_close(&b);
	return call_end_null_results(&a, &writer);
}

/* Combines the elements by the operator of that name. */
static Datum
zip(FunctionCallInfo fcinfo, Datum name)
{
	int			op = name_argument(fcinfo, "operator", name,
								   operator_names, lengthof(operator_names));

	return op < ELEMENT_BINARY ? zip_numbers(fcinfo, op) :
		zip_booleans(fcinfo, op == ZIP_AND);
}

/*
 * gpu_zip(a anyarray, op text, b anyarray) returns anyarray
 *
 * As ARRAY(SELECT x op y FROM unnest(a, b) WITH ORDINALITY AS u (x, y, i)
 * ORDER BY i).
 *
 * Raises 2202E if the arrays differ in length.
 */
SQL_CALL(gpu_zip, "gpu_zip", zip(fcinfo, PG_GETARG_DATUM(1)))

/*
 * gpu_zip(a anycompatiblearray, op name, b anycompatiblearray)
 *		returns anycompatiblearray
 *
 * The same for arrays of two types, which the parser has cast to one.
 *
 * Raises 42804 if that is real: core combines a real with another number in
 * double precision.
 */
SQL_CALL_FUNCTION(gpu_zip_compatible, "gpu_zip", 0)
{
	if (element_of_argument(fcinfo, 0) == FLOAT4OID)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("cannot combine elements of type real with elements of another type"),
				 errhint("Cast both arrays to double precision[].")));
	return zip(fcinfo, CStringGetTextDatum(NameStr(*PG_GETARG_NAME(1))));
}

/*
 * The mask, whose type the parser does not know.
 *
 * Raises 42804 if it is no array of booleans.
 */
static Datum
mask_argument(FunctionCallInfo fcinfo)
{
	Oid			type = get_fn_expr_argtype(fcinfo->flinfo, 0);
	Oid			element;

	if (type == UNKNOWNOID)
		return OidInputFunctionCall(F_ARRAY_IN, PG_GETARG_CSTRING(0), BOOLOID,
									-1);
	element = OidIsValid(type) ? get_base_element_type(type) : BOOLOID;
	if (!OidIsValid(element) || getBaseType(element) != BOOLOID)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("a mask must be of type boolean[], not %s",
						format_type_be(type)),
				 errhint("gpu_compare(a, op, value) returns a mask.")));
	return PG_GETARG_DATUM(0);
}

/*
 * Marks the results that are not NULL: where the mask is true, where "a" has a
 * value, and else where "b" has one.  "b" is NULL for a value.
 */
static void
mark_values(Datum mask, const ArrayReader *a, const ArrayReader *b,
			bool value_isnull, ArrayWriter *writer)
{
	ArrayReader reader;
	uint8	   *chosen;
	uint8	   *others;

	array_reader_open(&reader, mask, NULLS_FILLED, NULL);
	chosen = bitmap_of_booleans(&reader);
	array_reader_close(&reader);
	null_bitmap_combine(writer->bitmap, chosen, a->nulls, a->nitems,
						BITMAP_AND);
	if (!value_isnull)
	{
		others = palloc(null_bitmap_bytes(a->nitems));
		null_bitmap_combine(others, b != NULL ? b->nulls : NULL, chosen,
							a->nitems, BITMAP_AND_NOT);
		null_bitmap_combine(writer->bitmap, writer->bitmap, others, a->nitems,
							BITMAP_OR);
		pfree(others);
	}
	pfree(chosen);
}

/* Chooses between "a" and either "b" or the value of the parameters. */
static Datum
choose(Datum mask_datum, ArrayReader *a, ArrayReader *b, bool value_isnull,
	   const WhereParameters *parameters)
{
	EngineRequest request = {.operation = ENGINE_WHERE};
	int64		nulls = array_reader_nulls(a);
	ArrayReader mask;
	ArrayWriter writer;
	CallInput	first = array_input(&mask);
	CallInput	second = array_input(a);
	CallInput	third = array_input(b);
	CallInput  *inputs[] = {&first, &second, &third};

	call_open_datum(&mask, mask_datum, NULLS_FILLED, NULL);
	check_array(reader_holds_booleans(&mask));
	call_check_list(&mask);
	call_check_pair(a, "a", &mask, "mask");
	if (b != NULL)
		nulls += array_reader_nulls(b);
	else if (value_isnull)
		nulls = a->nitems;
	array_writer_begin_filled(&writer, &a->type, a, Min(nulls, a->nitems));
	request_into(&request, a, &writer);
	request.stays = nulls == 0;
	*PARAMETERS(&request, WhereParameters) = *parameters;
	(void) call_engine_inputs(&request, inputs, b != NULL ? 3 : 2);
	array_reader_close(&mask);
	if (writer.bitmap != NULL)
		mark_values(mask_datum, a, b, value_isnull, &writer);
	return call_end_null_results(a, &writer);
}

/*
 * gpu_where(mask "any", a anycompatiblearray, b anycompatiblearray)
 *		returns anycompatiblearray
 *
 * As ARRAY(SELECT CASE WHEN m THEN x ELSE y END
 * FROM unnest(mask, a, b) WITH ORDINALITY AS u (m, x, y, i) ORDER BY i).
 *
 * Raises 2202E if the arrays differ in length.
 */
SQL_CALL_FUNCTION(gpu_where, "gpu_where", 0)
{
	WhereParameters parameters = {0};
	ArrayReader a;
	ArrayReader b;
	Datum		result;

	call_open_list(&a, fcinfo, 1, NULLS_FILLED);
	call_open_paired(&b, fcinfo, 2, NULLS_FILLED, &a, "b");
	result = choose(mask_argument(fcinfo), &a, &b, false, &parameters);
	array_reader_close(&b);
	return result;
}

/*
 * gpu_where(mask boolean[], a anycompatiblearray, value anycompatiblenonarray)
 *		returns anycompatiblearray
 *
 * As ARRAY(SELECT CASE WHEN m THEN x ELSE value END
 * FROM unnest(mask, a) WITH ORDINALITY AS u (m, x, i) ORDER BY i).
 */
SQL_CALL_FUNCTION(gpu_where_value, "gpu_where", 2)
{
	WhereParameters parameters = {0};
	ArrayReader a;

	call_open_list(&a, fcinfo, 1, NULLS_FILLED);
	if (!PG_ARGISNULL(2))
		put_element_bits(parameters.value,
						 datum_bits(&a.type, PG_GETARG_DATUM(2)), a.type.size);
	return choose(PG_GETARG_DATUM(0), &a, NULL, PG_ARGISNULL(2), &parameters);
}
