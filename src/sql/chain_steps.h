/*
 * chain_steps.h
 *	  The steps of a chain, made of its program.
 */
#ifndef GPUCOMPACT_CHAIN_STEPS_H
#define GPUCOMPACT_CHAIN_STEPS_H

#include "compat.h"

#include "nodes/primnodes.h"

#include "call/step.h"
#include "sql/chain_cast.h"

/* A leaf or a call of a chain. */
typedef struct ChainStep
{
	int			leaf;			/* an argument of the chain, from 0 on; of a
								 * call, where its stages begin */
	Expr	   *expr;			/* NULL: a leaf */
	struct ChainStep *args;
	FmgrInfo	function;
	FunctionCallInfo call;
	bool		has_calls;		/* among its arguments */
	ChainCast  *cast;			/* of the leaf or the result, or NULL */
	DeferredValue *deferred;	/* the result, or NULL */
	CallStep	own;			/* what its calls are told, and tell */
	int			input;			/* the argument that may change, if it is only
								 * one, and an array; or -1 */
	int			calls;			/* that may have shown its stage */
	ShortStages *stages;		/* for short arrays, or NULL */
	FunctionCallInfo chain;		/* whose arguments the leaves are */
	MemoryContext memory;		/* of all that the call allocates; NULL: the
								 * caller's */
	int16		typlen;			/* of the result */
	bool		typbyval;
} ChainStep;

/* What is made of a chain's program, for all rows of a query. */
typedef struct ChainPlan
{
	int			first_leaf;		/* the argument that is $1 */
	Oid			schema;
	Oid			support;
	FmgrInfo   *flinfo;
	ChainStep	last;
	bool		is_varlena[FUNC_MAX_ARGS];	/* of each argument */
} ChainPlan;

extern ChainPlan *chain_plan(FunctionCallInfo fcinfo);

/* explain.c */
extern void explain_init(void);

#endif							/* GPUCOMPACT_CHAIN_STEPS_H */
