/*
 * arithmetic.h
 *	  Operators and functions of elements, as core has them.
 */
#ifndef GPUCOMPACT_ARITHMETIC_H
#define GPUCOMPACT_ARITHMETIC_H

#include "compat.h"

#include "fmgr.h"

#include "array/element.h"
#include "contract/operations/map.h"

/* Core's function for an operator, which is called for its error. */
typedef struct CoreOperator
{
	ErrorContextCallback hint;	/* on the stack of error contexts */
	PGFunction	function;		/* NULL if it raises no error */
	ElementKind kind;
	bool		binary;
} CoreOperator;

extern const char *const element_operator_names[ELEMENT_OPERATORS];

extern void check_element_operator(const ElementType *type,
								   ElementOperator op);
extern void core_operator_begin(CoreOperator *core, ElementKind kind,
								ElementOperator op);
extern void core_operator_call(const CoreOperator *core, const void *x,
							   const void *y);
extern void core_operator_end(CoreOperator *core);

#endif							/* GPUCOMPACT_ARITHMETIC_H */
