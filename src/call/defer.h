/*
 * defer.h
 *	  Results whose elements are not put into an array (array/deferred.h).
 */
#ifndef GPUCOMPACT_DEFER_H
#define GPUCOMPACT_DEFER_H

#include "call/input.h"

extern bool defer_allowed(const EngineRequest *request);
extern DeferredValue *defer_resident(const EngineResult *result);
extern bool defer_request(EngineRequest *request, CallInput *const inputs[],
						  int ninputs);
extern bool defer_packed(const ArrayReader *reader);
extern void defer_not(void);
extern void resident_give_back(DeferredValue *value);
extern void resident_identify(EngineRequest *request, int source,
							  const DeferredValue *value);

#endif							/* GPUCOMPACT_DEFER_H */
