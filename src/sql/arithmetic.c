/*
 * arithmetic.c
 *	  Operators and functions of elements, as core has them.
 *
 * An engine reports only that core would raise an error for some element.
 * Then core's own functions are called, element by element, to raise it.  So
 * the error and its text are core's, for the first element that has an error.
 */
#include "compat.h"

#include "access/tupmacs.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

#include "array/array_reader.h"
#include "sql/arithmetic.h"

/* Elements that are looked at together for an error. */
#define CHECK_BLOCK		2048

const char *const element_operator_names[ELEMENT_OPERATORS] = {
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

/* Core's functions that may raise an error. */
static const PGFunction core_functions[ELEMENT_OPERATORS][ELEMENT_KINDS] = {
	[ELEMENT_ADD] = {
		[KIND_INT2] = int2pl, [KIND_INT4] = int4pl, [KIND_INT8] = int8pl,
		[KIND_FLOAT4] = float4pl, [KIND_FLOAT8] = float8pl
	},
	[ELEMENT_SUBTRACT] = {
		[KIND_INT2] = int2mi, [KIND_INT4] = int4mi, [KIND_INT8] = int8mi,
		[KIND_FLOAT4] = float4mi, [KIND_FLOAT8] = float8mi
	},
	[ELEMENT_MULTIPLY] = {
		[KIND_INT2] = int2mul, [KIND_INT4] = int4mul, [KIND_INT8] = int8mul,
		[KIND_FLOAT4] = float4mul, [KIND_FLOAT8] = float8mul
	},
	[ELEMENT_DIVIDE] = {
		[KIND_INT2] = int2div, [KIND_INT4] = int4div, [KIND_INT8] = int8div,
		[KIND_FLOAT4] = float4div, [KIND_FLOAT8] = float8div
	},
	[ELEMENT_MODULO] = {
		[KIND_INT2] = int2mod, [KIND_INT4] = int4mod, [KIND_INT8] = int8mod
	},
	[ELEMENT_ABS] = {
		[KIND_INT2] = int2abs, [KIND_INT4] = int4abs, [KIND_INT8] = int8abs
	},
	[ELEMENT_NEGATE] = {
		[KIND_INT2] = int2um, [KIND_INT4] = int4um, [KIND_INT8] = int8um
	},
	[ELEMENT_SQRT] = {
		[KIND_FLOAT4] = float4_sqrt, [KIND_FLOAT8] = dsqrt
	}
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

/* Calls core's function for elements, which may raise an error. */
static void
call_core(PGFunction function, ElementOperator op, const void *x,
		  const void *y, int size)
{
	if (op < ELEMENT_BINARY)
		(void) DirectFunctionCall2(function, fetch_att(x, true, size),
								   fetch_att(y, true, size));
	else
		(void) DirectFunctionCall1(function, fetch_att(x, true, size));
}

/*
 * Raises core's error for the first elements for which an operator has one, if
 * there are any.  NULLs have none.
 */
void
raise_core_error(ElementOperator op, Operand x, Operand y)
{
	Operand		operands[] = {x, y};
	ElementValue buffers[2][CHECK_BLOCK];
	ArrayReader readers[2] = {0};
	ArrayReader *first = &readers[x.value != NULL ? 1 : 0];
	ErrorContextCallback hint = {
		.previous = error_context_stack,
		.callback = hint_at_range
	};
	PGFunction	function;

	for (int i = 0; i < 2; i++)
	{
		if (operands[i].value == NULL)
			array_reader_open(&readers[i], operands[i].array, NULLS_FILLED,
							  NULL);
	}
	function = core_functions[op][first->type.kind];
	hint.arg = &first->type.kind;
	error_context_stack = &hint;
	while (function != NULL && first->at.next < first->nitems)
	{
		int64		from = first->at.next;
		int64		count = Min(first->nitems - from, CHECK_BLOCK);
		int			size = first->type.size;
		const char *at[2];

		CHECK_FOR_INTERRUPTS();
		for (int i = 0; i < 2; i++)
			at[i] = operands[i].value != NULL ? operands[i].value :
				array_reader_next(&readers[i], buffers[i], count);
		for (int64 i = from; i < from + count; i++)
		{
			if (array_reader_is_value(&readers[0], i) &&
				array_reader_is_value(&readers[1], i))
				call_core(function, op, at[0], at[1], size);
			at[0] += x.value != NULL ? 0 : size;
			at[1] += y.value != NULL ? 0 : size;
		}
	}
	error_context_stack = hint.previous;
	array_reader_close(&readers[0]);
	array_reader_close(&readers[1]);
}
