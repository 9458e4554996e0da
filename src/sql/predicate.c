/*
 * predicate.c
 *	  Which elements are selected, for an engine.
 *
 * A comparison with a value selects a range in the order of the elements, or
 * what is outside of a range.  If the value has another type, the bounds of
 * the range are found by a binary search with the comparison operator of the
 * two types.
 */
#include "sql/function.h"

#include "access/transam.h"
#include "catalog/pg_proc.h"
#include "parser/parse_coerce.h"
#include "utils/date.h"
#include "utils/float.h"
#include "utils/timestamp.h"

static const char *const operator_names[PREDICATE_OPERATORS] = {
	[PREDICATE_EQUAL] = "=",
	[PREDICATE_NOT_EQUAL] = "<>",
	[PREDICATE_LESS] = "<",
	[PREDICATE_LESS_OR_EQUAL] = "<=",
	[PREDICATE_GREATER] = ">",
	[PREDICATE_GREATER_OR_EQUAL] = ">=",
	[PREDICATE_BETWEEN] = "between",
	[PREDICATE_IS_NULL] = "is null",
	[PREDICATE_IS_NOT_NULL] = "is not null"
};

/* The place of a value in the order of all elements of a kind. */
typedef struct ValuePlace
{
	uint128		less;			/* so many are less than the value */
	uint128		up_to;			/* so many are not greater */
} ValuePlace;

/*
 * The predicate that selects the elements of a kind from the index "from" to
 * before "to"; or, if "outside", all other elements.
 */
static EnginePredicate
make_predicate(ElementKind kind, uint128 from, uint128 to, bool outside)
{
	/* A range is never empty; the complement of all elements is. */
	bool		empty = to <= from;

	return (EnginePredicate) {
		.low = kind_least(kind) + (empty ? 0 : (uint64) from),
		.span = empty ? kind_mask(kind) : (uint64) (to - from - 1),
		.outside = outside != empty
	};
}

/* The place of an element, given by its bits. */
static ValuePlace
element_place(ElementKind kind, uint64 bits)
{
	uint128		index = element_index(kind, bits);

	return (ValuePlace) {index, index + 1};
}

/*
 * A number to compare elements of another type with, as the operators of the
 * two types do: both as double precision if one of them is a float, else
 * exactly.
 */
typedef struct Number
{
	bool		is_float;
	float8		real;
	Numeric		numeric;
} Number;

static Number
number_value(const ElementType *type, Oid value_type, Datum value)
{
	if (value_type == FLOAT4OID)
		return (Number) {.is_float = true, .real = DatumGetFloat4(value)};
	if (value_type == NUMERICOID && !kind_is_float(type->kind))
		return (Number) {.numeric = DatumGetNumeric(value)};
	if (value_type == NUMERICOID)
		value = DirectFunctionCall1(numeric_float8, value);
	return (Number) {.is_float = true, .real = DatumGetFloat8(value)};
}

/*
 * An interval in microseconds, as core compares intervals: a day has 24 hours,
 * and a month 30 days.
 */
WideSum
interval_value(const Interval *interval)
{
	int64		days = interval->day + (int64) interval->month * DAYS_PER_MONTH;

	return (WideSum) days * USECS_PER_DAY + interval->time;
}

/* Compares the element at an index with a number: < 0, 0 or > 0. */
static int
compare_at(ElementKind kind, uint64 index, const Number *number)
{
	if (number->is_float)
		return float8_cmp_internal(float_at(kind, index), number->real);
	return DatumGetInt32(DirectFunctionCall2(numeric_cmp,
											 numeric_datum(integer_at(kind,
																	  index)),
											 NumericGetDatum(number->numeric)));
}

/* Returns whether a value is an integer, and which. */
bool
get_integer(Oid type, Datum value, int64 *integer)
{
	if (type == INT2OID)
		*integer = DatumGetInt16(value);
	else if (type == INT4OID)
		*integer = DatumGetInt32(value);
	else if (type == INT8OID)
		*integer = DatumGetInt64(value);
	else
		return false;
	return true;
}

/* Returns whether the integer is an element of a kind of integers. */
bool
has_element(ElementKind kind, int64 integer)
{
	return integer_at(kind, element_index(kind, (uint64) integer)) == integer;
}

