/*
 * step.h
 *	  What a chain and the call of one of its steps exchange.
 */
#ifndef GPUCOMPACT_STEP_H
#define GPUCOMPACT_STEP_H

#include "compat.h"

#include "fmgr.h"
#include "nodes/nodes.h"

#include "call/choice.h"

/* The context of the step's call, as fmgr has it. */
typedef struct CallStep
{
	NodeTag		type;			/* T_Invalid, which no other context has */
	NextStep	self;			/* for the steps before; self.next is next */
	bool		may_defer;		/* the result */
	DeferredValue *deferred;	/* the result, or NULL */

	/* If wants_stage, the call says whether it is one stage, maybe the last. */
	bool		wants_stage;
	int			requests;		/* of the call */
	bool		is_stage;		/* the last request can be this stage: */
	EngineStage stage;
} CallStep;

/* The step that a call is, or NULL. */
static inline CallStep *
call_step(FunctionCallInfo fcinfo)
{
	struct Node *context = fcinfo->context;

	return context != NULL && nodeTag(context) == T_Invalid ?
		(CallStep *) context : NULL;
}

/* Stages that make a short array, or an element, of another array. */
typedef struct ShortStages ShortStages;

extern ShortStages *short_stages_make(const ShortStages *before,
									  const CallStep *step, Datum source,
									  Datum result);
extern bool short_stages_run(ShortStages *stages, Datum source,
							 Datum *result, bool *isnull);

#endif							/* GPUCOMPACT_STEP_H */
