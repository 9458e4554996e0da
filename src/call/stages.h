/*
 * stages.h
 *	  Requests that become stages of the next one.
 */
#ifndef GPUCOMPACT_STAGES_H
#define GPUCOMPACT_STAGES_H

#include "array/deferred.h"
#include "call/input.h"
#include "call/site.h"

extern void stage_tell(CallStep *step, const EngineRequest *request,
					   CallInput *const inputs[], int ninputs);
extern DeferredStages *stages_of(const EngineRequest *request,
								 const CallInput *input);
extern bool stages_support(const DeferredStages *stages,
						   const EngineRequest *request,
						   CallInput *const inputs[], int ninputs);
extern ArrayType *stages_run(const DeferredValue *value);

#endif							/* GPUCOMPACT_STAGES_H */
