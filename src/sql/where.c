/*
 * where.c
 *	  The SQL function that chooses between the elements of two arrays, or an
 *	  element and a value, by a mask.
 *
 * The engine gets some value in place of each NULL.  If the arrays have NULLs,
 * the mask is read again to find the NULLs of the result.
 */
#include "sql/function.h"

#include "utils/fmgroids.h"

#include "contract/operations/where.h"

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
