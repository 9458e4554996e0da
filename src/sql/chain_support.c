/*
 * chain_support.c
 *	  The planner support function: it makes one call of a chain of calls, and
 *	  has arrays that are made of rows gathered faster.
 *
 * A chain is a call that has another call as an argument, such as
 *
 *	  gpu_reduce(gpu_compact(gpu_delta(a), '>', 0), 'max')
 *
 * It becomes a call of gpucompact_chain, which has the chain as a program and
 * the arguments that are no calls as leaves:
 *
 *	  gpucompact_chain(NULL::integer, 'gpu_reduce(gpu_compact(gpu_delta($1),
 *		$2, $3), $4)', a, '>', 0, 'max')
 *
 * The meaning of gpucompact_chain is to call the functions of the program in
 * turn.  A call whose result is a row becomes one of a function such as
 * gpucompact_chain_stats, which has the same columns.
 *
 * Only functions that have this support function join chains.  The planner
 * simplifies arguments before the call, so that a chain grows from its inner
 * end, and a call looks no further than at its arguments' arguments.  No
 * setting may change what is put together, since the planner compares the
 * expressions of an index with the expressions of a query.
 */
#include "sql/function.h"

#include "catalog/dependency.h"
#include "catalog/pg_class.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/plannodes.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "optimizer/planmain.h"
#include "utils/fmgroids.h"
#include "utils/palloc.h"
#include "utils/syscache.h"

#include "sql/chain.h"

/* A chain while it is put together. */
typedef struct Chain
{
	StringInfoData program;
	List	   *leaves;			/* of Expr */
	List	   *functions;		/* OIDs of the inner calls' functions */
	Oid			schema;			/* of all functions */
	Oid			support;		/* the support function of all functions */
	bool		called;			/* an inner call is complete */
	bool		refused;
} Chain;

/* Returns whether it does not matter where in a query a function is called. */
static bool
is_constant(Oid function)
{
	return func_volatile(function) == PROVOLATILE_IMMUTABLE &&
		func_parallel(function) == PROPARALLEL_SAFE &&
		!get_func_retset(function);
}

/* Returns whether an argument of a call may be a call. */
static bool
has_inner_call(const FuncExpr *call)
{
	ListCell   *arg;

	foreach(arg, call->args)
	{
		Node	   *node = lfirst(arg);

		if (IsA(node, ArrayCoerceExpr))
			node = (Node *) ((ArrayCoerceExpr *) node)->arg;
		if (IsA(node, FuncExpr))
			return true;
	}
	return false;
}

/*
 * Adds an argument that is no call.  The leaves are evaluated before all calls;
 * so one that may fail, or change, when it is evaluated must have been
 * evaluated before all calls without the chain, too.
 */
static void
add_leaf(Chain *chain, Node *leaf)
{
	Node	   *plain = leaf;

	while (IsA(plain, RelabelType))
		plain = (Node *) ((RelabelType *) plain)->arg;
	if (chain->called && !IsA(plain, Const) && !IsA(plain, Param) &&
		!IsA(plain, Var) && !IsA(plain, Aggref) && !IsA(plain, WindowFunc) &&
		!IsA(plain, CaseTestExpr))
		chain->refused = true;
	chain->leaves = lappend(chain->leaves, leaf);
	appendStringInfo(&chain->program, "$%d", list_length(chain->leaves));
}

/*
 * Adds a program that was put together before, whose leaves get new numbers.
 * The leaves are in the order of their numbers.
 */
static void
add_program(Chain *chain, const char *program, List *leaves)
{
	ListCell   *leaf = list_head(leaves);

	for (const char *at = program; *at != '\0';)
	{
		if (*at != '$' || leaf == NULL)
		{
			appendStringInfoChar(&chain->program, *at++);
			continue;
		}
		add_leaf(chain, lfirst(leaf));
		leaf = lnext(leaves, leaf);
		at += 1 + strspn(at + 1, "0123456789");
	}
	chain->refused |= leaf != NULL;
}

static void add_call(Chain *chain, const char *name, List *args,
					 bool is_last);

