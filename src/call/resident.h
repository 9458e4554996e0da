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
extern void resident_identify(EngineRequest *request, int source,
							  const AbsentArray *absent);
extern bool has_residents(const EngineRequest *request);

#endif							/* GPUCOMPACT_CALL_RESIDENT_H */
