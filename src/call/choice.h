/*
 * choice.h
 *	  The engines of this session; which one runs a call, and why.
 */
#ifndef GPUCOMPACT_CHOICE_H
#define GPUCOMPACT_CHOICE_H

#include "compat.h"

#include "lib/stringinfo.h"

#include "array/array_reader.h"
#include "gpuclient/gpu_process.h"

/* The engines, and the contexts of this session's jobs, by number. */
extern const Engine *const session_engines[ENGINES];
extern EngineContext *session_contexts[ENGINES];	/* NULL before their use */

extern EngineContext *session_open(int engine);
extern GpuState session_gpu_state(bool wait, const char **why_not);
extern int	session_processors(void);

/* The context of this session's jobs on an engine. */
static inline EngineContext *
session_context(int engine)
{
	return session_contexts[engine] != NULL ? session_contexts[engine] :
		session_open(engine);
}

typedef enum ChoiceReason
{
	CHOSEN_NONE,				/* there is no choice yet */
	CHOSEN_FAILED_BEFORE,		/* the call has failed before the choice */
	CHOSEN_BY_SETTING,
	CHOSEN_BY_ALGORITHM,
	CHOSEN_ALONE,				/* no other engine is installed */
	CHOSEN_ONLY,				/* no other engine can do this */
	CHOSEN_AS_STAGE,			/* the next call of a chain does this, too */
	CHOSEN_BY_COST,
	CHOSEN_MEANWHILE,			/* the one of least cost is still starting */

	/* The CPU is chosen instead of the engine of least cost, which */
	CHOSEN_UNSUPPORTED,			/* cannot do this */
	CHOSEN_NO_DEVICE,			/* has no device */
	CHOSEN_NO_MEMORY,			/* lacks memory */
	CHOSEN_DEVICE_FAILED		/* has failed */
} ChoiceReason;

#define NO_ENGINE		(-1)

typedef struct Choice
{
	int			engine;			/* its number; NO_ENGINE before the choice */
	ChoiceReason reason;
	int64		elements;		/* of the array, NULLs included */
	double		cost_us[ENGINES];	/* estimates, where they decided */
	const char *why_not;		/* why the one of least cost cannot be used */
} Choice;

/* A step of a chain that gets the result of the step before it. */
typedef struct NextStep
{
	const struct NextStep *next;
	int			operation;		/* an EngineOperation, or -1 if no engine has
								 * a part in the call */
	ElementKind kind;			/* of its results, if these are an array */
} NextStep;

extern void choose_engine(Choice *choice, EngineRequest *request,
						  ArrayReader *reader, const NextStep *next);
extern void choose_cpu(Choice *choice, int64 elements, ChoiceReason reason);
extern bool choice_is_final(const Choice *choice);
extern bool choice_failed(Choice *choice, EngineStatus status);
extern char *choice_in_words(const Choice *choice);
extern const char *choice_reason_name(ChoiceReason reason);
pg_noreturn extern void raise_status(EngineStatus status, const char *detail);

#endif							/* GPUCOMPACT_CHOICE_H */
