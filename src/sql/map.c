/*
 * map.c
 *	  SQL functions that combine each element of an array with a value, or call
 *	  a function of each.
 *
 * The engine gets the values, and the result has its NULLs where the array has
 * them.  LEAST and GREATEST ignore NULLs, so the engine gets the value in
 * place of each NULL.
 *
 * An engine reports only that core would raise an error for some element.
 * Then core's own functions are called, element by element, to raise it.  So
 * the error and its text are core's, for the first element that has an error.
 */
#include "sql/function.h"

#include "parser/parse_coerce.h"
#include "utils/fmgrprotos.h"

static const char *const element_operator_names[ELEMENT_OPERATORS] = {
	[ELEMENT_ADD] = "+",
	[ELEMENT_SUBTRACT] = "-",
	[ELEMENT_MULTIPLY] = "*",
	[ELEMENT_DIVIDE] = "/",
	[ELEMENT_MODULO] = "%",
	[ELEMENT_LEAST] = "least",
	[ELEMENT_GREATEST] = "greatest",
	[ELEMENT_ABS] = "abs",
	[ELEMENT_NEGATE] = "-",
	[ELEMENT_SIGN] = "sign",
	[ELEMENT_FLOOR] = "floor",
	[ELEMENT_CEIL] = "ceil",
	[ELEMENT_ROUND] = "round",
	[ELEMENT_TRUNC] = "trunc",
	[ELEMENT_SQRT] = "sqrt"
};

/* The square root of a real, as that of a double precision. */
static Datum
float4_sqrt(PG_FUNCTION_ARGS)
{
	return DirectFunctionCall1(dsqrt,
							   Float8GetDatum(PG_GETARG_FLOAT4(0)));
}

#define OF_INTEGERS(name) \
	[KIND_INT2] = int2##name, [KIND_INT4] = int4##name, [KIND_INT8] = int8##name
#define OF_NUMBERS(name) \
	OF_INTEGERS(name), \
	[KIND_FLOAT4] = float4##name, [KIND_FLOAT8] = float8##name

/* Core's functions that may raise an error. */
static const PGFunction core_functions[ELEMENT_OPERATORS][ELEMENT_KINDS] = {
	[ELEMENT_ADD] = {OF_NUMBERS(pl)},
	[ELEMENT_SUBTRACT] = {OF_NUMBERS(mi)},
	[ELEMENT_MULTIPLY] = {OF_NUMBERS(mul)},
	[ELEMENT_DIVIDE] = {OF_NUMBERS(div)},
	[ELEMENT_MODULO] = {OF_INTEGERS(mod)},
	[ELEMENT_ABS] = {OF_INTEGERS(abs)},
	[ELEMENT_NEGATE] = {OF_INTEGERS(um)},
	[ELEMENT_SQRT] = {[KIND_FLOAT4] = float4_sqrt, [KIND_FLOAT8] = dsqrt}
};

/*
 * Raises 0A000 if elements of the type are not numbers, or are of a domain, or
 * do not have the operator.
 */
void
check_element_operator(const ElementType *type, ElementOperator op)
{
	check_arithmetic(type);
	if (has_element_operator(type->kind, op))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("%s \"%s\" is not supported for elements of type %s",
					op < ELEMENT_BINARY ? "operator" : "function",
					element_operator_names[op], format_type_be(type->oid)),
			 op == ELEMENT_MODULO ?
			 errhint("If all elements are whole numbers, cast the array to an "
					 "array of integers.") :
			 errhint("Cast the array to double precision[].")));
}

/* Adds a hint to an integer that is out of range. */
static void
hint_at_range(void *argument)
{
	ElementKind kind = *(ElementKind *) argument;

	if (geterrcode() == ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE &&
		!kind_is_float(kind))
		errhint("%s", wider_type_hint(kind));
}

/*
 * Calls core's function for the elements of one or two operands that are not
 * NULL, until it raises an error.
 */
