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

#include "access/htup_details.h"
#include "catalog/objectaccess.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/params.h"
#include "optimizer/optimizer.h"
#include "parser/parse_coerce.h"
#include "parser/parse_func.h"
#include "parser/parse_node.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "array/element.h"
#include "call/chain_record.h"
#include "call/short_stages.h"
#include "sql/chain_array.h"
#include "sql/chain_cast.h"
#include "sql/chain_operation.h"
#include "sql/chain_program.h"

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

/* A leaf or a call of a chain. */
typedef struct Step
{
	int			leaf;			/* an argument of the chain, from 0 on; of a
								 * call, where its stages begin */
	Expr	   *expr;			/* NULL: a leaf */
	struct Step *args;
	FmgrInfo	function;
	FunctionCallInfo call;
	bool		has_calls;		/* among its arguments */
	ChainCast  *cast;			/* of the result, or NULL */
	ChainArray	array;			/* the result, if it is absent */
	LaterCall	as_later;		/* for the choice of engines for arguments */
	int			input;			/* the argument that may change, if it is only
								 * one, and an array; or -1 */
	int			watched;		/* calls */
	ShortStages *stages;		/* for short arrays, or NULL */
	FunctionCallInfo chain;		/* whose arguments the leaves are */
	MemoryContext memory;		/* of all that the call allocates; NULL: the
								 * caller's */
	int16		typlen;			/* of the result */
	bool		typbyval;
} Step;

/* What is made of a chain's program, for all rows of a query. */
typedef struct Program
{
	int			first_leaf;		/* the argument that is $1 */
	Oid			schema;
	Oid			support;
	FmgrInfo   *flinfo;
	Step		last;
	bool		is_varlena[FUNC_MAX_ARGS];	/* of each argument */
} Program;

/* The expression that stands for a leaf, of which only the type matters. */
static Node *
leaf_expression(const Program *program, int leaf)
{
	Node	   *arg = list_nth(((FuncExpr *) program->flinfo->fn_expr)->args,
							   leaf);
	Param	   *param;

	if (IsA(arg, Const))
		return copyObject(arg);
	param = makeNode(Param);
	param->paramkind = PARAM_EXEC;
	param->paramid = leaf;
	param->paramtype = exprType(arg);
	param->paramtypmod = exprTypmod(arg);
	param->paramcollid = exprCollation(arg);
	param->location = -1;
	return (Node *) param;
}

static void
raise_no_chain(const Program *program, const char *function)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("function %s with these arguments cannot be part of a chain",
					function)));
}

/*
 * Finds the function of a call, by its name in the schema of the chain's
 * function and by the types of its arguments.
 *
 * Raises 42883 if there is none, 22023 if it cannot be in a chain, and 42501 if
 * the user may not call it.
 */
static FuncExpr *
find_call(const Program *program, char *function, List *args)
{
	char	   *schema = get_namespace_name(program->schema);
	List	   *name = list_make2(makeString(schema), makeString(function));
	ParseState *state = make_parsestate(NULL);
	FuncExpr   *call;

	/* The parser asks for the place of functions that are refused below. */
	state->p_expr_kind = EXPR_KIND_SELECT_TARGET;
	call = (FuncExpr *)
		ParseFuncOrColumn(state, name, list_copy(args), NULL,
						  makeFuncCall(name, NIL, COERCE_EXPLICIT_CALL, -1),
						  false, -1);
	free_parsestate(state);
	if (!IsA(call, FuncExpr) || call->funcretset ||
		get_func_support(call->funcid) != program->support ||
		!equal(call->args, args))
		raise_no_chain(program, function);
	if (!function_is_executable(call->funcid))
		aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_FUNCTION, function);
	InvokeFunctionExecuteHook(call->funcid);
	return call;
}

/* Tells of a step what the choice of engines for its arguments needs. */
static void
describe_step(Step *step, const char *function)
{
	Oid			element = get_element_type(exprType((Node *) step->expr));

	step->as_later.operation = chain_operation(function);
	if (OidIsValid(element))
		step->as_later.kind = element_type(element).kind;
}

/* The only argument that is not a constant, if it is an array; else -1. */
static int
find_input(List *args)
{
	int			input = -1;
	ListCell   *arg;

	foreach(arg, args)
	{
		if (IsA(lfirst(arg), Const))
			continue;
		if (input >= 0 ||
			!OidIsValid(get_element_type(exprType(lfirst(arg)))))
			return -1;
		input = foreach_current_index(arg);
	}
	return input;
}

