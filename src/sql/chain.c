/*
 * chain.c
 *	  gpucompact_chain: a chain of calls as one call.
 *
 * The planner makes these calls (chain_support.c).  A chain means to call its
 * functions in turn, as the executor would: arguments before the call, from the
 * first to the last, and no call of a strict function with a NULL.  What a call
 * has allocated is freed when the next call has used its result.
 */
#include "compat.h"

#include "fmgr.h"
#include "miscadmin.h"
#include "utils/datum.h"
#include "utils/memutils.h"

#include "call/chain_record.h"
#include "sql/chain_steps.h"

PG_FUNCTION_INFO_V1(gpucompact_chain);

/*
 * Memory of a step is freed when there is more than this, because to free it
 * takes as long as to add up some hundred elements.
 */
#define MIN_FREED		(24 * 1024)

/* Arrays between steps are not absent if all leaves have fewer bytes. */
#define MIN_LARGE		(64 * 1024)

/* Calls of a step that are watched, to learn what stage it is. */
#define MAX_WATCHED		8

/* Bytes between two checks for interrupts. */
#define COPIED_AT_ONCE	(1024 * 1024)

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
 * Frees what a step has allocated, once that is worth it, and what its result
 * has needed until now.
 */
static void
free_result(ChainStep *step)
{
	bool		pending = chain_array_is_pending(&step->array);

	if (step->memory == NULL)
		return;
	if (chain_array_is_absent(&step->array))
		chain_array_done(&step->array);
	for (int i = 0; pending && i < step->function.fn_nargs; i++)
		free_result(&step->args[i]);
	if (step->memory->mem_allocated > MIN_FREED)
		MemoryContextReset(step->memory);
}

/* A copy of a step's result, in the current memory context. */
static Datum
copy_result(const ChainStep *step, Datum result)
{
	Size		size = datumGetSize(result, false, step->typlen);
	const char *from = DatumGetPointer(result);
	char	   *copy = palloc(size);

	for (Size at = 0; at < size; at += COPIED_AT_ONCE)
	{
		CHECK_FOR_INTERRUPTS();
		memcpy(copy + at, from + at, Min(size - at, COPIED_AT_ONCE));
	}
	return PointerGetDatum(copy);
}

/*
 * Frees the arguments of a step, unless its result is still to be computed from
 * them.  Those that the step has not looked at are computed before, for their
 * errors.  A result that is an argument is copied first.
 */
