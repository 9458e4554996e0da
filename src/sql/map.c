/*
 * map.c
 *	  SQL functions that combine each element of an array with a value, or call
 *	  a function of each.
 *
 * The engine gets the values, and the result has its NULLs where the array has
 * them.  LEAST and GREATEST ignore NULLs, so the engine gets the value in
 * place of each NULL.
 */
#include "compat.h"

#include "access/tupmacs.h"
#include "miscadmin.h"
#include "parser/parse_coerce.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "call/call.h"
#include "sql/arithmetic.h"
#include "sql/operator.h"
#include "sql/predicate.h"
#include "sql/stride.h"

/* Raises the first error of core's operator. */
static void
raise_error(Datum array, const MapParameters *parameters)
{
	Operand		elements = {.array = array};
	Operand		value = {.value = (const char *) parameters->value};

	if (parameters->value_first)
		raise_core_error(parameters->op, value, elements);
	else
		raise_core_error(parameters->op, elements, value);
	elog(ERROR, "operator \"%s\" raised no error",
		 element_operator_names[parameters->op]);
}

/* The results for all elements that the reader hands out. */
static Datum
map_elements(FunctionCallInfo fcinfo, int argument, ArrayReader *reader,
			 const MapParameters *parameters)
{
	EngineRequest request = {.operation = ENGINE_MAP};
	ArrayWriter writer;

	array_writer_begin_like(&writer, &reader->type, reader);
	request.stays = reader->nulls == NULL || reader->count == reader->nitems;
	*PARAMETERS(&request, MapParameters) = *parameters;
	if (call_engine_into(&request, reader, &writer).overflow != OVERFLOW_NONE)
	{
		check_bins(&reader->type, parameters->op == ELEMENT_BIN);
		raise_error(PG_GETARG_DATUM(argument), parameters);
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
	*value = type->kind == KIND_INT2 ? Int16GetDatum(integer) :
		type->kind == KIND_INT4 ? Int32GetDatum(integer) :
		Int64GetDatum(integer);
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
 * Raises 42804 if it is of a type that is not cast to that of the elements
 * implicitly.
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
	{
		const char *hint = operand_hint(type, base);

		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("cannot combine elements of type %s with a value of type %s",
						format_type_be(type->oid), format_type_be(value_type)),
				 hint != NULL ? errhint("%s", hint) : 0));
	}
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

	parameters.op = name_argument("operator", "gpu_map", PG_GETARG_DATUM(1),
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
 *
 * As ARRAY(SELECT x op value FROM unnest(a) WITH ORDINALITY AS u (x, i)
 * ORDER BY i).
 */
SQL_CALL(gpu_map_value, "gpu_map", map_with_value(fcinfo, 0, 2))

/*
 * gpu_map(value anynonarray, op text, a anyarray) returns anyarray
 * gpu_map(value "any", op varchar, a anyarray) returns anyarray
 *
 * As ARRAY(SELECT value op x FROM unnest(a) WITH ORDINALITY AS u (x, i)
 * ORDER BY i).
 */
SQL_CALL(gpu_map_value_first, "gpu_map", map_with_value(fcinfo, 2, 0))

/* The functions that leave an integer as it is. */
static bool
rounds(ElementOperator op)
{
	return op >= ELEMENT_FLOOR && op <= ELEMENT_TRUNC;
}

/*
 * gpu_map(a anyarray, fn text) returns anyarray
 *
 * As ARRAY(SELECT fn(x) FROM unnest(a) WITH ORDINALITY AS u (x, i) ORDER BY i),
 * with results of the type of "a".
 */
SQL_FUNCTION(gpu_map_function)
{
	MapParameters parameters = {0};
	ArrayReader reader;

	call_begin("gpu_map");
	parameters.op = ELEMENT_BINARY +
		name_argument("function", "gpu_map", PG_GETARG_DATUM(1),
					  element_operator_names + ELEMENT_BINARY,
					  ELEMENT_OPERATORS - ELEMENT_BINARY);
	call_open_list(&reader, fcinfo, 0, NULLS_COUNTED);
	check_arithmetic(&reader.type);
	if (rounds(parameters.op) && !kind_is_float(reader.type.kind))
	{
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
SQL_FUNCTION(gpu_date_bin)
{
	MapParameters parameters;
	BinParameters bins;
	ArrayReader reader;

	call_begin("gpu_date_bin");
	call_open_list(&reader, fcinfo, 0, NULLS_DROPPED);
	bins = stride_arguments(fcinfo, 1, &reader.type);
	parameters = map_parameters_of_bins(&bins);
	return map_elements(fcinfo, 0, &reader, &parameters);
}
