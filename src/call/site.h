/*
 * site.h
 *	  What is the same for all calls of a function in a query.
 */
#ifndef GPUCOMPACT_SITE_H
#define GPUCOMPACT_SITE_H

#include "compat.h"

#include "access/tupdesc.h"
#include "fmgr.h"

#include "call/choice.h"

/* The most arguments of a function that may be arrays come before this one. */
#define SITE_ARGUMENTS	8

/* Where the values of a column are. */
typedef struct ValuePlaces
{
	const char *last;			/* or NULL */
	intptr_t	step;			/* between the last two in one page */
} ValuePlaces;

/* The known facts about an argument that is an array. */
typedef struct SiteArgument
{
	bool		is_checked;		/* the type is supported */
	bool		is_packed;		/* the argument is a packed array */
	Oid			declared;		/* the type, if checked */
	ValuePlaces places;
} SiteArgument;

/* The calls that are over and have not failed, for EXPLAIN. */
typedef struct SiteCalls
{
	const char *function;		/* NULL: there was none */
	const char *source;			/* of the last call's array, or NULL */
	ChoiceReason reason;		/* of the last call that an engine ran */
	int64		on[ENGINES];	/* calls that an engine ran, */
	int64		stages;			/* that the next step of a chain did, */
	int64		idle;			/* that had nothing to do */
	double		total_ms;		/* of calls that were timed */
} SiteCalls;

/* Found by the first call that needs it, and stored in fn_extra. */
typedef struct CallSite
{
	bool		constant;		/* so are all arguments but the first */
	int			option;			/* the function's, or -1 before it is known */
	SiteArgument arguments[SITE_ARGUMENTS];
	TupleDesc	row_type;		/* of the result, or NULL */
	void	   *own;			/* the function's, or NULL */
	SiteCalls	calls;
} CallSite;

extern CallSite *call_site_begin(FunctionCallInfo fcinfo);
extern void check_columns(TupleDesc type, int columns, const Oid *types);
extern TupleDesc call_row_type(FunctionCallInfo fcinfo, int columns,
							   const Oid *types);

static inline CallSite *
call_site(FunctionCallInfo fcinfo)
{
	CallSite   *site = fcinfo->flinfo->fn_extra;

	return site != NULL ? site : call_site_begin(fcinfo);
}

#endif							/* GPUCOMPACT_SITE_H */
