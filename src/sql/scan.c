/*
 * scan.c
 *	  SQL functions that scan an array.
 *
 * A scan ignores NULLs, as a window aggregate does: the result at a NULL is the
 * one before it, and NULL before the first value.  The engine gets the
 * operator's neutral element in place of a NULL.  It does inclusive scans only:
 * an exclusive scan is the inclusive one of all elements but the last, moved by
 * one.  Arrays of several dimensions are scanned in storage order.
 */
#include "sql/function.h"

#include <math.h>

static const char *const operator_names[SCAN_OPERATORS] = {
	[SCAN_ADD] = "+",
	[SCAN_MULTIPLY] = "*",
	[SCAN_MIN] = "min",
	[SCAN_MAX] = "max",
	[SCAN_AND] = "&",
	[SCAN_OR] = "|",
	[SCAN_XOR] = "#"
};

/*
 * The neutral element of an operator.  For sums of floats it is -0, because
 * 0 would turn -0 into 0; for the least float it is NaN, the greatest.  (Of
 * elements that are no numbers, all bits of the least are 0 and of the greatest
 * 1.)
 */
const ElementValue scan_neutral[SCAN_OPERATORS][ELEMENT_KINDS] = {
	[SCAN_ADD] = {
		[KIND_FLOAT4] = {.float4 = -0.0f},
		[KIND_FLOAT8] = {.float8 = -0.0}
	},
	[SCAN_MULTIPLY] = {
		[KIND_INT2] = {.int2 = 1},
		[KIND_INT4] = {.int4 = 1},
		[KIND_INT8] = {.int8 = 1},
		[KIND_FLOAT4] = {.float4 = 1.0f},
		[KIND_FLOAT8] = {.float8 = 1.0}
	},
	[SCAN_MIN] = {
		[KIND_UINT1] = {.int8 = -1},
		[KIND_INT2] = {.int2 = PG_INT16_MAX},
		[KIND_INT4] = {.int4 = PG_INT32_MAX},
		[KIND_UINT4] = {.int8 = -1},
		[KIND_INT8] = {.int8 = PG_INT64_MAX},
		[KIND_FLOAT4] = {.float4 = NAN},
		[KIND_FLOAT8] = {.float8 = NAN}
	},
	[SCAN_MAX] = {
		[KIND_INT2] = {.int2 = PG_INT16_MIN},
		[KIND_INT4] = {.int4 = PG_INT32_MIN},
		[KIND_INT8] = {.int8 = PG_INT64_MIN},
		[KIND_FLOAT4] = {.float4 = -INFINITY},
		[KIND_FLOAT8] = {.float8 = -INFINITY}
	},
	[SCAN_AND] = {
		[KIND_INT2] = {.int2 = -1},
		[KIND_INT4] = {.int4 = -1},
		[KIND_INT8] = {.int8 = -1}
	}
};

/* The operator that the second argument names. */
static ScanOperator
scan_operator(FunctionCallInfo fcinfo)
{
	return name_argument(fcinfo, "operator", PG_GETARG_DATUM(1),
						 operator_names, SCAN_OPERATORS);
}

/* Raises 0A000 if the operator cannot be applied to elements of the type. */
void
scan_check_operator(ScanOperator operator, const ElementType *type)
{
	if (operator == SCAN_MIN || operator == SCAN_MAX)
		return;
	if (type->is_number)
		check_arithmetic(type);
	if (!type->is_number ||
		(operator >= SCAN_AND && kind_is_float(type->kind)))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("operator \"%s\" is not supported for arrays of type %s",
						operator_names[operator], format_type_be(type->oid)),
				 type->is_number ? 0 :
				 errhint("Operators \"min\" and \"max\" are supported for this "
						 "type.")));
}

/*
 * Raises 0A000 if a count of elements cannot be an element of the type.  The
 * hint says what counts them.
 */
void
scan_check_count(const ElementType *type, const char *hint)
{
	if (!type->is_number)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("operator \"count\" is not supported for arrays of type %s",
						format_type_be(type->oid)),
				 errdetail("The counts would be of the type of the elements."),
				 errhint("%s", hint)));
	check_arithmetic(type);
}

/* The type of results: that of the elements, or bigint for wide integers. */
static ElementType
result_type_of(const ElementType *type, bool widen)
{
	return widen && !kind_is_float(type->kind) ? *int8_type : *type;
}

/*
 * The scan of an array by an operator.  The result has the type of the
 * elements; or, if "widen", bigint for integers.
 */
static Datum
scan_array(FunctionCallInfo fcinfo, ScanOperator operator, bool exclusive,
		   bool widen)
{
	EngineRequest request = {.operation = ENGINE_SCAN};
	ElementValue start = {.int8 = 0};	/* the result for no elements */
	ElementType result_type;
	ArrayReader reader;
	ArrayWriter writer;
	int64		before;			/* elements before the engine's results */
	int64		nulls;			/* of them; but for SCAN_MIN and SCAN_MAX, an
								 * exclusive scan begins with a result */

	call_open_array(&reader, fcinfo, 0, LATER_NULLS_FILLED,
					scan_neutral[operator]);
	scan_check_operator(operator, &reader.type);
	result_type = result_type_of(&reader.type, widen);

	before = reader.leading_nulls;
	if (exclusive)
		before = Min(before + 1, reader.nitems);
	nulls = exclusive && operator != SCAN_MIN && operator != SCAN_MAX ?
		0 : before;

	array_writer_begin(&writer, &result_type, &reader, nulls, NULLS_FIRST);
	/* The sum of no floats is 0, not -0. */
	if (operator != SCAN_ADD)
		start = scan_neutral[operator][result_type.kind];
	for (int64 i = 0; i < before - nulls; i++)
	{
		CHECK_FOR_INTERRUPTS();
		memcpy(writer.values + i * result_type.size, &start, result_type.size);
	}
	request.count = reader.nitems - before;
	request.outputs[0].kind = result_type.kind;
	request.outputs[0].memory =
		writer.values + (before - nulls) * result_type.size;
	request.stays = before == nulls;
	PARAMETERS(&request, ScanParameters)->op = operator;
	check_overflow(result_type.kind,
				   call_engine(&request, &reader).overflow);
	return call_end_writer(&reader, &writer);
}