/* How many elements there are for which compare_at returns at most "at_most". */
static uint128
count_elements(ElementKind kind, const Number *number, int at_most)
{
	uint128		from = 0;
	uint128		to = (uint128) last_index(kind) + 1;

	while (from < to)
	{
		uint128		middle = from + (to - from) / 2;

		if (compare_at(kind, (uint64) middle, number) <= at_most)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

/* The place of a number that may be no element. */
static ValuePlace
number_place(ElementKind kind, const Number *number)
{
	return (ValuePlace) {
		count_elements(kind, number, -1), count_elements(kind, number, 0)
	};
}

/* The place of an integer that may be no element. */
static ValuePlace
integer_place(ElementKind kind, WideSum integer)
{
	Number		number = {.is_float = true, .real = (float8) integer};
	uint128		less = integer > 0 ? (uint128) last_index(kind) + 1 : 0;

	if (kind_is_float(kind))
		return number_place(kind, &number);
	if (integer == (int64) integer && has_element(kind, (int64) integer))
		return element_place(kind, (uint64) integer);
	return (ValuePlace) {less, less};	/* all or none are less */
}

/*
 * Casts a value to the type of the elements, if PostgreSQL itself has an
 * implicit cast that is immutable.  The function of another cast may make calls
 * of ours, and the user may lack the right to call it.  A literal without a
 * type is read, if that does not depend on settings.
 */
bool
cast_value(const ElementType *type, Oid value_type, Datum *value)
{
	Oid			function;
	Oid			parameter;
	CoercionPathType path;

	if (value_type == UNKNOWNOID)
	{
		getTypeInputInfo(type->base, &function, &parameter);
		if (func_volatile(function) != PROVOLATILE_IMMUTABLE)
			return false;
		*value = OidInputFunctionCall(function, DatumGetCString(*value),
									  parameter, -1);
		return true;
	}
	path = find_coercion_pathway(type->base, value_type, COERCION_IMPLICIT,
								 &function);

	if (path == COERCION_PATH_RELABELTYPE)
		return true;
	if (path != COERCION_PATH_FUNC || function >= FirstNormalObjectId ||
		func_volatile(function) != PROVOLATILE_IMMUTABLE)
		return false;
	*value = OidFunctionCall1(function, *value);
	return true;
}

/* Returns whether core casts values of one type to another by itself. */
bool
is_cast_implicit(Oid from, Oid to)
{
	Oid			function;

	return find_coercion_pathway(to, from, COERCION_IMPLICIT,
								 &function) != COERCION_PATH_NONE;
}

/*
 * What to write where elements cannot be compared with a value of a type, or
 * NULL.  Following the hint must not change the value: a text is what it is as
 * a literal, but a timestamp is no date, nor a text a "char".
 */
static const char *
value_hint(const ElementType *type, Oid value_type)
{
	if (value_type == UNKNOWNOID || is_cast_implicit(value_type, type->base) ||
		(TypeCategory(value_type) == TYPCATEGORY_STRING &&
		 type->base != CHAROID))
		return psprintf(_("Cast the value to %s."),
						format_type_be(type->base));
	if (is_base_type(value_type) && is_cast_implicit(type->base, value_type))
		return psprintf(_("Cast the array to %s."),
						format_type_be(element_type(value_type).array));
	if (OidIsValid(get_element_type(value_type)))
		return _("gpu_compact_in(a, b) returns the elements that \"b\" "
				 "contains.  gpu_compare(a, op, b) compares the elements of "
				 "two arrays.");
	if (value_type == INTERVALOID && type->base == INT4OID)
		return _("Differences of dates are in days: write 5 for 5 days.");
	return NULL;
}

/*
 * The place of a value, which is of the elements' type or of another one;
 * InvalidOid stands for the elements' type.
 *
 * Raises 42804 if the elements cannot be compared with values of that type.
 */
static ValuePlace
value_place(const ElementType *type, Oid value_type, Datum value)
{
	int64		integer;
	bool		same;

	if (!OidIsValid(value_type))
		value_type = type->base;
	else if (value_type != type->oid)
		value_type = getBaseType(value_type);
	same = value_type == type->oid || value_type == type->base;
	if (value_type == INTERVALOID &&
		(type->base == INT8OID || type->base == TIMEOID))
		/* A difference of timestamps, as gpu_delta returns it, or a time. */
		return integer_place(type->kind,
							 interval_value(DatumGetIntervalP(value)));
	if (value_type == DATEOID && type->base == TIMESTAMPOID &&
		!DATE_NOT_FINITE(DatumGetDateADT(value)) &&
		DatumGetDateADT(value) >= TIMESTAMP_END_JULIAN - POSTGRES_EPOCH_JDATE)
	{
		/* It is after all timestamps but infinity. */
		uint128		finite = element_index(type->kind, (uint64) DT_NOEND);

		return (ValuePlace) {finite, finite};
	}
	if (type->is_number && !same && get_integer(value_type, value, &integer))
		return integer_place(type->kind, integer);
	if (type->is_number && !same &&
		(value_type == NUMERICOID || is_number_type(value_type)))
	{
		Number		number = number_value(type, value_type, value);

		return number_place(type->kind, &number);
	}
	if (!same && ((type->is_number && value_type != UNKNOWNOID) ||
				  !cast_value(type, value_type, &value)))
		raise_mismatch("cannot compare elements of type %s with a value of type %s",
					   type->oid, value_type, value_hint(type, value_type));
	return element_place(type->kind, datum_bits(type, value));
}

/*
 * The predicate "x op value".  "value_type" is the value's type, or InvalidOid
 * for that of the elements.
 */
EnginePredicate
compare_with(const ElementType *type, PredicateOperator operator,
			 Oid value_type, Datum value)
{
	ValuePlace	place = value_place(type, value_type, value);

	switch (operator)
	{
		case PREDICATE_LESS:
		case PREDICATE_GREATER_OR_EQUAL:
			return make_predicate(type->kind, 0, place.less,
								  operator == PREDICATE_GREATER_OR_EQUAL);
		case PREDICATE_LESS_OR_EQUAL:
		case PREDICATE_GREATER:
			return make_predicate(type->kind, 0, place.up_to,
								  operator == PREDICATE_GREATER);
		default:
			return make_predicate(type->kind, place.less, place.up_to,
								  operator == PREDICATE_NOT_EQUAL);
	}
}

/*
 * The operator that a function's second argument names, before "values" others.
 *
 * Raises 22023 if there is no operator of that name, or if it takes another
 * number of values.
 */
PredicateOperator
argument_operator(FunctionCallInfo fcinfo, int values)
{
	static const char *const takes[] = {"no value", "one value", "two values"};
	static const char *const arguments[] = {"", ", value", ", low, high"};
	int			operator = name_argument(fcinfo, "operator",
										 PG_GETARG_DATUM(1), operator_names,
										 PREDICATE_OPERATORS);
	int			needed = operator < PREDICATE_BETWEEN ? 1 :
		operator == PREDICATE_BETWEEN ? 2 : 0;

	if (values != needed)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("operator \"%s\" takes %s", operator_names[operator],
						takes[needed]),
				 errhint("Write %s(a, '%s'%s).", this_call.function,
						 operator_names[operator], arguments[needed])));
	return operator;
}