void
raise_element_error(PGFunction function, bool binary, Operand x, Operand y)
{
	Operand		operands[] = {x, y};
	ArrayReader readers[2] = {0};
	char	   *copies[2] = {0};
	const char *at[] = {x.value, y.value};
	int64		count = PG_INT64_MAX;
	int			size = 0;

	for (int i = 0; i < 2; i++)
	{
		if (at[i] != NULL)
			continue;
		array_reader_open(&readers[i], operands[i].array, NULLS_FILLED, NULL);
		size = readers[i].type.size;
		count = Min(count, readers[i].nitems - operands[i].skipped);
		at[i] = (char *) array_reader_all(&readers[i], &copies[i]) +
			operands[i].skipped * size;
	}
	for (int64 i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (array_reader_is_value(&readers[0], x.skipped + i) &&
			array_reader_is_value(&readers[1], y.skipped + i))
			(void) (binary ?
					DirectFunctionCall2(function,
										fetch_att(at[0], true, size),
										fetch_att(at[1], true, size)) :
					DirectFunctionCall1(function,
										fetch_att(at[0], true, size)));
		at[0] += x.value != NULL ? 0 : size;
		at[1] += y.value != NULL ? 0 : size;
	}
	for (int i = 0; i < 2; i++)
	{
		if (copies[i] != NULL)
			pfree(copies[i]);
		array_reader_close(&readers[i]);
	}
}

/*
 * Raises core's error for the first elements of a kind for which an operator
 * has one, if there are any.
 */
void
raise_core_error(ElementOperator op, ElementKind kind, Operand x, Operand y)
{
	ErrorContextCallback hint = {
		.previous = error_context_stack,
		.callback = hint_at_range,
		.arg = &kind
	};

	if (core_functions[op][kind] == NULL)
		return;
	error_context_stack = &hint;
	raise_element_error(core_functions[op][kind], op < ELEMENT_BINARY, x, y);
	error_context_stack = hint.previous;
}

/* The results for all elements that the reader hands out. */
static Datum
map_elements(FunctionCallInfo fcinfo, int argument, ArrayReader *reader,
			 const MapParameters *parameters)
{
	EngineRequest request = {.operation = ENGINE_MAP};
	Operand		elements = {.array = PG_GETARG_DATUM(argument)};
	Operand		value = {.value = (const char *) parameters->value};
	bool		behind = parameters->value_first;
	ArrayWriter writer;

	array_writer_begin_like(&writer, &reader->type, reader);
	request.stays = reader->nulls == NULL || reader->count == reader->nitems;
	*PARAMETERS(&request, MapParameters) = *parameters;
	if (call_engine_into(&request, reader, &writer).overflow != OVERFLOW_NONE)
	{
		check_bins(&reader->type, parameters->op == ELEMENT_BIN);
		raise_core_error(parameters->op, reader->type.kind,
						 behind ? value : elements, behind ? elements : value);
		elog(ERROR, "operator \"%s\" raised no error",
			 element_operator_names[parameters->op]);
	}
	return call_end_writer(reader, &writer);
}

/*
 * Converts a value to an integer type, if it is an integer, too.
 *
 * Raises 22003 if it is out of range.
 */
static bool
convert_integer(const ElementType *type, Oid value_type, Datum *value)
{
	int64		integer;

	if (kind_is_float(type->kind) ||
		!get_integer(value_type, *value, &integer))
		return false;
	if (!has_element(type->kind, integer))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("value " INT64_FORMAT " is out of range for type %s",
						integer, format_type_be(type->oid)),
				 errhint("%s", wider_type_hint(type->kind))));
	*value = Int64GetDatum(integer);
	return true;
}

/*
 * What to write where elements cannot be combined with a value of a type, or
 * NULL.  Core's operators combine integers with a value that is no integer as
 * numeric or double precision.
 */
static const char *
operand_hint(const ElementType *type, Oid value_type)
{
	if (value_type == NUMERICOID && type->kind == KIND_INT8)
		return _("Cast the array to double precision[], which has 15 digits.");
	if (value_type == NUMERICOID || is_number_type(value_type))
		return _("Cast the array to double precision[].");
	if (value_type == UNKNOWNOID ||
		TypeCategory(value_type) == TYPCATEGORY_STRING)
		return psprintf(_("Cast the value to %s."),
						format_type_be(type->base));
	return NULL;
}

/*
 * The value that an argument is, as an element.
 *
 * Raises 42804 if its type is not cast to the type of the elements implicitly.
 */
