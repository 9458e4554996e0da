/*
 * staged.h
 *	  Requests that become stages of the next one.
 */
#ifndef GPUCOMPACT_CALL_STAGED_H
#define GPUCOMPACT_CALL_STAGED_H

#include "array/absent.h"
#include "call/input.h"

/* The stages of an array that is still to be computed by them; else NULL. */
static inline const StagedArray *
staged_array(const ArrayReader *reader)
{
	const AbsentArray *absent = reader->absent;

	return absent != NULL && !absent->arrived ? absent->staged : NULL;
}

extern bool staged_can_be_stage(const EngineRequest *request,
								const CallInput *input);
extern EngineStage staged_stage(const EngineRequest *request);
extern StagedArray *staged_from(const EngineRequest *request,
								const CallInput *input);
extern bool staged_supports(const StagedArray *staged,
							const EngineRequest *request,
							CallInput *const inputs[], int ninputs);
extern bool staged_fetch(AbsentArray *absent);

#endif							/* GPUCOMPACT_CALL_STAGED_H */
