/*
 * chain_program.h
 *	  The program of a chain: SQL text of calls over numbered leaves.
 *
 *	  program	call
 *	  call		name(argument, ...)
 *	  argument	$1, or call, or call::type
 *
 * The type of a cast is one of the arrays of numbers.
 */
#ifndef GPUCOMPACT_CHAIN_PROGRAM_H
#define GPUCOMPACT_CHAIN_PROGRAM_H

#include "nodes/pathnodes.h"

/*
 * The function that runs a chain.  One whose last call gpu_NAME returns a row
 * is run by gpucompact_chain_NAME.
 */
#define CHAIN_FUNCTION		"gpucompact_chain"
#define CHAINED_PREFIX		"gpu"

/* More leaves, and programs of more bytes, are not put together. */
#define CHAIN_MAX_LEAVES	32
#define CHAIN_MAX_PROGRAM	4096

typedef struct ChainNode
{
	char	   *function;		/* NULL: a leaf */
	List	   *args;			/* of ChainNode */
	int			leaf;			/* from 1 on */
	Oid			cast;			/* the type it is cast to, or InvalidOid */
} ChainNode;

extern bool function_is_executable(Oid function);
extern const char *chain_type_name(Oid type);
extern ChainNode *chain_parse(const char *program, int nleaves);

/* gather_support.c */
extern FuncExpr *gather_faster(PlannerInfo *root, const FuncExpr *call);

#endif							/* GPUCOMPACT_CHAIN_PROGRAM_H */
