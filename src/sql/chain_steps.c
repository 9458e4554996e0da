/*
 * chain_steps.c
 *	  The steps of a chain, made once in a query of its program, which core's
 *	  grammar reads; and the casts among them, of a leaf, or of a result to an
 *	  array of numbers.
 *
 * A step finds its function as the parser would, by its name in the schema of
 * the chain's function, and by the types of its arguments.
 */
#include "sql/function.h"

#include "catalog/namespace.h"
#include "catalog/objectaccess.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parse_coerce.h"
#include "parser/parse_func.h"
#include "parser/parse_type.h"
#include "parser/parser.h"
#include "utils/acl.h"
#include "utils/catcache.h"
#include "utils/syscache.h"

#include "sql/chain.h"

/* Returns whether the current user may execute a function. */
bool
function_is_executable(Oid function)
{
#if PG_VERSION_NUM >= 160000
	return object_aclcheck(ProcedureRelationId, function, GetUserId(),
						   ACL_EXECUTE) == ACLCHECK_OK;
#else
	return pg_proc_aclcheck(function, GetUserId(), ACL_EXECUTE) ==
		ACLCHECK_OK;
#endif
}

/*
 * The name of a type that a result may be cast to: an array of numbers.  NULL
 * of other types.
 */
const char *
chain_type_name(Oid type)
{
	return is_number_type(get_element_type(type)) ? format_type_be(type) : NULL;
}

pg_noreturn static void
raise_no_program(const ChainPlan *plan)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid program of a chain: \"%s\"", plan->program)));
}

/* The expression that a program is, as core's grammar has it. */
static Node *
parse_program(const ChainPlan *plan)
{
	List	   *parsed = raw_parser(plan->program, RAW_PARSE_PLPGSQL_EXPR);
	SelectStmt *select = (SelectStmt *) linitial_node(RawStmt, parsed)->stmt;
	SelectStmt *plain = makeNode(SelectStmt);

	plain->targetList = select->targetList;
	if (list_length(select->targetList) != 1 || !equal(select, plain))
		raise_no_program(plan);
	return linitial_node(ResTarget, select->targetList)->val;
}

/* The name of the function that an expression calls, with no more to it. */
static char *
called_function(const ChainPlan *plan, const FuncCall *call)
{
	if (!IsA(call, FuncCall) || list_length(call->funcname) != 1 ||
		list_length(call->args) > FUNC_MAX_ARGS ||
		!equal(call, makeFuncCall(call->funcname, call->args,
								  COERCE_EXPLICIT_CALL, -1)))
		raise_no_program(plan);
	return strVal(linitial(call->funcname));
}

/* The type that a result is cast to. */
static Oid
cast_type(const ChainPlan *plan, const TypeCast *cast)
{
	Oid			type;
	int32		typmod;

	typenameTypeIdAndMod(NULL, cast->typeName, &type, &typmod);
	if (chain_type_name(type) == NULL || typmod >= 0)
		raise_no_program(plan);
	return type;
}

/* The expression that stands for a leaf.  Only its type matters. */
static Node *
leaf_expression(const ChainPlan *plan, int leaf)
{
	const List *args = ((FuncExpr *) plan->flinfo->fn_expr)->args;
	Node	   *arg;
	CaseTestExpr *value;

	if (leaf < plan->first_leaf || leaf >= list_length(args))
		raise_no_program(plan);
	arg = list_nth(args, leaf);
	if (IsA(arg, Const))
		return copyObject(arg);
	value = makeNode(CaseTestExpr);
	value->typeId = exprType(arg);
	value->typeMod = exprTypmod(arg);
	value->collation = exprCollation(arg);
	return (Node *) value;
}

static void
raise_no_chain(const ChainPlan *plan, const char *function)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("function %s with these arguments cannot be part of a chain",
					function)));
}

/*
 * The functions of that name, in the schema of the chain's function, that have
 * so many arguments.  A program has those with a default, too: the planner has
 * added them.
 */
