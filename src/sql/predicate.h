/*
 * predicate.h
 *	  What elements are asked, for an engine.
 */
#ifndef GPUCOMPACT_PREDICATE_H
#define GPUCOMPACT_PREDICATE_H

#include "compat.h"

#include "array/element.h"
#include "contract/engine.h"

typedef enum PredicateOperator
{
	PREDICATE_EQUAL,
	PREDICATE_NOT_EQUAL,
	PREDICATE_LESS,
	PREDICATE_LESS_OR_EQUAL,
	PREDICATE_GREATER,
	PREDICATE_GREATER_OR_EQUAL
} PredicateOperator;

#define PREDICATE_OPERATORS	6

extern PredicateOperator predicate_operator(Datum argument);
extern EnginePredicate compare_with(const ElementType *type,
									PredicateOperator operator,
									Oid value_type, Datum value);
extern EnginePredicate not_zero(const ElementType *type);

#endif							/* GPUCOMPACT_PREDICATE_H */
