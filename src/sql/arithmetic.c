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
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

#include "sql/arithmetic.h"

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
	const CoreOperator *core = argument;

	if (geterrcode() == ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE &&
		!kind_is_float(core->kind))
		errhint("%s", wider_type_hint(core->kind));
}

/* Begins calls of an operator, which core_operator_end ends. */
void
core_operator_begin(CoreOperator *core, ElementKind kind, ElementOperator op)
{
	core->function = core_functions[op][kind];
	core->kind = kind;
	core->binary = op < ELEMENT_BINARY;
	core->hint.callback = hint_at_range;
	core->hint.arg = core;
	core->hint.previous = error_context_stack;
	error_context_stack = &core->hint;
}

/* Raises core's error, if there is one. */
void
core_operator_call(const CoreOperator *core, const void *x, const void *y)
{
	int			size = kind_size(core->kind);

	if (core->function == NULL)
		return;
	if (core->binary)
		(void) DirectFunctionCall2(core->function, fetch_att(x, true, size),
								   fetch_att(y, true, size));
	else
		(void) DirectFunctionCall1(core->function, fetch_att(x, true, size));
}

void
core_operator_end(CoreOperator *core)
{
	error_context_stack = core->hint.previous;
}
