/*
 * predicate.h
 *	  Which elements are selected, for an engine.
 */
#ifndef GPUCOMPACT_PREDICATE_H
#define GPUCOMPACT_PREDICATE_H

#include "compat.h"

#include "datatype/timestamp.h"
#include "fmgr.h"

#include "array/element.h"
#include "contract/operations/compact.h"
#include "contract/wide_sum.h"

typedef enum PredicateOperator
{
	PREDICATE_EQUAL,
	PREDICATE_NOT_EQUAL,
	PREDICATE_LESS,
	PREDICATE_LESS_OR_EQUAL,
	PREDICATE_GREATER,
	PREDICATE_GREATER_OR_EQUAL,
	PREDICATE_BETWEEN,			/* with two values */
	PREDICATE_IS_NULL,			/* with none, as the next one */
	PREDICATE_IS_NOT_NULL
} PredicateOperator;

#define PREDICATE_OPERATORS	9

extern WideSum interval_value(const Interval *interval);
extern bool get_integer(Oid type, Datum value, int64 *integer);
extern bool has_element(ElementKind kind, int64 integer);
extern bool is_cast_implicit(Oid from, Oid to);
extern bool cast_value(const ElementType *type, Oid value_type, Datum *value);
extern PredicateOperator argument_operator(FunctionCallInfo fcinfo,
										   int values);
extern EnginePredicate compare_with(const ElementType *type,
									PredicateOperator operator,
									Oid value_type, Datum value);
extern EnginePredicate argument_predicate(FunctionCallInfo fcinfo,
										  const ElementType *type,
										  PredicateOperator operator);
extern EnginePredicate not_zero(const ElementType *type);

#endif							/* GPUCOMPACT_PREDICATE_H */