/*
 * gpu_prefix_sum(a T[], exclusive boolean)
 *		returns bigint[] for integers, T[] for floats
 *
 * Element i of the result is the sum of the elements of "a" up to i, or, if
 * exclusive, of the elements before i; as sum(x) OVER (ORDER BY i), but that an
 * exclusive scan starts at zero.
 */
SQL_CALL(gpu_prefix_sum, "gpu_prefix_sum",
		 scan_array(fcinfo, SCAN_ADD, PG_GETARG_BOOL(1), true))

/*
 * gpu_scan(a T[], op text, exclusive boolean) returns T[]
 *
 * As gpu_prefix_sum, by any operator, in the type of the elements.  The least
 * and the greatest of no elements are NULL.  Raises 22023 if there is no such
 * operator.
 */
SQL_CALL(gpu_scan, "gpu_scan",
		 scan_array(fcinfo, scan_operator(fcinfo),
					PG_GETARG_BOOL(2), false))

/*
 * The last element of a scan of an array, of the type that the scan has; NULL
 * if the array has no value.  NULLs are left out, so that a GPU can have the
 * values cached; only sums in order have the neutral element in their place.
 */
static Datum
reduce_array(FunctionCallInfo fcinfo, ScanOperator operator, bool widen)
{
	EngineRequest request = {.operation = ENGINE_REDUCE};
	ElementType type;
	ElementValue value;
	ArrayReader reader;
	EngineResult result;

	call_open_array(&reader, fcinfo, 0, NULLS_FILTERED, NULL);
	if (widen)
		check_arithmetic(&reader.type);
	else
		scan_check_operator(operator, &reader.type);
	type = result_type_of(&reader.type, widen);
	if (kind_is_float(type.kind) &&
		(operator == SCAN_ADD || operator == SCAN_MULTIPLY) &&
		(reader.nulls != NULL || array_reader_is_filtered(&reader)))
	{
		array_reader_close(&reader);
		call_open_array(&reader, fcinfo, 0, LATER_NULLS_FILLED,
						scan_neutral[operator]);
	}
	if ((operator == SCAN_MIN || operator == SCAN_MAX) &&
		packed_extreme(&reader, operator == SCAN_MAX, &value))
	{
		call_on_cpu(&reader);
		call_end_bytes(&reader, type.size);
		return element_datum(&type, &value);
	}
	request.count = reader.count;
	request.outputs[0] = (EngineOutput) {&value, type.kind};
	/* So that it can be the last stage of a chain. */
	request.stays = true;
	PARAMETERS(&request, ScanParameters)->op = operator;
	result = call_engine(&request, &reader);
	if (result.overflow != OVERFLOW_NONE && operator == SCAN_ADD &&
		type.kind == KIND_INT8)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("bigint out of range"),
				 errhint("The sum that gpu_sum returns is of type numeric.")));
	check_overflow(type.kind, result.overflow);
	call_end_bytes(&reader, result.elements > 0 ? type.size : 0);
	if (result.elements == 0)
		PG_RETURN_NULL();
	return element_datum(&type, &value);
}

/*
 * gpu_reduce(a T[], op text) returns T
 *
 * The last element of gpu_scan(a, op) that is not NULL.
 */
SQL_CALL(gpu_reduce, "gpu_reduce",
		 reduce_array(fcinfo, scan_operator(fcinfo), false))

/*
 * gpu_sum(a T[]) returns bigint for smallint and integer, T for floats
 * gpu_min(a T[]) returns T
 * gpu_max(a T[]) returns T
 *
 * As sum(x), min(x) and max(x).  gpu_sum_numeric is for bigint.
 */
SQL_CALL(gpu_sum, "gpu_sum", reduce_array(fcinfo, SCAN_ADD, true))
SQL_CALL(gpu_min, "gpu_min", reduce_array(fcinfo, SCAN_MIN, false))
SQL_CALL(gpu_max, "gpu_max", reduce_array(fcinfo, SCAN_MAX, false))

/*
 * gpu_count(a T[]) returns bigint
 *
 * As count(x).  Values are read only if stages of a chain filter them.
 */
SQL_CALL_FUNCTION(gpu_count, "gpu_count", 0)
{
	EngineRequest request = {
		.operation = ENGINE_REDUCE,
		.parameters = PARAMETERS_OF(ScanParameters, .op = SCAN_MAX)
	};
	ElementValue greatest;
	ArrayReader reader;
	int64		count;

	call_open_array(&reader, fcinfo, 0, NULLS_FILTERED, NULL);
	count = reader.nvalues;
	if (array_reader_is_filtered(&reader))
	{
		request.count = reader.count;
		request.outputs[0] = (EngineOutput) {&greatest, reader.type.kind};
		count = call_engine(&request, &reader).elements;
	}
	else
		call_on_cpu(&reader);
	call_end_bytes(&reader, sizeof(count));
	PG_RETURN_INT64(count);
}
