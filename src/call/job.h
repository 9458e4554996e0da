/*
 * job.h
 *	  The run of an engine's job; and what becomes of a request that is not run,
 *	  or whose results stay where they are.
 */
#ifndef GPUCOMPACT_JOB_H
#define GPUCOMPACT_JOB_H

#include "call/call.h"

/* job.c */
extern int	call_threads(int64 count);
extern EngineStatus job_run_short(EngineContext *context,
								  const EngineRequest *request,
								  CallInput *const inputs[],
								  EngineResult *result);
extern EngineStatus job_run(Choice *choice, EngineRequest *request,
							CallInput *const inputs[], EngineResult *result);
extern EngineStatus job_alone(EngineRequest *request, ArrayReader *reader,
							  EngineResult *result);
extern void resident_give_back(DeferredValue *value);

/* defer.c: requests that become stages, and results that stay somewhere. */
extern void stage_tell(CallStep *step, const EngineRequest *request,
					   CallInput *const inputs[]);
extern bool stages_support(const DeferredStages *stages,
						   const EngineRequest *request,
						   CallInput *const inputs[]);
extern DeferredValue *defer_resident(const EngineResult *result);
extern bool defer_request(EngineRequest *request, CallInput *const inputs[]);
extern void resident_identify(EngineRequest *request, int source,
							  const DeferredValue *value);

#endif							/* GPUCOMPACT_JOB_H */
