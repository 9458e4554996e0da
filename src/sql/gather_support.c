/*
 * gather_support.c
 *	  For the planner support function: gpu_array_agg instead of array_agg.
 *
 * In a call such as gpu_percentile_cont(array_agg(x), 0.5), gpu_array_agg
 * replaces array_agg.  It takes less time, and parallel workers can share it.
 * They deliver their parts in any order, so this is done only for functions
 * whose result does not depend on the order of elements.
 *
 * The planner simplifies calls before it looks at aggregates, so it is enough
 * to put another function in.  Either all uses of array_agg in a query are
 * replaced, or none: otherwise the values would be gathered twice.
 */
#include "sql/function.h"

#include "catalog/dependency.h"
#include "catalog/pg_class.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "nodes/plannodes.h"
#include "utils/fmgroids.h"
#include "utils/palloc.h"
#include "utils/syscache.h"

#include "sql/chain.h"

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
 * Returns whether the second argument of a call is false whenever it is called.
 * The planner has not added that default yet to calls that it comes to later.
 */
static bool
is_second_false(const FuncExpr *call)
{
	const Const *value = list_length(call->args) < 2 ? NULL :
		lsecond(call->args);

	return value == NULL || (IsA(value, Const) && !value->constisnull &&
							 !DatumGetBool(value->constvalue));
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

	for (int i = 0; name != NULL && i < lengthof(orderless_functions); i++)
	{
		const OrderlessFunction *function = &orderless_functions[i];

		if (strcmp(function->name, name) == 0)
			return (!function->in_order || is_second_false(call)) &&
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
FuncExpr *
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
