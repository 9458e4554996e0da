/*
 * chain.c
 *	  gpucompact_chain: a chain of calls as one call.
 *
 * The planner makes these calls (chain_support.c).  A chain means to call its
 * functions in turn, as the executor would: arguments before the call, from the
 * first to the last, and no call of a strict function with a NULL.  What a call
 * has allocated is freed when the next call has used its result.
 */
#include "sql/function.h"

#include "utils/datum.h"

#include "sql/chain.h"

/*
 * Memory of a step is freed when there is more than this, because to free it
 * takes as long as to add up some hundred elements.
 */
#define MIN_FREED		(24 * 1024)

/* Arrays between steps are not deferred if all leaves have fewer bytes. */
#define MIN_LARGE		(64 * 1024)

/* Calls of a step over short arrays that may show what stage it is. */
#define MAX_LEARNT		8

/* Returns whether a value is a pointer to where an argument of a step is. */
static bool
is_argument(const ChainStep *step, Datum value)
{
	if (step->typbyval)
		return false;
	for (int i = 0; i < step->function.fn_nargs; i++)
		if (!step->call->args[i].isnull &&
			step->call->args[i].value == value)
			return true;
	return false;
}

/*
 * Returns whether the elements of a step's result are still to be computed, by
 * stages or by unpacking, from the step's arguments.
 */
static bool
is_pending(const ChainStep *step)
{
	const DeferredValue *value = step->deferred;

	return value != NULL &&
		(value->stages != NULL || value->packed != (Datum) 0);
}

/*
 * Frees what a step has allocated, once that is worth it, and what its result
 * has needed until now.
 */
static void
free_result(ChainStep *step)
{
	bool		pending = is_pending(step);

	if (step->memory == NULL)
		return;
	if (step->deferred != NULL)
		deferred_free(step->deferred);
	step->deferred = NULL;
	for (int i = 0; pending && i < step->function.fn_nargs; i++)
		free_result(&step->args[i]);
	if (step->memory->mem_allocated > MIN_FREED)
		MemoryContextReset(step->memory);
}

/*
 * Frees the arguments of a step, unless its result is still to be computed from
 * them.  Those that the step has not looked at are computed before, for their
 * errors.  A result that is an argument is copied first.
 */
static Datum
free_arguments(ChainStep *step, Datum result, bool isnull)
{
	if (is_pending(step))
		return result;
	for (int i = 0; i < step->function.fn_nargs; i++)
	{
		DeferredValue *value = step->args[i].deferred;

		if (value != NULL && value->stages != NULL && !value->stages->done)
			(void) deferred_array(value);
	}
	if (!isnull && is_argument(step, result))
		result = datumCopy(result, false, step->typlen);
	for (int i = 0; i < step->function.fn_nargs; i++)
		free_result(&step->args[i]);
	return result;
}

/* Calls the function of a step with its arguments. */
static Datum
call_function(const ChainStep *step, bool *isnull)
{
	FunctionCallInfo call = step->call;
	Datum		result;

	*isnull = true;
	if (step->function.fn_strict)
		for (int i = 0; i < call->nargs; i++)
			if (call->args[i].isnull)
				return (Datum) 0;
	call->isnull = false;
	result = FunctionCallInvoke(call);
	*isnull = call->isnull;
	return result;
}

static Datum run_step(ChainStep *step, FunctionCallInfo chain, bool may_defer,
					  bool *isnull);

/* The arguments of a step.  Arrays among them may be deferred values. */
static void
find_arguments(ChainStep *step, FunctionCallInfo chain, bool may_defer)
{
	for (int i = 0; i < step->call->nargs; i++)
	{
		ChainStep  *from = &step->args[i];
		NullableDatum *arg = &step->call->args[i];

		if (from->expr != NULL)
		{
			arg->value = run_step(from, chain, may_defer, &arg->isnull);
			continue;
		}
		*arg = chain->args[from->leaf];
		if (from->cast != NULL)
			arg->value = chain_cast_run(from->cast, arg->value, &arg->isnull);
	}
}

/*
 * Does a step and the steps before it as if there were no chain.  The call that
 * asks for the array is set aside.
 */
static ArrayType *
compute_array(DeferredValue *value)
{
	ChainStep  *step = value->argument;
	LastCall	asking = call_suspend();
	bool		isnull;
	Datum		result = run_step(step, step->chain, false, &isnull);

	call_resume(&asking);
	return DatumGetArrayTypeP(result);
}

/*
 * Finds the stages that the step's result was made by, if its call was one
 * request that can be a stage.
 */
static void
learn_stages(ChainStep *step, FunctionCallInfo chain, Datum result)
{
	const ChainStep *from = &step->args[step->input];
	MemoryContext caller;

	step->calls++;
	if (step->own.requests != 1 || !step->own.is_stage ||
		(from->expr != NULL && from->stages == NULL))
		return;
	caller = MemoryContextSwitchTo(chain->flinfo->fn_mcxt);
	step->leaf = from->leaf;
	step->stages = short_stages_make(from->stages, &step->own,
									 chain->args[from->leaf].value, result);
	MemoryContextSwitchTo(caller);
}