/*
 * Makes a step of a node of the program, with the calls that get its result.
 * Returns its expression.
 */
static Node *
make_step(const Program *program, Step *step, const ChainNode *node,
		  const LaterCall *later)
{
	int			nargs = list_length(node->args);
	FuncExpr   *call;
	List	   *args = NIL;
	ListCell   *arg;

	check_stack_depth();
	if (node->function == NULL)
	{
		step->leaf = program->first_leaf + node->leaf - 1;
		return leaf_expression(program, step->leaf);
	}
	step->args = palloc0(Max(nargs, 1) * sizeof(Step));
	step->as_later.next = later;
	foreach(arg, node->args)
	{
		Step	   *from = &step->args[foreach_current_index(arg)];

		args = lappend(args, make_step(program, from, lfirst(arg),
									   &step->as_later));
		step->has_calls |= from->expr != NULL;
	}
	call = find_call(program, node->function, args);
	step->expr = (Expr *) call;
	fmgr_info_cxt(call->funcid, &step->function, CurrentMemoryContext);
	fmgr_info_set_expr((Node *) call, &step->function);
	step->call = palloc0(SizeForFunctionCallInfo(nargs));
	InitFunctionCallInfoData(*step->call, &step->function, nargs, InvalidOid,
							 NULL, NULL);
	describe_step(step, node->function);
	step->input = OidIsValid(node->cast) || step == &program->last ? -1 :
		find_input(args);
	if (OidIsValid(node->cast))
		step->cast = chain_cast_make(exprType((Node *) step->expr), node->cast,
									 &step->expr);
	get_typlenbyval(exprType((Node *) step->expr), &step->typlen,
					&step->typbyval);
	if (step != &program->last)
		step->memory = AllocSetContextCreate(CurrentMemoryContext,
											 "gpucompact chain step",
											 ALLOCSET_DEFAULT_SIZES);
	return (Node *) step->expr;
}

/*
 * Checks that the result of a program is that of the function which runs it.
 *
 * Raises 42804 if it is not.
 */
static void
check_result_type(FunctionCallInfo fcinfo, Node *last)
{
	TupleDesc	row;
	TupleDesc	last_row;
	Oid			type;
	Oid			last_type;
	TypeFuncClass class = get_call_result_type(fcinfo, &type, &row);
	TypeFuncClass last_class = get_expr_result_type(last, &last_type,
													&last_row);
	bool		equal = class == last_class && type == last_type;

	if (equal && class == TYPEFUNC_COMPOSITE)
	{
		equal = row->natts == last_row->natts;
		for (int i = 0; equal && i < row->natts; i++)
			equal = TupleDescAttr(row, i)->atttypid ==
				TupleDescAttr(last_row, i)->atttypid;
	}
	if (!equal)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("the program of a chain has another result than %s",
						get_func_name(fcinfo->flinfo->fn_oid))));
}

/* The first argument that is a leaf.  The function is declared to have one. */
static int
find_first_leaf(FmgrInfo *flinfo)
{
	return get_func_nargs(flinfo->fn_oid) - 1;
}

/*
 * Makes the steps of a chain.
 *
 * Raises 22023 if it is none.
 */
static Program *
make_program(FunctionCallInfo fcinfo, int first_leaf)
{
	FmgrInfo   *flinfo = fcinfo->flinfo;
	MemoryContext caller = MemoryContextSwitchTo(flinfo->fn_mcxt);
	Program    *program = palloc0(sizeof(Program));
	char	   *calls = text_to_cstring(PG_GETARG_TEXT_PP(first_leaf - 1));
	Node	   *last;

	program->first_leaf = first_leaf;
	program->flinfo = flinfo;
	program->schema = get_func_namespace(flinfo->fn_oid);
	program->support = get_func_support(flinfo->fn_oid);
	for (int i = 0; i < PG_NARGS(); i++)
		program->is_varlena[i] =
			get_typlen(get_fn_expr_argtype(flinfo, i)) == -1;
	last = make_step(program, &program->last,
					 chain_parse(calls, PG_NARGS() - first_leaf), NULL);
	check_result_type(fcinfo, last);
	MemoryContextSwitchTo(caller);
	return program;
}

