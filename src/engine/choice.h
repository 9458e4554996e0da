/*
 * choice.h
 *	  Which engine runs a call, and why.
 */
#ifndef GPUCOMPACT_CHOICE_H
#define GPUCOMPACT_CHOICE_H

#include "compat.h"

#include "lib/stringinfo.h"

#include "engine/engine.h"

typedef enum ChoiceReason
{
	CHOSEN_BY_SETTING,
	CHOSEN_BY_ALGORITHM,
	CHOSEN_IN_WORKER,			/* a parallel worker takes the CPU */
	CHOSEN_WITHOUT_LIBRARY,		/* the CPU is all that is installed */
	CHOSEN_BY_COST,
	CHOSEN_UNOPENED,			/* the GPU would be faster, were it open */
	CHOSEN_WITHOUT_GPU			/* there is none that can be used */
} ChoiceReason;

typedef struct Choice
{
	const Engine *engine;
	ChoiceReason reason;
	int64		elements;		/* of the array, NULLs included */
	double		cpu_us;			/* estimates, where the reason is one of cost */
	double		gpu_us;
	double		lost_us;		/* what the CPU has lost until then */
	const char *why_not;		/* why the GPU cannot be used */
} Choice;

extern Choice choose_engine(const EngineRequest *request, int64 elements);
extern void choice_begun(const Choice *choice);
extern bool choice_failed(Choice *choice, EngineStatus status);
extern char *choice_in_words(const Choice *choice);

#endif							/* GPUCOMPACT_CHOICE_H */
