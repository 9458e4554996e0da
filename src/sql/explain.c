/*
 * explain.c
 *	  EXPLAIN (ANALYZE, VERBOSE) shows how the calls of a query went.
 *
 * PostgreSQL 18 lets a module add lines to a node of a plan.  Each call of a
 * function in the node's expressions has a site, and so has each step of a
 * chain.  Sites count their calls (call.c).  A parallel worker has sites of
 * its own, which the leader does not see.
 */
#include "sql/function.h"

#include "sql/chain.h"

#if PG_VERSION_NUM >= 180000

#include "commands/explain.h"
#include "commands/explain_format.h"
#include "commands/explain_state.h"
#include "executor/execExpr.h"
#include "executor/nodeAgg.h"
#include "nodes/execnodes.h"

extern Datum gpucompact_chain(PG_FUNCTION_ARGS);
extern Datum gpucompact_chain_support(PG_FUNCTION_ARGS);
extern Datum fmgr_security_definer(PG_FUNCTION_ARGS);	/* core's */

static explain_per_node_hook_type next_hook = NULL;

/* The node whose calls are shown. */
typedef struct ShownNode
{
	ExplainState *es;
	bool		begun;			/* a call of it was shown */
} ShownNode;

static void
show_integer(const char *name, const char *word, int64 value,
			 ExplainState *es)
{
	if (es->format != EXPLAIN_FORMAT_TEXT)
		ExplainPropertyInteger(name, NULL, value, es);
	else if (value > 0)
		appendStringInfo(es->str, " %s=" INT64_FORMAT, word, value);
}

static void
show_text(const char *name, const char *word, const char *value,
		  ExplainState *es)
{
	if (es->format != EXPLAIN_FORMAT_TEXT)
		ExplainPropertyText(name, value, es);
	else
		appendStringInfo(es->str, " %s=\"%s\"", word, value);
}

/* The calls of a function by who did them, and how the last one was done. */
static void
show_calls(const SiteCalls *calls, ExplainState *es)
{
	int64		ran = 0;

	for (int i = 0; i < ENGINES; i++)
		ran += calls->on[i];
	show_integer("Calls", "calls", ran + calls->stages + calls->idle, es);
	show_integer("On CPU", "cpu", calls->on[ENGINE_CPU], es);
	show_integer("On GPU", "cuda", calls->on[ENGINE_CUDA], es);
	show_integer("Stages", "stages", calls->stages, es);
	if (calls->source != NULL)
		show_text("Source", "source", calls->source, es);
	if (ran > 0)
		show_text("Reason", "reason", choice_reason_name(calls->reason), es);
	if (!es->timing || calls->total_ms == 0)
		return;
	if (es->format != EXPLAIN_FORMAT_TEXT)
		ExplainPropertyFloat("Time", "ms", calls->total_ms, 3, es);
	else
		appendStringInfo(es->str, " time=%.3f ms", calls->total_ms);
}

/*
 * Shows the calls of a function, if there were any.  Core calls one that has
 * been altered, and has something of its own in fn_extra then.
 */
static void
show_site(const FmgrInfo *function, ShownNode *node)
{
	const CallSite *site = function->fn_extra;
	ExplainState *es = node->es;
	bool		text = es->format == EXPLAIN_FORMAT_TEXT;

	if (function->fn_addr == fmgr_security_definer || site == NULL ||
		site->calls.function == NULL)
		return;
	if (!node->begun)
		ExplainOpenGroup("Array Calls", "Array Calls", false, es);
	node->begun = true;
	ExplainOpenGroup("Array Call", NULL, true, es);
	if (text)
	{
		ExplainIndentText(es);
		appendStringInfo(es->str, "Array Call: %s", site->calls.function);
	}
	else
		ExplainPropertyText("Function", site->calls.function, es);
	show_calls(&site->calls, es);
	if (text)
		appendStringInfoChar(es->str, '\n');
	ExplainCloseGroup("Array Call", NULL, true, es);
}

/* Shows the steps of a chain in the order of their calls. */
static void
show_steps(const ChainStep *step, ShownNode *node)
{
	if (step->expr == NULL)
		return;
	for (int i = 0; i < step->function.fn_nargs; i++)
		show_steps(&step->args[i], node);
	show_site(&step->function, node);
}

/* Returns whether a function has the planner support of this module. */
static bool
is_ours(const FmgrInfo *function)
{
	RegProcedure support = get_func_support(function->fn_oid);
	FmgrInfo	info;

	if (!OidIsValid(support))
		return false;
	fmgr_info(support, &info);
	return info.fn_addr == gpucompact_chain_support;
}

/* Shows a function that an expression calls, if it is one over arrays. */
static void
show_function(const FmgrInfo *function, ShownNode *node)
{
	if (function->fn_extra == NULL || !is_ours(function))
		return;
	if (function->fn_addr == gpucompact_chain)
		show_steps(&((const ChainPlan *) function->fn_extra)->last, node);
	else
		show_site(function, node);
}

static void
show_expression(ExprState *expression, ShownNode *node)
{
	if (expression == NULL)
		return;
	for (int i = 0; i < expression->steps_len; i++)
	{
		ExprEvalStep *step = &expression->steps[i];
		ExprEvalOp	operation = ExecEvalStepOp(expression, step);

		if (operation >= EEOP_FUNCEXPR &&
			operation <= EEOP_FUNCEXPR_STRICT_FUSAGE)
			show_function(step->d.func.finfo, node);
	}
}

/*
 * Shows the calls in a node's results and conditions, and in the arguments of
 * aggregates.  Those of a function in FROM are in no header's reach.
 */
static void
show_node(PlanState *plan, ShownNode *node)
{
	if (plan->ps_ProjInfo != NULL)
		show_expression(&plan->ps_ProjInfo->pi_state, node);
	show_expression(plan->qual, node);
	if (IsA(plan, AggState))
	{
		AggState   *agg = (AggState *) plan;

		for (int i = 0; i < agg->numphases; i++)
			show_expression(agg->phases[i].evaltrans, node);
	}
	else if (IsA(plan, NestLoopState) || IsA(plan, HashJoinState) ||
			 IsA(plan, MergeJoinState))
		show_expression(((JoinState *) plan)->joinqual, node);
	else if (IsA(plan, ResultState))
		show_expression(((ResultState *) plan)->resconstantqual, node);
}

static void
explain_node(PlanState *plan, List *ancestors, const char *relationship,
			 const char *plan_name, ExplainState *es)
{
	ShownNode	node = {es, false};

	if (next_hook != NULL)
		next_hook(plan, ancestors, relationship, plan_name, es);
	if (!es->analyze || !es->verbose)
		return;
	show_node(plan, &node);
	if (node.begun)
		ExplainCloseGroup("Array Calls", "Array Calls", false, es);
}

/* To be called when the module is loaded. */
void
explain_init(void)
{
	next_hook = explain_per_node_hook;
	explain_per_node_hook = explain_node;
}

#endif							/* 18 */