/*
 * Adds an argument: a call, a chain or a cast of one, or a leaf.  An argument
 * of an inner call may be a leaf only: else that call would be a chain by now,
 * but has been refused, for a reason that holds for the call around it, too.
 */
static void
add_argument(Chain *chain, Node *node, bool of_last)
{
	ArrayCoerceExpr *cast = NULL;
	FuncExpr   *call;
	char	   *name;

	if (IsA(node, ArrayCoerceExpr))
	{
		cast = (ArrayCoerceExpr *) node;
		if (chain_type_name(cast->resulttype) != NULL &&
			cast->resulttypmod < 0)
			node = (Node *) cast->arg;
	}

	/*
	 * As where core inlines an SQL function, the user may call it, and no hook
	 * wants to know of the call.
	 */
	call = (FuncExpr *) node;
	if (!IsA(node, FuncExpr) ||
		get_func_support(call->funcid) != chain->support ||
		get_func_namespace(call->funcid) != chain->schema ||
		!is_constant(call->funcid) || type_is_rowtype(call->funcresulttype) ||
		!function_is_executable(call->funcid) ||
		FmgrHookIsNeeded(call->funcid))
	{
		add_leaf(chain, cast != NULL ? (Node *) cast : node);
		return;
	}
	if (!of_last)
	{
		chain->refused = true;
		return;
	}
	name = get_func_name(call->funcid);
	if (strcmp(name, CHAIN_FUNCTION) != 0)
		add_call(chain, name, call->args, false);
	else
	{
		Const	   *program = lsecond(call->args);

		if (!IsA(program, Const) || program->constisnull)
			chain->refused = true;
		else
			add_program(chain, TextDatumGetCString(program->constvalue),
						list_copy_tail(call->args, 2));
	}
	if (cast != NULL && node == (Node *) cast->arg)
		appendStringInfo(&chain->program, "::%s",
						 chain_type_name(cast->resulttype));
	chain->functions = lappend_oid(chain->functions, call->funcid);
	chain->called = true;
}

/* Adds the last call of the chain, or one that is its argument. */
static void
add_call(Chain *chain, const char *name, List *args, bool is_last)
{
	ListCell   *arg;

	appendStringInfo(&chain->program, "%s(", quote_identifier(name));
	foreach(arg, args)
	{
		if (foreach_current_index(arg) > 0)
			appendStringInfoString(&chain->program, ", ");
		add_argument(chain, lfirst(arg), is_last);
	}
	appendStringInfoChar(&chain->program, ')');
}

#if PG_VERSION_NUM < 180000

/* Returns whether an expression has a call with the support function in it. */
static bool
has_call(Node *node, void *support)
{
	CHECK_FOR_INTERRUPTS();
	if (node == NULL)
		return false;
	if (IsA(node, FuncExpr) &&
		get_func_support(((FuncExpr *) node)->funcid) == *(Oid *) support)
		return true;
	return expression_tree_walker(node, has_call, support);
}

/*
 * Returns whether calls of a query are the keys of its groups.  PostgreSQL
 * finds a grouping key in an expression by its form, and makes it NULL in the
 * grouping sets that do not have it.  In a chain it would not find the key.
 */
static bool
groups_by_calls(PlannerInfo *root, Oid support)
{
	ListCell   *cell;

	if (root == NULL)
		return false;
	foreach(cell, root->parse->groupClause)
	{
		TargetEntry *key = get_sortgroupclause_tle(lfirst(cell),
												   root->parse->targetList);

		if (has_call((Node *) key->expr, &support))
			return true;
	}
	return false;
}
#else

/* Since version 18, the planner has variables for grouping keys. */
static bool
groups_by_calls(PlannerInfo *root, Oid support)
{
	return false;
}
#endif

/*
 * The arguments of the chain's function that are there for their types alone:
 * of gpucompact_chain its result; of others the arguments that are arrays.
 */
