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

/* An array, or a value that is the same for all elements of the other array. */
typedef struct Operand
{
	Datum		array;
	const char *value;			/* NULL: the array's elements */
} Operand;

extern const char *const element_operator_names[ELEMENT_OPERATORS];

extern void check_element_operator(const ElementType *type,
								   ElementOperator op);
extern void raise_core_error(ElementOperator op, Operand x, Operand y);

#endif							/* GPUCOMPACT_ARITHMETIC_H */
