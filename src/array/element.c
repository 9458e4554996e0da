/*
 * element.c
 *	  Facts about element types.
 */
#include "compat.h"

#include <math.h>

#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/lsyscache.h"

#include "array/element.h"

/* To support another type is to add a row, at the end. */
static const ElementType element_types[] = {
	/* oid, base, array, kind, size, has_zero, is_number */
	{INT4OID, INT4OID, INT4ARRAYOID, KIND_INT4, 4, true, true},
	{INT8OID, INT8OID, INT8ARRAYOID, KIND_INT8, 8, true, true},
	{INT2OID, INT2OID, INT2ARRAYOID, KIND_INT2, 2, true, true},
	{FLOAT4OID, FLOAT4OID, FLOAT4ARRAYOID, KIND_FLOAT4, 4, true, true},
	{FLOAT8OID, FLOAT8OID, FLOAT8ARRAYOID, KIND_FLOAT8, 8, true, true},
	{BOOLOID, BOOLOID, BOOLARRAYOID, KIND_UINT1, 1, true, false},
	{CHAROID, CHAROID, CHARARRAYOID, KIND_UINT1, 1, true, false},
	{OIDOID, OIDOID, OIDARRAYOID, KIND_UINT4, 4, true, false},
	{CASHOID, CASHOID, MONEYARRAYOID, KIND_INT8, 8, true, false},
	{DATEOID, DATEOID, DATEARRAYOID, KIND_INT4, 4, false, false},
	{TIMEOID, TIMEOID, TIMEARRAYOID, KIND_INT8, 8, false, false},
	{TIMESTAMPOID, TIMESTAMPOID, TIMESTAMPARRAYOID, KIND_INT8, 8, false, false},
	{TIMESTAMPTZOID, TIMESTAMPTZOID, TIMESTAMPTZARRAYOID, KIND_INT8, 8, false,
	false}
};

const ElementType *const int4_type = &element_types[0];
const ElementType *const int8_type = &element_types[1];
const ElementType *const float8_type = &element_types[4];
const ElementType *const bool_type = &element_types[5];

static const ElementType *
find_type(Oid oid)
{
	for (int i = 0; i < lengthof(element_types); i++)
	{
		if (element_types[i].oid == oid)
			return &element_types[i];
	}
	return NULL;
}

/* Returns whether a type is supported, and is no domain. */
bool
is_base_type(Oid oid)
{
	return find_type(oid) != NULL;
}

/* Returns whether a type is supported, or is a domain over a supported type. */
bool
is_supported_type(Oid oid)
{
	return find_type(oid) != NULL || find_type(getBaseType(oid)) != NULL;
}

/* Returns true for the array type of a supported type, but not of a domain. */
bool
is_supported_array(Oid oid)
{
	for (int i = 0; i < lengthof(element_types); i++)
	{
		if (element_types[i].array == oid)
			return true;
	}
	return false;
}

/* A hint for arrays of a type that is not supported. */
const char *
unsupported_type_hint(Oid oid)
{
	switch (getBaseType(oid))
	{
		case NUMERICOID:
			return _("Cast to double precision[], which has 15 digits: "
					 "a::double precision[].");
		case TEXTOID:
		case VARCHAROID:
		case BPCHAROID:
		case NAMEOID:
			return _("Use an integer for each text, such as its key in a "
					 "lookup table, or, where the order matters, its "
					 "dense_rank().  A literal needs a cast to an array type, "
					 "such as '{1,2}'::integer[].");
		case INTERVALOID:
			return _("Use a number for each interval, such as its "
					 "extract(epoch FROM ...)::double precision, in which a "
					 "year has 365.25 days.");
		default:
			return _("Supported types are numbers of fixed size (smallint, integer, "
					 "bigint, real, double precision), dates, times and "
					 "timestamps, oid, money, boolean, \"char\", and domains "
					 "over them.");
	}
}

void
raise_unsupported_type(Oid oid, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("arrays of type %s are not supported",
					format_type_be(oid)),
			 errhint("%s", hint)));
}

/* For a domain.  The detail may be NULL. */
void
raise_domain(const ElementType *type, const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("arrays of domain type %s are not supported",
					format_type_be(type->oid)),
			 detail != NULL ? errdetail("%s", detail) : 0,
			 errhint("Cast the array to %s.",
					 format_type_be(type->array))));
}

/*
 * The part of element_type for a type that has no row: a domain.
 *
 * Raises 0A000 if its base type has no row, either.
 */
static pg_noinline ElementType
domain_type(Oid oid)
{
	const ElementType *found = find_type(getBaseType(oid));
	ElementType type;

	if (found == NULL)
		raise_unsupported_type(oid, unsupported_type_hint(oid));
	type = *found;
	type.oid = oid;
	return type;
}

