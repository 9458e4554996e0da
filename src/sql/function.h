/*
 * function.h
 *	  What nearly all files of SQL functions include, and how such a function
 *	  begins.
 */
#ifndef GPUCOMPACT_FUNCTION_H
#define GPUCOMPACT_FUNCTION_H

#include "compat.h"

#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "array/large_value.h"
#include "call/call.h"
#include "sql/families.h"

/* Elements between two checks for interrupts; a multiple of 8. */
#define CHECK_STEP		65536

#define SQL_FUNCTION(name) \
	PG_FUNCTION_INFO_V1(name); \
	Datum \
	name(PG_FUNCTION_ARGS)

/* A function that returns what an expression does. */
#define SQL_FUNCTION_AS(name, result) \
	SQL_FUNCTION(name) \
	{ \
		return result; \
	}

/*
 * A function with a body, which begins a call unless one of its first
 * arguments, as many as are needed, is NULL.
 */
#define SQL_CALL_FUNCTION(symbol, function, needed) \
	static Datum symbol##_call(FunctionCallInfo fcinfo); \
	SQL_FUNCTION(symbol) \
	{ \
		for (int i = 0; i < needed; i++) \
		{ \
			if (PG_ARGISNULL(i)) \
				PG_RETURN_NULL(); \
		} \
		call_begin(function); \
		return symbol##_call(fcinfo); \
	} \
	static Datum \
	symbol##_call(FunctionCallInfo fcinfo)

/* The same, of one that returns what an expression does. */
#define SQL_CALL(symbol, function, result) \
	SQL_CALL_FUNCTION(symbol, function, 0) \
	{ \
		return result; \
	}

#endif							/* GPUCOMPACT_FUNCTION_H */
