/*
 * map.h
 *	  MAP: an operator with a value, or a function, of each element; and ZIP: an
 *	  operator of the elements of two inputs.
 *
 * The elements are numbers, and so are the results, of the same kind.  The
 * results equal those of core's operators and functions of that type.  All
 * NaNs become the same one.  LEAST and GREATEST of equal operands return the
 * first one.
 *
 * The overflow is OVERFLOW_UP if core raises an error for any element: because
 * a result is out of range, underflows, is divided by zero, or is the root of
 * a negative number.  The results for these elements are undefined; the other
 * results are right.  The same holds for a bin that begins out of range.
 */
#ifndef GPUCOMPACT_OPERATIONS_MAP_H
#define GPUCOMPACT_OPERATIONS_MAP_H

#include <string.h>

#include "contract/bin.h"
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
	ELEMENT_SQRT,

	ELEMENT_BIN					/* of int4 and int8: the beginning of its bin */
} ElementOperator;

#define ELEMENT_BINARY		(ELEMENT_GREATEST + 1)	/* those of two operands */
#define ELEMENT_OPERATORS	(ELEMENT_SQRT + 1)	/* all but bins */

typedef struct MapParameters
{
	ElementOperator op;
	bool		value_first;	/* the value is the first operand */
	bool		times;			/* for bins, this one and those below */
	char		value[8] __attribute__((aligned(8)));	/* an element, in its
														 * first bytes; or the
														 * stride */
	int64_t		origin;
	int64_t		least;
} MapParameters;

/* The parameters for bins. */
static inline MapParameters
map_parameters_of_bins(const BinParameters *bins)
{
	MapParameters parameters = {
		.op = ELEMENT_BIN, .times = bins->times, .origin = bins->origin,
		.least = bins->least
	};

	memcpy(parameters.value, &bins->stride, sizeof(bins->stride));
	return parameters;
}

/* The bins that the parameters say. */
static inline BinParameters
map_bins(const MapParameters *parameters)
{
	BinParameters bins;

	memcpy(&bins.stride, parameters->value, sizeof(bins.stride));
	bins.origin = parameters->origin;
	bins.least = parameters->least;
	bins.times = parameters->times;
	return bins;
}

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
	if (op == ELEMENT_BIN)
		return kind == KIND_INT4 || kind == KIND_INT8;
	if ((unsigned) op >= ELEMENT_OPERATORS || kind == KIND_UINT1 ||
		kind == KIND_UINT4)
		return false;
	return kind_is_float(kind) ? op != ELEMENT_MODULO : op < ELEMENT_FLOOR;
}

#endif							/* GPUCOMPACT_OPERATIONS_MAP_H */
