/*
 * element.c
 *	  Facts about element types.
 */
#include "compat.h"

#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/lsyscache.h"

#include "element.h"

/* To support another type is to add a row. */
static const ElementType element_types[] = {
	/* oid, kind, size, has_zero */
	{INT4OID, KIND_INT4, 4, true},
	{INT8OID, KIND_INT8, 8, true},
	{INT2OID, KIND_INT2, 2, true},
	{FLOAT4OID, KIND_FLOAT4, 4, true},
	{FLOAT8OID, KIND_FLOAT8, 8, true},
	{BOOLOID, KIND_UINT1, 1, true},
	{CHAROID, KIND_UINT1, 1, true},
	{OIDOID, KIND_UINT4, 4, true},
	{CASHOID, KIND_INT8, 8, true},
	{DATEOID, KIND_INT4, 4, false},
	{TIMEOID, KIND_INT8, 8, false},
	{TIMESTAMPOID, KIND_INT8, 8, false},
	{TIMESTAMPTZOID, KIND_INT8, 8, false}
};

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

/*
 * The facts about a type, or about what it is a domain over.
 *
 * Raises 0A000 if there are none.
 */
ElementType
element_type(Oid oid)
{
	const ElementType *found = find_type(oid);
	ElementType type;

	if (found == NULL)
		found = find_type(getBaseType(oid));
	if (found == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("arrays of type %s are not supported",
						format_type_be(oid)),
				 errhint("Supported are numbers of fixed size (smallint, "
						 "integer, bigint, real, double precision), dates, "
						 "times and timestamps, oid, money, boolean, "
						 "\"char\", and domains over them.")));
	type = *found;
	type.oid = oid;
	return type;
}

/*
 * Raises 22003, in core's words, if there was a result that is not in the
 * range of its kind.
 */
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
			 errmsg("%s", _(messages[kind]))));
}