/* The predicate of an operator with the values behind it. */
static EnginePredicate
compare_with_arguments(FunctionCallInfo fcinfo, const ElementType *type,
					   PredicateOperator operator)
{
	Oid			first = get_fn_expr_argtype(fcinfo->flinfo, 2);
	ValuePlace	low;
	ValuePlace	high;

	if (operator != PREDICATE_BETWEEN)
		return compare_with(type, operator, first, PG_GETARG_DATUM(2));
	low = value_place(type, first, PG_GETARG_DATUM(2));
	high = value_place(type, get_fn_expr_argtype(fcinfo->flinfo, 3),
					   PG_GETARG_DATUM(3));
	return make_predicate(type->kind, low.less, high.up_to, false);
}

/* A call's predicate on elements of a type. */
typedef struct TypePredicate
{
	Oid			type;
	EnginePredicate predicate;
} TypePredicate;

/*
 * The predicate of an operator with the values behind it, which are the third
 * argument, and the fourth one.  It is made once in a query if the arguments
 * are constants.
 */
EnginePredicate
argument_predicate(FunctionCallInfo fcinfo, const ElementType *type,
				   PredicateOperator operator)
{
	CallSite   *site = call_site(fcinfo);
	TypePredicate *known = site->own;

	if (!site->constant)
		return compare_with_arguments(fcinfo, type, operator);
	if (known == NULL)
		known = site->own = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt,
												   sizeof(TypePredicate));
	if (known->type != type->oid)
	{
		known->predicate = compare_with_arguments(fcinfo, type, operator);
		known->type = type->oid;
	}
	return known->predicate;
}
