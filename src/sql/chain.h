/*
 * chain.h
 *	  Chains: their programs, and the steps that are made of one.
 *
 * A program is SQL text of calls over numbered leaves:
 *
 *	  program	call
 *	  call		name(argument, ...)
 *	  argument	$1, or call, or call::type
 *
 * Core's grammar reads it.  The type of a cast is one of the arrays of numbers.
 */
#ifndef GPUCOMPACT_CHAIN_H
#define GPUCOMPACT_CHAIN_H

#include "compat.h"

#include "nodes/pathnodes.h"

#include "call/step.h"

/*
 * The function that runs a chain.  One whose last call gpu_NAME returns a row
 * is run by gpucompact_chain_NAME.
 */
#define CHAIN_FUNCTION		"gpucompact_chain"
#define CHAINED_PREFIX		"gpu"

/* More leaves, and programs of more bytes, are not put together. */
#define CHAIN_MAX_LEAVES	32
#define CHAIN_MAX_PROGRAM	4096

/* A cast of a leaf, or of a result to an array of numbers. */
typedef struct ChainCast ChainCast;

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
	char	   *program;
	int			first_leaf;		/* the argument that is $1 */
	Oid			schema;
	Oid			support;
	FmgrInfo   *flinfo;
	ChainStep	last;
	bool		is_varlena[FUNC_MAX_ARGS];	/* of each argument */
} ChainPlan;

/* chain_steps.c */
extern bool function_is_executable(Oid function);
extern const char *chain_type_name(Oid type);
extern Datum chain_cast_run(ChainCast *cast, Datum value, bool *isnull);
extern ChainPlan *chain_plan(FunctionCallInfo fcinfo);

/* explain.c */
extern void explain_init(void);

#endif							/* GPUCOMPACT_CHAIN_H */
