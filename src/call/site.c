/*
 * site.c
 *	  What is the same for all calls of a function in a query.
 */
#include "compat.h"

#include "funcapi.h"
#include "nodes/primnodes.h"

#include "call/site.h"

/*
 * Returns whether all arguments but the first are constants.  A parameter is
 * none: an expression of PL/pgSQL is evaluated with several values of it.
 */
static bool
has_constants(const FmgrInfo *flinfo)
{
	const FuncExpr *call = (const FuncExpr *) flinfo->fn_expr;
	ListCell   *cell;

	if (call == NULL || !IsA(call, FuncExpr))
		return false;
	for_each_from(cell, call->args, 1)
	{
		if (!IsA(lfirst(cell), Const))
			return false;
	}
	return true;
}

/* The first call of a function in a query begins its site. */
CallSite *
call_site_begin(FunctionCallInfo fcinfo)
{
	FmgrInfo   *flinfo = fcinfo->flinfo;
	CallSite   *site = MemoryContextAllocZero(flinfo->fn_mcxt,
											  sizeof(CallSite));

	site->constant = has_constants(flinfo);
	site->option = -1;
	flinfo->fn_extra = site;
	return site;
}

/* The type of a row that a function returns. */
TupleDesc
call_row_type(FunctionCallInfo fcinfo)
{
	CallSite   *site = call_site(fcinfo);

	if (site->row_type == NULL)
	{
		MemoryContext caller =
			MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
		TupleDesc	type;

		if (get_call_result_type(fcinfo, NULL, &type) != TYPEFUNC_COMPOSITE)
			elog(ERROR, "return type must be a row type");
		site->row_type = BlessTupleDesc(type);
		MemoryContextSwitchTo(caller);
	}
	return site->row_type;
}
