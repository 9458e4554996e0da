/*
 * support.c
 *	  The planner support function of functions that have a text argument, such
 *	  as the name of an operator.
 */
#include "compat.h"

#include "fmgr.h"
#include "nodes/primnodes.h"
#include "nodes/supportnodes.h"

PG_FUNCTION_INFO_V1(gpu_ignores_collation);

/*
 * gpu_ignores_collation(internal) returns internal
 *
 * Takes the collation away from a call.  No function here looks at it, but
 * postgres_fdw does not send a call to another server if its collation comes
 * from a literal.
 */
Datum
gpu_ignores_collation(PG_FUNCTION_ARGS)
{
	Node	   *request = (Node *) PG_GETARG_POINTER(0);
	FuncExpr   *call;

	if (!IsA(request, SupportRequestSimplify))
		PG_RETURN_POINTER(NULL);
	call = ((SupportRequestSimplify *) request)->fcall;
	if (!OidIsValid(call->inputcollid))
		PG_RETURN_POINTER(NULL);
	call = copyObject(call);
	call->inputcollid = InvalidOid;
	PG_RETURN_POINTER(call);
}
