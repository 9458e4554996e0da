/*
 * argument.c
 *	  The type of an array argument.
 *
 * An error says which argument is of a type that is not supported, if others
 * are arrays, too.
 */
#include "compat.h"

#include "access/htup_details.h"
#include "catalog/pg_proc.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "call/argument.h"
#include "array/element.h"

/* What the catalog knows of a function's arguments. */
typedef struct Signature
{
	char	  **names;			/* NULL if they have none */
	int			required;		/* those that have no default */
} Signature;

static Signature
find_signature(Oid function)
{
	HeapTuple	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	Signature	signature = {0};
	Form_pg_proc form;
	Oid		   *types;
	char	   *modes;

	if (!HeapTupleIsValid(tuple))
		return signature;
	form = (Form_pg_proc) GETSTRUCT(tuple);
	(void) get_func_arg_info(tuple, &types, &signature.names, &modes);
	signature.required = form->pronargs - form->pronargdefaults;
	ReleaseSysCache(tuple);
	return signature;
}

static bool
has_other_array(FunctionCallInfo fcinfo, int argument)
{
	for (int i = 0; i < PG_NARGS(); i++)
	{
		Oid			type = get_fn_expr_argtype(fcinfo->flinfo, i);

		if (i != argument && OidIsValid(type) &&
			OidIsValid(get_element_type(getBaseType(type))))
			return true;
	}
	return false;
}

/*
 * The call in SQL, with a cast of an argument.  The state of an aggregate has
 * no name.
 */
static char *
call_with_cast(const char *function, const Signature *signature, int argument)
{
	StringInfoData call;

	initStringInfo(&call);
	appendStringInfo(&call, "%s(", function);
	for (int i = 0; i < Max(signature->required, argument + 1); i++)
	{
		bool		first = call.data[call.len - 1] == '(';

		if (signature->names[i][0] != '\0')
			appendStringInfo(&call, "%s%s%s", first ? "" : ", ",
							 signature->names[i],
							 i == argument ? "::double precision[]" : "");
	}
	appendStringInfoChar(&call, ')');
	return call.data;
}

/*
 * The type of the elements of an array argument, which may be NULL.  A query
 * always knows it; a function that is called by its OID need not.
 */
Oid
element_of_argument(FunctionCallInfo fcinfo, int argument)
{
	Oid			declared = get_fn_expr_argtype(fcinfo->flinfo, argument);
	Oid			element = OidIsValid(declared) ?
		get_base_element_type(declared) : InvalidOid;

	if (!OidIsValid(element))
		elog(ERROR, "could not determine the type of the result");
	return element;
}

/* Adds a detail that names an argument, if others are arrays, too. */
static int
name_argument(const char *function, FunctionCallInfo fcinfo, int argument,
			  const Signature *signature)
{
	return signature->names != NULL && has_other_array(fcinfo, argument) ?
		errdetail("The argument \"%s\" of %s is an array of that type.",
				  signature->names[argument], function) : 0;
}

/*
 * Checks the type of an array argument; InvalidOid if it is not known.
 *
 * Raises 0A000 if arrays of that type are not supported.
 */
void
check_argument(const char *function, FunctionCallInfo fcinfo, int argument,
			   Oid declared)
{
	Signature	signature;
	Oid			element;

	if (!OidIsValid(declared))
		return;
	element = get_element_type(getBaseType(declared));
	if (!OidIsValid(element) || is_supported_type(element))
		return;
	signature = find_signature(fcinfo->flinfo->fn_oid);
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("arrays of type %s are not supported",
					format_type_be(element)),
			 name_argument(function, fcinfo, argument, &signature),
			 signature.names != NULL && getBaseType(element) == NUMERICOID ?
			 errhint("Cast to double precision[], which has 15 digits: %s.",
					 call_with_cast(function, &signature, argument)) :
			 errhint("%s", unsupported_type_hint(element))));
}

/* Raises 0A000 if the elements of an array argument are not numbers. */
void
check_number_argument(const char *function, FunctionCallInfo fcinfo,
					  int argument, const ElementType *type)
{
	Signature	signature;

	if (type->is_number)
		return;
	signature = find_signature(fcinfo->flinfo->fn_oid);
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("arrays of type %s are not supported",
					format_type_be(type->oid)),
			 name_argument(function, fcinfo, argument, &signature),
			 errhint(NUMBER_TYPES_HINT)));
}
