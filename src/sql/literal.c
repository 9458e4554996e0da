/*
 * literal.c
 *	  Array literals without a type: they are taken as integer[].
 *
 * The parser gives an array literal no type, unless another argument tells what
 * it is; so no function for arrays of any type takes the literal.  Each of the
 * functions has a second form, whose arguments have the type "unknown", which
 * literals have and nothing else has.  All second forms are one function here,
 * which calls the first form.
 */
#include "compat.h"

#include "executor/spi.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "catalog/pg_type_d.h"

PG_FUNCTION_INFO_V1(gpu_literal);
PG_FUNCTION_INFO_V1(gpu_literal_pair);
PG_FUNCTION_INFO_V1(gpu_literal_percentiles);
PG_FUNCTION_INFO_V1(gpu_literal_where);

/* The most arguments of a function that has a second form. */
#define MAX_ARGUMENTS	4

/* What an array literal is taken as. */
typedef struct LiteralType
{
	Oid			array;
	Oid			element;
	const char *hint;			/* if the literal is not of this type */
} LiteralType;

static const LiteralType integers = {
	INT4ARRAYOID, INT4OID,
	"An array literal without a type is taken as integer[].  Write its type, "
	"as in '{0.5}'::real[]."
};

static const LiteralType booleans = {
	BOOLARRAYOID, BOOLOID, "Write a mask as in '{t,f}'."
};

static const LiteralType fractions = {
	FLOAT8ARRAYOID, FLOAT8OID,
	"Write one fraction without quotes, as in 0.5, and several as in "
	"'{0.5,0.9}'."
};

static void
hint_at_type(void *type)
{
	errhint("%s", ((const LiteralType *) type)->hint);
}

/* The array that a literal stands for. */
static Datum
read_array(char *literal, const LiteralType *type)
{
	ErrorContextCallback hint = {
		.previous = error_context_stack,
		.callback = hint_at_type,
		.arg = unconstify(LiteralType *, type)
	};
	Datum		array;

	error_context_stack = &hint;
	array = OidInputFunctionCall(F_ARRAY_IN, literal, type->element, -1);
	error_context_stack = hint.previous;
	return array;
}

/*
 * The call of the first form, with parameters for what has a type.  The other
 * literals are literals again, so that the parser finds their types.
 */
static char *
call_in_sql(FunctionCallInfo fcinfo, const Oid *types)
{
	Oid			function = fcinfo->flinfo->fn_oid;
	char	   *schema = get_namespace_name(get_func_namespace(function));
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfo(&sql, "SELECT %s",
					 quote_qualified_identifier(schema,
												get_func_name(function)));
	for (int i = 0; i < PG_NARGS(); i++)
	{
		appendStringInfoString(&sql, i == 0 ? "(" : ", ");
		if (types[i] != UNKNOWNOID)
			appendStringInfo(&sql, "$%d", i + 1);
		else if (PG_ARGISNULL(i))
			appendStringInfoString(&sql, "NULL");
		else
			appendStringInfoString(&sql,
								   quote_literal_cstr(PG_GETARG_CSTRING(i)));
	}
	appendStringInfoChar(&sql, ')');
	return sql.data;
}

/* The result of SQL with the arguments as parameters, a single value. */
static Datum
result_of(const char *sql, FunctionCallInfo fcinfo, Oid *types)
{
	Datum		values[MAX_ARGUMENTS];
	char		nulls[MAX_ARGUMENTS];
	Form_pg_attribute attribute;
	Datum		result;

	for (int i = 0; i < PG_NARGS(); i++)
	{
		values[i] = fcinfo->args[i].value;
		nulls[i] = PG_ARGISNULL(i) ? 'n' : ' ';
	}
	if (SPI_execute_with_args(sql, PG_NARGS(), types, values, nulls, true,
							  1) != SPI_OK_SELECT || SPI_processed != 1)
		elog(ERROR, "no result of: %s", sql);
	attribute = TupleDescAttr(SPI_tuptable->tupdesc, 0);
	result = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1,
						   &fcinfo->isnull);
	if (!fcinfo->isnull)
		result = SPI_datumTransfer(result, attribute->attbyval,
								   attribute->attlen);
	return result;
}

/*
 * Calls the first form.  Of the first "narrays" arguments, those that are
 * literals are read as arrays of the types in "arrays".
 */
static Datum
call_first_form(FunctionCallInfo fcinfo, const LiteralType *const *arrays,
				int narrays)
{
	Datum		result;
	Oid		   *types;
	int			ntypes;

	(void) get_func_signature(fcinfo->flinfo->fn_oid, &types, &ntypes);
	if (ntypes != PG_NARGS() || ntypes > MAX_ARGUMENTS)
		elog(ERROR, "unexpected number of arguments: %d", ntypes);
	for (int i = 0; i < narrays; i++)
	{
		if (types[i] != UNKNOWNOID)
			continue;
		if (!PG_ARGISNULL(i))
			fcinfo->args[i].value = read_array(PG_GETARG_CSTRING(i),
											   arrays[i]);
		types[i] = arrays[i]->array;
	}
	SPI_connect();
	result = result_of(call_in_sql(fcinfo, types), fcinfo, types);
	SPI_finish();
	return result;
}

/*
 * gpu_...(a unknown, ...) returns what gpu_...(a integer[], ...) does
 *
 * Raises 22P02 or the like, with a hint, if "a" is no array of integers.
 */
Datum
gpu_literal(PG_FUNCTION_ARGS)
{
	const LiteralType *arrays[] = {&integers};

	return call_first_form(fcinfo, arrays, lengthof(arrays));
}

/* As gpu_literal, for two arrays that need not be of one type. */
Datum
gpu_literal_pair(PG_FUNCTION_ARGS)
{
	const LiteralType *arrays[] = {&integers, &integers};

	return call_first_form(fcinfo, arrays, lengthof(arrays));
}

/* As gpu_literal, for an array and its fractions. */
Datum
gpu_literal_percentiles(PG_FUNCTION_ARGS)
{
	const LiteralType *arrays[] = {&integers, &fractions};

	return call_first_form(fcinfo, arrays, lengthof(arrays));
}

/* As gpu_literal, for an array behind a mask, which may be a literal, too. */
Datum
gpu_literal_where(PG_FUNCTION_ARGS)
{
	const LiteralType *arrays[] = {&booleans, &integers};

	return call_first_form(fcinfo, arrays, lengthof(arrays));
}
