/*
 * operator.h
 *	  Operators and functions of elements: as text that is an argument, and as
 *	  core has them.
 */
#ifndef GPUCOMPACT_OPERATOR_H
#define GPUCOMPACT_OPERATOR_H

#include "compat.h"

#include "fmgr.h"

#include "array/element.h"
#include "contract/operations/map.h"
#include "contract/operations/scan.h"

/* An array, or a value that is the same for all elements of the other array. */
typedef struct Operand
{
	Datum		array;
	const char *value;			/* NULL: the array's elements, */
	int64		skipped;		/* but for so many, which come first */
} Operand;

/* operator.c */
extern int64 at_least(int least, const char *name, int64 value, int sqlstate);
pg_noreturn extern void raise_mismatch(const char *message, Oid first,
									   Oid second, const char *hint);
extern int	name_argument(FunctionCallInfo fcinfo, const char *what,
						  Datum argument, const char *const *names,
						  int count);

/* scan.c */
extern const ElementValue scan_neutral[SCAN_OPERATORS][ELEMENT_KINDS];
extern void scan_check_count(const ElementType *type, const char *hint);
extern void scan_check_operator(ScanOperator op, const ElementType *type);

/* map.c */
extern void check_element_operator(const ElementType *type,
								   ElementOperator op);
extern void raise_element_error(PGFunction function, bool binary, Operand x,
								Operand y);
extern void raise_core_error(ElementOperator op, ElementKind kind, Operand x,
							 Operand y);

#endif							/* GPUCOMPACT_OPERATOR_H */