static Datum
value_argument(FunctionCallInfo fcinfo, int argument, const ElementType *type)
{
	Oid			value_type = get_fn_expr_argtype(fcinfo->flinfo, argument);
	Oid			base = OidIsValid(value_type) ? getBaseType(value_type) :
		type->base;
	Datum		value = PG_GETARG_DATUM(argument);

	if (base == type->base || convert_integer(type, base, &value))
		return value;
	if (!cast_value(type, base, &value))
		raise_mismatch("cannot combine elements of type %s with a value of type %s",
					   type->oid, value_type, operand_hint(type, base));
	return value;
}

/* The elements of an argument, combined with a value. */
static Datum
map_with_value(FunctionCallInfo fcinfo, int array, int value)
{
	MapParameters parameters = {.value_first = value < array};
	ElementValue fill[ELEMENT_KINDS] = {0};
	ArrayReader reader;
	ElementType type;

	parameters.op = name_argument(fcinfo, "operator", PG_GETARG_DATUM(1),
								  element_operator_names, ELEMENT_BINARY);
	call_open_list(&reader, fcinfo, array, NULLS_COUNTED);
	type = reader.type;
	check_element_operator(&type, parameters.op);
	store_att_byval(parameters.value, value_argument(fcinfo, value, &type),
					type.size);
	if (parameters.op >= ELEMENT_LEAST && reader.nvalues < reader.nitems)
	{
		array_reader_close(&reader);
		memcpy(&fill[type.kind], parameters.value, type.size);
		array_reader_open(&reader, PG_GETARG_DATUM(array), NULLS_FILLED, fill);
	}
	return map_elements(fcinfo, array, &reader, &parameters);
}

/*
 * gpu_map(a anyarray, op text, value anynonarray) returns anyarray
 * gpu_map(a anyarray, op varchar, value "any") returns anyarray
 * gpu_map(value anynonarray, op text, a anyarray) returns anyarray
 * gpu_map(value "any", op varchar, a anyarray) returns anyarray
 *
 * As ARRAY(SELECT x op value FROM unnest(a) WITH ORDINALITY AS u (x, i)
 * ORDER BY i), or value op x.
 */
SQL_CALL(gpu_map_value, "gpu_map", map_with_value(fcinfo, 0, 2))
SQL_CALL(gpu_map_value_first, "gpu_map", map_with_value(fcinfo, 2, 0))

/*
 * gpu_map(a anyarray, fn text) returns anyarray
 *
 * As ARRAY(SELECT fn(x) FROM unnest(a) WITH ORDINALITY AS u (x, i) ORDER BY i),
 * with results of the type of "a".
 */
SQL_CALL_FUNCTION(gpu_map_function, "gpu_map", 0)
{
	MapParameters parameters = {0};
	ArrayReader reader;

	parameters.op = ELEMENT_BINARY +
		name_argument(fcinfo, "function", PG_GETARG_DATUM(1),
					  element_operator_names + ELEMENT_BINARY,
					  ELEMENT_OPERATORS - ELEMENT_BINARY);
	call_open_list(&reader, fcinfo, 0, NULLS_COUNTED);
	check_arithmetic(&reader.type);
	if (parameters.op >= ELEMENT_FLOOR && parameters.op <= ELEMENT_TRUNC &&
		!kind_is_float(reader.type.kind))
	{
		/* An integer stays as it is. */
		call_end_bytes(&reader, reader.size);
		return PG_GETARG_DATUM(0);
	}
	check_element_operator(&reader.type, parameters.op);
	return map_elements(fcinfo, 0, &reader, &parameters);
}

/*
 * gpu_date_bin(a T[], stride, origin T) returns T[]
 *
 * As ARRAY(SELECT date_bin(stride, x, origin) FROM unnest(a) WITH ORDINALITY AS
 * u (x, i) ORDER BY i), and for integers the same.
 */
SQL_CALL_FUNCTION(gpu_date_bin, "gpu_date_bin", 0)
{
	MapParameters parameters;
	BinParameters bins;
	ArrayReader reader;

	call_open_list(&reader, fcinfo, 0, NULLS_DROPPED);
	bins = stride_arguments(fcinfo, 1, &reader.type);
	parameters = map_parameters_of_bins(&bins);
	return map_elements(fcinfo, 0, &reader, &parameters);
}