/* The program of a call, made once in a query. */
static Program *
get_program(FunctionCallInfo fcinfo)
{
	FmgrInfo   *flinfo = fcinfo->flinfo;
	int			first_leaf;

	if (flinfo->fn_extra != NULL)
		return flinfo->fn_extra;
	if (flinfo->fn_expr == NULL || !IsA(flinfo->fn_expr, FuncExpr) ||
		get_fn_expr_variadic(flinfo))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a chain needs its leaves as arguments of a call")));
	first_leaf = find_first_leaf(flinfo);
	if (first_leaf > PG_NARGS() || PG_ARGISNULL(first_leaf - 1) ||
		!get_fn_expr_arg_stable(flinfo, first_leaf - 1))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the program of a chain must be a constant")));
	flinfo->fn_extra = make_program(fcinfo, first_leaf);
	return flinfo->fn_extra;
}

/* Returns whether a value is a pointer to where an argument of a step is. */
static bool
is_argument(const Step *step, Datum value)
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
free_result(Step *step)
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
copy_result(const Step *step, Datum result)
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
free_arguments(Step *step, Datum result, bool isnull)
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
call_function(const Step *step, bool *isnull)
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

static Datum run_step(Step *step, FunctionCallInfo chain, bool may_be_absent,
					  bool *isnull);

/* The arguments of a step, of which arrays may be absent. */
static void
find_arguments(Step *step, FunctionCallInfo chain, bool may_be_absent)
{
	for (int i = 0; i < step->call->nargs; i++)
	{
		Step	   *from = &step->args[i];
		NullableDatum *arg = &step->call->args[i];

		if (from->expr == NULL)
			*arg = chain->args[from->leaf];
		else
			arg->value = run_step(from, chain, may_be_absent, &arg->isnull);
	}
}

/* Does a step as if there were no chain, and those before it. */
static Datum
compute_array(ChainArray *array)
{
	Step	   *step = (Step *) ((char *) array - offsetof(Step, array));
	bool		isnull;

	chain_array_begin(false, NULL);
	return run_step(step, step->chain, false, &isnull);
}

/* Returns whether the next call of a step is watched, to learn its stage. */
static bool
begin_watching(const Step *step, bool may_be_absent)
{
	if (may_be_absent || step->input < 0 || step->stages != NULL ||
		step->watched == MAX_WATCHED)
		return false;
	short_stages_watch();
	return true;
}

/* Finds the stages that the step's result was made by, if there are some. */
static void
learn_stages(Step *step, FunctionCallInfo chain, Datum result, bool isnull)
{
	const Step *from = &step->args[step->input];
	EngineStage stage;

	if (!short_stages_watch_end(&stage) || isnull)
		return;
	step->watched++;
	if (from->expr != NULL && from->stages == NULL)
		return;
	MemoryContextSwitchTo(chain->flinfo->fn_mcxt);
	step->leaf = from->leaf;
	step->stages = short_stages_make(from->stages, &stage,
									 chain->args[from->leaf].value, result);
	MemoryContextSwitchTo(step->memory);
}

/*
 * The result of a call, in the step's memory.  Arrays between steps may be
 * absent, but not the last result, nor what is cast.
 */
static Datum
run_step(Step *step, FunctionCallInfo chain, bool may_be_absent, bool *isnull)
{
	MemoryContext caller = CurrentMemoryContext;
	Datum		result;
	bool		is_watched;

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
	is_watched = begin_watching(step, may_be_absent);
	result = call_function(step, isnull);
	chain_record_step();
	if (is_watched)
		learn_stages(step, chain, result, *isnull);
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
has_large_leaf(const Program *program, FunctionCallInfo fcinfo)
{
	for (int i = program->first_leaf; i < PG_NARGS(); i++)
	{
		struct varlena *leaf;

		if (PG_ARGISNULL(i) || !program->is_varlena[i])
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
raise_first_error(Program *program, FunctionCallInfo fcinfo,
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
		(void) run_step(&program->last, fcinfo, false, &isnull);
	}
	ReThrowError(error);
}

/* Runs the chain.  Its last result is never absent. */
static Datum
run_program(Program *program, FunctionCallInfo fcinfo, bool *isnull)
{
	AbsentArray *before = absent_arrays;
	MemoryContext caller = CurrentMemoryContext;
	Datum		result;

	chain_record_begin();
	if (!has_large_leaf(program, fcinfo))
		return run_step(&program->last, fcinfo, false, isnull);
	PG_TRY();
	{
		result = run_step(&program->last, fcinfo, true, isnull);
	}
	PG_CATCH();
	{
		if (!chain_arrays_drop(before))
			PG_RE_THROW();
		raise_first_error(program, fcinfo, caller);
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
	Program    *program = get_program(fcinfo);
	bool		isnull;
	Datum		result = run_program(program, fcinfo, &isnull);

	fcinfo->isnull = isnull;
	return isnull ? (Datum) 0 : result;
}