/*
 * The facts about a type, or about the type that a domain is over.
 *
 * Raises 0A000 if the type is not supported.
 */
ElementType
element_type(Oid oid)
{
	const ElementType *found = find_type(oid);

	return found != NULL ? *found : domain_type(oid);
}

/* Replaces any NaN by core's; the processor's NaNs may differ. */
double
one_nan(double value)
{
	return isnan(value) ? get_float8_nan() : value;
}

/* Returns whether a type is a supported type of numbers. */
bool
is_number_type(Oid oid)
{
	const ElementType *found = find_type(oid);

	return found != NULL && found->is_number;
}

/* Raises 0A000, with that hint, if elements of the type are not numbers. */
void
check_number_or_hint(const ElementType *type, const char *hint)
{
	if (!type->is_number)
		raise_unsupported_type(type->oid, hint);
}

/* Raises 0A000 if elements of the type are not numbers. */
void
check_number(const ElementType *type)
{
	check_number_or_hint(type, NUMBER_TYPES_HINT);
}

/*
 * Raises 0A000 if the sum of two elements is not an element of the type.  For a
 * domain it always does: the sum may not meet the domain's constraints.
 */
void
check_arithmetic(const ElementType *type)
{
	check_number(type);
	if (type->oid != type->base)
		raise_domain(type, _("A result might not be a value of the domain."));
}

/*
 * Checks the type of an array's elements against the type that the query has
 * for the array.  "declared" is InvalidOid if that type is not known.
 *
 * Raises XX001 if they do not match: the header of the array is damaged.
 * Raises 0A000 for int2vector and oidvector, whose subscripts begin with 0: an
 * array whose subscripts begin with 1 would not be a value of these types.
 */
void
check_declared(const ElementType *type, Oid declared)
{
	if (!OidIsValid(declared) || declared == type->array ||
		declared == ANYARRAYOID)
		return;
	if (declared == INT2VECTOROID || declared == OIDVECTOROID)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("type %s is not supported", format_type_be(declared)),
				 errhint("Cast the value to %s.",
						 format_type_be(type->array))));
	if (get_element_type(getBaseType(declared)) != type->oid)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("array is corrupted"),
				 errdetail("The array is declared as type %s, but its "
						   "elements are of type %s.", format_type_be(declared),
						   format_type_be(type->oid))));
}

/*
 * A hint for an integer that is out of range.  The kind counts as the kind of
 * the array's elements.
 */
const char *
wider_type_hint(ElementKind kind)
{
	return kind == KIND_INT8 ?
		_("Only numeric has wider integers: use plain SQL, with x::numeric.") :
		_("Cast the array to bigint[].");
}

/* Raises 22003, in core's words, if a result was out of its kind's range. */
void
check_overflow(ElementKind kind, EngineOverflow overflow)
{
	static const char *const messages[ELEMENT_KINDS] = {
		[KIND_INT2] = gettext_noop("smallint out of range"),
		[KIND_INT4] = gettext_noop("integer out of range"),
		[KIND_INT8] = gettext_noop("bigint out of range")
	};

	if (overflow == OVERFLOW_NONE)
		return;
	if (overflow == OVERFLOW_DOWN)
		float_underflow_error();
	if (kind_is_float(kind))
		float_overflow_error();
	ereport(ERROR,
			(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
			 errmsg("%s", _(messages[kind])),
			 errhint("%s", wider_type_hint(kind))));
}

/* The index of the kind's greatest element, which of floats is NaN. */
uint64
last_index(ElementKind kind)
{
	return kind == KIND_FLOAT4 ? float4_order(0x7FC00000) :
		kind == KIND_FLOAT8 ? float8_order(UINT64CONST(0x7FF8000000000000)) :
		kind_mask(kind);
}

/* The element at an index, of a kind of integers. */
int64
integer_at(ElementKind kind, uint64 index)
{
	uint64		bits = kind_least(kind) + index;

	return kind == KIND_INT2 ? (int16) bits :
		kind == KIND_INT4 ? (int32) bits : (int64) bits;
}

/* The element at an index, an integer or a float, as a double. */
float8
float_at(ElementKind kind, uint64 index)
{
	uint32		float4_bits;
	uint64		float8_bits;
	float4		narrow;
	float8		wide;

	if (kind == KIND_FLOAT4)
	{
		float4_bits = float4_of_order((uint32) index);
		memcpy(&narrow, &float4_bits, sizeof(narrow));
		return narrow;
	}
	if (kind == KIND_FLOAT8)
	{
		float8_bits = float8_of_order(index);
		memcpy(&wide, &float8_bits, sizeof(wide));
		return wide;
	}
	return (float8) integer_at(kind, index);
}