static FuncCandidateList
find_candidates(const ChainPlan *plan, const char *function, int nargs)
{
	CatCList   *list = SearchSysCacheList1(PROCNAMEARGSNSP,
										   CStringGetDatum(function));
	FuncCandidateList candidates = NULL;

	for (int i = 0; i < list->n_members; i++)
	{
		HeapTuple	tuple = &list->members[i]->tuple;
		Form_pg_proc form = (Form_pg_proc) GETSTRUCT(tuple);
		bool		variadic = form->provariadic == ANYOID;
		FuncCandidateList candidate;

		if (form->pronamespace != plan->schema ||
			(variadic ? nargs < form->pronargs : nargs != form->pronargs))
			continue;
		candidate = palloc0(offsetof(struct _FuncCandidateList, args) +
							nargs * sizeof(Oid));
		candidate->oid = form->oid;
		candidate->nargs = nargs;
		for (int arg = 0; arg < nargs; arg++)
			candidate->args[arg] = arg < form->pronargs ?
				form->proargtypes.values[arg] : ANYOID;
		candidate->next = candidates;
		candidates = candidate;
	}
	ReleaseCatCacheList(list);
	return candidates;
}

/*
 * Finds the function of a call, by its name in the schema of the chain's
 * function and by the types of its arguments.  The user need not have the
 * right to use the schema: a view's or an index's calls need none.
 *
 * Raises 42883 if there is none, 22023 if it cannot be in a chain, and 42501 if
 * the user may not call it.
 */
static FuncExpr *
find_call(const ChainPlan *plan, char *function, List *args)
{
	int			nargs = list_length(args);
	Oid			types[FUNC_MAX_ARGS];
	FuncCandidateList found = find_candidates(plan, function, nargs);
	Oid			result;

	for (int i = 0; i < nargs; i++)
		types[i] = exprType(list_nth(args, i));
	if (func_match_argtypes(nargs, types, found, &found) > 1)
		found = func_select_candidate(nargs, types, found);
	if (found == NULL)
	{
		char	   *schema = get_namespace_name(plan->schema);
		List	   *name = list_make2(makeString(schema), makeString(function));

		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_FUNCTION),
				 errmsg("function %s does not exist",
						func_signature_string(name, nargs, NIL, types))));
	}
	if (get_func_retset(found->oid) ||
		get_func_support(found->oid) != plan->support)
		raise_no_chain(plan, function);
	if (!function_is_executable(found->oid))
		aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_FUNCTION, function);
	InvokeFunctionExecuteHook(found->oid);
	result = enforce_generic_type_consistency(types, found->args, nargs,
											  get_func_rettype(found->oid),
											  false);
	args = list_copy(args);
	make_fn_arguments(NULL, args, types, found->args);
	return makeFuncExpr(found->oid, result, args, InvalidOid, InvalidOid,
						COERCE_EXPLICIT_CALL);
}

/* Values that are cast at once. */
#define BLOCK			(64 * 1024)

/*
 * A cast, which is core's.  Core casts all elements at once, cannot be
 * interrupted then, and needs nine bytes for each of them.  So a long array is
 * cast in blocks.
 */
struct ChainCast
{
	ExprState  *state;
	ExprContext *context;
	bool		by_blocks;
	ElementType from;			/* if by blocks */
	ElementType to;
	MemoryContext memory;		/* of a block */
};

/*
 * Makes a cast between types of arrays.  *expr becomes its expression.
 *
 * Raises 42846 if there is none.
 */