static Datum
free_arguments(ChainStep *step, Datum result, bool isnull)
{
	if (chain_array_is_pending(&step->array))
		return result;
	for (int i = 0; i < step->function.fn_nargs; i++)
	{
		if (chain_array_is_staged(&step->args[i].array))
			chain_array_check(&step->args[i].array);
	}
	if (!isnull && is_argument(step, result))
	{
		chain_array_fetch(result);
		result = copy_result(step, result);
	}
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

static Datum run_step(ChainStep *step, FunctionCallInfo chain,
					  bool may_be_absent, bool *isnull);

/* The arguments of a step, of which arrays may be absent. */
static void
find_arguments(ChainStep *step, FunctionCallInfo chain, bool may_be_absent)
{
	for (int i = 0; i < step->call->nargs; i++)
	{
		ChainStep  *from = &step->args[i];
		NullableDatum *arg = &step->call->args[i];

		if (from->expr != NULL)
		{
			arg->value = run_step(from, chain, may_be_absent, &arg->isnull);
			continue;
		}
		*arg = chain->args[from->leaf];
		if (from->cast != NULL)
			arg->value = chain_cast_run(from->cast, arg->value, &arg->isnull);
	}
}

/*
 * Does a step as if there were no chain, and those before it.  The caller frees
 * the result, so it must be neither an argument nor memory that is kept.
 */
static Datum
compute_array(ChainArray *array)
{
	ChainStep  *step = (ChainStep *)
		((char *) array - offsetof(ChainStep, array));
	bool		isnull;
	Datum		result;

	chain_array_begin(false, NULL);
	result = run_step(step, step->chain, false, &isnull);
	Assert(GetMemoryChunkContext(DatumGetPointer(result)) == step->memory);
	return result;
}

/* Returns whether the next call of a step is watched, to learn its stage. */
static bool
is_watched(const ChainStep *step, bool may_be_absent)
{
	return !may_be_absent && step->input >= 0 && step->stages == NULL &&
		step->watched < MAX_WATCHED;
}

/* Finds the stages that the step's result was made by, if there are some. */
static void
learn_stages(ChainStep *step, FunctionCallInfo chain, const EngineStage *stage,
			 Datum result)
{
	const ChainStep *from = &step->args[step->input];

	if (from->expr != NULL && from->stages == NULL)
		return;
	MemoryContextSwitchTo(chain->flinfo->fn_mcxt);
	step->leaf = from->leaf;
	step->stages = short_stages_make(from->stages, stage,
									 chain->args[from->leaf].value, result);
	MemoryContextSwitchTo(step->memory);
}

/* As call_function, and learns the step's stage from the call. */
static Datum
call_watched(ChainStep *step, FunctionCallInfo chain, bool *isnull)
{
	EngineStage stage;
	bool		is_stage;
	Datum		result;

	short_stages_watch();
	PG_TRY();
	{
		result = call_function(step, isnull);
	}
	PG_FINALLY();
	{
		is_stage = short_stages_watch_end(&stage);
	}
	PG_END_TRY();
	if (!*isnull)
	{
		step->watched++;
		if (is_stage)
			learn_stages(step, chain, &stage, result);
	}
	return result;
}

/*
 * The result of a call, in the step's memory.  Arrays between steps may be
 * absent, but not the last result, nor what is cast.
 */
static Datum
run_step(ChainStep *step, FunctionCallInfo chain, bool may_be_absent,
		 bool *isnull)
{
	MemoryContext caller = CurrentMemoryContext;
	Datum		result;

	*isnull = false;
	if (!may_be_absent && step->stages != NULL &&
		!chain->args[step->leaf].isnull &&
		short_stages_run(step->stages, chain->args[step->leaf].value, &result))
		return result;

	find_arguments(step, chain, may_be_absent);
	if (step->memory != NULL)
		MemoryContextSwitchTo(step->memory);
	if (may_be_absent)
		chain_array_begin(step->memory != NULL && step->cast == NULL,
						  step->as_later.next);
	result = is_watched(step, may_be_absent) ?
		call_watched(step, chain, isnull) : call_function(step, isnull);
	chain_record_step();
	if (may_be_absent)
	{
		step->chain = chain;
		step->array.compute = compute_array;
		chain_array_end(&step->array, result);
	}
	if (step->cast != NULL)
	{
		chain_array_fetch(result);	/* it may be an argument */
		result = chain_cast_run(step->cast, result, isnull);
	}
	if (step->has_calls)
		result = free_arguments(step, result, *isnull);
	MemoryContextSwitchTo(caller);
	return result;
}

/*
 * Returns whether an array among the leaves is so large that the arrays between
 * steps may be absent.
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
 * Goes on after an error in a chain.  A step that was put off may have an
 * error, too, which would have come first: so the chain is done as its
 * functions are called one by one, if the error is of a kind that they raise.
 * Whatever that leads to, the transaction fails.
 */
static pg_noreturn void
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

/* Runs the chain.  Its last result is never absent. */
static Datum
run_plan(ChainPlan *plan, FunctionCallInfo fcinfo, bool *isnull)
{
	AbsentArray *before = absent_arrays;
	MemoryContext caller = CurrentMemoryContext;
	Datum		result;

	/* Also after a chain that has failed. */
	Assert(!short_stages_watched && choice_later_calls == NULL &&
		   absent_arrays == NULL);
	chain_record_begin();
	if (!has_large_leaf(plan, fcinfo))
		return run_step(&plan->last, fcinfo, false, isnull);
	PG_TRY();
	{
		result = run_step(&plan->last, fcinfo, true, isnull);
	}
	PG_CATCH();
	{
		if (!chain_arrays_drop(before))
			PG_RE_THROW();
		raise_first_error(plan, fcinfo, caller);
	}
	PG_END_TRY();
	return result;
}

/*
 * gpucompact_chain("like" anyelement, program text, VARIADIC leaves "any")
 *	  returns anyelement
 * gpucompact_chain_...("like" anyarray, ..., program text,
 *						VARIADIC leaves "any") returns record
 *
 * What the program's calls return, of the type of "like", or as a row.
 *
 * Raises 22023 if there is no such chain, and what its calls raise.
 */
Datum
gpucompact_chain(PG_FUNCTION_ARGS)
{
	ChainPlan  *plan = chain_plan(fcinfo);
	bool		isnull;
	Datum		result = run_plan(plan, fcinfo, &isnull);

	fcinfo->isnull = isnull;
	return isnull ? (Datum) 0 : result;
}