/*
 * The result of a call, in the step's memory.  Arrays between steps may be
 * deferred, but not the last result, nor what is cast.
 */
static Datum
run_step(ChainStep *step, FunctionCallInfo chain, bool may_defer, bool *isnull)
{
	MemoryContext caller = CurrentMemoryContext;
	CallStep   *own = &step->own;
	Datum		result;

	*isnull = false;
	if (!may_defer && step->stages != NULL &&
		!chain->args[step->leaf].isnull &&
		short_stages_run(step->stages, chain->args[step->leaf].value, &result,
						 isnull))
		return step->memory != NULL ? result :
			datumCopy(result, step->typbyval, step->typlen);

	find_arguments(step, chain, may_defer);
	if (step->memory != NULL)
		MemoryContextSwitchTo(step->memory);

	/* The step's next call is told what it may do, and asked what it does. */
	own->may_defer = may_defer && step->memory != NULL && step->cast == NULL;
	own->deferred = NULL;
	own->wants_stage = !may_defer && step->input >= 0 &&
		step->stages == NULL && step->calls < MAX_LEARNT;
	own->requests = 0;
	result = call_function(step, isnull);
	if (own->wants_stage && !*isnull)
		learn_stages(step, chain, result);
	chain_record_add(&this_call);	/* if it has made a call */
	if (own->deferred != NULL)
	{
		Assert(step->deferred == NULL);
		step->chain = chain;
		step->deferred = own->deferred;
		step->deferred->compute = compute_array;
		step->deferred->argument = step;
	}
	if (step->cast != NULL)		/* of an argument, maybe */
		result = chain_cast_run(step->cast, *isnull ? result :
								deferred_flat(result), isnull);
	if (step->has_calls)
		result = free_arguments(step, result, *isnull);
	MemoryContextSwitchTo(caller);
	return result;
}

/*
 * Returns whether an array among the leaves is so large that the arrays between
 * steps may be deferred.
 */
static bool
has_large_leaf(const ChainPlan *plan, FunctionCallInfo fcinfo)
{
	for (int i = plan->first_leaf; i < PG_NARGS(); i++)
	{
		struct varlena *leaf;

		if (PG_ARGISNULL(i) || !plan->is_varlena[i])
			continue;
		leaf = (struct varlena *) PG_GETARG_POINTER(i);
		if (VARATT_IS_EXTERNAL(leaf) || VARSIZE_ANY(leaf) >= MIN_LARGE)
			return true;
	}
	return false;
}

/*
 * Goes on after an error in a chain.  A step that was deferred may have an
 * error, too, which would have come first: so the chain is done as its
 * functions are called one by one, if the error is of a kind that they raise.
 * Whatever that leads to, the transaction fails.
 */
pg_noreturn static void
raise_first_error(ChainPlan *plan, FunctionCallInfo fcinfo,
				  MemoryContext caller)
{
	ErrorData  *error;
	bool		isnull;
	int			category;

	MemoryContextSwitchTo(caller);
	error = CopyErrorData();
	category = ERRCODE_TO_CATEGORY(error->sqlerrcode);
	if (category == ERRCODE_DATA_EXCEPTION ||
		category == ERRCODE_FEATURE_NOT_SUPPORTED ||
		category == ERRCODE_SYNTAX_ERROR_OR_ACCESS_RULE_VIOLATION ||
		category == ERRCODE_PROGRAM_LIMIT_EXCEEDED)
	{
		FlushErrorState();
		(void) run_step(&plan->last, fcinfo, false, &isnull);
	}
	ReThrowError(error);
}

/*
 * After an error: frees what a step and the steps before it have made.  Returns
 * whether a deferred value was still to be computed.
 */
static bool
drop_results(ChainStep *step)
{
	bool		pending = is_pending(step);

	step->deferred = NULL;
	if (step->memory != NULL)
		MemoryContextReset(step->memory);
	for (int i = 0; i < step->function.fn_nargs; i++)
		pending |= drop_results(&step->args[i]);
	return pending;
}

/*
 * gpucompact_chain("like" anyelement, program text, VARIADIC leaves "any")
 *	  returns anyelement
 * gpucompact_chain_...("like" anyarray, ..., program text,
 *						VARIADIC leaves "any") returns a row
 *
 * What the program's calls return, of the type of "like", or as a row.
 *
 * Raises 22023 if there is no such chain, and what its calls raise.
 */
SQL_FUNCTION(gpucompact_chain)
{
	ChainPlan  *plan = chain_plan(fcinfo);
	MemoryContext caller = CurrentMemoryContext;
	Datum		result;

	chain_record_begin();
	if (!has_large_leaf(plan, fcinfo))
		return run_step(&plan->last, fcinfo, false, &fcinfo->isnull);
	PG_TRY();
	{
		result = run_step(&plan->last, fcinfo, true, &fcinfo->isnull);
	}
	PG_CATCH();
	{
		if (!drop_results(&plan->last))
			PG_RE_THROW();
		raise_first_error(plan, fcinfo, caller);
	}
	PG_END_TRY();
	return result;
}