static ChainCast *
chain_cast_make(Oid from, Oid to, Expr **expr)
{
	ChainCast  *cast = palloc0(sizeof(ChainCast));
	CaseTestExpr *value = makeNode(CaseTestExpr);	/* stands for it */

	value->typeId = from;
	value->typeMod = -1;
	/* Here a literal without a type is a value, which core casts to text */
	*expr = from == UNKNOWNOID && to != TEXTOID ? NULL : (Expr *)
		coerce_to_target_type(NULL, (Node *) value, from, to, -1,
							  COERCION_EXPLICIT, COERCE_EXPLICIT_CAST, -1);
	if (*expr == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_CANNOT_COERCE),
				 errmsg("cannot cast type %s to %s",
						format_type_be(from), format_type_be(to))));
	cast->context = CreateStandaloneExprContext();
	cast->state = ExecInitExpr(expression_planner(*expr), NULL);
	from = get_base_element_type(from);
	to = get_element_type(to);
	cast->by_blocks = IsA(*expr, ArrayCoerceExpr) && is_supported_type(from) &&
		is_supported_type(to);
	if (cast->by_blocks)
	{
		cast->from = element_type(from);
		cast->to = element_type(to);
	}
	cast->memory = AllocSetContextCreate(CurrentMemoryContext,
										 "gpucompact cast",
										 ALLOCSET_DEFAULT_SIZES);
	return cast;
}

static Datum
cast_whole(ChainCast *cast, Datum value, bool *isnull)
{
	cast->context->caseValue_datum = value;
	cast->context->caseValue_isNull = *isnull;
	return ExecEvalExpr(cast->state, cast->context, isnull);
}

/*
 * Casts some values.  The result is put where "to" points.  Returns false if
 * the cast, which may be another's, has made NULLs.
 */
static bool
cast_block(ChainCast *cast, const char *from, int64 count, char *to)
{
	MemoryContext caller = MemoryContextSwitchTo(cast->memory);
	bool		isnull = false;
	bool		has_null;
	ArrayWriter writer;
	ArrayType  *block;

	array_writer_begin_list(&writer, &cast->from, count);
	memcpy(writer.values, from, count * cast->from.size);
	block = DatumGetArrayTypeP(cast_whole(cast, array_writer_finish(&writer),
										  &isnull));
	has_null = ARR_HASNULL(block);
	if (!has_null)
		memcpy(to, ARR_DATA_PTR(block), count * cast->to.size);
	MemoryContextSwitchTo(caller);
	MemoryContextReset(cast->memory);
	return !has_null;
}

/*
 * The value that a value is cast to, or NULL.
 *
 * Raises XX001 if an array is damaged, or has elements of another type.
 */
Datum
chain_cast_run(ChainCast *cast, Datum value, bool *isnull)
{
	ArrayType  *array;
	ArrayReader reader;
	ArrayWriter writer;

	if (*isnull || !cast->by_blocks)
		return cast_whole(cast, value, isnull);
	array = DatumGetArrayTypeP(value);
	array_reader_open(&reader, PointerGetDatum(array), NULLS_DROPPED, NULL);
	check_array(reader.type.oid == cast->from.oid);
	if (reader.count <= BLOCK ||
		(ARR_HASNULL(array) && reader.nulls == NULL) ||
		ARR_DATA_OFFSET(array) + reader.count * cast->to.size > MaxAllocSize)
	{
		array_reader_close(&reader);
		return cast_whole(cast, value, isnull);
	}

	array_writer_begin_like(&writer, &cast->to, &reader);
	for (int64 i = 0; i < reader.count; i += BLOCK)
	{
		CHECK_FOR_INTERRUPTS();
		if (!cast_block(cast, ARR_DATA_PTR(array) + i * cast->from.size,
						Min(reader.count - i, BLOCK),
						writer.values + i * cast->to.size))
		{
			pfree(writer.array);
			return cast_whole(cast, value, isnull);
		}
	}
	array_reader_close(&reader);
	return array_writer_finish(&writer);
}

/*
 * Has leaves cast where the parser casts them implicitly: the types of columns
 * may be others than where the chain was made, as postgres_fdw sends neither
 * types nor implicit casts.  A leaf that is only relabeled, such as a value of
 * a domain, stays as it is.
 *
 * Raises 22023 if anything else would be cast.
 */
