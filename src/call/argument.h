/*
 * argument.h
 *	  The type of an array argument.
 */
#ifndef GPUCOMPACT_ARGUMENT_H
#define GPUCOMPACT_ARGUMENT_H

#include "compat.h"

#include "fmgr.h"

#include "array/element.h"

extern Oid	element_of_argument(FunctionCallInfo fcinfo, int argument);
extern void check_argument(const char *function, FunctionCallInfo fcinfo,
						   int argument, Oid declared);
extern void check_number_argument(const char *function,
								  FunctionCallInfo fcinfo, int argument,
								  const ElementType *type);

#endif							/* GPUCOMPACT_ARGUMENT_H */
