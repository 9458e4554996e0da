/*
 * chain_record.c
 *	  How the calls of the last chain went.
 *
 * A chain may run for each of many rows with short calls, which must not pay
 * for this: the text is only made on demand.
 */
#include "compat.h"

#include "call/chain_record.h"

/* Steps that are recorded; a chain of more loses its last ones. */
#define MAX_STEPS	32

typedef struct StepRecord
{
	uint64		number;			/* of the call */
	const char *function;
	const char *source;
	const SessionEngine *engine;	/* NULL if there was nothing to do */
	ChoiceReason reason;
	double		total_ms;		/* less than 0: not timed */
} StepRecord;

static StepRecord steps[MAX_STEPS];
static int	nsteps = 0;

/* A chain begins. */
void
chain_record_begin(void)
{
	nsteps = 0;
}

/* Adds the call of a step, unless it is there already. */
void
chain_record_add(const LastCall *call)
{
	if (nsteps == MAX_STEPS ||
		(nsteps > 0 && steps[nsteps - 1].number == call->number))
		return;
	steps[nsteps++] = (StepRecord)
	{
		call->number, call->function, call->source, call->choice.engine,
			call->choice.reason, call->timed ? call->total_ms : -1
	};
}

static void
append_step(StringInfo text, const StepRecord *step)
{
	appendStringInfo(text, "%s%s (", text->len > 0 ? ", " : "",
					 step->function);
	if (step->engine == NULL)
		appendStringInfoString(text, "nothing to do");
	else if (step->reason == CHOSEN_AS_STAGE)
		appendStringInfoString(text, choice_reason_name(step->reason));
	else
	{
		appendStringInfo(text, "%s, %s", step->engine->name, step->source);
		if (step->total_ms >= 0)
			appendStringInfo(text, ", %.3f ms", step->total_ms);
	}
	appendStringInfoChar(text, ')');
}

/* The steps of the chain that the last call has ended, or NULL. */
char *
chain_record_text(void)
{
	StringInfoData text;

	if (nsteps < 2 || steps[nsteps - 1].number != this_call.number)
		return NULL;
	initStringInfo(&text);
	for (int i = 0; i < nsteps; i++)
		append_step(&text, &steps[i]);
	return text.data;
}