static void
cast_leaves(const ChainPlan *plan, ChainStep *step, List *args,
			const char *function)
{
	ListCell   *from;
	ListCell   *to;

	forboth(from, args, to, ((FuncExpr *) step->expr)->args)
	{
		ChainStep  *arg = &step->args[foreach_current_index(from)];
		Node	   *passed = lfirst(to);
		Expr	   *expr;

		if (equal(lfirst(from), passed) ||
			(IsA(passed, RelabelType) &&
			 equal(lfirst(from), ((RelabelType *) passed)->arg)))
			continue;
		if (arg->expr != NULL)
			raise_no_chain(plan, function);
		arg->cast = chain_cast_make(exprType(lfirst(from)), exprType(passed),
									&expr);
	}
}

/* The start of all functions' names. */
#define PREFIX		"gpu_"

/* Functions whose names do not go on with their operation's. */
static const struct
{
	const char *name;
	EngineOperation operation;
}			others[] = {
	{"prefix_sum", ENGINE_SCAN}, {"date_bin", ENGINE_MAP},
	{"sum", ENGINE_REDUCE}, {"min", ENGINE_REDUCE}, {"max", ENGINE_REDUCE},
	{"avg", ENGINE_STATS}, {"positions", ENGINE_COMPACT},
	{"compact_in", ENGINE_MEMBERS}, {"overlaps", ENGINE_MEMBERS},
	{"contains", ENGINE_MEMBERS}, {"radix_sort", ENGINE_SORT},
	{"argsort", ENGINE_SORT}, {"mode", ENGINE_SORT},
	{"distinct_counts", ENGINE_SORT}, {"percentile", ENGINE_SELECT},
	{"median", ENGINE_SELECT}, {"top_k", ENGINE_SELECT},
	{"union", ENGINE_SET}, {"intersect", ENGINE_SET}, {"except", ENGINE_SET},
	{"run_lengths", ENGINE_RUNS}
};

/*
 * Returns the operation with the longest of the names that the function's name
 * goes on with, or the most important one; or -1 if no engine has a part in the
 * function.
 */
static int
chain_operation(const char *function)
{
	size_t		longest = 0;
	int			operation = -1;

	if (strncmp(function, PREFIX, strlen(PREFIX)) != 0)
		return -1;
	function += strlen(PREFIX);
	for (int i = 0; i < ENGINE_OPERATIONS + lengthof(others); i++)
	{
		int			other = i - ENGINE_OPERATIONS;
		const char *name = other < 0 ? operation_facts[i].name :
			others[other].name;
		size_t		length = strlen(name);

		if (length > longest && strncmp(function, name, length) == 0 &&
			(function[length] == '\0' || function[length] == '_'))
		{
			longest = length;
			operation = other < 0 ? i : (int) others[other].operation;
		}
	}
	return operation;
}

/*
 * The only argument that is not a constant, if it is an array, and not cast;
 * else -1.
 */
