/*
 * staged.h
 *	  Requests that become stages of the next one.
 */
#ifndef GPUCOMPACT_CALL_STAGED_H
#define GPUCOMPACT_CALL_STAGED_H

#include "array/absent.h"
#include "call/input.h"

extern const StagedArray *staged_array(const ArrayReader *reader);
extern StagedArray *staged_from(const EngineRequest *request,
								const CallInput *input);
extern bool staged_supports(const StagedArray *staged,
							const EngineRequest *request,
							CallInput *const inputs[], int ninputs);
extern bool staged_fetch(AbsentArray *absent);

#endif							/* GPUCOMPACT_CALL_STAGED_H */
