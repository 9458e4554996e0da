/*
 * compare.c
 *	  SQL functions that compare the elements of an array, to booleans.
 *
 * The engine gets the values, and the result has its NULLs where the array has
 * them.
 */
#include "sql/function.h"

#include "contract/operations/compare.h"

/* Compares all elements that the reader hands out. */
static void
compare_elements(ArrayReader *reader, ArrayWriter *writer,
				 EnginePredicate predicate, bool stays)
{
	EngineRequest request = {
		.operation = ENGINE_COMPARE,
		.stays = stays,
		.parameters = PARAMETERS_OF(CompareParameters, .predicate = predicate)
	};

	(void) call_engine_into(&request, reader, writer);
}

/* Whether each element is NULL, or whether it is not. */
static Datum
compare_with_null(FunctionCallInfo fcinfo, bool isnull)
{
	ArrayReader reader;
	ArrayWriter writer;
	NullRun		run = {0};

	call_open_list(&reader, fcinfo, 0, NULLS_DROPPED);
	call_on_cpu(&reader);
	array_writer_begin_filled(&writer, bool_type, &reader, 0);
	while (null_bitmap_next_run(reader.nulls, reader.nitems, &run))
		set_bytes(writer.values + run.from, run.isnull == isnull,
				  run.to - run.from);
	return call_end(&reader, array_writer_finish(&writer));
}

/*
 * As a comparison with two bounds, one of them NULL: false where the other
 * bound, which is an argument, says so, and else NULL.  There is none if the
 * argument is 0.
 */
static Datum
compare_with_bound(FunctionCallInfo fcinfo, int argument)
{
	PredicateOperator operator = argument == 2 ?
		PREDICATE_GREATER_OR_EQUAL : PREDICATE_LESS_OR_EQUAL;
	ArrayReader reader;
	ArrayWriter writer;

	call_open_list(&reader, fcinfo, 0, NULLS_FILLED);
	array_writer_begin_filled(&writer, bool_type, &reader, reader.nitems);
	if (argument == 0)
	{
		call_on_cpu(&reader);
		return call_end(&reader, array_writer_finish_values(&writer, 0));
	}
	compare_elements(&reader, &writer,
					 compare_with(&reader.type, operator,
								  get_fn_expr_argtype(fcinfo->flinfo,
													  argument),
								  PG_GETARG_DATUM(argument)),
					 false);
	for (int64 i = 0; i < reader.nitems; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (!writer.values[i] && array_reader_is_value(&reader, i))
			null_bitmap_set_value(writer.bitmap, i);
	}
	return call_end_null_results(&reader, &writer);
}

/* The comparisons of the values, with NULLs where they are in the array. */
static Datum
compare_with_values(FunctionCallInfo fcinfo, PredicateOperator operator)
{
	ArrayReader reader;
	ArrayWriter writer;

	call_open_list(&reader, fcinfo, 0, NULLS_COUNTED);
	array_writer_begin_like(&writer, bool_type, &reader);
	compare_elements(&reader, &writer,
					 argument_predicate(fcinfo, &reader.type, operator),
					 reader.nulls == NULL);
	return call_end_writer(&reader, &writer);
}

/* Which of the pairs each operator selects. */
static const ComparePairsParameters pairs_of[] = {
	[PREDICATE_EQUAL] = {.equal = true},
	[PREDICATE_NOT_EQUAL] = {.equal = true, .outside = true},
	[PREDICATE_LESS] = {.less = true},
	[PREDICATE_LESS_OR_EQUAL] = {.less = true, .equal = true},
	[PREDICATE_GREATER] = {.less = true, .equal = true, .outside = true},
	[PREDICATE_GREATER_OR_EQUAL] = {.less = true, .outside = true}
};

/*
 * How to give two arrays one type, or NULL: the type with which core's operator
 * compares their elements.
 */
static const char *
same_type_hint(const ElementType *a, const ElementType *b)
{
	if (a->is_number && b->is_number)
		return kind_is_float(a->kind) || kind_is_float(b->kind) ?
			_("Cast both arrays to double precision[].") :
			_("Cast both arrays to bigint[].");
	if (is_cast_implicit(a->base, b->base))
		return psprintf(_("Cast the first array to %s."),
						format_type_be(b->array));
	if (is_cast_implicit(b->base, a->base))
		return psprintf(_("Cast the second array to %s."),
						format_type_be(a->array));
	return NULL;
}

/*
 * The comparisons of the elements of two arrays; NULL if one of them is.
 *
 * Raises 42804 if the arrays are not of one type.
 */
static Datum
compare_with_array(FunctionCallInfo fcinfo, PredicateOperator operator)
{
	EngineRequest request = {.operation = ENGINE_COMPARE_PAIRS};
	ArrayReader a;
	ArrayReader b;
	CallInput	second = array_input(&b);
	ArrayWriter writer;
	int64		nulls;

	if (PG_ARGISNULL(2))
	{
		/* The other array is not looked at, as in a strict function. */
		array_reader_open_values(&a, bool_type, NULL, 0);
		return call_end_null(fcinfo, &a);
	}
	call_open_list(&a, fcinfo, 0, NULLS_FILLED);
	call_open_paired(&b, fcinfo, 2, NULLS_FILLED, &a, "b");
	if (a.type.base != b.type.base)
		raise_mismatch("cannot compare elements of type %s with elements of type %s",
					   a.type.oid, b.type.oid,
					   same_type_hint(&a.type, &b.type));
	nulls = array_reader_nulls(&a) + array_reader_nulls(&b);
	array_writer_begin_filled(&writer, bool_type, &a, Min(nulls, a.nitems));
	request_into(&request, &a, &writer);
	request.stays = nulls == 0;
	*PARAMETERS(&request, ComparePairsParameters) = pairs_of[operator];
	(void) call_engine_paired(&request, &a, &second);
	if (nulls > 0)
		null_bitmap_combine(writer.bitmap, a.nulls, b.nulls, a.nitems,
							BITMAP_AND);
	array_reader_close(&b);
	return call_end_null_results(&a, &writer);
}

/*
 * gpu_compare(a anyarray, op text) returns boolean[]
 * gpu_compare(a anyarray, op text, value anyelement) returns boolean[]
 * gpu_compare(a anyarray, op varchar, VARIADIC "values" "any")
 *		returns boolean[]
 * gpu_compare(a anyarray, op text, low anyelement, high anyelement)
 *		returns boolean[]
 *
 * The value may be an array "b": then elements of "a" and "b" are compared.
 *
 * As ARRAY(SELECT x op value FROM unnest(a) WITH ORDINALITY AS u (x, i)
 * ORDER BY i), or x BETWEEN low AND high, or x IS NULL.
 */
SQL_CALL_FUNCTION(gpu_compare, "gpu_compare", 2)
{
	int			values = PG_NARGS() - 2;
	PredicateOperator operator = argument_operator(fcinfo, values);
	Oid			type;			/* of what is behind the operator */
	bool		low;			/* a bound is there that is not NULL */
	bool		high;

	if (values == 0)
		return compare_with_null(fcinfo, operator == PREDICATE_IS_NULL);
	type = get_fn_expr_argtype(fcinfo->flinfo, 2);
	if (values == 1 && OidIsValid(type) &&
		OidIsValid(get_element_type(getBaseType(type))))
		return compare_with_array(fcinfo, operator);
	low = !PG_ARGISNULL(2);
	high = values == 2 ? !PG_ARGISNULL(3) : low;
	if (low && high)
		return compare_with_values(fcinfo, operator);
	return compare_with_bound(fcinfo, low ? 2 : high ? 3 : 0);
}