static int
find_input(const ChainStep *step, List *args)
{
	int			input = -1;
	ListCell   *arg;

	foreach(arg, args)
	{
		if (IsA(lfirst(arg), Const))
			continue;
		if (input >= 0 || step->args[foreach_current_index(arg)].cast != NULL ||
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
make_step(const ChainPlan *plan, ChainStep *step, Node *node,
		  const NextStep *next)
{
	bool		is_last = step == &plan->last;
	const TypeCast *cast = !is_last && IsA(node, TypeCast) ?
		(TypeCast *) node : NULL;
	const FuncCall *named = (FuncCall *) (cast != NULL ? cast->arg : node);
	char	   *function;
	int			nargs;
	FuncExpr   *call;
	Oid			element;
	List	   *args = NIL;
	ListCell   *arg;

	check_stack_depth();
	if (!is_last && IsA(node, ParamRef))
	{
		step->leaf = plan->first_leaf + ((ParamRef *) node)->number - 1;
		return leaf_expression(plan, step->leaf);
	}
	function = called_function(plan, named);
	nargs = list_length(named->args);
	step->args = palloc0(Max(nargs, 1) * sizeof(ChainStep));
	step->own.self.next = next;
	foreach(arg, named->args)
	{
		ChainStep  *from = &step->args[foreach_current_index(arg)];

		args = lappend(args, make_step(plan, from, lfirst(arg),
									   &step->own.self));
		step->has_calls |= from->expr != NULL;
	}
	call = find_call(plan, function, args);
	step->expr = (Expr *) call;
	cast_leaves(plan, step, args, function);
	fmgr_info_cxt(call->funcid, &step->function, CurrentMemoryContext);
	fmgr_info_set_expr((Node *) call, &step->function);
	step->function.fn_nargs = nargs;	/* more, if it is variadic */
	step->call = palloc0(SizeForFunctionCallInfo(nargs));
	InitFunctionCallInfoData(*step->call, &step->function, nargs, InvalidOid,
							 (struct Node *) &step->own, NULL);
	step->own.self.operation = chain_operation(function);
	element = get_element_type(exprType((Node *) call));
	if (OidIsValid(element))
		step->own.self.kind = element_type(element).kind;
	step->input = cast != NULL ? -1 : find_input(step, args);
	if (cast != NULL)
		step->cast = chain_cast_make(exprType((Node *) call),
									 cast_type(plan, cast), &step->expr);
	get_typlenbyval(exprType((Node *) step->expr), &step->typlen,
					&step->typbyval);
	if (!is_last)
		step->memory = AllocSetContextCreate(CurrentMemoryContext,
											 "gpucompact chain step",
											 ALLOCSET_DEFAULT_SIZES);
	return (Node *) step->expr;
}

/*
 * Checks that a program returns the type of the function that runs it, or a
 * domain over that type.
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

	if (class != last_class || !IsBinaryCoercible(last_type, type) ||
		(class == TYPEFUNC_COMPOSITE && !equalTupleDescs(row, last_row)))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("the program of a chain does not return the type of %s",
						get_func_name(fcinfo->flinfo->fn_oid))));
}

/* Makes the steps of a chain. */
static ChainPlan *
make_plan(FunctionCallInfo fcinfo, int first_leaf)
{
	FmgrInfo   *flinfo = fcinfo->flinfo;
	MemoryContext caller = MemoryContextSwitchTo(flinfo->fn_mcxt);
	ChainPlan  *plan = palloc0(sizeof(ChainPlan));
	Node	   *last;

	plan->program = text_to_cstring(PG_GETARG_TEXT_PP(first_leaf - 1));
	plan->first_leaf = first_leaf;
	plan->flinfo = flinfo;
	plan->schema = get_func_namespace(flinfo->fn_oid);
	plan->support = get_func_support(flinfo->fn_oid);
	for (int i = 0; i < PG_NARGS(); i++)
		plan->is_varlena[i] =
			get_typlen(get_fn_expr_argtype(flinfo, i)) == -1;
	last = make_step(plan, &plan->last, parse_program(plan), NULL);
	check_result_type(fcinfo, last);
	MemoryContextSwitchTo(caller);
	return plan;
}

/*
 * What is made of the program of a call, once in a query.
 *
 * Raises 22023, or 42601, if the program is none, 42883 if one of its functions
 * does not exist, 42501 if the user may not call one, and 42804 if its result
 * is of another type than the call's.
 */
ChainPlan *
chain_plan(FunctionCallInfo fcinfo)
{
	FmgrInfo   *flinfo = fcinfo->flinfo;
	int			first_leaf;

	if (flinfo->fn_extra != NULL)
		return flinfo->fn_extra;
	/* Behind the program, the function is declared to have one leaf. */
	first_leaf = get_func_nargs(flinfo->fn_oid) - 1;
	if (flinfo->fn_expr == NULL || !IsA(flinfo->fn_expr, FuncExpr) ||
		get_fn_expr_variadic(flinfo) ||
		first_leaf > PG_NARGS() || PG_ARGISNULL(first_leaf - 1) ||
		!IsA(list_nth(((FuncExpr *) flinfo->fn_expr)->args, first_leaf - 1),
			 Const))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the program of a chain must be a constant, and its "
						"leaves arguments of the call")));
	flinfo->fn_extra = make_plan(fcinfo, first_leaf);
	return flinfo->fn_extra;
}
