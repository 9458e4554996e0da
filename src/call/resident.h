/*
 * resident.h
 *	  Results of a call that stay on the device for the next step of a chain.
 */
#ifndef GPUCOMPACT_CALL_RESIDENT_H
#define GPUCOMPACT_CALL_RESIDENT_H

#include "array/absent.h"
#include "call/input.h"
#include "contract/engine.h"

extern void resident_give_back(const AbsentArray *absent);
extern bool resident_fetch(AbsentArray *absent);

/* For requests. */
extern void resident_identify(EngineRequest *request, int number,
							  const CallInput *input);
extern void resident_fetch_input(const EngineRequest *request, int number,
								 CallInput *input, const Engine *engine);

#endif							/* GPUCOMPACT_CALL_RESIDENT_H */