static List *
make_examples(const FuncExpr *call, Oid *types, int *ntypes)
{
	List	   *examples = NIL;
	Oid		   *declared;
	int			nargs;

	*ntypes = 0;
	if (!type_is_rowtype(call->funcresulttype))
	{
		types[(*ntypes)++] = ANYELEMENTOID;
		return list_make1(makeNullConst(call->funcresulttype, -1,
										call->funccollid));
	}
	(void) get_func_signature(call->funcid, &declared, &nargs);
	for (int i = 0; i < nargs; i++)
	{
		if (declared[i] != ANYARRAYOID &&
			declared[i] != ANYCOMPATIBLEARRAYOID &&
			!OidIsValid(get_element_type(declared[i])))
			continue;
		types[(*ntypes)++] = declared[i];
		examples = lappend(examples,
						   makeNullConst(exprType(list_nth(call->args, i)), -1,
										 InvalidOid));
	}
	return examples;
}

/* The function that is declared with these arguments, or InvalidOid. */
static Oid
find_declared(Oid schema, const char *name, const Oid *types, int ntypes)
{
	return GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid,
						   CStringGetDatum(name),
						   PointerGetDatum(buildoidvector(types, ntypes)),
						   ObjectIdGetDatum(schema));
}

/* The call of the chain, or NULL if there is no function for it. */
static FuncExpr *
make_chain_call(const Chain *chain, const FuncExpr *call, const char *outer)
{
	Oid			types[FUNC_MAX_ARGS];
	int			ntypes;
	List	   *args = make_examples(call, types, &ntypes);
	FuncExpr   *result;
	Const	   *program;
	char	   *name;
	Oid			oid;

	types[ntypes++] = TEXTOID;
	types[ntypes++] = ANYOID;
	name = !type_is_rowtype(call->funcresulttype) ? CHAIN_FUNCTION :
		psprintf("%s%s", CHAIN_FUNCTION, outer + strlen(CHAINED_PREFIX));
	oid = find_declared(chain->schema, name, types, ntypes);
	if (!OidIsValid(oid) || get_func_support(oid) != chain->support)
		return NULL;
	program = makeConst(TEXTOID, -1, DEFAULT_COLLATION_OID, -1,
						CStringGetTextDatum(chain->program.data), false, false);
	args = list_concat(lappend(args, program), chain->leaves);
	result = makeFuncExpr(oid, call->funcresulttype, args, call->funccollid,
						  InvalidOid, COERCE_EXPLICIT_CALL);
	result->location = call->location;
	return result;
}

/* The chain that a call completes, or NULL if it completes none. */
static FuncExpr *
chain_up(PlannerInfo *root, const FuncExpr *call)
{
	Chain		chain = {0};
	char	   *outer;
	FuncExpr   *result;
	ListCell   *function;

	/* A function that runs a chain is not in one. */
	if (!has_inner_call(call) || !is_constant(call->funcid))
		return NULL;
	outer = get_func_name(call->funcid);
	if (strncmp(outer, CHAIN_FUNCTION, strlen(CHAIN_FUNCTION)) == 0)
		return NULL;
	chain.schema = get_func_namespace(call->funcid);
	chain.support = get_func_support(call->funcid);
	initStringInfo(&chain.program);
	add_call(&chain, outer, call->args, true);
	if (chain.functions == NIL || chain.refused ||
		list_length(chain.leaves) > CHAIN_MAX_LEAVES ||
		chain.program.len > CHAIN_MAX_PROGRAM ||
		!function_is_executable(call->funcid) ||
		FmgrHookIsNeeded(call->funcid) ||
		groups_by_calls(root, chain.support))
		return NULL;
	result = make_chain_call(&chain, call, outer);

	/* Plans depend on the functions that are inside of the chain. */
	if (result == NULL || root == NULL)
		return result;
	foreach(function, chain.functions)
		record_plan_function_dependency(root, lfirst_oid(function));
	record_plan_function_dependency(root, call->funcid);
	return result;
}

/*
 * In a call such as gpu_percentile_cont(array_agg(x), 0.5), gpu_array_agg
 * replaces array_agg.  It takes less time, and parallel workers can share it.
 * They deliver their parts in any order, so this is done only for functions
 * whose result does not depend on the order of elements.
 *
 * The planner simplifies calls before it looks at aggregates, so it is enough
 * to put another function in.  Either all uses of array_agg in a query are
 * replaced, or none: otherwise the values would be gathered twice.
 */

