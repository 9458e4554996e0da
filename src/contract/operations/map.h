/*
 * map.h
 *	  MAP: an operator with a value, or a function, of each element; and ZIP: an
 *	  operator of the elements of two inputs.
 *
 * The elements are numbers, and so are the results, of the same kind.  They are
 * those of core's operators and functions of that type.  All NaNs become the
 * same one.  LEAST and GREATEST of equal operands are the first one.
 *
 * The overflow is OVERFLOW_UP if core raises an error for any element: because
 * a result is out of range, underflows, is divided by zero, or is the root of a
 * negative number.  The results for these elements are undefined, and those for
 * the others are right all the same.
 */
#ifndef GPUCOMPACT_OPERATIONS_MAP_H
#define GPUCOMPACT_OPERATIONS_MAP_H

#include "contract/engine.h"

typedef enum ElementOperator
{
	ELEMENT_ADD,
	ELEMENT_SUBTRACT,
	ELEMENT_MULTIPLY,
	ELEMENT_DIVIDE,
	ELEMENT_MODULO,				/* of integers only */
	ELEMENT_LEAST,
	ELEMENT_GREATEST,

	/* Functions of one operand: */
	ELEMENT_ABS,
	ELEMENT_NEGATE,
	ELEMENT_SIGN,
	ELEMENT_FLOOR,				/* of floats only, this and those below */
	ELEMENT_CEIL,
	ELEMENT_ROUND,				/* half to even */
	ELEMENT_TRUNC,
	ELEMENT_SQRT
} ElementOperator;

#define ELEMENT_BINARY		(ELEMENT_GREATEST + 1)	/* those of two operands */
#define ELEMENT_OPERATORS	(ELEMENT_SQRT + 1)

typedef struct MapParameters
{
	ElementOperator op;
	bool		value_first;	/* the value is the first operand */
	char		value[8] __attribute__((aligned(8)));	/* an element, in its
														 * first bytes */
} MapParameters;

/*
 * ZIP also has LEAST and GREATEST of KIND_UINT1, which of bytes of 0 and 1 are
 * AND and OR.
 */
typedef struct ZipParameters
{
	ElementOperator op;			/* of two operands */
} ZipParameters;

/* Returns whether there is such an operator of elements of a kind. */
static inline bool
has_element_operator(ElementKind kind, ElementOperator op)
{
	if ((unsigned) op >= ELEMENT_OPERATORS || kind == KIND_UINT1 ||
		kind == KIND_UINT4)
		return false;
	return kind_is_float(kind) ? op != ELEMENT_MODULO : op < ELEMENT_FLOOR;
}

#endif							/* GPUCOMPACT_OPERATIONS_MAP_H */
