/*
 * compact.c
 *	  SQL functions that select elements of an array, or their positions.
 *
 * The reader leaves out NULLs.  So to select the elements that are not NULL, an
 * engine only copies the values.  Their positions come from the NULL bitmap
 * alone.
 */
#include "sql/function.h"

#include "utils/fmgroids.h"

/* The selected elements, or their positions, in an array with lower bound 1. */
static Datum
compact_array(ArrayReader *reader, EngineRequest *request)
{
	const CompactParameters *parameters = PARAMETERS(request,
													 CompactParameters);
	bool		positions = parameters->positions;
	ElementType type = positions ? *int4_type : reader->type;
	bool		skips = reader->count > 0 &&
		packed_skip_blocks(reader, &parameters->predicate);
	ArrayWriter writer;
	int64		count;

	array_writer_begin_list(&writer, &type, reader->count);
	request->stays = !skips &&
		(!positions || reader->count == reader->nitems);
	count = call_engine_into(request, reader, &writer).count;
	if (positions && skips)
		packed_renumber(reader, (int32 *) writer.values, count);
	if (positions && reader->count < reader->nitems)
		nulls_renumber(reader, (int32 *) writer.values, count);
	return call_end(reader, array_writer_finish_list(&writer, count));
}

/*
 * gpu_compact(a anyarray) returns anyarray
 *
 * The elements of "a" that are neither zero nor NULL, in their order; as
 * ARRAY(SELECT x FROM unnest(a) x WHERE x <> 0).
 */
SQL_CALL_FUNCTION(gpu_compact, "gpu_compact", 0)
{
	EngineRequest request = {.operation = ENGINE_COMPACT};
	ArrayReader reader;

	call_open_list(&reader, fcinfo, 0, NULLS_COUNTED);
	if (!reader.type.has_zero)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("type %s has no zero value",
						format_type_be(reader.type.oid)),
				 errhint("Name an operator and a value to compare the "
						 "elements with, or call gpu_compact_nulls to "
						 "remove NULLs.")));
	PARAMETERS(&request, CompactParameters)->predicate =
		compare_with(&reader.type, PREDICATE_NOT_EQUAL, InvalidOid, (Datum) 0);
	return compact_array(&reader, &request);
}

/*
 * The values of an array.  One that has the form of a list without NULLs (one
 * dimension, lower bound 1, and no bitmap) is returned as it came, which may be
 * as a pointer to a stored value.  A bitmap without NULLs shows in its size.
 */
static Datum
compact_values(FunctionCallInfo fcinfo)
{
	EngineRequest request = {.operation = ENGINE_COPY};
	ArrayReader reader;
	ArrayWriter writer;

	call_open_list(&reader, fcinfo, 0, NULLS_DROPPED);
	if (reader.ndim == 1 && reader.lbounds[0] == 1 && reader.nulls == NULL &&
		reader.size == array_writer_list_size(&reader.type, reader.nitems, 0))
	{
		call_end_bytes(&reader, reader.size);
		return PG_GETARG_DATUM(0);
	}
	array_writer_begin_list(&writer, &reader.type, reader.count);
	(void) call_engine_into(&request, &reader, &writer);
	return call_end(&reader, array_writer_finish_list(&writer, reader.count));
}

/*
 * A list of the array's NULLs, or of the positions of the NULLs or the values.
 * The values are not read.
 */
static Datum
list_nulls(FunctionCallInfo fcinfo, bool isnull, bool as_positions)
{
	ArrayReader reader;
	ArrayWriter writer;
	int32	   *positions;
	int64		count;

	call_open_list(&reader, fcinfo, 0, NULLS_DROPPED);
	call_on_cpu(&reader);
	count = isnull ? array_reader_nulls(&reader) : reader.nvalues;
	if (!as_positions)
	{
		array_writer_begin_null_list(&writer, &reader.type, count, count);
		return call_end(&reader,
						array_writer_finish_null_list(&writer, count, 0));
	}
	array_writer_begin_list(&writer, int4_type, count);
	positions = (int32 *) writer.values;
	if (isnull && count > 0)
		nulls_list(&reader, positions);
	for (int64 i = 0, step; !isnull && i < count; i += step)
	{
		CHECK_FOR_INTERRUPTS();
		step = Min(CHECK_STEP, count - i);
		(void) array_reader_positions(&reader, positions + i, step);
	}
	return call_end(&reader, array_writer_finish_list(&writer, count));
}

/*
 * gpu_compact_nulls(a anyarray) returns anyarray
 *
 * The elements of "a" that are not NULL, in their order; as
 * ARRAY(SELECT x FROM unnest(a) x WHERE x IS NOT NULL).
 */
SQL_CALL(gpu_compact_nulls, "gpu_compact_nulls", compact_values(fcinfo))

/*
 * The elements, or their positions, for which "x op value" is true, or
 * "x BETWEEN low AND high", or "x IS NULL".  A comparison with NULL is never
 * true.
 */
static Datum
compact_where(FunctionCallInfo fcinfo, bool positions)
{
	EngineRequest request = {
		.operation = ENGINE_COMPACT,
		.parameters = PARAMETERS_OF(CompactParameters, .positions = positions)
	};
	int			values = PG_NARGS() - 2;
	PredicateOperator operator;
	ArrayReader reader;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	call_begin(positions ? "gpu_positions" : "gpu_compact");
	operator = argument_operator(fcinfo, values);
	if (values == 0 && !positions && operator == PREDICATE_IS_NOT_NULL)
		return compact_values(fcinfo);
	if (values == 0)
		return list_nulls(fcinfo, operator == PREDICATE_IS_NULL, positions);
	call_open_list(&reader, fcinfo, 0, NULLS_COUNTED);
	if (PG_ARGISNULL(2) || (values == 2 && PG_ARGISNULL(3)))
		reader.count = 0;
	else
		PARAMETERS(&request, CompactParameters)->predicate =
			argument_predicate(fcinfo, &reader.type, operator);
	return compact_array(&reader, &request);
}