/* A function whose result does not depend on the order of elements. */
typedef struct OrderlessFunction
{
	const char *name;
	bool		in_order;		/* a second argument asks for that order */
	bool		of_floats;		/* it does not of floats, either */
} OrderlessFunction;

static const OrderlessFunction orderless_functions[] = {
	{"gpu_distinct", true, true},
	{"gpu_distinct_counts", false, true},
	{"gpu_histogram", false, true},
	{"gpu_median", false, true},
	{"gpu_mode", false, true},
	{"gpu_percentile_cont", false, true},
	{"gpu_percentile_disc", false, true},
	{"gpu_radix_sort", false, true},
	{"gpu_stats", false, false}
};

/* Returns whether a node is array_agg(x), with no order and no DISTINCT. */
static bool
is_array_agg(const Node *node)
{
	const Aggref *aggregate = (const Aggref *) node;

	return node != NULL && IsA(node, Aggref) &&
		aggregate->aggfnoid == F_ARRAY_AGG_ANYNONARRAY &&
		aggregate->aggorder == NIL && aggregate->aggdistinct == NIL;
}

/*
 * Returns whether a function of this extension, which the support function
 * belongs to, can have the elements of an array of that type in any order.
 */
static bool
is_orderless(const FuncExpr *call, Oid support, Oid array)
{
	bool		floats = array == FLOAT4ARRAYOID || array == FLOAT8ARRAYOID;
	char	   *name = get_func_support(call->funcid) == support ?
		get_func_name(call->funcid) : NULL;

	/*
	 * The planner has not added the default, false, of the second argument yet
	 * to calls that it comes to later.
	 */
	const Const *second = list_length(call->args) < 2 ? NULL :
		lsecond(call->args);
	bool		ordered = second != NULL &&
		(!IsA(second, Const) || second->constisnull ||
		 DatumGetBool(second->constvalue));

	for (int i = 0; name != NULL && i < lengthof(orderless_functions); i++)
	{
		const OrderlessFunction *function = &orderless_functions[i];

		if (strcmp(function->name, name) == 0)
			return !(function->in_order && ordered) &&
				(function->of_floats || !floats);
	}
	return false;
}

/* Returns whether a call's first argument can be gathered in any order. */
static bool
gathers_rows(const FuncExpr *call, Oid support)
{
	const Aggref *aggregate;

	if (call->args == NIL || !is_array_agg(linitial(call->args)))
		return false;
	aggregate = linitial(call->args);
	return aggregate->agglevelsup == 0 &&
		!OidIsValid(aggregate->aggtranstype) &&
		is_supported_array(aggregate->aggtype) &&
		is_orderless(call, support, aggregate->aggtype);
}

/* Returns whether an expression has an array_agg that must stay. */
static bool
has_other_use(Node *node, void *support)
{
	CHECK_FOR_INTERRUPTS();
	if (node == NULL)
		return false;
	if (is_array_agg(node))
		return true;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, has_other_use, support, 0);
	if (IsA(node, FuncExpr) &&
		gathers_rows((FuncExpr *) node, *(Oid *) support))
	{
		List	   *others = list_copy_tail(((FuncExpr *) node)->args, 1);

		return expression_tree_walker((Node *) others, has_other_use, support);
	}
	return expression_tree_walker(node, has_other_use, support);
}

/* Returns whether a query reads a foreign table, whose server may aggregate. */
static bool
reads_foreign_table(const Query *query)
{
	ListCell   *cell;

	foreach(cell, query->rtable)
	{
		const RangeTblEntry *entry = lfirst(cell);

		if (entry->rtekind == RTE_RELATION &&
			entry->relkind == RELKIND_FOREIGN_TABLE)
			return true;
	}
	return false;
}

/*
 * The query that was searched last, and whether array_agg has to stay in it.
 * If each of its calls searched it, the time would be quadratic in them.
 */
static const PlannerInfo *searched;
static bool stays;

