/*
 * element.c
 *	  Facts about element types.
 */
#include "compat.h"

#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "element.h"

/* To support another type is to add a row. */
static const ElementType element_types[] = {
	/* oid, kind, size, numeric, has_zero */
	{INT4OID, KIND_INT4, 4, true, true},
	{INT8OID, KIND_INT8, 8, true, true},
	{INT2OID, KIND_INT2, 2, true, true},
	{FLOAT4OID, KIND_FLOAT4, 4, true, true},
	{FLOAT8OID, KIND_FLOAT8, 8, true, true},
	{BOOLOID, KIND_UINT1, 1, false, true},
	{CHAROID, KIND_UINT1, 1, false, true},
	{OIDOID, KIND_UINT4, 4, false, true},
	{CASHOID, KIND_INT8, 8, false, true},
	{DATEOID, KIND_INT4, 4, false, false},
	{TIMEOID, KIND_INT8, 8, false, false},
	{TIMESTAMPOID, KIND_INT8, 8, false, false},
	{TIMESTAMPTZOID, KIND_INT8, 8, false, false}
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