/*
 * gpu_compact(a anyarray, op text, value anyelement) returns anyarray
 * gpu_compact(a anyarray, op varchar, VARIADIC "values" "any") returns anyarray
 * gpu_compact(a anyarray, op text, low anyelement, high anyelement)
 *		returns anyarray
 *
 * As ARRAY(SELECT x FROM unnest(a) x WHERE x op value), or
 * x BETWEEN low AND high.
 */
SQL_FUNCTION_AS(gpu_compact_where, compact_where(fcinfo, false))

/*
 * gpu_positions(a anyarray, op text) returns integer[]
 * gpu_positions(a anyarray, op text, value anyelement) returns integer[]
 * gpu_positions(a anyarray, op varchar, VARIADIC "values" "any")
 *		returns integer[]
 * gpu_positions(a anyarray, op text, low anyelement, high anyelement)
 *		returns integer[]
 * gpu_positions(p gpu_packed, op varchar, VARIADIC "values" "any")
 *		returns integer[]
 *
 * As ARRAY(SELECT i FROM unnest(a) WITH ORDINALITY AS u (x, i)
 * WHERE x op value), or x BETWEEN low AND high, or x IS NULL.
 */
SQL_FUNCTION_AS(gpu_positions_where, compact_where(fcinfo, true))

/*
 * gpu_positions(mask boolean[]) returns integer[]
 *
 * As ARRAY(SELECT i FROM unnest(mask) WITH ORDINALITY AS u (m, i) WHERE m).
 */
SQL_CALL_FUNCTION(gpu_positions_masked, "gpu_positions", 0)
{
	EngineRequest request = {
		.operation = ENGINE_COMPACT,
		.parameters = PARAMETERS_OF(CompactParameters, .positions = true)
	};
	ArrayReader reader;

	call_open_list(&reader, fcinfo, 0, NULLS_FILLED);
	PARAMETERS(&request, CompactParameters)->predicate =
		compare_with(&reader.type, PREDICATE_NOT_EQUAL, InvalidOid, (Datum) 0);
	return compact_array(&reader, &request);
}

/*
 * The elements, NULLs included, where a mask of the array's length is true.  If
 * there are NULLs, the mask's elements at values select the values, and the
 * mask selects the bits of the result's bitmap.
 */
static Datum
compact_masked(ArrayReader *reader, ArrayReader *mask)
{
	EngineRequest request = {.operation = ENGINE_COMPACT};
	CallInput	second = array_input(mask);
	ArrayWriter writer;
	int64		selected;		/* NULLs among them */
	int64		values;

	array_writer_begin_null_list(&writer, &reader->type, reader->nitems,
								 array_reader_nulls(reader));
	request_into(&request, reader, &writer);
	if (reader->nulls != NULL)
	{
		uint8	   *where = bitmap_of_booleans(mask);
		uint8	   *table = palloc0(null_bitmap_bytes(reader->nvalues));

		(void) null_bitmap_select(table, where, reader->nulls, reader->nitems);
		selected = null_bitmap_select(writer.bitmap, reader->nulls, where,
									  reader->nitems);
		PARAMETERS(&request, CompactParameters)->by_bitmap = true;
		request.table = table;
		request.table_bytes = null_bitmap_bytes(reader->nvalues);
		values = call_engine(&request, reader).count;
	}
	else
	{
		request.stays = true;
		PARAMETERS(&request, CompactParameters)->masked = true;
		selected = values = call_engine_paired(&request, reader, &second).count;
	}
	array_reader_close(mask);
	return call_end(reader, array_writer_finish_null_list(&writer, selected,
														  values));
}

/*
 * gpu_compact(a anyarray, mask boolean[]) returns anyarray
 *
 * The elements of "a", NULLs among them, where the mask is true; as
 * ARRAY(SELECT x FROM unnest(a, mask) AS u (x, m) WHERE m).
 */
SQL_CALL_FUNCTION(gpu_compact_masked, "gpu_compact", 0)
{
	ArrayReader reader;
	ArrayReader mask;

	call_open_list(&reader, fcinfo, 0, NULLS_DROPPED);
	call_open_paired(&mask, fcinfo, 1, NULLS_FILLED, &reader, "mask");
	return compact_masked(&reader, &mask);
}

/*
 * gpu_compact(a anyarray, op text) returns anyarray
 *
 * As ARRAY(SELECT x FROM unnest(a) x WHERE x IS NULL), or IS NOT NULL.
 *
 * The parser takes a literal for a text rather than for a boolean[].  So a mask
 * that is a literal comes here.
 */
SQL_FUNCTION(gpu_compact_by_text)
{
	char	   *argument = text_to_cstring(PG_GETARG_TEXT_PP(1));
	char		first = argument[strspn(argument, " \t\n\r\v\f")];
	ArrayReader reader;
	ArrayReader mask;

	/* No operator begins as an array literal does. */
	if (first != '{' && first != '[')
		return compact_where(fcinfo, false);

	call_begin("gpu_compact");
	call_open_list(&reader, fcinfo, 0, NULLS_DROPPED);
	call_open_datum(&mask,
					OidInputFunctionCall(F_ARRAY_IN, argument, BOOLOID, -1),
					NULLS_FILLED, NULL);
	call_check_list(&mask);
	call_check_pair(&reader, "a", &mask, "mask");
	return compact_masked(&reader, &mask);
}