/* Another query may be planned at the same address. */
static void
forget_query(void *arg)
{
	searched = NULL;
}

static bool
array_agg_stays(PlannerInfo *root, Oid support)
{
	MemoryContextCallback *callback;

	if (searched == root)
		return stays;
	searched = NULL;
	stays = has_other_use((Node *) root->parse->targetList, &support) ||
		has_other_use(root->parse->havingQual, &support) ||
		reads_foreign_table(root->parse);
	callback = MemoryContextAllocZero(root->planner_cxt, sizeof(*callback));
	callback->func = forget_query;
	MemoryContextRegisterResetCallback(root->planner_cxt, callback);
	searched = root;
	return stays;
}

/*
 * A call with gpu_array_agg(x) in the place of array_agg(x), if that is its
 * first argument; or NULL if array_agg has to stay.
 */
static FuncExpr *
gather_faster(PlannerInfo *root, const FuncExpr *call)
{
	Oid			support = get_func_support(call->funcid);
	Oid			types[] = {ANYNONARRAYOID};
	FuncExpr   *result;
	Aggref	   *aggregate;
	Oid			gpu_array_agg;
	Oid			extension;
	PlanInvalItem *item;

	if (root == NULL || !gathers_rows(call, support) ||
		array_agg_stays(root, support))
		return NULL;

	/*
	 * It is of the extension that the function belongs to, the user may call
	 * both aggregates, and no hook wants to know of that.
	 */
	gpu_array_agg = find_declared(get_func_namespace(call->funcid),
								  "gpu_array_agg", types, lengthof(types));
	extension = getExtensionOfObject(ProcedureRelationId, call->funcid);
	if (!OidIsValid(gpu_array_agg) || !OidIsValid(extension) ||
		getExtensionOfObject(ProcedureRelationId, gpu_array_agg) != extension ||
		!function_is_executable(F_ARRAY_AGG_ANYNONARRAY) ||
		!function_is_executable(gpu_array_agg) ||
		FmgrHookIsNeeded(F_ARRAY_AGG_ANYNONARRAY) ||
		FmgrHookIsNeeded(gpu_array_agg))
		return NULL;
	result = copyObject((FuncExpr *) call);
	aggregate = linitial(result->args);
	aggregate->aggfnoid = gpu_array_agg;

	/*
	 * The plan depends on the rights of the user, and on array_agg, which it no
	 * longer has in it.  The planner itself leaves out functions that are built
	 * in.
	 */
	item = makeNode(PlanInvalItem);
	item->cacheId = PROCOID;
	item->hashValue =
		GetSysCacheHashValue1(PROCOID,
							  ObjectIdGetDatum(F_ARRAY_AGG_ANYNONARRAY));
	root->glob->invalItems = lappend(root->glob->invalItems, item);
	root->glob->dependsOnRole = true;
	return result;
}

/*
 * gpucompact_chain_support(internal) returns internal
 *
 * Makes one call of a chain of calls, or a call with a faster aggregate.  From
 * calls it takes the collation away: no function here looks at it, but
 * postgres_fdw does not send a call to another server if its collation comes
 * from a literal.
 */
SQL_FUNCTION(gpucompact_chain_support)
{
	Node	   *request = (Node *) PG_GETARG_POINTER(0);
	PlannerInfo *root;
	FuncExpr   *call;
	FuncExpr   *changed;

	if (!IsA(request, SupportRequestSimplify))
		PG_RETURN_POINTER(NULL);
	CHECK_FOR_INTERRUPTS();
	root = ((SupportRequestSimplify *) request)->root;
	call = ((SupportRequestSimplify *) request)->fcall;
	changed = chain_up(root, call);
	if (changed == NULL)
		changed = gather_faster(root, call);
	if (changed == NULL && OidIsValid(call->inputcollid))
	{
		/* It has the call's arguments: a copy of them would take long. */
		changed = makeNode(FuncExpr);
		*changed = *call;
	}
	if (changed != NULL)
		changed->inputcollid = InvalidOid;
	PG_RETURN_POINTER(changed);
}
